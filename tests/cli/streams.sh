#!/usr/bin/env bash
# What goes to which stream, colour, pipes, and verbs under their other name.
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
printf -- '-a always,exit -F arch=b64 -S chmod -k x\n-a always,exit -F arch=b64 -S chown -k x\n' >a.rules
printf -- '-a always,exit -F arch=b64 -S chmod -k x\n' >b.rules

# A refutation names an event, and the exit code says so; --decision ignores keys.
"$auopt" verify a.rules b.rules >out 2>err
[ $? = 4 ] || fail "verify of different rules is not 4"
{ grep -q '^Refuted' out && grep -q 'chown' out; } || fail "no event: $(cat out)"
"$auopt" verify --format json a.rules b.rules >out
python3 - <<'EOF' || fail "verify JSON"
import json
v = json.load(open("out"))
assert v["result"] == "refuted" and v["event"]["syscall"] == "chown" and v["before"]["decision"] == "always", v
EOF
sed 's/-k x/-k y/' a.rules >c.rules
"$auopt" verify a.rules c.rules >out
[ $? = 4 ] || fail "another key is not refuted"
"$auopt" verify --preserve decision a.rules c.rules >out || fail "another key matters under --preserve decision"

# optimize: rules on standard output and nothing else; -q silences the summary.
"$auopt" optimize a.rules >out 2>err || fail "optimize"
grep -qv '^#\|^-a\|^$' out && fail "something else than rules on standard output"
grep -q '^Proven' err || fail "no summary on standard error"
"$auopt" optimize -q a.rules >out 2>err
[ -s err ] && fail "-q is not quiet: $(cat err)"
"$auopt" optimize a.rules -o out/none 2>err && fail "wrote into a folder that is not there"
"$auopt" optimize -q a.rules --report report.json -o optimized.rules || fail "optimize --report"
python3 -c 'import json; r = json.load(open("report.json")); assert r["proof"]["result"] == "proven" and r["rules"] == {"before": 2, "after": 1}, r' ||
    fail "report"
"$auopt" optimize -q --check a.rules -o optimized.rules || fail "--check of what was just written"
"$auopt" optimize -q --check b.rules -o optimized.rules && fail "--check of something else"
# shellcheck disable=SC2002  # a pipe is what is tested
cat a.rules | "$auopt" verify - optimized.rules >out || fail "verify from standard input"

# gate against a baseline that differs.
"$auopt" gate --against a.rules b.rules >out 2>err
[ $? = 4 ] || fail "gate does not refute"
grep -q '^gate:    FAIL' out || fail "gate says nothing"

# Colour: never into a file, always when forced, NO_COLOR only against the automatic choice.
printf -- '-w x\n' >bad.rules
"$auopt" lint bad.rules >out 2>/dev/null
grep -q $'\x1b' out && fail "colour in a file"
NO_COLOR=1 "$auopt" lint --color always bad.rules >out 2>/dev/null
grep -q $'\x1b' out || fail "--color always has none"

# aulint is the same program.
ln -s "$auopt" aulint
./aulint bad.rules >out 2>/dev/null
[ $? = 3 ] || fail "aulint"

# A reader that goes away is no crash.
"$auopt" cost --format json a.rules | head -c 10 >/dev/null
code=${PIPESTATUS[0]}
[ "$code" = 0 ] || [ "$code" = 2 ] || fail "closed pipe: exit $code"
"$auopt" cost a.rules >/dev/full 2>err
[ $? = 2 ] || fail "a full disk is not noticed"

# Facts of this host are facts that can be read back.
printf -- '-w /etc/ -p wa -k x\n-a always,exit -F arch=b64 -S chmod -F uid=root -k y\n' >host.rules
"$auopt" facts host.rules -o facts.json || fail "facts"
"$auopt" cost --facts facts.json --syscall getpid host.rules >out || fail "facts cannot be read back"
"$auopt" cost --target host --syscall getpid host.rules >out 2>err || fail "--target host: $(cat err)"
"$auopt" cost --syscall getpid host.rules >out 2>err
[ $? = 3 ] || fail "a user name without facts"

[ $failures = 0 ] && echo "streams: all as expected"
[ $failures = 0 ]
