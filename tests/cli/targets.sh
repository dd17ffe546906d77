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
        [ $code = $expected ] || fail "$verb --target $target: exit $code, expected $expected"
    done
    "$auopt" augenrules --target $target --rules-dir rules.d --output out.rules >stdout 2>stderr </dev/null
    code=$?
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

[ $failures = 0 ] && echo "--target: the same for every verb"
exit $((failures > 0))
