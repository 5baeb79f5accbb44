#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A daemon that is killed or stopped loses and repeats nothing; workers that die
# and boxes that fail are tried again, then put aside.
set -u
LAB_SLEEP_MS=2500
. "$(dirname "$0")/null-lab"

lab_repo 3
lab_boxes 10 5
sed -i "s,slow_file,log: $dir/NAME.log\, slow_file," "$dir/lab.yaml"
awk '/- name:/ { name = $3 } { sub(/NAME/, name); print }' "$dir/lab.yaml" \
	>"$dir/lab2" && mv "$dir/lab2" "$dir/lab.yaml"
sql() { "$python" -IS - "$dir/state/drover.db" "$1" <<-'PY'
	import sqlite3, sys
	db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
	for row in db.execute(sys.argv[2]):
	    print("|".join(map(str, row)))
	PY
}
# until CONDITION (SQL giving 1) holds, at most 60 s
until_sql() {
	i=0
	until [ "$(sql "$1")" = 1 ]; do
		i=$((i + 1))
		[ $i -lt 300 ] || return 1
		sleep 0.2
	done
}
until_there() {
	i=0
	until [ -s "$1" ]; do
		i=$((i + 1))
		[ $i -lt 300 ] || return 1
		sleep 0.1
	done
}
lab_start
submit() {
	"$drover" submit --json --no-bisect -j "$dir/job.yaml" "$@" \
		"$(sha 1)..$(sha 3)" >"$dir/out" 2>&1
}

submit --box null-a --pairs 12 --runs 2
until_sql "SELECT count(*) FROM attempt WHERE state = 'leased'"
attempt=$(sql "SELECT max(id) FROM attempt")
lab_kill
lab_start
grep -q "attempt $attempt goes on: its worker is adopted" "$dir/log"
ok $? 'a worker that outlives its daemon is adopted'
until_sql "SELECT count(*) FROM attempt WHERE id = $attempt AND state = 'done'"
ok $? 'its result is taken'
[ "$(sql "SELECT count(*) FROM boot WHERE attempt_id = $attempt")" = 1 ] &&
	[ "$(sql "SELECT max(tries) FROM plan")" = 0 ]
ok $? 'once, and nothing was repeated'

until_sql "SELECT count(*) > 0 FROM attempt WHERE state = 'leased' AND
	id > $attempt"
attempt=$(sql "SELECT max(id) FROM attempt WHERE state = 'leased'")
lab_kill
folder=$(sql "SELECT folder FROM attempt WHERE id = $attempt")
until_there "$folder/result.json"
lab_start
until_sql "SELECT state = 'done' FROM attempt WHERE id = $attempt"
ok $? 'a result that came while no daemon ran is taken'

"$DROVER_BUILD/droverd" 2>"$dir/second"
[ $? = 5 ] && grep -q 'another droverd writes this database' "$dir/second"
ok $? 'a second daemon on the same database refuses'
"$drover" queue >/dev/null
ok $? 'and does the first no harm'

until_sql "SELECT count(*) > 0 FROM attempt WHERE state = 'leased' AND
	id > $attempt"
attempt=$(sql "SELECT max(id) FROM attempt WHERE state = 'leased'")
folder=$(sql "SELECT folder FROM attempt WHERE id = $attempt")
until_there "$folder/lock"
kill -9 "$(cat "$folder/lock")"
until_sql "SELECT count(*) FROM attempt WHERE id = $attempt AND state = 'lost'"
ok $? 'a worker that dies is noticed'
until_sql "SELECT count(*) FROM attempt a, attempt b WHERE b.id > a.id AND
	a.id = $attempt AND b.plan_id = a.plan_id AND b.state = 'done'"
ok $? 'and its boot repeated'
[ "$(sql "SELECT count(*) FROM (SELECT plan_id FROM boot GROUP BY plan_id
	HAVING count(*) > 1)")" = 0 ]
ok $? 'with one result'

"$drover" cancel 1 >/dev/null
until_sql "SELECT count(*) = 0 FROM attempt WHERE state = 'leased'"
ok $? 'a cancelled job stops its workers'
[ "$(sql "SELECT count(*) FROM plan WHERE state IN ('queued', 'leased')")" = 0 ]
ok $? 'and leaves nothing planned'
[ -z "$(ls "$dir/state/tasks")" ]
ok $? 'no task folder stays behind'

