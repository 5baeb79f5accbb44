/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points of a series, for trend pages: where the level of a benchmark
 * moved for good, with false ones rare.
 */
#ifndef ANALYSIS_STAT_CHANGEPOINT_H
#define ANALYSIS_STAT_CHANGEPOINT_H

#include <stddef.h>

#include "base/err.h"

#define STAT_CHANGE_MAX_VALUES ((size_t)2000)

/*
 * @alpha: chance of any change point in a series that has none, in (0,1); 0 for
 * 0.01. @min_len: the shortest stretch between two of them, 3 or more; 0 for 4.
 * @min_effect: smaller steps, relative to the level before, are not told.
 */
struct stat_change_rule {
	double alpha;
	size_t min_len;
	double min_effect;
};

/*
 * @at: the first value of the new level, counted from 0. @before, @after: means
 * of the stretches on both sides, up to the next change point. @p: Welch's
 * p-value of the two.
 */
struct stat_change {
	size_t at;
	double before, after, p;
};

/* Room for @max changes, borrowed; @nr: how many there are. */
struct stat_changes {
	struct stat_change *v;
	size_t max, nr;
};

/*
 * Splits the series where the energy distance between both parts is largest, as
 * E-divisive does, and goes on inside the parts; a split counts when Welch's
 * test, corrected for all the splits that were looked at, says so. E-divisive's
 * own permutation test would give other answers with other seeds, and can't
 * give small p-values. Stretches of half length and less are looked at too,
 * since a step up and down again hides in the whole.
 * @v    @nr finite doubles in order of time, not modified
 * @out  the changes in order of time; at most @max of them, the surest
 * Returns 0; ERR_RANGE (a rule outside its range), ERR_LIMIT, ERR_DATA; @out
 * untouched then. A series too short for a change has none. Time O(nr²).
 * Sources: Matteson and James 2014 (E-divisive); Fleming et al. 2023 (t-test
 * in its place); Kovács et al. 2023 (seeded intervals).
 */
int stat_change_points(const double *v, size_t nr,
		       const struct stat_change_rule *rule,
		       struct stat_changes *out, struct err *err);

#endif
