#!/usr/bin/env python3
"""`auopt compile --format wire` against real auditctl, 3.0.9 unless --version says otherwise, byte for byte.

  bundled   the project's own rule files
  corpus    the measured corpus, where it is present
  machines  the bundled STIG-like rules, their form for each machine that is not x86_64, and every spelling of arch and
            calls, read as on that machine
  traps     452 hostile inputs; at least as many must agree as tests/oracle/traps.floor says for the version
  later     the same inputs, the project's rule files and those of machines, against a later auditctl (--version)
  names     every word in the libraries of all auditctl versions that are here, as a system call of every machine, a
            record type, an errno, a field, a list and whatever else has names
  fields    every field with every operator and all sorts of values on every list

Exit 77: skipped.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import sys
import tempfile
from itertools import zip_longest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402
from corpus import RuleFile, bundled_rule_files, shared_rule_files  # noqa: E402
from machines import MACHINES, every_spelling, form_for  # noqa: E402
from oracle import decode_messages, oracle_or_skip  # noqa: E402
from traps import HOST, RECORDED, SPELLINGS, read_traps  # noqa: E402

FLOOR = pathlib.Path(__file__).resolve().parent / "traps.floor"


def show_difference(oracle, expected, got):
    for number, (theirs, ours) in enumerate(zip(expected, got), 1):
        if theirs != ours:
            print(f"    message {number}\n      auditctl {oracle.decode(theirs)}\n      auopt    {oracle.decode(ours)}")
            return
    longer, who = (expected, "auopt lacks") if len(expected) > len(got) else (got, "auopt alone sends")
    print(f"    {who} {oracle.decode(longer[min(len(expected), len(got))])}")


def compare_files(files, oracle, auopt, work):
    """Every file must agree. Errors are ignored on both sides (-c), so that all lines are compared."""
    wrong = 0
    for rules in files:
        facts = rules.write_facts(work)
        continued = pathlib.Path(work) / "continued.rules"
        continued.write_bytes(b"-c\n" + rules.path.read_bytes())
        for label, path, options in (("as it is", rules.path, []), ("continued", continued, ["--continue"])):
            theirs = oracle.run(path, rules.host)
            code, ours, errors = auopt.wire("--facts", facts, *options, rules.path)
            # Lines skipped under -c, the file's own or --continue, are warnings.
            ignored = options or "-c" in rules.path.read_text(errors="replace").splitlines()
            if ours == theirs.messages and code == (3 if theirs.exit != 0 and not ignored else 0):
                continue
            wrong += 1
            if wrong > 10:
                continue
            print(f"{rules.name} ({label}): auditctl exit {theirs.exit}, auopt exit {code}")
            if ours != theirs.messages:
                show_difference(oracle, theirs.messages, ours)
            print("    " + "\n    ".join(errors.splitlines()[:6]))
    print(f"{len(files)} files compared with auditctl, {wrong} differences")
    return wrong == 0


def machine_rule_files(source_dir, auopt, work, machines=(*MACHINES, "i386", "arm")):
    found = []
    bundled = next(rules for rules in bundled_rule_files(source_dir) if rules.name == "stig-like.rules")
    text = bundled.path.read_text()
    for machine in machines:
        host = dataclasses.replace(bundled.host, machine=machine)
        forms = {"as for x86_64": text, "spellings": every_spelling()}
        if machine in MACHINES:
            forms["its form"] = form_for(text, machine, auopt, pathlib.Path(work))
        for name, form in forms.items():
            path = pathlib.Path(work) / f"{machine}-{name.replace(' ', '-')}.rules"
            path.write_text(form)
            found.append(RuleFile(f"{machine}: {name}", path, host, {}))
    return found


def compare_traps(auopt, version, oracle_dir, work):
    """The recorded answers are auditctl's (selftest.py checks that), so auditctl is not needed here."""
    floor = int(dict(line.split() for line in FLOOR.read_text().splitlines())[version])
    facts = pathlib.Path(work) / "facts.json"
    facts.write_text(json.dumps(HOST.facts(SPELLINGS)))
    rules = pathlib.Path(work) / "case.rules"
    traps = read_traps(version)
    agree = 0
    for trap in traps:
        rules.write_bytes(trap.text)
        try:
            code, ours, _ = auopt.wire("--facts", facts, "--auditctl", version, rules)
        except UnicodeDecodeError:
            code, ours = None, ["output is not text"]
        # auditctl: 0 or 1 (or a crash). auopt: 0 or 3; lines skipped under -c are warnings and exit 0.
        allowed = {0} if trap.exit == 0 else {0, 3} if trap.ignores_errors() else {3}
        ours = [message for message in ours if not message.startswith("USER ")]
        if RECORDED[version].endswith(".decoded"):
            ours = decode_messages(oracle_dir, ours)
        if ours == trap.messages and code in allowed:
            agree += 1
        else:
            what = "messages differ" if ours != trap.messages else f"exit {code}, auditctl {trap.exit}"
            print(f"differs: {trap.name}: {what}")
            for theirs, our in zip_longest(trap.messages, ours, fillvalue="nothing"):
                if theirs != our:
                    print(f"    auditctl {theirs}\n    auopt    {our}")
                    break
    print(f"{agree}/{len(traps)} traps agree with auditctl {version} (floor {floor})")
    if agree > floor:
        print(f"the floor can be raised to {agree}: {FLOOR}")
    return agree >= floor


