#!/usr/bin/env python3
"""make_corpus.py DIR: seeds for every fuzz target, one folder each, from the project's own rule files and the recorded
traps; and the folder pairs, with every two options behind each other. fuzz/corpus holds what is worth keeping besides,
such as inputs that once failed."""

import hashlib
import itertools
import pathlib
import sys

source = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(source / "tests" / "support"))
from traps import read_traps  # noqa: E402

# First byte of a seed for a whole file (see chosen_options.hpp).
CHOICES = (0x11, 0x17, 0x71, 0x04)


# Each option as it is used and as it is not; what one says of the rest of its line differs by option and version.
OPTIONS = """
-a always,exit|-a exit,never|-A always,exit|-A exit,possible|-a exit,possible|-d exit,possible|-a possible,exit
-d always,exit|-a always,user|-a always,task|-a always,exclude|-a always,filesystem|-a always,io_uring
-S open|-S all|-S nosuch|-F arch=b64|-F uid=0|-F perm=wa|-F path=/etc/file|-F dir=/etc/dir|-F exe=/bin/ls|-F key=k1
-F msgtype=CWD|-F bogus=1|-C uid!=euid|-k k2|-p wa|-w /etc/file|-W /etc/file|-D|-l|-s|-b 5|-e 1|-f 1|-r 3|-i|-c|-t
-q /a,/b|-m text|-v|-h|--reset-lost|--loginuid-immutable|--backlog_wait_time 5|--reset_backlog_wait_time_actual
--signal term|--help|-R x|junk|-Z|--|-
"""


# Of files that tracers wrote.
SUFFIXES = (".strace", ".report", ".txt", ".json")


def main():
    out = pathlib.Path(sys.argv[1])

    def put(target, data):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    texts = [trap.text for trap in read_traps() if len(trap.text) < 20000]
    texts += [path.read_bytes() for path in sorted((source / "share" / "rulesets").rglob("*.rules"))]
    for number, text in enumerate(texts):
        for target in ("file", "format", "listing", "differential"):
            put(target, bytes([CHOICES[number % len(CHOICES)]]) + text)
        put("tokenizer", text)
        for line in text.split(b"\n"):
            put("options", line)
            for word in line.split(b" "):
                put("values", word)
    workloads = [path for path in (source / "tests" / "golden").glob("*workload*/*") if path.suffix in SUFFIXES]
    for path in (*workloads, *(source / "share" / "workloads").iterdir()):
        for choice in range(6):
            put("workload", bytes([choice]) + path.read_bytes())
    options = OPTIONS.strip().replace("\n", "|").split("|")
    for line in (*options, *map(" ".join, itertools.product(options, repeat=2))):
        put("pairs", bytes([CHOICES[3]]) + line.encode() + b"\n-w /etc/dir -p x\n")


if __name__ == "__main__":
    main()
