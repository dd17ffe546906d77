"""The bundled rule set as an administrator of another machine would have it: only calls that the machine has, and rules
for b32 only where auditctl knows 32-bit programs."""

import re

MACHINES = ("aarch64", "ppc64le", "ppc64", "s390x")
WITHOUT_B32 = ("ppc64le",)


def every_spelling():
    """Rules that try each machine's words: arch by name and number, calls by name and number, with and without arch."""
    arches = (
        "b64 b32 aarch64 arm armv7l armeb armv8l x86_64 i386 i686 ppc ppc64 ppc64le s390 s390x riscv64 "
        "0xc00000b7 c00000b7 0x40000028 0xc0000015 80000015 0x14 0x80000016 0x16 40000003 B64 3221225655"
    ).split()
    calls = (
        "open openat creat unlink unlinkat renameat2 chmod fchmodat chown chown32 lchown truncate64 ftruncate bind "
        "socketcall execve execveat kill tgkill io_uring_enter openat2 fchmodat2 newfstatat fstatat64 mmap mmap2 "
        "setxattr quotactl umount umount2 0 37 59 452 2031 all"
    ).split()
    lines = ["-D", "-w /etc/passwd -p rwxa -k w"]
    for arch in arches:
        lines += [f"-a always,exit -F arch={arch} -S {call} -k {arch}" for call in calls]
        lines += [
            f"-a always,exit -F arch={arch} -S kill,openat,{i} -F auid>=1000 -F exit=-EACCES -k {arch}" for i in range(3)
        ]
        lines.append(f"-a never,exit -F arch!={arch} -F perm=wa -F path=/etc/passwd -F key={arch}")
    lines += [f"-a always,exit -S {call} -k none" for call in calls]
    lines += ["-a always,exit -F perm=x -F path=/etc/passwd", "-a always,exclude -F msgtype=CWD"]
    return "\n".join(lines) + "\n"


def known_calls(auopt, machine, arch, names, work):
    """Which of the names auditctl knows there: one rule per name, all lines read in one run."""
    names = sorted(names)
    rules = work / "names.rules"
    rules.write_text("".join(f"-a always,exit -F arch={arch} -S {name} -k k\n" for name in names))
    done = auopt.run("lint", "--machine", machine, "--continue", "--select", "AU014", "--format", "gcc", rules)
    unknown = {int(line.split(":")[1]) for line in done.stdout.decode().splitlines() if "AU014" in line}
    return {name for number, name in enumerate(names, 1) if number not in unknown}


def form_for(text, machine, auopt, work):
    """The rules text for another machine."""
    lines = text.splitlines()
    names = {"b64": set(), "b32": set()}
    for line in lines:
        arch = re.search(r"-F arch=(b\d\d)", line)
        for calls in re.findall(r"-S (\S+)", line):
            if arch:
                names[arch.group(1)].update(calls.split(","))
    arches = ["b64"] + ([] if machine in WITHOUT_B32 else ["b32"])
    known = {arch: known_calls(auopt, machine, arch, names[arch], work) for arch in arches}
    out = []
    for line in lines:
        arch = re.search(r"-F arch=(b\d\d)", line)
        if arch and not line.startswith("#"):
            if arch.group(1) not in known:
                continue
            calls = re.search(r"-S (\S+)", line)
            if calls:
                kept = [call for call in calls.group(1).split(",") if call in known[arch.group(1)]]
                if not kept:
                    continue
                line = line.replace(calls.group(0), "-S " + ",".join(kept))
        out.append(line)
    return "\n".join(out) + "\n"
