#!/usr/bin/env python3
"""The oracle gives its recorded answers, and a process without the preload cannot reach the kernel."""

import argparse
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import skip  # noqa: E402
from oracle import oracle_or_skip  # noqa: E402
from traps import HOST, read_traps  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oracle-dir", required=True)
    args = parser.parse_args()
    oracle = oracle_or_skip(args.oracle_dir)

    # Fail closed: python has no preload that fakes its sockets, so the filter must kill it.
    probe = "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)"
    directory = pathlib.Path(args.oracle_dir)
    libc = subprocess.run(
        [directory / "oracle_exec", "/dev/null", sys.executable, "-c", probe], capture_output=True, check=False
    )
    if libc.returncode != -signal.SIGSYS:
        sys.exit(f"a process without the preload was not killed (exit {libc.returncode})")

    if oracle.version() != "3.0.9":
        skip(f"auditctl here is {oracle.version()}, the recorded answers are 3.0.9's")
    wrong = []
    traps = read_traps()
    with tempfile.TemporaryDirectory(prefix="auopt-traps.") as work:
        rules = pathlib.Path(work) / "case.rules"
        for trap in traps:
            rules.write_bytes(trap.text)
            result = oracle.run(rules, HOST)
            code = result.exit if result.exit >= 0 else 128 - result.exit
            sent = [message for message in result.messages if not message.startswith("USER")]
            if code != trap.exit or sent != trap.messages:
                wrong.append(trap.name)
    for name in wrong:
        print(f"not as recorded: {name}")
    print(f"{len(traps) - len(wrong)}/{len(traps)} recorded answers reproduced")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
