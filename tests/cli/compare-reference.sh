#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover compare prints the same table as a second implementation, written in
# Python from the description of the format, on generated matrices.
set -u
drover=$DROVER_BUILD/drover
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
py=/usr/bin/python3
[ -x "$py" ] || py=python3
n=0
for runs in 1 2 3 10 70; do
	m=$dir/$runs
	"$py" tests/bench/gen_matrix.py "$m" 400 "$runs" "7$runs"
	for all in '' --all; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # nothing or a word
		"$drover" compare --matrix "$m/base.json" \
			--matrix "$m/head.json" --axes "$m/axes.json" $all \
			>"$dir/got"
		# shellcheck disable=SC2086
		"$py" tests/bench/compare_reference.py "$m/base.json" \
			"$m/head.json" "$m/axes.json" $all >"$dir/expected"
		if [ -s "$dir/expected" ] && cmp -s "$dir/expected" "$dir/got"
		then
			echo "ok $n - $runs runs a side, ${all:-what changed}"
		else
			echo "not ok $n - $runs runs a side, ${all:-what changed}"
			diff "$dir/expected" "$dir/got" | head -n 20 |
				sed 's/^/# /'
		fi
	done
done
echo "1..$n"