# From now on box a fails, at first twice and then always.
awk '/null-a/ { a = 1 } /null-b/ { a = 0 }
	a { sub(/sleep_ms: 2500/, "sleep_ms: 0, fail_at: 0, fail_kind: infra, fail_times: 2") }
	{ print }' "$dir/lab.yaml" >"$dir/lab2" && mv "$dir/lab2" "$dir/lab.yaml"
lab_stop
rm -f "$dir"/null-*.log*
lab_start
submit --box null-a --pairs 1 --runs 1
until_sql "SELECT count(*) FROM plan WHERE tries = 2 AND state = 'done'"
ok $? 'a box that fails twice gets a third try'
[ "$(sql "SELECT state || infra_failures FROM box WHERE name = 'null-a'")" = \
	ready0 ]
ok $? 'and is trusted again'
[ "$(sql "SELECT count(*) FROM run r JOIN boot b ON b.id = r.boot_id JOIN
	attempt a ON a.id = b.attempt_id WHERE a.state <> 'done'")" = 0 ]
ok $? 'no failure of the lab became a sample'
"$drover" cancel 2 >/dev/null

sed -i 's/fail_times: 2/fail_times: 0/' "$dir/lab.yaml"
lab_stop
rm -f "$dir"/null-*.log*
echo 'run: {retries: 1}' >>"$dir/drover.yaml"
lab_start
submit --box null-a --pairs 1 --runs 1
until_sql "SELECT state = 'quarantined' FROM box WHERE name = 'null-a'"
ok $? 'a box that goes on failing is put aside'
until_sql "SELECT count(*) > 0 FROM plan WHERE job_id = 3 AND
	failure = 'infra'"
ok $? 'and the boot ends as infra'
submit --box null-a
grep -q 'null-a is quarantined' "$dir/out"
ok $? 'nothing can be sent there, and why is said'
lab_kill
sed -i 's/fail_at: 0/fail_at: -1/' "$dir/lab.yaml"
lab_start
[ "$(sql "SELECT state FROM box WHERE name = 'null-a'")" = quarantined ]
ok $? 'a restart does not trust it again'
"$drover" box undrain null-a >/dev/null
"$drover" retry 3 >"$dir/out" 2>&1
ok $? 'a job that failed for the lab can be tried again'
until_sql "SELECT state = 'done' FROM job WHERE id = 3"
ok $? 'and comes to its end'

echo 'run: {retries: few}' >"$dir/broken.yaml"
cp "$dir/drover.yaml" "$dir/good.yaml"
cp "$dir/broken.yaml" "$dir/drover.yaml"
kill -HUP "$daemon"
sleep 1
kill -0 "$daemon" &&
	grep -q 'reload: .*retries.*; the old settings stay' "$dir/log"
ok $? 'broken settings are refused on reload and the old ones stay'
cp "$dir/good.yaml" "$dir/drover.yaml"
sed 's/null-a/null-c/g' "$dir/lab.yaml" >>"$dir/lab2"
mv "$dir/lab2" "$dir/lab.yaml"
kill -HUP "$daemon"
until_sql "SELECT count(*) FROM box WHERE name = 'null-c'"
ok $? 'a reload takes new boxes of the lab file'

"$drover" box drain null-c >"$dir/out" 2>&1
begin=$(date +%s)
lab_stop
[ $(($(date +%s) - begin)) -le 5 ] && [ ! -e "$DROVER_SOCKET" ]
ok $? 'SIGTERM ends it within 5 s and takes the socket away'
"$python" - "$dir/state/drover.db" <<'PY'
import os, sqlite3, sys
wal = sys.argv[1] + "-wal"
assert not os.path.exists(wal) or os.path.getsize(wal) == 0
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
PY
ok $? 'the database is whole, its WAL empty'
i=0
until grep -qs drained "$dir/state/pages/box/null-c/index.html"; do
	i=$((i + 1))
	[ $i -lt 300 ] || break
	sleep 0.1
done
[ $i -lt 300 ]
ok $? 'the pages show what changed right before it left'
echo "1..$n"
