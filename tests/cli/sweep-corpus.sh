#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Published sweep and node profile tables come out of their samples again.
set -u
drover=$DROVER_BUILD/drover
corpus=${DROVER_CORPUS:-../shared/corpus}
[ -d "$corpus" ] || { echo '1..0 # SKIP ../shared is not here'; exit 0; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

# check NAME EXPECTED OPTION FILE
check() {
	n=$((n + 1))
	"$drover" sweep "$3" "$4" >"$dir/got" 2>&1
	if cmp -s "$dir/got" "$2"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		diff "$2" "$dir/got" | sed 's/^/# /'
	fi
}

for from in "$corpus"/sweep-*; do
	name=${from##*/}
	check "$name" "$from/expected.txt" --samples "$from/samples.json"
	for profile in "$from"/profile-*.json; do
		check "$name ${profile##*/}" "${profile%.json}.expected.txt" \
			--profile "$profile"
	done
done
echo "1..$n"
