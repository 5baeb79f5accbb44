#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong with a submission is said at once: which word, in which file and
# line, and what would be right. Nothing of it is queued.
. "${0%/*}/lib/bad-input"

lab_repo 4
git -C "$dir/repo" checkout -q -b side "$(sha 3)"
echo side >"$dir/repo/side"
git -C "$dir/repo" add -A
commit_as 'side: a branch'
side=$(git -C "$dir/repo" rev-parse HEAD)
lab_boxes 200 5
slow_from 4
lab_start
a=$(sha 1) b=$(sha 4)
job=$dir/job.yaml
submit() { "$drover" submit "$@"; }
# yaml TEXT: a job file of its own, $bad
yaml() {
	bad=$dir/bad.yaml
	printf '%b' "$1" >"$bad"
}

# --- commits -----------------------------------------------------------------

says 'an unknown commit' 3 "drover submit: unknown commit \"v9.9\" in \
$dir/repo: fetch it first or check the spelling" \
	submit -j "$job" "v9.9..$b"
says 'an unknown sha' 3 "drover submit: unknown commit \"deadbeefdeadbeef\" in \
$dir/repo: fetch it first or check the spelling" \
	submit -j "$job" "$a..deadbeefdeadbeef"
says 'shell text for a commit' 2 "drover submit: \"\$(touch x)\" is not a \
revision: blanks, control characters and ':' have no place in one" \
	submit -j "$job" "$a..\$(touch x)"
says 'a commit against itself' 2 "drover submit: base and head are the same \
commit $(sha 1 | cut -c1-12): there is nothing to compare" \
	submit -j "$job" "$a..$a"

# --- names -------------------------------------------------------------------

says 'an unknown box' 3 'drover submit: no box "nul-a"; there are: null-a, null-b' \
	submit -j "$job" --box nul-a "$a..$b"
says 'a tag that no box has' 3 'drover submit: no ready box has the tag "gpu" (drover box list shows tags and states)' \
	submit -j "$job" --tag gpu "$a..$b"
says 'an unknown repository' 3 'drover submit: no repository "tinny"; there are: tiny' \
	submit -j "$job" --repo tinny "$a..$b"
says 'an unknown job' 3 'drover status: no job 99 (drover queue --all lists them)' \
	"$drover" status 99
says 'a repository that is not there' 3 "drover repo: repository $dir/none: no such folder" \
	"$drover" repo add other "$dir/none"

# --- the job file ------------------------------------------------------------

says 'a missing job file' 3 "drover submit: $dir/none.yaml: No such file or directory" \
	submit -j "$dir/none.yaml" "$a..$b"
sed 's/testtime/testtme/' "$job" >"$dir/bad.yaml"
says 'an unknown parameter' 2 "drover submit: $dir/bad.yaml:5:1: there is no \
option or program \"testtme\" (did you mean testtime?)" \
	submit -j "$dir/bad.yaml" "$a..$b"
sed 's/test: pipe/tset: pipe/' "$job" >"$dir/bad.yaml"
says "an unknown parameter of a program" 2 "drover submit: $dir/bad.yaml:7:3: \
there is no option \"tset\" (did you mean test?)" \
	submit -j "$dir/bad.yaml" "$a..$b"
sed 's/testtime: 1s/testtime: soon/' "$job" >"$dir/bad.yaml"
says 'a value that makes no sense' 2 "drover submit: $dir/bad.yaml: \
stress-ng/2-pipe-soon: testtime: \"soon\" is no duration (as 10, 10s, 5m, 1h)" \
	submit -j "$dir/bad.yaml" "$a..$b"
yaml 'suite: x\ntestcase: will-it-scale\nwill-it-scale:\n  test: brk1\n'
says 'a program that Drover cannot run' 2 "drover submit: $bad: \
will-it-scale/brk1: Drover can read this job but has no workload to run it \
(it has stress-ng, sysbench-cpu, sysbench-memory, sysbench-threads, \
sysbench-mutex)" \
	submit -j "$bad" "$a..$b"
yaml 'suite: [a\ntestcase: x\n'
says 'YAML that is no YAML' 2 "drover submit: $bad:2:9: did not find expected \
',' or ']'" \
	submit -j "$bad" "$a..$b"
yaml 'suite: stress-ng\n\ttestcase: x\n'
says 'a tab in YAML' 2 "drover submit: $bad:2:1: found a tab character that \
violates indentation" \
	submit -j "$bad" "$a..$b"
yaml 'suite: a\nsuite: b\n'
says 'a key twice' 2 "drover submit: $bad:2:1: key \"suite\" is there \
already, in line 1" \
	submit -j "$bad" "$a..$b"
yaml ''
says 'an empty file' 2 "drover submit: $bad:1:1: an empty job file" \
	submit -j "$bad" "$a..$b"
yaml 'suite: x\nname: "\0377\0376"\n'
says 'bytes that are no text' 2 "drover submit: $bad:2:8: invalid leading \
UTF-8 octet" \
	submit -j "$bad" "$a..$b"
yaml 'boxes:\n  - name: [\n'
says 'a lab file that is no YAML' 2 "drover box: $bad:3:1: did not find \
expected node content" \
	"$drover" box add "$bad"
printf 'boxes:\n  - name: x\n    bakend: ssh\n' >"$bad"
says 'a lab file with an unknown key' 2 "drover box: $bad:3:5: there is no \
key of a box \"bakend\" (did you mean backend?)" \
	"$drover" box add "$bad"

is 'nothing of all that was queued' \
	"$("$drover" queue --all)" 'no jobs'

# --- a base that is no ancestor ------------------------------------------------

says 'a base that is no ancestor is taken, the merge base named' 0 \
	"note: base $(echo "$side" | cut -c1-12) is no ancestor of head \
$(echo "$b" | cut -c1-12); they are compared anyway, their merge base is \
$(sha 3 | cut -c1-12)
job 1: $job, 1 comparison" \
	submit -j "$job" "$side..$b"
"$drover" watch -q 1 >"$dir/out" 2>&1
is 'and compared to a verdict' "$?: $(cat "$dir/out")" '0: job 1: done: regression'
like 'only the bisection is refused' "$("$drover" status 1)" "not bisected: base is no ancestor \
of head, their merge base is $(sha 3 | cut -c1-12)"
says 'also by hand' 2 "drover bisect: base is no ancestor of head (merge base \
$(sha 3 | cut -c1-12)): submit from the merge base to bisect" \
	"$drover" bisect start 1
whole 1
plan_done
