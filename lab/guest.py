"""Boots one rules file on a real kernel under qemu and hands back what the guest reports.

qemu runs without privileges and without a disk; -icount makes one executed instruction one nanosecond of guest
time, so what is measured inside is the same in every run and on every machine.
"""

import hashlib
import json
import pathlib
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from initramfs import Archive
from packages import Cache, Missing, check_host
from rulefile import loadable, named_paths, probed_paths

HERE = pathlib.Path(__file__).resolve().parent
USERS = {"root": 0, "nobody": 65534, "chrony": 101, "ntp": 102}
GROUPS = {"root": 0, "nogroup": 65534, "chrony": 101, "ntp": 102}
QEMU = ["qemu-system-x86_64", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-m", "512", "-nodefaults",
        "-nographic", "-no-reboot"]
COMMAND_LINE = "audit=1 mitigations=off quiet console=ttyS0 panic=-1"
SNAPSHOTS = 4  # kept; 100 MB each
BOOT_SECONDS = 300  # on a busy machine; ten seconds are usual
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
    def __init__(self, cache_folder, cpu="qemu64"):
        """`cpu`: a model that qemu has (qemu-system-x86_64 -cpu help)."""
        check_host()
        self.qemu = [*QEMU, "-cpu", cpu]
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

    def base(self):
        """The initramfs every guest boots with."""
        image = Archive()
        for name in ("proc", "sys", "dev", "tmp", "etc", "usr/bin", "lab/bin", "lab/lib"):
            image.directory(name)
        image.device("dev/console", 5, 1, 0o600)
        image.device("dev/null", 1, 3)
        image.file("etc/passwd", "".join(f"{n}:x:{i}:{i}::/:/bin/false\n" for n, i in USERS.items()).encode())
        image.file("etc/group", "".join(f"{n}:x:{i}:\n" for n, i in GROUPS.items()).encode())
        image.file("init", (HERE / "guest" / "init").read_bytes(), 0o755)
        image.file("lab/busybox", self._tool("bin/busybox"), 0o755)
        image.link("lab/bin/sh", "/lab/busybox")
        for name in "mount uname poweroff cat stat chmod mkdir rm sleep cpio".split():
            image.link(f"lab/bin/{name}", "/lab/busybox")
        image.file("lab/auditctl", self._tool("sbin/auditctl"), 0o755)
        image.file("lab/ld.so", self._tool("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), 0o755)
        for name in ("libaudit.so.1", "libauparse.so.0", "libcap-ng.so.0", "libc.so.6"):
            image.file(f"lab/lib/{name}", self._tool(f"lib/x86_64-linux-gnu/{name}"), 0o755)
        for name in ("send", "receive"):
            image.file(f"lab/{name}", self.compile(HERE / "guest" / f"{name}.c"), 0o755)
        return image

    def payload(self, rules_text, job):
        """What a guest is given once it is up: the rules, the files they name, the job."""
        image = Archive()
        there = self.base()
        image.file("lab/rules", loadable(rules_text).encode("utf-8", "surrogateescape"), 0o600)
        image.file("lab/job", job.script.encode(), 0o755)
        for path, data in job.files.items():
            image.file(path, data, 0o755)
        directories, files = named_paths(rules_text)

        def exists(path):
            return image.exists(path) or there.exists(path)

        for path in [*directories, *job.directories]:
            if not exists(path):
                image.directory(path)
        for path in files:
            # A path below a file that the rules name too cannot exist: auditctl refuses that rule (ENOTDIR).
            above = [str(p) for p in pathlib.PurePosixPath(path).parents if str(p) != "/"]
            below_file = any(exists(p) and not image.is_directory(p) and not there.is_directory(p) for p in above)
            if not exists(path) and not below_file:
                image.file(path, mode=0o755)
        image.file("lab/paths", "".join(p + "\n" for p in probed_paths(rules_text)).encode("utf-8", "surrogateescape"))
        return image

    def snapshot(self, version, command_line="", counted=True):
        """The saved state of a guest that is up and waits for a payload; booted when there is none yet. Most of a boot is
        the kernel's own start, the same for every rules file."""
        release, kernel = self.cache.kernel(version)
        initramfs = self.base().bytes()
        qemu, command_line = self._machine(command_line, counted)
        setup = repr((release, qemu, command_line)).encode() + initramfs
        saved = self.cache.folder / "snapshots" / f"{release}.{hashlib.sha256(setup).hexdigest()[:16]}"
        if saved.exists():
            return kernel, saved
        saved.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="lab.", dir=self.cache.folder) as folder:
            folder = pathlib.Path(folder)
            (folder / "initramfs").write_bytes(initramfs)
            command = [*qemu, *self._command(folder, kernel), "-initrd", folder / "initramfs", "-append", command_line,
                       "-qmp", "stdio"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as machine:
                try:
                    deadline = time.monotonic() + BOOT_SECONDS
                    while b"@ready" not in self._read(folder / "report"):
                        if machine.poll() is not None or time.monotonic() > deadline:
                            raise RuntimeError(f"the guest did not boot: {self._console(folder)}")
                        time.sleep(0.1)
                    self._monitor(machine, "qmp_capabilities")
                    self._monitor(machine, "migrate-set-parameters", **{"max-bandwidth": 1 << 40})
                    self._monitor(machine, "migrate", uri=f"exec:cat >{shlex.quote(str(folder / 'state'))}")
                    while (status := self._monitor(machine, "query-migrate").get("status")) != "completed":
                        if status in ("failed", "cancelled") or time.monotonic() > deadline:
                            raise RuntimeError(f"the booted guest could not be saved: {status}")
                        time.sleep(0.1)
                finally:
                    machine.kill()
            (folder / "state").rename(saved)
        for old in sorted(saved.parent.iterdir(), key=lambda f: f.stat().st_mtime)[:-SNAPSHOTS]:
            old.unlink()
        return kernel, saved

    def boot(self, version, rules_text, job, timeout=600, command_line="", counted=True):
        """Runs `job` on kernel "6.1" or "6.12". Without `counted` the guest runs faster, but its time is no count of
        instructions, and audit=1 is left out, which makes the kernel hoard records for a daemon that never comes. Raises
        RuntimeError with the console when the guest does not finish."""
        kernel, saved = self.snapshot(version, command_line, counted)
        qemu, command_line = self._machine(command_line, counted)
        with tempfile.TemporaryDirectory(prefix="lab.", dir=self.cache.folder) as folder:
            folder = pathlib.Path(folder)
            # The machine is described as when it was saved; what is in its memory comes from the saved state.
            (folder / "initramfs").write_bytes(self.base().bytes())
            command = [*qemu, *self._command(folder, kernel, self.payload(rules_text, job).bytes()),
                       "-initrd", folder / "initramfs", "-append", command_line,
                       "-incoming", f"exec:cat {shlex.quote(str(saved))}"]
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
                complaint = done.stderr.decode(errors="replace")
            except subprocess.TimeoutExpired:
                complaint = f"no end after {timeout} s"
            report = self._read(folder / "report")
            sections = dict(self._sections(report))
            if "exit" not in sections:
                raise RuntimeError(f"the guest did not finish: {complaint}\n{self._console(folder)}\n{report[-2000:]!r}")
        return self._report(sections)

    def _machine(self, more, counted):
        """(qemu and its machine, kernel command line)."""
        if counted:
            return self.qemu, f"{COMMAND_LINE} {more}".strip()
        # On a busy host the kernel's test of the timer can fail where time is the host's.
        return ([w for w in self.qemu if w not in ("-icount", "shift=0,sleep=off")],
                f"{COMMAND_LINE.removeprefix('audit=1 ')} no_timer_check {more}".strip())

    @staticmethod
    def _command(folder, kernel, payload=b""):
        (folder / "payload").write_bytes(payload or b"-")  # one byte: nothing yet
        return ["-kernel", kernel, "-fw_cfg", f"name=opt/lab/payload,file={folder}/payload",
                "-chardev", f"file,id=report,path={folder}/report", "-device", "isa-debugcon,chardev=report,iobase=0xe9",
                "-serial", f"file:{folder}/console"]

    @staticmethod
    def _monitor(qemu, name, **arguments):
        """One command of qemu's machine protocol; events and the greeting are passed over."""
        qemu.stdin.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        qemu.stdin.flush()
        for line in qemu.stdout:
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"qemu: {name}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        raise RuntimeError(f"qemu ended during {name}: {qemu.stderr.read()}")

    @staticmethod
    def _read(path):
        return path.read_bytes() if path.exists() else b""

    def _console(self, folder):
        return self._read(folder / "console").decode(errors="replace")[-2000:]

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
