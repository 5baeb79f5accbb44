// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The monitors on short spools whose results can be worked out by hand; their
 * long, real spools are in test_collect.c.
 */
#include "tests/unit/jobs/fixture.h"

#include "base/mem.h"
#include "jobs/monitor.h"

static void run(const char *monitor, const char *text, struct metric_set *set)
{
	const struct monitor *m = monitor_find(monitor);
	const struct monitor_input in = { text, strlen(text), "bench" };
	struct err err = { 0 };

	assert_non_null(m);
	metric_set_init(set);
	if (m->parse(&in, set, &err))
		fail_msg("%s", err.text);
}

struct want {
	const char *name;
	double value;
};

struct spool {
	const char *monitor;
	const char *text;
	struct want want[8];
};

static const struct spool spools[] = {
	{ "uptime",
	  "@ 1\n# /proc/uptime\n1.00 2.00\n@ 9\n# /proc/uptime\n9.50 4.25\n",
	  { { "uptime.boot", 9.5 }, { "uptime.idle", 4.25 } } },
	{ "meminfo",
	  "@ 1\n# /proc/meminfo\nMemTotal: 100 kB\nMemFree: 60 kB\n"
	  "Active(anon): 7 kB\n@ 2\n# /proc/meminfo\nMemTotal: 100 kB\n"
	  "MemFree: 20 kB\nActive(anon): 8 kB\n",
	  { { "meminfo.Memused", 60 },
	    { "meminfo.max_used_kB", 80 },
	    { "meminfo.MemFree", 40 },
	    { "meminfo.Active(anon)", 7.5 } } },
	{ "proc-vmstat",
	  "@ 1\n# /proc/vmstat\nnr_free_pages 10\npgfault 100\n"
	  "@ 2\n# /proc/vmstat\nnr_free_pages 20\npgfault 150\n"
	  "@ 3\n# /proc/vmstat\nnr_free_pages 60\npgfault 175\n",
	  { { "proc-vmstat.nr_free_pages", 30 },
	    { "proc-vmstat.pgfault", 75 } } },
	{ "vmstat",
	  "@ 10\n# /proc/stat\ncpu 0 0 0 0 0 0 0 0 0 0\nintr 100 1 2\n"
	  "ctxt 1000\nprocs_running 3\nprocs_blocked 1\n"
	  "# /proc/vmstat\npgpgin 0\npgpgout 8\npswpin 0\npswpout 0\n"
	  "# /proc/meminfo\nMemFree: 5 kB\nBuffers: 2 kB\nCached: 3 kB\n"
	  "SReclaimable: 4 kB\nSwapTotal: 9 kB\nSwapFree: 8 kB\n"
	  "@ 12\n# /proc/stat\ncpu 20 10 20 100 40 5 5 0 0 0\nintr 300 1 2\n"
	  "ctxt 5000\nprocs_running 5\nprocs_blocked 2\n"
	  "# /proc/vmstat\npgpgin 10\npgpgout 28\npswpin 3\npswpout 0\n",
	  { { "vmstat.system.in", 100 },
	    { "vmstat.system.cs", 2000 },
	    { "vmstat.cpu.us", 15 },
	    { "vmstat.cpu.sy", 15 },
	    { "vmstat.cpu.id", 50 },
	    { "vmstat.procs.r", 4 },
	    { "vmstat.swap.si", 6 },
	    { "vmstat.memory.cache", 7 } } },
	{ "mpstat",
	  "@ 1\n# /proc/stat\ncpu 0 0 0 0 0 0 0 0 0 0\n"
	  "@ 2\n# /proc/stat\ncpu 50 0 25 25 0 0 0 0 10 0\n"
	  "@ 3\n# /proc/stat\ncpu 50 0 25 75 50 0 0 0 10 0\n",
	  { { "mpstat.cpu.all.usr%", 20 },
	    { "mpstat.cpu.all.guest%", 5 },
	    { "mpstat.cpu.all.sys%", 12.5 },
	    { "mpstat.cpu.all.idle%", 37.5 },
	    { "mpstat.cpu.all.iowait%", 25 },
	    { "mpstat.max_utilization_pct", 75 } } },
	{ "numa-numastat",
	  "@ 1\n# /sys/devices/system/node/node0/numastat\nlocal_node 5\n"
	  "# /sys/devices/system/node/node1/numastat\nlocal_node 50\n"
	  "@ 2\n# /sys/devices/system/node/node0/numastat\nlocal_node 9\n"
	  "# /sys/devices/system/node/node1/numastat\nlocal_node 51\n",
	  { { "numa-numastat.node0.local_node", 4 },
	    { "numa-numastat.node1.local_node", 1 } } },
	{ "numa-vmstat",
	  "@ 1\n# /sys/devices/system/node/node3/vmstat\nnr_active_anon 2\n"
	  "numa_hit 7\n@ 2\n# /sys/devices/system/node/node3/vmstat\n"
	  "nr_active_anon 4\nnuma_hit 8\n",
	  { { "numa-vmstat.node3.nr_active_anon", 3 },
	    { "numa-vmstat.node3.numa_hit", 1 } } },
	{ "numa-meminfo",
	  "@ 1\n# /sys/devices/system/node/node1/meminfo\n"
	  "Node 1 AnonPages:  10 kB\nNode 1 Active(anon): 4 kB\n"
	  "@ 2\n# /sys/devices/system/node/node1/meminfo\n"
	  "Node 1 AnonPages:  30 kB\nNode 1 Active(anon): 6 kB\n",
	  { { "numa-meminfo.node1.AnonPages", 20 },
	    { "numa-meminfo.node1.AnonPages.max", 30 },
	    { "numa-meminfo.node1.Active(anon)", 5 } } },
	{ "softirqs",
	  "@ 1\n# /proc/softirqs\n   CPU0  CPU1\n RCU: 1 2\n TIMER: 0 0\n"
	  "@ 2\n# /proc/softirqs\n   CPU0  CPU1\n RCU: 5 12\n TIMER: 1 0\n",
	  { { "softirqs.CPU0.RCU", 4 },
	    { "softirqs.CPU1.RCU", 10 },
	    { "softirqs.RCU", 14 },
	    { "softirqs.TIMER", 1 } } },
	{ "interrupts",
	  "@ 1\n# /proc/interrupts\n  CPU0 CPU1\n 24: 1 2 IO-APIC 5-edge "
	  "eth0\nLOC: 10 20 Local timer interrupts\nERR: 0\n"
	  "@ 2\n# /proc/interrupts\n  CPU0 CPU1\n 24: 4 2 IO-APIC 5-edge "
	  "eth0\nLOC: 15 27 Local timer interrupts\nERR: 1\n",
	  { { "interrupts.24:IO-APIC.5-edge.eth0", 3 },
	    { "interrupts.CPU0.LOC:Local_timer_interrupts", 5 },
	    { "interrupts.CPU1.LOC:Local_timer_interrupts", 7 },
	    { "interrupts.LOC:Local_timer_interrupts", 12 },
	    { "interrupts.ERR", 1 } } },
	/* CPUs 1 and 2 are offline */
	{ "interrupts",
	  "@ 1\n# /proc/interrupts\n  CPU0 CPU3\nLOC: 10 20 Local timer\n"
	  "@ 2\n# /proc/interrupts\n  CPU0 CPU3\nLOC: 15 27 Local timer\n",
	  { { "interrupts.CPU0.LOC:Local_timer", 5 },
	    { "interrupts.CPU3.LOC:Local_timer", 7 },
	    { "interrupts.LOC:Local_timer", 12 } } },
	/* and CPU 2 goes offline during the run */
	{ "interrupts",
	  "@ 1\n# /proc/interrupts\n  CPU0 CPU2 CPU3\nLOC: 10 9 20 Timer\n"
	  "@ 2\n# /proc/interrupts\n  CPU0 CPU3\nLOC: 15 27 Timer\n",
	  { { "interrupts.CPU0.LOC:Timer", 5 },
	    { "interrupts.CPU3.LOC:Timer", 7 } } },
	{ "slabinfo",
	  "@ 1\n# /proc/slabinfo\nslabinfo - version: 2.1\n# name x\n"
	  "kmalloc-8 512 1024 8 512 1 : tunables 0 0 0 : slabdata 2 3 0\n"
	  "@ 2\n# /proc/slabinfo\nslabinfo - version: 2.1\n# name x\n"
	  "kmalloc-8 514 1024 8 512 1 : tunables 0 0 0 : slabdata 4 3 0\n",
	  { { "slabinfo.kmalloc-8.active_objs", 513 },
	    { "slabinfo.kmalloc-8.num_objs", 1024 },
	    { "slabinfo.kmalloc-8.active_slabs", 3 },
	    { "slabinfo.kmalloc-8.num_slabs", 3 } } },
	{ "schedstat",
	  "@ 1\n# /proc/schedstat\nversion 15\ncpu0 1 0 10 0 0 0 0 5 0\n"
	  "cpu1 1 0 10 0 0 0 0 5 0\n@ 2\n# /proc/schedstat\nversion 15\n"
	  "cpu0 1 0 12 0 0 0 0 6 0\ncpu1 1 0 11 0 0 0 0 5 0\n",
	  { { "schedstat.schedule", 3 }, { "schedstat.rq_run_delay", 1 } } },
	{ "time",
	  "elapsed_s=2.5\nuser_s=1\nsystem_s=1.5\nvoluntary_ctx=7\n"
	  "involuntary_ctx=8\nmajor_faults=1\nminor_faults=9\n"
	  "max_rss_kb=4096\n",
	  { { "bench.time.elapsed_time", 2.5 },
	    { "bench.time.elapsed_time.max", 2.5 },
	    { "bench.time.percent_of_cpu_this_job_got", 100 },
	    { "bench.time.voluntary_context_switches", 7 },
	    { "bench.time.maximum_resident_set_size", 4096 } } },
	{ "time",
	  "\tUser time (seconds): 0.69\n"
	  "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03.50\n"
	  "\tMinor (reclaiming a frame) page faults: 5520\n",
	  { { "bench.time.user_time", 0.69 },
	    { "bench.time.elapsed_time", 3723.5 },
	    { "bench.time.minor_page_faults", 5520 } } },
	{ "time",
	  "\tElapsed (wall clock) time (h:mm:ss or m:ss): 2m 3.25s\n",
	  { { "bench.time.elapsed_time", 123.25 } } },
};

