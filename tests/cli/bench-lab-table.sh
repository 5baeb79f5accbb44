#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the lab benchmark calls right, wrong, missed and undecided.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
py=/usr/bin/python3
[ -x "$py" ] || py=python3
sqlite3 "$dir/db" '
CREATE TABLE job (id INTEGER, repo_id, created_s, ended_s);
CREATE TABLE plan (id, job_id INTEGER);
CREATE TABLE boot (id, plan_id);
CREATE TABLE artifact (id, repo_id);
CREATE TABLE attempt (kind, state, artifact_id);
INSERT INTO job VALUES (1, 7, 0, 90);
INSERT INTO plan VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO boot VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO artifact VALUES (1, 7), (2, 8);
INSERT INTO attempt VALUES ("build", "done", 1), ("build", "done", 2),
	("run", "done", 1);'
# as drover status prints it
cat >"$dir/drover" <<'SH'
#!/bin/sh
cat "$(dirname "$0")/status"
SH
chmod +x "$dir/drover"
n=0
# judged PLANTED VERDICT BISECTIONS RIGHT
judged() {
	n=$((n + 1))
	echo '{"comparisons": [{"verdict": "'"$2"'", "change_pct": -2.5}],' \
		'"bisects": ['"$3"']}' >"$dir/status"
	"$py" tests/bench/lab_table.py row "$dir/drover" "$dir/db" case 1 "$1" \
		>"$dir/row"
	"$py" tests/bench/lab_table.py table <"$dir/row" >"$dir/table"
	rc=$?
	want=1
	[ "$4" = yes ] && want=0
	# change, its unit, right?, boots, builds, minutes
	got=$(tail -n 1 "$dir/table" | awk '{print $6, $7, $8, $9}')
	if [ "$rc" = $want ] && [ "$got" = "$4 2 1 1.5" ]; then
		echo "ok $n - planted $1, $2, ${3:-no bisection}: $4"
	else
		echo "not ok $n - planted $1, $2, ${3:-no bisection}: $4"
		echo "# exit $rc, got $got"
	fi
}
culprit='{"verdict": "culprit", "commits": ["aaa"]}'
judged aaa regression "$culprit" yes
judged bbb regression "$culprit" WRONG
judged none regression "$culprit" WRONG
judged none no-change '' yes
judged none undecided '' UNDECIDED
judged aaa no-change '' MISSED
judged aaa regression '{"verdict": "set", "commits": ["aaa", "b"]}' MISSED
judged aaa regression '{"verdict": "not-reproduced", "commits": []}' MISSED
echo "1..$n"
