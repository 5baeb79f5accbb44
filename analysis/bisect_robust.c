// SPDX-License-Identifier: GPL-3.0-or-later
// Boots that are no news: a boot far from both levels at once is an outlier and
// loses its weight, and no single boot can say more than a bounded amount.
//
// Noise is taken as (1−ε)·normal + ε·wide, after Tukey's contaminated normal
// (1960); the level near a boot is what its neighbours on the box say, each of
// them with bounded pull.
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* ε · (density of the wide part / that of the normal one) */
#define WIDE	       0.001
#define OUTLIER_WEIGHT 0.02

/* A running level: boots it needs, boots it starts from, the share of a new
 * boot, the deviations by which one boot can pull it, its variance in s². */
#define MIN_BOOTS   5
#define START_BOOTS 9
#define GAIN	    0.2
#define PULL	    2.0
#define LEVEL_VAR   0.1

double bisect_robust_cost(double u)
{
	double half = 0.5 * u * u;

	if (half < 2)
		return half;
	return -log(exp(-half) + WIDE);
}

/* Median of the first boots: where a running level starts. */
static double start_level(const double *z, int n)
{
	double first[START_BOOTS];
	int nr = n < START_BOOTS ? n : START_BOOTS;
	int i;

	for (i = 0; i < nr; i++)
		first[i] = z[i];
	qsort(first, (size_t)nr, sizeof(*first), stat_compare);
	return stat_median_sorted(first, (size_t)nr);
}

/*
 * @out[i] = the box's level around boot i, as the boots before and behind it
 * say, each pulling by a bounded amount; @z holds 2·n numbers, the second half
 * is scratch.
 */
static void running_levels(double *z, int n, double s, double *out)
{
	double *back = z + n;
	double level;
	int i;

	for (i = 0; i < n; i++)
		back[i] = z[n - 1 - i];
	level = start_level(back, n);
	for (i = n; i-- > 0;) {
		out[i] = level / 2;
		level += GAIN * fmin(fmax(z[i] - level, -PULL * s), PULL * s);
	}
	level = start_level(z, n);
	for (i = 0; i < n; i++) {
		out[i] += level / 2;
		level += GAIN * fmin(fmax(z[i] - level, -PULL * s), PULL * s);
	}
}

/* Weight of a boot that is @r above the good level around it. */
static double weigh(const struct bisect *b, const struct bisect_obs *o,
		    double r)
{
	double bad = b->commits[o->commit].bad;
	double tau = b->start.calibration.layout_sd;
	double var = b->s2 * (o->h + LEVEL_VAR) + tau * tau;
	double near = fmin(bad < 0.99 ? fabs(r) : INFINITY,
			   bad > 0.01 ? fabs(r - b->delta) : INFINITY);
	double normal;

	if (near * near < 4 * var)
		return 1;
	normal = (1 - bad) * exp(-0.5 * r * r / var);
	r -= b->delta;
	normal += bad * exp(-0.5 * r * r / var);
	return 1 - (1 - OUTLIER_WEIGHT) * WIDE / (normal + WIDE);
}

bool bisect_robust_weights(struct bisect *b)
{
	double *z = xcalloc(2 * b->nr_obs + 1, sizeof(*z));
	double *level = xcalloc(b->nr_obs + 1, sizeof(*level));
	int *at = xcalloc(b->nr_obs + 1, sizeof(*at));
	bool changed = false;
	size_t box;
	size_t i;

	for (box = 0; box < b->start.nr_boxes; box++) {
		int n = 0;
		int k;

		for (i = 0; i < b->nr_obs; i++) {
			const struct bisect_obs *o = &b->obs[i];

			if (o->box != (int)box)
				continue;
			z[n] = o->y - b->delta * b->commits[o->commit].bad;
			at[n++] = (int)i;
		}
		if (n < MIN_BOOTS)
			continue;
		running_levels(z, n, sqrt(b->s2), level);
		for (k = 0; k < n; k++) {
			struct bisect_obs *o = &b->obs[at[k]];
			double w = weigh(b, o, o->y - level[k]);

			changed |= fabs(w - o->w) > 0.05;
			o->w = w;
		}
	}
	free(z);
	free(level);
	free(at);
	return changed;
}
