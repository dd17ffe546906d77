#!/usr/bin/env python3
"""The collected cases: what each expects of lint, of verify and of loading, against what auopt says.

Their expect.md hold one block each in a small subset of YAML, of which three parts are read here: `load:` (where
loading stops), `lints:` (line and name of a finding), `equal:` (are two files the same). Names of findings are the
collection's own; FINDINGS says which of our ids they are. What a case leaves open is not checked.

Exit 77 without the collection.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from auopt import Auopt, skip  # noqa: E402

LOAD_ERROR = r"AU0\d\d"
FINDINGS = {
    "trailing-comment": LOAD_ERROR,
    "unknown-syscall": LOAD_ERROR,
    "positive-errno": "AU103",
    "shadowed": "AU20[13]",
    "never-task": "AU107",
    "missing-arch": "AU101",
    "redundant": "AU20[13]",
    "duplicate": "AU094",
    "lock-not-last": "AU204",
    "refused-after-lock": "AU091",
    "key-needs-syscall-or-path": LOAD_ERROR,
    "exclude-action-ignored": "AU108",
    "exclude-everything": "AU110",
    "all-syscalls": "AU301",
    "stray-word": LOAD_ERROR,
    "key-before-syscall": LOAD_ERROR,
    "arch-after-syscall": LOAD_ERROR,
    "quotes-not-removed": LOAD_ERROR,
    "list-not-supported": LOAD_ERROR,
    "argument-index": "AU109",
}
# Findings that need facts which the facts file cannot hold (links, paths known to be absent, containers).
BEYOND_FACTS = {"watch-on-symlink", "watch-target-absent", "watch-parent-absent", "exe-is-host-inode"}
ABI_ONLY = "AU102"  # "no finding" in a case means none but a missing ABI


def section(text, name):
    """The lines of one top-level member of the block."""
    match = re.search(rf"^{name}:[^\n]*\n((?:[ \t-].*\n)*)", text, re.MULTILINE)
    return match.group(1).splitlines() if match else []


def member(line, name):
    match = re.search(rf"\b{name}: (\"[^\"]*\"|\[[^\]]*\]|[^,}}\n]+)", line)
    return match.group(1).strip(' "') if match else None


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text or "")]


class Case:
    def __init__(self, folder, auopt, work):
        self.folder, self.auopt, self.wrong = folder, auopt, []
        text = (folder / "expect.md").read_text()
        self.block = re.search(r"```yaml\n(.*?)```", text, re.DOTALL).group(1)
        machine = re.search(r"machine (\w+)", text)
        kinds = dict((path, kind) for kind, path in re.findall(r"^([df]) (/\S*)$", text, re.MULTILINE))
        facts = {
            "machine": machine.group(1) if machine else "x86_64",
            "directories": sorted(p for p, k in kinds.items() if k == "d"),
            "files": sorted(p for p, k in kinds.items() if k == "f"),
        }
        self.facts = pathlib.Path(work) / f"{folder.name}.json"
        self.facts.write_text(json.dumps(facts))
        # The cases' verdicts are those of 3.0.9's reading; lint compares the versions.
        self.facts_to_verify = pathlib.Path(work) / f"{folder.name}.verify.json"
        self.facts_to_verify.write_text(json.dumps({**facts, "audit_version": "3.0.9"}))
        self.found = {}

    def lint(self, name):
        if name not in self.found:
            done = self.auopt.run("lint", "--format", "json", "--facts", self.facts, self.folder / name)
            self.found[name] = (done.returncode, json.loads(done.stdout))
        return self.found[name]

    def expect(self, condition, message):
        if not condition:
            self.wrong.append(message)

    def check_load(self):
        for line in section(self.block, "load"):
            match = re.match(r"\s+([\w./]+): \{(.*)\}", line)
            if not match:
                continue
            name, text = match.groups()
            if "absent" in self.block and "watch-parent-absent" in self.block:
                continue  # stops at a path that facts cannot call absent
            stops = numbers(member(text, "stops_at"))
            code, found = self.lint(name)
            errors = sorted(f["line"] for f in found if f["level"] == "error" and re.fullmatch(LOAD_ERROR, f["id"]))
            self.expect((code == 3) == bool(stops), f"{name}: lint exits {code}, loading stops at {stops}")
            if stops:
                self.expect(errors[:1] == stops, f"{name}: first refused line {errors[:1]}, expected {stops}")

    def check_lints(self):
        for line in section(self.block, "lints"):
            name = member(line, "file") or "input.rules"
            if re.search(r"none: true", line):
                if not (self.folder / name).exists():
                    name = "input.rules"
                _, found = self.lint(name)
                loud = [f for f in found if f["level"] in ("error", "warning") and f["id"] != ABI_ONLY]
                self.expect(not loud, f"{name}: expected nothing, found {[(f['line'], f['id']) for f in loud]}")
                continue
            finding, at = member(line, "id"), numbers(member(line, "line"))
            if finding is None or finding in BEYOND_FACTS:
                continue
            _, found = self.lint(name)
            hit = any(f["line"] == at[0] and re.fullmatch(FINDINGS[finding], f["id"]) for f in found)
            self.expect(hit, f"{name}:{at[0]}: no {finding} ({FINDINGS[finding]})")

    def check_equal(self):
        lines = "\n".join(section(self.block, "equal"))
        pair = re.search(r"pair: \[(input\.rules), (other\.rules)\]", lines)
        if not pair or self.lint("input.rules")[0] == 3 or "aarch64" in self.facts.read_text():
            return
        same_decision = member(lines, "decision") == "equal"
        same_keys = same_decision and (re.search(r"keys: (\w+)", lines) or ["", "equal"])[1] == "equal"
        if "caveat" in lines:  # equal but for what other subsystems log: exact must not say so
            same_keys = False
        for preserve, same in (("exact", same_keys), ("decision", same_decision)):
            if "caveat" in lines and preserve == "decision":
                preserve_args = ["--assume", "no-foreign-records"]
            else:
                preserve_args = []
            done = self.auopt.run("verify", "--preserve", preserve, *preserve_args, "--facts", self.facts_to_verify,
                                  self.folder / "input.rules", self.folder / "other.rules")
            self.expect(done.returncode == (0 if same else 4),
                        f"verify --preserve {preserve}: exit {done.returncode}, same: {same}: {done.stdout.decode()[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auopt", required=True)
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    shared = pathlib.Path(os.environ.get("AUOPT_SHARED") or pathlib.Path(args.source_dir).resolve().parent / "shared")
    folders = sorted(p.parent for p in (shared / "cases").glob("*/expect.md"))
    if not folders:
        skip("the collected cases are not here; AUOPT_SHARED names their folder")
    auopt = Auopt(args.auopt)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="auopt-cases.") as work:
        for folder in folders:
            case = Case(folder, auopt, work)
            case.check_load()
            case.check_lints()
            case.check_equal()
            for message in case.wrong:
                print(f"FAILED {folder.name}: {message}")
            wrong += len(case.wrong)
    print(f"{len(folders)} cases, {wrong} expectations not met")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
