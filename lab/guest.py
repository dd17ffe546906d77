"""Boots one rules file on a real kernel under qemu and hands back what the guest reports.

qemu runs without privileges and without a disk; -icount makes one executed instruction one nanosecond of guest
time, so what is measured inside is the same in every run and on every machine.
"""

import json
import pathlib
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field

from initramfs import Initramfs
from packages import Cache, Missing, check_host
from rulefile import loadable, named_paths

HERE = pathlib.Path(__file__).resolve().parent
USERS = {"root": 0, "nobody": 65534, "chrony": 101, "ntp": 102}
GROUPS = {"root": 0, "nogroup": 65534, "chrony": 101, "ntp": 102}
QEMU = ["qemu-system-x86_64", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", "qemu64", "-m", "512",
        "-nodefaults", "-nographic", "-no-reboot"]
COMMAND_LINE = "audit=1 mitigations=off quiet console=ttyS0 panic=-1"
PROBES = ["getpid", "read", "write", "futex", "close_badfd", "stat", "openat_enoent", "chmod_fault", "unlink_fault",
          "openat", "chmod", "unlink_enoent"]


@dataclass
class Report:
    kernel: str  # uname -r
    rules: int  # loaded
    errors: list  # what auditctl refused
    listing: str  # auditctl -l
    status: dict  # auditctl -s
    inodes: dict  # path that the rules name -> inode number
    stdout: bytes
    stderr: bytes
    exit: int


@dataclass
class Job:
    """What the guest runs once the rules are loaded: a shell script in /lab, standard output captured."""
    script: str
    files: dict = field(default_factory=dict)  # path in the guest -> bytes, executable
    directories: list = field(default_factory=list)  # to create beside those the rules name


