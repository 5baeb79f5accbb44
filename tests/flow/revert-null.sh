#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An accused commit is reverted on head and measured against head, on null
# boxes: what is said when that gives the effect back, when it doesn't, when it
# doesn't apply, and what happens to the daemon meanwhile.
set -u
. "$(dirname "$0")/null-lab"

LAB_SLEEP_MS=20
lab_repo 10
# a later commit changes what commit 4 made
echo again >"$dir/repo/file4"
git -C "$dir/repo" add -A
commit_as "part4: on top of change number 4"
git -C "$dir/repo" rev-list --reverse HEAD >"$dir/shas"
lab_boxes 200 5
lab_start

bisect() { "$drover" bisect "$1" --json "$2" >"$dir/bisect"; }
submit() {
	"$drover" submit --quiet "$@" -j "$dir/job.yaml" "$(sha 1)..$(sha 11)" \
		>/dev/null 2>&1
}
reverts() { # CULPRIT: the commits that revert it
	git -C "$dir/repo" for-each-ref --format='%(objectname)' \
		"refs/drover/revert/$(sha "$1")"
}

slow_from 6
submit --wait
bisect status 1
json "$dir/bisect" 'r["commits"] == ["'"$(sha 6)"'"] and
	r["evidence"]["revert"]["outcome"] == "back" and
	r["evidence"]["revert"]["sha"] == "'"$(reverts 6)"'" and
	4 <= r["evidence"]["revert"]["pairs"] <= 12 and
	r["evidence"]["revert"]["e_back"] >= 100 and
	0.04 < r["evidence"]["revert"]["delta"] < 0.065'
ok $? 'reverted on head, the culprit gives the effect back'
json "$dir/bisect" 'len([s for s in r["steps"]
	if s["ask"]["phase"] == "revert"]) >= 1 and
	all(len({x["box"] for x in s["ask"]["boots"]}) == 2 and
	    all(x["box"] == y["box"] and
		{x["commit"], y["commit"]} ==
		    {"'"$(sha 11)"'", r["evidence"]["revert"]["sha"]}
		for x, y in zip(s["ask"]["boots"][::2], s["ask"]["boots"][1::2]))
	    for s in r["steps"] if s["ask"]["phase"] == "revert")'
ok $? 'in pairs with head, each on one box, on both boxes'
"$drover" report 1 >"$dir/text"
grep -A1 '^  revert on head *+[456]\.[0-9]%, 95% interval +' "$dir/text" |
	tr '\n' ' ' | tr -s ' ' | grep -q ': gives it back'
ok $? 'the report has a line for it'
"$drover" bisect status 1 >"$dir/text"
grep '^revert on head: +[456]\.' "$dir/text" >/dev/null
ok $? 'and drover bisect status'
[ "$(git -C "$dir/repo" log -1 --format=%P "$(reverts 6)")" = "$(sha 11)" ] &&
	[ "$(git -C "$dir/repo" rev-parse HEAD)" = "$(sha 11)" ]
ok $? 'the revert is a commit on top of head, and the branch stays'

# head without the culprit is as slow as with it
{ cat "$dir/slow"; reverts 6; } >"$dir/slow.more"
mv "$dir/slow.more" "$dir/slow"
submit --wait
bisect status 2
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha 6)"'"] and
	r["evidence"]["revert"]["outcome"] == "not-back" and
	r["evidence"]["revert"]["e_half"] >= 100'
ok $? 'a revert that gives nothing back is seen; the verdict stays'
"$drover" report 2 | tr '\n' ' ' | tr -s ' ' >"$dir/text"
grep -q 'does not give it back' "$dir/text" &&
	grep -q 'alone may not explain the change' "$dir/text"
ok $? 'the report says that the commit alone may not explain it'

slow_from 4
submit --wait
bisect status 3
json "$dir/bisect" 'r["commits"] == ["'"$(sha 4)"'"] and
	r["evidence"]["revert"]["outcome"] == "conflict" and
	not [s for s in r["steps"] if s["ask"]["phase"] == "revert"]'
ok $? 'a revert that conflicts is not measured'
"$drover" report 3 | tr '\n' ' ' | tr -s ' ' |
	grep -q "revert on head doesn't apply: .*conflicts with later"
ok $? 'and the report says so'

slow_from 11
submit --wait
bisect status 4
json "$dir/bisect" 'r["commits"] == ["'"$(sha 11)"'"] and
	"revert" not in r["evidence"]'
ok $? 'nothing is reverted where the culprit is head'

# the daemon is killed in this stage, again and again
is_reverting() {
	bisect status "$1" 2>/dev/null && json "$dir/bisect" \
		'any(s["ask"]["phase"] == "revert" for s in r["steps"])' \
		>/dev/null
}
wait_until() { # TENTHS COMMAND...
	tenths=$1
	shift
	until "$@" || [ "$tenths" -le 0 ]; do
		tenths=$((tenths - 1))
		sleep 0.1
	done
}
is_over() {
	"$drover" status --json "$1" >"$dir/status" && json "$dir/status" \
		'r["job"]["state"] == "done"' >/dev/null
}
pace() { # FROM TO: milliseconds of a run
	lab_stop
	sed -i "s/sleep_ms: $1,/sleep_ms: $2,/" "$dir/lab.yaml"
	lab_start
	"$drover" box add --replace "$dir/lab.yaml" >/dev/null
}
pace 20 400
slow_from 8
submit
wait_until 1800 is_reverting 5
json "$dir/bisect" 'r["state"] == "running" and not r["verdict"] and
	not r["steps"][-1]["result"]'
ok $? 'until it is measured there is no verdict'
kills=0
while [ $kills -lt 5 ]; do
	kills=$((kills + 1))
	lab_kill
	lab_start
	sleep 0.2
done
wait_until 1800 is_over 5
bisect status 5
json "$dir/bisect" 'r["commits"] == ["'"$(sha 8)"'"] and
	r["evidence"]["revert"]["outcome"] == "back" and
	r["evidence"]["revert"]["boots"] >= 8'
ok $? 'killed in this stage, the daemon goes on with it'
ls "$dir/state/artifacts/reports" | grep -c "$(sha 8 | cut -c1-7)" |
	grep -qx 1
ok $? 'and reports once'

# stopping it leaves the verdict
submit
wait_until 1800 is_reverting 6
"$drover" bisect stop 6 >/dev/null
wait_until 100 is_over 6
bisect status 6
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha 8)"'"] and
	r["evidence"]["revert"]["outcome"] == "failed" and
	"stopped by hand" in r["evidence"]["revert"]["say"]'
ok $? 'stopped by hand in this stage, the verdict stays'

sed -i 's/max_boots: 60}/max_boots: 60, revert: false}/' "$dir/drover.yaml"
pace 400 20
submit --wait
bisect status 7
json "$dir/bisect" 'r["commits"] == ["'"$(sha 8)"'"] and
	"revert" not in r["evidence"]'
ok $? 'bisect.revert: false leaves it out'
lab_stop
echo "1..$n"
