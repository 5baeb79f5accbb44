#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# droverd with settings or a state that make no sense: one sentence, the right
# exit code; a reload of a broken file keeps what is.
. "${0%/*}/lib/bad-input"

lab_repo 2
lab_boxes 200 5
cp "$dir/drover.yaml" "$dir/good.yaml"
# refuses NAME CODE SENTENCE: so it ends, before it did anything
refuses() {
	timeout 20 "$DROVER_BUILD/droverd" >"$dir/out" 2>&1
	refused=$?
	is "$1" "$refused: $(sed 's/^[^ ]* droverd: //' "$dir/out")" "$2: $3"
}

echo 'mail: {prt: 25}' >"$dir/drover.yaml"
refuses 'an unknown option' 2 "$dir/drover.yaml:1:8: there is no option \
\"mail.prt\" (did you mean mail.port?)"
echo 'run: {boot_timeout: soon}' >"$dir/drover.yaml"
refuses 'a value of another kind' 2 "$dir/drover.yaml:1:21: run.boot_timeout: \
\"soon\" is not a duration (90s, 5m, 2h, 1d)"
rm "$dir/drover.yaml"
refuses 'a missing file' 3 "$dir/drover.yaml: No such file or directory"
cp "$dir/good.yaml" "$dir/drover.yaml"
sed "s,backend:,bakend:," "$dir/lab.yaml" >"$dir/lab2.yaml"
sed -i "s,lab.yaml,lab2.yaml," "$dir/drover.yaml"
refuses 'a lab file with a mistake' 2 "can't start: $dir/lab2.yaml:3:5: there \
is no key of a box \"bakend\" (did you mean backend?)"
mkdir -p "$dir/state"
echo 'this is a text, and a long one, but no database' >"$dir/state/drover.db"
cp "$dir/good.yaml" "$dir/drover.yaml"
refuses 'a database that is none' 2 "can't start: $dir/state/drover.db is no \
database: move it away, or name another state_dir"
is 'which is left as it is' "$(cat "$dir/state/drover.db")" \
	'this is a text, and a long one, but no database'
rm -r "$dir/state"

sed -i "s,lab.yaml,none.yaml,; s,path: $dir/repo,path: $dir/gone," \
	"$dir/drover.yaml"
lab_start
like 'a lab file that is not there is said' "$(cat "$dir/log")" \
	"lab file $dir/none.yaml is not there: no boxes come from it (lab_file \
names another, drover box add FILE adds some)"
like 'so is a repository' "$(cat "$dir/log")" "repository tiny: no folder \
$dir/gone; submissions to it fail until it is there"
says 'whose submissions are refused' 3 "drover submit: tiny: repository \
$dir/gone: no such folder" \
	"$drover" submit -j "$dir/job.yaml" "$(sha 1)..$(sha 2)"
lab_stop

cp "$dir/good.yaml" "$dir/drover.yaml"
lab_start
timeout 20 "$DROVER_BUILD/droverd" >"$dir/out" 2>&1
is 'a second daemon' "$?: $(sed 's/^[^ ]* droverd: //' "$dir/out")" "5: can't \
start: $dir/state/drover.db: another droverd writes this database"
echo 'mail: {prt: 25}' >>"$dir/drover.yaml"
kill -HUP "$daemon"
until_ok 10 grep -q 'the old settings stay' "$dir/log"
like 'a reload of a broken file is refused' "$(cat "$dir/log")" "reload: \
$dir/drover.yaml:11:1: key \"mail\" is there already, in line 4; the old settings stay"
cp "$dir/good.yaml" "$dir/drover.yaml"
run_job --no-bisect "$(sha 1)..$(sha 2)"
is 'and the daemon works as before' "$rc: $(sed -n '$p' "$dir/out")" \
	'0: job 1: done: no-change'
whole 1
lab_stop
plan_done
