// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a comparison: e-process over pairs of boots, stopping rules.
// Source: Johari et al. 2015 (mixture t); Grünwald, de Heide, Koolen 2024
// (scale-free t form without calibration).
#include "analysis/verdict.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/stat_eprocess.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* Relative deviation below which two boots count as equal: numbers that a
 * simulated clock gives may not differ at all. */
#define SD_FLOOR 1e-5
#define G_MIN	 0.4
#define G_MAX	 1000.0
/* The planned pairs can reach this many times the evidence needed. */
#define HEADROOM 10.0
/* Differences are pulled in to so many deviations from the middle one. */
#define CLIP 3.5
/* What is plausible: one-sided. */
#define PLAUSIBLE 0.05
/* 1/0.05: the level of the confidence sequence. */
#define E_OF_CI 20.0

static double choose_g(const struct verdict_in *in, double e_needed)
{
	double nu = in->dof + in->planned - 1;
	double g = stat_evalue_prior(nu, in->planned, HEADROOM * e_needed);

	if (in->dof > 0) {
		double ratio = in->min_effect / in->sd;

		g = fmax(g, ratio * ratio / 2);
	}
	return fmin(fmax(g, G_MIN), G_MAX);
}

/* Relative differences into @out; false: the base has no level to speak of. */
static bool differences(const struct verdict_in *in, double *out)
{
	double level = 0;
	size_t i;

	for (i = 0; i < in->nr; i++)
		level += in->pairs[i].base / (double)in->nr;
	if (!(level > 0))
		return false;
	for (i = 0; i < in->nr; i++)
		out[i] = (in->pairs[i].head - in->pairs[i].base) / level;
	for (i = 0; i < in->nr && isfinite(out[i]); i++)
		;
	return i == in->nr;
}

/* Pull in what is far from the middle, as the calibration knows far. */
static void clip(const struct verdict_in *in, double *d)
{
	if (in->dof > 0 && in->nr > 2)
		stat_clip(d, in->nr, CLIP * M_SQRT2 * fmax(in->sd, SD_FLOOR));
}

/* Mean and pooled variance of the differences. */
static void moments(const struct verdict_in *in, const double *d,
		    double *out_mean, double *out_var)
{
	double nu = in->dof + (double)in->nr - 1;
	struct stat_moments m;

	stat_moments(d, in->nr, &m);
	*out_mean = m.mean;
	*out_var = nu > 0 ? (in->dof * 2 * in->sd * in->sd +
			     m.var * (double)(in->nr - 1)) /
				    nu
			  : 0;
	*out_var = fmax(*out_var, 2 * SD_FLOOR * SD_FLOOR);
}

/* Half the width of an interval that is @t standard errors each way. */
static double half_width(const struct verdict *v, double t)
{
	return t * v->sd_pair / sqrt((double)v->nr);
}

/* Enough looked at, or no end in sight? The evidence is not enough so far. */
static enum verdict_kind without_evidence(const struct verdict_in *in,
					  const struct verdict *v)
{
	double nu = in->dof + (double)in->nr - 1;
	double delta = fabs(v->delta);
	double sequence = half_width(
		v, stat_evalue_t(nu, (double)in->nr * v->g, E_OF_CI));
	double plausible =
		nu > 0 ? half_width(v, gsl_cdf_tdist_Qinv(PLAUSIBLE, nu))
		       : INFINITY;

	if (delta + sequence < in->min_effect)
		return VERDICT_NO_CHANGE;
	if (in->nr >= (size_t)in->max_pairs)
		return v->e_value >= 1 && delta >= in->min_effect
			       ? VERDICT_UNDECIDED
			       : VERDICT_NO_CHANGE;
	if (in->nr >= (size_t)in->planned && in->nr > 2 && v->e_value < 1 &&
	    delta + plausible < in->min_effect)
		return VERDICT_NO_CHANGE;
	return VERDICT_MORE;
}

static int pairs_wanted(const struct verdict_in *in)
{
	int nr = (int)in->nr;
	int step = nr < in->planned ? in->planned - nr : in->planned / 2;

	if (step < 2)
		step = 2;
	return step < in->max_pairs - nr ? step : in->max_pairs - nr;
}

