#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover bisect-engine: its line protocol, and a few trials before the judge.
set -u
drover=$DROVER_BUILD/drover
world=../shared/sim/world.py
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out" "$dir/err"
	fi
}

# talk NAME CODE PATTERN FILE: which stream FILE must hold the pattern
talk() {
	"$drover" bisect-engine <"$dir/in" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ "$rc" = "$2" ] && grep -q "$3" "$dir/$4"
	result $? "$1"
}

start='{"op":"start","commits":[{"id":"a","parents":[]},
{"id":"b","parents":["a"]},{"id":"c","parents":["b"]}],"good":"a","bad":"c",
"claim":-0.1,"boxes":["x"],"calibration":{"sd":0.01},
"cost":{"build":10,"boot":1,"run":1},"budget_runs":100}'
start=$(echo "$start" | tr -d '\n')

echo "$start" >"$dir/in"
talk "a start is answered with boots to run" 0 '"op":"run"' out

: >"$dir/in"
"$drover" bisect-engine <"$dir/in" >"$dir/out" 2>"$dir/err"
result $? "no input is no error"

echo 'nonsense' >"$dir/in"
talk "text that is no JSON is refused with its line" 2 'line 1' err

echo '{"op":"dance"}' >"$dir/in"
talk "an unknown op is refused" 2 'dance' err

echo '{"op":"result","boots":[]}' >"$dir/in"
talk "a result needs a start" 2 'before any start' err

printf '%s\n%s\n' "$start" \
	'{"op":"result","boots":[{"commit":"q","box":"x","values":[1]}]}' \
	>"$dir/in"
talk "a commit outside the range is refused" 2 'not in the range' err

printf '%s\n%s\n' "$start" '{"op":"result","boots":[
{"commit":"a","box":"x","values":[100]},{"commit":"c","box":"x","values":[90]},
{"commit":"c","box":"x","values":[90]},{"commit":"a","box":"x","values":[100]},
{"commit":"a","box":"x","values":[100]},{"commit":"c","box":"x","values":[90]}
]}' | tr -d '\n' | sed 's/}{"op"/}\n{"op"/' >"$dir/in"
echo >>"$dir/in"
talk "boots that are there already end the detection" 0 '"phase":"search"' out

if [ -f "$world" ]; then
	timeout 60 python3 "$world" --trials 8 \
		--only strong,short,merges,nothing,unbuildable \
		-- "$drover" bisect-engine >"$dir/out" 2>"$dir/err"
	result $? "the judge's gates hold in a few trials"
else
	n=$((n + 1))
	echo "ok $n - the judge's gates # SKIP ../shared is not here"
fi
echo "1..$n"
