#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover compare --matrix against whole outputs in tests/data/report/CASE:
# "cases" has a line per run: expected file, exit code, arguments.
set -u
drover=$DROVER_BUILD/drover
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
for cases in tests/data/report/*/cases; do
	at=${cases%/cases}
	while read -r expected code args; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # the arguments are words
		(cd "$at" && "$drover" compare $args) >"$dir/got" 2>"$dir/err"
		rc=$?
		if [ -n "${UPDATE:-}" ]; then
			cp "$dir/got" "$at/$expected"
		fi
		if [ "$rc" = "$code" ] && cmp -s "$dir/got" "$at/$expected"; then
			echo "ok $n - ${at##*/}: $expected"
		else
			echo "not ok $n - ${at##*/}: $expected"
			echo "# exit $rc, expected $code"
			diff "$at/$expected" "$dir/got" | sed 's/^/# /'
			sed 's/^/# /' "$dir/err"
		fi
	done <"$cases"
done

# refuse NAME MESSAGE ARGS...
refuse() {
	n=$((n + 1))
	name=$1
	says=$2
	shift 2
	"$drover" compare "$@" >"$dir/got" 2>"$dir/err"
	rc=$?
	if [ "$rc" = 2 ] && [ ! -s "$dir/got" ] && grep -qF -- "$says" "$dir/err"
	then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "# exit $rc: $(cat "$dir/err")"
	fi
}
m=tests/data/report/rule/base.json
echo '{"a": [1,' >"$dir/broken.json"
refuse 'one matrix is too few' '2 to 16 times' --matrix "$m"
refuse 'all and changed exclude each other' 'either --all or --changed' \
	--matrix "$m" --matrix "$m" --all --changed
refuse 'an unknown format gets a suggestion' 'did you mean text?' \
	--matrix "$m" --matrix "$m" --format texd
refuse 'broken JSON is named with its line' "$dir/broken.json:" \
	--matrix "$m" --matrix "$dir/broken.json"
refuse 'axes for another number of commits' '2 commits' \
	--matrix "$m" --matrix "$m" --matrix "$m" \
	--axes tests/data/report/rule/axes.json
refuse 'what belongs to a verdict needs one' '--min-effect goes with --verdict' \
	--matrix "$m" --matrix "$m" --min-effect 2
refuse 'what belongs to files needs some' '--axes goes with --matrix' \
	1 --axes tests/data/report/rule/axes.json
refuse 'a verdict is no csv' 'take --format json' \
	--matrix "$m" --matrix "$m" --verdict --format csv
refuse 'a percentage is one' '--aa-rate 3x: expected a percentage' \
	--matrix "$m" --matrix "$m" --verdict --aa-rate 3x
refuse 'a boot has a run' '--runs-per-boot -1: expected 1 to 10000' \
	--matrix "$m" --matrix "$m" --verdict --runs-per-boot -1
# no golden file: the last digits of a double are the machine's
n=$((n + 1))
v=tests/data/report/verdict
if "$drover" compare --matrix $v/base.json --matrix $v/head.json \
	--axes $v/axes.json --runs-per-boot 2 --verdict --json >"$dir/got" &&
	for part in '"metrics_changed": 7,' '"verdicts": \[' '"tested": 10' \
		'"method": "boots"' '"headline": "stress-ng.pipe.ops_per_sec"' \
		'"detectable": 0.011[0-9]*,' '"family": "headlines"' \
		'"test": "welch"' '"test": "ranks"' '"test": "fisher"'; do
		grep -q "$part" "$dir/got" || echo "$part" >>"$dir/missing"
	done && [ ! -e "$dir/missing" ]
then
	echo "ok $n - a verdict as JSON has rows and counts"
else
	echo "not ok $n - a verdict as JSON has rows and counts"
	sed 's/^/# missing: /' "$dir/missing"
fi
for f in boots runs marked same all; do
	n=$((n + 1))
	# a character may be three bytes
	wide=$(grep -v '^base\|^head' "tests/data/report/verdict/$f.txt" |
		sed 's/…/./g' | awk 'length > 80')
	if [ -z "$wide" ]; then
		echo "ok $n - verdict/$f.txt fits 80 columns"
	else
		echo "not ok $n - verdict/$f.txt fits 80 columns"
		echo "$wide" | sed 's/^/# /'
	fi
done
echo "1..$n"
