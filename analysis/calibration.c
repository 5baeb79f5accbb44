// SPDX-License-Identifier: GPL-3.0-or-later
// A/A boots: variance components, drift, code layouts, false alarms.
#include "analysis/calibration.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/stat_eprocess.h"
#include "analysis/stat_sample.h"
#include "analysis/verdict.h"
#include "base/mem.h"
#include "base/rand.h"

#define SD_FLOOR      1e-4
#define SHARE_ASSUMED 0.8
#define TRIALS_SEED   0x63616c6962ULL
/* So many of a hundred splits may be called a change: five times what the test
 * promises, since all are of the same boots. */
#define ALARMS_MAX_PCT 5
/* A step in the middle of the night is a rare thing to be wrong about. */
#define E_OF_HALVES 1000.0
#define HALVES_INFO 10.0
/* Twice the log likelihood ratio at which a drift is believed (one in 20). */
#define DRIFT_LR	2.7
#define DRIFT_MIN_BOOTS 12

/* Boot means relative to the level, as configured, in order of time. */
struct aa {
	double *y;
	size_t nr;
	double min_effect;
};

static double boot_mean(const struct calibration_boot *b)
{
	return stat_mean(b->values, b->nr);
}

/* Sum of squares around the own mean. */
static double squares(const double *y, size_t nr)
{
	double mean = stat_mean(y, nr);
	double ss = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		ss += (y[i] - mean) * (y[i] - mean);
	return ss;
}

/* --- noise --- */

/* Sum of squares inside boots, its degrees of freedom, and 1/r on average. */
struct inside {
	double ss, dof, inverse;
};

static void add_inside(const struct calibration_boot *b, double level,
		       struct inside *in)
{
	double mean = boot_mean(b);
	size_t i;

	for (i = 0; i < b->nr; i++) {
		double w = (b->values[i] - mean) / level;

		in->ss += w * w;
	}
	in->dof += (double)b->nr - 1;
	in->inverse += 1 / (double)b->nr;
}

/*
 * The variance of one run in a fresh boot is V/1 - what a boot's mean holds of
 * the noise inside: V(means) + (1 - 1/r) V(inside).
 */
static void split_variance(const struct aa *a, const struct inside *in,
			   double between, struct calibration *c)
{
	double within = in->dof > 0 ? in->ss / in->dof : 0;
	double inverse = in->inverse / (double)a->nr;
	double rest = (1 - inverse) * within;
	double dof = (double)a->nr - 1;
	double boot, total, spread;

	if (in->dof > 0) {
		boot = fmax(between - within * inverse, 0);
	} else {
		boot = SHARE_ASSUMED * between;
		within = between - boot;
		rest = 0;
	}
	total = between + rest;
	spread = between * between / dof;
	if (in->dof > 0)
		spread += rest * rest / in->dof;
	c->sd_run = sqrt(within);
	c->sd_boot = sqrt(boot);
	c->sd = fmax(sqrt(total), SD_FLOOR);
	c->boot_share =
		boot + within > 0 ? boot / (boot + within) : SHARE_ASSUMED;
	c->dof = spread > 0 ? fmax(total * total / spread, 1) : dof;
}

/* --- drift --- */

/*
 * Twice the log likelihood of the local level model whose step has @q times the
 * variance of a boot, that variance maximised over: *@out_var.
 */
static double walk_likelihood(const struct aa *a, double q, double *out_var)
{
	double level = a->y[0];
	double p = 1; /* variance of the level, in units of a boot's */
	double ss = 0, logs = 0;
	double n = (double)a->nr - 1;
	size_t i;

	for (i = 1; i < a->nr; i++) {
		double total, e;

		p += q;
		total = p + 1;
		e = a->y[i] - level;
		ss += e * e / total;
		logs += log(total);
		level += p / total * e;
		p -= p * p / total;
	}
	*out_var = ss / n;
	return -n * log(fmax(*out_var, SD_FLOOR * SD_FLOOR * 1e-4)) - logs;
}

/* The step; *@out_var: variance of the boots beside it. 0: none to be seen. */
static double find_drift(const struct aa *a, double *out_var)
{
	static const double steps[] = { 0.05, 0.1, 0.2, 0.35, 0.6, 1, 2, 4 };
	double var, none, best = -INFINITY, best_var = 0, best_step = 0;
	size_t i;

	none = walk_likelihood(a, 0, &var);
	if (a->nr < DRIFT_MIN_BOOTS || var < SD_FLOOR * SD_FLOOR)
		return 0;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		double l = walk_likelihood(a, steps[i] * steps[i], &var);

		if (l > best) {
			best = l;
			best_var = var;
			best_step = steps[i];
		}
	}
	if (best - none < DRIFT_LR)
		return 0;
	*out_var = best_var;
	return best_step * sqrt(best_var);
}

/* --- code layouts --- */

/*
 * One-way analysis of variance of boot means over builds of unequal numbers of
 * boots; NaN when there is only one build.
 */
static double layouts_sd(const struct calibration_boot *boots, size_t nr,
			 double level)
{
	double grand = 0, all = 0, between = 0, within = 0, n2 = 0, builds = 0;
	double n0, tau2;
	bool *seen = xcalloc(nr + 1, sizeof(*seen));
	size_t i, j;

	for (i = 0; i < nr; i++) {
		if (boots[i].nr) {
			grand += boot_mean(&boots[i]) / level;
			all++;
		}
	}
	for (i = 0; i < nr; i++) {
		double sum = 0, ss = 0, n = 0;

		for (j = i; !seen[i] && j < nr; j++) {
			double y;

			if (boots[j].layout != boots[i].layout || seen[j])
				continue;
			if (j > i)
				seen[j] = true;
			if (!boots[j].nr)
				continue;
			y = boot_mean(&boots[j]) / level;
			sum += y;
			ss += y * y;
			n++;
		}
		if (!n)
			continue;
		within += fmax(ss - sum * sum / n, 0);
		between +=
			n * (sum / n - grand / all) * (sum / n - grand / all);
		n2 += n * n;
		builds++;
	}
	free(seen);
	if (builds < 2)
		return NAN;
	n0 = (all - n2 / all) / (builds - 1);
	tau2 = between / (builds - 1);
	if (all > builds)
		tau2 -= within / (all - builds);
	return sqrt(fmax(tau2 / n0, 0));
}

