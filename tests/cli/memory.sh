#!/usr/bin/env bash
# Under every limit of memory an answer is right or there is none: exit 0 (proven), 5 (undecided), or the program did
# not start. Never a crash, and never another verdict. Z3 returned null here, which was used.
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
# Sets whose proof needs the solver: the order of overlapping rules changes and means the same.
for i in 1 2 3 4 5 6; do
    echo "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F exit=-$((i + 10)) -F uid!=$i -k k$i"
done >a.rules
{ grep -v k1 a.rules && grep k1 a.rules; } >b.rules
"$auopt" verify a.rules b.rules >out 2>err || { cat out err; fail "the pair is not proven without a limit"; }

# From where the shared libraries do not fit (the dynamic loader says so and exits 127) in steps of 2.5 %.
decided=0 undecided=0 limit=20000
while [ $decided -lt 5 ] && [ $limit -lt 4000000 ]; do
    (ulimit -v $limit && exec "$auopt" verify a.rules b.rules) >out 2>err
    code=$?
    case $code in
        0) decided=$((decided + 1)) ;;
        5) undecided=$((undecided + 1)) ;;
        127) ;;
        *) fail "ulimit -v $limit: exit $code: $(cat err)" ;;
    esac
    limit=$((limit + limit / 40))
done
[ $decided -gt 0 ] || fail "no limit was enough"
[ $undecided -gt 0 ] || fail "no limit was met"

[ $failures = 0 ] && echo "memory: $undecided limits undecided, all others as expected"
[ $failures = 0 ]
