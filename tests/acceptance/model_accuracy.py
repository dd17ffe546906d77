#!/usr/bin/env python3
"""Predicted against measured instructions of whole calls, over the corpus and both kernels, as measured in another setup than
the project's lab (docs/MODEL.md is about that one).

Which hash buckets the watched files fell into there is not known, so calls with a path have a wider bound; and their own
cost, taken from the lab's boots, includes an allocation that depends on the state of the slabs.

Exit 77 without the corpus.
"""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402
from corpus import shared_rule_files  # noqa: E402

WITH_PATH = {"stat": 0.05, "openat_enoent": 0.05}


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
            errors = {}
            for rules in files:
                facts = rules.write_facts(work)
                (entry,) = auopt.cost("-v", "--syscall", "getpid", "--target", f"linux-{kernel}", "--facts", facts,
                                      "--continue", rules.path)
                predicted = {p["name"]: p["instructions"] for p in entry["probes"]}
                for probe, measured in rules.measured[kernel].items():
                    error = (predicted[probe] - measured) / measured
                    errors.setdefault(probe, []).append((abs(error), rules.name))
                    if abs(error) > WITH_PATH.get(probe, 0.01):
                        wrong += 1
                        print(f"FAILED linux-{kernel} {probe} {rules.name}: predicted {predicted[probe]:.0f}, "
                              f"measured {measured} ({error:+.1%})")
            for probe, found in errors.items():
                worst, name = max(found)
                print(f"linux-{kernel} {probe}: mean error {sum(e for e, _ in found) / len(found):.2%}, worst {worst:.2%} ({name})")
    print(f"{len(files)} rule sets, {wrong} predictions out of bounds")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
