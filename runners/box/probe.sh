#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Say what a box is and what must not differ between boots: lines "KEY=VALUE".
# Arguments: programs that a job needs; "need.PROGRAM=PATH", empty if missing.
PATH=$PATH:/usr/sbin:/sbin

say() {
	printf '%s=%s\n' "$1" "$2"
}

# The first line of a file, when it can be read.
say_file() {
	line=
	[ -r "$2" ] && read -r line 2>/dev/null <"$2"
	[ -z "$line" ] || say "$1" "$line"
}

# The different values of a file over all CPUs.
say_cpus() {
	values=$(cat /sys/devices/system/cpu/cpu[0-9]*/"$2" 2>/dev/null |
		sort -u | tr '\n' ' ')
	[ -z "$values" ] || say "$1" "${values% }"
}

say_file fact.boot_id /proc/sys/kernel/random/boot_id
read -r up _ </proc/uptime
say fact.uptime "$up"
say fact.kernel "$(uname -r)"
say fact.machine "$(uname -m)"
say fact.model "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo |
	head -n 1)"
say fact.nr_cpus "$(grep -c '^processor' /proc/cpuinfo)"
set -- "$#" "$@" /sys/devices/system/node/node[0-9]*
nr_needs=$1
shift
nodes=$(($# - nr_needs))
[ -d "/sys/devices/system/node/node0" ] || nodes=1
say fact.nodes "$nodes"
memory=$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)
say fact.memory_kib "$memory"
say memory_kib "$memory"

say_file cmdline /proc/cmdline
say_cpus governor cpufreq/scaling_governor
say_cpus frequency_driver cpufreq/scaling_driver
say_cpus max_frequency_khz cpufreq/scaling_max_freq
say_cpus min_frequency_khz cpufreq/scaling_min_freq
say_file no_turbo /sys/devices/system/cpu/intel_pstate/no_turbo
say_file smt /sys/devices/system/cpu/smt/control
say_file cpus_online /sys/devices/system/cpu/online
say_file numa_balancing /proc/sys/kernel/numa_balancing
say_file thp /sys/kernel/mm/transparent_hugepage/enabled
say_file thp_defrag /sys/kernel/mm/transparent_hugepage/defrag
say_file aslr /proc/sys/kernel/randomize_va_space
say_file clocksource \
	/sys/devices/system/clocksource/clocksource0/current_clocksource
say microcode "$(sed -n 's/^microcode[[:space:]]*: //p' /proc/cpuinfo |
	sort -u | tr '\n' ' ')"
say_file tainted /proc/sys/kernel/tainted
mitigations=$(cd /sys/devices/system/cpu/vulnerabilities 2>/dev/null &&
	grep . ./* | sed 's|^\./||' | tr '\n' ';')
[ -z "$mitigations" ] || say mitigations "$mitigations"
throttled=
for file in /sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count; do
	[ -r "$file" ] && read -r n <"$file" && throttled=$((throttled + n))
done
[ -z "$throttled" ] || say throttled "$throttled"
say dmesg_splats "$(dmesg 2>/dev/null |
	grep -cE 'BUG:|WARNING:|Oops|Call Trace:|rcu.*stall|hung_task')"

while [ "$nr_needs" -gt 0 ]; do
	say "need.$1" "$(command -v "$1")"
	shift
	nr_needs=$((nr_needs - 1))
done
