#!/usr/bin/env bash
# --target chooses the auditctl version and the kernels together, for every verb that reads rules.
set -u
auopt=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# What 3.0.9 refuses and 3.1 takes: a list in capitals.
mkdir rules.d
printf -- '-a always,EXIT -F arch=b64 -S chmod -F auid>=1000 -k x\n' >rules.d/a.rules
printf -- '-a always,exit -F arch=b32 -S chmod -F auid>=1000 -k x\n' >>rules.d/a.rules
for target in any linux-6.1 linux-6.12 deb12 ubuntu2204 deb13 ubuntu2404 el8 el9 el10; do
    case $target in
        any | linux-* | deb12 | ubuntu2204) expected=3 ;;
        *) expected=0 ;;
    esac
    for verb in compile fmt 'lint --fail-on never' 'verify rules.d/a.rules' 'gate --against rules.d/a.rules' cost optimize; do
        # shellcheck disable=SC2086  # the verb's own options
        "$auopt" $verb --target $target rules.d/a.rules >stdout 2>stderr </dev/null
        code=$?
        wanted=$expected
        # Without one reading these give no answer; the others give that of 3.0.9.
        [ $target = any ] && case $verb in verify* | gate* | optimize) wanted=2 ;; esac
        [ $code = $wanted ] || fail "$verb --target $target: exit $code, expected $wanted"
    done
    "$auopt" augenrules --target $target --rules-dir rules.d --output out.rules >stdout 2>stderr </dev/null
    code=$?
    [ $target = any ] && expected=2
    [ $code = $expected ] || fail "augenrules --target $target: exit $code, expected $expected"
done

# The kernel: prices differ between 6.1 and 6.12, a refutation names the kernel, the output names target and kernels.
printf -- '-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k x\n' >one.rules
printf -- '-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -k x\n' >two.rules
price() { "$auopt" cost --target "$1" --syscall getpid two.rules | grep '^getpid'; }
[ "$(price linux-6.1)" != "$(price linux-6.12)" ] || fail "cost is the same on both kernels"
[ "$(price deb12)" = "$(price linux-6.1)" ] || fail "deb12 is not priced as 6.1"
[ "$(price deb13)" = "$(price linux-6.12)" ] || fail "deb13 is not priced as 6.12"
for kernel in linux-6.1 linux-6.12; do
    "$auopt" verify --target $kernel one.rules two.rules | grep -q "on $kernel:" || fail "verify --target $kernel: another kernel"
    "$auopt" optimize --target $kernel two.rules | grep -q "$kernel" || fail "optimize --target $kernel: no $kernel in the header"
done

# AU5 compares versions only where the target holds several.
printf -- '-a always,exit -F arch=b32 -F dir=/etc -F perm=wa -k x\n' >perm.rules
"$auopt" lint perm.rules | grep -q AU501 || fail "any: no AU501"
"$auopt" lint --target deb12 perm.rules | grep -q AU5 && fail "deb12: AU5 compares with nothing"

# Read in two ways: no answer without a target, by the verbs that prove; the rest says so once and answers for 3.0.9.
printf -- '-a always,exit -F arch=b64 -F dir=/etc -F perm=wa -k k\n' >late.rules
printf -- '-a always,exit -F dir=/etc -F perm=wa -F arch=b64 -k k\n' >early.rules
mkdir two.d && cp late.rules two.d/
groups='read in two ways: deb12, ubuntu2204, ubuntu2404, el8 / deb13, el9, el10; 1 line; choose with --target or --facts'
refused() {
    "$auopt" "$@" >stdout 2>stderr </dev/null
    code=$?
    [ $code = 2 ] || fail "$*: exit $code, expected 2"
    [ "$(grep -c "$groups" stderr)" = 1 ] || fail "$*: $(cat stderr)"
    [ -s stdout ] && fail "$*: an answer all the same"
}
for target in '' any; do
    refused verify ${target:+--target $target} late.rules early.rules
    refused verify ${target:+--target $target} early.rules late.rules
    refused gate ${target:+--target $target} early.rules --against late.rules
    refused gate ${target:+--target $target} late.rules
    refused optimize ${target:+--target $target} late.rules
done
refused optimize --target any two.d
refused augenrules --target any --rules-dir two.d --output two.out
[ -e two.out ] && fail "augenrules installed what versions read differently"
# The plain merge is no answer about readings: it is installed, with the reason's code.
"$auopt" augenrules --target any --rules-dir two.d --output two.out --fallback passthrough >stdout 2>stderr
[ $? = 2 ] || fail "augenrules passthrough: not the reason's code"
[ -e two.out ] || fail "augenrules passthrough: the plain merge is not installed"
refused verify -v late.rules early.rules
grep -q 'late.rules:1: -a always,exit -F arch=b64' stderr || fail "-v names no lines"
grep -q 'read alike: auditctl 2.8.5, 3.0.9, 3.1.2$' stderr || fail "-v names no versions"
for verb in cost lint compile; do
    "$auopt" $verb late.rules >stdout 2>stderr
    [ "$(grep -c "$groups; this is what auditctl 3.0.9 reads" stderr)" = 1 ] || fail "$verb does not say whose reading it is: $(cat stderr)"
    "$auopt" $verb --target deb13 late.rules 2>&1 >stdout | grep -q 'read in' && fail "$verb --target deb13: one reading is no two"
    "$auopt" $verb early.rules 2>&1 >stdout | grep -q 'read in' && fail "$verb: all read it alike"
