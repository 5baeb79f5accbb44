// SPDX-License-Identifier: GPL-3.0-or-later
// The table of known metrics; the first matching row wins.
#include "analysis/metric_info.h"

#include <fnmatch.h>

#include "analysis/kpi.h"
#include "base/mem.h"

/* Specific rows stand before the family's own. */
static const struct metric_info table[] = {
	/* benchmarks */
	{ "*.time.elapsed_time*", "s", -1, "Wall time of the whole benchmark" },
	{ "*.time.user_time", "s", 0,
	  "CPU time the benchmark spent in user space" },
	{ "*.time.system_time", "s", 0,
	  "CPU time the kernel spent for the benchmark" },
	{ "*.time.percent_of_cpu_this_job_got", "%", 0,
	  "CPU use of the benchmark; 100 is one CPU" },
	{ "*.time.voluntary_context_switches", "", 0,
	  "Times the benchmark gave up the CPU to wait" },
	{ "*.time.involuntary_context_switches", "", 0,
	  "Times the scheduler took the CPU from the benchmark" },
	{ "*.time.*_page_faults", "", 0, "Page faults of the benchmark" },
	{ "*.time.maximum_resident_set_size", "KiB", 0,
	  "Largest resident memory of the benchmark" },
	{ "*.time.*", "", 0, "Resource use of the benchmark as a process" },
	{ "stress-ng.*.ops_per_sec", "1/s", 1,
	  "Bogo operations of the stressor per second of real time" },
	{ "stress-ng.*.ops", "", 1,
	  "Bogo operations of the stressor in the whole run" },
	{ "stress-ng.*.context_switches_per_*", "", 0,
	  "Context switches in relation to the work done" },
	{ "stress-ng.*.fail", "", -1, "Runs in which the stressor failed" },
	{ "sysbench.*latency*", "ms", -1, "Time of one sysbench event" },
	{ "sysbench.*per_sec*", "1/s", 1, "Sysbench events per second" },
	{ "sysbench.*fairness*", "", 0,
	  "How evenly sysbench events spread over the threads" },
	{ "will-it-scale.*_ops", "1/s", 1,
	  "Operations per second of one process or thread" },
	{ "will-it-scale.scalability", "", 1,
	  "Throughput of all tasks in relation to one" },
	{ "will-it-scale.workload", "", 1, "Operations of all tasks" },
	{ "unixbench.score", "", 1,
	  "Throughput in relation to a reference machine" },
	{ "hackbench.throughput*", "1/s", 1,
	  "Groups of messages passed between tasks per second" },
	{ "netperf.Throughput_*", "", 1, "Network throughput of one instance" },
	{ "netperf.ThroughputBoth_*", "", 1,
	  "Network throughput of both directions" },
	{ "vm-scalability.median", "KiB/s", 1,
	  "Median memory throughput of the threads" },
	{ "vm-scalability.throughput", "KiB/s", 1,
	  "Memory throughput of all threads" },
	{ "*.workload", "", 0, "Work done in the whole run" },

	/* perf */
	{ "perf-stat.*.ipc", "", 1, "Instructions per CPU cycle" },
	{ "perf-stat.*.cpi", "", -1, "CPU cycles per instruction" },
	{ "perf-stat.*.MPKI", "", -1,
	  "Cache misses per thousand instructions" },
	{ "perf-stat.*miss-rate%", "%", -1, "Share of accesses that missed" },
	{ "perf-stat.*.cycles-between-cache-misses", "", 1,
	  "CPU cycles from one cache miss to the next" },
	{ "perf-stat.*.context-switches", "1/s", 0,
	  "Context switches of the whole machine" },
	{ "perf-stat.*.cpu-migrations", "1/s", 0,
	  "Tasks moved to another CPU" },
	{ "perf-stat.*.page-faults", "1/s", 0,
	  "Page faults of the whole machine" },
	{ "perf-stat.*.node-*-misses", "1/s", -1,
	  "Memory accesses that went to another NUMA node" },
	{ "perf-stat.total.*", "", 0, "Hardware events of the whole run" },
	{ "perf-stat.i.*", "1/s", 0,
	  "Hardware events per second, mean of the intervals" },
	{ "perf-stat.ps.*", "1/s", 0,
	  "Hardware events per second of the whole run" },
	{ "perf-stat.*", "", 0, "Hardware counters of the whole machine" },
	{ "perf-profile.calltrace.*", "%", 0,
	  "Share of CPU samples under this chain of callers, callee first" },
	{ "perf-profile.children.*", "%", 0,
	  "Share of CPU samples in the function and what it calls" },
	{ "perf-profile.self.*", "%", 0,
	  "Share of CPU samples in the function itself" },
	{ "perf-profile.*", "%", 0, "Share of CPU samples" },
	{ "perf-sched.*wait_and_delay.count*", "", 0,
	  "Times a task slept and waited to run at this place" },
	{ "perf-sched.*sch_delay*", "ms", -1,
	  "Time a task was ready but not running" },
	{ "perf-sched.*wait_time*", "ms", 0, "Time a task slept" },
	{ "perf-sched.*wait_and_delay*", "ms", 0,
	  "Time a task slept and then waited to run" },
	{ "perf-sched.*", "", 0, "Scheduling latencies by place of sleep" },
	{ "perf-c2c.HITM.*", "", -1,
	  "Loads of a cache line that another CPU had modified" },
	{ "perf-c2c.DRAM.*", "", 0, "Sampled loads served by memory" },
	{ "perf-c2c.*", "", 0, "Cache lines that CPUs share" },

	/* CPU and memory */
	{ "mpstat.cpu.all.idle%", "%", 0, "CPU time with nothing to do" },
	{ "mpstat.cpu.all.usr%", "%", 0, "CPU time in user space" },
	{ "mpstat.cpu.all.sys%", "%", 0, "CPU time in the kernel" },
	{ "mpstat.cpu.all.iowait%", "%", 0, "Idle CPU time with I/O pending" },
	{ "mpstat.*", "%", 0, "Where the CPU time went" },
	{ "vmstat.system.cs", "1/s", 0, "Context switches per second" },
	{ "vmstat.system.in", "1/s", 0, "Interrupts per second" },
	{ "vmstat.procs.r", "", 0, "Runnable tasks" },
	{ "vmstat.procs.b", "", 0, "Tasks blocked on I/O" },
	{ "vmstat.memory.*", "KiB", 0, "Memory by use" },
	{ "vmstat.io.*", "KiB/s", 0, "Blocks read or written" },
	{ "vmstat.*", "", 0, "State of CPUs, memory and I/O" },
	{ "turbostat.Bzy_MHz", "MHz", 0, "CPU clock while busy" },
	{ "turbostat.Avg_MHz", "MHz", 0, "CPU clock averaged over idle time" },
	{ "turbostat.Busy%", "%", 0, "CPU time not idle" },
	{ "turbostat.PkgWatt", "W", -1, "Power of the CPU packages" },
	{ "turbostat.RAMWatt", "W", -1, "Power of the memory" },
	{ "turbostat.CorWatt", "W", -1, "Power of the cores" },
	{ "turbostat.*Tmp", "C", 0, "Temperature of the CPU" },
	{ "turbostat.IPC", "", 1, "Instructions per CPU cycle" },
	{ "turbostat.IRQ", "", 0, "Interrupts" },
	{ "turbostat.*", "", 0, "Clock, power and idle states of the CPUs" },
	{ "cpuidle.*", "", 0, "Time in and entries to CPU idle states" },
	{ "meminfo.max_used_kB", "KiB", -1, "Most memory in use at a time" },
	{ "meminfo.*", "KiB", 0, "Memory of the machine by use" },
	{ "numa-meminfo.*", "KiB", 0, "Memory of one NUMA node by use" },
	{ "numa-vmstat.*.numa_miss", "", -1,
	  "Pages that had to come from another NUMA node" },
	{ "numa-vmstat.*", "", 0, "Page counters of one NUMA node" },
	{ "numa-numastat.*", "", 0, "Allocations by NUMA node" },
	{ "proc-vmstat.numa_hint_faults*", "", 0,
	  "Faults that automatic NUMA balancing provoked" },
	{ "proc-vmstat.numa_pages_migrated", "", 0,
	  "Pages moved by automatic NUMA balancing" },
	{ "proc-vmstat.pgfault", "", 0, "Page faults of the machine" },
	{ "proc-vmstat.nr_*", "pages", 0, "Pages by use" },
	{ "proc-vmstat.*", "", 0, "Page counters of the machine" },
	{ "slabinfo.*", "", 0, "Kernel objects by slab cache" },

	/* the kernel at work */
	{ "sched_debug.*.load_avg.*", "", 0,
	  "Load average of the run queues, over the CPUs" },
	{ "sched_debug.*.util_avg.*", "", 0,
	  "Utilisation of the run queues, over the CPUs" },
	{ "sched_debug.*.nr_running.*", "", 0,
	  "Runnable tasks per queue, over the CPUs" },
	{ "sched_debug.*", "", 0, "Scheduler state, over the CPUs" },
	{ "schedstat.*", "", 0, "Scheduler counters" },
	{ "softirqs.*", "", 0, "Soft interrupts by kind" },
	{ "interrupts.*", "", 0, "Interrupts by source" },
	{ "iostat.*await*", "ms", -1, "Time of one I/O request" },
	{ "iostat.*", "", 0, "Load of the block devices" },
	{ "uptime.*", "s", 0, "Time since boot" },
	{ "boot-time.*", "s", -1, "Time the machine took to boot" },
	{ "lock_stat.*", "", -1, "Waiting for locks" },

	/* failures */
	{ "dmesg.*", "", -1, "Runs whose kernel log held this message" },
	{ "kmsg.*", "", -1, "Runs whose kernel log held this message" },
	{ "last_state.*", "", -1, "Runs that ended in this state" },
	{ "stderr.*", "", -1, "Runs that printed this error" },
	{ "*.fail", "", -1, "Runs in which the test failed" },
};

const struct metric_info *metric_info_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (!fnmatch(table[i].glob, name, 0))
			return &table[i];
	}
	return NULL;
}

const struct metric_info *metric_info_at(size_t i)
{
	return i < ARRAY_SIZE(table) ? &table[i] : NULL;
}

int metric_direction(const char *name)
{
	const struct metric_info *info;
	int direction = kpi_direction(name);

	if (direction)
		return direction;
	info = metric_info_find(name);
	return info ? info->direction : 0;
}
