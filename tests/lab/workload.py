#!/usr/bin/env python3
"""lab/run --workload: the program gets its arguments and files, sees the rules loaded, and its output and exit code
come back. Exit 77 without qemu or Debian's packages."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import skip  # noqa: E402

# Lists the rules over netlink's message 1013 (AUDIT_LIST_RULES) as a bare count: what is loaded is in the kernel.
PROGRAM = r"""
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
    struct { struct nlmsghdr head; int body; } ask = {0};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    static union { struct nlmsghdr head; char bytes[16384]; } reply;
    struct stat status;
    int rules = 0, s = socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);
    ask.head.nlmsg_len = NLMSG_LENGTH(sizeof ask.body);
    ask.head.nlmsg_type = AUDIT_LIST_RULES;
    ask.head.nlmsg_flags = NLM_F_REQUEST;
    if (sendto(s, &ask, ask.head.nlmsg_len, 0, (struct sockaddr*)&kernel, sizeof kernel) < 0) return 1;
    while (recv(s, &reply, sizeof reply, 0) > 0 && reply.head.nlmsg_type != NLMSG_DONE)
        rules += reply.head.nlmsg_type == AUDIT_LIST_RULES;
    FILE* in = fopen("/etc/given", "r");
    char text[64] = "";
    if (in == NULL || fgets(text, sizeof text, in) == NULL) return 1;
    printf("%d %d %s %s %d %d\n", argc, rules, argv[1], text, stat("/srv/made", &status), (int)getuid());
    fprintf(stderr, "seen\n");
    return 7;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source-dir", required=True, type=pathlib.Path)
    parser.add_argument("--cache", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="auopt-lab.") as work:
        work = pathlib.Path(work)
        (work / "program.c").write_text(PROGRAM)
        (work / "given").write_text("a'b $c")
        # One line that auditctl refuses, one control line that must not reach it, three rules.
        (work / "r.rules").write_text("-e 2\n-w /etc/passwd -p wa\n-a always,exit -S nosuchcall\n-w /etc/cron.d/ -p wa\n"
                                      "-a never,exit -F arch=b64 -S getpid -F uid=5\n")
        try:
            subprocess.run(["gcc", "-static", "-o", work / "program", work / "program.c"], check=True)
        except FileNotFoundError:
            skip("no gcc")
        done = subprocess.run([args.source_dir / "lab" / "run", "--json", "--cache", args.cache, "--kernel", "6.12",
                               "--workload", work / "program", "--arg", "it's $HOME", "--file", f"/etc/given={work}/given",
                               "--directory", "/srv/made", work / "r.rules"], stdout=subprocess.PIPE, timeout=300, check=False)
    if done.returncode == 77:
        skip("no lab here")
    (result,) = json.loads(done.stdout)
    expected = {"rules": 3, "stdout": "2 3 it's $HOME a'b $c 0 0\n", "stderr": "seen\n", "exit": 7}
    wrong = {key: result[key] for key, value in expected.items() if result[key] != value}
    print(f"{result['kernel']}: {result['rules']} rules, refused: {result['errors']}")
    if wrong or len(result["errors"]) != 1 or done.returncode != 7:
        sys.exit(f"FAILED: {wrong or result}, exit {done.returncode}")


if __name__ == "__main__":
    main()
