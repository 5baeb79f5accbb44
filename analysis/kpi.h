/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headlines: which of a benchmark's metrics a report is about, which way is
 * better, and the word for it.
 */
#ifndef ANALYSIS_KPI_H
#define ANALYSIS_KPI_H

#include <limits.h>
#include <stdbool.h>

#include "analysis/compare.h"
#include "base/str.h"

#define KPI_NONE INT_MAX

/*
 * How good a headline @metric is for the benchmark @testcase: 0 is the best,
 * KPI_NONE if it can be none (another family, a plain count of operations, a
 * time.* row, no known direction).
 */
int kpi_rank(const char *metric, const char *testcase);

/*
 * +1 when more of it is better, -1 when less is, 0 when it says neither. Goes
 * by the name alone; of monitors only `*.time.elapsed_time` has a direction.
 */
int kpi_direction(const char *metric);

/*
 * The metric a report on commit @side (1..nr_sides-1) is about: the best rank;
 * among equals a changed one, then the largest change, then by name. NULL when
 * the benchmark has none. Borrowed.
 */
const struct compare_metric *kpi_headline(const struct comparison *c,
					  size_t side);

/* "regression", "improvement", or "change" without a direction or change. */
const char *kpi_word(int direction, double change);

/* "9.7% regression", "12.3% improvement"; points where it is absolute. */
void kpi_add_phrase(struct str *out, const struct compare_metric *metric,
		    size_t side);

/*
 * Whether commit @side is worse than the base by the LKP row rule: a headline
 * candidate changed for the worse, or a failure appeared.
 */
bool kpi_is_regression(const struct comparison *c, size_t side);

#endif
