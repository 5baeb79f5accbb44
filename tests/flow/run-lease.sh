#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run outlives its connection but not its lease, and never its token.
set -u
# shellcheck source=tests/flow/lib/ssh-box
. "${0%/*}/lib/ssh-box"
start_box host "$tmp/bin:/usr/bin:/bin"

# The fake sleeps in the foreground under a number of this test alone.
secs=4$(($$ % 900 + 100))
alive() { pgrep -f "^sleep $secs\$" >/dev/null; }
dead() { ! alive; }

echo slow "$secs" >"$tmp/mode"
task orphan '.lease_s = 6 | .timeout_s = 600'
"$run" "$tmp/orphan" &
worker=$!
wait_for alive
kill -9 "$worker"
wait "$worker" 2>/dev/null
sleep 1
alive
ok $? "the benchmark outlives the worker's SSH connection"
wait_for dead
ok $? "the end of the lease kills its group"
[ ! -e "$tmp/orphan/result.json" ]
ok $? "a killed worker leaves no result"

task older '.lease_s = 30 | .timeout_s = 600'
"$run" "$tmp/older" &
worker=$!
wait_for alive
echo good >"$tmp/mode"
do_task newer
has newer '.status == "done"'
ok $? "a newer attempt takes the box"
dead
ok $? "what the older attempt ran is dead"
wait "$worker"
has older '.status == "failed" and .kind == "infra" and .runs == []'
ok $? "the older attempt ends as infrastructure, without a sample"

# Expected: an older attempt that comes late is refused while a newer one runs.
echo slow "$secs" >"$tmp/mode"
task late
task runs '.timeout_s = 600'
"$run" "$tmp/runs" &
worker=$!
wait_for alive
"$run" "$tmp/late"
has late '.kind == "infra" and (.message | contains("which is newer than"))'
ok $? "an older attempt is refused while a newer one runs"
alive
ok $? "the newer one goes on"
kill -TERM "$worker"
wait "$worker"
dead
ok $? "SIGTERM to the worker stops the run on the box, too"
has runs '.status == "failed" and .kind == "infra"'
ok $? "a stopped run is infrastructure"

# sshd goes away under a run and comes back within the lease.
echo slow 6 >"$tmp/mode"
: >"$tmp/called"
task cut '.lease_s = 30 | .timeout_s = 60'
"$run" "$tmp/cut" &
worker=$!
wait_for test -s "$tmp/called"
pkill -P "$started"
wait "$worker"
{ cat "$tmp/cut/log"; jq -c 'del(.boot, .hw) | del(.runs[]?.metrics)' \
	"$tmp/cut/result.json"; } >"$tmp/why"
has cut '.status == "done" and (.runs | length) == 1'
ok $? "a lost connection loses no run when it comes back in time"
[ "$(wc -l <"$tmp/called")" -eq 1 ] && grep -q reconnecting "$tmp/cut/log"
ok $? "the run was attached to, not started again"
echo "1..$n"
