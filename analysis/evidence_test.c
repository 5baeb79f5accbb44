// SPDX-License-Identifier: GPL-3.0-or-later
// One metric, one test: pairs, Welch, ranks, or failures.
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/evidence_private.h"
#include "analysis/stat_eprocess.h"
#include "analysis/stat_fisher.h"
#include "analysis/stat_hodges.h"
#include "analysis/stat_mannwhitney.h"
#include "analysis/stat_ratio.h"
#include "analysis/stat_sample.h"
#include "analysis/welch.h"

#define TAIL_95 0.025
/* Relative deviation below which two boots count as equal, as in verdict.c. */
#define SD_FLOOR 1e-5
#define G_MIN	 0.4
#define G_MAX	 1000.0
#define HEADROOM 10.0
/* Differences are pulled in to so many deviations, as in verdict.c. */
#define CLIP 3.5
/* So many robust deviations from the middle are no noise of the usual kind. */
#define ROUGH	      5.0
#define MAD_OF_NORMAL 1.4826
/* a median of fewer deviations is no measure of noise */
#define ROUGH_MIN 16

/* --- shape of the values --- */

bool evidence_is_constant(const struct evidence_boots boots[2])
{
	const double *first = boots[0].nr ? boots[0].value : boots[1].value;
	size_t s, i;

	for (s = 0; s < 2; s++) {
		for (i = 0; i < boots[s].nr; i++) {
			if (boots[s].value[i] != *first)
				return false;
		}
	}
	return true;
}

/* Values of both sides without their side's median, sorted, into @out. */
static size_t residuals(const struct evidence_boots *boots, double *out)
{
	size_t nr = 0;
	size_t s, i;

	for (s = 0; s < 2; s++) {
		double *sorted = stat_sorted(boots[s].value, boots[s].nr);
		double mid = boots[s].nr
				     ? stat_median_sorted(sorted, boots[s].nr)
				     : 0;

		for (i = 0; i < boots[s].nr; i++)
			out[nr++] = fabs(sorted[i] - mid);
		free(sorted);
	}
	qsort(out, nr, sizeof(*out), stat_compare);
	return nr;
}

/* Few different values, as counts and rounded numbers have. */
static bool is_discrete(const struct evidence_task *t)
{
	const struct evidence_boots *b = t->boots;
	double *all = t->scratch;
	size_t nr = 0;
	size_t s, i;

	for (s = 0; s < 2; s++) {
		for (i = 0; i < b[s].nr; i++)
			all[nr++] = b[s].value[i];
	}
	qsort(all, nr, sizeof(*all), stat_compare);
	return 2 * stat_distinct_sorted(all, nr) < nr + 2;
}

/*
 * Whether means are the wrong thing to look at: few different values, or some
 * far outside. Looks at the values without their side's level, so that a change
 * is no reason.
 */
static bool is_rough(const struct evidence_task *t)
{
	double *all = t->scratch;
	size_t nr;

	if (is_discrete(t))
		return true;
	nr = residuals(t->boots, all);
	return nr >= ROUGH_MIN &&
	       all[nr - 1] >
		       ROUGH * MAD_OF_NORMAL * stat_median_sorted(all, nr);
}

/* Whether the row's change is a difference, not a ratio; *@out_level: what
 * to divide by, 1 for a difference. */
static bool is_absolute(const struct evidence_row *row, double base,
			double *out_level)
{
	bool absolute = row->metric->absolute || !(base > 0);

	*out_level = absolute ? 1 : base;
	return absolute;
}

/* The smallest effect that reaches @t_needed standard errors in 4 of 5 tries.
 */
static double detectable(const struct evidence_task *t,
			 const struct evidence_row *row, double t_needed,
			 double se, double df)
{
	double effect = stat_detectable_t(t_needed, df) * se;

	if (row->absolute)
		return effect;
	/* the estimate must also exceed what counts */
	return fmax(effect, t->in->min_effect + stat_detectable_t(0, df) * se);
}

/* --- pairs --- */

/* The last boot of a pair: one that was tried again counts alone. -1: none. */
static int last_of_pair(const struct evidence_boots *b, int pair)
{
	size_t i;

	for (i = b->nr; i-- > 0;) {
		if (b->pair[i] == pair)
			return (int)i;
	}
	return -1;
}

