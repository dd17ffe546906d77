"""What a rules file needs of the machine it is loaded on: the paths it names, and the lines to load."""

import re

# A path that ends in a slash or comes from dir= is a directory, every other one a file.
NAMED = re.compile(r"(?:^|\s)-[wW]\s*(\S+)|-F\s*(path|dir|exe)\s*!?=\s*(\S+)")
# Options that control the audit system rather than add a rule; they would change what is measured.
CONTROL = re.compile(r"^\s*(-[DefbrciRstlv]\b|--(backlog|reset|loginuid|signal|trim|reset-lost)\S*)")


def rule_lines(text):
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def loadable(text):
    """The rule lines alone, after -c: auditctl goes on after a line it refuses."""
    return "-c\n" + "".join(line + "\n" for line in rule_lines(text) if not CONTROL.match(line))


def named_paths(text):
    """(directories, files) that the rules name, each in file order, without trailing slashes."""
    directories, files = {}, {}
    for line in rule_lines(text):
        for match in NAMED.finditer(line):
            path = match.group(1) or match.group(3)
            path = path.strip("\"'")
            if not path.startswith("/"):
                continue
            folder = path.endswith("/") or match.group(2) == "dir"
            (directories if folder else files)[re.sub("/+", "/", path).rstrip("/")] = None
    return [d for d in directories if d], [f for f in files if f and f not in directories]


def probed_paths(text):
    """The paths whose inode numbers a report holds: those the rules name, then the probes' own."""
    directories, files = named_paths(text)
    return [*directories, *files, "/usr/bin", "/usr/bin/probe"]
