/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How noisy a benchmark is, estimated from boots of the commits at hand where
 * no calibration is there: within boots, between boots, and how well known.
 */
#ifndef ANALYSIS_NOISE_H
#define ANALYSIS_NOISE_H

#include <stddef.h>

/*
 * One boot: its runs' values in the metric's unit, borrowed. Boots of equal
 * @group (one kernel on one box) share a level; 0..NOISE_MAX_GROUPS-1.
 */
#define NOISE_MAX_GROUPS 128
struct noise_boot {
	int group;
	const double *values;
	size_t nr;
};

/* @sd: relative deviation of one run in a fresh boot, never below a floor of
 * 0.01 %. @boot_share: of its variance, what lies between boots, 0..1.
 * @dof: degrees of freedom behind @sd, 1 or more. */
struct noise {
	double sd, boot_share, dof;
};

/*
 * Variances pooled over the groups, each relative to its own level: between
 * boots by Kalibera and Jones 2013, 6.2. With one run a boot the two can't be
 * told apart: 0.8 of the variance is put between boots then, as measured on
 * real machines. Boots without values and groups with a level of 0 or below are
 * left out. Returns how many boots counted.
 */
size_t noise_estimate(const struct noise_boot *boots, size_t nr,
		      struct noise *out);

#endif
