"""Running the auopt binary from a test."""

import json
import subprocess
import sys

SKIP = 77  # what ctest takes as "skipped"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


class Auopt:
    def __init__(self, binary):
        self.binary = str(binary)

    def run(self, *args, timeout=120, **kwargs):
        """The finished process, output as bytes."""
        return subprocess.run(
            [self.binary, *map(str, args)],
            stdin=kwargs.pop("stdin", subprocess.DEVNULL),
            capture_output=True,
            timeout=timeout,
            check=False,
            **kwargs,
        )

    def wire(self, *args):
        """compile --format wire: (exit code, messages, standard error)."""
        done = self.run("compile", "--format", "wire", *args)
        return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode(errors="replace")

    def cost(self, *args):
        """cost --format json as a list of kernels, whatever the target holds."""
        done = self.run("cost", "--format", "json", *args)
        if done.returncode != 0:
            raise RuntimeError(f"auopt cost {args}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
        parsed = json.loads(done.stdout)
        return parsed if isinstance(parsed, list) else [parsed]
