#!/usr/bin/env python3
"""Every #include of the sources points along the arrows, only verify/ knows Z3, and no two types share a name.

  tables <- grammar <- compiler <- kernel_model <- verify <- { lint, stig_rules } <- report <- cli

with optimizer beside verify: it sees what verify sees, and neither sees the other; only cli (and the
tests) join them. workload stands on compiler; optimizer, report and cli see it.

  arrows.py check      greps the tree
  arrows.py selftest   plants bad files in a copy of the folder names and sees each one found
"""

import argparse
import pathlib
import re
import sys
import tempfile

# What a folder may include besides itself. A folder that is not listed fails the check.
BELOW_VERIFY = {"tables", "grammar", "compiler", "kernel_model"}
MAY_INCLUDE = {
    "tables": set(),
    "grammar": {"tables"},
    "compiler": {"tables", "grammar"},
    "kernel_model": {"tables", "grammar", "compiler"},
    "verify": BELOW_VERIFY,
    "workload": {"tables", "grammar", "compiler"},
    "optimizer": BELOW_VERIFY | {"workload"},
    "lint": BELOW_VERIFY | {"verify"},
    "stig_rules": BELOW_VERIFY | {"verify"},
    "report": BELOW_VERIFY | {"verify", "lint", "stig_rules", "workload"},
    "cli": BELOW_VERIFY | {"verify", "workload", "optimizer", "lint", "stig_rules", "report"},
}
# Headers of libraries that one folder keeps to itself.
KEPT_BY = {re.compile(r"z3(\+\+)?\.h|z3_.*\.h"): "verify", re.compile(r"CLI/.*"): "cli"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".hpp", ".cpp", ".h", ".c", ".inc", ".cc"}


def complaints(root):
    root = pathlib.Path(root)
    found = []
    for folder, allowed in MAY_INCLUDE.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                bracket, target = match.groups()
                place = f"{path.relative_to(root)}:{number}"
                for pattern, keeper in KEPT_BY.items():
                    if pattern.fullmatch(target) and folder != keeper:
                        found.append(f"{place}: {target} belongs to {keeper}/ alone")
                first = target.split("/")[0]
                if ".." in target.split("/"):
                    found.append(f"{place}: {target}: includes are rooted at the project root")
                elif first in MAY_INCLUDE and "/" in target:
                    if first != folder and first not in allowed:
                        found.append(f"{place}: {folder}/ must not include {target}")
                elif bracket == '"' and not (root / target).exists() and (path.parent / target).exists():
                    found.append(f"{place}: {target}: includes are rooted at the project root")
    return found


OPENS = re.compile(r"namespace\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\}\s*//\s*namespace")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union)\s+((?:\w|::)+)[^;(]*\{")


def check_types_once(root):
    """Two types of one name in one namespace are two definitions of one thing: the linker keeps either's functions for both.

    Reads what clang-format leaves at the beginning of a line; types in unnamed namespaces are each file's own.
    """
    defined = {}
    for folder in MAY_INCLUDE:
        for path in sorted((pathlib.Path(root) / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            namespaces = []
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if match := OPENS.match(line):
                    namespaces.append(match.group(1) or None)
                elif CLOSES.match(line) and namespaces:
                    namespaces.pop()
                elif (match := TYPE.match(line)) and None not in namespaces:
                    place = f"{path.relative_to(root)}:{number}"
                    defined.setdefault("::".join([*namespaces, match.group(1)]), []).append(place)
    return [f"{', '.join(places)}: {name} is defined more than once" for name, places in defined.items() if len(places) > 1]


def check_folders_known(root):
    """A library folder that the table above does not know would escape the check."""
    return [
        f"{path.parent.name}/: not in the table of arrows"
        for path in sorted(pathlib.Path(root).glob("*/CMakeLists.txt"))
        if path.parent.name not in MAY_INCLUDE
        and path.parent.name not in {"tests", "bench", "fuzz", "lab", "packaging", "share"}
        and not path.parent.name.startswith("build")
    ]


def selftest():
    bad = {
        "verify/a.cpp": '#include "optimizer/pipeline.hpp"\n',
        "optimizer/b.cpp": '#include "verify/verify.hpp"\n',
        "optimizer/c.hpp": "#include <z3++.h>\n",
        "tables/d.cpp": '#  include "grammar/source.hpp"\n',
        "grammar/e.cpp": '#include "compiler/ir.hpp"\n',
        "kernel_model/f.cpp": '#include "lint/lint.hpp"\n',
        "lint/g.cpp": '#include "report/text.hpp"\n',
        "lint/h.cpp": '#include "optimizer/pipeline.hpp"\n',
        "report/i.cpp": '#include "../cli/main.hpp"\n',
        "compiler/j.cpp": "#include <kernel_model/cost.hpp>\n",
        "report/sub/k.hpp": '#include "optimizer/pipeline.hpp"\n',
    }
    good = {
        "cli/ok.cpp": '#include "optimizer/pipeline.hpp"\n#include "verify/verify.hpp"\n#include <string>\n',
        "verify/ok.cpp": '#include <z3.h>\n#include "kernel_model/state.hpp"\n',
        "compiler/ok.cpp": '// #include "cli/main.hpp" in a comment\n#include "grammar/source.hpp"\n',
    }
    failures = 0
    for name, text in {**bad, **good}.items():
        with tempfile.TemporaryDirectory(prefix="auopt-arrows.") as root:
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            found = complaints(root)
            if bool(found) != (name in bad):
                failures += 1
                print(f"{name}: {'not found' if name in bad else found}")
    with tempfile.TemporaryDirectory(prefix="auopt-arrows.") as root:
        (pathlib.Path(root) / "extra").mkdir()
        (pathlib.Path(root) / "extra" / "CMakeLists.txt").touch()
        if not check_folders_known(root):
            failures += 1
            print("extra/: an unknown folder was not found")
    with tempfile.TemporaryDirectory(prefix="auopt-arrows.") as root:
        for name, text in {
            "grammar/a.hpp": "namespace auopt {\nstruct Word {\n};\n}  // namespace auopt\n",
            "lint/b.hpp": "namespace auopt {\nstruct Word {\n};\n}  // namespace auopt\n",
            "lint/c.cpp": "namespace auopt {\nnamespace {\nstruct Word {\n};\n}  // namespace\n}  // namespace auopt\n",
            "report/d.hpp": "namespace auopt {\nstruct Word;\n}  // namespace auopt\n",
        }.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        if check_types_once(root) != ["grammar/a.hpp:2, lint/b.hpp:2: auopt::Word is defined more than once"]:
            failures += 1
            print(f"one type defined twice: {check_types_once(root)}")
    print(f"{len(bad)} bad and {len(good)} good files tried, {failures} misjudged")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("check", "selftest"))
    parser.add_argument("--source-dir", required=True)
    args = parser.parse_args()
    if args.mode == "selftest":
        sys.exit(0 if selftest() else 1)
    found = complaints(args.source_dir) + check_folders_known(args.source_dir) + check_types_once(args.source_dir)
    print("\n".join(found))
    print(f"{len(found)} includes against the arrows or types defined twice")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
