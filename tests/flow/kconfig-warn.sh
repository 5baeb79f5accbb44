#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernel options that spoil a measurement are warned of before anything runs.
set -u
. "$(dirname "$0")/null-lab"

lab_repo 2
lab_boxes 100 5
printf 'CONFIG_XFS_DEBUG=y\nCONFIG_KASAN=y\n' >"$dir/debug.config"
printf 'CONFIG_KASAN=n\n' >"$dir/no-kasan.config"
cat >>"$dir/lab.yaml" <<-END
  - name: builds
    backend: "null"
    boot: {method: command, install: ["true"], reboot: ["true"]}
END
lab_start
"$drover" repo add other "$dir/repo" --kconfig "$dir/debug.config" \
	--kconfig "$dir/no-kasan.config" >/dev/null

submit() { # BOX OUT ARG…
	box=$1 out=$2
	shift 2
	"$drover" submit --repo other -b "$box" -j "$dir/job.yaml" "$@" \
		"$(sha 1)..$(sha 2)" >"$dir/$out" 2>&1
}
submit builds warned --dry-run
grep -q 'warning: CONFIG_XFS_DEBUG=y: allocation groups are chosen at random' \
	"$dir/warned" && grep -q 'set CONFIG_XFS_DEBUG=n' "$dir/warned"
ok $? 'submit names an option that randomises, why, and what to do'
grep -q KASAN "$dir/warned"
[ $? = 1 ]
ok $? 'what a later fragment takes back is no trouble'
submit null-a silent --dry-run
grep -q warning "$dir/silent"
[ $? = 1 ]
ok $? 'nor is what no kernel is built from'
submit builds quiet --dry-run --quiet
grep -q warning "$dir/quiet"
[ $? = 1 ]
ok $? '--quiet keeps quiet about it'
"$drover" submit --json --repo other -b builds -j "$dir/job.yaml" \
	"$(sha 1)..$(sha 2)" >"$dir/json" 2>/dev/null
json "$dir/json" 'len(r["warnings"]) == 1 and "XFS_DEBUG" in r["warnings"][0]'
ok $? 'programs get it with the reply'
"$drover" log 1 >"$dir/log.txt"
grep -q 'CONFIG_XFS_DEBUG=y' "$dir/log.txt"
ok $? "and it stands in the job's log"
"$drover" calibrate builds "$dir/job.yaml" --repo other 2>"$dir/calibrate" \
	>/dev/null
grep -q 'warning: CONFIG_XFS_DEBUG=y' "$dir/calibrate"
ok $? 'a calibration is warned of it, too'
lab_stop
echo "1..$n"
