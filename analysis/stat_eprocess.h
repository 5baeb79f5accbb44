/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence that may be looked at after every sample: e-processes against "no
 * difference", and the sequential test for giving up.
 */
#ifndef ANALYSIS_STAT_EPROCESS_H
#define ANALYSIS_STAT_EPROCESS_H

/*
 * E-value of an estimate against "the effect is 0": the likelihood ratio of a
 * normal prior on the effect to 0, the noise variance integrated out.
 * @t2    (estimate / its standard error)², ≥ 0
 * @nu    degrees of freedom of the standard error, > 0
 * @info  prior variance of the effect / squared standard error (n·g for n
 *        pairs), ≥ 0
 * Returns a number > 0; under the null P(sup E ≥ 1/α) ≤ α over any sequence of
 * looks. Source: Johari et al. 2015 (mixture t); shared form in Grünwald, de
 * Heide, Koolen 2024.
 */
double stat_evalue(double t2, double nu, double info);

/*
 * The |t| at which stat_evalue() reaches @e, 1 or more: times the standard
 * error it is half the width of a confidence sequence of level 1 - 1/@e, which
 * holds at every look. INFINITY when no t reaches it.
 */
double stat_evalue_t(double nu, double info, double e);

/*
 * The prior variance g of the effect, in units of one pair's variance, with
 * which @n pairs can reach @e at all: with g the e-value can't exceed
 * (1+ng)^(nu/2). A smaller one could never speak, a larger one wastes power.
 */
double stat_evalue_prior(double nu, double n, double e);

/*
 * Times the standard error, half the width of a 95 % interval for pairs whose
 * number was chosen by looking at them. A t interval holds 91 to 94 % then, as
 * one stops when the estimate is large; the confidence sequence that is always
 * right holds 99.5 %. This one is a t interval for 96.5 %: what it holds under
 * the looks of a comparison is measured by `make bench-detect`.
 */
double stat_stopped_t(double nu);

/*
 * How many standard errors an effect must have for its estimate to lie @t or
 * more of the measured ones from 0 in 4 of 5 tries. INFINITY for such a @t.
 * Source: the noncentral t distribution's normal approximation, Johnson and
 * Welch 1940.
 */
double stat_detectable_t(double t, double nu);

/*
 * An e-process over paired differences. @sum, @sum2 are of the differences;
 * @prior_var the calibrated variance of one difference with @prior_dof degrees
 * of freedom behind it; @effect_sd the size of effect that matters.
 */
struct stat_pairs {
	int nr;
	double sum, sum2;
	double prior_var, prior_dof;
	double effect_sd;
};

void stat_pairs_add(struct stat_pairs *p, double difference);
double stat_pairs_mean(const struct stat_pairs *p);
/* Pooled variance of one difference. */
double stat_pairs_var(const struct stat_pairs *p);
/* 1 without pairs. */
double stat_pairs_evalue(const struct stat_pairs *p);

/*
 * Log likelihood ratio of "the difference is @effect" to "it is 0".
 * Below log(β/(1−α)) one gives up (Wald 1945).
 */
double stat_pairs_llr(const struct stat_pairs *p, double effect);

#endif
