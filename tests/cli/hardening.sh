#!/usr/bin/env bash
# What cmake/AuoptHardening.cmake asks for, read back from the binary. hardening.sh AUOPT CONFIG ON|OFF
set -u
auopt=$(readlink -f "$1")
config=$2
[ "$3" = ON ] || { echo "this build is not hardened (AUOPT_HARDEN, or sanitizers)"; exit 77; }
command -v readelf >/dev/null || { echo "no readelf"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# needs WHAT PATTERN FILE
needs() {
    grep -Eq -- "$2" "$work/$3" || {
        echo "FAILED: $1"
        failures=$((failures + 1))
    }
}
readelf -Wh "$auopt" >"$work/header"
readelf -Wl "$auopt" >"$work/segments"
readelf -Wd "$auopt" >"$work/dynamic"
readelf -W --dyn-syms "$auopt" >"$work/symbols"

needs "position independent: type DYN" 'Type: +DYN' header
needs "position independent: a program, not a library" 'FLAGS_1.* PIE' dynamic
needs "the tables of functions are read-only (RELRO)" 'GNU_RELRO' segments
needs "and all of them, from the start (BIND_NOW)" 'BIND_NOW|FLAGS_1.* NOW' dynamic
needs "no executable stack" 'GNU_STACK .* RW +0x' segments
needs "stack protector" '__stack_chk_fail' symbols
# Bounds checks of the C library are in optimized code only.
case $config in
    Release | RelWithDebInfo | MinSizeRel) needs "FORTIFY" '__(mem|str|sn?printf|vsn?printf|read|pread|readlink|poll|fdelt)[a-z_]*_chk' symbols ;;
esac
if [ "$(uname -m)" = x86_64 ]; then
    # The note that switches shadow stacks and branch tracking on is in the program only where the C library's start-up
    # code has it too; our own code has the landing pads everywhere.
    if command -v objdump >/dev/null; then
        objdump -d --no-show-raw-insn "$auopt" | grep -A1 '<main>:' >"$work/main"
        needs "landing pads (CET)" 'endbr64' main
    fi
    if readelf -n "$(gcc -print-file-name=crt1.o 2>/dev/null)" 2>/dev/null | grep -q IBT; then
        readelf -n "$auopt" >"$work/notes"
        needs "CET note" 'IBT, SHSTK' notes
    fi
fi
[ $failures = 0 ] && echo "hardening: all as expected"
[ $failures = 0 ]
