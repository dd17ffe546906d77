#!/usr/bin/env python3
"""live_compare on logs written by hand: agreement is found, and each kind of disagreement is."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SYSCALL = ("arch=c000003e syscall=2 success={ok} exit={exit} a0=1 a1={a1} a2=0 a3=0 items=1 ppid=1 pid={pid} auid=1000 uid=1000 gid=1000 "
           "euid=1000 suid=1000 fsuid=1000 egid=1000 sgid=1000 fsgid=1000 tty=(none) ses=1 comm=\"call64\" exe=\"/lab/call64\" key={key}")
PATH = 'item=0 name="/w/f" inode=20 dev=00:02 mode=0100644 ouid=0 ogid=0 rdev=00:00 nametype=NORMAL'
RULES = "-w /w/f -p wa -k f\n-a always,exit -F arch=b64 -S open -F success=0 -F key=failed\n"


def phase(name, events, loaded):
    out = [f"phase {name}"]
    if name == "reference":
        out += ["reload", "scan /w/f 0:2:10 0:2:20 file", "load-point"]
    out.append(f"loaded {loaded}")
    for number, (event, result, key, a1) in enumerate(events):
        out += [f"event {event}", "begin", f"result 7 ready {result} ", "status exit 0"]
        if key is not None:
            text = SYSCALL.format(ok="no" if result < 0 else "yes", exit=result, a1=a1, pid=7, key=key)
            out += [f"rec 1300 audit(1.0:{number}): {text}", f"rec 1302 audit(1.0:{number}): {PATH}", f"rec 1320 audit(1.0:{number}): "]
        if name == "reference":
            out.append("where 0:2:20 /w/f 0:2:20 0:2:10 0:2:1")
        out.append("end")
    return out


def judge(compare, live, better=None, loaded=2, lost=0):
    """Differences as (set, event); `live`: event -> key as printed, None when not recorded."""
    calls = {"write": (3, 1), "read": (3, 0), "denied": (-13, 0)}
    reference = [(e, r, '"reference"', a1) for e, (r, a1) in calls.items()]
    lines = phase("reference", reference, 1)
    lines += phase("original", [(e, r, live[e], a1) for e, (r, a1) in calls.items()], loaded)
    if better is not None:
        lines += phase("optimized", [(e, r, better[e], a1) for e, (r, a1) in calls.items()], loaded)
    with tempfile.TemporaryDirectory(prefix="auopt-live.") as work:
        work = pathlib.Path(work)
        (work / "log").write_text("\n".join([*lines, f"lost {lost}"]) + "\n")
        (work / "rules").write_text(RULES)
        (work / "facts").write_text(json.dumps({"files": ["/w/f"], "directories": ["/w"]}))
        told = {"arch": 0xC000003E, "nr": 2, "by_worker": False, "openat2_flags": 0, "groups": []}
        (work / "settings").write_text(json.dumps({
            "log": str(work / "log"), "kernel": "linux-6.1", "facts": str(work / "facts"), "model": {"original": str(work / "rules")},
            "events": dict.fromkeys(calls, told), "wire": [], "same": [["original", "optimized"]] if better is not None else []}))
        done = subprocess.run([compare, work / "settings"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit {done.returncode}"
    result = json.loads(done.stdout)
    return [(d["set"], d["event"]) for kind in ("model", "same") for p in (result.get(kind) or {}).values() for d in p["differences"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", required=True)
    compare = parser.parse_args().compare
    right = {"write": '"f"', "read": None, "denied": '"failed"'}
    checks = [
        ("all as evaluated", [], judge(compare, right)),
        ("another key", [("original", "write")], judge(compare, right | {"write": '"g"'})),
        ("no key", [("original", "denied")], judge(compare, right | {"denied": "(null)"})),
        ("not recorded", [("original", "write")], judge(compare, right | {"write": None})),
        ("recorded for nothing", [("original", "read")], judge(compare, right | {"read": '"f"'})),
        ("fewer rules loaded", [("original", "loading")], judge(compare, right, loaded=1)),
        ("the same under both", [], judge(compare, right, right)),
        ("one less under the other", [("optimized", "denied")], judge(compare, right, right | {"denied": None})),
        ("another key under the other", [("optimized", "write")], judge(compare, right, right | {"write": '"g"'})),
        ("records were lost", "exit 1", judge(compare, right, lost=1)),
    ]
    wrong = [f"FAILED {name}: expected {expected}, got {got}" for name, expected, got in checks if expected != got]
    print("\n".join(wrong) or f"{len(checks)} checks")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
