#!/usr/bin/env python3
"""The merge that `auopt augenrules --fallback passthrough` installs against the real augenrules, byte for byte: Debian
12's (3.0.9) on mawk for the target deb12, Debian 13's (4.0.2) on mawk for deb13, and on gawk for el10; and those of
4.1.2 and 4.2.1, which no target has, against the merge by itself. Each only where that package and that awk can be had.

A copy of augenrules runs with both of its paths and its temporary file redirected into a folder of the test, and a
PATH of seven programs, so that it can neither find auditctl nor touch the host. The rules.d directories are awkward
ones: written out below where a rule of augenrules is at stake, and drawn at random.

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
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402
from oracle import unpacked_auditctl  # noqa: E402

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
    "names that are patterns": {
        "a*.rules": b"-w /star\n",
        "ab.rules": b"-w /ab\n",
        "a?.rules": b"-w /question\n",
        "[a-b].rules": b"-w /class\n",
        "a.rules": b"-w /a\n",
        "[x.rules": b"-w /open\n",
        "z[!a].rules": b"-w /not\n",
        "zb.rules": b"-w /zb\n",
    },
    "names that begin like options": {"-e.rules": b"-w /e\n", "--.rules": b"-w /dashes\n", "-": b"-w /no\n"},
    "names with other strange bytes": {
        "'q'.rules": b"-w /q\n",
        '"d".rules': b"-w /d\n",
        "$HOME.rules": b"-w /dollar\n",
        "`x`.rules": b"-w /tick\n",
        "a;b.rules": b"-w /semicolon\n",
        "#h.rules": b"-w /hash\n",
        "~.rules": b"-w /tilde\n",
        "{a,b}.rules": b"-w /brace\n",
        "a\tb.rules": b"-w /tab\n",
    },
    "a carriage return alone, doubled, before the end of a file": {
        "a.rules": b"\r\n\r\r\n-w /a\r\r\n-D \r\n# c\r\r\n-b 1\r",
        "b.rules": b"\n-w /b\r",
        "c.rules": b"\r\n-f\r 2\n",
    },
    "a long comment": {"a.rules": b"# " + b"x" * 7000 + b" -w /hidden\n-w /a\n"},
    "a loop of links": {"a.rules": b"-w /a\n", "b.rules": "-> c.rules", "c.rules": "-> b.rules", "d.rules": "-> ."},
    "links and folders": {"a.rules": b"-w /a\n", "b.rules": None, "c.rules": "-> a.rules", "d.rules": "-> nowhere"},
}

LINES = [
    b"-D", b"-D ", b"-b 64", b"-b 8192", b"-f 1", b"-f 2", b"-e 1", b"-e 2", b"-e 2 # lock", b" -e 2", b"# comment",
    b" # comment", b"", b"", b" ", b"\t", b"\r", b"-w /etc/passwd -p wa", b"-w /a -k s", b"-a always,exit -S open",
    b"-i", b"-c", b"-r 5", b"s", b"s-e 1", b"ss", b"-Ds", b"s#", b"-", b"--", b"-d", b"-D\r", b"# c\r", b"-e 2\r", b"\r\r",
    b"\v-b 1", b"\f", b"-w /\0x", b"\0-b 1", b"\xc2\xa0-b 1", b"-w /" + b"y" * 6200, b"-F", b"-E 1", b"-B", b"\xff",
]  # fmt: skip
# Parts of names that the shell, ls or grep could trip over.
ODD = [" ", "*", "?", "[a]", "\t", "\n", ".", "-", "~", "#", "'", "$", "\u00e9", "\x01", "\udcff", "rules", ".rules", "\\"]
NAMES = ["a", "b", "B", "1", "2", "10", "02", "1-x", "1.x", "1~x", "10-a", "9-a", "x1y2", "x1y10", "x01y2", "z_z", "z-z", "zz"]


def random_case(rng):
    case = {}
    for name in rng.sample(NAMES, rng.randint(1, 6)):
        text = b"\n".join(rng.choice(LINES) for _ in range(rng.randint(0, 8)))
        text += rng.choice([b"\n", b"\n", b"", b"\r\n"])
        if rng.random() < 0.3:
            at = rng.randint(0, len(name))
            name = name[:at] + rng.choice(ODD) + name[at:]
        name += rng.choice([".rules", ".rules", ".rules", ".rules", ".conf", ".rules~"])
        kind = rng.random()
        if kind < 0.03:
            text = None
        elif kind < 0.1:
            text = "-> " + rng.choice(["m.rules", "nowhere", ".", "a.rules"])
        case[name] = text
    case.setdefault("m.rules", b"-w /m\n")
    return case


@dataclass
class Variant:
    """One augenrules on one awk, and how auopt merges like them."""

    name: str
    script: pathlib.Path
    awk: list  # command line
    libraries: str  # of an awk that is only unpacked
    target: str = ""  # or, where none has this version:
    merge: tuple = ()  # version and awk, for merge_rules


class RealAugenrules:
    def __init__(self, variant, work):
        self.work = work
        self.rules_dir = work / "rules.d"
        self.output = work / "real" / "audit.rules"
        self.output.parent.mkdir()
        programs = work / "bin"
        programs.mkdir()
        for name in ("mktemp", "rm", "grep", "cat", "cmp", "cp", "chmod", "sort", "xargs"):
            found = shutil.which(name)
            if not found:
                skip(f"there is no {name}")
            (programs / name).symlink_to(found)
        awk = programs / "awk"
        libraries = f"LD_LIBRARY_PATH={variant.libraries} " if variant.libraries else ""
        awk.write_text("#!/bin/sh\n" + libraries + "exec " + " ".join(variant.awk) + ' "$@"\n')
        awk.chmod(0o755)
        text = variant.script.read_text()
        for pattern, to in (
            (r"/etc/audit/audit\.rules", self.output),
            (r"(?m)^SourceRulesDir=.*$", f"SourceRulesDir={self.rules_dir}"),
            (r"/tmp/aurules", work / "aurules"),
            (r"(\$\{exec_prefix\}|/usr)?/s?bin/auditctl", work / "nowhere"),
            (r"\bauditctl -s", work / "nowhere"),
            (r"\bauditctl_bin\b", "checked_bin"),
            (r"(/usr)?/sbin/restorecon", work / "nowhere"),
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


def merge_alone(merge_rules, work, merge):
    done = subprocess.run([merge_rules, *merge, work / "rules.d"], capture_output=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else b"exit %d: %s" % (done.returncode, done.stderr)


def our_merge(auopt, work, target):
    output = work / "ours" / "audit.rules"
    output.parent.mkdir(exist_ok=True)
    output.unlink(missing_ok=True)
    # Facts that cannot be read: nothing can be optimized, so the plain merge has to be installed.
    facts = work / "broken.json"
    facts.write_text("{")
    done = auopt.run(
        "augenrules", "--rules-dir", work / "rules.d", "--output", output, "--facts", facts, "--fallback", "passthrough",
        "--target", target,
    )
    # The exit code is the reason's; the merge is there all the same.
    if not output.exists():
        return f"exit {done.returncode}: {done.stderr.decode(errors='replace')}".encode()
    return output.read_bytes()


def runs(awk, libraries, program, expected):
    """Whether this awk is there and exits with `expected`."""
    environment = {"PATH": os.environ["PATH"], **({"LD_LIBRARY_PATH": libraries} if libraries else {})}
    try:
        return subprocess.run([*awk, program], env=environment, capture_output=True, check=False).returncode == expected
    except OSError:
        return False


NO_TARGET = ("4.1.2", "4.2.1")


def variants(oracle_dir):
    scripts = {}
    for version in ("3.0.9", "4.0.2", *NO_TARGET):
        for place in ("sbin", "usr/sbin"):
            script = unpacked_auditctl(oracle_dir, version) / place / "augenrules"
            if script.exists():
                scripts[version] = script
    if "3.0.9" not in scripts:
        skip("there is no augenrules; scripts/fetch-auditctl could not get it")
    if not os.access("/bin/ls", os.X_OK):
        skip("there is no /bin/ls")
    space_is_s = 'BEGIN { exit match("s", "\\\\s") ? 3 : 4 }'  # 3: to this awk, backslash s is the letter
    found = []
    if runs(["mawk"], "", space_is_s, 3):
        found.append(Variant("3.0.9 on mawk", scripts["3.0.9"], [shutil.which("mawk")], "", "deb12"))
        if "4.0.2" in scripts:
            found.append(Variant("4.0.2 on mawk", scripts["4.0.2"], [shutil.which("mawk")], "", "deb13"))
        for version in [version for version in NO_TARGET if version in scripts]:
            merge = (version, "mawk")
            found.append(Variant(" on ".join(merge), scripts[version], [shutil.which("mawk")], "", merge=merge))
    else:
        print("no mawk here, or one that knows white space: it merges otherwise than Debian's")
    root = unpacked_auditctl(oracle_dir, "3.0.9")
    for awk, libraries in (
        ([str(root / "usr/bin/gawk")], ":".join(sorted({str(p.parent) for p in root.rglob("libsigsegv.so.2")}))),
        (["gawk"], ""),
        (["busybox", "awk"], ""),
    ):
        if "4.0.2" in scripts and runs(awk, libraries, space_is_s, 4):
            program = shutil.which(awk[0])
            name = pathlib.Path(program).name
            found.append(Variant(f"4.0.2 on {name}", scripts["4.0.2"], [program, *awk[1:]], libraries, "el10"))
            for version in [version for version in NO_TARGET if version in scripts]:
                merge = (version, "gawk")
                found.append(
                    Variant(f"{version} on {name}", scripts[version], [program, *awk[1:]], libraries, merge=merge)
                )
            break
    else:
        print("not compared: augenrules of 4.0.2 on gawk")
    if not found:
        skip("no augenrules and awk whose merge is known")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--merge-rules", required=True, help="the program beside this one")
    parser.add_argument("--oracle-dir", required=True, type=pathlib.Path)
    parser.add_argument("--random", type=int, default=120, help="directories drawn at random")
    parser.add_argument("--seed", type=int, default=20261130)
    args = parser.parse_args()
    found = variants(args.oracle_dir.resolve())
    auopt = Auopt(pathlib.Path(args.auopt).resolve())

    def our(variant, work):
        if variant.target:
            return our_merge(auopt, work, variant.target)
        return merge_alone(args.merge_rules, work, variant.merge)

    rng = random.Random(args.seed)
    cases = dict(CASES)
    for number in range(args.random):
        cases[f"random {number}"] = random_case(rng)
    wrong = 0
    for variant in found:
        different = 0
        with tempfile.TemporaryDirectory(prefix="auopt-augenrules.") as work:
            work = pathlib.Path(work)
            real = RealAugenrules(variant, work)
            for name, case in cases.items():
                lay_out(work / "rules.d", case)
                theirs, ours = real.merge(), our(variant, work)
                if theirs != ours:
                    different += 1
                    if different <= 5:
                        print(f"differs: {variant.name}, {name}\n  files     {case}")
                        print(f"  augenrules {theirs[-400:]}\n  auopt      {ours[-400:]}")
            # Without rules augenrules installs an empty file; auopt takes that for a mistake and installs none.
            lay_out(work / "rules.d", {"README": b"-w /no\n"})
            refused = our(variant, work)
            if real.merge().split(b"\n", 1)[1] != b"\n" * 4 or not refused.startswith(b"exit 3"):
                different += 1
                print(f"differs: {variant.name}, an empty directory: {refused}")
        how = f", --target {variant.target}" if variant.target else ""
        print(f"{variant.name}{how}: {len(cases)} directories merged, {different} differences")
        wrong += different
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
