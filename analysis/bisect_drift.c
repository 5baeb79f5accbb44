// SPDX-License-Identifier: GPL-3.0-or-later
// How much the boxes move from boot to boot, as the boots themselves say: a
// random walk of unknown step, its likelihood on a small grid (the local level
// model of Harvey 1989), averaged over a prior.
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

/* Step of the walk in units of s, and prior weight. */
static const struct {
	double step, prior;
} grid[] = { { 0.005, 0.15 }, { 0.015, 0.15 }, { 0.03, 0.3 },
	     { 0.05, 0.25 },  { 0.08, 0.1 },   { 0.13, 0.05 } };

#define DRIFT_DEFAULT 0.04
#define DIFFUSE	      1e4
#define MIN_BOOTS     16

/* A boot's measurement without the effect, and the variance of that. */
struct point {
	int box;
	double z, h;
};

/*
 * Take the builds' code layouts out: neighbouring boots share a build, and its
 * layout would look like a box that moves.
 */
static void remove_layouts(const struct bisect *b, struct point *p)
{
	double tau = b->start.calibration.layout_sd;
	double ratio = b->s2 / (tau * tau);
	double level[BISECT_MAX_BOXES] = { 0 };
	int nr[BISECT_MAX_BOXES] = { 0 };
	double *sum = xcalloc(b->nr_builds + 1, sizeof(*sum));
	size_t i;

	for (i = 0; i < b->nr_obs; i++) {
		level[p[i].box] += p[i].z;
		nr[p[i].box]++;
	}
	for (i = 0; i < b->nr_obs; i++)
		sum[b->obs[i].build] += p[i].z - level[p[i].box] / nr[p[i].box];
	for (i = 0; i < b->nr_obs; i++) {
		int k = b->obs[i].build;

		p[i].z -= sum[k] / (b->builds[k].nr_obs + ratio);
	}
	free(sum);
}

static struct point *points(const struct bisect *b)
{
	struct point *out = xcalloc(b->nr_obs + 1, sizeof(*out));
	size_t i;

	for (i = 0; i < b->nr_obs; i++) {
		const struct bisect_obs *o = &b->obs[i];
		double bad = b->commits[o->commit].bad;
		double unsure = b->delta * b->delta * bad * (1 - bad);

		out[i].box = o->box;
		out[i].z = o->y - b->delta * bad;
		out[i].h = o->h / o->w + unsure / b->s2;
	}
	if (b->start.calibration.layout_sd > 0)
		remove_layouts(b, out);
	return out;
}

static double log_likelihood(const struct bisect *b, const struct point *p,
			     double step)
{
	double level[BISECT_MAX_BOXES] = { 0 };
	double var[BISECT_MAX_BOXES];
	double sum = 0;
	size_t i;

	for (i = 0; i < b->start.nr_boxes; i++)
		var[i] = DIFFUSE;
	for (i = 0; i < b->nr_obs; i++) {
		double *v = &var[p[i].box];
		double e = p[i].z - level[p[i].box];
		double total;

		*v += step * step;
		total = *v + p[i].h;
		sum -= 0.5 * (log(total) + e * e / (total * b->s2));
		level[p[i].box] += *v / total * e;
		*v -= *v * *v / total;
	}
	return sum;
}

double bisect_drift_step(const struct bisect *b)
{
	double known = b->start.calibration.drift_sd;
	double l[ARRAY_SIZE(grid)];
	double best = -INFINITY;
	double norm = 0;
	double sum = 0;
	struct point *p;
	size_t i;

	if (known >= 0)
		return known / sqrt(b->s2);
	if (b->nr_obs < MIN_BOOTS)
		return DRIFT_DEFAULT;
	p = points(b);
	for (i = 0; i < ARRAY_SIZE(grid); i++) {
		l[i] = log_likelihood(b, p, grid[i].step);
		best = fmax(best, l[i]);
	}
	free(p);
	for (i = 0; i < ARRAY_SIZE(grid); i++) {
		double w = grid[i].prior * exp(l[i] - best);

		norm += w;
		sum += w * grid[i].step * grid[i].step;
	}
	return sqrt(sum / norm);
}
