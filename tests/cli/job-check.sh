#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover job check: whether the jobs can run, and what the kernel's options
# would do to what they measure.
. tests/tap.sh
drover=$DROVER_BUILD/drover
cat >"$tmp/job.yaml" <<'END'
suite: stress-ng
testcase: stress-ng
nr_threads: 2
testtime: 1s
stress-ng:
  test: pipe
END
cat >"$tmp/bad.config" <<'END'
CONFIG_XFS_DEBUG=y
# CONFIG_KASAN is not set
CONFIG_PROVE_LOCKING=y
END
export DROVER_CONFIG="$tmp/drover.yaml"

printf 'state_dir: %s\n' "$tmp" >"$tmp/drover.yaml"
out=$("$drover" job check "$tmp/job.yaml" 2>&1)
ok "a job that can run" $?
is "says so and no more" "$out" "$tmp/job.yaml: 1 jobs, 1 of them can run"

out=$("$drover" job check "$tmp/job.yaml" --kconfig "$tmp/bad.config" 2>&1)
ok "warnings are no errors" $?
like "an option that randomises is named, with the reason" "$out" \
	"warning: CONFIG_XFS_DEBUG=y: allocation groups are chosen at random"
like "and what to do" "$out" "set CONFIG_XFS_DEBUG=n, unless"
like "and one that only checks" "$out" "warning: CONFIG_PROVE_LOCKING=y: every lock is tracked"
case $out in *KASAN*) ok "what is off isn't" 1 ;; *) ok "what is off isn't" 0 ;; esac
out=$("$drover" job check --json "$tmp/job.yaml" --kconfig "$tmp/bad.config" 2>/dev/null)
is "--json has them as a list" \
	"$(printf '%s' "$out" | /usr/bin/python3 -c 'import json, sys
print(len(json.load(sys.stdin)["warnings"]))')" 2

cat >>"$tmp/drover.yaml" <<END
repos:
  - {name: linux, path: $tmp, kconfig: $tmp/bad.config}
END
out=$("$drover" job check "$tmp/job.yaml" 2>&1)
like "the fragments of the settings are looked at" "$out" "CONFIG_XFS_DEBUG=y"
out=$("$drover" job check "$tmp/job.yaml" --kconfig "$tmp/none" 2>&1)
is "a fragment that isn't there is told of" $? 3
like "by its name" "$out" "$tmp/none"
plan_done
