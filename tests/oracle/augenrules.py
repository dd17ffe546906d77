#!/usr/bin/env python3
"""The merge that `auopt augenrules --fallback passthrough` installs against the real augenrules, byte for byte.

A copy of augenrules runs with both of its paths and its temporary file redirected into a folder of the test, with
mawk as awk and a PATH of seven programs, so that it can neither find auditctl nor touch the host. The rules.d
directories are awkward ones: written out below where a rule of augenrules is at stake, and drawn at random.

Exit 77: skipped.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402

# Each: file name -> content. None: a directory of that name. "-> x": a symbolic link.
CASES = {
    "one file": {"a.rules": b"-w /etc/passwd -p wa -k id\n"},
    "no final newline": {"a.rules": b"-w /a", "b.rules": b"## c\n-w /b", "c.rules": b"\n-w /c"},
    "no final newline in the last file": {"a.rules": b"-w /a\n", "b.rules": b"-w /b"},
    "no final newline before a control line": {"a.rules": b"-w /a -k x", "b.rules": b"-e 2\n-b 64\n"},
    "a comment continued by the next file": {"a.rules": b"# end", "b.rules": b"-w /b\n-w /c\n"},
    "empty files": {"a.rules": b"", "b.rules": b"\n", "c.rules": b"\n\n\n"},
    "empty file between glued ones": {"a.rules": b"-w /a", "b.rules": b"", "c.rules": b"-k x\n"},
    "last of each kind": {
        "10.rules": b"-D\n-b 64\n-f 1\n-e 1\n-w /a\n",
        "20.rules": b"-w /b\n-e 2\n-f 2\n-b 8192\n-D\n-w /c\n",
    },
    "kinds by their beginning": {"a.rules": b"-bogus\n-fish\n-e1\n-D -k x\n-Dx\n-w /a\n"},
    "a delete with a blank behind it": {"a.rules": b"-w /a\n-D \n-D\t\n-D\r\n"},
    "indented": {"a.rules": b" -b 64\n\t-f 1\n  -e 2\n -D\n # no comment\n\t# nor this\n   \n-w /a\n"},
    "the letter s": {"a.rules": b"s-b 64\nss-f 1\ns-e 2\nsDs\ns-Dss\ns# gone\nsss\nS-b 1\n-Ds\n-w /a\n"},
    "carriage returns": {"a.rules": b"-D\r\n\r\n# c\r\n-b 64\r\n-w /a\r\n-e 2\r\n"},
    "what stays in place": {
        "a.rules": b"-i\n-c\n-r 100\n--backlog_wait_time 5\n--loginuid-immutable\n-w /a\n--reset-lost\n-q /a,/b\n-t\n"
    },
    "strange bytes": {"a.rules": b"-w /\xff\xfe\x01\x07\x04\x7f\n-w /\xc3\xa4 -k \x1b[31m\n%s%n\\n\\\n-w /%d\n"},
    "NUL": {"a.rules": b"-w /a\0b\n\0\n-b 1\0x\n-D\0\n-w /x\n"},
    "a long line": {"a.rules": b"-w /" + b"x" * 20000 + b"\n-w /b\n"},
    "many lines": {"a.rules": b"".join(b"-w /%d\n" % n for n in range(5000))},
    "version order": {
        name: b"-w /%s\n" % name.encode()
        for name in (
            "1.rules 10.rules 2.rules 02.rules 002.rules 2-a.rules 2a.rules 2.a.rules 2~.rules 2.rules~ a1.rules a01.rules "
            "A.rules a.rules _.rules -.rules 9-z.rules 10-a.rules a-1.2.rules a-1.10.rules a-1.1.rules 99999999999999999999.rules "
            "100000000000000000000.rules b.rules.rules b.rules c~1.rules c.rules c~.rules +.rules"
        ).split()
    },
    "names that are not read": {
        "a.rules": b"-w /a\n",
        "b.rules.bak": b"-w /b\n",
        ".c.rules": b"-w /c\n",
        "d.RULES": b"-w /d\n",
        "rules": b"-w /e\n",
        "xrules": b"-w /f\n",
        ".rules": b"-w /g\n",
        "h.rules~": b"-w /h\n",
    },
    "names with blanks": {"a b.rules": b"-w /ab\n", "b.rules": b"-w /b\n", "c.rules d.rules": b"-w /c\n"},
    "names with a newline or bytes beyond ASCII": {
        "a\nb.rules": b"-w /a\n",
        "\u00e9.rules": b"-w /e\n",
        "\x01.rules": b"-w /1\n",
        "f.rules": b"-w /f\n",
    },
    "links and folders": {"a.rules": b"-w /a\n", "b.rules": None, "c.rules": "-> a.rules", "d.rules": "-> nowhere"},
}

LINES = [
    b"-D", b"-D ", b"-b 64", b"-b 8192", b"-f 1", b"-f 2", b"-e 1", b"-e 2", b"-e 2 # lock", b" -e 2", b"# comment",
    b" # comment", b"", b"", b" ", b"\t", b"\r", b"-w /etc/passwd -p wa", b"-w /a -k s", b"-a always,exit -S open",
    b"-i", b"-c", b"-r 5", b"s", b"s-e 1", b"ss", b"-Ds", b"s#", b"-", b"--", b"-d", b"-F", b"-E 1", b"-B", b"\xff",
]  # fmt: skip
NAMES = ["a", "b", "B", "1", "2", "10", "02", "1-x", "1.x", "1~x", "10-a", "9-a", "x1y2", "x1y10", "x01y2", "z_z", "z-z", "zz"]


def random_case(rng):
    case = {}
    for name in rng.sample(NAMES, rng.randint(1, 6)):
        text = b"\n".join(rng.choice(LINES) for _ in range(rng.randint(0, 8)))
        text += rng.choice([b"\n", b"\n", b"", b"\r\n"])
        case[name + rng.choice([".rules", ".rules", ".rules", ".conf", ".rules~"])] = text
    case.setdefault("m.rules", b"-w /m\n")
    return case


class RealAugenrules:
    def __init__(self, script, work):
        self.work = work
        self.rules_dir = work / "rules.d"
        self.output = work / "real" / "audit.rules"
        self.output.parent.mkdir()
        programs = work / "bin"
        programs.mkdir()
        for name in ("mktemp", "rm", "grep", "cat", "cmp", "cp", "chmod"):
            found = shutil.which(name)
            if not found:
                skip(f"there is no {name}")
            (programs / name).symlink_to(found)
        (programs / "awk").symlink_to(shutil.which("mawk"))
        text = script.read_text()
        for pattern, to in (
            (r"/etc/audit/audit\.rules", self.output),
            (r"(?m)^SourceRulesDir=.*$", f"SourceRulesDir={self.rules_dir}"),
            (r"/tmp/aurules", work / "aurules"),
            (r"/s?bin/auditctl", work / "nowhere"),
            (r"/sbin/restorecon", work / "nowhere"),
        ):
            text = re.sub(pattern, str(to), text)
        code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
        if any("/etc/" in line or "auditctl" in line for line in code) or str(self.rules_dir) not in text:
            skip("this augenrules is another one than the test knows")
        self.script = work / "augenrules"
        self.script.write_text(text)
        self.environment = {"PATH": str(programs), "LC_ALL": "C"}

    def merge(self):
        self.output.unlink(missing_ok=True)
        subprocess.run(
            ["/bin/sh", str(self.script)],
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=True,
        )
        return self.output.read_bytes()


def lay_out(folder, case):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in case.items():
        path = folder / name
        if content is None:
            path.mkdir()
        elif isinstance(content, str):
            path.symlink_to(content.removeprefix("-> "))
        else:
            path.write_bytes(content)


def our_merge(auopt, work):
    output = work / "ours" / "audit.rules"
    output.parent.mkdir(exist_ok=True)
    output.unlink(missing_ok=True)
    # Facts that cannot be read: nothing can be optimized, so the plain merge has to be installed.
    facts = work / "broken.json"
    facts.write_text("{")
    done = auopt.run(
        "augenrules", "--rules-dir", work / "rules.d", "--output", output, "--facts", facts, "--fallback", "passthrough"
    )
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.decode(errors='replace')}".encode()
    return output.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--oracle-dir", required=True, type=pathlib.Path)
    parser.add_argument("--random", type=int, default=40, help="directories drawn at random")
    parser.add_argument("--seed", type=int, default=20261130)
    args = parser.parse_args()
    unpacked = args.oracle_dir / "auditctl" / "root"
    script = next((p for p in (unpacked / "sbin/augenrules", unpacked / "usr/sbin/augenrules") if p.exists()), None)
    if script is None:
        skip("there is no augenrules; scripts/fetch-auditctl could not get it")
    if not shutil.which("mawk") or not os.access("/bin/ls", os.X_OK):
        skip("there is no mawk or no /bin/ls")
    probe = subprocess.run(["mawk", 'BEGIN { exit match(" ", "\\\\s") }'], check=False)
    if probe.returncode != 0:
        skip("this mawk knows \\s: it merges otherwise than Debian 12's")

    auopt = Auopt(pathlib.Path(args.auopt).resolve())
    rng = random.Random(args.seed)
    cases = dict(CASES)
    for number in range(args.random):
        cases[f"random {number}"] = random_case(rng)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="auopt-augenrules.") as work:
        work = pathlib.Path(work)
        real = RealAugenrules(script, work)
        for name, case in cases.items():
            lay_out(work / "rules.d", case)
            theirs, ours = real.merge(), our_merge(auopt, work)
            if theirs != ours:
                wrong += 1
                print(f"differs: {name}\n  files     {case}\n  augenrules {theirs[-400:]}\n  auopt      {ours[-400:]}")
    print(f"{len(cases)} directories merged, {wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
