#!/usr/bin/env python3
"""Optimizes whole rule sets and holds the result to what is promised:

  - optimize exits 0 with a proof, and its output loads in real auditctl 3.0.9 without a word of
    complaint, as the same bytes that `auopt compile` says;
  - no call, of either ABI, costs more than before on either measured kernel;
  - over the measured corpus: the geometric mean of (after+1)/(before+1) of what the rules add to
    hot calls stays within the bounds below.

Prints a table. Over the corpus ($AUOPT_SHARED or ../shared) unless --bundled; exit 77 without it.
Seconds depend on the machine: they are printed, and only held to bounds with --check-times.
"""

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402
from corpus import bundled_rule_files, shared_rule_files  # noqa: E402
from oracle import Oracle, Unavailable  # noqa: E402

KERNELS = ("linux-6.1", "linux-6.12")
HOT = ("read", "write", "futex", "close", "lseek", "mmap", "mprotect", "ioctl", "epoll_wait", "getpid", "openat", "newfstatat")
SHOWN = ("getpid", "read", "lseek", "mmap", "openat")
MEAN_BOUND = {"linux-6.1": 0.47, "linux-6.12": 0.43}
LAST_SYSCALL = 460
SECONDS_STIG, SECONDS_ANY = 0.5, 3.0


class Costs:
    """What the rules of one file add to every call, for each kernel."""

    def __init__(self, auopt, rules, facts, keep_going):
        self.summary, self.by_call, self.hot = {}, {}, {}
        numbers = ",".join(map(str, range(LAST_SYSCALL + 1)))
        options = ["--continue"] if keep_going else []
        for kernel in KERNELS:
            calls = []
            for arch in ("b64", "b32"):
                (entry,) = auopt.cost(
                    rules, "--target", kernel, "--facts", facts, "--arch", arch, "--syscall", numbers, *options
                )
                calls += entry["syscalls"]
            self.summary[kernel] = (entry["rules"], entry["exit_list"])
            self.by_call[kernel] = {(c["arch"], c["nr"]): c["filter_instructions"] for c in calls}
            self.hot[kernel] = {c["name"]: c["filter_instructions"] for c in calls if c["arch"] == "b64" and c["name"] in HOT}


def optimize(auopt, rules, facts, out, failures, read_differently):
    """(standard error, seconds); a failure is noted."""
    started = time.monotonic()
    done = auopt.run("optimize", "--facts", facts, "--continue", "--target", "any", "-o", out, rules.path)
    if done.returncode == 2 and b" is read in " in done.stderr:
        # Versions read it differently, so one has to be named: the facts name 3.0.9 and leave every kernel in.
        read_differently.append(rules.name)
        started = time.monotonic()
        done = auopt.run("optimize", "--facts", facts, "--continue", "-o", out, rules.path)
    seconds = time.monotonic() - started
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        failures.append(f"optimize exits {done.returncode}: {said.strip()[-400:]}")
        return None, seconds
    if not re.search(r"\bproven\b", said, re.IGNORECASE) and not re.search(
        r"\bproven\b", out.read_text(errors="replace"), re.IGNORECASE
    ):
        failures.append("neither the summary nor the output says Proven")
    return said, seconds


def check_loads(oracle, auopt, rules, facts, out, failures):
    loaded = oracle.run(out, rules.host, stateful=True)
    if loaded.exit != 0 or loaded.complaints():
        failures.append(f"the output does not load cleanly: exit {loaded.exit} {loaded.complaints()[:2]}")
    code, wire, errors = auopt.wire("--facts", facts, out)
    if code != 0 or wire != loaded.messages:
        failures.append(f"compile of the output (exit {code}) differs from what auditctl sends {errors[:200]}")


def check_never_dearer(before, after, failures):
    for kernel in KERNELS:
        for arch in ("b64", "b32"):
            for nr in range(LAST_SYSCALL + 1):
                old, new = before.by_call[kernel].get((arch, nr)), after.by_call[kernel].get((arch, nr))
                if old is None and new is None:
                    failures.append(f"{kernel}: cost does not list {arch} {nr}")
                elif old is None or new is None or new > old:
                    failures.append(f"{kernel}: {arch} {nr} costs {new}, before {old}")


