/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison: what each commit measured for each metric, and what changed
 * against the first commit. Numbers only; report/ turns them into words.
 */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/matrix.h"
#include "base/err.h"

#define COMPARE_MAX_SIDES 16

/*
 * One commit's part of a row. "Against the first" fields are 0, false or NaN
 * in the first commit's own.
 */
struct compare_side {
	size_t n;   /* runs that have a value; 0: nothing was measured */
	double avg; /* arithmetic mean, in the metric's unit; 0 when n is 0 */
	double stddev; /* population deviation, same unit; NaN below 2 runs */
	double stddev_pct; /* of avg; avg 0: the deviation itself; NaN: none */
	/* of the sorted values without the trimmed margin; NaN when n is 0 */
	double median, min, max;
	size_t fails; /* failure rows: runs that failed */
	size_t runs;  /* runs there were, the incomplete ones too */
	/*
	 * Against the first: percent, or head - base where the row is absolute,
	 * or percentage points of reproduction in failure rows. NaN when one
	 * of the two measured nothing.
	 */
	double change;
	bool changed; /* by the LKP row rule (compare_rule.h) */
	double p;     /* Welch's two-sided p-value; NaN below 2 runs a side */
};

struct compare_metric {
	char *name;
	char *family;		   /* the name up to its first dot */
	bool failure;		   /* counts failed runs */
	bool absolute;		   /* change is a difference, not percent */
	bool own;		   /* the job's own benchmark measured it */
	bool changed;		   /* in any of the commits */
	struct compare_side *side; /* [nr_sides] of the comparison */
};

/* @metric is sorted by name. All owned; compare_release frees. */
struct comparison {
	struct compare_metric *metric;
	size_t nr;
	size_t nr_sides;
	size_t nr_changed;
	char *testcase; /* "" when unknown */
};

#define COMPARISON_INIT             \
	{                           \
		NULL, 0, 0, 0, NULL \
	}

/*
 * Compare @nr_sides (2..COMPARE_MAX_SIDES) matrices, the base first.
 * @side      borrowed; not kept
 * @min_runs  NULL, or per side how many runs there were at least (a commit
 *            whose matrix is empty still failed 0 of N times)
 * @testcase  the job's benchmark ("stress-ng"), for rows of its own; or NULL
 * Runs that did not complete (MATRIX_INCOMPLETE) count in failure rows only.
 * ERR_RANGE for the number of sides. @out is initialised here; release it.
 */
int compare_matrices(struct comparison *out, const struct matrix *const *side,
		     size_t nr_sides, const size_t *min_runs,
		     const char *testcase, struct err *err);

void compare_release(struct comparison *c);

/* The row called @name, or NULL; borrowed. */
const struct compare_metric *compare_find(const struct comparison *c,
					  const char *name);

enum compare_show {
	COMPARE_SHOW_CHANGED, /* rows that changed */
	COMPARE_SHOW_ALL,
};

/*
 * Which rows to print and in which order: failures, the job's own benchmark,
 * then families by the number of rows shown, ascending; inside a family by
 * name; perf-profile by kind (calltrace, children, self), then by change.
 * *@out_row: indices into @c->metric, owned by the caller (free).
 * Returns how many.
 */
size_t compare_order(const struct comparison *c, enum compare_show show,
		     size_t **out_row);

#endif
