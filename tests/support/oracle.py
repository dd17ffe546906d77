"""Real auditctl against a fake audit kernel, for tests. See tests/oracle/README.md.

The kernel is never reached: oracle_exec installs a seccomp filter that kills the process on a real
NETLINK_AUDIT socket, and liboracle_preload.so answers in the kernel's place.
"""

import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field

from auopt import skip

# What reads nothing but the kernel's state; not part of what a rules file does.
READ_ONLY = ("GET", "LIST_RULES", "GET_FEATURE")


class Unavailable(Exception):
    """The oracle cannot run here; tests report themselves as skipped."""


@dataclass
class Host:
    """What auditctl sees of its host: kinds of paths, users and groups."""

    directories: list = field(default_factory=list)
    files: list = field(default_factory=list)
    links: dict = field(default_factory=dict)
    users: dict = field(default_factory=lambda: {"root": 0})
    groups: dict = field(default_factory=lambda: {"root": 0})
    machine: str = "x86_64"

    def facts(self, spellings=()):
        """The same host as an auopt facts file (symbolic links resolved, as stat(2) does).
        spellings: paths as rules write them, with `..` in them."""
        directories, files = list(self.directories), list(self.files)
        for path in spellings:
            (directories if os.path.normpath(path) in self.directories else files).append(path)
        for path, target in self.links.items():
            resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
            (directories if resolved in self.directories else files).append(path)
        return {
            "machine": self.machine,
            "users": self.users,
            "groups": self.groups,
            "directories": sorted(directories),
            "files": sorted(files),
        }

    def build(self, root):
        """Lays the tree, passwd and group under `root`; returns the oracle's environment."""
        root = pathlib.Path(root)
        fs = root / "fs"
        fs.mkdir()
        for path in sorted(self.directories):
            (fs / path.lstrip("/")).mkdir(parents=True, exist_ok=True)
        for path in sorted(self.files):
            target = fs / path.lstrip("/")
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.exists():
                    target.touch()
            except (FileExistsError, NotADirectoryError):
                pass  # below another watched file: cannot exist, and auditctl finds ENOTDIR
        for path, target in self.links.items():
            (fs / path.lstrip("/")).symlink_to(target)
        passwd = "".join(f"{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, uid in self.users.items())
        group = "".join(f"{name}:x:{gid}:\n" for name, gid in self.groups.items())
        (root / "passwd").write_text(passwd)
        (root / "group").write_text(group)
        return {
            "AUDIT_ORACLE_FSROOT": str(fs),
            "AUDIT_ORACLE_PASSWD": str(root / "passwd"),
            "AUDIT_ORACLE_GROUP": str(root / "group"),
            "AUDIT_ORACLE_MACHINE": self.machine,
        }


def decode_messages(directory, messages):
    """Wire messages in words, one text for each; needs no auditctl. Other texts stay as they are."""
    done = subprocess.run(
        [str(pathlib.Path(directory) / "arule_decode"), "-1"],
        input="".join(message + "\n" for message in messages).encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]


@dataclass
class Result:
    """One run of auditctl."""

    exit: int  # negative: killed by that signal
    messages: list  # "ADD_RULE <hex>", in sending order; without the read-only ones
    said: list  # "STDERR text", "SYSLOG<3> text", "STDOUT text"
    log: list  # all of it in order, as logged

    def complaints(self):
        """What auditctl said that is not a status report."""
        return [text for text in self.said if not text.startswith("STDOUT ")]


def unpacked_auditctl(directory, version):
    """The root of what scripts/fetch-auditctl has unpacked there."""
    return pathlib.Path(directory) / f"auditctl-{version}" / "root"


class Oracle:
    def __init__(self, directory, auditctl=None, version="3.0.9"):
        """`directory`: where the build left the oracle's binaries and the auditctl of each version that could be had;
        `auditctl`: another binary."""
        self.directory = pathlib.Path(directory).resolve()
        unpacked = unpacked_auditctl(self.directory, version)
        chosen = auditctl or os.environ.get("AUDITCTL")
        self.auditctl = pathlib.Path(chosen) if chosen else unpacked / "sbin" / "auditctl"
        if not self.auditctl.exists():
            raise Unavailable("there is no auditctl; scripts/fetch-auditctl could not get it")
        self.libraries, self.loader = [], None
        if not chosen:
            self.libraries = sorted({str(lib.parent) for lib in unpacked.rglob("libaudit.so.1")})
            # A package of a later release comes with its C library, which its own loader has to load.
            self.loader = next((lib for lib in unpacked.rglob("ld-linux-*.so.2") if not lib.is_symlink()), None)
        for name in ("liboracle_preload.so", "oracle_exec", "arule_decode"):
            if not (self.directory / name).exists():
                raise Unavailable(f"{name} is not built")

    def version(self):
        for text in self.run_args(["-v"], environment={}).said:
            if " version " in text:
                return text.split(" version ")[1].strip()
        return "unknown"

    def command(self, args, environment, log):
        """The command line and the whole environment that run auditctl against the fake kernel."""
        full = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C",
            "TZ": "UTC",
            "AUDIT_ORACLE_LOG": str(log),
            **environment,
        }
        program = [str(self.auditctl)]
        if self.loader:
            program = [str(self.loader), "--library-path", ":".join(self.libraries), *program]
        elif self.libraries:
            full["LD_LIBRARY_PATH"] = ":".join(self.libraries)
        preload = str(self.directory / "liboracle_preload.so")
        return [str(self.directory / "oracle_exec"), preload, *program, *args], full

    def run_args(self, args, environment):
        with tempfile.TemporaryDirectory(prefix="auopt-oracle.") as work:
            log = pathlib.Path(work) / "log"
            command, full = self.command(args, environment, log)
            done = subprocess.run(
                command, env=full, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
            )
            # 125 and 127: oracle_exec could not start it; SIGSYS: it went for the real kernel.
            if done.returncode in (125, 127, -31) or not log.exists():
                raise RuntimeError(f"oracle failed ({done.returncode}): {done.stderr.decode(errors='replace')}")
            lines = log.read_bytes().decode("utf-8", "surrogateescape").split("\n")[:-1]
        messages, said = [], []
        for line in lines:
            words = line.split(" ")
            if words[0] == "SEND":
                if words[1] not in READ_ONLY:
                    messages.append(f"{words[1]} {words[-1]}")
            elif words[0] != "LINE":
                said.append(line)
        return Result(done.returncode, messages, said, lines)

    def run(self, rules_file, host, stateful=False):
        """auditctl -R rules_file on `host`. stateful: the fake kernel keeps its rules, so that a
        duplicate is refused as the real one refuses it."""
        with tempfile.TemporaryDirectory(prefix="auopt-oracle.") as work:
            environment = host.build(work)
            if stateful:
                environment["AUDIT_ORACLE_STATEFUL"] = "1"
            return self.run_args(["-R", str(rules_file)], environment)

    def decode(self, message):
        """A wire message in words, for failing tests."""
        return decode_messages(self.directory, [message])[0]


def oracle_or_skip(directory, version="3.0.9"):
    """The oracle with that version of auditctl, or the test ends as skipped."""
    try:
        oracle = Oracle(directory, version=version)
    except Unavailable as reason:
        skip(reason)
    if oracle.version() != version:
        skip(f"auditctl here is {oracle.version()}, not {version}")
    return oracle
