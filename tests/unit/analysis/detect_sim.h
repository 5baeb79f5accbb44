/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated labs that judge the statistics: how often pairs of boots raise a
 * false alarm, how often a change is found, how often an interval holds the
 * truth. Shared by the unit tests (few trials) and `make bench-detect` (many).
 * Everything is in units of the deviation of one run in a fresh boot.
 */
#ifndef TESTS_UNIT_ANALYSIS_DETECT_SIM_H
#define TESTS_UNIT_ANALYSIS_DETECT_SIM_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/stat_bootstrap.h"
#include "analysis/stat_eprocess.h"
#include "analysis/stat_hodges.h"
#include "analysis/stat_ratio.h"
#include "analysis/verdict.h"
#include "analysis/welch.h"
#include "base/rand.h"

#define SIM_LEVEL    100.0 /* of the metric, in deviations: 1 % noise */
#define SIM_BOOTS_AA 20	   /* A/A boots behind a calibration */
#define SIM_MAX	     64	   /* boots a side */

/* What the noise is like; each has a deviation of 1. */
enum sim_noise {
	SIM_NORMAL,
	SIM_BIMODAL,  /* a boot of five lands elsewhere */
	SIM_OUTLIERS, /* a boot of fifty is far off */
	SIM_SKEWED,   /* lognormal */
};

static inline const char *sim_noise_name(enum sim_noise noise)
{
	static const char *const names[] = { "normal", "bimodal", "outliers",
					     "skewed" };

	return names[noise];
}

static inline double sim_draw(struct rand *r, enum sim_noise noise)
{
	/* of exp(0.5 z): mean and deviation */
	const double mean = 1.1331484530668263, sd = 0.6039005332108811;
	bool odd;

	switch (noise) {
	case SIM_BIMODAL:
		/* modes 2 apart, so 0.64 of the variance is between them */
		odd = rand_unit(r) < 0.2;
		return (odd ? -1.6 : 0.4) + 0.6 * rand_normal(r);
	case SIM_OUTLIERS:
		odd = rand_unit(r) < 0.02;
		return odd ? -5 - rand_unit(r) + 0.11
			   : 0.11 + 0.63 * rand_normal(r);
	case SIM_SKEWED:
		return (exp(0.5 * rand_normal(r)) - mean) / sd;
	case SIM_NORMAL:
		break;
	}
	return rand_normal(r);
}

/* The deviation as a calibration measured it, with its error. */
static inline double sim_calibrate(struct rand *r, enum sim_noise noise)
{
	double sum = 0, square = 0;
	int i;

	for (i = 0; i < SIM_BOOTS_AA; i++) {
		double v = sim_draw(r, noise);

		sum += v;
		square += v * v;
	}
	return sqrt((square - sum * sum / SIM_BOOTS_AA) / (SIM_BOOTS_AA - 1));
}

/* --- false alarms and power --- */

/*
 * How to look: @calibrated, or the e-process knows nothing beforehand; @daemon:
 * as the comparison flow does, planned pairs first, then some more, and the
 * smallest effect that counts; else after each pair.
 */
struct sim_look {
	bool calibrated, daemon;
	int planned, max_pairs;
};

/* @found: E reached 100. @pairs: measured on average. */
struct sim_power {
	double found, pairs;
	/* of the 95 % intervals where it stopped */
	double covered, sequence_covered;
};

struct sim_trial {
	bool found;
	int pairs;
	double delta;
	double half;	 /* of the interval that is told */
	double sequence; /* of the confidence sequence */
};

static inline void sim_pair(struct rand *r, double d, enum sim_noise noise,
			    struct verdict_pair *out)
{
	out->base = SIM_LEVEL + sim_draw(r, noise);
	out->head = SIM_LEVEL + sim_draw(r, noise) + d;
}

/* The comparison flow: verdict_decide() until it has made up its mind. */
static inline void sim_daemon(struct rand *r, double d, enum sim_noise noise,
			      const struct sim_look *look,
			      struct sim_trial *out)
{
	struct verdict_pair pairs[SIM_MAX];
	struct verdict_in in = {
		.pairs = pairs,
		.planned = look->planned,
		.max_pairs = look->max_pairs,
		/* half a deviation: the tables are about noise, not about it */
		.min_effect = 0.5 / SIM_LEVEL,
		.candidates = 1,
		.direction = 1,
	};
	struct verdict v = { .kind = VERDICT_MORE, .more = look->planned };

	if (look->calibrated) {
		in.sd = sim_calibrate(r, noise) / SIM_LEVEL;
		in.dof = SIM_BOOTS_AA - 1;
	}
	while (v.kind == VERDICT_MORE && in.nr < SIM_MAX) {
		int i;

		for (i = 0; i < v.more; i++)
			sim_pair(r, d, noise, &pairs[in.nr++]);
		verdict_decide(&in, &v);
	}
	out->found =
		v.kind == VERDICT_REGRESSION || v.kind == VERDICT_IMPROVEMENT;
	out->pairs = (int)in.nr;
	out->delta = v.delta * SIM_LEVEL;
	out->half = isnan(v.lo) ? INFINITY : SIM_LEVEL * (v.delta - v.lo);
	out->sequence = SIM_LEVEL * v.sd_pair / sqrt((double)in.nr) *
			stat_evalue_t(in.dof + (double)in.nr - 1,
				      (double)in.nr * v.g, 20);
}

