#!/usr/bin/env python3
"""Runs golden cases: golden.py --auopt BINARY [--update] FOLDER...

A folder holds cmd (arguments of auopt, shell quoting, run inside the folder), its inputs, and what
must come out: out.rules or out.txt (standard output), err.txt (standard error, where the file
exists), exit (the exit code; 0 without the file).
"""

import argparse
import difflib
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt  # noqa: E402


def expectations(folder, done):
    """(file, what it must hold) for the files this case has."""
    stdout = folder / "out.rules"
    yield (stdout if stdout.exists() else folder / "out.txt"), done.stdout
    if (folder / "err.txt").exists():
        yield folder / "err.txt", done.stderr
    code = f"{done.returncode}\n".encode()
    if (folder / "exit").exists() or done.returncode != 0:
        yield folder / "exit", code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--update", action="store_true", help="write what came out as what must come out")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    auopt = Auopt(pathlib.Path(args.auopt).resolve())
    wrong = 0
    for folder in args.folders:
        done = auopt.run(*shlex.split((folder / "cmd").read_text(), comments=True), cwd=folder)
        for path, got in expectations(folder, done):
            if args.update:
                path.write_bytes(got)
                continue
            expected = path.read_bytes() if path.exists() else b""
            if got != expected:
                wrong += 1
                sys.stdout.writelines(
                    difflib.unified_diff(
                        expected.decode(errors="replace").splitlines(keepends=True),
                        got.decode(errors="replace").splitlines(keepends=True),
                        str(path),
                        "what came out",
                    )
                )
                print()
        if wrong and done.stderr:
            print("standard error:\n" + done.stderr.decode(errors="replace"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
