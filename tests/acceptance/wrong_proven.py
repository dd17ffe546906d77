#!/usr/bin/env python3
"""Pairs that were Proven once and are not the same: verify must prove none of them, for any target that tells them apart, and
what optimize makes of their first files must be proven.

usage: wrong_proven.py --auopt PROGRAM --source-dir DIRECTORY
exit 77 without the pairs
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from corpus import shared_folder  # noqa: E402

TARGETS = ("any", "deb12", "deb13", "el9")
# Read by auditctl 3.0.9 the two files of this pair are the same.
THE_SAME = {("5", "deb12")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    folder = shared_folder(args.source_dir)
    pairs = sorted((folder / "cases" / "wrong-proven").glob("*-before.rules")) if folder else []
    if not pairs:
        print("skipped: the pairs are not here")
        return 77
    wrong = 0
    for before in pairs:
        name = before.name.removesuffix("-before.rules")
        after = before.with_name(f"{name}-after.rules")
        for target in TARGETS:
            done = subprocess.run([args.auopt, "verify", "--target", target, before, after], capture_output=True, text=True,
                                  check=False)
            expected = (0,) if (name, target) in THE_SAME else (2, 4, 5)
            if done.returncode not in expected:
                wrong += 1
                print(f"pair {name}, target {target}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            if target == "any":
                continue
            optimized = subprocess.run([args.auopt, "optimize", "-q", "--target", target, before], capture_output=True,
                                       text=True, check=False)
            proof = subprocess.run([args.auopt, "verify", "--target", target, before, "-"], input=optimized.stdout,
                                   capture_output=True, text=True, check=False)
            if optimized.returncode != 0 or proof.returncode != 0:
                wrong += 1
                print(f"pair {name}, target {target}: optimize exits {optimized.returncode}, verify {proof.returncode}")
    print(f"{len(pairs)} pairs, {len(TARGETS)} targets, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
