#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibration on null boxes: a good box, one that fails its A/A, one whose
# microcode changes; and what a comparison makes of it.
set -u
. "$(dirname "$0")/null-lab"

lab_repo 4
lab_boxes 500 5
says=$dir/says
printf 'microcode=0x2b\nsmt=on\nnuma_balancing=1\n' >"$says"
{
	echo boxes:
	for b in good moves patched; do
		cat <<-END
		  - name: $b
		    backend: "null"
		    tbox_group: $b
		    script: {mean: 100000, sd: 500, boot_sd: 500, metrics: 3,
		      slow_pct: 5, slow_file: $dir/slow, seed: 3,
		      drift_pct: $([ $b = moves ] && echo 1 || echo 0),
		      says_file: $([ $b = patched ] && echo "$says" || echo /dev/null)}
		END
	done
} >"$dir/lab.yaml"
echo 'run: {retries: 1}' >>"$dir/drover.yaml"
lab_start

# --- a good box ---
"$drover" box show good >"$dir/before"
grep -q 'not calibrated (drover calibrate)' "$dir/before"
ok $? 'a box that nobody calibrated says so'
"$drover" calibrate good "$dir/job.yaml" --boots 16 --runs 3 --wait \
	>"$dir/good" 2>"$dir/good.err"
[ $? = 0 ] && grep -q '^job 1: done' "$dir/good" &&
	grep -q 'stress-ng.pipe.ops_per_sec: 16 boots, 48 runs: one run in a fresh boot ±' \
		"$dir/good"
ok $? 'a good box is calibrated, and --wait says what was found'
grep -q 'calibrating box good for .*: 16 boots of' "$dir/good.err"
ok $? 'with progress'
"$drover" calibrate --list --json >"$dir/list"
json "$dir/list" 'len(r) == 1 and r[0]["box"] == "good" and
	r[0]["state"] == "ok" and r[0]["boots"] == 16 and
	.004 < r[0]["sd_ratio"] < .012 and r[0]["aa_trials"] == 500 and
	r[0]["aa_alarms"] <= 5'
ok $? '--list knows deviation and false alarms'
"$drover" calibrate --list >"$dir/table"
grep -q '^ *1  good  *ok ' "$dir/table"
ok $? 'and prints them as a table'
"$drover" calibrate --show 1 >"$dir/shown"
grep -q '^calibration 1 of box good: ok' "$dir/shown" &&
	grep -q '^stress-ng.pipe.ops_per_sec  *100[0-9]* \|^stress-ng.pipe.ops_per_sec  *99' \
		"$dir/shown" && grep -q '^null.metric_00000 ' "$dir/shown"
ok $? '--show has every metric'
"$drover" box show good >"$dir/after"
grep -q 'calibration ok, .* old; stress-ng.pipe.ops_per_sec: 16 boots' "$dir/after"
ok $? 'box show tells state and age'
"$drover" calibrate --show 9 2>"$dir/none"
[ $? = 3 ] && grep -q 'no calibration 9' "$dir/none"
ok $? 'an unknown one is told of'

# --- what it is for ---
slow_from 4
"$drover" submit --wait --no-bisect -b good -j "$dir/job.yaml" \
	"$(sha 1)..$(sha 4)" >"$dir/out" 2>&1
"$drover" report 2 >"$dir/report"
grep -q 'false alarms   [0-9]* of 500 splits of 16 boots of one kernel here' \
	"$dir/report" &&
	grep -q 'calibration    runs in fresh boots vary by 0\.[0-9]*%, seen 0 days before' \
		"$dir/report"
ok $? 'a comparison on that box says how often it raises a false alarm'
"$drover" report 2 | grep -q 'not calibrated'
[ $? = 1 ]
ok $? 'and no longer that it is not calibrated'

# --- what a stale one is for: nothing, and nobody is accused ---
bisect() { # OUT: bisect the slow commit on the good box
	"$drover" submit --wait -b good -j "$dir/job.yaml" \
		"$(sha 1)..$(sha 4)" >"$dir/$1" 2>&1
}
bisect fresh
grep -q "first bad commit: $(sha 4 | cut -c1-12)" "$dir/fresh"
ok $? 'with a fresh calibration the culprit is named'
sqlite3 "$dir/state/drover.db" \
	'UPDATE calibration SET at_s = at_s - 40 * 86400'
bisect stale
grep -q 'inconclusive: no commit can be accused.*the calibration of box good is 40 days old (calibrate.max_age is 30); drover calibrate good JOB does it anew' \
	"$dir/stale" && ! grep -q 'first bad commit' "$dir/stale"
ok $? 'with a stale one nobody is accused, and the way out is named'
"$drover" calibrate --list good >"$dir/table"
grep -q '^ *1  good  *stale  *40 days' "$dir/table" &&
	grep -q '^1: the calibration of box good is 40 days old' "$dir/table"
ok $? '--list says that it is stale, and why'