/* An e-process that is looked at after each pair. */
static inline void sim_each_pair(struct rand *r, double d, enum sim_noise noise,
				 const struct sim_look *look,
				 struct sim_trial *out)
{
	double sd = look->calibrated ? sim_calibrate(r, noise) : 1;
	struct stat_pairs p = {
		.prior_var = 2 * sd * sd,
		.prior_dof = look->calibrated ? SIM_BOOTS_AA - 1 : 0,
		.effect_sd = 0.9,
	};
	double se, nu, g;

	out->found = false;
	while (!out->found && p.nr < look->max_pairs) {
		struct verdict_pair pair;

		sim_pair(r, d, noise, &pair);
		stat_pairs_add(&p, pair.head - pair.base);
		nu = p.prior_dof + p.nr - 1;
		out->found =
			nu > 0 && stat_pairs_evalue(&p) >= VERDICT_E_ENOUGH;
	}
	nu = p.prior_dof + p.nr - 1;
	g = p.effect_sd * p.effect_sd / p.prior_var;
	se = sqrt(stat_pairs_var(&p) / p.nr);
	out->pairs = p.nr;
	out->delta = stat_pairs_mean(&p);
	out->half = se * stat_stopped_t(nu);
	out->sequence = se * stat_evalue_t(nu, p.nr * g, 20);
}

static inline void sim_power(uint64_t seed, double d, enum sim_noise noise,
			     const struct sim_look *look, int trials,
			     struct sim_power *out)
{
	struct rand r;
	int i;

	rand_seed(&r, seed);
	*out = (struct sim_power){ 0 };
	for (i = 0; i < trials; i++) {
		struct sim_trial t;

		if (look->daemon)
			sim_daemon(&r, d, noise, look, &t);
		else
			sim_each_pair(&r, d, noise, look, &t);
		out->found += t.found;
		out->pairs += t.pairs;
		out->covered += fabs(t.delta - d) <= t.half;
		out->sequence_covered += fabs(t.delta - d) <= t.sequence;
	}
	out->found /= trials;
	out->covered /= trials;
	out->pairs /= trials;
	out->sequence_covered /= trials;
}

/* --- coverage of 95 % intervals --- */

enum sim_interval {
	SIM_WELCH,
	SIM_RATIO,
	SIM_HODGES,
	SIM_BOOTSTRAP_T,
	SIM_BOOTSTRAP_BCA, /* of one side's mean */
	SIM_INTERVALS,
};

static inline const char *sim_interval_name(enum sim_interval kind)
{
	static const char *const names[] = {
		"Welch, difference",	    "Fieller, ratio",
		"Hodges-Lehmann",	    "bootstrap, studentised",
		"bootstrap, BCa of a mean",
	};

	return names[kind];
}

static inline double sim_mean(double *v, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += v[i];
	return sum / (double)nr;
}

/* The interval of kind @kind, or false where it refuses. */
static inline bool sim_interval_of(enum sim_interval kind, const double *a,
				   const double *b, size_t nr, uint64_t seed,
				   double *out_lo, double *out_hi)
{
	const struct stat_statistic mean = { sim_mean, "the mean" };
	const struct stat_bootstrap how = { 1000, seed };
	const struct stat_values x = { a, nr }, y = { b, nr };
	struct stat_interval i;
	struct stat_hodges h;
	struct stat_ratio q;
	struct welch w;

	switch (kind) {
	case SIM_WELCH:
		if (welch_test(a, nr, b, nr, &w, NULL))
			return false;
		*out_lo = w.lo;
		*out_hi = w.hi;
		return true;
	case SIM_RATIO:
		if (stat_ratio(a, nr, b, nr, &q, NULL))
			return false;
		*out_lo = q.lo;
		*out_hi = q.hi;
		return true;
	case SIM_HODGES:
		if (stat_hodges_lehmann(a, nr, b, nr, &h, NULL))
			return false;
		*out_lo = h.lo;
		*out_hi = h.hi;
		return true;
	case SIM_BOOTSTRAP_T:
		if (stat_bootstrap_t(&x, &y, &how, &i, NULL))
			return false;
		break;
	default:
		if (stat_bootstrap_bca(b, nr, &mean, &how, &i, NULL))
			return false;
	}
	*out_lo = i.lo;
	*out_hi = i.hi;
	return true;
}

/*
 * Share of intervals that hold the truth, NaN where they refuse: @nr boots a
 * side, head 3 deviations above the base.
 */
static inline double sim_coverage(uint64_t seed, enum sim_interval kind,
				  size_t nr, enum sim_noise noise, int trials)
{
	double truth = kind == SIM_RATIO	   ? 3 / SIM_LEVEL
		       : kind == SIM_BOOTSTRAP_BCA ? SIM_LEVEL + 3
						   : 3;
	double a[SIM_MAX], b[SIM_MAX];
	double lo = 0, hi = 0;
	struct rand r;
	int covered = 0;
	int i;

	rand_seed(&r, seed);
	for (i = 0; i < trials; i++) {
		size_t k;

		for (k = 0; k < nr; k++) {
			a[k] = SIM_LEVEL + sim_draw(&r, noise);
			b[k] = SIM_LEVEL + 3 + sim_draw(&r, noise);
		}
		if (!sim_interval_of(kind, a, b, nr, rand_u64(&r), &lo, &hi))
			return NAN;
		covered += lo <= truth && truth <= hi;
	}
	return (double)covered / trials;
}

#endif
