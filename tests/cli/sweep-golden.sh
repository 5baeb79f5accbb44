#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover sweep against whole outputs in tests/data/report/sweep, and its errors.
set -u
drover=$DROVER_BUILD/drover
data=tests/data/report/sweep
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

# check NAME EXPECTED ARGS...
check() {
	n=$((n + 1))
	name=$1
	expected=$data/$2
	shift 2
	"$drover" sweep "$@" >"$dir/got" 2>"$dir/err"
	rc=$?
	[ -z "${UPDATE:-}" ] || cp "$dir/got" "$expected"
	if [ "$rc" = 0 ] && cmp -s "$dir/got" "$expected"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		diff "$expected" "$dir/got" | sed 's/^/# /'
		sed 's/^/# /' "$dir/err"
	fi
}

# refuse NAME CODE MESSAGE ARGS...
refuse() {
	n=$((n + 1))
	name=$1
	code=$2
	says=$3
	shift 3
	"$drover" sweep "$@" >"$dir/got" 2>"$dir/err"
	rc=$?
	if [ "$rc" = "$code" ] && [ ! -s "$dir/got" ] &&
		grep -qF "$says" "$dir/err"
	then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "# exit $rc: $(cat "$dir/err")"
	fi
}

check 'samples and profile make two tables' both.txt \
	--samples "$data/samples.json" --profile "$data/profile.json"
check 'the same as JSON' both.json --json \
	--samples "$data/samples.json" --profile "$data/profile.json"
refuse 'nothing to show' 2 'needs --samples'
refuse 'a missing file' 3 "$dir/none.json" --samples "$dir/none.json"
echo '{"rows": [{"affinity": "a"}]}' >"$dir/bad.json"
refuse 'a bad row is named' 2 "bad.json: row 1: \"nr_threads\"" \
	--samples "$dir/bad.json"
refuse 'one bad file prints no table at all' 2 'bad.json: ' \
	--samples "$data/samples.json" --profile "$dir/bad.json"
echo "1..$n"