class Lab:
    def __init__(self, cache_folder):
        check_host()
        self.cache = Cache(cache_folder)
        self.tools = self.cache.tools()

    def compile(self, source, *flags):
        """A static guest program's bytes, built once per source text."""
        source = pathlib.Path(source)
        binary = self.cache.folder / "programs" / (source.stem + "".join(flags))
        if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
            binary.parent.mkdir(exist_ok=True)
            subprocess.run(["gcc", "-std=gnu17", "-O2", "-static", "-Wall", "-Wextra", *flags, "-o", binary, source], check=True)
        return binary.read_bytes()

    def initramfs(self, rules_text, job):
        image = Initramfs()
        for name in ("proc", "sys", "dev", "tmp", "etc", "usr/bin", "lab/bin", "lab/lib"):
            image.directory(name)
        for name, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
            image.device(f"dev/{name}", 1, minor)
        image.device("dev/console", 5, 1, 0o600)
        image.file("etc/passwd", "".join(f"{n}:x:{i}:{i}::/:/bin/false\n" for n, i in USERS.items()).encode())
        image.file("etc/group", "".join(f"{n}:x:{i}:\n" for n, i in GROUPS.items()).encode())
        image.file("init", (HERE / "guest" / "init").read_bytes(), 0o755)
        image.file("lab/busybox", self._tool("bin/busybox"), 0o755)
        image.link("lab/bin/sh", "/lab/busybox")
        for name in "mount uname poweroff cat stat chmod mkdir rm sleep".split():
            image.link(f"lab/bin/{name}", "/lab/busybox")
        image.file("lab/auditctl", self._tool("sbin/auditctl"), 0o755)
        image.file("lab/ld.so", self._tool("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), 0o755)
        for name in ("libaudit.so.1", "libauparse.so.0", "libcap-ng.so.0", "libc.so.6"):
            image.file(f"lab/lib/{name}", self._tool(f"lib/x86_64-linux-gnu/{name}"), 0o755)
        image.file("lab/send", self.compile(HERE / "guest" / "send.c"), 0o755)
        image.file("lab/rules", loadable(rules_text).encode("utf-8", "surrogateescape"), 0o600)
        image.file("lab/job", job.script.encode(), 0o755)
        devices = []  # /dev is mounted over what the archive holds there
        for path, data in job.files.items():
            image.file(path, data, 0o755)
        directories, files = named_paths(rules_text)
        for path in [*directories, *job.directories]:
            if path.startswith("/dev/"):
                devices.append(f"mkdir -p {shlex.quote(path)}")
            elif not image.exists(path):
                image.directory(path)
        for path in files:
            if path.startswith("/dev/"):
                folder = shlex.quote(str(pathlib.PurePosixPath(path).parent))
                devices.append(f"mkdir -p {folder}; [ -e {shlex.quote(path)} ] || : >{shlex.quote(path)}")
                continue
            # A path below a file that the rules name too cannot exist: auditctl refuses that rule (ENOTDIR).
            above = [str(p) for p in pathlib.PurePosixPath(path).parents]
            if not image.exists(path) and not any(image.exists(p) and not image.is_directory(p) for p in above if p != "/"):
                image.file(path, mode=0o755)
        image.file("lab/devices", "".join(line + "\n" for line in devices).encode("utf-8", "surrogateescape"))
        named = [*directories, *files, "/usr/bin", "/usr/bin/probe"]
        image.file("lab/paths", "".join(p + "\n" for p in named).encode("utf-8", "surrogateescape"))
        return image

    def boot(self, version, rules_text, job, timeout=600, command_line=""):
        """Boots kernel "6.1" or "6.12". Raises RuntimeError with the console when the guest does not finish."""
        _, kernel = self.cache.kernel(version)
        with tempfile.TemporaryDirectory(prefix="lab.", dir=self.cache.folder) as folder:
            folder = pathlib.Path(folder)
            (folder / "initramfs").write_bytes(self.initramfs(rules_text, job).archive())
            command = [*QEMU, "-kernel", str(kernel), "-initrd", str(folder / "initramfs"),
                       "-append", f"{COMMAND_LINE} {command_line}".strip(),
                       "-chardev", f"file,id=report,path={folder}/report", "-device", "isa-debugcon,chardev=report,iobase=0xe9",
                       "-serial", f"file:{folder}/console"]
            complaint = ""
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
                complaint = done.stderr.decode(errors="replace")
            except subprocess.TimeoutExpired:
                complaint = f"no end after {timeout} s"
            report = (folder / "report").read_bytes() if (folder / "report").exists() else b""
            sections = dict(self._sections(report))
            if "exit" not in sections:
                console = (folder / "console").read_text(errors="replace") if (folder / "console").exists() else ""
                raise RuntimeError(f"the guest did not finish: {complaint}\n{console[-2000:]}\n{report[-2000:]!r}")
        return self._report(sections)

    def _tool(self, path):
        for candidate in (self.tools / path, self.tools / "usr" / path):
            if candidate.exists():
                return candidate.resolve().read_bytes()
        raise Missing(f"no {path} in the unpacked packages; delete {self.cache.folder} to fetch them again")

    @staticmethod
    def _sections(report):
        at = 0
        while at < len(report):
            end = report.index(b"\n", at)
            name, size = report[at + 1 : end].decode().rsplit(" ", 1)
            yield name, report[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)

    @staticmethod
    def _report(sections):
        def text(name):
            return sections.get(name, b"").decode("utf-8", "surrogateescape")

        errors = [line for line in text("load.err").splitlines() if not line.startswith("There was an error in line")]
        rules = [line for line in text("listing").splitlines() if line != "No rules"]
        status = dict(line.split(" ", 1) for line in text("status").splitlines() if " " in line)
        inodes = {path: int(number) for number, path in (line.split(" ", 1) for line in text("inodes").splitlines())}
        return Report(text("release").strip(), len(rules), errors, text("listing"), status, inodes,
                      sections["stdout"], sections["stderr"], int(text("exit")))


def probe_job(lab, calls=(), rounds=(20, 1000, 200)):
    """Instructions per call of the probes `calls` (all when empty); rounds: (rounds, calls, path calls)."""
    words = " ".join([*map(str, rounds), *calls])
    return Job(f"/usr/bin/probe {words}", {"/usr/bin/probe": lab.compile(HERE / "guest" / "probe.c")})


def probed(report):
    """{probe: instructions per call} of a probe job's report."""
    if report.exit != 0:
        raise RuntimeError(f"the probe failed: {report.stderr.decode(errors='replace')}")
    return json.loads(report.stdout)
