#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages in a browser: accessibility, width, requests, sorting. Needs
# chromium, node and the npm packages playwright-core and axe-core, found
# through NODE_PATH; skipped without them.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
pages=${DROVER_BUILD:-$here/build}/libexec/drover-pages
CHROMIUM=$(command -v chromium || command -v chromium-browser) ||
	{ echo "1..0 # SKIP no chromium"; exit 0; }
export CHROMIUM
for need in sqlite3 node; do
	command -v $need >/dev/null || { echo "1..0 # SKIP no $need"; exit 0; }
done
for need in playwright-core axe-core; do
	node -e "require.resolve('$need')" 2>/dev/null ||
		{ echo "1..0 # SKIP no npm package $need in NODE_PATH"; exit 0; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{
	cat "$here"/db/schema/*.sql "$here/tests/data/pages/fixture.sql"
	echo "PRAGMA application_id = $((0x44726f76));"
	echo "PRAGMA user_version = $(ls "$here"/db/schema/*.sql | wc -l);"
} | sqlite3 "$dir/a.db"
"$pages" --db "$dir/a.db" --out "$dir/site" || { echo "1..1"; echo "not ok 1"; exit 1; }
node "$here/tests/flow/pages-browser.js" "$dir/site" index.html \
	c/09414b0d4450..b166c89097eb/stress-ng-pipeherd-60s-100/numa-a/index.html \
	b/1/index.html job/1/index.html r/1/index.html >"$dir/tap" 2>"$dir/err"
status=$?
awk '/^(not )?ok - / { n++; sub(/ok - /, "ok " n " - ") } { print }
	END { if ('$status') { n++; print "not ok " n " - the browser ran to the end" }
		print "1.." n }' "$dir/tap"
sed 's/^/# /' "$dir/err" | head -20
