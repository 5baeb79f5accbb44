#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The sampling loop of a box by itself, in each shell that boxes have.
set -u
monitor=$(cd "${0%/*}/../.." && pwd)/runners/box/monitor.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

n=0
is() {
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" && return
	printf 'not ok %s - %s\n# got: %s\n# want: %s\n' "$n" "$1" "$2" "$3"
}

# tick SHELL: one tick of all files of $tmp/monitors into $tmp/run/mon
tick() {
	rm -rf "$tmp/run"
	mkdir "$tmp/run"
	# shellcheck disable=SC2016
	$1 -c '. "$1"; monitor_init; monitor_tick_all' - "$monitor"
}
export dir="$tmp" run="$tmp/run"

# 1500 files whose names are longer than the command line that is allowed.
long=$tmp/$(printf '%080d' 0)
i=0
while [ $i -lt 1500 ]; do
	mkdir -p "$long/cpu$i"
	echo "$i" >"$long/cpu$i/time"
	i=$((i + 1))
done
echo "0 cpuidle $long/cpu*/time" >"$tmp/monitors"
echo "1 few,more $long/cpu[0-2]/time" >>"$tmp/monitors"

for shell in sh 'busybox ash' bash; do
	command -v "${shell%% *}" >/dev/null || continue
	(
		# shellcheck disable=SC3045
		ulimit -s 400
		tick "$shell"
	)
	# Expected: the tick has every file. Buggy: "Argument list too long",
	# and not one of them.
	is "$shell: a tick of many files has them all" \
		"$(grep -c '^= cpuidle$' "$tmp/run/mon") $(grep -c '^[0-9]' \
			"$tmp/run/mon")" '1500 1503'
	is "$shell: each file stands behind its names and its path" \
		"$(sed -n "/^# .*\/cpu1499\//{n;p;}" "$tmp/run/mon")" 1499
	is "$shell: the first line is the tick's" \
		"$(sed -n '1s/[0-9][0-9.]*/N/p' "$tmp/run/mon")" '@ N'
done
echo "1..$n"
