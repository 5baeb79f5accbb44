#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A full disk under the daemon: it stays up, starts nothing new, says so, loses
# nothing, and goes on by itself when there is room again.
set -u
LAB_SLEEP_MS=50
. "$(dirname "$0")/null-lab"

mkdir "$dir/state"
if ! mount -t tmpfs -o size=48m drover-test "$dir/state" 2>/dev/null; then
	echo '1..0 # SKIP no right to mount a small file system'
	exit 0
fi
trap 'umount -l "$dir/state" 2>/dev/null; lab_cleanup' EXIT
lab_repo 3
lab_boxes 10 5
lab_start
submit() {
	"$drover" submit --json --no-bisect -j "$dir/job.yaml" --pairs 3 \
		"$(sha 1)..$(sha 3)" >"$dir/out" 2>"$dir/err"
}
low() { # True or False: what the daemon says of its disk
	"$python" -IS - "$DROVER_SOCKET" "$1" <<-'PY'
	import json, socket, sys, time
	for _ in range(100):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(sys.argv[1])
	    s.sendall(b'{"op":"queue"}\n')
	    if str(json.loads(s.makefile().readline())["disk_low"]) == sys.argv[2]:
	        sys.exit(0)
	    time.sleep(0.1)
	sys.exit(1)
	PY
}

submit
ok $? 'with room a job is taken'
i=0
while [ $i -lt 3 ]; do
	i=$((i + 1))
	dd if=/dev/zero of="$dir/state/filler" bs=64k 2>/dev/null
	submit
	refused=$?
	[ $refused = 0 ] || full=$(grep -c 'disk is full' "$dir/err")
	[ $refused = 0 ] && taken=$((${taken:-0} + 1))
	low True
	ok $? "round $i: a full disk is noticed"
	kill -0 "$daemon"
	ok $? "round $i: and does not end the daemon"
	rm "$dir/state/filler"
	low False
	ok $? "round $i: within 10 s of room it goes on"
done
[ -z "${full:-}" ] || [ "$full" -gt 0 ]
ok $? 'a submission that was refused was told why'
submit
ok $? 'with room again a job is taken'
i=0
until [ "$("$drover" queue --json)" = '[]' ] || [ $i -gt 300 ]; do
	i=$((i + 1))
	sleep 0.2
done
"$drover" queue --all --json >"$dir/queue"
json "$dir/queue" "len(r) == 2 + ${taken:-0} and
	all(j['state'] == 'done' for j in r)"
ok $? 'every job that was taken is done'
lab_stop
"$python" -IS - "$dir/state/drover.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
assert not db.execute("PRAGMA foreign_key_check").fetchall()
assert not db.execute("SELECT plan_id FROM boot GROUP BY plan_id "
                      "HAVING count(*) > 1").fetchall()
PY
ok $? 'the database is whole'
echo "1..$n"
