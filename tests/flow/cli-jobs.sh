#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands about jobs with more than one of something: words, job files,
# comparisons, pages of a log; and without a daemon.
LAB_MAIL=true
. "${0%/*}/lib/bad-input"

lab_repo 3
lab_boxes 200 5
slow_from 3
lab_start
sed 's/^testtime: 1s/testtime: [1s, 2s, 3s]/' "$dir/job.yaml" >"$dir/sweep.yaml"
range="$(sha 1)..$(sha 3)"

# Expected: a word too much is a mistake
# Buggy: shutdown, ping and queue took no notice of it
commands=$("$drover" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
for c in $commands; do
	[ "$c" != lab ] || continue
	"$drover" "$c" no such words </dev/null >"$dir/out" 2>&1
	is "$c refuses words that mean nothing" "$?: $(wc -l <"$dir/out")" '2: 1'
done
says 'and is there still' 0 "it is there (droverd $("$drover" --version |
	cut -d' ' -f2), pid $daemon)" "$drover" ping
is 'no help is wider than 80 columns' "$({
	"$drover" --help
	for c in $commands; do "$drover" "$c" --help; done
} | awk 'length > 80')" ''
says 'an unknown letter among others is named' 2 \
	'drover log: unknown option -x (drover log --help)' "$drover" log 1 -xf
says 'a flag takes no value' 2 \
	'drover log: --follow takes no value (drover log --help)' \
	"$drover" log --follow=1 1

# Expected: a mistake in one job file leaves nothing queued
# Buggy: the files before it had been submitted
says 'a missing second job file' 3 \
	"drover submit: $dir/nix.yaml: No such file or directory" \
	"$drover" submit "$range" -j "$dir/job.yaml" -j "$dir/nix.yaml"
is 'nothing is queued' "$("$drover" queue --all)" 'no jobs'

# Expected: a key is one job's. Buggy: the second file became the first one's
# job, and was never measured
says 'one key for two files' 2 "drover submit: --key stands for one job: give \
one -j FILE with it (drover submit --help)" \
	"$drover" submit "$range" -j "$dir/job.yaml" -j "$dir/sweep.yaml" --key k

# Expected: all are queued, then waited for. Buggy: one after the other ended
"$drover" submit -q -w "$range" -j "$dir/job.yaml" -j "$dir/sweep.yaml" \
	>"$dir/out" 2>&1
is 'two files are two jobs, queued before the first has ended' \
	"$?: $(sed "s,$dir/,," "$dir/out")" '0: job 1: job.yaml, 1 comparison
job 2: sweep.yaml, 3 comparisons
job 1: done: regression
job 2: done: regression'

# Expected: all comparisons of a job. Buggy: the first one only, so that
# --exit-code said 0 of a job whose second test was slower
is 'compare prints every comparison of a job' \
	"$("$drover" compare 2 | grep -c '^commit:')" 3
is 'and as JSON one document each' \
	"$("$drover" compare 2 --json | "$python" -c 'import json, sys
text, d, n = sys.stdin.read().strip(), json.JSONDecoder(), []
while text:
    o, at = d.raw_decode(text)
    n.append(o["axes"]["testtime"])
    text = text[at:].strip()
print(*n)')" '1s 2s 3s'
says 'a csv is of one' 2 "drover compare: job 2 has 3 comparisons, a csv is of \
one: --comparison ID (drover status 2 lists them) (drover compare --help)" \
	"$drover" compare 2 --format csv
is 'which --comparison names' \
	"$("$drover" compare --comparison 3 --format csv | grep -c '^metric,')" 1

is 'the preview has the headers of the mail' "$("$drover" report 1 \
	--mail-preview | sed '/^$/q' | grep -c -e '^To: list@example.org$' \
	-e '^From: Drover <drover@lab.example.org>$' -e '^Message-ID: <' \
	-e '^Subject: ' -e '^State: ')" 5

# Expected: the whole log. Buggy: its first 1000 lines
lab_stop
before=$("$python" -IS - "$dir/state/drover.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executemany("INSERT INTO event(job_id, at_s, kind, text) "
               "VALUES (1, 1, 'boot', ?)", [("n %d" % i,) for i in range(2500)])
db.commit()
print(db.execute("SELECT count(*) FROM event WHERE job_id = 1").fetchone()[0])
PY
)
lab_start
is 'a long log is there to its end' \
	"$("$drover" log 1 | wc -l) $("$drover" log 1 | sed -n '$s/.*Z  //p')" \
	"$before n 2499"
lab_stop

# Expected: an error at once. Buggy: a minute's silence first
for c in 'watch 1' 'log -f 1'; do
	# shellcheck disable=SC2086
	says "$c without a daemon" 5 "drover ${c%% *}: no droverd listens at \
$dir/sock: start it (droverd), or name its socket with --socket" \
		timeout 10 "$drover" $c
done
plan_done
