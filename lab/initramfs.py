"""Writes cpio archives (an initramfs, and what is unpacked over it) in the "newc" format (the kernel's Documentation/driver-api/early-userspace/
buffer-format.rst), so owners, modes and device nodes need no privileges to make."""

import stat

DIRECTORY, FILE, LINK, DEVICE = stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK, stat.S_IFCHR


class Archive:
    def __init__(self):
        self.entries = {}  # path without leading slash -> (mode, uid, gid, (major, minor), data)

    def directory(self, path, mode=0o755, uid=0, gid=0):
        self._add(path, DIRECTORY | mode, uid, gid, (0, 0), b"")

    def file(self, path, data=b"", mode=0o644, uid=0, gid=0):
        self._add(path, FILE | mode, uid, gid, (0, 0), data)

    def link(self, path, target):
        self._add(path, LINK | 0o777, 0, 0, (0, 0), target.encode())

    def device(self, path, major, minor, mode=0o666):
        self._add(path, DEVICE | mode, 0, 0, (major, minor), b"")

    def is_directory(self, path):
        entry = self.entries.get(path.strip("/"))
        return entry is not None and stat.S_ISDIR(entry[0])

    def exists(self, path):
        return path.strip("/") in self.entries

    def _add(self, path, mode, uid, gid, device, data):
        path = path.strip("/")
        parts = path.split("/")
        for i in range(1, len(parts)):
            above = "/".join(parts[:i])
            if above not in self.entries:
                self.entries[above] = (DIRECTORY | 0o755, 0, 0, (0, 0), b"")
        self.entries[path] = (mode, uid, gid, device, data)

    def bytes(self):
        """The bytes; parents come before what they hold, since they were added first."""
        out = bytearray()
        for number, (path, entry) in enumerate(self.entries.items(), start=1):
            self._record(out, number, path, *entry)
        self._record(out, 0, "TRAILER!!!", 0, 0, 0, (0, 0), b"")
        return bytes(out)

    @staticmethod
    def _record(out, number, path, mode, uid, gid, device, data):
        name = path.encode("utf-8", "surrogateescape") + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = (number, mode, uid, gid, links, 0, len(data), 0, 0, *device, len(name), 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name
        out += b"\0" * (-len(out) % 4)
        out += data
        out += b"\0" * (-len(out) % 4)
