// SPDX-License-Identifier: GPL-3.0-or-later
// E-processes for paired differences, and Wald's test for giving up.
#include "analysis/stat_eprocess.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Of the tries that a detectable effect is found in, the rest. */
#define MISSED 0.2
/* See stat_stopped_t(). */
#define TAIL_STOPPED 0.0175

double stat_evalue(double t2, double nu, double info)
{
	double shrunk = 1 + t2 / (nu * (1 + info));
	double log_e = -0.5 * log1p(info) +
		       0.5 * (nu + 1) * log((1 + t2 / nu) / shrunk);

	/* beyond this a double overflows, and nobody would notice */
	return exp(fmin(log_e, 700));
}

double stat_evalue_t(double nu, double info, double e)
{
	double r = pow(e * sqrt(1 + info), 2 / (nu + 1));

	if (!(nu > 0) || r >= 1 + info)
		return INFINITY;
	return sqrt((r - 1) / (1 - r / (1 + info)) * nu);
}

double stat_evalue_prior(double nu, double n, double e)
{
	return nu > 0 ? (pow(e, 2 / nu) - 1) / n : INFINITY;
}

double stat_detectable_t(double t, double nu)
{
	double z = gsl_cdf_ugaussian_Qinv(MISSED);

	if (isinf(t) || !(nu > 0))
		return INFINITY;
	return t * (1 - 1 / (4 * fmax(nu, 1))) + z * sqrt(1 + t * t / (2 * nu));
}

double stat_stopped_t(double nu)
{
	return nu > 0 ? gsl_cdf_tdist_Qinv(TAIL_STOPPED, nu) : INFINITY;
}

void stat_pairs_add(struct stat_pairs *p, double difference)
{
	p->nr++;
	p->sum += difference;
	p->sum2 += difference * difference;
}

double stat_pairs_mean(const struct stat_pairs *p)
{
	return p->nr ? p->sum / p->nr : 0;
}

double stat_pairs_var(const struct stat_pairs *p)
{
	double ss = p->nr ? p->sum2 - p->sum * p->sum / p->nr : 0;

	if (p->nr < 2)
		return p->prior_var;
	return (p->prior_dof * p->prior_var + fmax(ss, 0)) /
	       (p->prior_dof + p->nr - 1);
}

double stat_pairs_evalue(const struct stat_pairs *p)
{
	double mean = stat_pairs_mean(p);
	double t2 = p->nr * mean * mean / stat_pairs_var(p);
	double info = p->nr * p->effect_sd * p->effect_sd / p->prior_var;

	if (!p->nr)
		return 1;
	return stat_evalue(t2, p->prior_dof + p->nr - 1, info);
}

double stat_pairs_llr(const struct stat_pairs *p, double effect)
{
	return effect * (p->sum - 0.5 * p->nr * effect) / stat_pairs_var(p);
}
