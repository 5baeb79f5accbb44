#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# After the runs of a boot: what probe.sh counted, counted again.
throttled=0
for file in /sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count; do
	[ -r "$file" ] && read -r n <"$file" && throttled=$((throttled + n))
done
echo "throttled=$throttled"
