"""What a lab guest is made of, fetched from Debian's archive into a cache folder; nothing is installed.

A user without root can do this: apt-get download and dpkg -x need no privileges. Where the system has no
package lists, lists of our own are fetched into the cache.
"""

import pathlib
import shutil
import subprocess

KERNELS = {"6.1": "linux-image-cloud-amd64", "6.12": "linux-image-6.12-cloud-amd64"}
# auditctl with the libraries it links, and a static shell.
TOOLS = ["auditd", "libaudit1", "libauparse0", "libcap-ng0", "libc6", "busybox-static"]
HOST_PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "gcc": "gcc libc6-dev", "apt-get": "apt", "dpkg": "dpkg"}


class Missing(Exception):
    """The lab cannot run here; the text says what is missing."""


def check_host():
    missing = [f"{program} (package {package})" for program, package in HOST_PROGRAMS.items() if not shutil.which(program)]
    if missing:
        raise Missing("not here: " + ", ".join(missing))


class Cache:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.options = []  # apt options, once lists of our own are in use

    def kernel(self, version):
        """The kernel image of "6.1" or "6.12": (package name, path). The newest the archive has when first asked;
        delete the cache folder to follow it."""
        found = sorted((self.folder / f"linux-{version}" / "boot").glob("vmlinuz-*"))
        if not found:
            meta = KERNELS[version]
            package = self._apt(lambda: self._image_of(meta), f"{meta} has no linux-image in the package lists")
            self._unpack([package], self.folder / f"linux-{version}", "./boot/vmlinuz-*")
            found = sorted((self.folder / f"linux-{version}" / "boot").glob("vmlinuz-*"))
        return found[0].name.removeprefix("vmlinuz-"), found[0]

    def tools(self):
        """The folder that TOOLS are unpacked in."""
        root = self.folder / "tools"
        if not root.exists():
            self._unpack(TOOLS, root)
        return root

    def _image_of(self, meta):
        out = subprocess.run(["apt-cache", *self.options, "depends", meta], capture_output=True, text=True, check=False).stdout
        images = [line.split()[-1] for line in out.splitlines() if "Depends: linux-image-" in line]
        return images[0] if images else None

    def _apt(self, attempt, complaint):
        """attempt() with the system's package lists, then with our own."""
        result = attempt()
        if result is None and not self.options:
            lists = self.folder / "apt"
            (lists / "lists" / "partial").mkdir(parents=True, exist_ok=True)
            (lists / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
            self.options = ["-o", f"Dir::State::lists={lists}/lists", "-o", f"Dir::Cache={lists}/cache",
                            "-o", "APT::Sandbox::User="]
            subprocess.run(["apt-get", "-qq", *self.options, "update"], capture_output=True, check=False)
            result = attempt()
        if result is None:
            raise Missing(f"{complaint} (offline, or not Debian 12?)")
        return result

    def _unpack(self, packages, target, only=None):
        work = target.with_name(target.name + ".new")
        shutil.rmtree(work, ignore_errors=True)
        (work / "debs").mkdir(parents=True)

        def download():
            done = subprocess.run(["apt-get", "-qq", *self.options, "download", *packages], cwd=work / "debs",
                                  capture_output=True, text=True, check=False)
            return True if done.returncode == 0 else None

        self._apt(download, f"cannot download {' '.join(packages)}")
        for deb in sorted((work / "debs").glob("*.deb")):
            if only is None:
                subprocess.run(["dpkg", "-x", deb, work], check=True)
                continue
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
                subprocess.run(["tar", "-x", "-C", work, "--wildcards", only], stdin=tar.stdout, check=True)
        shutil.rmtree(work / "debs")
        work.rename(target)
