/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of tests/data/jobs and metrics by name, for the tests of this room. */
#ifndef TESTS_UNIT_JOBS_FIXTURE_H
#define TESTS_UNIT_JOBS_FIXTURE_H

#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "jobs/job.h"
#include "jobs/metric.h"
#include "jobs/programs.h"

/* The whole file below tests/data/jobs; str_release. */
static inline struct str fixture(const char *name)
{
	struct str s = STR_INIT;
	struct err err = { 0 };
	char *path = file_join("tests/data/jobs", name);

	if (file_read(path, 16u << 20, &s, &err))
		fail_msg("%s", err.text);
	free(path);
	return s;
}

static inline double metric_of(const struct metric_set *set, const char *name)
{
	double v = NAN;

	if (!metric_find(set, name, &v))
		fail_msg("no metric %s among %zu", name, set->nr);
	return v;
}

static inline void assert_metric(const struct metric_set *set, const char *name,
				 double want)
{
	double v = metric_of(set, name);

	if (fabs(v - want) > 1e-6 * (1 + fabs(want)))
		fail_msg("%s is %.9g, not %.9g", name, v, want);
}

static inline void assert_failure(const struct metric_set *set,
				  const char *name)
{
	for (size_t i = 0; i < set->nr_failures; i++)
		if (!strcmp(set->failures[i], name))
			return;
	fail_msg("no failure row %s among %zu", name, set->nr_failures);
}

/* A job with its path options given as name, value, …, NULL. */
static inline struct job job_of(const char *workload, const char *const *pairs)
{
	struct job job;

	job_init(&job);
	free(job.testcase);
	free(job.workload);
	job.testcase = strdup(workload);
	job.workload = strdup(workload);
	for (; *pairs; pairs += 2)
		job_set_param(&job, pairs[0], pairs[1],
			      !program_header_key(pairs[0]));
	job_finish(&job);
	return job;
}

#endif
