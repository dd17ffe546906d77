"""The events of lab/workload/events.txt, and those made for the paths of a rules file and for every system call
number, as the words that lab/workload/live.c reads."""

import fcntl
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
# WHO: uid, gid, auid (- : unset)
WHO = {"root": (0, 0, "-"), "adm": (0, 0, "1000"), "user": (1000, 1000, "1000"), "daemon": (101, 101, "-"),
       "nobody": (65534, 65534, "500")}
CONSTANTS = {name: getattr(os, name) for name in dir(os) if name.startswith("O_")}
CONSTANTS |= {"AT_FDCWD": -100, "AT_SYMLINK_NOFOLLOW": 0x100, "AT_REMOVEDIR": 0x200, "AT_EMPTY_PATH": 0x1000,
              "F_GETFD": fcntl.F_GETFD}


# Before each phase: what earlier events left behind goes.
RESET = ["rmtree /w/open", "dir /w/open 0777 0 0", "rmtree /w/tmp", "dir /w/tmp 0777 0 0", "rmtree /w/tree/made", "rmtree /w/tree/later",
         "rmtree /w/tree/moved", "rmtree /w/tree/folder", "rmtree /w/tree/moving", "file /w/own 0644 1000 1000",
         "file /w/file 0666 0 0", "file /w/secret 0600 0 0", "file /etc/shadow 0600 0 0", "rmtree /etc/shadow.new"]


@dataclass
class Event:
    name: str
    who: str
    bits: int
    fresh: bool = False
    groups: str = "-"
    groups_after: str = ""  # those that the call itself sets
    openat2: int = 0  # how.flags as the context holds them where the call left no OPENAT2 record
    setup: list = field(default_factory=list)
    prep: list = field(default_factory=list)
    calls: list = field(default_factory=list)  # lists of words; the last one is observed


class Numbers:
    """System call numbers by name, from the headers that the C compiler finds."""

    def __init__(self):
        self.of = {}
        for bits in (64, 32):
            text = subprocess.run(["gcc", "-E", "-dM", "-x", "c", "-"], input=f"#include <asm/unistd_{bits}.h>\n",
                                  capture_output=True, text=True, check=True).stdout
            self.of[bits] = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR_(\w+) (\d+)$", text, re.M)}


def constant(word):
    parts = word.split("|")
    if all(p in CONSTANTS for p in parts):
        value = 0
        for p in parts:
            value |= CONSTANTS[p]
        return str(value)
    return str(int(word, 8)) if re.fullmatch(r"0[0-7]+", word) else word


def read(path=HERE / "workload" / "events.txt"):
    events = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if m := re.fullmatch(r"\[(\S+)\]", words[0]):
            event = Event(m[1], words[1], int(words[2]))
            for option in words[3:]:
                name, _, value = option.partition("=")
                if name == "fresh":
                    event.fresh = True
                elif name == "groups":
                    event.groups = value
                elif name == "groups-after":
                    event.groups_after = value
                elif name == "openat2":
                    event.openat2 = value
                else:
                    raise ValueError(f"{path}:{number}: {option}")
            if event.who not in WHO or event.bits not in (32, 64) or any(e.name == event.name for e in events):
                raise ValueError(f"{path}:{number}: who, bits, or a name used twice")
            events.append(event)
        elif words[0] in ("setup", "prep"):
            getattr(events[-1], words[0]).append(words[1:])
        elif words[0] == "call":
            events[-1].calls.append(words[1:])
        else:
            raise ValueError(f"{path}:{number}: {words[0]}")
    return events