# --- killed in the middle ---
"$drover" calibrate good "$dir/job.yaml" --boots 30 >/dev/null
i=0
until [ "$(sqlite3 "$dir/state/drover.db" "SELECT count(*) FROM boot b
	JOIN plan p ON p.id = b.plan_id WHERE p.job_id = 5")" -ge 5 ] ||
	[ $i -gt 200 ]; do
	i=$((i + 1))
	sleep 0.05
done
lab_kill
lab_start
"$drover" watch 5 >/dev/null 2>&1
"$drover" calibrate --list good --json >"$dir/list"
json "$dir/list" 'r[0]["state"] == "ok" and r[0]["boots"] == 30'
ok $? 'a daemon that is killed goes on where it was'
[ "$(sqlite3 "$dir/state/drover.db" "SELECT count(*) FROM boot b
	JOIN plan p ON p.id = b.plan_id WHERE p.job_id = 5")" = 30 ]
ok $? 'and repeats no boot'

# --- a box that fails ---
"$drover" calibrate moves "$dir/job.yaml" --wait >"$dir/moves" 2>"$dir/moves.err"
[ $? = 5 ]
ok $? 'a box that moves fails its A/A: exit status 5'
"$drover" box show moves >"$dir/out"
grep -q '^box moves: quarantined' "$dir/out" &&
	grep -q 'A/A failed for .*: stress-ng.pipe.ops_per_sec: the second half of 20 boots of one kernel measured +' \
		"$dir/out"
ok $? 'it is put aside and says why'
"$drover" submit -b moves -j "$dir/job.yaml" "$(sha 1)..$(sha 2)" \
	>"$dir/out" 2>&1
[ $? = 3 ] && grep -q 'drover box resume moves' "$dir/out"
ok $? 'nothing runs there, and the way out is named'
"$drover" box resume moves >"$dir/out"
grep -q '^box moves: ready' "$dir/out"
ok $? 'which works'
"$drover" submit --wait --no-bisect -b moves -j "$dir/job.yaml" \
	"$(sha 1)..$(sha 4)" >"$dir/out" 2>&1
"$drover" report 7 >"$dir/report"
grep -q 'box not calibrated any more: box moves failed its calibration' \
	"$dir/out" && grep -q 'no longer calibrated' "$dir/report" &&
	tr -s '\n ' ' ' <"$dir/report" |
	grep -q 'no commit is accused: box moves failed its calibration'
ok $? 'without a new calibration, reports say that it failed'

# --- a boot that doesn't count ---
submit_patched() { # COMMIT: a short job on the box, its number in $job
	"$drover" submit --json --no-bisect --pairs 1 -b patched \
		-j "$dir/job.yaml" "$(sha 1)..$(sha "$1")" >"$dir/submitted"
	job=$("$python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["job"])' "$dir/submitted")
}
submit_patched 2
"$drover" watch "$job" >/dev/null 2>&1
sed -i 's/0x2b/0x2c/' "$says"
submit_patched 3
"$drover" watch "$job" >"$dir/out" 2>&1 &
watcher=$!
i=0
until "$drover" box show patched | grep -q quarantined || [ $i -gt 200 ]; do
	i=$((i + 1))
	sleep 0.1
done
kill $watcher 2>/dev/null
"$drover" log "$job" >"$dir/log.txt"
grep -q "this boot doesn't count, its results were not looked at: microcode: 0x2c, but 0x2b when the box was first seen" \
	"$dir/log.txt" && grep -q 'is tried again in' "$dir/log.txt"
ok $? 'a boot with another microcode is rejected and repeated'
"$drover" box show patched >"$dir/out"
grep -q 'microcode: 0x2c.*drover box resume patched takes it over' "$dir/out"
ok $? 'since it stays so, the box is put aside with the reason'
sqlite3 "$dir/state/drover.db" \
	"SELECT count(*) FROM rejected_boot r LEFT JOIN boot b
	 ON b.attempt_id = r.attempt_id WHERE b.id IS NULL" >"$dir/rejected"
[ "$(cat "$dir/rejected")" = 2 ]
ok $? 'nothing of those boots was stored'
"$drover" cancel "$job" >/dev/null 2>&1
"$drover" box resume patched >/dev/null
submit_patched 4
"$drover" watch "$job" >/dev/null 2>&1
"$drover" status --json "$job" >"$dir/status"
json "$dir/status" 'r["job"]["state"] == "done"'
ok $? 'the operator takes the new microcode over, and it counts'
sed -i 's/numa_balancing=1/numa_balancing=0/' "$says"
submit_patched 3
"$drover" watch "$job" >/dev/null 2>&1
"$drover" log "$job" >"$dir/log.txt"
grep -q "NUMA balancing: 0, but 1 .*taken as the kernel's doing" \
	"$dir/log.txt" &&
	"$drover" status --json "$job" >"$dir/status" &&
	json "$dir/status" 'r["job"]["state"] == "done"'
ok $? 'what a kernel may change is believed the second time'
lab_stop
echo "1..$n"