def words_of_libraries(oracle_dir):
    """What looks like a name in any libaudit that is here: whatever its tables hold, and much else."""
    words = set()
    for library in pathlib.Path(oracle_dir).glob("auditctl-*/root/**/libaudit.so.1"):
        words |= set(re.findall(rb"(?<![ -~])[A-Za-z_][A-Za-z0-9_]{1,39}(?=\0)", library.read_bytes()))
    return sorted(word.decode() for word in words)


def lines_of_names(words):
    """Form -> the lines that try each word in it."""
    machines = ("b64", "b32", "i386", "ppc", "ppc64", "ppc64le", "s390", "s390x", "arm", "aarch64", "riscv32", "riscv64")
    forms = {f"calls of {machine}": f"-a always,exit -F arch={machine} -S {{}}" for machine in machines}
    forms |= {
        "operations": "-a always,io_uring -S {}",
        "arch": "-a always,exit -F arch={} -S 5",
        "lists": "-a always,{} -F uid=1",
        "actions": "-a {},exit -S 5",
        "record types": "-a always,exclude -F msgtype={}",
        "errno": "-a always,exit -S 5 -F exit={}",
        "negative errno": "-a always,exit -S 5 -F exit=-{}",
        "file types": "-a always,exit -S 5 -F filetype={}",
        "file system types": "-a always,filesystem -F fstype={}",
        "number fields": "-a always,exit -S 5 -F {}=1",
        "text fields": "-a always,exit -S 5 -F {}=/x",
        "fields of exclude": "-a always,exclude -F {}=1",
        "compared": "-a always,exit -S 5 -C uid!={}",
        "compared with": "-a always,exit -S 5 -C {}=obj_uid",
        "long options": "--{}",
    }
    # An unknown signal ends the file, whatever ignores errors.
    return {name: [form.format(w) for w in words if form != "--{}" or w != "signal"] for name, form in forms.items()}


FIELDS = """
pid uid euid suid fsuid gid egid sgid fsgid auid loginuid pers arch msgtype subj_user subj_role subj_type subj_sen
subj_clr ppid obj_user obj_role obj_type obj_lev_low obj_lev_high sessionid fstype devmajor devminor inode exit success
path perm dir filetype obj_uid obj_gid field_compare exe saddr_fam a0 a1 a2 a3 key
""".split()
OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "&", "&=", "", "==", "=!")
VALUES = """
0 1 -1 007 0x1f 0b11 +5 1x 4294967295 4294967296 -2147483649 18446744073709551616 unset root nobody nosuch EPERM -EACCES b64
c000003e wa rwxax file debugfs cgroup CWD DM_EVENT UNKNOWN[1400] /etc/file /etc/dir /etc/dir/ /a/../b relative
""".split()


def lines_of_fields():
    """Every field with every operator and all sorts of values on every list, and all comparisons of two fields."""
    calls = {"exit": " -S 5", "io_uring": " -S openat"}
    found = {
        f"fields of {name}": [
            f"-a always,{name}{calls.get(name, '')} -F {field}{operator}{value}"
            for field in FIELDS
            for operator in OPERATORS
            for value in ("", *VALUES)
        ]
        for name in ("exit", "user", "task", "exclude", "filesystem", "io_uring")
    }
    found["comparisons"] = [
        f"-a always,exit -S 5 -C {left}{operator}{right}" for left in FIELDS for operator in OPERATORS for right in FIELDS
    ]
    return found