def path_events(directories, files):
    """Two or three events on each path that a rules file names."""
    out = []
    for p in files:
        out.append(Event(f"write:{p}", "adm", 64, calls=[["openat", "AT_FDCWD", f"={p}", "O_RDWR"]]))
        out.append(Event(f"chmod:{p}", "root", 64, calls=[["chmod", f"={p}", "0755"]]))
        out.append(Event(f"exec:{p}", "user", 64, calls=[["execve", f"={p}", "[", f"={p}", "0", "]", "0"]]))
    for p in directories:
        new = f"{p}/live-made"
        out.append(Event(f"list:{p}", "user", 64, calls=[["openat", "AT_FDCWD", f"={p}", "O_RDONLY|O_DIRECTORY"]]))
        out.append(Event(f"make:{p}", "adm", 64, setup=[["rmtree", new]],
                         calls=[["openat", "AT_FDCWD", f"={new}", "O_CREAT|O_WRONLY", "0644"]]))
        out.append(Event(f"remove:{p}", "root", 32, setup=[["file", new, "0644", "0", "0"]], calls=[["unlink", f"={new}"]]))
    return out


# Calls that do not return, return twice, wait for ever, or stop the helper from reporting; and read, which the helper
# waits with.
NO_SWEEP = {
    64: "read rt_sigreturn select pause clone fork vfork exit exit_group seccomp rt_sigsuspend ppoll pselect6 wait4 "
        "munmap reboot restart_syscall epoll_pwait vhangup",
    32: "read restart_syscall exit fork pause sigreturn rt_sigreturn clone vfork exit_group _newselect select sigsuspend "
        "rt_sigsuspend seccomp ppoll pselect6 ppoll_time64 pselect6_time64 reboot vhangup mmap"}


def sweep_events(numbers, last=470):
    """Every system call number of both machines once, with arguments that make most of them fail."""
    out = []
    for bits in (64, 32):
        leave = {numbers.of[bits][n] for n in NO_SWEEP[bits].split() if n in numbers.of[bits]}
        for nr in range(last):
            if nr not in leave:
                out.append(Event(f"sweep{bits}:{nr}", "user", bits, calls=[[str(nr), "-1", "0", "0", "0"]]))
    return out


def render(events, numbers):
    """The text that the guest reads."""
    out = [f"reset {op}" for op in RESET]
    for e in events:
        uid, gid, auid = WHO[e.who]
        out.append(f"event {e.name}")
        if e.fresh:
            out.append("fresh")
        out += [" ".join(["setup", *op]) for op in e.setup] + [" ".join(["prep", *op]) for op in e.prep]
        out.append(f"cred {uid} {gid} {auid} {e.groups}")
        out.append(f"run {e.bits} {' '.join(words(e, numbers))}")
    return "\n".join(out) + "\n"


def words(event, numbers):
    out = []
    for i, call in enumerate(event.calls):
        if i > 0:
            out.append(":")
        name = call[0]
        if not re.fullmatch(r"-?\d+|0x[0-9a-f]+|@ring", name):
            name = str(numbers.of[event.bits][name])
        out += [name, *map(constant, call[1:])]
    return out


def observed(event, numbers):
    """(architecture, number) of the call under observation."""
    call = event.calls[-1]
    of = numbers.of[event.bits]
    nr = of["io_uring_enter"] if call[0] == "@ring" else of[call[0]] if call[0] in of else int(call[0], 0)
    return 0xC000003E if event.bits == 64 else 0x40000003, nr


def facts(event, numbers):
    """What the guest's records do not say of an event."""
    arch, nr = observed(event, numbers)
    openat2 = len(words(event, numbers)) + 1 if event.openat2 == "argc" else int(event.openat2)
    groups = event.groups_after or event.groups
    call = event.calls[-1]
    # These operations always go to a worker thread of io_uring: it does the looking up, and keeps what it finds of directories.
    by_worker = call[0] == "@ring" and 35 <= int(call[3]) <= 39
    return {"arch": arch, "nr": nr, "by_worker": by_worker, "openat2_flags": openat2, "groups": [] if groups == "-" else [int(g) for g in groups.split(",")]}


def parents(paths):
    """The directories that must be there for a rule on each path to load."""
    return sorted({str(pathlib.PurePosixPath(p).parent) for p in paths} - {"/"})
