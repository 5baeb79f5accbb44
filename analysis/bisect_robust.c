// SPDX-License-Identifier: GPL-3.0-or-later
// Boots that are no news: a boot far from both levels at once is an outlier and
// loses its weight, and no single boot can say more than a bounded amount.
//
// Noise is taken as (1−ε)·normal + ε·wide, after Tukey's contaminated normal
// (1960); the level near a boot is the median of its neighbours on the box.
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

#define WIDE	       0.001 /* ε·(density of the wide part / that of the normal one) */
#define OUTLIER_WEIGHT 0.02
#define NEIGHBOURS     8 /* on either side */
#define MIN_NEIGHBOURS 4

double bisect_robust_cost(double u)
{
	double half = 0.5 * u * u;

	if (half < 2)
		return half;
	return -log(exp(-half) + WIDE);
}

static double median(double *v, int n)
{
	int i;
	int k;

	for (i = 1; i < n; i++) {
		double x = v[i];

		for (k = i; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Weight of the boot at @at among @z, its box's boots in order. */
static double weigh(const struct bisect *b, const double *z, int n, int at,
		    const struct bisect_obs *o)
{
	double near[2 * NEIGHBOURS];
	double bad = b->commits[o->commit].bad;
	double tau = b->start.calibration.layout_sd;
	double var = b->s2 * (o->h + 0.1) + tau * tau;
	double r;
	double normal;
	int nr = 0;
	int i;

	for (i = at - NEIGHBOURS; i <= at + NEIGHBOURS; i++)
		if (i >= 0 && i < n && i != at)
			near[nr++] = z[i];
	if (nr < MIN_NEIGHBOURS)
		return 1;
	r = o->y - median(near, nr);
	normal = (1 - bad) * exp(-0.5 * r * r / var);
	r -= b->delta;
	normal += bad * exp(-0.5 * r * r / var);
	r = WIDE / (normal + WIDE);
	return 1 - r * (1 - OUTLIER_WEIGHT);
}

bool bisect_robust_weights(struct bisect *b)
{
	double *z = xcalloc(b->nr_obs + 1, sizeof(*z));
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
		for (k = 0; k < n; k++) {
			struct bisect_obs *o = &b->obs[at[k]];
			double w = weigh(b, z, n, k, o);

			changed |= fabs(w - o->w) > 0.05;
			o->w = w;
		}
	}
	free(z);
	free(at);
	return changed;
}