static double detectable(const struct verdict_in *in, const struct verdict *v)
{
	double nu = in->dof + (double)in->nr - 1;
	double t = stat_evalue_t(nu, (double)in->nr * v->g, v->e_needed);

	/* the estimate must reach what counts, too */
	return fmax(half_width(v, stat_detectable_t(t, nu)),
		    in->min_effect + half_width(v, stat_detectable_t(0, nu)));
}

/* What the differences @d say. */
static void weigh(const struct verdict_in *in, double *d, struct verdict *v)
{
	double n = (double)in->nr;
	double nu = in->dof + n - 1;
	double var, half;

	clip(in, d);
	moments(in, d, &v->delta, &var);
	v->sd_pair = sqrt(var);
	if (nu > 0)
		v->e_value = stat_evalue(n * v->delta * v->delta / var, nu,
					 n * v->g);
	if (nu > 0)
		v->detectable = detectable(in, v);
	half = half_width(v, stat_stopped_t(nu));
	if (isfinite(half)) {
		v->lo = v->delta - half;
		v->hi = v->delta + half;
	}
	if (v->e_value < v->e_needed || fabs(v->delta) < in->min_effect)
		v->kind = without_evidence(in, v);
	else if (v->delta * in->direction < 0)
		v->kind = VERDICT_REGRESSION;
	else
		v->kind = VERDICT_IMPROVEMENT;
}

void verdict_decide(const struct verdict_in *in, struct verdict *out)
{
	struct verdict v = { .kind = VERDICT_UNDECIDED,
			     .delta = NAN,
			     .lo = NAN,
			     .hi = NAN,
			     .detectable = NAN,
			     .e_value = 1,
			     .nr = in->nr };
	double *d = xcalloc(in->nr + 1, sizeof(*d));

	v.e_needed = VERDICT_E_ENOUGH * in->candidates;
	v.g = choose_g(in, v.e_needed);
	if (in->nr && differences(in, d))
		weigh(in, d, &v);
	else if (!in->nr && in->max_pairs > 0)
		v.kind = VERDICT_MORE;
	if (v.kind == VERDICT_MORE)
		v.more = pairs_wanted(in);
	free(d);
	*out = v;
}

const char *verdict_to_str(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_REGRESSION:
		return "regression";
	case VERDICT_IMPROVEMENT:
		return "improvement";
	case VERDICT_NO_CHANGE:
		return "no-change";
	case VERDICT_UNDECIDED:
		return "undecided";
	case VERDICT_MORE:
		break;
	}
	return "";
}

static void add_head(const struct verdict_in *in, const struct verdict *v,
		     struct str *out)
{
	switch (v->kind) {
	case VERDICT_REGRESSION:
	case VERDICT_IMPROVEMENT:
		str_addf(out, "%.1f%% %s", 100 * fabs(v->delta),
			 verdict_to_str(v->kind));
		break;
	case VERDICT_NO_CHANGE:
		str_addf(out, "no change (%+.1f%%)", 100 * v->delta);
		if (fabs(v->delta) < in->min_effect &&
		    v->e_value >= v->e_needed)
			str_addf(out, ", below the %.1f%% that counts",
				 100 * in->min_effect);
		break;
	default:
		str_addf(out, "undecided (%+.1f%%)", 100 * v->delta);
	}
}

void verdict_add_why(const struct verdict_in *in, const struct verdict *v,
		     const char *metric, struct str *out)
{
	str_addf(out, "%s: ", metric);
	if (!isfinite(v->delta)) {
		str_add(out, in->nr ? "undecided: the base has no level to "
				      "measure a change by"
				    : "undecided: no pair of boots was "
				      "measured");
		return;
	}
	add_head(in, v, out);
	str_addf(out, ", E = %.2g", v->e_value);
	if (isfinite(v->lo))
		str_addf(out, ", 95%% CI %+.1f%% … %+.1f%%", 100 * v->lo,
			 100 * v->hi);
	str_addf(out, ", %zu boot%s a side", v->nr, v->nr == 1 ? "" : "s");
	if (!(in->dof > 0))
		str_add(out, "; box not calibrated");
}
