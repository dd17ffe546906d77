#!/usr/bin/env python3
"""`auopt compile --format text` against the listing of real auditctl 3.0.9, rule by rule: the fake kernel holds the
rule, `auditctl -l` prints it. Lines that auditctl is known to print wrongly are checked to be wrong in just that way.

Exit 77: skipped.
"""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt  # noqa: E402
from corpus import bundled_rule_files  # noqa: E402
from oracle import oracle_or_skip  # noqa: E402

# What the rule files lack.
MORE = r"""
-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid!=unset -F a0&0x80 -F exit=-13 -k a -k b
-a always,exit -F arch=b32 -S open -C euid!=uid -F exit=13 -F sessionid=5 -k q
-a always,exit -F success=0 -F arch=b64 -F path=/x -S read -F inode=55
-a always,exit -S all -F exe=/bin/x -F obj_uid=4 -F subj_type=x_t -F saddr_fam=2 -F ppid=3 -F a1=-1 -F devmajor=8
-a always,exit -S all -F sessionid=unset -F exit=-4000 -F exit!=EPERM
-w /etc/passwd -k a -k b
-w /etc/shadow
-a always,task -F uid=0
-a never,task
-a never,exclude -F msgtype=1307
-a always,exclude -F msgtype=1999
-a always,user -F uid=1
-a always,filesystem -F fstype=tracefs -F key=t
"""

# (rule, what auditctl 3.0.9 prints, what is true)
UNTRUE = [
    (
        "-a never,exit -F path=/x -F perm=wa -k n",
        "-w /x -p wa -k n",
        "-a never,exit -S all -F path=/x -F perm=wa -F key=n",
    ),
    (
        "-a always,exit -S all -F exe!=/x",
        "-a always,exit -S all -F exe=/x",
        "-a always,exit -S all -F exe!=/x",
    ),
    (
        "-a always,exit -S all -F filetype=dir",
        "-a always,exit -S all -F filetype=16384",
        "-a always,exit -S all -F filetype=dir",
    ),
    (
        "-a always,exit -F arch=b64 -S , -F uid=0",
        "-a always,exit -F arch=b64 -F uid=0",
        "-a always,exit -F arch=b64 -S , -F uid=0",
    ),
    (r"-w /a\ b -p r", "-w /a b -p r", r"-w /a\ b -p r"),
    (
        "-a always,exit -S all -F uid=-2",
        "-a always,exit -S all -F uid=-2",
        "-a always,exit -S all -F uid=4294967294",
    ),
]


def listed(oracle, message, work):
    """What auditctl -l prints for the one rule that `message` adds."""
    table = pathlib.Path(work) / "table"
    table.write_text(message.removeprefix("ADD_RULE ") + "\n")
    said = oracle.run_args(["-l"], {"AUDIT_ORACLE_RULES": str(table), "AUDIT_ORACLE_MACHINE": "x86_64"}).said
    return "\n".join(text.removeprefix("STDOUT ") for text in said)


def both(auopt, *args):
    """(message, our line) for each rule."""
    _, messages, _ = auopt.wire("--continue", *args)
    text = auopt.run("compile", "--format", "text", "--continue", *args).stdout.decode()
    rules = [message for message in messages if message.startswith("ADD_RULE ")]
    lines = [line for line in text.splitlines() if line.startswith("-")]
    assert len(rules) == len(lines), text
    return list(zip(rules, lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--oracle-dir", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    auopt = Auopt(args.auopt)
    oracle = oracle_or_skip(args.oracle_dir)

    wrong = 0
    with tempfile.TemporaryDirectory(prefix="auopt-listing.") as work:
        more = pathlib.Path(work) / "more.rules"
        more.write_text(MORE.lstrip())
        pairs = dict(both(auopt, more))
        for rules in bundled_rule_files(args.source_dir):
            pairs |= dict(both(auopt, "--facts", rules.write_facts(work), rules.path))
        expected = [(message, ours, ours, ours) for message, ours in pairs.items()]
        for rule, theirs, truth in UNTRUE:
            more.write_text(rule + "\n")
            ((message, ours),) = both(auopt, more)
            expected.append((message, ours, theirs, truth))
        for message, ours, theirs, truth in expected:
            got = listed(oracle, message, work)
            if got != theirs or ours != truth:
                wrong += 1
                print(f"differs:\n  auditctl {got}\n  expected {theirs}\n  auopt    {ours}")
    print(f"{len(expected)} rules listed, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
