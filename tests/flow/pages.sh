#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The static pages of a fixture database: same bytes each time, valid, links
# that resolve, numbers that agree, hostile text that stays text.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
pages=${DROVER_BUILD:-$here/build}/libexec/drover-pages
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; sed 's/^/# /' "$dir/why" 2>/dev/null | head -20; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
# check NAME: the last command's status decides
check() { if [ $? -eq 0 ]; then ok "$1"; else not_ok "$1"; fi; }
make_pages() { "$pages" --db "$1" --out "$2" --base-url https://lab.example.org --verbose >"$dir/why" 2>&1; }

command -v sqlite3 >/dev/null || { echo "1..0 # SKIP no sqlite3"; exit 0; }
[ -x "$pages" ] || { echo "1..1"; echo "not ok 1 - $pages is not built"; exit 1; }
{
	cat "$here"/db/schema/*.sql "$here/tests/data/pages/fixture.sql"
	echo "PRAGMA application_id = $((0x44726f76));"
	echo "PRAGMA user_version = $(ls "$here"/db/schema/*.sql | wc -l);"
} | sqlite3 "$dir/a.db" 2>"$dir/why"
[ ! -s "$dir/why" ]
check "the fixture loads"

make_pages "$dir/a.db" "$dir/one"
check "pages are made"

# --- the same bytes
make_pages "$dir/a.db" "$dir/two" && diff -r "$dir/one" "$dir/two" >"$dir/why"
check "the same database makes the same tree"
make_pages "$dir/a.db" "$dir/one" && grep -q ' 0 written' "$dir/why"
check "a second run writes nothing"
"$pages" --db "$dir/a.db" --out "$dir/one" --base-url https://lab.example.org \
	--all --verbose >"$dir/why" 2>&1 && grep -q ' 0 written' "$dir/why"
check "nor does one that makes every page"
find "$dir/one" -name '*.new' >"$dir/why" && [ ! -s "$dir/why" ]
check "no temporary file stays behind"

# --- valid, and links that resolve
if command -v tidy >/dev/null; then
	find "$dir/one" -name '*.html' | while read -r f; do
		tidy -e -q "$f" 2>&1 | grep -v '^$' | sed "s,^,${f#"$dir/one/"}: ,"
	done >"$dir/why"
	[ ! -s "$dir/why" ]
	check "tidy finds nothing"
else
	skip "tidy finds nothing" "tidy is not installed"
fi
find "$dir/one" -name '*.html' | while read -r f; do
	d=$(dirname "$f")
	grep -oE '(href|src)="[^"]*"' "$f" | sed 's/^[^"]*"//; s/"$//' | sort -u |
	while read -r link; do
		case $link in
		https://git.example.org/*) continue ;;
		\#*) target=$f; anchor=${link#\#} ;;
		*\#*) target=$d/${link%%\#*}; anchor=${link#*\#} ;;
		*) target=$d/$link; anchor= ;;
		esac
		[ -f "$target" ] || echo "${f#"$dir/one/"}: $link"
		[ -z "$anchor" ] || grep -q "id=\"$anchor\"" "$target" ||
			echo "${f#"$dir/one/"}: no anchor $link"
	done
done >"$dir/why"
[ ! -s "$dir/why" ]
check "every link and anchor resolves"
find "$dir/one" -name '*.html' -exec grep -LE "content=\"default-src 'none'" {} + >"$dir/why"
[ ! -s "$dir/why" ]
check "every page has the Content-Security-Policy"
find "$dir/one" -name '*.html' -exec grep -lE ' (style|on[a-z]+)="|<script>|<script [^d]' {} + >"$dir/why"
[ ! -s "$dir/why" ]
check "no page has inline style, handlers or scripts"
find "$dir/one" -name '*.html' -size +400k >"$dir/why"
[ ! -s "$dir/why" ] && [ "$(wc -c <"$dir/one/assets/table.js")" -lt 20480 ]
check "pages stay below 400 KB, the script below 20 KB"

# --- hostile text
grep -rl '<b>cores\|<script>alert' "$dir/one" --include=*.html --include=*.atom >"$dir/why"
[ ! -s "$dir/why" ]
check "a commit subject that is markup stays text"
grep -rlq '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; prefer' "$dir/one/b/1/index.html"
check "and is shown as it was written"
if command -v xmllint >/dev/null; then
	xmllint --noout "$dir/one/feed.atom" 2>"$dir/why"
	check "the feed is XML"
else
	skip "the feed is XML" "xmllint is not installed"
fi
grep -rl '192\.0\.2\.7\|author@example\.org' "$dir/one/box" "$dir/one/commit" >"$dir/why"
[ ! -s "$dir/why" ]
check "addresses of boxes and people stay private"

# --- the numbers agree
page=$dir/one/c/09414b0d4450..b166c89097eb/stress-ng-pipeherd-60s-100/numa-a
if command -v python3 >/dev/null; then
	cat >"$dir/agree.py" <<'PY'
import csv, json, re, sys
bad = 0
for d in (sys.argv[1], sys.argv[1] + '/all'):
    html = open(d + '/index.html', encoding='utf-8').read()
    js = json.load(open(d + '/index.json', encoding='utf-8'))
    rows = js['metrics'] if isinstance(js, dict) else js
    by = {r['name']: r for r in rows}
    table = list(csv.DictReader(open(d + '/index.csv', newline='')))
    assert [r['metric'] for r in table] == [r['name'] for r in rows], 'order'
    shown = 0
    for m in re.finditer(r'<tr><th scope="row" class="key">([^<]*)</th>(.*)</tr>', html):
        row = by.get(m[1])
        exact = re.findall(r'data-v="([^"]*)"', m[2])
        if not row or not exact:
            continue
        shown += 1
        want = [row['base']['avg'], row['change'], row['head']['avg'], row['q']]
        got = [float(x) for x in exact]
        c = next(r for r in table if r['metric'] == m[1])
        line = [float(c[k]) for k in ('avg_0', 'change', 'avg_1', 'q')]
        if got != [x for x in want if x is not None] or line != got:
            print(m[1], got, want, line)
            bad += 1
    numbers = sum(not r['failure'] for r in rows)
    if shown != numbers:
        print(d, 'rows', shown, 'of', numbers)
        bad += 1
    n = re.search(r'Showing (\d+) of (\d+)', html)
    if n and (int(n[1]) != len(rows) or int(n[2]) != js['metrics_total']):
        print('count', n[0], len(rows), js['metrics_total'])
        bad += 1
sys.exit(bad > 0)
PY
	python3 "$dir/agree.py" "$page" >"$dir/why" 2>&1
	check "HTML, JSON and CSV have the same numbers"
else
	skip "HTML, JSON and CSV have the same numbers" "no python3"
fi
# the mail's own words for the headline, as the table prints them
grep -q 'stress-ng.pipeherd.ops_per_sec$' "$page/index.html" &&
	grep -q '9.7% regression of stress-ng.pipeherd.ops_per_sec' "$page/index.html"
check "the verdict and the LKP table are on the page"
grep -q 'First bad commit' "$dir/one/b/1/index.html" &&
	grep -q 'skipped: unbuildable' "$dir/one/b/1/index.html"
check "the bisection names the culprit and the skipped commit"

# --- one more comparison touches only its own pages and the lists
cp "$dir/a.db" "$dir/b.db"
sqlite3 "$dir/b.db" "
INSERT INTO comparison (id, job_id, series_id, box_id, base_id, head_id, state,
	verdict, headline, change_pct, why, created_s, ended_s)
VALUES (6, 2, 1, 1, 4, 7, 'done', 'no-change', 'stress-ng.pipeherd.ops_per_sec',
	0.2, 'no change', 1791030000, 1791041000);
INSERT INTO event (at_s, job_id, kind, text) VALUES (1791041000, 2, 'verdict', 'no change');"
cp -a "$dir/one" "$dir/three"
make_pages "$dir/b.db" "$dir/three"
# the lists, job 2, its two commits, the box and its own page may change
diff -rq "$dir/one" "$dir/three" | sed "s,$dir/[a-z]*/*,,g" |
	grep -vE '^(Files )?(index|feed|\.drover-pages|job/2/|commit/(85c3cc5c152f|6c3939103638)|r/index)' |
	grep -vE '^Only in c/85c3cc5c152f\.\.6c3939103638' >"$dir/why"
[ ! -s "$dir/why" ] &&
	[ -f "$dir/three/c/85c3cc5c152f..6c3939103638/stress-ng-pipeherd-60s-100/numa-a/index.html" ]
check "a new comparison touches its own pages and the lists"

# a second comparison of the same pair and test gets an address of its own
sqlite3 "$dir/b.db" "INSERT INTO comparison (id, job_id, series_id, box_id,
	base_id, head_id, state, created_s)
	VALUES (7, 4, 1, 1, 4, 7, 'new', 1791042000);"
make_pages "$dir/b.db" "$dir/three" &&
	[ -f "$dir/three/c/85c3cc5c152f..6c3939103638/stress-ng-pipeherd-60s-100/numa-a~7/index.html" ] &&
	[ -f "$dir/three/c/85c3cc5c152f..6c3939103638/stress-ng-pipeherd-60s-100/numa-a/index.html" ]
check "an address that is taken is not given twice"

# --- refusals
"$pages" --db "$dir/missing.db" --out "$dir/four" 2>"$dir/why"
[ $? -eq 3 ] && grep -q 'missing.db' "$dir/why"
check "a missing database is exit code 3"
"$pages" --db "$dir/a.db" 2>"$dir/why"
[ $? -eq 2 ] && grep -q usage "$dir/why"
check "a missing argument is exit code 2"
sqlite3 "$dir/b.db" "UPDATE bisect SET engine_json = '{\"start\": 5}'"
make_pages "$dir/b.db" "$dir/three" && "$pages" --db "$dir/b.db" --out "$dir/three" --all 2>"$dir/why" &&
	grep -q "can't be replayed" "$dir/three/b/1/index.html"
check "a record that can't be replayed still makes a page"
echo "1..$n"
