#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover job: public job files expand to the jobs they are known to expand to;
# own files, includes, refusals with their place; the output forms.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
drover=${DROVER_BUILD:-$here/build}/drover
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT INT TERM
n=0
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

mkdir "$tmp/set" "$tmp/set/sub"
cat >"$tmp/set/base.yaml" <<'Y'
suite: stress-ng
testcase: stress-ng
nr_threads:
  - 1
  - 50%
testtime: 2s
stress-ng:
  test: [pipe, switch]
---
nr_threads: 100%
stress-ng:
  test: switch
  method: mq
Y
cat >"$tmp/set/sub/derived.yaml" <<'Y'
<<: {file: base.yaml, testtime: 5s}
Y
cat >"$tmp/want" <<'Y'
stress-ng/1-pipe-5s
stress-ng/1-switch-5s
stress-ng/50%-pipe-5s
stress-ng/50%-switch-5s
stress-ng/mq-100%-switch-5s
Y
"$drover" job expand --paths "$tmp/set/sub/derived.yaml" >"$tmp/got" 2>&1
ok $? "an include from the folder above, with an override"
cmp -s "$tmp/want" "$tmp/got"
ok $? "each document expands, with the override in all of them"
"$drover" job check "$tmp/set/base.yaml" >"$tmp/got" 2>&1
ok $? "check accepts what Drover can run"
grep -q "5 jobs, 5 of them can run" "$tmp/got"
ok $? "check counts the jobs"
"$drover" job expand --json "$tmp/set/base.yaml" >"$tmp/got" 2>&1 &&
	grep -q '"workload": *"stress-ng"' "$tmp/got"
ok $? "jobs as JSON name their workload"

sed 's/testtime/testtme/' "$tmp/set/base.yaml" >"$tmp/typo.yaml"
"$drover" job expand "$tmp/typo.yaml" >"$tmp/out" 2>"$tmp/got"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ] &&
	grep -q 'typo.yaml:6:1: there is no option or program "testtme" (did you mean testtime?)' "$tmp/got"
ok $? "a misspelled option is refused with place and suggestion"
printf 'suite: x\na: <%%= 1 %%>\n' >"$tmp/erb.yaml"
"$drover" job check "$tmp/erb.yaml" 2>"$tmp/got"
[ $? -eq 2 ] && grep -q 'erb.yaml:2:4: code in a template' "$tmp/got"
ok $? "code in a template is refused with its line"
"$drover" job check "$tmp/missing.yaml" 2>/dev/null
[ $? -eq 3 ]
ok $? "a missing file is exit code 3"

set=$here/../shared/lkp-jobs
if [ -d "$set" ]; then
	bad=0 files=0 jobs=0
	for want in $(cd "$set/expected" && find . -name '*.txt' | sort); do
		file=${want%.txt}
		files=$((files + 1))
		"$drover" job expand --paths "$set/jobs/$file" >"$tmp/got" 2>&1 &&
			cmp -s "$set/expected/$want" "$tmp/got" || {
			echo "# $file differs"
			bad=$((bad + 1))
		}
		jobs=$((jobs + $(wc -l <"$tmp/got")))
	done
	echo "# $files public job files, $jobs atomic jobs, $bad files differ"
	[ $bad -eq 0 ] && [ $files -ge 55 ]
	ok $? "all public job files expand as known"
else
	n=$((n + 1))
	echo "ok $n - all public job files expand as known # SKIP ../shared is not here"
fi
echo "1..$n"