def table(rows):
    head = ["rule set", "rules", "exit list"] + [f"{call} {k.removeprefix('linux-')}" for call in SHOWN for k in KERNELS]
    lines = [head]
    for name, before, after, _, _ in rows:
        line = [name]
        for index in (0, 1):
            line.append(f"{before.summary[KERNELS[0]][index]} -> {after.summary[KERNELS[0]][index]}")
        for call in SHOWN:
            for kernel in KERNELS:
                line.append(f"{before.hot[kernel][call]} -> {after.hot[kernel][call]}")
        lines.append(line)
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True)
    parser.add_argument("--oracle-dir", default="")
    parser.add_argument("--bundled", action="store_true", help="the project's own files instead of the corpus")
    parser.add_argument("--check-times", action="store_true", help="hold optimize to its seconds (release build, idle machine)")
    parser.add_argument("--only", default="", help="sets whose name contains this")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args()
    files = (bundled_rule_files if args.bundled else shared_rule_files)(args.source_dir)
    files = [rules for rules in files if args.only in rules.name]
    if not files:
        skip("the corpus is not here; AUOPT_SHARED names its folder")
    auopt = Auopt(args.auopt)
    try:
        oracle = Oracle(args.oracle_dir)
        if oracle.version() != "3.0.9":
            raise Unavailable(f"auditctl here is {oracle.version()}")
    except Unavailable as reason:
        oracle = None
        print(f"without the oracle ({reason}): loading is not checked")

    rows, failed, read_differently = [], 0, []
    with tempfile.TemporaryDirectory(prefix="auopt-corpus.") as work:
        out = pathlib.Path(work) / "audit.rules"
        for rules in files:
            failures = []
            out.unlink(missing_ok=True)
            facts = rules.write_facts(work)
            said, seconds = optimize(auopt, rules, facts, out, failures, read_differently)
            if said is not None:
                before = Costs(auopt, rules.path, facts, keep_going=True)
                after = Costs(auopt, out, facts, keep_going=False)
                check_never_dearer(before, after, failures)
                if oracle:
                    check_loads(oracle, auopt, rules, facts, out, failures)
                rows.append((rules.name, before, after, seconds, bool(failures)))
            if args.check_times and seconds > (SECONDS_STIG if "stig" in rules.name else SECONDS_ANY):
                failures.append(f"optimize took {seconds:.2f} s")
            for failure in failures[:6]:
                print(f"FAILED {rules.name}: {failure}")
            if len(failures) > 6:
                print(f"FAILED {rules.name}: and {len(failures) - 6} more")
            failed += bool(failures)

    if rows:
        table(rows)
        slowest = max(rows, key=lambda row: row[3])
        stig = [row for row in rows if "stig" in row[0]] or rows
        slowest_stig = max(stig, key=lambda row: row[3])
        print(f"\nslowest: {slowest[0]} {slowest[3]:.2f} s; slowest STIG set: {slowest_stig[0]} {slowest_stig[3]:.2f} s")
    for kernel in KERNELS:
        ratios = [(row[2].hot[kernel][call] + 1) / (row[1].hot[kernel][call] + 1) for row in rows for call in HOT]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0
        bound = MEAN_BOUND[kernel]
        held = args.bundled or args.only or mean <= bound
        print(f"{kernel}: geometric mean of (after+1)/(before+1) {mean:.4f} (bound over the corpus {bound})")
        if not held:
            failed += 1
            print(f"FAILED {kernel}: over the bound")
    if args.json:
        figures = [
            {"name": name, "seconds": seconds, "before": before.hot, "after": after.hot,
             "rules": [before.summary, after.summary]}
            for name, before, after, seconds, _ in rows
        ]
        pathlib.Path(args.json).write_text(json.dumps(figures, indent=1))
    if read_differently:
        print(f"{len(read_differently)} refused without a target, optimized as 3.0.9 reads them: {', '.join(read_differently)}")
    print(f"{len(files)} rule sets, {len(rows)} optimized, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
