"""Reads tests/oracle/cases: hostile inputs and what real auditctl 3.0.9 and 4.2.1 did with each.

traps.cases: "### name" starts a case; the lines below it are its text, literally, but a line that
starts with % is escaped as printf(1)'s %b is (tabs, NUL, no newline at the end).
traps.3.0.9.hex: per case the kernel messages in sending order and "EXIT code".
traps.4.2.1.decoded: the same for 4.2.1, rules and settings as `arule_decode -1` prints them.
"""

import pathlib
import re
from dataclasses import dataclass, field

from oracle import Host

CASES = pathlib.Path(__file__).resolve().parent.parent / "oracle" / "cases"

HOST = Host(
    directories=["/etc/dir", "/etc/dir2", "/etc/a b", "/tmp"],
    files=["/etc/file"],
    links={"/etc/ldir": "dir", "/etc/lfile": "file"},
    users={"root": 0, "nobody": 65534},
    groups={"root": 0, "adm": 4, "nogroup": 65534},
)

# Paths that the traps write in a roundabout way; a facts file holds them as they are written.
SPELLINGS = ["/etc/../etc/dir"]

ESCAPE = re.compile(rb"\\(\\|[abfnrtv]|0[0-7]{0,3}|[1-7][0-7]{0,2}|x[0-9a-fA-F]{1,2})")
LETTERS = {b"a": 7, b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9, b"v": 11, b"\\": 0x5C}


@dataclass
class Trap:
    name: str
    text: bytes = b""
    messages: list = field(default_factory=list)
    exit: int = 0

    def ignores_errors(self):
        return any(line.strip() == b"-c" for line in self.text.split(b"\n"))


def unescape(data):
    def replace(match):
        body = match.group(1)
        if body in LETTERS:
            return bytes([LETTERS[body]])
        if body.startswith(b"x"):
            return bytes([int(body[1:], 16)])
        return bytes([int(body, 8) & 0xFF])

    return ESCAPE.sub(replace, data)


def sections(path):
    name, lines = None, []
    for line in path.read_bytes().split(b"\n")[:-1]:
        if line.startswith(b"### "):
            if name is not None:
                yield name, lines
            name, lines = line[4:].decode(), []
        else:
            lines.append(line)
    yield name, lines


# Per auditctl version the file with its answers.
RECORDED = {"3.0.9": "traps.3.0.9.hex", "4.2.1": "traps.4.2.1.decoded"}


def read_traps(version="3.0.9"):
    traps = {}
    for name, lines in sections(CASES / "traps.cases"):
        text = b"".join(unescape(line[1:]) if line.startswith(b"%") else line + b"\n" for line in lines)
        traps[name] = Trap(name, text)
    for name, lines in sections(CASES / RECORDED[version]):
        for line in lines:
            kind, _, rest = line.decode().partition(" ")
            if kind == "EXIT":
                traps[name].exit = int(rest)
            elif kind != "USER":  # a text for the log; changes nothing in the kernel
                traps[name].messages.append(line.decode())
    return list(traps.values())
