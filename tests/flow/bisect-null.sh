#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The bisection flow on null boxes: the planted commit is found and nobody else
# is accused, whatever happens to the daemon meanwhile.
set -u
. "$(dirname "$0")/null-lab"

LAB_SLEEP_MS=20
lab_repo 20
lab_boxes 200 5
culprit=13
slow_from $culprit
lab_start

status() { "$drover" status --json "$1" >"$dir/status"; }
bisect() { "$drover" bisect "$1" --json "$2" >"$dir/bisect"; }
done_within() { # JOB TENTHS
	i=0
	until status "$1" &&
		json "$dir/status" 'r["job"]["state"] == "done"' >/dev/null ||
		[ $i -ge "$2" ]; do
		i=$((i + 1))
		sleep 0.1
	done
}

"$drover" submit --quiet --wait -j "$dir/job.yaml" "$(sha 1)..$(sha 20)" \
	>/dev/null 2>&1
status 1
bisect status 1
json "$dir/status" 'r["job"]["state"] == "done" and
	r["comparisons"][0]["verdict"] == "regression"'
ok $? 'a planted 5 % is a regression'
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha $culprit)"'"] and r["posterior"] > 0.95'
ok $? 'the planted commit is found'
json "$dir/bisect" 'all(s["note"] and s["result"] for s in r["steps"]) and
	r["candidates"][0]["sha"] == "'"$(sha $culprit)"'" and
	r["candidates"][0]["subject"] == "part13: change number 13"'
ok $? 'each step says what it showed; the candidates are named'
json "$dir/bisect" 'sum(len(s["ask"]["boots"]) for s in r["steps"]
	if s["ask"]["phase"] != "revert") <= 30'
ok $? 'with at most 30 boots'
"$drover" report 1 >"$dir/text"
grep -q "^commit: $(sha $culprit) (\"part13: change number 13\")" "$dir/text" &&
	grep -q 'How it was found:' "$dir/text" &&
	grep -q 'probability .*first bad commit of 19' "$dir/text"
ok $? 'the report accuses it, and says how sure that is'

: >"$dir/slow"
"$drover" submit --quiet --wait -j "$dir/job.yaml" "$(sha 1)..$(sha 20)" \
	>/dev/null 2>&1
status 2
json "$dir/status" 'r["comparisons"][0]["verdict"] == "no-change" and
	not r["bisects"]'
ok $? 'without an effect nobody is accused'

# a claim that measuring again does not confirm
slow_from 20
"$drover" submit --quiet --no-bisect --wait -j "$dir/job.yaml" \
	"$(sha 1)..$(sha 20)" >/dev/null 2>&1
: >"$dir/slow"
bisect start 3
done_within 3 900
bisect status 3
json "$dir/bisect" 'r["verdict"] != "culprit" and r["state"] == "done"'
ok $? 'an effect that is gone when measured again accuses nobody'

# stopped by hand, what was measured stays, and counts when it goes on
steps_are() { # JOB N: so many have ended
	bisect status "$1" && json "$dir/bisect" \
		'sum(s["result"] is not None for s in r["steps"]) >= '"$2" \
		>/dev/null
}
slow_from $culprit
"$drover" submit --quiet --no-bisect --wait -j "$dir/job.yaml" \
	"$(sha 1)..$(sha 20)" >/dev/null 2>&1
"$drover" bisect start "$(sha 1)..$(sha 20)" >/dev/null
i=0
until steps_are 4 2 2>/dev/null || [ $i -ge 600 ]; do
	i=$((i + 1))
	sleep 0.02
done
bisect stop 4
json "$dir/bisect" 'r["state"] == "stopped" and r["why"] == "by hand" and
	not r["commits"] and len(r["steps"]) >= 2'
ok $? 'stopped, it accuses nobody and keeps its steps'
done_within 4 100
"$drover" bisect log 4 >"$dir/log4"
grep -q '^  1  search ' "$dir/log4" && grep -q '^end  by hand' "$dir/log4"
ok $? 'the log has them'
before=$("$python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["evidence"]["boots"])' "$dir/bisect")
# as if the comparison hadn't been able to tell
sqlite3 -cmd '.timeout 5000' "$dir/state/drover.db" \
	"UPDATE comparison SET verdict = 'undecided' WHERE job_id = 4"
bisect start 4
done_within 4 600
bisect status 4
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha $culprit)"'"] and
	r["evidence"]["boots"] + r["evidence"]["revert"]["boots"] ==
		'"$before"' + r["cost"]["boots"]'
