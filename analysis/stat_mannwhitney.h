/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Mann-Whitney test: whether one side's values lie above the other's, by
 * their ranks alone. Outliers count as much as their rank does, no more.
 */
#ifndef ANALYSIS_STAT_MANNWHITNEY_H
#define ANALYSIS_STAT_MANNWHITNEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Up to so many values on both sides together the p-value is exact. */
#define STAT_MANNWHITNEY_EXACT 30

/*
 * @u      pairs of one value of each side in which b's is the larger one, ties
 *         counted half: na * nb / 2 when nothing differs
 * @p      two-sided p-value in (0,1]
 * @exact  from the permutation distribution, not from the normal one
 */
struct stat_mannwhitney {
	double u, p;
	bool exact;
};

/*
 * @a,@b  na/nb finite doubles, any order, not modified; 1..STAT_MAX_VALUES each
 * Exact: all ways to deal out the ranks that were seen, ties included, and the
 * share of them that is as far from the middle as the one at hand. Else normal,
 * with tie and continuity correction.
 * Returns 0; ERR_RANGE (a side is empty), ERR_LIMIT, ERR_DATA (NaN or
 * infinity). @out untouched on error.
 * Time O(n log n), exact O(n⁴) for n <= STAT_MANNWHITNEY_EXACT values.
 * Source: Mann and Whitney 1947; conditional distribution under ties: Lehmann,
 * Nonparametrics, 1.4. Vectors: tests/data/stat/make-vectors.py (scipy).
 */
int stat_mannwhitney(const double *a, size_t na, const double *b, size_t nb,
		     struct stat_mannwhitney *out, struct err *err);

/*
 * Of na * nb pairwise differences in order, how many to cut at each end so that
 * what is left is an interval for the shift with an error of @alpha at most; 0
 * when the sides are too small for that. For values without ties; with ties the
 * interval only grows.
 */
size_t stat_mannwhitney_cut(size_t na, size_t nb, double alpha);

#endif
