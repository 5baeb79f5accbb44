#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The box side of a run, in POSIX sh (busybox ash and dash do). A benchmark runs
# in its own session under a guard that outlives the SSH connection, and is
# killed with everything it started when its lease ends: a retried run is never
# measured beside an orphan.
#
#   claim ATTEMPT TOKEN            take the box; ends what an older token left
#   run TOKEN SEQ LEASE LIMIT CMD… start; lines on stdin: seconds renew the lease,
#                                  "stop" ends the run; prints "started", "ok"
#                                  per renewal, then "done …" or "lost"
#   attach TOKEN SEQ LEASE         the same for a run that was started before
#   collect TOKEN SEQ              print the spool files: "file NAME BYTES CUT",
#                                  the bytes, …, "end"
#   release TOKEN                  end everything, remove the files
#
# "done STATUS WHY START END": exit status; exit, timeout, lease, stopped, fenced
# or full (no space for the output); uptimes in seconds.
# Exit status 3: the token is not the current one; 4: a newer attempt runs.
set -u
umask 077
base=$(cd "${0%/*}" && pwd) || exit 1
max_text=4194304
max_mon=16777216

die() {
	code=$1
	shift
	echo "$*" >&2
	exit "$code"
}

now() {
	read -r up_exact _ </proc/uptime
	up=${up_exact%.*}
}

# Wait about $1 seconds, without a fork where `read` can; a signal ends it.
nap() {
	if [ "$read_t" = 1 ]; then
		read -r -t "$1" _ <&9
	else
		sleep "$1" &
		nap_pid=$!
		wait "$nap_pid"
	fi
	return 0
}

# Without a pipe to read from, nap sleeps.
nap_init() {
	read_t=0
	# shellcheck disable=SC3045
	(read -r -t 1 _ </dev/null) 2>/dev/null
	[ $? -eq 1 ] || return 0
	rm -f "$1"
	mkfifo "$1" && exec 9<>"$1" && read_t=1
}

# Processes with mark $1 in their environment; tr, since awk may stop at a NUL.
# xargs here and below: the names of 70000 processes are no command line. Each
# head begins a line, or its first process would be taken for the one before.
marked() {
	# shellcheck disable=SC2016
	printf '%s\n' /proc/[0-9]*/environ |
		xargs sh -c 'echo; exec head -v -c 65536 "$@"' - 2>/dev/null |
		tr '\0' '\n' |
		awk -v mark="$1" '
			/^==> \/proc\/[0-9]+\/environ <==$/ {
				split($2, part, "/")
				next
			}
			index($0, mark) { print part[3] }'
}

# Processes in session $1 that aren't dead already. The name in parentheses may
# hold anything; state, parent, group and session follow it.
in_session() {
	printf '%s\n' /proc/[0-9]*/stat | xargs cat 2>/dev/null |
		awk -v session="$1" '{
		pid = $1
		sub(/^.*\) /, "")
		if ($4 == session && $1 != "Z")
			print pid
	}'
}

# Send signal $1 to all that carry mark $2 or are in session $3: false if none.
signal_all() {
	hit=1
	for pid in $(marked "$2") $([ -z "$3" ] || in_session "$3"); do
		kill "-$1" "$pid" 2>/dev/null && hit=0
	done
	return "$hit"
}

# End all that carry mark $1 or are in session $2, politely for one second.
end_all() {
	signal_all TERM "$1" "$2" || return 0
	for _ in 1 2 3 4 5; do
		signal_all 0 "$1" "$2" || return 0
		sleep 0.2
	done
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		signal_all KILL "$1" "$2" || return 0
		sleep 0.2
	done
}

check_token() {
	case $1 in
	'' | *[!0-9a-f]*) die 2 "bad token" ;;
	esac
	read -r attempt token boot 2>/dev/null <"$base/claim" || attempt= token= boot=
	[ "$1" = "$token" ] || die 3 "token $1 is not the current one"
	dir=$base/a-$token
}

check_seq() {
	case $1 in
	'' | *[!0-9]*) die 2 "bad sequence number" ;;
	esac
	run=$dir/run-$1
}

renew() {
	case $1 in
	'' | *[!0-9]*) return ;;
	esac
	now
	echo $((up + $1)) >"$dir/lease"
}

