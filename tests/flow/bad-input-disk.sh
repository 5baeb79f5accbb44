#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The daemon's disk is full: it says so, stays, starts nothing, loses nothing,
# and goes on when there is room.
LAB_SLEEP_MS=300
. "${0%/*}/lib/bad-input"

mkdir "$dir/disk"
[ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=24m none "$dir/disk" 2>/dev/null ||
	skip_all "a tmpfs can't be mounted here"
tap_cleanup() {
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
	daemon=
	umount "$dir/disk" 2>/dev/null || umount -l "$dir/disk"
	lab_cleanup
	rm -rf "$tmp"
}
lab_repo 2
lab_boxes 200 5
sed -i "s,^state_dir: .*,state_dir: $dir/disk/state," "$dir/drover.yaml"
ln -s "$dir/disk/state" "$dir/state"
lab_start
says_log() { grep -c "droverd: $dir/disk/state: $1" "$dir/log"; }
said() { [ "$(says_log "$1")" -ge "${2:-1}" ]; }
submit() {
	"$drover" submit -j "${large:-$dir/job.yaml}" --no-bisect "$@" \
		"$(sha 1)..$(sha 2)"
}

text='the disk is nearly full; nothing new is started until there is room'
submit -q --pairs 3 --runs 1 >"$dir/out"
until_ok 30 sql_is_1 "SELECT count(*) > 0 FROM run"
ok 'a job runs' $?
cat /dev/zero >"$dir/disk/filler" 2>/dev/null
until_ok 30 said "$text"
ok 'a full disk: the daemon says where, and what happens now' $?
"$drover" queue >"$dir/out" 2>&1
like 'so does drover queue' "$(cat "$dir/out")" "note: the daemon's disk is \
nearly full; nothing new is started until there is room"

# Small writes find room in the log for a long time, so these are large.
large=$dir/large.yaml
{
	cat "$dir/job.yaml"
	awk 'BEGIN { for (i = 0; i < 2000; i++) printf "# %80d\n", i }'
} >"$large"
jobs=1
i=0
while [ $i -lt 200 ]; do
	i=$((i + 1))
	submit -q --pairs 1 --runs 1 >"$dir/out" 2>&1
	rc=$?
	[ $rc -eq 0 ] || break
	jobs=$((jobs + 1))
	"$drover" cancel -q $jobs
done
is 'a job that has no room is refused' "$rc: $(cat "$dir/out")" "5: drover \
submit: database disk is full: $dir/disk/state/drover.db: nothing was stored; \
free some room there"
kill -0 "$daemon"
ok 'the daemon stays' $?
lab_kill
lab_start
until_ok 30 said "$text" 2
ok 'killed, it starts on the full disk and says so again' $?
is 'each thing is said once, not every second' \
	"$(grep -c 'disk is full' "$dir/log" | awk '{ print $1 <= 10 }')" 1

rm "$dir/disk/filler"
until_ok 30 said 'there is room again; work goes on'
ok 'with room again it says so' $?
end=$(timeout 60 "$drover" watch -q 1 2>&1)
is 'and the job comes to its end' "$?: $end" '0: job 1: done: no-change'
whole $jobs
is 'every boot of it has one result' "$(sql "SELECT count(*) FROM (SELECT
	plan_id FROM boot GROUP BY plan_id HAVING count(*) > 1)")" 0
lab_stop
plan_done
