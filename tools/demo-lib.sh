# SPDX-License-Identifier: GPL-3.0-or-later
# What tools/demo and tests/bench/lab share: a mail server, a configuration, the
# virtual lab and droverd, all in one folder and ended together. Sourced, with
# set -eu; the caller has set top (the source), O (the build folder) and dir
# (absolute, exists).
# shellcheck shell=sh disable=SC2154
daemon=
sink=
start=$(date +%s)
say() { printf '\n[%4d s] %s\n' $(($(date +%s) - start)) "$*"; }
drover() { "$O/drover" "$@"; }

lab_stop() {
	# end only what was started here, by pid
	if [ -n "$daemon" ]; then
		"$O/drover" shutdown --quiet 2>/dev/null || :
		kill "$daemon" 2>/dev/null || :
		wait "$daemon" 2>/dev/null || :
	fi
	if [ -n "$sink" ]; then
		exec 9>&- # its standard input
		wait "$sink" 2>/dev/null || :
	fi
	"$O/drover" lab down --dir "$dir/lab" >/dev/null 2>&1 || :
}

# lab_start SECONDS: everything runs afterwards, with an empty record; kernels
# and caches of before stay. The mail server ends after SECONDS by itself.
lab_start() {
	trap 'rc=$?; trap - EXIT; lab_stop; exit $rc' EXIT
	trap 'exit 130' INT TERM
	say "a mail server that keeps what it gets"
	rm -rf "$dir/state" "$dir/mail" "$dir/fifo" "$dir/port" "$dir/public" \
		"$dir/artifacts/attempts"
	mkfifo "$dir/fifo"
	"$top/tools/mail-sink" "$dir/mail" "$dir/port" "$1" <"$dir/fifo" &
	sink=$!
	exec 9>"$dir/fifo"
	for _ in $(seq 100); do
		[ -s "$dir/port" ] && break
		sleep 0.1
	done
	[ -s "$dir/port" ] || { echo "the mail server did not start" >&2; exit 5; }

	cat >"$dir/drover.yaml" <<YAML
state_dir: $dir/state
cache_dir: $dir/cache
artifact_dir: $dir/artifacts
pages_dir: $dir/public
libexec_dir: $O/libexec
mail:
  enabled: true
  from: drover@example.org
  to: [linux-perf@example.org]
  host: 127.0.0.1
  port: $(cat "$dir/port")
  tls: none
YAML
	export DROVER_CONFIG="$dir/drover.yaml"
	say "the virtual lab: two boxes with two NUMA nodes each"
	drover lab up --dir "$dir/lab"

	say "droverd"
	"$O/droverd" >"$dir/droverd.log" 2>&1 9>&- &
	daemon=$!
	for _ in $(seq 100); do
		drover ping --quiet 2>/dev/null && break
		kill -0 "$daemon" 2>/dev/null || {
			cat "$dir/droverd.log" >&2
			exit 5
		}
		sleep 0.1
	done
	drover box add "$dir/lab/lab.yaml"
}

# lab_repo NAME REPOSITORY
lab_repo() {
	drover repo add "$1" "$2" --branch demo \
		--kconfig "$top/configs/kconfig/lab-slim.config"
}