done
"$auopt" optimize early.rules >stdout 2>stderr || fail "what all read alike needs no target: $(cat stderr)"
for target in deb12 ubuntu2204 ubuntu2404 el8; do
    "$auopt" verify --target $target late.rules early.rules >stdout 2>&1 || fail "the same as $target reads them"
done
for target in deb13 el9 el10; do
    "$auopt" verify --target $target late.rules early.rules >stdout 2>&1
    [ $? = 4 ] || fail "$target loses calls"
done
# A line that one version alone refuses is another reading too; what none loads is an error, no reading.
printf -- '-a always,exit -F arch=b64 -S close_range -k x\n' >new.rules
"$auopt" optimize new.rules >stdout 2>stderr
[ $? = 2 ] || fail "2.8.5 does not know close_range"
grep -q 'every target' stderr && grep -q 'auditctl 2.8.5' stderr || fail "who differs? $(cat stderr)"
"$auopt" optimize --target deb12 new.rules >stdout 2>stderr || fail "deb12 knows close_range: $(cat stderr)"
printf -- '-a always,exit -S nosuchcall -k x\n' >none.rules
"$auopt" verify none.rules none.rules >stdout 2>stderr
[ $? = 3 ] || fail "a line that no version takes"

# The facts hold the target, --target goes first, and the answer says which it was.
asked() {
    "$auopt" optimize "$@" one.rules >stdout 2>stderr || fail "optimize $*: $(cat stderr)"
    head -n 1 stderr
    sed -n 's/^# target: /header /p' stdout
}
facts() { printf '{%s}\n' "$1" >facts.json; }
facts '"audit_version":"3.0.9","kernel":"6.1.0-57-amd64"'
[ "$(asked --facts facts.json)" = "target deb12, from the facts
header deb12, from the facts" ] || fail "facts of deb12: $(asked --facts facts.json)"
[ "$(asked --facts facts.json --target el9 | head -n 1)" = "target el9" ] || fail "--target goes first"
facts '"audit_version":"4.1.2","kernel":"6.1.0-57-amd64"'
[ "$(asked --facts facts.json | head -n 1)" = "target host (auditctl 4.1.2, kernel 6.1), from the facts" ] || fail "facts of no row"
facts '"audit_version":"3.0.9"'
[ "$(asked --facts facts.json | head -n 1)" = "target host (auditctl 3.0.9, every kernel), from the facts" ] || fail "facts without a kernel"
grep -q '^# proof: .* linux-6.1, linux-6.12$' stdout || fail "a kernel is left out"
"$auopt" verify --facts facts.json late.rules early.rules >stdout 2>stderr || fail "the facts fix the reading"
grep -q '^target host' stderr || fail "verify does not say whose reading it took"
facts '"kernel":"6.1.0"'
[ "$(asked --facts facts.json | head -n 1)" = "target host (every auditctl, kernel 6.1), from the facts" ] || fail "facts without auditctl"
refused verify --facts facts.json late.rules early.rules
facts ''
[ "$(asked --facts facts.json | head -n 1)" = "target any" ] || fail "facts that say neither"
facts '"audit_version":"3.1.5","kernel":"5.14.0-503.el9.x86_64"'
"$auopt" verify --format json --facts facts.json early.rules early.rules | grep -q '"target": "el9, from the facts"' || fail "verify --format json"
"$auopt" gate --format json --facts facts.json early.rules 2>stderr | grep -q '"target": "el9, from the facts"' || fail "gate --format json"

# Facts of another host than this one are not --target host's.
facts '"kernel":"1.2.3"'
"$auopt" cost --target host --facts facts.json early.rules >stdout 2>stderr
[ $? = 2 ] && grep -q 'collect them again' stderr || fail "facts of another kernel: $(cat stderr)"

# An auditctl that tells its version, one that does not, and none: asked with -v, and nothing else.
mkdir bin
printf '#!/bin/sh\necho "$@" >>%s/asked\necho auditctl version 3.0.9\n' "$work" >bin/auditctl && chmod +x bin/auditctl
PATH="$work/bin:$PATH" "$auopt" facts early.rules -o facts.json || fail "facts"
grep -q '"audit_version": "3.0.9"' facts.json && grep -q '"kernel": "' facts.json || fail "facts lack the versions: $(cat facts.json)"
[ "$(cat asked)" = "-v" ] || fail "auditctl was asked: $(cat asked)"
PATH="$work/bin:$PATH" "$auopt" optimize --target host early.rules 2>stderr >stdout || fail "host: $(cat stderr)"
grep -q '^target host (auditctl 3.0.9, kernel ' stderr || fail "--target host: $(cat stderr)"
PATH="$work/bin:$PATH" "$auopt" verify --target host late.rules early.rules >stdout 2>stderr || fail "host reads as its auditctl: $(cat stderr)"
# augenrules works on this host, unless facts or --target name another.
PATH="$work/bin:$PATH" "$auopt" augenrules --rules-dir two.d --output two.out >stdout 2>stderr || fail "augenrules: $(cat stderr)"
grep -q '^# target: host (auditctl 3.0.9, kernel ' two.out || fail "augenrules took $(grep target: two.out)"
printf '#!/bin/sh\necho You must be root to run this program. >&2\nexit 4\n' >bin/auditctl
PATH="$work/bin:$PATH" "$auopt" facts early.rules -o facts.json 2>stderr || fail "facts without a version"
grep -q audit_version facts.json && fail "a version out of nothing"
grep -q 'no auditctl here tells its version' stderr || fail "facts without a version say nothing"
PATH="$work/bin:$PATH" "$auopt" augenrules --rules-dir two.d --output two.out >stdout 2>stderr
[ $? = 2 ] && grep -q "$groups" stderr || fail "an unknown auditctl is every auditctl: $(cat stderr)"

# A kernel that was not measured says so wherever its figures stand, under the target's own name.
"$auopt" optimize --target el9 --report report.json early.rules >stdout 2>stderr || fail "el9: $(cat stderr)"
note="el9: kernel 5.14 not measured, predicted with linux-6.1's table"
for stream in stdout stderr; do
    grep -q "$note" $stream || fail "optimize --target el9: $stream has no evidence"
    grep 'instructions per call' $stream | grep -q el9 || fail "optimize --target el9: $stream has another name"
    grep 'instructions per call' $stream | grep -q linux && fail "optimize --target el9: $stream has the table's name"
done
grep -q "\"evidence\": \"$note\"" report.json || fail "report.json has no evidence"
grep -q '"target": "el9"' report.json || fail "report.json has another name"
"$auopt" cost --target el9 early.rules | grep -q "$note" || fail "cost --target el9"
"$auopt" cost --target el9 --format json early.rules | grep -q "kernel 5.14 not measured, predicted with linux-6.1's table" || fail "cost --format json --target el9"
"$auopt" cost --target deb12 early.rules | grep -q 'not measured' && fail "deb12 was measured"

# A watch of unknown kind is no file: what is printed goes from the one answer to the other.
printf -- '-w /etc/a -p wa -k x\n-w /etc/b -p wa -k x\n' >watches.rules
"$auopt" optimize --target linux-6.1 --report report.json watches.rules >stdout 2>stderr || fail "watches: $(cat stderr)"
for stream in stdout stderr; do
    grep -q '2 watches may be of files or of directories; .*give --facts' $stream || fail "optimize: $stream does not say what is unknown"
    grep -q 'getpid .*0 to 208 -> 0 to 208' $stream || fail "optimize: $stream has $(grep getpid $stream)"
done
grep -q '^rules 2 -> 2, walked by every call 0 to 2 -> 0 to 2$' stderr || fail "walked: $(grep ^rules stderr)"
grep -q '"unknown_watches": 2' report.json && grep -q '"filter_instructions_if_directories": 208' report.json || fail "report.json takes one answer"
"$auopt" cost --target linux-6.1 --syscall getpid watches.rules >stdout || fail "cost of watches"
grep -q '^getpid .* 0 to 208$' stdout && grep -q '2 watches may be' stdout || fail "cost: $(cat stdout)"
"$auopt" cost --target linux-6.1 --syscall getpid --budget getpid=100 watches.rules >stdout 2>stderr
[ $? = 5 ] && grep -q '208 instructions' stderr || fail "a budget that only files keep: $(cat stderr)"
"$auopt" gate --target linux-6.1 --budget getpid=100 watches.rules >stdout 2>stderr
[ $? = 5 ] || fail "gate: a budget that only files keep"
"$auopt" cost --target linux-6.1 --syscall getpid --budget getpid=208 watches.rules >stdout 2>stderr || fail "a budget that both keep"
printf '{"files":["/etc/a","/etc/b"]}' >files.json
printf '{"directories":["/etc/a","/etc/b"]}' >directories.json
for kind in files directories; do
    "$auopt" cost --target linux-6.1 --syscall getpid --facts $kind.json watches.rules >stdout || fail "cost of $kind"
    grep -q '[0-9] to [0-9]\|may be' stdout && fail "known $kind, but a range"
    "$auopt" optimize --target linux-6.1 --facts $kind.json watches.rules 2>&1 | grep '[0-9] to [0-9]\|may be' | grep -qv 2.8.5 && fail "known $kind, but a range"
done
grep -q '^getpid .* 208$' stdout || fail "two directories: $(grep getpid stdout)"

[ $failures = 0 ] && echo "--target: the same for every verb"
exit $((failures > 0))