size_t evidence_pairs(const struct evidence_boots boots[2], double *out_base,
		      double *out_head)
{
	const struct evidence_boots *a = &boots[0];
	const struct evidence_boots *b = &boots[1];
	size_t nr = 0;
	size_t i;

	for (i = 0; i < a->nr; i++) {
		int head = last_of_pair(b, a->pair[i]);

		if (a->pair[i] < 0 || head < 0 ||
		    last_of_pair(a, a->pair[i]) != (int)i)
			continue;
		out_base[nr] = a->value[i];
		out_head[nr++] = b->value[head];
	}
	return nr;
}

static const struct evidence_calibration *find_calibration(
	const struct evidence_in *in, const char *metric)
{
	size_t i;

	for (i = 0; i < in->nr_calibrations; i++) {
		const struct evidence_calibration *c = &in->calibration[i];

		if (!strcmp(c->metric, metric) && c->sd > 0 && c->dof > 0)
			return c;
	}
	return NULL;
}

/* What is known before: variance of a pair's difference, and how well. */
static void set_prior(const struct evidence_task *t,
		      const struct evidence_row *row, struct stat_pairs *p)
{
	const struct evidence_calibration *c =
		row->absolute ? NULL
			      : find_calibration(t->in, row->metric->name);
	double runs = (double)(row->runs[0] + row->runs[1]) /
		      (double)(row->boots[0] + row->boots[1]);

	if (!c)
		return;
	p->prior_dof = c->dof;
	p->prior_var = 2 * c->sd * c->sd * stat_boot_var(c->boot_share, runs);
}

static double choose_g(const struct evidence_task *t,
		       const struct stat_pairs *p, double e_needed)
{
	double planned = t->in->planned > 0 ? t->in->planned : p->nr;
	double g = stat_evalue_prior(p->prior_dof + planned - 1, planned,
				     HEADROOM * e_needed);

	if (p->prior_dof > 0)
		g = fmax(g,
			 t->in->min_effect * t->in->min_effect / p->prior_var);
	return fmin(fmax(g, G_MIN), G_MAX);
}

/* The e-process of @p; @scale: size of the values after the division. */
static void judge_differences(const struct evidence_task *t,
			      const struct stat_pairs *p, double scale,
			      struct evidence_row *row)
{
	double n = p->nr;
	double nu = p->prior_dof + n - 1;
	double floor_sd = SD_FLOOR * scale;
	double var = fmax(stat_pairs_var(p), 2 * floor_sd * floor_sd);
	double needed = (double)t->tests / evidence_level(row->family);
	double g = choose_g(t, p, needed);
	double se = sqrt(var / n);
	double half = stat_stopped_t(nu) * se;
	/* what the signs of the differences alone could say */
	double cap = is_discrete(t) ? ldexp(1, p->nr - 1) : INFINITY;

	row->test = EVIDENCE_PAIRS;
	row->calibrated = p->prior_dof > 0;
	row->e_value = fmin(
		stat_evalue(n * row->effect * row->effect / var, nu, n * g),
		cap);
	row->lo = row->effect - half;
	row->hi = row->effect + half;
	row->detectable =
		cap < needed
			? INFINITY
			: detectable(t, row, stat_evalue_t(nu, n * g, needed),
				     se, nu);
}

void evidence_judge_pairs(const struct evidence_task *t,
			  struct evidence_row *row)
{
	struct stat_pairs p = { .nr = 0 };
	struct stat_moments base, head;
	double *a = t->scratch;
	double *b = a + t->boots[0].nr;
	size_t nr = evidence_pairs(t->boots, a, b);
	double level, scale;
	size_t i;

	if (!nr)
		return;
	stat_moments(a, nr, &base);
	stat_moments(b, nr, &head);
	row->absolute = is_absolute(row, base.mean, &level);
	scale = fmax(fabs(base.mean), fabs(head.mean)) / level;
	for (i = 0; i < nr; i++)
		a[i] = (b[i] - a[i]) / level;
	set_prior(t, row, &p);
	if (p.prior_dof > 0 && nr > 2)
		stat_clip(a, nr, CLIP * sqrt(p.prior_var));
	for (i = 0; i < nr; i++)
		stat_pairs_add(&p, a[i]);
	row->effect = stat_pairs_mean(&p);
	if (p.prior_dof + p.nr - 1 > 0)
		judge_differences(t, &p, scale, row);
}

/* --- boots that are no pairs --- */

static void judge_welch(const struct evidence_task *t, double level,
			struct evidence_row *row)
{
	const struct evidence_boots *b = t->boots;
	double alpha = evidence_level(row->family) / (double)t->tests;
	struct stat_ratio ratio;
	struct welch w;
	double se;

