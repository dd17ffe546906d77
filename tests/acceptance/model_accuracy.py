#!/usr/bin/env python3
"""Predicted against measured instructions per call, over the measured corpus and both kernels.

A call's total is its base (the call itself, auditing armed, empty exit list) plus what the rules add.
For getpid the base is known: what auditing costs unarmed plus fixed_instructions. The other probes'
bases were not measured; they are one constant per probe and kernel, taken here as the median of
measured minus predicted filter, so a wrong slope cannot hide in it.

Exit 77 without the corpus.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402
from corpus import shared_rule_files  # noqa: E402

PROBES = {"getpid": "getpid", "read": "read", "write": "write", "futex": "futex", "close_badfd": "close"}
GETPID_UNARMED = 475  # measured, auditing on, no rules; the same on both kernels


def allowed(name):
    return 0.05 if "neo23x0" in name else 0.03  # tests the loaded policy's subject type


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    files = shared_rule_files(args.source_dir)
    if not files:
        skip("the corpus is not here; AUOPT_SHARED names its folder")
    auopt = Auopt(args.auopt)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="auopt-model.") as work:
        for kernel in files[0].measured:
            added, fixed = {}, set()
            for rules in files:
                facts = rules.write_facts(work)
                (entry,) = auopt.cost("--target", f"linux-{kernel}", "--facts", facts, "--continue", rules.path)
                fixed.add(entry["fixed_instructions"])
                added[rules.name] = {c["name"]: c["filter_instructions"] for c in entry["syscalls"] if c["arch"] == "b64"}
            (armed,) = fixed  # every set has counted rules, so one value
            for probe, call in PROBES.items():
                gaps = [rules.measured[kernel][probe] - added[rules.name][call] for rules in files]
                base = GETPID_UNARMED + armed if call == "getpid" else statistics.median(gaps)
                worst, worst_name = 0.0, files[0].name
                for rules in files:
                    measured = rules.measured[kernel][probe]
                    error = (base + added[rules.name][call] - measured) / measured
                    if abs(error) > abs(worst):
                        worst, worst_name = error, rules.name
                    if abs(error) > allowed(rules.name):
                        wrong += 1
                        print(f"FAILED linux-{kernel} {call} {rules.name}: predicted {base + added[rules.name][call]:.0f}, "
                              f"measured {measured} ({error:+.1%})")
                print(f"linux-{kernel} {call}: base {base:.0f}, worst error {worst:+.2%} ({worst_name})")
    print(f"{len(files)} rule sets, {wrong} predictions out of bounds")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