/* --- false alarms --- */

/* Whether the second half of @y, paired, is called a change by a test that the
 * first half calibrated. */
static bool is_alarm(const struct aa *a, const double *y)
{
	size_t half = a->nr / 2;
	size_t nr = (a->nr - half) / 2;
	struct verdict_pair *pairs = xcalloc(nr, sizeof(*pairs));
	double var = squares(y, half) / ((double)half - 1);
	struct verdict_in in = {
		.pairs = pairs,
		.planned = (int)nr,
		.max_pairs = (int)nr,
		.min_effect = a->min_effect,
		.sd = fmax(sqrt(var), SD_FLOOR),
		.dof = (double)half - 1,
		.candidates = 1,
		.direction = 1,
	};
	struct verdict v = { 0 };
	bool alarm = false;
	size_t i;

	for (i = 0; i < nr; i++)
		pairs[i] = (struct verdict_pair){ y[half + 2 * i],
						  y[half + 2 * i + 1] };
	for (in.nr = 1; in.nr <= nr && !alarm; in.nr++) {
		verdict_decide(&in, &v);
		alarm = v.kind == VERDICT_REGRESSION ||
			v.kind == VERDICT_IMPROVEMENT;
	}
	free(pairs);
	return alarm;
}

static int count_alarms(const struct aa *a, int trials)
{
	double *y = xcalloc(a->nr, sizeof(*y));
	struct rand r;
	int alarms = 0;
	int trial;
	size_t i;

	rand_seed(&r, TRIALS_SEED);
	for (i = 0; i < a->nr; i++)
		y[i] = a->y[i];
	for (trial = 0; trial < trials; trial++) {
		for (i = a->nr; i > 1; i--) {
			size_t j = rand_below(&r, i);
			double swap = y[j];

			y[j] = y[i - 1];
			y[i - 1] = swap;
		}
		alarms += is_alarm(a, y);
	}
	free(y);
	return alarms;
}

static void compare_halves(const struct aa *a, struct calibration *c)
{
	size_t n1 = a->nr / 2;
	size_t n2 = a->nr - n1;
	double first = stat_mean(a->y, n1);
	double nu = (double)a->nr - 2;
	double var = (squares(a->y, n1) + squares(a->y + n1, n2)) / nu;
	double se2, shift;

	var = fmax(var, SD_FLOOR * SD_FLOOR);
	se2 = var * (1 / (double)n1 + 1 / (double)n2);
	shift = stat_mean(a->y + n1, n2) - first;
	c->halves = first > 0 ? shift / first : 0;
	c->halves_e = stat_evalue(
		shift * shift / se2, nu,
		fmax(a->min_effect * a->min_effect / se2, HALVES_INFO));
}

/* --- the whole --- */

static void estimate(const struct calibration_boot *boots, size_t nr,
		     const struct aa *a, int trials, struct calibration *c)
{
	struct inside in = { 0 };
	double between = squares(a->y, a->nr) / ((double)a->nr - 1);
	size_t i;

	for (i = 0; i < nr; i++) {
		if (boots[i].nr && !boots[i].layout) {
			add_inside(&boots[i], c->mean, &in);
			c->runs += boots[i].nr;
		}
	}
	c->drift = find_drift(a, &between);
	split_variance(a, &in, between, c);
	c->layout_sd = layouts_sd(boots, nr, c->mean);
	c->aa_trials = trials;
	c->aa_alarms = count_alarms(a, trials);
	compare_halves(a, c);
}

bool calibration_estimate(const struct calibration_boot *boots, size_t nr,
			  double min_effect, int trials,
			  struct calibration *out)
{
	struct calibration c = { .layout_sd = NAN };
	struct aa a = { .y = xcalloc(nr + 1, sizeof(double)),
			.min_effect = min_effect };
	bool usable;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (boots[i].nr && !boots[i].layout)
			a.y[a.nr++] = boot_mean(&boots[i]);
	}
	usable = a.nr >= CALIBRATION_MIN_BOOTS;
	if (usable) {
		c.boots = a.nr;
		c.mean = stat_mean(a.y, a.nr);
		usable = c.mean > 0 && isfinite(c.mean);
	}
	if (usable) {
		for (i = 0; i < a.nr; i++)
			a.y[i] /= c.mean;
		estimate(boots, nr, &a, trials, &c);
		*out = c;
	}
	free(a.y);
	return usable;
}

bool calibration_passes(const struct calibration *c, double min_effect,
			size_t metrics, struct str *why)
{
	if (fabs(c->halves) >= min_effect &&
	    c->halves_e >= E_OF_HALVES * (double)metrics) {
		str_addf(why,
			 "the second half of %zu boots of one kernel measured "
			 "%+.1f%% against the first (E = %.2g)",
			 c->boots, 100 * c->halves, c->halves_e);
		return false;
	}
	if (c->aa_alarms * 100 > c->aa_trials * ALARMS_MAX_PCT) {
		str_addf(why,
			 "%d of %d splits of %zu boots of one kernel were "
			 "called a change",
			 c->aa_alarms, c->aa_trials, c->boots);
		return false;
	}
	return true;
}
