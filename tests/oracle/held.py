#!/usr/bin/env python3
"""What a kernel holds, read in both ways: the listing that real auditctl 3.0.9 prints of it, or a later one with --version
(--from listing), and the binary rules over netlink (--loaded, the fake kernel in place of the real one).

Every rule of the bundled files, of the corpus where it is present, and of the traps is put into the fake kernel's
table. Of a listing each line must be refused with a reason or read as the rule that the table holds, in normal form.
From the kernel itself every rule must come back as it is, and `fmt` must make a file of it that loads as it.

Exit 77: skipped.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import wire  # noqa: E402
from auopt import Auopt  # noqa: E402
from corpus import bundled_rule_files, shared_rule_files  # noqa: E402
from oracle import Oracle, oracle_or_skip  # noqa: E402
from traps import HOST, SPELLINGS, read_traps  # noqa: E402

# What rule files lack: each pair prints the same line, or nearly so.
MORE = r"""
-a never,exit -F path=/etc/file -F perm=wa -k n
-a always,exit -S all -F path=/etc/file -F perm=wa -k n
-a always,exit -F arch=b64 -S open -F exe=/bin/a
-a always,exit -F arch=b64 -S open -F exe!=/bin/a
-a always,exit -S open,close -F uid=0
-a always,exit -F arch=b32 -S open,close -F uid=0
-a always,exit -S open,close -F uid=1
-a always,exit -F arch=ppc64 -S open,close -F uid=0
-a always,exit -S open,close -F uid=2
-a always,exit -F arch=b64 -S , -F uid=0
-a always,exit -F arch=b64 -S all -F filetype=dir -F devminor!=4000000000 -F a0&=0x80 -F a1=-1 -F gid=4294967294
-a always,exit -S all -F path=/etc/a\ b
-a always,exit -S all -F subj_sen>==x
-a always,exit -S all -F subj_sen>=x
-a always,exit -F perm=wa -F uid=0
-a always,exit -F perm=wa
-a always,exit -S all -F uid=0 -F field_compare=0
-a always,exit -S all -F uid=0
-a always,exit -S all -F key=a -F uid=0 -F auid=unset -F sessionid=unset -F exit=-EAGAIN -F exit=ENOENT
-a always,user -F arch=b64 -F uid=0
-a always,user -F uid=0 -F arch=b64
-a always,user -F uid=0
-a never,exclude -F msgtype=1307
-a never,exclude -F msgtype=55555
-a never,task -F arch=b64 -F uid=0
-a always,filesystem -F fstype=tracefs -F key=t
-a always,exit -F arch=b64 -S 452,2000 -F obj_uid=0 -C uid!=euid -F inode=4294967295 -F ppid=3
-w /etc/dir -p rwxa -k one -k two
-w /etc/file -p x
-A always,exit -S all -F uid=7
-A always,exit -S all -F uid=7
"""

REFUSED = re.compile(r":(\d+):\d+: error\[(AU06\d)\]")
ASSUME = ("--assume", "listed-watches")


def normal(rule):
    """Rule language, section 7.5, and what compiler/read_listing.hpp adds."""
    tests = [(f, wire.EQUAL if f == wire.KEY else op, value) for f, op, value in rule.tests]
    if rule.list in (wire.TASK, wire.EXIT, wire.IO_URING):
        tests.sort(key=lambda test: test[0] != wire.ARCH)
    mask = [*rule.mask[:63], rule.mask[63] & 0xFFFF]
    if all(word == 0xFFFFFFFF for word in mask[:63]):
        mask[63] = 0xFFFF
    return wire.Rule(rule.list, rule.action, mask, tests)


def any_order(rule):
    """Where order has no meaning, the tests in one order."""
    ordered = rule.list not in (wire.TASK, wire.EXIT, wire.IO_URING)
    return rule if ordered else wire.Rule(rule.flags, rule.action, rule.mask, sorted(rule.tests, key=lambda t: t[0]))


def plain(rule):
    """What reading a listing takes for granted (auopt explain plain-listing)."""
    if any(not text or re.search(rb"[ \n\0]", text) for text in rule.texts()):
        return False
    if rule.list in (wire.USER, wire.EXCLUDE, wire.FILESYSTEM) and normal(rule).mask != [0xFFFFFFFF] * 63 + [0xFFFF]:
        return False
    if rule.list == wire.TASK and any(rule.mask):
        return False
    for number, operator, value in rule.tests:
        if number == wire.ARCH and value not in wire.ARCHES:
            return False
        if number == wire.FIELD_COMPARE and value == 0 or number == wire.PERM and operator != wire.EQUAL:
            return False
        if number == wire.KEY and any(not part for part in value.split(b"\1")):
            return False
    return True


# Whose listing it is.
TARGETS = {"3.0.9": "deb12", "4.0.2": "deb13", "4.1.2": "host", "4.2.1": "host"}

# What later versions have names for, and earlier ones print as numbers.
LATER = """
-a always,exit -F arch=b64 -S open,lsm_get_self_attr,file_getattr,listns -F uid=0
-a always,exit -F arch=s390x -S open,getdents64,mbind -F uid=0
-a always,exit -F arch=riscv64 -S openat,fstat,riscv_hwprobe -F uid=0
-a always,exit -F arch=riscv32 -S openat,fcntl64 -F uid=0
-a always,exclude -F msgtype=DM_CTRL
-a always,filesystem -F fstype=cgroup2 -F key=t
"""


class Bench:
    def __init__(self, auopt, oracle, target, work):
        self.auopt, self.oracle, self.target, self.work = auopt, oracle, target, pathlib.Path(work)
        self.by_kernel = Oracle(oracle.directory, auditctl=auopt.binary)
        self.wrong = 0
        self.counts = collections.Counter()

    def complain(self, text):
        self.wrong += 1
        if self.wrong <= 20:
            print(text)

    def environment(self, rules):
        table = self.work / "table"
        # The last one first, each put in front of the others, which is how a table can hold equal rules.
        added = [wire.Rule(rule.flags | wire.PREPEND, rule.action, rule.mask, rule.tests) for rule in reversed(rules)]
        table.write_text("".join(f"ADD_RULE {rule.pack().hex()}\n" for rule in added))
        return {"AUDIT_ORACLE_RULES": str(table), "AUDIT_ORACLE_MACHINE": "x86_64"}

    def from_kernel(self, rules, *args, **fake):
        """auopt, with the fake kernel where the real one would be."""
        command, full = self.by_kernel.command(args, {**self.environment(rules), **fake}, self.work / "log")
        return subprocess.run(command, env=full, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def accepted(self, rules):
        """Less those that a real kernel would refuse, and those that print more than a line."""
        rules = [rule for rule in rules if not any(b"\n" in text for text in rule.texts())]
        done = self.from_kernel(rules, "lint", "--format", "json", "-v", "--loaded")
        refused = {finding["line"] for finding in json.loads(done.stdout) if finding["id"] == "AU092"}
        return [rule for number, rule in enumerate(rules, 1) if number not in refused]

    def read_back(self, name, rules, facts, assume):
        """(rules taken, rules whose premise does not hold)"""
        listing = self.work / "listing"
        said = self.oracle.run_args(["-l"], self.environment(rules)).said
        printed = [text.removeprefix("STDOUT ") for text in said]
        # The log writes control bytes as \xNN; auditctl itself prints them.
        raw = [re.sub(r"\\x([01][0-9a-f]|7f)", lambda m: chr(int(m[1], 16)), text) for text in printed]
        listing.write_bytes(b"".join(text.encode("utf-8", "surrogateescape") + b"\n" for text in raw))
        if not rules:
            return
        if len(printed) != len(rules):
            self.complain(f"{name}: {len(rules)} rules, {len(printed)} lines")
            return
        if self.target == "host":
            seen = {**json.loads(facts.read_text()), "audit_version": self.oracle.version(), "kernel": os.uname().release}
            facts = self.work / "host-facts.json"
            facts.write_text(json.dumps(seen))
        options = ("-v", "--target", self.target, "--facts", facts, *(ASSUME if assume else ()))
        code, messages, errors = self.auopt.wire(*options, "--from", "listing", listing)
        refused = {int(line): kind for line, kind in REFUSED.findall(errors)}
        taken = [number for number in range(1, len(rules) + 1) if number not in refused]
        if code != (3 if refused else 0) or len(messages) != len(taken):
            self.complain(f"{name}: exit {code}, {len(messages)} rules of {len(taken)} lines that are not refused\n{errors}")
            return
        for number, message in zip(taken, messages):
            held, got = rules[number - 1], wire.unpack(message)
            if not plain(held):
                self.counts["premise false"] += 1
            elif assume and printed[number - 1].startswith("-w ") and held.action == 0:
                self.counts["premise false"] += 1
            elif normal(held) != normal(got):
                self.complain(f"{name}:{number}: {printed[number - 1]}\n  held {held}\n  read {got}")
            else:
                self.counts["taken"] += 1
        for number, kind in refused.items():
            self.counts[kind] += 1

    def loaded(self, name, rules, facts):
        done = self.from_kernel(rules, "compile", "--loaded")
        messages = [m for m in done.stdout.decode().splitlines() if m.startswith("ADD_RULE ")]
        if done.returncode != 0 or [wire.unpack(m).stored() for m in messages] != rules:
            self.complain(f"{name}: --loaded is not what the kernel holds\n{done.stderr.decode()}")
            return
        self.counts["from the kernel"] += len(rules)
        made = self.from_kernel(rules, "fmt", "--facts", str(facts), "--loaded")
        file = self.work / "made.rules"
        file.write_bytes(made.stdout)
        code, again, errors = self.auopt.wire("--facts", facts, file)
        again = [wire.unpack(m).stored() for m in again if m.startswith("ADD_RULE ")]
        unsaid = [int(n) for n in re.findall(r"kernel:(\d+):\d+: error\[AU084\]", made.stderr.decode(errors="replace"))]
        # Of rules that are equal (-A) a file can hold one.
        said = [r for number, r in enumerate(rules, 1) if number not in unsaid and r not in rules[: number - 1]]
        same = [any_order(rule) for rule in again] == [any_order(rule) for rule in said]
        if code != 0 or made.returncode != (5 if unsaid else 0) or not same:
            self.complain(f"{name}: fmt --loaded: exit {made.returncode}, {len(rules)} rules, {len(unsaid)} unsaid, {len(again)} again")
            self.complain(errors + made.stderr.decode(errors="replace"))
        self.counts["unsaid"] += len(unsaid)
        self.counts["written again"] += len(again)


def tables(auopt, source_dir, work, bench):
    """(name, rules in the kernel's order, facts)"""
    for rules in bundled_rule_files(source_dir) + shared_rule_files(source_dir):
        facts = rules.write_facts(work)
        _, messages, _ = auopt.wire("--continue", "--facts", facts, rules.path)
        yield rules.name, messages, facts
    facts = pathlib.Path(work) / "trap-facts.json"
    facts.write_text(json.dumps(HOST.facts(SPELLINGS)))
    case = pathlib.Path(work) / "case.rules"
    case.write_text(MORE.lstrip())
    yield "more", auopt.wire("--facts", facts, case)[1], facts
    case.write_text(LATER.lstrip())
    yield "later", auopt.wire("--facts", facts, "--target", "deb13", "--auditctl", "4.2.1", case)[1], facts
    yield "traps", [message for trap in read_traps() for message in trap.messages], facts


def failures(bench):
    """Kernels that refuse: exit 3 and a reason, whatever the verb."""
    rule = wire.Rule(wire.EXIT, 2, [0xFFFFFFFF] * 63 + [0xFFFF], [(1, wire.EQUAL, 0)])
    for fail, words in (
        ("LIST_RULES=1", "not permitted"),
        ("LIST_RULES=111", "refuses the connection"),
        ("GET=1", "not permitted"),
        ("GET_FEATURE=1", "not permitted"),
    ):
        for verb in (["cost"], ["lint"], ["compile"], ["fmt"], ["optimize"], ["verify", "/dev/null"]):
            done = bench.from_kernel([rule], *verb, "--loaded", AUDIT_ORACLE_FAIL=fail)
            said = (done.stdout + done.stderr).decode()
            if done.returncode != 3 or "AU083" not in said or words not in said:
                bench.complain(f"{verb} --loaded, {fail}: exit {done.returncode}, {said}")
    # A kernel that does not know AUDIT_GET_FEATURE has no such feature.
    if bench.from_kernel([rule], "cost", "--loaded", AUDIT_ORACLE_FAIL="GET_FEATURE=22").returncode != 0:
        bench.complain("an old kernel's rules cannot be read")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--oracle-dir", required=True)
    parser.add_argument("--source-dir", required=True)
    parser.add_argument("--version", choices=TARGETS, default="3.0.9", help="of auditctl")
    args = parser.parse_args()
    auopt = Auopt(args.auopt)
    oracle = oracle_or_skip(args.oracle_dir, args.version)
    with tempfile.TemporaryDirectory(prefix="auopt-held.") as work:
        bench = Bench(auopt, oracle, TARGETS[args.version], work)
        for name, messages, facts in tables(auopt, args.source_dir, work, bench):
            added = [wire.unpack(message) for message in messages if message.startswith("ADD_RULE ")]
            rules = bench.accepted(wire.kernel_table(added))
            if not rules:
                bench.complain(f"{name}: no rules")
            bench.loaded(name, rules, facts)
            for assume in (False, True):
                before = bench.counts.copy()
                bench.read_back(name, rules, facts, assume)
                if name in ("more", "later", "traps"):
                    print(f"{name}, {'listed-watches' if assume else 'nothing'} assumed: {dict(bench.counts - before)}")
        failures(bench)
    print(f"{dict(bench.counts)}, {bench.wrong} wrong")
    if bench.counts["taken"] == 0 or bench.counts["AU062"] == 0 or bench.counts["AU061"] == 0:
        sys.exit("nothing was taken, or nothing refused")
    sys.exit(1 if bench.wrong else 0)


if __name__ == "__main__":
    main()
