# SPDX-License-Identifier: GPL-3.0-or-later
# The sampling loop, sourced by supervisor.sh: one `cat` of all due files a
# tick, since each fork is time taken from the benchmark on a one-CPU box.
#
# $dir/monitors has lines "INTERVAL NAMES PATH": seconds (0: only at the start
# and the end), monitor names joined by commas, a path or glob. $run/mon gets
#   @ UPTIME          a tick
#   = NAMES           whose file follows
#   # PATH            and its content
# shellcheck shell=sh

mon_bytes=${max_mon:-16777216}

# Prepare a file with the header lines for each source, so that `cat` can put
# headers and sources together without another process. The lists grow in files:
# a variable that grows with each of thousands of files of a large box is slow.
monitor_init() {
	mkdir "$run/sep"
	mon_every='' mon_nr=0
	while read -r interval names glob; do
		case $interval in
		'' | *[!0-9]*) continue ;;
		esac
		for file in $glob; do
			[ -r "$file" ] || continue
			mon_nr=$((mon_nr + 1))
			printf '= %s\n# %s\n' "$names" "$file" >"$run/sep/$mon_nr"
			echo "$run/sep/$mon_nr $file"
		done >>"$run/sep/list.$interval"
		case " $mon_every " in
		*" $interval "*) ;;
		*) [ "$interval" -eq 0 ] || mon_every="$mon_every $interval" ;;
		esac
	done 2>/dev/null <"$dir/monitors"
	mon_all=$(cat "$run/sep"/list.* 2>/dev/null)
	for interval in $mon_every; do
		eval "mon_files_$interval=\$(cat \"\$run/sep/list.$interval\")"
	done
}

# Thousands of files may be more than a command line takes; xargs splits it.
# shellcheck disable=SC2086
monitor_tick() {
	[ -n "$1" ] || return 0
	read -r mon_up _ </proc/uptime
	{
		echo "@ $mon_up"
		if [ ${#1} -lt 65536 ]; then
			cat $1
		else
			printf '%s\n' "$1" | xargs cat
		fi
	} >>"$run/mon" 2>/dev/null
}

monitor_tick_all() {
	monitor_tick "$mon_all"
}

# How many ticks fit: half of them at each interval, a quarter at twice the
# interval, and so on, so that a run of any length stays inside the limit.
monitor_budget() {
	mon_size=$(wc -c <"$run/mon")
	mon_left=$((mon_bytes / (mon_size + 1) / 2))
	mon_factor=1
}

monitor_loop() {
	mon_stop=0 nap_pid=
	trap 'mon_stop=1; [ -z "$nap_pid" ] || kill "$nap_pid"' TERM
	[ -n "$mon_every" ] || return 0
	monitor_budget
	mon_half=$mon_left mon_n=0
	while :; do
		nap "$mon_factor"
		[ "$mon_stop" = 0 ] || return 0
		mon_n=$((mon_n + 1))
		mon_due=
		for interval in $mon_every; do
			[ $((mon_n % interval)) = 0 ] || continue
			eval "mon_due=\"\$mon_due \$mon_files_$interval\""
		done
		[ -n "$mon_due" ] || continue
		monitor_tick "$mon_due"
		mon_left=$((mon_left - 1))
		[ $mon_left -le 0 ] || continue
		mon_half=$((mon_half / 2))
		[ $mon_half -gt 0 ] || return 0
		mon_left=$mon_half mon_factor=$((mon_factor * 2))
	done
}