# A claim is taken by one process at a time; a lock is dead when its owner is,
# or after 60 s.
lock() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		if mkdir "$base/lock" 2>/dev/null; then
			now
			echo "$up $$" >"$base/lock/since"
			return
		fi
		# gone meanwhile, or there is no space for it
		[ -d "$base/lock" ] || { mkdir "$base/lock" &&
			rmdir "$base/lock" && continue; } || exit 5
		now
		since=$up owner=
		read -r since owner 2>/dev/null <"$base/lock/since"
		if [ $((up - since)) -gt 60 ] || [ "$up" -lt "$since" ] ||
			{ [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; }; then
			rm -rf "$base/lock"
		else
			sleep 1
		fi
	done
	[ -n "$owner" ] || rm -rf "$base/lock" # it died before it signed
	die 1 "another claim was going on"
}

claim() {
	case $1$2 in
	*[!0-9a-f]*) die 2 "bad claim" ;;
	esac
	lock
	trap 'rm -rf "$base/lock" "$base/space"' EXIT
	read -r my_boot </proc/sys/kernel/random/boot_id
	attempt=
	if read -r attempt token boot 2>/dev/null <"$base/claim" &&
		[ "$boot" = "$my_boot" ]; then
		now
		until=0
		read -r until 2>/dev/null <"$base/a-$token/lease"
		[ "$attempt" -gt "$1" ] && [ "$until" -gt "$up" ] &&
			die 4 "attempt $attempt runs, which is newer than $1"
	fi
	rm -rf "$base/a-$2"
	mkdir "$base/a-$2" &&
		echo "$1 $2 $my_boot" >"$base/claim.new" &&
		head -c 262144 /dev/zero >"$base/space" &&
		mv "$base/claim.new" "$base/claim" || exit 5
	# from here on an older token can start nothing
	for old in "$base"/a-*; do
		[ "$old" != "$base/a-$2" ] || continue
		end_all "DROVER_TOKEN=${old##*/a-}" ""
		rm -rf "$old"
	done
}

# On which nodes the benchmark's tasks are now: lines "NODE TASKS". A box with
# one CPU has nothing to say, and its time is dear.
note_nodes() {
	online=
	read -r online 2>/dev/null </sys/devices/system/cpu/online
	case $online in
	*[,-]*) ;;
	*) return ;;
	esac
	{
		grep -H . /sys/devices/system/node/node[0-9]*/cpulist
		printf '%s\n' /proc/[0-9]*/task/[0-9]*/stat | xargs cat
	} 2>/dev/null | awk -v session="$bench" '
		/^\/sys.*\/cpulist:/ {
			name = $0
			sub(/^.*\/node/, "", name)
			sub(/\/cpulist:.*/, "", name)
			sub(/^.*:/, "")
			n = split($0, part, ",")
			for (i = 1; i <= n; i++) {
				m = split(part[i], edge, "-")
				for (c = edge[1] + 0; c <= edge[m] + 0; c++)
					node[c] = name
			}
			next
		}
		{
			sub(/^.*\) /, "")
			if ($4 == session && $1 != "Z" && $37 in node)
				tasks[node[$37]]++
		}
		END {
			for (n in tasks)
				print n, tasks[n]
		}' >"$run/nodes"
}

# Kill the benchmark when its time is over; ends with the guard.
watchdog() {
	trap '[ -z "${nap_pid:-}" ] || kill "$nap_pid"; exit' TERM
	every=2 noted=0
	[ "$limit" -gt 20 ] && [ "$lease" -gt 8 ] || every=1
	while :; do
		nap $every
		[ $noted = 1 ] || note_nodes
		noted=1
		now
		why=
		until=
		read -r until 2>/dev/null <"$dir/lease"
		read -r attempt current boot 2>/dev/null <"$base/claim"
		if [ "$current" != "$token" ]; then
			why=fenced
		elif [ -n "$until" ] && [ "$up" -ge "$until" ]; then
			why=lease
		elif [ $((up - start)) -ge "$limit" ]; then
			why=timeout
		fi
		[ -n "$why" ] || continue
		echo "$why" >"$run/ended"
		end_all "DROVER_BENCH=$token.$seq" "$bench"
		return
	done
}

# Keep the first bytes of a stream, swallow the rest.
spool() {
	head -c $((max_text + 1))
	cat >/dev/null
}

start_bench() {
	timer=
	if [ -x /usr/bin/time ]; then
		timer=/usr/bin/time
	elif command -v busybox >/dev/null; then
		timer="busybox time"
	fi
	# shellcheck disable=SC2086
	env -i PATH="$PATH" HOME="$run/work" LANG=C TZ=UTC \
		DROVER_TOKEN="$token" DROVER_BENCH="$token.$seq" \
		setsid ${timer:+$timer -v -o "$run/time.raw"} "$@" \
		</dev/null >"$run/out" 2>"$run/err" 8>&- 9>&- &
	bench=$!
}

