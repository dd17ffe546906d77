#!/usr/bin/env python3
"""make_corpus.py DIR: seeds for every fuzz target, one folder each, from the project's own rule files and the recorded
traps. fuzz/corpus holds what is worth keeping besides, such as inputs that once failed."""

import hashlib
import pathlib
import sys

source = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(source / "tests" / "support"))
from traps import read_traps  # noqa: E402

# First byte of a seed for a whole file (see chosen_options.hpp).
CHOICES = (0x11, 0x17, 0x71, 0x04)


def main():
    out = pathlib.Path(sys.argv[1])

    def put(target, data):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    texts = [trap.text for trap in read_traps() if len(trap.text) < 20000]
    texts += [path.read_bytes() for path in sorted((source / "share" / "rulesets").rglob("*.rules"))]
    for number, text in enumerate(texts):
        for target in ("file", "format", "differential"):
            put(target, bytes([CHOICES[number % len(CHOICES)]]) + text)
        put("tokenizer", text)
        for line in text.split(b"\n"):
            put("options", line)
            for word in line.split(b" "):
                put("values", word)


if __name__ == "__main__":
    main()
