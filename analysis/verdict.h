/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict on a comparison: interleaved pairs of boots (base, head) of one
 * metric, an e-process over their differences, and when to stop looking.
 */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include <stddef.h>

#include "base/str.h"

/* An e-value of this much is enough for one metric: false alarms <= 1 %. */
#define VERDICT_E_ENOUGH  100.0
#define VERDICT_MAX_PAIRS 500

/* Means of the runs of two boots next to each other, in the metric's unit. */
struct verdict_pair {
	double base, head;
};

/*
 * @pairs: borrowed, @nr of them, finite. @planned: pairs of the first round,
 * 1 or more; @max_pairs: not more than so many. @min_effect: the smallest
 * relative change that counts, > 0. @sd, @dof: relative deviation of a boot's
 * mean and the degrees of freedom behind it, from A/A boots; @dof 0: the box is
 * not calibrated. @candidates: the metrics of equal rank that this one was
 * picked from by looking at the data, 1 or more. @direction: +1 more is better,
 * -1 less is.
 */
struct verdict_in {
	const struct verdict_pair *pairs;
	size_t nr;
	int planned, max_pairs;
	double min_effect;
	double sd, dof;
	int candidates;
	int direction;
};

enum verdict_kind {
	VERDICT_MORE, /* measure @more further pairs */
	VERDICT_REGRESSION,
	VERDICT_IMPROVEMENT,
	VERDICT_NO_CHANGE,
	VERDICT_UNDECIDED,
};

/*
 * @delta: relative change, NaN when the base's level is not positive. @lo, @hi:
 * its 95 % interval (stat_stopped_t()), NaN while it is unbounded. @e_needed:
 * what @e_value must reach. @sd_pair: relative deviation of one pair's
 * difference; @g: prior variance of the effect in units of that one's variance.
 * @detectable: the smallest relative change that these pairs would have shown
 * in 4 of 5 tries; INFINITY: none, NaN: unknown.
 */
struct verdict {
	enum verdict_kind kind;
	double delta, lo, hi;
	double e_value, e_needed;
	double sd_pair, g;
	double detectable;
	size_t nr;
	int more;
};

/*
 * Decide. The e-process is
 *   E = (1+ng)^(-1/2) [(1+t²/v) / (1+t²/(v(1+ng)))]^((v+1)/2),  v = dof+n-1,
 * whose P(sup E >= 1/a) <= a under "no difference" for any g fixed beforehand:
 * without calibration it is the scale-free t form. It can't exceed
 * (1+ng)^(v/2), so g is chosen, from @planned, @dof and @candidates alone, such
 * that the planned pairs can reach ten times what is needed: 25 for four pairs
 * without calibration. A smaller one could never speak, a larger one wastes
 * power. Several candidates: Bonferroni. With a calibration, differences far
 * from the middle one are pulled in first: a calibration that saw no outlier
 * takes one for evidence. Looking ends without evidence when the confidence
 * sequence holds no change that counts, or, after the planned pairs and with an
 * E below 1, when the upper end of what is plausible (95 %) doesn't count.
 * Time O(nr log nr).
 */
void verdict_decide(const struct verdict_in *in, struct verdict *out);

/* Stable words: "regression", "improvement", "no-change", "undecided", "". */
const char *verdict_to_str(enum verdict_kind kind);

/*
 * Append one sentence: "pipe.ops_per_sec: 3.4% regression, E = 1.2e+05, 95% CI
 * -3.9% … -2.9%, 4 boots a side".
 */
void verdict_add_why(const struct verdict_in *in, const struct verdict *v,
		     const char *metric, struct str *out);

#endif
