#!/usr/bin/env python3
"""Real auditctl 3.0.9 does the same with a file and with what `auopt fmt` makes of it: messages, order, exit code.
Over the hostile inputs and the project's rule files, in both styles.

Exit 77: skipped.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt  # noqa: E402
from corpus import bundled_rule_files  # noqa: E402
from oracle import oracle_or_skip  # noqa: E402
from traps import HOST, SPELLINGS, read_traps  # noqa: E402


def done_by(oracle, environment, rules):
    result = oracle.run_args(["-R", str(rules)], environment)
    return result.messages, result.exit


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--oracle-dir", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    auopt = Auopt(args.auopt)
    oracle = oracle_or_skip(args.oracle_dir)

    inputs = [(trap.name, trap.text, HOST, SPELLINGS) for trap in read_traps()]
    inputs += [(rules.name, rules.path.read_bytes(), rules.host, ()) for rules in bundled_rule_files(args.source_dir)]
    changed = wrong = 0
    for name, text, host, spellings in inputs:
        with tempfile.TemporaryDirectory(prefix="auopt-formatted.") as work:
            folder = pathlib.Path(work)
            environment = host.build(work)
            facts = folder / "facts.json"
            facts.write_text(json.dumps(host.facts(spellings)))
            rules = folder / "in.rules"
            rules.write_bytes(text)
            before = None
            for style in ("source", "listing"):
                done = auopt.run("fmt", "--style", style, "--facts", facts, rules)
                if done.returncode not in (0, 3):
                    wrong += 1
                    print(f"{name}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
                    continue
                if done.stdout == text:
                    continue
                changed += 1
                before = before or done_by(oracle, environment, rules)
                new = folder / "out.rules"
                new.write_bytes(done.stdout)
                if done_by(oracle, environment, new) != before:
                    wrong += 1
                    print(f"differs: {name}, {style}:\n{done.stdout.decode(errors='replace')}")
    print(f"{len(inputs)} inputs, {changed} texts changed, {wrong} wrong")
    sys.exit(1 if wrong or not changed else 0)


if __name__ == "__main__":
    main()
