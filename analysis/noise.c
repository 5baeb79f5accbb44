// SPDX-License-Identifier: GPL-3.0-or-later
// Noise of a benchmark out of boots: pooled variance within and between them.
#include "analysis/noise.h"

#include <math.h>

#include "analysis/stat_sample.h"

#define SD_FLOOR      1e-4
#define SHARE_ASSUMED 0.8

struct group {
	double sum; /* of boot means */
	size_t boots;
};

static int counts(const struct noise_boot *b)
{
	return b->nr && b->group >= 0 && b->group < NOISE_MAX_GROUPS;
}

/* Sums of squares and degrees of freedom, relative to each group's level. */
struct sums {
	double between, between_dof;
	double within, within_dof;
	double inverse_runs; /* of all boots, for the mean of 1/r */
	size_t boots, groups;
};

static void add_boot(const struct noise_boot *b, const struct group *g,
		     struct sums *s)
{
	double level = g->sum / (double)g->boots;
	double mean = stat_mean(b->values, b->nr);
	double d = mean / level - 1;
	size_t i;

	s->between += d * d;
	for (i = 0; i < b->nr; i++) {
		double w = (b->values[i] - mean) / level;

		s->within += w * w;
	}
	s->within_dof += (double)b->nr - 1;
	s->inverse_runs += 1 / (double)b->nr;
	s->boots++;
}

size_t noise_estimate(const struct noise_boot *boots, size_t nr,
		      struct noise *out)
{
	struct group groups[NOISE_MAX_GROUPS] = { 0 };
	struct sums s = { 0 };
	double within, between, total;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!counts(&boots[i]))
			continue;
		groups[boots[i].group].sum +=
			stat_mean(boots[i].values, boots[i].nr);
		groups[boots[i].group].boots++;
	}
	for (i = 0; i < NOISE_MAX_GROUPS; i++)
		s.groups += groups[i].boots && groups[i].sum > 0;
	for (i = 0; i < nr; i++) {
		if (counts(&boots[i]) && groups[boots[i].group].sum > 0)
			add_boot(&boots[i], &groups[boots[i].group], &s);
	}
	s.between_dof = (double)s.boots - (double)s.groups;
	within = s.within_dof > 0 ? s.within / s.within_dof : 0;
	between = s.between_dof > 0 ? s.between / s.between_dof : 0;
	/* a boot's mean holds a share of the noise inside the boot */
	if (s.within_dof > 0)
		between = fmax(
			between - within * s.inverse_runs / (double)s.boots, 0);
	total = within + between;
	out->sd = fmax(sqrt(total), SD_FLOOR);
	out->boot_share =
		s.within_dof > 0 && total > 0 ? between / total : SHARE_ASSUMED;
	out->dof = fmax(s.between_dof, 1);
	return s.boots;
}
