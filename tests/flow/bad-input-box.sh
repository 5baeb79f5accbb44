#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Boxes that are away, that are somebody else, or that lack the benchmark: said
# in one sentence, tried again, put aside; never a sample.
LAB_SSH=1
. "${0%/*}/lib/bad-input"

lab_repo 2
lab_boxes 200 5
mkdir -p "$tmp/bare"
for tool in sh cat sed grep sort uname head tr dmesg mkdir rm ls ps sleep \
	mv kill id setsid test printf date chmod touch tail cut wc; do
	path=$(command -v "$tool") && [ -x "$path" ] &&
		ln -s "$path" "$tmp/bare/$tool"
done
start_box host "$tmp/bare"
bare=$port
start_box host "$tmp/bin:/usr/bin:/bin"
good=$port
echo good >"$tmp/mode"

# box NAME PORT KEY
box() {
	cat <<-END
	  - name: $1
	    tbox_group: lo
	    address: 127.0.0.1
	    port: $2
	    user: $(id -un)
	    host_key: $(cut -d' ' -f1,2 "$tmp/etc/$3.pub")
	    identity: $tmp/etc/id
	    workdir: $tmp/box-$1
	    boot: {method: none}
	END
}
{
	echo boxes:
	box away 1 host
	box wrong "$good" other
	box bare "$bare" host
	box good "$good" host
} >"$dir/lab.yaml"
lab_retry_once
export DROVER_RUN_SSH_CONNECT_TIMEOUT=4s
lab_start
print() { ssh-keygen -l -f "$tmp/etc/$1.pub" | cut -d' ' -f2; }
range=$(sha 1)..$(sha 2)

# submit BOX: a job there, its number in $last
last=0
submit() {
	last=$((last + 1))
	"$drover" submit -q -j "$dir/job.yaml" --box "$1" --pairs 1 --runs 1 \
		--no-bisect "$range" >/dev/null
}

# ends NAME JOB BOX SENTENCE: it fails for the lab, after one retry
ends() {
	timeout 60 "$drover" watch -q "$2" >"$dir/out" 2>&1
	is "$1: the job fails as infrastructure, with the sentence" \
		"$?: $(sed 's/boot of [a-z]* /boot of either /' "$dir/out")" \
		"5: job $2: failed: infrastructure: no boot of either \
succeeded: $4"
	logged "$1: the sentence is in its log" "$2" "boot 1 is tried again \
in 1 s (1 of 1): $4"
	logged "$1: the second failure is the last" "$2" \
		"failed (infra): $4"
	is "$1: the box is put aside, and says why" "$(sql "SELECT state || ': ' ||
		why FROM box WHERE name = '$3'")" "quarantined: $4"
	is "$1: nothing of it is a sample" "$(sql "SELECT count(*) FROM run r
		JOIN boot b ON b.id = r.boot_id JOIN plan p ON p.id = b.plan_id
		WHERE p.job_id = $2 AND b.attempt_id > ${5:-0}")" 0
	whole "$last"
}

submit away
submit wrong
submit bare
away="box away: no SSH at 127.0.0.1 port 1 within 4 s (connect: Connection \
refused); check that it runs, and its address and port in the lab file"
ends 'an unreachable box' 1 away "$away"
says 'a box that is put aside takes no job' 3 "drover submit: box away is \
quarantined: $away (drover box resume away takes it back)" \
	"$drover" submit --box away -j "$dir/job.yaml" "$range"
ends 'a wrong host key' 2 wrong "box wrong: host key is $(print host), pinned \
is $(print other); nothing was sent to log in. If the box was installed anew, \
pin its new key in the lab file (host_key), else find out who answers at its \
address"
ends 'a box without the benchmark' 3 bare "box bare has no stress-ng (needed \
by workload stress-ng); install it there"

# a box that changes its key between two jobs
submit good
until_ok 60 sql_is_1 "SELECT count(*) > 0 FROM run r JOIN boot b ON
	b.id = r.boot_id JOIN plan p ON p.id = b.plan_id WHERE p.job_id = 4"
ok 'a box with the right key runs the job' $?
"$drover" cancel -q 4
until_ok 60 sql_is_1 "SELECT count(*) = 0 FROM attempt WHERE state = 'leased'"
kill "$started"
wait "$started" 2>/dev/null
start_sshd "$good" other "$tmp/bin:/usr/bin:/bin"
sshd_pids="$sshd_pids $started"
submit good
ends 'a changed host key' 5 good "box good: host key is $(print other), pinned \
is $(print host); nothing was sent to log in. If the box was installed anew, \
pin its new key in the lab file (host_key), else find out who answers at its \
address"

# the way back: the key is pinned, the box trusted again
box good "$good" other | sed '1s/^/boxes:\n/' >"$dir/lab2.yaml"
"$drover" box add --replace "$dir/lab2.yaml" >"$dir/out" 2>&1 &&
	"$drover" box undrain good >>"$dir/out" 2>&1
is 'the new key is pinned' "$?: $(sed -n 1p "$dir/out")" '0: box good added'
"$drover" retry 5 >"$dir/out" 2>&1
is 'and the failed job queued again' "$?: $(cat "$dir/out")" '0: queued again'
until_ok 60 sql_is_1 "SELECT count(*) > 0 FROM run r JOIN boot b ON
	b.id = r.boot_id JOIN plan p ON p.id = b.plan_id WHERE p.job_id = 5"
ok 'it runs now' $?
whole 5
lab_stop
plan_done