	if (welch_test(b[0].value, b[0].nr, b[1].value, b[1].nr, &w, NULL))
		return;
	row->test = EVIDENCE_WELCH;
	row->p = w.p;
	row->effect = w.diff / level;
	row->lo = w.lo / level;
	row->hi = w.hi / level;
	if (!row->absolute && !stat_ratio(b[0].value, b[0].nr, b[1].value,
					  b[1].nr, &ratio, NULL)) {
		row->effect = ratio.change;
		row->lo = ratio.lo;
		row->hi = ratio.hi;
	}
	se = (w.hi - w.lo) / 2 / gsl_cdf_tdist_Qinv(TAIL_95, w.df) / level;
	row->detectable = detectable(
		t, row, gsl_cdf_tdist_Qinv(alpha / 2, w.df), se, w.df);
}

/* Two-sided p-value of sides that don't overlap at all. */
static double least_p(size_t na, size_t nb)
{
	return 2 * exp(lgamma((double)na + 1) + lgamma((double)nb + 1) -
		       lgamma((double)(na + nb) + 1));
}

/* Logarithms of both sides into @out; false where a value is not above 0. */
static bool take_logs(const struct evidence_boots *b, double *out)
{
	size_t s, i;

	for (s = 0; s < 2; s++) {
		for (i = 0; i < b[s].nr; i++) {
			if (!(b[s].value[i] > 0))
				return false;
			*out++ = log(b[s].value[i]);
		}
	}
	return true;
}

/*
 * How far head is from base by ranks. As a ratio where all values are above 0,
 * so that it can't fall by more than all there is.
 */
static bool rank_shift(const struct evidence_task *t, double level,
		       const struct evidence_row *row, struct stat_hodges *out)
{
	const struct evidence_boots *b = t->boots;
	double *logs = t->scratch;

	if (!row->absolute && take_logs(b, logs)) {
		if (stat_hodges_lehmann(logs, b[0].nr, logs + b[0].nr, b[1].nr,
					out, NULL))
			return false;
		out->shift = expm1(out->shift);
		out->lo = isfinite(out->lo) ? expm1(out->lo) : -INFINITY;
		out->hi = expm1(out->hi);
		return true;
	}
	if (stat_hodges_lehmann(b[0].value, b[0].nr, b[1].value, b[1].nr, out,
				NULL))
		return false;
	out->shift /= level;
	out->lo /= level;
	out->hi /= level;
	return true;
}

static void judge_ranks(const struct evidence_task *t, double level,
			struct evidence_row *row)
{
	const struct evidence_boots *b = t->boots;
	double alpha = evidence_level(row->family) / (double)t->tests;
	double z = gsl_cdf_ugaussian_Qinv(TAIL_95);
	struct stat_mannwhitney u;
	struct stat_hodges h;
	double df = (double)(b[0].nr + b[1].nr) - 2;

	if (stat_mannwhitney(b[0].value, b[0].nr, b[1].value, b[1].nr, &u,
			     NULL))
		return;
	row->test = EVIDENCE_RANKS;
	row->p = u.p;
	row->detectable = INFINITY;
	if (!rank_shift(t, level, row, &h))
		return;
	row->effect = h.shift;
	row->lo = h.lo;
	row->hi = h.hi;
	if (isfinite(h.hi - h.lo) && least_p(b[0].nr, b[1].nr) <= alpha)
		row->detectable =
			detectable(t, row, gsl_cdf_tdist_Qinv(alpha / 2, df),
				   (row->hi - row->lo) / 2 / z, df);
}

void evidence_judge_sides(const struct evidence_task *t,
			  struct evidence_row *row)
{
	const struct evidence_boots *b = t->boots;
	struct stat_moments base, head;
	double level;

	if (!b[0].nr || !b[1].nr)
		return;
	stat_moments(b[0].value, b[0].nr, &base);
	stat_moments(b[1].value, b[1].nr, &head);
	row->absolute = is_absolute(row, base.mean, &level);
	row->effect = (head.mean - base.mean) / level;
	if (b[0].nr < 2 || b[1].nr < 2)
		return;
	if (is_rough(t))
		judge_ranks(t, level, row);
	else
		judge_welch(t, level, row);
}

/* --- failures --- */

void evidence_judge_failures(const size_t failed[2], struct evidence_row *row)
{
	const size_t *boots = row->boots;

	row->absolute = true;
	if (!boots[0] || !boots[1])
		return;
	row->test = EVIDENCE_FISHER;
	row->effect = (double)failed[1] / (double)boots[1] -
		      (double)failed[0] / (double)boots[0];
	row->p = stat_fisher(failed[0], boots[0], failed[1], boots[1]);
}
