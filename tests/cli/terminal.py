"""What an input's bytes do to a terminal: nothing. terminal.py AUOPT

On a terminal, escapes in rules are shown; in a file or a pipe every byte is as it must be."""
import os
import pty
import subprocess
import sys
import tempfile

os.environ["NO_COLOR"] = "1"
auopt = os.path.realpath(sys.argv[1])
failures = 0


def check(what, ok, seen=b""):
    global failures
    if not ok:
        print(f"FAILED: {what}: {seen!r}")
        failures += 1


def on_terminal(arguments, descriptor):
    """What the terminal gets on standard output (1) or standard error (2)."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    streams["stdout" if descriptor == 1 else "stderr"] = theirs
    with subprocess.Popen([auopt, *arguments], stdin=subprocess.DEVNULL, **streams) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # EIO: the other side is closed
                break
            if not chunk:
                break
            seen += chunk
        process.wait()
    os.close(ours)
    return seen


def in_pipe(arguments):
    return subprocess.run([auopt, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


# Titles, colours, a bell, C1 controls, a carriage return that hides what was before, text that runs backwards.
evil = [b"\x1b]0;owned\x07", b"\x1b[31m", b"\x07", b"\x9b31m", b"\xc2\x9b31m", b"\rhidden", b"\xe2\x80\xaehidden", b"\x7f",
        b"\x08\x08"]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for i, escape in enumerate(evil):
        with open("a.rules", "wb") as f:
            f.write(b"# \t" + escape + b" comment\n")
            f.write(b"-a always,exit  -F arch=b64 -S chmod -k a" + escape.replace(b" ", b"") + b"z\n")
        with open("facts.json", "w", encoding="ascii") as f:
            f.write('{"machine":"x86_64"}')
        for arguments in (["fmt", "a.rules"], ["fmt", "--diff", "a.rules"], ["fmt", "--style", "listing", "a.rules"],
                          ["compile", "--format", "text", "a.rules"], ["compile", "--format", "json", "a.rules"],
                          ["optimize", "a.rules"], ["optimize", "-o", "-", "a.rules"], ["optimize", "--diff", "a.rules"],
                          ["lint", "a.rules"], ["verify", "a.rules", os.devnull], ["cost", "a.rules"]):
            for descriptor in (1, 2):
                seen = on_terminal(arguments, descriptor)
                seen = seen.replace(b"\r\n", b"\n")  # the terminal's own
                check(f"{i} {arguments} on a terminal, {descriptor}", escape not in seen and b"\x1b" not in seen, seen)
            if arguments[0] == "fmt" and len(arguments) == 2:
                check(f"{i} fmt shows the comment", b"\\" in on_terminal(arguments, 1))
        check(f"{i} fmt into a pipe", escape in in_pipe(["fmt", "a.rules"]), in_pipe(["fmt", "a.rules"]))
    with open("plain.rules", "wb") as f:
        f.write("# Zeichen wie ü und 漢\tbleiben\n-a always,exit -F arch=b64 -S chmod -k x\n".encode())
    shown = on_terminal(["fmt", "plain.rules"], 1).replace(b"\r\n", b"\n")
    check("text without escapes is the same on a terminal", shown == in_pipe(["fmt", "plain.rules"]), shown)

if failures:
    sys.exit(1)
print("terminal: all as expected")