static void each_monitor_reduces_as_its_family_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spools); i++) {
		struct metric_set set;

		run(spools[i].monitor, spools[i].text, &set);
		for (size_t k = 0; k < 8 && spools[i].want[k].name; k++)
			assert_metric(&set, spools[i].want[k].name,
				      spools[i].want[k].value);
		metric_set_release(&set);
	}
}

static void cpuidle_sums_states_over_cpus(void **state)
{
	struct str s = fixture("two-nodes/mon-cpuidle");
	struct metric_set set;

	(void)state;
	run("cpuidle", s.p, &set);
	assert_metric(&set, "cpuidle..time", 81000);
	assert_metric(&set, "cpuidle.C1.time", 80000);
	assert_metric(&set, "cpuidle.POLL.usage", 10);
	metric_set_release(&set);
	str_release(&s);
}

static void sched_debug_takes_statistics_over_cpus_of_root_queues(void **state)
{
	struct str s = fixture("two-nodes/mon-sched_debug");
	struct metric_set set;

	(void)state;
	run("sched_debug", s.p, &set);
	assert_metric(&set, "sched_debug.cfs_rq:/.load.avg", 524288);
	assert_metric(&set, "sched_debug.cfs_rq:/.load.max", 1048576);
	assert_metric(&set, "sched_debug.cfs_rq:/.load.stddev", 524288);
	assert_metric(&set, "sched_debug.cpu.curr->pid.avg", 120.5);
	assert_metric(&set, "sched_debug.cpu.nr_uninterruptible.min", -3);
	assert_metric(&set, "sched_debug.cpu_clk", 106250.25);
	assert_metric(&set, "sched_debug.dl_rq.dl_nr_running.avg", 0);
	metric_set_release(&set);
	str_release(&s);
}

