/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The benchmarks that Drover can run, as a table: how each is started on a box
 * and how its output becomes metrics.
 *
 * A new benchmark: one file workload_x.c with a `const struct workload`, one
 * row in workload.c, its options in programs_table.c, a captured output under
 * tests/data/jobs/ and a test. docs/first-patch.md walks through it.
 */
#ifndef JOBS_WORKLOAD_H
#define JOBS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "jobs/job.h"
#include "jobs/metric.h"

/* An argument vector, NULL-terminated once something was added; owned. */
struct workload_argv {
	char **v;
	size_t nr;
	size_t alloc;
};

/* What a command line depends on: the box as probed. */
struct workload_box {
	unsigned nr_cpus;
	unsigned nr_nodes;
};

/* Output of one run; any buffer may be empty (NULL, 0). Borrowed, hostile. */
struct workload_output {
	const char *out; /* standard output and error as the box spooled them */
	size_t out_len;
	const char *err;
	size_t err_len;
	const char *file; /* what was written to WORKLOAD_FILE */
	size_t file_len;
	double elapsed_s; /* wall time of the benchmark, 0 unknown */
};

/* Name of the result file a benchmark may write in its working folder. */
#define WORKLOAD_FILE "workload.yaml"

/*
 * @name is the program block in job files and the prefix of its metrics;
 * @binary what must be on the box (`command -v`). @check refuses parameters
 * that the benchmark can't take; @argv appends the command line of a job that
 * @check accepted; @parse adds "<name>.<metric>" numbers, ERR_BENCH when the
 * output holds no result.
 */
struct workload {
	const char *name;
	const char *binary;
	int (*check)(const struct job *job, struct err *err);
	void (*argv)(const struct job *job, const struct workload_box *box,
		     struct workload_argv *out);
	int (*parse)(const struct job *job, const struct workload_output *in,
		     struct metric_set *out, struct err *err);
};

/* The row called @name, or NULL. Static. */
const struct workload *workload_find(const char *name);
/* All rows in order; NULL past the end. */
const struct workload *workload_at(size_t i);

/*
 * The whole command line of a job on a box: numactl or taskset words in front
 * when the job binds to nodes or CPUs, then the benchmark's own. Run it in an
 * empty working folder. Each argument is to be quoted by the caller's remote
 * quoting. @out is initialised here (workload_argv_release).
 * ERR_CONFIG for a job that Drover can't run.
 */
int workload_command(const struct job *job, const struct workload_box *box,
		     struct workload_argv *out, struct err *err);

/* Whether Drover can run the job: 0, or ERR_CONFIG saying what it can't do. */
int workload_check(const struct job *job, struct err *err);

/* Programs that must be on the box for @job, NULL-terminated into @out[4]. */
void workload_needs(const struct job *job, const char *out[4]);

void workload_argv_add(struct workload_argv *argv, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void workload_argv_release(struct workload_argv *argv);

/*
 * nr_threads, nr_task: "8" is 8, "50%" that share of @nr_cpus, at least 1.
 * False on anything else.
 */
bool workload_count(const char *text, unsigned nr_cpus, unsigned *out);

/* For checks: an option that is there must be a count. ERR_CONFIG. */
int workload_check_count(const struct job *job, const char *param,
			 struct err *err);

/* nr_threads resolved on the box; all CPUs when the job has none. */
unsigned workload_threads(const struct job *job,
			  const struct workload_box *box);

/* Rows of the single benchmarks, for the table in workload.c. */
extern const struct workload workload_stress_ng;
extern const struct workload workload_sysbench_cpu;
extern const struct workload workload_sysbench_memory;
extern const struct workload workload_sysbench_threads;
extern const struct workload workload_sysbench_mutex;

#endif