def compare_forms(oracle, auopt, version, forms, work):
    rules, facts = pathlib.Path(work) / "forms.rules", pathlib.Path(work) / "facts.json"
    facts.write_text(json.dumps(HOST.facts(["/a/../b"])))
    taken = wrong = 0
    for form, lines in forms.items():
        rules.write_text("-c\n" + "\n".join(lines) + "\n")
        theirs = oracle.run(rules, HOST)
        _, ours, _ = auopt.wire("--facts", facts, "--auditctl", version, rules)
        taken += len(theirs.messages)
        if ours != theirs.messages:
            wrong += 1
            print(f"differs: {form}")
            show_difference(oracle, theirs.messages, ours)
    lines = sum(map(len, forms.values()))
    print(f"{lines} lines in {len(forms)} forms, {taken} taken by auditctl {version}, {wrong} forms differ")
    return wrong == 0 and taken > 3000


def compare_later(oracle, auopt, source_dir, version, work):
    """The same messages, and an exit of 0 or not alike."""
    folder = pathlib.Path(work)
    inputs = [(trap.name, trap.text, trap.ignores_errors(), HOST, SPELLINGS) for trap in read_traps()]
    files = bundled_rule_files(source_dir)
    files += machine_rule_files(source_dir, auopt, work, ("riscv64", *MACHINES, "i386", "arm"))
    inputs += [(r.name, r.path.read_bytes(), False, r.host, ()) for r in files]
    rules, facts, wrong = folder / "case.rules", folder / "facts.json", 0
    for name, text, ignores, host, spellings in inputs:
        rules.write_bytes(text)
        facts.write_text(json.dumps(host.facts(spellings)))
        theirs = oracle.run(rules, host)
        code, ours, _ = auopt.wire("--facts", facts, "--target", "deb13", "--auditctl", version, rules)
        allowed = {0} if theirs.exit == 0 else {0, 3} if ignores else {3}
        # A text for the log ends in where auditctl was started from.
        said = [[m for m in messages if not m.startswith("USER ")] for messages in (ours, theirs.messages)]
        if said[0] == said[1] and code in allowed:
            continue
        wrong += 1
        print(f"differs: {name}: auditctl exit {theirs.exit}, auopt exit {code}")
        if said[0] != said[1]:
            show_difference(oracle, said[1], said[0])
    print(f"{len(inputs)} inputs compared with auditctl {version}, {wrong} differences")
    return wrong == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=("bundled", "corpus", "machines", "traps", "later", "names", "fields"))
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--oracle-dir", required=True)
    parser.add_argument("--source-dir", required=True)
    parser.add_argument("--version", default="3.0.9", help="of auditctl, for traps (recorded), later, names and fields")
    args = parser.parse_args()
    auopt = Auopt(args.auopt)

    with tempfile.TemporaryDirectory(prefix="auopt-compare.") as work:
        if args.suite == "traps":
            sys.exit(0 if compare_traps(auopt, args.version, args.oracle_dir, work) else 1)
        if args.suite == "later":
            oracle = oracle_or_skip(args.oracle_dir, args.version)
            sys.exit(0 if compare_later(oracle, auopt, args.source_dir, args.version, work) else 1)
        if args.suite in ("names", "fields"):
            oracle = oracle_or_skip(args.oracle_dir, args.version)
            forms = lines_of_fields() if args.suite == "fields" else lines_of_names(words_of_libraries(args.oracle_dir))
            sys.exit(0 if compare_forms(oracle, auopt, args.version, forms, work) else 1)
        if args.suite == "machines":
            files = machine_rule_files(args.source_dir, auopt, work)
        else:
            files = (bundled_rule_files if args.suite == "bundled" else shared_rule_files)(args.source_dir)
        if not files and args.suite == "corpus":
            skip("the corpus is not here; AUOPT_SHARED names its folder")
        oracle = oracle_or_skip(args.oracle_dir)
        sys.exit(0 if files and compare_files(files, oracle, auopt, work) else 1)


if __name__ == "__main__":
    main()