static void trouble_in_the_kernel_log_becomes_failure_rows(void **state)
{
	static const struct {
		const char *line, *row;
	} cases[] = {
		{ "[  104.123460] WARNING: CPU: 1 PID: 121 at "
		  "kernel/sched/core.c:3210 try_to_wake_up+0x3a0/0x500",
		  "dmesg.WARNING:at#try_to_wake_up" },
		{ "<4>[   10.5] WARNING: mm/slub.c:12 at kfree+0x10/0x20, "
		  "CPU#1: x/2",
		  "dmesg.WARNING:at#kfree" },
		{ "[ 1.0][ T12] BUG: kernel NULL pointer dereference, address: "
		  "0000000000000008",
		  "dmesg.BUG:kernel_NULL_pointer_dereference" },
		{ "[ 1.0] Oops: 0000 [#1] PREEMPT SMP", "dmesg.Oops" },
		{ "[ 1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks",
		  "dmesg.INFO:rcu_preempt_detected_stalls" },
		{ "[ 1.0] INFO: task x:1 blocked for more than 120 seconds.",
		  "dmesg.INFO:task_blocked_for_more_than_seconds" },
		{ "[ 1.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s!",
		  "dmesg.BUG:soft_lockup" },
		{ "[ 1.0] Kernel panic - not syncing: x",
		  "dmesg.Kernel_panic-not_syncing" },
		{ "Out of memory: Killed process 12 (x)",
		  "dmesg.Out_of_memory" },
		{ "kernel BUG at mm/slub.c:123!", "dmesg.kernel_BUG_at" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct metric_set set;

		run("dmesg", cases[i].line, &set);
		assert_int_equal(set.nr_failures, 1);
		assert_string_equal(set.failures[0], cases[i].row);
		metric_set_release(&set);
	}
}

static void a_quiet_kernel_log_gives_nothing(void **state)
{
	struct metric_set set;

	(void)state;
	run("dmesg",
	    "[ 0.0] Linux version 6.1\n[ 1.0] perf: interrupt took too long\n"
	    "[\n<\n[ 2.0] WARNING: \n[ 3.0] WARNING: at \n",
	    &set);
	assert_int_equal(set.nr_failures, 0);
	metric_set_release(&set);
}

/*
 * Expected: a line of 2000 CPUs has one sum, under the name it always has.
 * Buggy: columns beyond 1024 were taken for words of the name.
 */
static void a_machine_of_many_cpus_is_read_whole(void **state)
{
	struct str s = STR_INIT;
	struct metric_set set;

	(void)state;
	for (int tick = 1; tick <= 2; tick++) {
		str_addf(&s, "@ %d\n# /proc/interrupts\n", tick);
		for (int cpu = 0; cpu < 2000; cpu++)
			str_addf(&s, " CPU%d", cpu);
		str_add(&s, "\nRES:");
		for (int cpu = 0; cpu < 2000; cpu++)
			str_addf(&s, " %d", cpu * tick);
		str_add(&s, " Rescheduling interrupts\n");
	}
	run("interrupts", s.p, &set);
	assert_metric(&set, "interrupts.RES:Rescheduling_interrupts",
		      1999 * 1000);
	assert_metric(&set, "interrupts.CPU1999.RES:Rescheduling_interrupts",
		      1999);
	metric_set_release(&set);
	str_release(&s);
}

static void bytes_without_a_sample_are_an_error(void **state)
{
	static const char text[] = "cat: /proc/x: No such file\n@ 1\n";
	const struct monitor_input in = { text, strlen(text), "bench" };
	const struct monitor_input none = { "", 0, "bench" };
	const struct monitor *m;

	(void)state;
	for (size_t i = 0; (m = monitor_at(i)); i++) {
		struct metric_set set;
		struct err err = { 0 };

		metric_set_init(&set);
		if (strcmp(m->name, "dmesg") != 0)
			assert_int_equal(m->parse(&in, &set, &err), ERR_DATA);
		assert_int_equal(m->parse(&none, &set, &err), 0);
		assert_int_equal(set.nr, 0);
		metric_set_release(&set);
	}
}

static void the_table_is_complete(void **state)
{
	const struct monitor *m;
	size_t i;

	(void)state;
	for (i = 0; (m = monitor_at(i)); i++) {
		assert_ptr_equal(monitor_find(m->name), m);
		for (size_t k = 0; m->sources[k]; k++)
			assert_true(*m->sources[k] == '/' &&
				    !strpbrk(m->sources[k], " $'\"\\;"));
	}
	assert_int_equal(i, 16);
	assert_null(monitor_find("nosuch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_monitor_reduces_as_its_family_does),
		cmocka_unit_test(cpuidle_sums_states_over_cpus),
		cmocka_unit_test(
			sched_debug_takes_statistics_over_cpus_of_root_queues),
		cmocka_unit_test(
			trouble_in_the_kernel_log_becomes_failure_rows),
		cmocka_unit_test(a_quiet_kernel_log_gives_nothing),
		cmocka_unit_test(a_machine_of_many_cpus_is_read_whole),
		cmocka_unit_test(bytes_without_a_sample_are_an_error),
		cmocka_unit_test(the_table_is_complete),
	};

	return RUN_TESTS(tests);
}
