#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Taking a box when another claim is going on, or died while it was.
set -u
box=$(cd "${0%/*}/../.." && pwd)/runners/box
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

n=0
is() {
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" && return
	printf 'not ok %s - %s\n# got: %s\n# want: %s\n' "$n" "$1" "$2" "$3"
}

# The seconds of waiting take none here.
mkdir "$tmp/bin" "$tmp/base"
cp "$box/supervisor.sh" "$tmp/base/"
printf '#!/bin/sh\necho >>%s/slept\n' "$tmp" >"$tmp/bin/sleep"
chmod +x "$tmp/bin/sleep"

# claim ATTEMPT TOKEN: "STATUS WORDS, N naps"
claim() {
	: >"$tmp/slept"
	PATH="$tmp/bin:$PATH" sh "$tmp/base/supervisor.sh" claim "$1" "$2" \
		>"$tmp/out" 2>&1
	echo "$? $(cat "$tmp/out"), $(wc -l <"$tmp/slept") naps"
}

read -r up _ </proc/uptime
up=${up%.*}
sh -c 'exit 0' &
dead=$!
wait "$dead"

is 'a free box is taken' "$(claim 1 aa)" '0 , 0 naps'
mkdir "$tmp/base/lock"
echo "$up $dead" >"$tmp/base/lock/since"
# Expected: a claim that was killed is in nobody's way.
# Buggy: for a minute each claim failed after 15 s.
is 'the lock of a dead claim is dead' "$(claim 2 ab)" '0 , 0 naps'
mkdir "$tmp/base/lock"
echo "$up $$" >"$tmp/base/lock/since"
is 'a claim that is going on is waited for' "$(claim 3 ac)" \
	'1 another claim was going on, 15 naps'
# Buggy: who had waited in vain took the lock away from its owner.
is 'and keeps its lock' "$(cat "$tmp/base/lock/since")" "$up $$"
echo "$((up - 61)) $$" >"$tmp/base/lock/since"
is 'but not for more than a minute' "$(claim 4 ad)" '0 , 0 naps'
mkdir "$tmp/base/lock"
is 'one that died before it signed is waited for once' "$(claim 5 ae)" \
	'1 another claim was going on, 15 naps'
is 'and never again' "$(claim 6 af)" '0 , 0 naps'
is 'the box belongs to the last' "$(cut -d' ' -f1,2 "$tmp/base/claim")" '6 af'
is 'nothing else is left' "$(ls "$tmp/base")" "a-af
claim
supervisor.sh"
echo "1..$n"
