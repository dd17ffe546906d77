#!/usr/bin/env python3
"""What `auopt cost` says of the lists beside exit against what lab/measure-lists counts on a real kernel: the slopes of ten
series, exactly (to half an instruction; tasks to two, they allocate).

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

# series -> (list, a rule that does the same work)
SERIES = {
    "user.uid": ("user", "-a never,user -F uid=99"),
    "user.msgtype": ("user", "-a never,user -F msgtype=CWD"),
    "exclude.auid": ("exclude", "-a always,exclude -F auid=99"),
    "exclude.msgtype": ("exclude", "-a always,exclude -F msgtype=CWD"),
    "filesystem.fstype": ("filesystem", "-a never,filesystem -F fstype=tracefs"),
    "task.uid": ("task", "-a never,task -F uid=99"),
    "task.gid": ("task", "-a never,task -F gid=99"),
    "task.pid": ("task", "-a never,task -F pid=99999"),
    "task.arch": ("task", "-a never,task -F arch=b64"),
    "task.uid_pass": ("task", "-a never,task -F uid=0 -F uid=99"),
}


def measured(args):
    done = subprocess.run([args.source_dir / "lab" / "measure-lists", "--kernel", "6.1", "--cache", args.cache],
                          stdout=subprocess.PIPE, text=True, timeout=500, check=False)
    if done.returncode == 77:
        skip("no lab here")
    if done.returncode != 0:
        sys.exit(f"lab/measure-lists: exit {done.returncode}")
    return {words[0]: float(words[3]) for words in map(str.split, done.stdout.splitlines()) if len(words) == 4}


def predicted(auopt, folder, series):
    rules = pathlib.Path(folder) / "one.rules"
    which, rule = SERIES[series]
    rules.write_text(rule + "\n")
    done = auopt.run("cost", "--target", "linux-6.1", "--format", "json", "--syscall", "getpid", rules)
    if done.returncode != 0:
        sys.exit(f"auopt cost: {done.stderr.decode()}")
    (cost,) = [entry["instructions"] for entry in json.loads(done.stdout)["lists"] if entry["list"] == which]
    return cost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True, type=pathlib.Path)
    parser.add_argument("--cache", required=True)
    args = parser.parse_args()
    auopt = Auopt(args.auopt)
    counted = measured(args)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for series in SERIES:
            says, is_ = predicted(auopt, folder, series), counted[series]
            bad = abs(says - is_) > (2 if series.startswith("task") else 0.5)
            wrong += bad
            print(f"{series:20} predicted {says:4} measured {is_:7.2f}{'  <- differs' if bad else ''}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
