#!/usr/bin/env python3
"""The bundled STIG-like rules on every machine: optimized and proven, and refuted once a call is taken out."""

import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt  # noqa: E402
from machines import MACHINES, form_for  # noqa: E402

CALLS = re.compile(r"-S ([0-9,]+)")


def mutations(text):
    """The text without one call of a rule, for each rule that names calls and no perm=."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        calls = CALLS.search(line)
        if line.startswith("#") or not calls or "perm=" in line or "," not in calls.group(1):
            continue
        fewer = lines.copy()
        fewer[i] = line.replace(calls.group(0), "-S " + calls.group(1).split(",", 1)[1])
        yield i + 1, "\n".join(fewer) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    auopt = Auopt(args.auopt)
    folder = pathlib.Path(args.source_dir) / "share" / "rulesets"
    text = (folder / "stig-like.rules").read_text()
    facts = folder / "stig-like.facts.json"
    failures = 0

    def check(machine, what, done, code, stream, words):
        nonlocal failures
        said = getattr(done, stream).decode()
        if done.returncode == code and words in said:
            return True
        failures += 1
        print(f"{machine}: {what}: exit {done.returncode}, not {code} and `{words}`\n{said[:600]}\n{done.stderr[:600]}")
        return False

    with tempfile.TemporaryDirectory(prefix="auopt-machines.") as work:
        work = pathlib.Path(work)
        for machine in ("x86_64", *MACHINES):
            rules, output, other = work / f"{machine}.rules", work / f"{machine}.out", work / f"{machine}.other"
            rules.write_text(form_for(text, machine, auopt, work))
            options = ("--machine", machine, "--facts", facts)
            done = auopt.run("optimize", *options, rules, "-o", output)
            if not check(machine, "optimize", done, 0, "stderr", "Proven"):
                continue
            first = done.stderr.decode().splitlines()[1]  # below the target
            done = auopt.run("verify", *options, rules, output)
            check(machine, "verify", done, 0, "stdout", "Proven")
            done = auopt.run("gate", *options, "--against", rules, output)
            check(machine, "gate", done, 0, "stdout", "gate:    pass")
            mutated = 0
            for line, fewer in mutations(output.read_text()):
                other.write_text(fewer)
                done = auopt.run("verify", *options, rules, other)
                check(machine, f"without a call of line {line}", done, 4, "stdout", "Refuted")
                mutated += 1
            if mutated < 5:
                failures += 1
                print(f"{machine}: only {mutated} rules to take a call out of")
            print(f"{machine}: {first}; {mutated} mutations refuted")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
