/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the noise of a benchmark comes from: between builds of one source that
 * differ in code layout, between boots of one build, between runs in one boot.
 */
#ifndef ANALYSIS_STAT_VARIANCE_H
#define ANALYSIS_STAT_VARIANCE_H

#include <stddef.h>

#include "base/err.h"

#define STAT_VARIANCE_MAX_RUNS ((size_t)1000000)

/* One run's value. @boot counts inside its build; any numbers will do. */
struct stat_run {
	int build, boot;
	double value;
};

/*
 * Variances in the metric's unit squared, never below 0, NaN where the data
 * can't tell: @run without a boot of two runs, @boot without a build of two
 * boots, @build with one build. Without @run, @boot holds both together.
 * @fresh: variance of one run in a fresh boot of one build, with @fresh_dof
 * degrees of freedom (Satterthwaite) behind it: what a comparison of single
 * builds has to deal with. @*_dof: of the three mean squares.
 */
struct stat_variance {
	double mean;
	double run, boot, build;
	double run_dof, boot_dof, build_dof;
	double fresh, fresh_dof;
	size_t runs, boots, builds;
};

/*
 * Components of variance of a nested design, however unbalanced: each mean
 * square against what it is expected to be.
 * @v    @nr runs in any order, not modified
 * Returns 0; ERR_RANGE (fewer than two boots), ERR_LIMIT, ERR_DATA. @out
 * untouched on error. Time O(nr log nr).
 * Source: Searle, Casella, McCulloch 1992, 3.6 and appendix F; one level less:
 * Kalibera and Jones 2013. Vectors: tests/data/stat/make-vectors.py, by traces
 * of projections.
 */
int stat_variance_nested(const struct stat_run *v, size_t nr,
			 struct stat_variance *out, struct err *err);

#endif
