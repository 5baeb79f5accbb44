// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/compare_rule.c: a row per clause of the rule.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include "analysis/compare_rule.h"
#include "base/mem.h"

static void names_tell_failures(void **state)
{
	static const struct {
		const char *name;
		int failure;
	} rows[] = {
		{ "dmesg.WARNING:at#f", 1 },
		{ "kmsg.x", 1 },
		{ "last_state.booting", 1 },
		{ "stderr.no_space", 1 },
		{ "stress-ng.pipe.fail", 1 },
		{ "dmesg.timestamp:last", 0 },
		{ "dmesg.bootstage:last", 0 },
		{ "stress-ng.time.fail", 0 },
		{ "boot-time.boot", 0 },
		{ "a.failure", 0 },
		{ "dmesgx.y", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(rule_is_failure(rows[i].name),
				 rows[i].failure);
}

static void names_tell_single_cpus(void **state)
{
	static const struct {
		const char *name;
		int per_cpu;
	} rows[] = {
		{ "softirqs.CPU106.RCU", 1 },
		{ "mpstat.cpu3.usr%", 1 },
		{ "schedstat.x.cpu12", 1 },
		{ "mpstat.cpu.all.usr%", 0 },
		{ "turbostat.CPU%c1", 0 },
		{ "a.cpu12x.y", 0 },
		{ "cpu12.x", 0 },
		{ "perf-profile.self.cycles-pp.cpu1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(rule_is_per_cpu(rows[i].name),
				 rows[i].per_cpu);
}

static void own_metrics_are_the_benchmarks(void **state)
{
	(void)state;
	assert_true(rule_is_own("stress-ng.x.ops", "stress-ng"));
	assert_true(rule_is_own("fio.write_iops", "fio-basic"));
	assert_false(rule_is_own("stress-ng.x", "stress"));
	assert_false(rule_is_own("stress.x", "stressful"));
	assert_false(rule_is_own("perf-stat.i.ipc", "stress-ng"));
	assert_false(rule_is_own("stress-ng", "stress-ng"));
	assert_false(rule_is_own("a.x", NULL));
	assert_false(rule_is_own("a.x", ""));
}

/* One row of three values a side: is it shown? */
static int shown(const char *name, const char *base, const char *head)
{
	char *b = xasprintf("{\"%s\": %s}", name, base);
	char *h = xasprintf("{\"%s\": %s}", name, head);
	struct comparison c;
	int changed;

	compare_two(&c, b, h, "bench");
	changed = c.metric[0].changed;
	assert_int_equal(changed, c.nr_changed);
	compare_release(&c);
	free(b);
	free(h);
	return changed;
}

static void rows_are_shown_by_the_rule(void **state)
{
	static const struct {
		const char *name;
		const char *base;
		const char *head;
		int shown;
	} rows[] = {
		/* 1: what is dropped before anything else */
		{ "softirqs.CPU1.RCU", "[20000,20000,20000]",
		  "[40000,40000,40000]", 0 },
		{ "a.zero", "[0,0,0]", "[0,0,0]", 0 },
		{ "a.few", "[100,100]", "[200,200]", 0 },
		{ "a.few", "[100,100]", "[200,200,200]", 1 },
		{ "a.text", "[100,100,100]", "[\"x\"]", 0 },
		/* 2: each side's median outside the other's range */
		{ "a.x", "[100,101,102]", "[110,111,112]", 1 },
		{ "a.x", "[100,101,111]", "[110,111,112]", 0 },
		{ "a.x", "[100,101,111]", "[110,112,113]", 1 },
		{ "a.x", "[110,111,112]", "[100,101,102]", 1 },
		{ "a.x", "[100,101,200]", "[110,111,112]", 0 },
		{ "a.x", "[100,112,112]", "[110,113,114]", 0 },
		/* of four values the third is the median */
		{ "a.x", "[100,101,107,107]", "[108,109,120,121]", 1 },
		/* 3: 5 %, for performance metrics 1 % */
		{ "a.x", "[100,100,100]", "[105,105,105]", 0 },
		{ "a.x", "[100,100,100]", "[105.1,105.1,105.1]", 1 },
		{ "bench.x", "[100,100,100]", "[101,101,101]", 0 },
		{ "bench.x", "[100,100,100]", "[101.1,101.1,101.1]", 1 },
		{ "perf-stat.i.x", "[100,100,100]", "[98,98,98]", 1 },
		{ "vmstat.system.cs", "[100,100,100]", "[102,102,102]", 1 },
		{ "vmstat.memory.free", "[100,100,100]", "[102,102,102]", 0 },
		{ "boot-time.boot", "[100,100,100]", "[102,102,102]", 1 },
		{ "bench.time.user_time", "[100,100,100]", "[102,102,102]", 1 },
		{ "perf-c2c.HITM.total", "[5000,5000,5000]", "[5100,5100,5100]",
		  1 },
		{ "perf-c2c.HITM.local", "[5000,5000,5000]", "[5100,5100,5100]",
		  0 },
		{ "a.below", "[-10,-10,-10]", "[-10.01,-10.01,-10.01]", 1 },
		/* 4: floors */
		{ "bench.time.user_time", "[8,8,8]", "[9.9,9.9,9.9]", 0 },
		{ "bench.time.user_time", "[8,8,8]", "[10,10,10]", 1 },
		{ "bench.time.voluntary_context_switches", "[500,500,500]",
		  "[999,999,999]", 0 },
		{ "bench.time.minor_page_faults", "[500,500,500]",
		  "[1000,1000,1000]", 1 },
		{ "numa-vmstat.node0.nr_dirty", "[50,50,50]", "[99,99,99]", 0 },
		{ "numa-vmstat.node0.nr_dirty", "[50,50,50]", "[100,100,100]",
		  1 },
		{ "meminfo.Dirty", "[500,500,500]", "[1000,1000,1000]", 0 },
		{ "numa-meminfo.node0.Dirty", "[500,500,500]",
		  "[1001,1001,1001]", 1 },
		{ "proc-vmstat.x", "[500,500,500]", "[1000,1000,1000]", 0 },
		{ "interrupts.x", "[5000,5000,5000]", "[10000,10000,10000]",
		  0 },
		{ "softirqs.x", "[5000,5000,5000]", "[10001,10001,10001]", 1 },
		{ "perf-c2c.HITM.total", "[1000,1000,1000]", "[2999,2999,2999]",
		  0 },
		{ "iostat.sda.x", "[0.5,0.5,0.5]", "[1,1,1]", 0 },
		{ "iostat.sda.x", "[0.5,0.5,0.5]", "[1.1,1.1,1.1]", 1 },
		/* 5: the profile */
		{ "perf-profile.self.x", "[10,10,10]", "[10.06,10.06,10.06]",
		  1 },
		{ "perf-profile.self.x", "[10,10,10]", "[10.04,10.04,10.04]",
		  0 },
		{ "perf-profile.self.x", "[0.1,0.1,0.1]", "[0.15,0.15,0.15]",
		  1 },
		{ "perf-profile.self.x", "[0.05,0.05,0.05]", "[0,0,0]", 0 },
		/* Expected: a symbol that vanished is shown. Buggy: hidden. */
		{ "perf-profile.self.x", "[0.3,0.3,0.3]", "[0,0,0]", 1 },
		{ "perf-profile.self.x", "[1,2,3]", "[2,3,4]", 0 },
		/* failures: there on one side only */
		{ "dmesg.x", "[0,0,0]", "[0,1,0]", 1 },
		{ "dmesg.x", "[1,0,0]", "[0,0,0]", 1 },
		{ "dmesg.x", "[1,0,0]", "[1,1,1]", 0 },
		{ "dmesg.x", "[0,0,0]", "[0,0,0]", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (shown(rows[i].name, rows[i].base, rows[i].head) !=
		    rows[i].shown)
			fail_msg("%s %s %s: expected %s", rows[i].name,
				 rows[i].base, rows[i].head,
				 rows[i].shown ? "shown" : "hidden");
	}
}

static void one_changed_commit_of_many_shows_the_row(void **state)
{
	static const char *const text[] = { "{\"a.x\": [100,100,100]}",
					    "{\"a.x\": [100,100,100]}",
					    "{\"a.x\": [150,150,150]}" };
	struct comparison c;

	(void)state;
	compare_texts(&c, text, 3, "");
	assert_false(c.metric[0].side[1].changed);
	assert_true(c.metric[0].side[2].changed);
	assert_true(c.metric[0].changed);
	assert_int_equal(c.nr_changed, 1);
	compare_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_failures),
		cmocka_unit_test(names_tell_single_cpus),
		cmocka_unit_test(own_metrics_are_the_benchmarks),
		cmocka_unit_test(rows_are_shown_by_the_rule),
		cmocka_unit_test(one_changed_commit_of_many_shows_the_row),
	};

	return RUN_TESTS(tests);
}