guard() {
	token=$1 seq=$2 lease=$3 limit=$4
	shift 4
	dir=$base/a-$token
	run=$dir/run-$seq
	cd "$run/work" || exit 1
	nap_init "$run/wake"
	# shellcheck source=/dev/null
	. "$base/monitor.sh"
	mkfifo "$run/out" "$run/err" || exit 1
	spool <"$run/out" >"$run/stdout" &
	readers=$!
	spool <"$run/err" >"$run/stderr" &
	readers="$readers $!"
	dmesg 2>/dev/null | tail -n 1 >"$run/dmesg.last"
	monitor_init
	monitor_tick_all
	monitor_loop 8>&- &
	monitor=$!
	now
	start=$up start_exact=$up_exact
	start_bench "$@"
	watchdog &
	dog=$!
	wait "$bench"
	status=$?
	now
	kill "$monitor" "$dog" 2>/dev/null
	wait "$monitor"
	monitor_tick_all
	end_all "DROVER_BENCH=$token.$seq" "$bench"
	# shellcheck disable=SC2086
	wait $readers
	dmesg 2>/dev/null | tail -c 262144 >"$run/dmesg.end"
	why=exit
	read -r why 2>/dev/null <"$run/ended"
	if ! head -c 65536 /dev/zero >"$run/space"; then
		why=full
		: >"$run/stdout" # makes room for the last word
	fi
	rm -f "$run/space"
	echo "$status $why $start_exact $up_exact" >"$run/status.new"
	mv "$run/status.new" "$run/status"
}

# Renew the lease for every line that comes.
beats() {
	while read -r word; do
		if [ "$word" = stop ]; then
			echo stopped >"$run/ended"
			end_all "DROVER_BENCH=$token.$seq" ""
		else
			renew "$word"
		fi
		echo ok
	done
}

# Wait for the guard $1, renewing meanwhile, and say how the run ended.
relay() {
	echo started
	beats <&3 &
	beat=$!
	if ! wait "$1" 2>/dev/null; then
		while kill -0 "$1" 2>/dev/null && [ ! -e "$run/status" ]; do
			sleep 0.5
		done
	fi
	kill "$beat" 2>/dev/null
	if read -r words 2>/dev/null <"$run/status"; then
		echo "done $words"
	else
		echo lost
	fi
}

verb=${1:-}
shift
case $verb in
claim)
	claim "$1" "$2"
	;;
run)
	check_token "$1"
	seq=$2 lease=$3 limit=$4
	check_seq "$seq"
	shift 4
	[ ! -e "$run" ] || die 3 "run $seq was started before"
	mkdir "$run" "$run/work" || exit 5
	renew "$lease"
	exec 3<&0
	env -i PATH="$PATH:/usr/sbin:/sbin" LANG=C TZ=UTC \
		DROVER_TOKEN="$token" \
		setsid sh "$base/supervisor.sh" guard "$token" "$seq" \
		"$lease" "$limit" "$@" </dev/null >"$run/guard.log" 2>&1 3<&- &
	echo $! >"$run/guard"
	relay $!
	;;
guard)
	guard "$@"
	;;
attach)
	check_token "$1"
	seq=$2
	check_seq "$seq"
	renew "$3"
	exec 3<&0
	read -r pid 2>/dev/null <"$run/guard" || die 3 "no run $seq"
	relay "$pid"
	;;
collect)
	check_token "$1"
	check_seq "$2"
	cd "$run" || exit 1
	for f in stdout stderr work/workload.yaml time.raw nodes dmesg.last \
		dmesg.end mon; do
		[ -f "$f" ] || continue
		max=$max_text
		[ "$f" = mon ] && max=$max_mon
		size=$(wc -c <"$f")
		cut=0
		[ "$size" -gt "$max" ] && size=$max cut=1
		echo "file ${f##*/} $((size)) $cut"
		head -c "$size" "$f"
	done
	echo end
	;;
release)
	lock
	trap 'rm -rf "$base/lock"' EXIT
	check_token "$1"
	end_all "DROVER_TOKEN=$token" ""
	rm -rf "$dir" "$base/claim"
	;;
*)
	die 2 "unknown verb"
	;;
esac
