#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Reverts of accused commits are built and booted like any kernel, on null
# boxes; one that doesn't build costs its answer and nothing else.
set -u
. "$(dirname "$0")/null-lab"
. "$(dirname "$0")/lib/toy-kernel"

core() { # WHAT-THE-FIRST-LINE-DEFINES WHAT-THE-LAST-RETURNS
	{
		echo "static int a(void) { return 1; } $1"
		for i in 1 2 3 4 5 6 7 8; do echo "/* $i */"; done
		echo "int main(void) { return a() + $2; }"
	} >"$dir/repo/core.c"
}
LAB_SLEEP_MS=20
lab_repo 1
lab_boxes 200 20
toy_makefile "$dir/repo/Makefile"
echo : >"$dir/repo/hook"
for k in 1 2 3 4 5 6 7 8 9; do
	new=
	[ $k -lt 4 ] || new='int b(void) { return 2; }'
	case $k in
	4) core "$new" 3 ;; # touches one place, which nobody touches again
	9) core "$new" 'b()' ;;
	*) core "$new" $k ;;
	esac
	git -C "$dir/repo" add -A
	commit_as "core: change number $k"
done
# head of the last one calls what the culprit brought
git -C "$dir/repo" rev-list --reverse HEAD | sed 1d >"$dir/shas"
slow_from 4
echo 'CONFIG_A=y' >"$dir/kconfig"
sed -i 's/^    script: /    boot: {method: qemu, cpus: 1, icount: 2}\n&/' \
	"$dir/lab.yaml"
sed -i "s|branch: main}|branch: main, kconfig: $dir/kconfig}|" \
	"$dir/drover.yaml"
echo 'build: {ccache: false, slots: 1}' >>"$dir/drover.yaml"
lab_start

bisected() { # JOB HEAD
	"$drover" submit --quiet --wait -j "$dir/job.yaml" \
		"$(sha 1)..$(sha "$2")" >/dev/null 2>&1
	"$drover" bisect status --json "$1" >"$dir/bisect"
}
bisected 1 8
json "$dir/bisect" 'r["commits"] == ["'"$(sha 4)"'"] and
	r["evidence"]["revert"]["outcome"] == "back"'
ok $? 'a revert is built, booted, and gives the effect back'
json "$dir/bisect" 'any(s["ask"]["phase"] == "revert" for s in r["steps"]) and
	not any(x["status"] == "same" for s in r["steps"]
		if s["ask"]["phase"] == "revert" for x in s["result"])'
ok $? 'none of its boots is left out'

bisected 2 9
json "$dir/bisect" 'r["verdict"] == "culprit" and
	r["commits"] == ["'"$(sha 4)"'"] and
	r["evidence"]["revert"]["outcome"] == "failed" and
	"build" in r["evidence"]["revert"]["say"]'
ok $? 'one that does not build leaves the verdict as it is'
"$drover" report 2 | tr '\n' ' ' | tr -s ' ' >"$dir/text"
grep -q "^.* revert on head not measured, it doesn't build: " "$dir/text"
ok $? 'and the report says so'
lab_stop
echo "1..$n"