ok $? 'started again, it goes on from what was measured'
status 4
"$drover" report 4 >"$dir/text"
json "$dir/status" 'r["comparisons"][0]["verdict"] == "regression"' &&
	grep -q "^commit: $(sha $culprit) " "$dir/text"
ok $? 'what a search by hand found decides the comparison, with its report'

# the daemon is killed all the time
slow_from 7
"$drover" submit --quiet -j "$dir/job.yaml" "$(sha 1)..$(sha 20)" >/dev/null
kills=0
while [ $kills -lt 12 ]; do
	kills=$((kills + 1))
	sleep 0.3
	lab_kill
	lab_start
done
done_within 5 600
bisect status 5
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha 7)"'"]'
ok $? 'killed 12 times, it finds the same commit'
ls "$dir/state/artifacts/reports" | grep -c "$(sha 7 | cut -c1-7)" |
	grep -qx 1
ok $? 'and reports it once'

# history with a merge: the culprit is on the side branch
git -C "$dir/repo" checkout -q -b side "$(sha 10)"
for s in 1 2 3; do
	echo $s >"$dir/repo/side$s"
	git -C "$dir/repo" add -A
	commit_as "side$s: on the branch"
done
bad=$(git -C "$dir/repo" rev-parse HEAD~1)
git -C "$dir/repo" checkout -q main
GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C \
	GIT_COMMITTER_EMAIL=c@example.org git -C "$dir/repo" merge -q \
	--no-ff -m 'merge side' side
head=$(git -C "$dir/repo" rev-parse HEAD)
git -C "$dir/repo" rev-list --ancestry-path "$bad^..$head" >"$dir/slow"
"$drover" submit --quiet --wait -j "$dir/job.yaml" "$(sha 2)..$head" \
	>/dev/null 2>&1
bisect status 6
json "$dir/bisect" 'r["verdict"] == "culprit" and r["commits"] == ["'"$bad"'"]'
ok $? 'a culprit on a merged branch is found'

# no box: no bisection, and a reason
for b in a b; do "$drover" box drain null-$b >/dev/null; done
"$drover" bisect start 3 >"$dir/nobox" 2>&1
[ $? -ne 0 ] && grep -q 'no box of group null is ready' "$dir/nobox"
ok $? 'without a box a bisection is refused with the reason'

"$drover" bisect stop 6 >"$dir/stop" 2>&1
[ $? -ne 0 ] && grep -q 'not being bisected' "$dir/stop"
ok $? 'what is over cannot be stopped'

# Expected: the comparison's evidence. Buggy: "E = 1", no runs and no interval,
# those of a search that never began
lab_stop
sed -i 's/^bisect:.*/bisect: {budget_runs: 2}/' "$dir/drover.yaml"
lab_start
for b in a b; do "$drover" box resume null-$b >/dev/null; done
slow_from $culprit
"$drover" submit -q -w -j "$dir/job.yaml" "$(sha 1)..$(sha 20)" \
	>"$dir/dear" 2>&1
"$drover" report "$(sed -n 's/^job \([0-9]*\): .*done.*/\1/p' "$dir/dear")" \
	>"$dir/report"
grep -q 'more than the 2 runs' "$dir/report" &&
	grep -q '^  evidence       E = .*):$' "$dir/report" &&
	grep -q '^  effect         -.*, 95% interval -' "$dir/report" &&
	grep -q '^  base           8 runs in 4 boots$' "$dir/report" ||
	{ sed -n 's/^/# /; /Only the range/p; /How sure/,$p' "$dir/report"; false; }
ok $? 'a search that would cost too much leaves the evidence there was'
bisect status "$(sed -n 's/^job \([0-9]*\): .*done.*/\1/p' "$dir/dear")"
json "$dir/bisect" 'r["verdict"] == "range-only" and
	all(c["posterior"] is None for c in r["candidates"]) and
	"E = " not in r["why"]'
ok $? 'and says no probability that nobody weighed'
lab_stop
echo "1..$n"
