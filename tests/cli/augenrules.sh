#!/usr/bin/env bash
# auopt augenrules: what is installed, when it falls back, and what --load does. auditctl is a fake here: a script
# that writes down how it was called.
set -u
auopt=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    sed 's/^/    /' stderr | head -n 5
    failures=$((failures + 1))
}
# run CODE ARGS...
run() {
    local expected=$1
    shift
    "$auopt" augenrules --rules-dir rules.d --output out/audit.rules --facts facts.json "$@" >stdout 2>stderr </dev/null
    local code=$?
    [ $code = "$expected" ] || fail "augenrules $*: exit $code, expected $expected"
}
mode() { stat -c %a "$1"; }
rule_lines() { grep -c '^-[aw]' "$1"; }

mkdir rules.d out
printf '{"machine":"x86_64","audit_version":"3.0.9","kernel":"6.1.0-57-amd64","files":["/etc/passwd","/etc/shadow"],"directories":["/etc"]}\n' >facts.json
printf -- '-D\n-b 64\n-w /etc/passwd -p wa -k id\n-e 2\n' >rules.d/10-id.rules
printf -- '-a always,exit -F arch=b64 -S chmod -k perm\n-a always,exit -F arch=b64 -S fchmod -k perm\n' >rules.d/20-perm.rules

# --check before anything is installed.
run 1 --check
[ ! -e out/audit.rules ] || fail "--check installed a file"

run 0
[ "$(mode out/audit.rules)" = 640 ] || fail "mode $(mode out/audit.rules)"
grep -q '^# proof: proven' out/audit.rules || fail "not the optimized rules"
[ "$(rule_lines out/audit.rules)" = 2 ] || fail "rules: $(rule_lines out/audit.rules)"
[ "$(tail -n 1 out/audit.rules)" = "-e 2" ] || fail "-e is not last"
[ ! -e out/audit.rules.prev ] || fail ".prev of nothing"
cp out/audit.rules optimized

run 0
grep -q 'no change' stdout || fail "the same rules again are a change"
run 0 --check

# The previous file is kept beside it.
printf -- '-a always,exit -F arch=b64 -S acct -k acct\n' >rules.d/30-acct.rules
run 1 --check
run 0
cmp -s out/audit.rules.prev optimized || fail ".prev is not what was there"
cp out/audit.rules optimized

# A line that would not load: nothing is touched without the fallback ...
printf -- '-w relative -p wa\n' >rules.d/40-bad.rules
run 3
cmp -s out/audit.rules optimized || fail "installed in spite of a bad line"
grep -q 'rules.d/40-bad.rules:1:4' stderr || fail "the diagnostic does not name the place"
# ... and with it the plain merge is there, byte for byte, also when a symbolic link is in between.
mv out/audit.rules out/real.rules && ln -s real.rules out/audit.rules
run 3 --fallback passthrough --accept-lost
grep -q 'falling back' stderr || fail "the fallback is silent"
[ -L out/audit.rules ] || fail "the link was replaced"
# Without its first line, which names the directory.
tail -n +2 out/real.rules >merged
cat >expected <<'EOF'
-D
-b 64

-w /etc/passwd -p wa -k id
-a always,exit -F arch=b64 -S chmod -k perm
-a always,exit -F arch=b64 -S fchmod -k perm
-a always,exit -F arch=b64 -S acct -k acct
-w relative -p wa
-e 2
EOF
cmp -s merged expected || fail "not the plain merge"

# Every other reason to fail falls back as well: facts that are broken, a user that nobody knows, a rule outside the model.
rm rules.d/40-bad.rules
# Each with the exit code of its reason. (What would lose lines is in augenrules_fallback.sh.)
fallback() {
    local expected=$1
    shift
    "$auopt" augenrules --rules-dir rules.d --output out/audit.rules --fallback passthrough --accept-lost "$@" >stdout 2>stderr </dev/null
    local code=$?
    [ $code = "$expected" ] || fail "fallback for $why: exit $code"
    grep -q 'falling back' stderr || fail "fallback for $why: none"
    [ "$(rule_lines out/real.rules)" -ge 4 ] || fail "fallback for $why: fewer rules than the merge"
}
why="broken facts"
printf '{' >broken.json
fallback 3 --facts broken.json
why="an unknown user"
printf -- '-a always,exit -F arch=b64 -S open -F auid=nobody-here -k x\n' >rules.d/40-user.rules
fallback 3 --facts facts.json
why="a delete of something else"
printf -- '-d always,exit -F arch=b64 -S rmdir -k x\n' >rules.d/40-user.rules
sed -i 1d rules.d/10-id.rules
fallback 5 --facts facts.json
printf -- '-D\n' | cat - rules.d/10-id.rules >first && mv first rules.d/10-id.rules
rm rules.d/40-user.rules
why="a path that is missing on this host"
printf -- '-w /no/such/folder/file -p wa -k x\n' >rules.d/40-missing.rules
fallback 3
rm rules.d/40-missing.rules
why="an unreadable file"
mkdir rules.d/50-folder.rules
fallback 3 --facts facts.json
rmdir rules.d/50-folder.rules

# --load: auditctl -R on the installed file, its exit code is ours.
cat >auditctl <<'EOF'
#!/bin/sh
echo "$@" >>calls
grep -q 'proof: proven' "$2" && exit "${OPTIMIZED_EXIT:-0}"
exit "${PLAIN_EXIT:-0}"
EOF
chmod +x auditctl
export AUOPT_AUDITCTL="$work/auditctl"
run 0 --load
[ "$(cat calls)" = "-R ./out/audit.rules" ] || fail "called as $(cat calls)"
OPTIMIZED_EXIT=7 run 7 --load
# Under passthrough a load that fails is followed by one of the plain merge.
: >calls
OPTIMIZED_EXIT=7 run 7 --load --fallback passthrough
[ "$(wc -l <calls)" = 2 ] || fail "auditctl was called $(wc -l <calls) times"
cmp -s <(tail -n +2 out/real.rules) <(grep -v relative expected) || fail "the plain merge is not installed after a failed load"
OPTIMIZED_EXIT=7 PLAIN_EXIT=9 run 9 --load --fallback passthrough
AUOPT_AUDITCTL="$work/nowhere" run 3 --load

# Where the file cannot be written, what was there stays.
cp out/real.rules before
mkdir out2 && cp before out2/audit.rules
if [ "$(id -u)" != 0 ]; then
    chmod 555 out2
    "$auopt" augenrules --rules-dir rules.d --output out2/audit.rules --facts facts.json >stdout 2>stderr && fail "wrote into a read-only folder"
    chmod 755 out2
    cmp -s out2/audit.rules before || fail "a failed write changed the file"
fi
"$auopt" augenrules --rules-dir nowhere.d --output out/audit.rules --fallback passthrough >stdout 2>stderr && fail "no directory, no error"
cmp -s out/real.rules before || fail "no directory, but a new file"
[ -z "$(find out -name '.*.??????')" ] || fail "left behind: $(find out -name '.*')"

[ $failures = 0 ] && echo "augenrules: all as expected"
[ $failures = 0 ]
