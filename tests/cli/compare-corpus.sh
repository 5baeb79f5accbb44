#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Published comparison tables come out of their samples again, line by line.
# Where a report sorted as we do, the order is the same too; inside perf-profile
# only as far as the printed changes tell, since rows that print the same change
# were sorted by digits that no longer exist.
set -u
drover=$DROVER_BUILD/drover
corpus=${DROVER_CORPUS:-../shared/corpus}
[ -d "$corpus" ] || { echo '1..0 # SKIP ../shared is not here'; exit 0; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# a table's rows, but of profile rows only what their order is made of
order_of() {
	sed 's/±/+/g' "$1" | awk '
	substr($0, 47, 13) == "perf-profile." {
		split(substr($0, 47), part, ".")
		print part[1] "." part[2], substr($0, 17, 12)
		next
	}
	{ print }'
}

n=0
for axes in "$corpus"/*/axes.json; do
	from=${axes%/axes.json}
	name=${from##*/}
	[ -e "$from/base/matrix.json" ] || continue
	n=$((n + 1))
	"$drover" compare --matrix "$from/base/matrix.json" \
		--matrix "$from/head/matrix.json" --axes "$axes" --all \
		>"$dir/got" 2>"$dir/err" || echo "# exit $?"
	sed 's/^/# /' "$dir/err"
	ok=ok
	head -n 12 "$from/expected.txt" >"$dir/a"
	head -n 12 "$dir/got" | cmp -s - "$dir/a" || ok='not ok'
	LC_ALL=C sort "$from/expected.txt" >"$dir/a"
	LC_ALL=C sort "$dir/got" | cmp -s - "$dir/a" || ok='not ok'
	case $(cat "$axes") in
	*'"testcase-first"'*)
		order_of "$from/expected.txt" >"$dir/a"
		order_of "$dir/got" | cmp -s - "$dir/a" || ok='not ok'
		what='in order' ;;
	*)
		what='as a set' ;;
	esac
	echo "$ok $n - $name, $what"
	[ "$ok" = ok ] || diff "$from/expected.txt" "$dir/got" | head -20 |
		sed 's/^/# /'
done
echo "1..$n"
