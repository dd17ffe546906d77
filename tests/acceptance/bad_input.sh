#!/usr/bin/env bash
# Bad input gives a diagnostic and the documented exit code, leaves an existing output file as it
# was, and leaves no temporary files behind.
#
#   bad_input.sh AUOPT
set -u
auopt=$(readlink -f "$1")
work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

mkdir out in
printf '# the previous file\n-w /etc/passwd -p wa\n' >out/audit.rules
cp -p out/audit.rules previous
printf '{"machine":"x86_64"}\n' >facts.json

fail() {
    echo "FAILED $name: $*"
    sed 's/^/    /' stderr | head -n 5
    failures=$((failures + 1))
}

# expect NAME "CODES" ARGS...: runs auopt ARGS; the exit code is one of CODES.
expect() {
    name=$1
    local codes=" $2 " code
    shift 2
    timeout 60 "${runner[@]}" "$auopt" "$@" >stdout 2>stderr </dev/null
    code=$?
    [[ $codes == *" $code "* ]] || fail "exit $code, expected$codes"
    [ -s stderr ] || fail "no diagnostic"
    cmp -s out/audit.rules previous || { fail "the output file was touched"; cp -p previous out/audit.rules; }
    [ "$(ls -A out)" = audit.rules ] || fail "left behind: $(ls -A out)"
}
runner=()

optimize=(optimize --facts facts.json -o out/audit.rules)

# Bytes of every value, NULs and a broken ELF header among them.
printf '\177ELF\002\001\001\000' >in/binary
awk 'BEGIN { for (i = 0; i < 4096; i++) printf "%c", (i * 7 + 3) % 256 }' >>in/binary
expect "binary file" 3 "${optimize[@]}" in/binary

mkdir in/empty.d
echo "not rules" >in/empty.d/README
expect "directory without rules" 3 "${optimize[@]}" in/empty.d

expect "missing file" 3 "${optimize[@]}" in/nowhere.rules
ln -s loop.rules in/loop.rules
expect "unreadable file (link to itself)" 3 "${optimize[@]}" in/loop.rules
echo "-w /etc/passwd -p wa" >in/secret.rules
chmod 000 in/secret.rules
if [ "$(id -u)" != 0 ]; then
    expect "unreadable file (mode 000)" 3 "${optimize[@]}" in/secret.rules
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups -- test -x "$auopt"; then
    chmod 755 . in && chmod 777 out
    runner=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
    expect "unreadable file (mode 000, as nobody)" 3 "${optimize[@]}" in/secret.rules
    runner=()
fi

{ printf -- '-w /'; head -c 1048576 /dev/zero | tr '\0' a; printf ' -p wa\n'; } >in/long.rules
expect "line of 1 MB" 3 "${optimize[@]}" in/long.rules
head -c 1048576 /dev/zero >in/zeros.rules
printf '\n-w relative -p wa\n' >>in/zeros.rules
expect "1 MB of NUL bytes, then a bad line" 3 "${optimize[@]}" in/zeros.rules

echo "-w /etc/shadow -p wa" >in/good.rules
expect "unknown option" 2 "${optimize[@]}" --no-such-option in/good.rules
expect "unknown verb" 2 polish in/good.rules
expect "no verb" 2
expect "unknown target" 2 "${optimize[@]}" --target linux-0.1 in/good.rules
expect "unknown pass" 2 "${optimize[@]}" --passes make_faster in/good.rules
expect "unknown preserve level" 2 "${optimize[@]}" --preserve most in/good.rules

echo "-a always,exit -S open -F auid=chrony -k time" >in/user.rules
expect "user name without facts" 3 "${optimize[@]}" in/user.rules
expect "missing facts file" "2 3" optimize --facts nowhere.json -o out/audit.rules in/good.rules
echo '{"users": ["root"]}' >bad.json
expect "facts of the wrong shape" "2 3" optimize --facts bad.json -o out/audit.rules in/good.rules
echo '{"users": ' >cut.json
expect "facts cut short" "2 3" optimize --facts cut.json -o out/audit.rules in/good.rules

printf -- '-w /etc/shadow -p wa\n-a always,exit -S nosuchcall -k x\n' >in/bad.rules
expect "line that auditctl rejects" 3 "${optimize[@]}" in/bad.rules
grep -q 'in/bad\.rules:2:' stderr || fail "the diagnostic does not name file and line"
for verb in cost lint compile; do
    expect "$verb of a missing file" 3 "$verb" --facts facts.json in/nowhere.rules
done
expect "verify of a missing file" 3 verify --facts facts.json in/good.rules in/nowhere.rules

expect "output in a folder that is not there" "2 3" optimize --facts facts.json -o nowhere/audit.rules in/good.rules
[ ! -e nowhere ] || fail "it made the folder"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures"
    exit 1
fi
echo "all bad inputs diagnosed; the output file stood"
