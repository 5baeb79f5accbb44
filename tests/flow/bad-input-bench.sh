#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A benchmark that fails, or prints garbage: what it said last is in the
# sentence, and no number is made of it.
LAB_SSH=1
. "${0%/*}/lib/bad-input"

lab_repo 2
lab_boxes 200 5
start_box host "$tmp/bin:/usr/bin:/bin"
{
	echo boxes:
	for b in fails garbage; do
		mkdir "$tmp/$b"
		sed "s,$tmp/mode,$tmp/mode.$b," "$tmp/bin/stress-ng" \
			>"$tmp/$b/stress-ng"
		chmod +x "$tmp/$b/stress-ng"
		start_box host "$tmp/$b:/usr/bin:/bin"
		cat <<-END
		  - name: $b
		    tbox_group: lo
		    address: 127.0.0.1
		    port: $port
		    user: $(id -un)
		    host_key: $(cut -d' ' -f1,2 "$tmp/etc/host.pub")
		    identity: $tmp/etc/id
		    workdir: $tmp/box-$b
		    boot: {method: none}
		END
	done
} >"$dir/lab.yaml"
echo fail pipe >"$tmp/mode.fails"
echo garbage >"$tmp/mode.garbage"
lab_retry_once
lab_start

for b in fails garbage; do
	"$drover" submit -q -j "$dir/job.yaml" --box $b --pairs 1 --runs 2 \
		--no-bisect "$(sha 1)..$(sha 2)" >/dev/null
done
for i in 1 2; do
	end=$(timeout 60 "$drover" watch -q $i 2>&1)
	echo "$?: $end" >"$dir/end.$i"
done
# whose JOB: "head abc… ("subject")"
whose() {
	sql "SELECT CASE WHEN p.commit_id = j.base_id THEN 'base' ELSE 'head'
		END || ' ' || substr(c.sha, 1, 12) || ' (\"' || c.subject ||
		'\")' FROM plan p JOIN job j ON j.id = p.job_id JOIN
		git_commit c ON c.id = p.commit_id
		WHERE j.id = $1 AND p.state = 'failed'"
}
# ends NAME JOB KIND SENTENCE STATE: the job fails with the sentence; its box
ends() {
	is "$1: the job fails, and says whose fault it is" \
		"$(cat "$dir/end.$2")" "5: job $2: failed: $(whose "$2") \
boots, but the benchmark fails: $4"
	is "$1: the sentence" "$("$drover" log "$2" |
		sed -n "s/.*Z  boot [0-9]* failed ($3): //p" | sort -u)" "$4"
	is "$1: its box" "$(sql "SELECT state FROM box WHERE id = $2")" "$5"
	whole 2
	is "$1: no number is made of it" "$(sql "SELECT count(*) FROM sample s
		JOIN metric m ON m.id = s.metric_id JOIN run r ON r.id = s.run_id
		JOIN boot b ON b.id = r.boot_id JOIN plan p ON p.id = b.plan_id
		WHERE p.job_id = $2 AND m.name LIKE 'stress-ng.%'")" 0
}
ends 'a benchmark that fails' 1 bench "box fails: stress-ng ended with status \
3; its last line: no such stressor pipe" ready
is 'it is a fact of the kernel, with every failed run on record' \
	"$(sql "SELECT count(*), group_concat(DISTINCT r.state) FROM run r
	JOIN boot b ON b.id = r.boot_id JOIN plan p ON p.id = b.plan_id
	WHERE p.job_id = 1")" '2|failed'
ends 'a benchmark that prints garbage' 2 bench "box garbage: \
stress-ng/2-pipe-1s: stress-ng printed no result for any stressor; its last \
line: stress-ng: ??[31m metrc: nan inf ?" ready
lab_stop
plan_done
