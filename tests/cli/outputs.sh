#!/usr/bin/env bash
# Where output may go, and where not.
set -u
auopt=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    sed 's/^/    /' err | head -n 5
    failures=$((failures + 1))
}
# run CODE ARGS...
run() {
    local expected=$1
    shift
    "$auopt" "$@" >out 2>err </dev/null
    local code=$?
    [ $code = "$expected" ] || fail "auopt $*: exit $code, expected $expected"
}
mkdir rules.d other
printf -- '-a always,exit -F arch=b64 -S chmod -k x\n-a always,exit -F arch=b64 -S chown -k x\n' >rules.d/a.rules
cp rules.d/a.rules a.rules
printf '{"machine":"x86_64"}\n' >facts.json
sum() { find . -type f ! -name out ! -name err -exec sha256sum {} + | sort; }
before=$(sum)

# An empty name is not standard output.
run 2 optimize -o '' a.rules
run 2 optimize --output '' a.rules
run 2 optimize -o x --report '' a.rules
run 2 facts -o '' a.rules
run 2 augenrules --output '' --rules-dir rules.d
run 2 augenrules --output x.rules --rules-dir ''
# Onto what is read, by whatever name.
ln -s a.rules link.rules
for same in a.rules ./a.rules "$work/a.rules" link.rules other/../a.rules; do
    run 2 optimize -o "$same" a.rules
    run 2 optimize -o a.rules "$same"
    run 2 optimize -o a.rules "rules:$same"
    run 2 facts -o "$same" a.rules
done
grep -q -e '--in-place' err || { run 2 optimize -o a.rules a.rules; grep -q -e '--in-place' err || fail "does not name --in-place"; }
run 2 optimize --facts facts.json -o facts.json a.rules
run 2 optimize a.rules other/../facts.json --facts facts.json --report facts.json -o x
# Into a directory that is read.
for inside in rules.d/b.rules rules.d/a.rules ./rules.d/x.txt "$work/rules.d/b.rules" other/../rules.d/b.rules; do
    run 2 optimize -o "$inside" rules.d
    run 2 optimize -o "$inside" a.rules rules.d/
    run 2 facts -o "$inside" rules.d
    run 2 facts -o "$inside" --rules-dir rules.d
    run 2 augenrules --rules-dir rules.d --output "$inside" --facts facts.json
done
run 2 optimize -o x.rules --report rules.d/report.json rules.d
rm link.rules
[ "$(sum)" = "$before" ] || fail "something was written: $(sum)"

# Beside it is fine; and - is standard output.
run 0 optimize -q -o other/b.rules rules.d
run 0 optimize -q -o - rules.d
grep -q '^-a' out || fail "-o - prints nothing"
[ ! -e - ] || fail "-o - wrote a file called -"
run 0 facts -o - rules.d
grep -q machine out || fail "facts -o - prints nothing"
(umask 027 && "$auopt" optimize -q -o new.rules a.rules) 2>err || fail "new file"
[ "$(stat -c %a new.rules)" = 640 ] || fail "the umask is not honoured: $(stat -c %a new.rules)"
(umask 0 && "$auopt" optimize -q -o new2.rules a.rules) 2>err || fail "new file"
[ "$(stat -c %a new2.rules)" = 644 ] || fail "others may write: $(stat -c %a new2.rules)"

# --in-place keeps the original beside it, with all that it had.
cp a.rules original
chmod 600 a.rules
inode=$(stat -c %i a.rules)
run 0 optimize -q --in-place a.rules
grep -q 'proof: proven' a.rules || fail "not rewritten"
cmp -s a.rules.orig original || fail "the original is not beside it"
[ "$(stat -c '%a %i' a.rules.orig)" = "600 $inode" ] || fail "the original is not the file that was there"
[ "$(stat -c %a a.rules)" = 600 ] || fail "another mode: $(stat -c %a a.rules)"
cp a.rules rewritten
run 2 optimize -q --in-place a.rules
{ cmp -s a.rules rewritten && cmp -s a.rules.orig original; } || fail "an original was lost"
run 2 optimize --in-place rules.d
run 2 optimize --in-place
run 2 optimize --in-place a.rules new.rules
run 2 optimize --in-place -o x.rules new.rules
run 2 optimize --in-place -
printf -- '-w relative -p wa\n' >bad.rules
run 3 optimize --in-place bad.rules
[ ! -e bad.rules.orig ] || fail "an original of what was not rewritten"
rm a.rules.orig && cp original a.rules
run 1 optimize -q --in-place --check a.rules
[ ! -e a.rules.orig ] || fail "--check wrote"

# What a user could lead root with (fs.protected_symlinks never sees a rename).
if [ "$(id -u)" = 0 ]; then
    mkdir sticky && chmod 1777 sticky
    echo secret >victim && chmod 600 victim
    ln -s "$work/victim" sticky/out && chown -h 65534 sticky/out
    run 2 optimize -q -o sticky/out a.rules
    run 2 facts -o sticky/out a.rules
    run 2 augenrules --rules-dir rules.d --facts facts.json --output sticky/out --fallback passthrough
    [ "$(cat victim)" = secret ] || fail "a user's link made root replace a file"
    [ ! -e sticky/out.prev ] || fail "and a copy of it was made"
    rm sticky/out && echo planted >sticky/out && chown 65534 sticky/out
    run 2 optimize -q -o sticky/out a.rules
    # As a user: our own links are followed, root's files are not ours to replace.
    if command -v setpriv >/dev/null; then
        mkdir home && chown 65534 home && chmod 755 "$work"
        setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "cd home && umask 022 && ln -s target link &&
            '$auopt' optimize -q -o link ../new2.rules && [ -L link ] && [ -s target ]" 2>err || fail "a user's own link"
        setpriv --reuid 65534 --regid 65534 --clear-groups "$auopt" optimize -q -o victim new2.rules 2>err
        [ $? = 2 ] || fail "a user replaces root's file"
        [ "$(cat victim)" = secret ] || fail "a user replaced root's file"
    fi
fi
[ $failures = 0 ] && echo "outputs: all as expected"
[ $failures = 0 ]
