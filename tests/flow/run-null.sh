#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover-run on a null box: scripted numbers, failures and hangs, and its log,
# which must show that no two runs of a box ever overlapped.
set -u
run=${DROVER_RUN:-$DROVER_BUILD/libexec/drover-run}
[ -x "$run" ] || { echo "1..0 # SKIP drover-run is not built"; exit 0; }
command -v jq >/dev/null || { echo "1..0 # SKIP no jq here"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

n=0
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		tail -n 4 "$tmp/why" | cut -c 1-400 | sed 's/^/# /'
	fi
}

attempt=0
# task NAME [jq filter]
task() {
	attempt=$((attempt + 1))
	mkdir -p "$tmp/$1"
	jq -n --argjson attempt "$attempt" --arg log "$tmp/log" \
		--arg token "$(printf '%016x' "$attempt")" '{
		kind: "run", attempt: $attempt, token: $token,
		commit: "0123456789abcdef0123456789abcdef01234567",
		build_id: "00ff", kernel: "/nowhere/bzImage",
		box: {name: "n0", backend: "null", script: {mean: 1000, sd: 10,
			boot_sd: 5, log: $log}},
		job: {suite: "stress-ng", testcase: "stress-ng",
			path: "stress-ng/1s-2-pipe", workload: "stress-ng",
			params: {nr_threads: "2", testtime: "1s", test: "pipe"}},
		runs: 5, timeout_s: 10}' | jq "${2:-.}" >"$tmp/$1/task.json"
}

do_task() {
	task "$@"
	"$run" "$tmp/$1" >"$tmp/why" 2>&1
	status=$?
	cat "$tmp/$1/result.json" >>"$tmp/why"
	return "$status"
}

has() {
	jq -e "$2" "$tmp/$1/result.json" >/dev/null 2>>"$tmp/why"
}

values='[.runs[].metrics["stress-ng.pipe.ops_per_sec"]]'

do_task plain
has plain '.status == "done" and (.runs | length) == 5 and
	.boot.build_id == "00ff" and
	.boot.invariants.simulated == "null box"'
ok $? "five runs with numbers, said to be simulated"
has plain "$values | max < 1060 and min > 940 and max - min > 1"
ok $? "the numbers are around the mean, and differ"

jq '.token = "00000000000000aa"' "$tmp/plain/task.json" >"$tmp/same.json"
mkdir "$tmp/same" && cp "$tmp/same.json" "$tmp/same/task.json"
"$run" "$tmp/same" >"$tmp/why" 2>&1
[ "$(jq -c "$values" "$tmp/plain/result.json")" = \
	"$(jq -c "$values" "$tmp/same/result.json")" ]
ok $? "the same attempt gives the same numbers"
do_task other
[ "$(jq -c "$values" "$tmp/plain/result.json")" != \
	"$(jq -c "$values" "$tmp/other/result.json")" ]
ok $? "another attempt gives others"

do_task slow '.box.script.slow = ["0123456789"] | .box.script.slow_pct = 20'
has slow "$values | max < 860 and min > 740"
ok $? "a slow commit loses its share"
printf '%s\n' ffff0000 0123456789abcdef >"$tmp/slow.txt"
do_task listed ".box.script.slow_file = \"$tmp/slow.txt\" |
	.box.script.slow_pct = 20"
has listed "$values | max < 860"
ok $? "so does one that the file lists"
do_task unlisted ".box.script.slow_file = \"$tmp/slow.txt\" |
	.box.script.slow_pct = 20 | .commit = \"1123456789abcdef\""
has unlisted "$values | min > 940"
ok $? "and no other"
do_task more '.box.script.metrics = 700'
has more '(.runs[0].metrics | length) == 701'
ok $? "more metrics on request"

for kind in infra timeout io; do
	do_task "$kind" ".box.script.fail_at = 1 |
		.box.script.fail_kind = \"$kind\""
	has "$kind" ".status == \"failed\" and .kind == \"$kind\""
	ok $? "a scripted failure of kind $kind ends the attempt"
done
do_task boot '.box.script.fail_at = 0 | .box.script.fail_kind = "boot"'
has boot '.kind == "boot" and (.message | contains("0123456789ab")) and
	.runs == null'
ok $? "a kernel that doesn't boot has no runs"
do_task bench '.box.script.fail_at = 1 | .box.script.fail_kind = "bench"'
has bench '.status == "done" and .runs[1].status == "failed" and
	.runs[2].status == "done"'
ok $? "a failed benchmark is one failed run"
do_task hang '.box.script.hang_at = 0 | .timeout_s = 1'
has hang '.kind == "timeout" and (.message | contains("within 1 s"))'
ok $? "a hang ends at its time limit"
: >"$tmp/log2"
for i in 1 2 3; do
	do_task "times$i" ".box.script.fail_at = 0 | .box.script.fail_times = 2 |
		.box.script.log = \"$tmp/log2\""
done
has times2 '.kind == "infra"' && has times3 '.status == "done"'
ok $? "two scripted failures, then none"

# --- fencing -------------------------------------------------------------------

task old '.box.script.sleep_ms = 60000'
"$run" "$tmp/old" &
old=$!
i=0
until [ -s "$tmp/log" ] && grep -q "\"attempt\":$attempt," "$tmp/log" ||
	[ "$i" -gt 100 ]; do
	i=$((i + 1))
	sleep 0.1
done
do_task new
has new '.status == "done"'
ok $? "a newer attempt takes the box"
wait "$old"
has old '.kind == "infra" and (.message | contains("newer attempt"))'
ok $? "the older one is ended and gives no sample"

task killed '.box.script.sleep_ms = 60000'
"$run" "$tmp/killed" &
killed=$!
i=0
until grep -q "\"attempt\":$attempt," "$tmp/log" || [ "$i" -gt 100 ]; do
	i=$((i + 1))
	sleep 0.1
done
task early '.attempt = 1'
"$run" "$tmp/early" >"$tmp/why" 2>&1
has early '.kind == "infra" and (.message | contains("newer than 1"))'
ok $? "an older attempt is refused while a newer one runs"
kill -9 "$killed"
wait "$killed" 2>/dev/null
do_task after
has after '.status == "done"'
ok $? "after a killed worker the box can be taken at once"

# Start and end of each run in the order of the log: never two at once, but a
# killed worker's run has no end.
jq -s -e --arg dead "$(jq -r .token "$tmp/killed/task.json")" '
	[.[] | select(.event != "fail" and .token != $dead)] |
	. as $e | length > 50 and
	all(range(0; length; 2);
		$e[.].event == "start" and $e[. + 1].event == "end" and
		$e[.].token == $e[. + 1].token and $e[.].seq == $e[. + 1].seq)' \
	"$tmp/log" >/dev/null 2>"$tmp/why"
ok $? "no two runs overlap in the box's log"
echo "1..$n"
