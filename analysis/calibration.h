/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What A/A boots of one kernel on one box say about a metric: its noise inside
 * and between boots, whether the box moves, how much code layouts differ, and
 * how often a test calibrated with these boots calls a change where there is
 * none.
 */
#ifndef ANALYSIS_CALIBRATION_H
#define ANALYSIS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Fewer boots say too little to go by. */
#define CALIBRATION_MIN_BOOTS 8
#define CALIBRATION_MAX_BOOTS 1000

/*
 * One boot: its runs' values in the metric's unit, finite, borrowed; @layout 0
 * as configured, else a further code layout. In order of time.
 */
struct calibration_boot {
	const double *values;
	size_t nr;
	int layout;
};

/*
 * @boots, @runs: of layout 0, that counted. Deviations are ratios of @mean:
 * @sd of one run in a fresh boot, @sd_run inside a boot, @sd_boot between them;
 * @boot_share: of the variance of the first, 0..1; @dof: degrees of freedom
 * behind @sd. @drift: step per boot of a level that walks, 0 when none is seen.
 * @layout_sd: between code layouts, NaN without any.
 * @aa_trials: ways to split the boots into two sides that were tried,
 * @aa_alarms: of them called a change. @halves: the second half of the boots
 * against the first, @halves_e: E-value of that against "no change".
 */
struct calibration {
	size_t boots, runs;
	double mean;
	double sd, sd_run, sd_boot, boot_share, dof;
	double drift;
	double layout_sd;
	int aa_trials, aa_alarms;
	double halves, halves_e;
};

/*
 * Estimate everything. Boots without values are left out. @min_effect: relative
 * change that counts, > 0. @trials: splits to try for false alarms, 0 or more.
 *
 * Noise: nested analysis of variance, the degrees of freedom after
 * Satterthwaite 1946 (Kalibera and Jones 2013, 6.2, for the model). With one
 * run a boot the two parts can't be told apart; 0.8 is put between boots then.
 * Drift: local level model (Harvey 1989), its likelihood on a grid against "no
 * drift"; where there is one, @sd_boot is what remains beside it.
 * Alarms: the boots are split at random; one half calibrates the test of
 * analysis/verdict.h, the other is paired and tested, after each pair.
 * Halves: in order of time, with the variance inside them.
 *
 * Returns false, @out untouched, with fewer than CALIBRATION_MIN_BOOTS boots or
 * a mean of 0 or less. Time O(boots · (runs + boots + trials)).
 */
bool calibration_estimate(const struct calibration_boot *boots, size_t nr,
			  double min_effect, int trials,
			  struct calibration *out);

/*
 * Whether these boots, which are of one kernel, look like one kernel: appends
 * the reason to @why when they don't. @metrics: how many are judged together.
 * One box in a thousand fails by chance.
 */
bool calibration_passes(const struct calibration *c, double min_effect,
			size_t metrics, struct str *why);

#endif
