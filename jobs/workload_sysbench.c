// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * sysbench 1.0: its cpu, memory, threads and mutex tests, each a benchmark of
 * its own in job files. threads and mutex print no rate: events per second of
 * total time stands in.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/text.h"
#include "jobs/workload.h"

/* An option of a job file and sysbench's word for it. */
struct option {
	const char *param;
	const char *word;
};

struct test {
	const char *name;    /* row of the workload table */
	const char *command; /* sysbench's name for it */
	struct option options[8];
};

static const struct test tests[] = {
	{ "sysbench-cpu", "cpu", { { "cpu_max_prime", "--cpu-max-prime" } } },
	{ "sysbench-memory",
	  "memory",
	  { { "mem_blk_size", "--memory-block-size" },
	    { "mem_total_size", "--memory-total-size" },
	    { "mem_scope", "--memory-scope" },
	    { "mem_hugetlb", "--memory-hugetlb" },
	    { "mem_operation", "--memory-oper" },
	    { "mem_access_mode", "--memory-access-mode" },
	    { "rand_type", "--rand-type" },
	    { "rand_pareto_h", "--rand-pareto-h" } } },
	{ "sysbench-threads",
	  "threads",
	  { { "thread_yields", "--thread-yields" },
	    { "thread_locks", "--thread-locks" } } },
	{ "sysbench-mutex",
	  "mutex",
	  { { "mutex_num", "--mutex-num" },
	    { "mutex_locks", "--mutex-locks" },
	    { "mutex_loops", "--mutex-loops" } } },
};

static const struct test *test_of(const struct job *job)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (!strcmp(tests[i].name, job->workload))
			return &tests[i];
	return &tests[0];
}

static int check(const struct job *job, struct err *err)
{
	static const char *const unsupported[] = { "nr_processes",
						   "cpu_node_bind",
						   "mem_node_bind" };
	const char *time = job_param(job, "runtime");
	double s;

	if (time && (!job_duration(time, &s) || s < 1))
		return err_set(err, ERR_CONFIG,
			       "%s: runtime: \"%s\" is no duration of a second "
			       "or more (as 10, 10s, 5m, 1h)",
			       job->path, time);
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (job_param(job, unsupported[i]))
			return err_set(err, ERR_CONFIG,
				       "%s: %s is not supported: bind with "
				       "numactl or affinity instead",
				       job->path, unsupported[i]);
	return workload_check_count(job, "nr_threads", err);
}

static void argv(const struct job *job, const struct workload_box *box,
		 struct workload_argv *out)
{
	const struct test *t = test_of(job);
	const char *time = job_param(job, "runtime");
	double s;

	workload_argv_add(out, "sysbench");
	workload_argv_add(out, "%s", t->command);
	workload_argv_add(out, "--threads=%u", workload_threads(job, box));
	if (time && job_duration(time, &s))
		workload_argv_add(out, "--time=%.0f", s);
	/* the same random numbers for base and head */
	workload_argv_add(out, "--rand-seed=1");
	for (size_t i = 0; i < ARRAY_SIZE(t->options); i++) {
		const struct option *o = &t->options[i];
		const char *v = o->param ? job_param(job, o->param) : NULL;

		if (!v)
			continue;
		/* YAML reads off and on as booleans */
		if (!strcmp(o->param, "mem_hugetlb"))
			v = strcmp(v, "true") != 0 ? "off" : "on";
		workload_argv_add(out, "%s=%s", o->word, v);
	}
	workload_argv_add(out, "run");
}

/* "total time:  2.0014s" and its like: a label, then a number. */
static const struct {
	const char *label;
	const char *metric;
	bool pair; /* "avg/stddev" behind it: two metrics */
} lines[] = {
	{ "events per second:", "events_per_sec", false },
	{ "total time:", "total_time_s", false },
	{ "total number of events:", "total_events", false },
	{ "min:", "latency_min_ms", false },
	{ "avg:", "latency_avg_ms", false },
	{ "max:", "latency_max_ms", false },
	{ "95th percentile:", "latency_95th_ms", false },
	{ "sum:", "latency_sum_ms", false },
	{ "events (avg/stddev):", "fairness_events", true },
	{ "execution time (avg/stddev):", "fairness_time_s", true },
};

static void parse_pair(const char *name, const char *metric, struct text rest,
		       struct metric_set *out)
{
	struct text avg;
	double a, b;

	if (!text_until(&rest, '/', &avg) || !text_number(avg, &a) ||
	    !text_leading_number(rest, &b))
		return;
	metric_add(out, a, "%s.%s_avg", name, metric);
	metric_add(out, b, "%s.%s_stddev", name, metric);
}

/* "N (X per second)" and "N MiB transferred (X MiB/sec)". */
static void parse_memory(const char *name, struct text line,
			 struct metric_set *out)
{
	struct text whole = line, left;
	double n, rate;

	if (!text_until(&line, '(', &left) || !text_leading_number(line, &rate))
		return;
	if (text_starts(whole, "Total operations:")) {
		left = text_trim(text_skip(left, 17));
		if (!text_leading_number(left, &n))
			return;
		metric_add(out, n, "%s.ops", name);
		metric_add(out, rate, "%s.ops_per_sec", name);
	} else if (text_has(whole, "MiB/sec")) {
		metric_add(out, rate, "%s.throughput_MiB_per_sec", name);
	}
}

static void parse_line(const char *name, struct text line,
		       struct metric_set *out)
{
	double v;

	line = text_trim(line);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct text rest;

		if (!text_starts(line, lines[i].label))
			continue;
		rest = text_trim(text_skip(line, strlen(lines[i].label)));
		if (lines[i].pair)
			parse_pair(name, lines[i].metric, rest, out);
		else if (text_leading_number(rest, &v))
			metric_add(out, v, "%s.%s", name, lines[i].metric);
		return;
	}
	parse_memory(name, line, out);
}

/* The value of "<name>.<metric>". */
static bool value_of(const struct metric_set *set, const char *name,
		     const char *metric, double *out)
{
	char *key = xasprintf("%s.%s", name, metric);
	bool found = metric_find(set, key, out);

	free(key);
	return found;
}

static int parse(const struct job *job, const struct workload_output *in,
		 struct metric_set *out, struct err *err)
{
	struct text all = { in->out, in->out_len }, line;
	const char *name = test_of(job)->name;
	double events, seconds, rate;

	while (text_line(&all, &line))
		parse_line(name, line, out);
	if (!value_of(out, name, "total_time_s", &seconds) || seconds <= 0 ||
	    !value_of(out, name, "total_events", &events) || events <= 0)
		return err_set(err, ERR_BENCH, "%s: sysbench printed no result",
			       job->path);
	if (!value_of(out, name, "events_per_sec", &rate) &&
	    !value_of(out, name, "ops_per_sec", &rate))
		metric_add(out, events / seconds, "%s.events_per_sec", name);
	return 0;
}

#define ROW(id, label)                                                         \
	const struct workload workload_sysbench_##id = { .name = (label),      \
							 .binary = "sysbench", \
							 .check = check,       \
							 .argv = argv,         \
							 .parse = parse }

ROW(cpu, "sysbench-cpu");
ROW(memory, "sysbench-memory");
ROW(threads, "sysbench-threads");
ROW(mutex, "sysbench-mutex");
