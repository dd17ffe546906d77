#!/usr/bin/env bash
# auopt fmt on files: in place, checks that write nothing, several files, standard input.
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
ugly='-w  /etc/passwd -p aw -k x'
fine='-w /etc/passwd -p wa -k x'

# In place: the new text, the old mode, a link stays a link, nothing on standard output.
printf '%s\n' "$ugly" >a.rules
chmod 0604 a.rules
ln -s a.rules link.rules
[ -z "$("$auopt" fmt -i link.rules)" ] || fail "in place prints the rules"
[ "$(cat a.rules)" = "$fine" ] || fail "in place: $(cat a.rules)"
[ -L link.rules ] || fail "the link was replaced"
[ "$(stat -c %a a.rules)" = 604 ] || fail "the mode is $(stat -c %a a.rules)"

# A file in canonical form is not written at all.
before=$(stat -c %i.%Y.%Z a.rules)
"$auopt" fmt --in-place a.rules || fail "a second time"
[ "$before" = "$(stat -c %i.%Y.%Z a.rules)" ] || fail "an unchanged file was rewritten"

# --check and --diff write nothing.
printf '%s\n' "$ugly" >b.rules
"$auopt" fmt --check a.rules b.rules >out 2>err
[ $? = 1 ] || fail "--check is not 1"
{ [ ! -s out ] && [ "$(cat err)" = "would change b.rules" ]; } || fail "--check says: $(cat out err)"
"$auopt" fmt --diff b.rules >out || fail "--diff is not 0"
grep -q "^+$fine" out || fail "no diff: $(cat out)"
[ "$(cat b.rules)" = "$ugly" ] || fail "--check or --diff wrote"

# Lines that would not load stay, the others are formatted, and the code says so.
printf '%s\n' '-a  always,exit -S opne' "$ugly" >c.rules
"$auopt" fmt -i c.rules 2>err
[ $? = 3 ] || fail "a line that would not load is not 3"
[ "$(cat c.rules)" = "$(printf '%s\n' '-a  always,exit -S opne' "$fine")" ] || fail "bad line: $(cat c.rules)"
grep -q 'AU014' err || fail "no diagnostic: $(cat err)"

# Standard input, and what does not go together.
[ "$(printf '%s' "$ugly" | "$auopt" fmt -)" = "$fine" ] || fail "standard input"
"$auopt" fmt -i - </dev/null 2>/dev/null
[ $? = 2 ] || fail "standard input in place"
"$auopt" fmt -i --check b.rules 2>/dev/null
[ $? = 2 ] || fail "--check with --in-place"
"$auopt" fmt nowhere.rules 2>/dev/null
[ $? = 3 ] || fail "a missing file"

# Strange bytes survive.
printf '# caf\303\251 \377\n-w /x\\ y\001z -p  wa\n-w /a\\nb -k k\r\n' >d.rules
"$auopt" compile d.rules >before.wire 2>/dev/null
"$auopt" fmt -i d.rules 2>/dev/null
"$auopt" compile d.rules 2>/dev/null | cmp -s - before.wire || fail "other bytes: $(od -c d.rules)"
[ "$(head -1 d.rules)" = "$(printf '# caf\303\251 \377')" ] || fail "the comment"

echo "$failures failures"
[ "$failures" = 0 ]
