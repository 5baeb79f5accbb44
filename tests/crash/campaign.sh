#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kill droverd with SIGKILL at random points of a campaign on scripted boxes and
# check that nothing acknowledged is lost and nothing is done twice.
#
#   CRASH_JOBS=300 CRASH_KILLS=100 CRASH_BOXES=6 CRASH_SEED=1
#   DROVER_BUILD=build   DROVERD=$DROVER_BUILD/droverd
#   CRASH_KEEP=1         leave the folder behind
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=${DROVER_BUILD:-$here/../../build}
O=$(cd "$O" && pwd)
droverd=${DROVERD:-$O/droverd}
[ -x "$droverd" ] || { echo "$droverd is missing: make" >&2; exit 2; }
[ -x "$O/libexec/drover-run" ] ||
	{ echo "$O/libexec/drover-run is missing: make" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/drover-crash-XXXXXX")
[ -n "${CRASH_KEEP:-}" ] || trap 'rm -rf "$dir"' EXIT
[ -z "${CRASH_KEEP:-}" ] || echo "folder: $dir"

# A small history to submit commits of.
git init -q "$dir/repo"
git -C "$dir/repo" config user.name Tester
git -C "$dir/repo" config user.email tester@example.org
i=0
while [ $i -lt 12 ]; do
	echo $i >"$dir/repo/file"
	git -C "$dir/repo" add file
	GIT_AUTHOR_DATE="2020-01-01T00:00:$((10 + i))Z" \
	GIT_COMMITTER_DATE="2020-01-01T00:00:$((10 + i))Z" \
		git -C "$dir/repo" commit -q -m "change $i"
	i=$((i + 1))
done

# Workers that the campaign is about; pages would only cost time.
mkdir "$dir/libexec"
ln -s "$O/libexec/drover-run" "$dir/libexec/drover-run"

boxes=${CRASH_BOXES:-6}
{
	echo 'boxes:'
	i=0
	while [ $i -lt "$boxes" ]; do
		cat <<BOX
  - name: null-$i
    tbox_group: herd
    backend: 'null'
    boot: {method: none}
    script: {mean: 1000, sd: 2, seed: $i, metrics: 20, sleep_ms: 120,
             log: $dir/box-$i.log}
BOX
		i=$((i + 1))
	done
} >"$dir/lab.yaml"
cat >"$dir/drover.yaml" <<CONF
state_dir: $dir/state
socket: $dir/sock
lab_file: $dir/lab.yaml
libexec_dir: $dir/libexec
mail: {enabled: false}
repos:
  - {name: r, path: $dir/repo}
CONF
python3 "$here/campaign.py" --dir "$dir" --droverd "$droverd" \
	--jobs "${CRASH_JOBS:-300}" --kills "${CRASH_KILLS:-100}" \
	--boxes "$boxes" --seed "${CRASH_SEED:-1}"
