#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kill droverd with SIGKILL at random points of bisections of built kernels on
# scripted boxes, and compare what they find with those of a daemon that lives.
#
#   CRASH_BISECT_KILLS=200  CRASH_SEED=1
#   DROVER_BUILD=build      DROVERD=$DROVER_BUILD/droverd
#   CRASH_KEEP=1            leave the folder behind
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../flow/lib/toy-kernel"
O=${DROVER_BUILD:-$here/../../build}
O=$(cd "$O" && pwd)
droverd=${DROVERD:-$O/droverd}
dir=$(mktemp -d "${TMPDIR:-/tmp}/drover-crash-XXXXXX")
[ -n "${CRASH_KEEP:-}" ] || trap 'rm -rf "$dir"' EXIT
[ -z "${CRASH_KEEP:-}" ] || echo "folder: $dir"
mkdir "$dir/libexec"
# Workers that this is about; pages would only cost time.
for worker in drover-run drover-build; do
	[ -x "$O/libexec/$worker" ] ||
		{ echo "$O/libexec/$worker is missing: make" >&2; exit 2; }
	ln -s "$O/libexec/$worker" "$dir/libexec/$worker"
done
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 PYTHONDONTWRITEBYTECODE=1
toy_makefile "$dir/Makefile.toy"
echo 'CONFIG_A=y' >"$dir/kconfig"
/usr/bin/python3 "$here/bisect_campaign.py" --dir "$dir" --droverd "$droverd" \
	--kills "${CRASH_BISECT_KILLS:-200}" --seed "${CRASH_SEED:-1}"
