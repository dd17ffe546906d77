"""Rule files with the host they were measured on.

The bundled ones travel with the project. The large corpus does not: it lies in a folder of its own,
$AUOPT_SHARED or ../shared beside the source tree, and tests over it are skipped where it is absent.
"""

import json
import os
import pathlib
import re
from dataclasses import dataclass

from oracle import Host

# The users and groups of the machine the corpus was measured on.
USERS = {"root": 0, "nobody": 65534, "chrony": 101, "ntp": 102}
GROUPS = {"root": 0, "nogroup": 65534, "chrony": 101, "ntp": 102}

NAMED_PATH = re.compile(r"(?:^|\s)-[wW]\s*(\S+)|-F\s*(?:path|dir|exe)!?=(\S+)")


@dataclass
class RuleFile:
    name: str
    path: pathlib.Path
    host: Host
    measured: dict  # kernel -> {probe: instructions per call}

    def write_facts(self, folder):
        facts = pathlib.Path(folder) / "facts.json"
        # The corpus was loaded by auditctl 3.0.9, on every kernel of the tables.
        facts.write_text(json.dumps({**self.host.facts(), "audit_version": "3.0.9"}))
        return facts


def named_paths(text):
    paths = set()
    for line in text.splitlines():
        if not line.lstrip().startswith("#"):
            for match in NAMED_PATH.finditer(line):
                path = (match.group(1) or match.group(2)).rstrip("/")
                if path.startswith("/"):
                    paths.add(path)
    return paths


def shared_folder(source_dir):
    folder = pathlib.Path(os.environ.get("AUOPT_SHARED") or pathlib.Path(source_dir).resolve().parent / "shared")
    return folder if (folder / "lab" / "measured.json").exists() else None


def shared_rule_files(source_dir):
    """The measured corpus, in name order; empty when it is not here."""
    folder = shared_folder(source_dir)
    if folder is None:
        return []
    measured = json.loads((folder / "lab" / "measured.json").read_text())
    first = next(iter(measured.values()))
    found = []
    for name in sorted(first):
        path = folder / "rulesets" / name
        directories = first[name]["directories"]
        files = sorted(named_paths(path.read_text(errors="surrogateescape")) - set(directories))
        host = Host(directories=directories, files=files, users=USERS, groups=GROUPS)
        found.append(RuleFile(name, path, host, {k: v[name]["syscalls"] for k, v in measured.items()}))
    return found


def bundled_rule_files(source_dir):
    """The project's own rule files, each with the facts file beside it."""
    folder = pathlib.Path(source_dir) / "share" / "rulesets"
    found = []
    for path in sorted(folder.glob("*.rules")):
        facts = json.loads(path.with_suffix(".facts.json").read_text())
        host = Host(
            directories=facts.get("directories", []),
            files=facts.get("files", []),
            users=facts.get("users", {}),
            groups=facts.get("groups", {}),
            machine=facts.get("machine", "x86_64"),
        )
        found.append(RuleFile(path.name, path, host, {}))
    return found
