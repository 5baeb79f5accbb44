// SPDX-License-Identifier: GPL-3.0-or-later
/* Command lines of the benchmarks: counts, bindings, what is refused. */
#include "tests/unit/jobs/fixture.h"

#include "base/mem.h"
#include "jobs/workload.h"

static const struct workload_box box = { .nr_cpus = 8, .nr_nodes = 2 };

/* The words of a job's command line joined by blanks, or the error. */
static char *command(const char *workload, const char *const *pairs)
{
	struct job job = job_of(workload, pairs);
	struct workload_argv argv;
	struct str s = STR_INIT;
	struct err err = { 0 };

	if (workload_command(&job, &box, &argv, &err))
		str_add(&s, err.text);
	for (size_t i = 0; i < argv.nr; i++)
		str_addf(&s, "%s%s", i ? " " : "", argv.v[i]);
	if (argv.v)
		assert_null(argv.v[argv.nr]);
	workload_argv_release(&argv);
	job_release(&job);
	return str_detach(&s);
}

struct line {
	const char *workload;
	const char *pairs[16];
	const char *want;
};

#define SN                                                   \
	"stress-ng --timeout 60 --times --verify --metrics " \
	"--no-rand-seed --yaml workload.yaml"

static void jobs_become_command_lines(void **state)
{
	static const struct line lines[] = {
		{ "stress-ng",
		  { "test", "pipe", "nr_threads", "50%", "testtime", "60s" },
		  SN " --pipe 4" },
		{ "stress-ng",
		  { "test", "switch", "method", "mq", "testtime", "60s" },
		  SN " --switch 8 --switch-method mq" },
		{ "stress-ng",
		  { "test", "hdd", "hdd_opts", "direct", "testtime", "60s",
		    "nr_threads", "2" },
		  SN " --hdd 2 --hdd-opts direct" },
		{ "stress-ng",
		  { "test", "sock", "type", "dgram", "sched", "batch",
		    "testtime", "60s" },
		  SN " --sched batch --sock 8 --sock-type dgram" },
		{ "stress-ng",
		  { "class", "scheduler", "testtime", "60s" },
		  SN " --sequential 8 --class scheduler" },
		{ "stress-ng",
		  { "test", "oom-pipe", "testtime", "60s" },
		  SN " --pathological --oom-pipe 8" },
		{ "stress-ng",
		  { "test", "brk", "testtime", "60s" },
		  SN " --oom-avoid --brk 8" },
		{ "stress-ng",
		  { "test", "pipe", "affinity", "node1", "testtime", "60s" },
		  "numactl --cpunodebind=1 --membind=1 " SN " --pipe 8" },
		{ "stress-ng",
		  { "test", "pipe", "affinity", "unbound", "testtime", "60s" },
		  SN " --pipe 8" },
		{ "stress-ng",
		  { "test", "pipe", "affinity", "0-3,8", "testtime", "60s" },
		  "taskset -c 0-3,8 " SN " --pipe 8" },
		{ "stress-ng",
		  { "test", "pipe", "testtime", "60s", "verify", "on" },
		  SN " --pipe 8" },
		{ "stress-ng",
		  { "test", "pipe", "testtime", "60s", "verify", "off" },
		  "stress-ng --timeout 60 --times --metrics --no-rand-seed "
		  "--yaml workload.yaml --pipe 8" },
		{ "stress-ng",
		  { "test", "pipe", "interleave", "all", "localalloc", "true",
		    "testtime", "60s" },
		  "numactl --interleave=all --localalloc " SN " --pipe 8" },
		{ "sysbench-cpu",
		  { "runtime", "300s", "nr_threads", "100%", "cpu_max_prime",
		    "20000" },
		  "sysbench cpu --threads=8 --time=300 --rand-seed=1 "
		  "--cpu-max-prime=20000 run" },
		{ "sysbench-memory",
		  { "runtime", "2m", "mem_blk_size", "1K", "mem_operation",
		    "write", "mem_hugetlb", "false" },
		  "sysbench memory --threads=8 --time=120 --rand-seed=1 "
		  "--memory-block-size=1K --memory-hugetlb=off "
		  "--memory-oper=write run" },
		{ "sysbench-threads",
		  { "thread_yields", "1000", "thread_locks", "8" },
		  "sysbench threads --threads=8 --rand-seed=1 "
		  "--thread-yields=1000 --thread-locks=8 run" },
		{ "sysbench-mutex",
		  { "mutex_num", "4096", "nr_threads", "1%" },
		  "sysbench mutex --threads=1 --rand-seed=1 --mutex-num=4096 "
		  "run" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *got = command(lines[i].workload, lines[i].pairs);

		assert_string_equal(got, lines[i].want);
		free(got);
	}
}

static void what_cannot_run_is_refused_with_the_reason(void **state)
{
	static const struct line lines[] = {
		{ "hackbench", { "ipc", "pipe" }, "no workload to run it" },
		{ "stress-ng",
		  { "test", "pipe", "verify", "perhaps" },
		  "verify: \"perhaps\" is neither on nor off" },
		{ "stress-ng", { "nr_threads", "1" }, "needs a test" },
		{ "stress-ng",
		  { "test", "a", "class", "b" },
		  "needs a test or a class" },
		{ "stress-ng", { "test", "x; id" }, "no name of a stressor" },
		{ "stress-ng", { "test", "$(id)" }, "no name of a stressor" },
		{ "stress-ng", { "test", "-x" }, "looks like a flag" },
		{ "stress-ng",
		  { "test", "pipe", "method", "--help" },
		  "looks like a flag" },
		{ "stress-ng",
		  { "test", "pipe", "nr_threads", "many" },
		  "neither a number nor a percentage" },
		{ "stress-ng",
		  { "test", "pipe", "testtime", "soon" },
		  "no duration" },
		{ "stress-ng",
		  { "test", "madvise", "advise", "cold" },
		  "no option for advise" },
		{ "stress-ng",
		  { "test", "pipe", "disk", "1HDD" },
		  "doesn't set up \"disk\"" },
		{ "stress-ng",
		  { "test", "pipe", "affinity", "node1;id" },
		  "no list of nodes or CPUs" },
		{ "stress-ng",
		  { "test", "pipe", "membind", "$(id)" },
		  "no list of nodes or CPUs" },
		{ "sysbench-cpu", { "runtime", "0" }, "a second or more" },
		{ "sysbench-memory",
		  { "cpu_node_bind", "even" },
		  "bind with numactl" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *got = command(lines[i].workload, lines[i].pairs);

		assert_contains(got, lines[i].want);
		free(got);
	}
}

static void counts_are_numbers_or_shares(void **state)
{
	static const struct {
		const char *text;
		unsigned cpus, want; /* 0: refused */
	} cases[] = {
		{ "8", 4, 8 },	     { "50%", 4, 2 },  { "1600%", 4, 64 },
		{ "1%", 4, 1 },	     { "0", 4, 1 },    { "", 4, 0 },
		{ "%", 4, 0 },	     { "2t", 4, 0 },   { "-1", 4, 0 },
		{ "9999999", 4, 0 }, { "50%%", 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned n = 0;

		assert_int_equal(
			workload_count(cases[i].text, cases[i].cpus, &n),
			cases[i].want > 0);
		assert_int_equal(n, cases[i].want);
	}
}

static void a_job_names_the_programs_it_needs(void **state)
{
	static const char *const plain[] = { "test", "pipe", NULL };
	static const char *const bound[] = {
		"test", "pipe", "affinity", "node0", "test_cpulist", "1", NULL
	};
	struct job job = job_of("stress-ng", plain);
	const char *needs[4];

	(void)state;
	workload_needs(&job, needs);
	assert_string_equal(needs[0], "stress-ng");
	assert_null(needs[1]);
	job_release(&job);
	job = job_of("stress-ng", bound);
	workload_needs(&job, needs);
	assert_string_equal(needs[1], "numactl");
	assert_string_equal(needs[2], "taskset");
	assert_null(needs[3]);
	job_release(&job);
}

static void shell_expressions_are_not_runnable(void **state)
{
	static const char *const pairs[] = { "test", "pipe", NULL };
	struct job job = job_of("stress-ng", pairs);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(job_check_runnable(&job, &err), 0);
	job_set_param(&job, "nr_node", "$(nproc)", false);
	assert_int_equal(job_check_runnable(&job, &err), ERR_CONFIG);
	assert_contains(err.text, "shell expressions are not evaluated");
	job_release(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_become_command_lines),
		cmocka_unit_test(what_cannot_run_is_refused_with_the_reason),
		cmocka_unit_test(counts_are_numbers_or_shares),
		cmocka_unit_test(a_job_names_the_programs_it_needs),
		cmocka_unit_test(shell_expressions_are_not_runnable),
	};

	return RUN_TESTS(tests);
}
