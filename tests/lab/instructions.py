#!/usr/bin/env python3
"""What `auopt cost` predicts against what real kernels execute: the armed floor exactly, a whole rule set within 1 %.

Exit 77 without qemu or Debian's packages.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402

# getpid with one watch on a file: audit is armed, the exit list is empty. Measured in another setup.
ARMED = {"6.1": 813, "6.12": 870}
# probe -> the system call's name
CALLS = {"getpid": "getpid", "read": "read", "write": "write", "futex": "futex", "close_badfd": "close"}


def boot(args, kernel, *files):
    done = subprocess.run([args.source_dir / "lab" / "run", "--json", "--cache", args.cache, "--kernel", kernel,
                           "--calls", ",".join(CALLS), *files], stdout=subprocess.PIPE, timeout=300, check=False)
    if done.returncode == 77:
        skip("no lab here")
    if done.returncode != 0:
        sys.exit(f"lab/run: exit {done.returncode}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True, type=pathlib.Path)
    parser.add_argument("--cache", required=True)
    args = parser.parse_args()
    rules = args.source_dir / "share" / "rulesets" / "stig-like.rules"
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="auopt-lab.") as work:
        floor = pathlib.Path(work) / "floor.rules"
        # The guest makes the file, and no probe touches it.
        floor.write_text("-w /root/somewhere -p wa\n")
        for kernel, armed in ARMED.items():
            bare, whole = boot(args, kernel, floor, rules)
            (predicted,) = Auopt(args.auopt).cost("--target", f"linux-{kernel}", "--facts", rules.with_suffix(".facts.json"),
                                                  "--continue", rules)
            if whole["rules"] == 0 or whole["errors"]:
                sys.exit(f"{rules.name} did not load: {whole}")
            if abs(bare["calls"]["getpid"] - armed) >= 1:
                wrong += 1
                print(f"FAILED linux-{kernel}: armed floor of getpid {bare['calls']['getpid']}, expected {armed}")
            added = {c["name"]: c["filter_instructions"] for c in predicted["syscalls"] if c["arch"] == "b64"}
            for probe, call in CALLS.items():
                measured, expected = whole["calls"][probe], bare["calls"][probe] + added[call]
                error = (expected - measured) / measured
                wrong += abs(error) > 0.01
                print(f"linux-{kernel} {probe}: predicted {expected:.0f}, measured {measured:.0f} ({error:+.2%})"
                      + ("  FAILED" if abs(error) > 0.01 else ""))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
