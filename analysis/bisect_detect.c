// SPDX-License-Identifier: GPL-3.0-or-later
// Stage 0: do the two ends differ at all, and can we afford to find out where?
// Pairs of boots on one box, an e-process over their differences, Wald's test
// for giving up, and a plan that is held against the budget before it is spent.
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_eprocess.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* R ≈ 20 + (105 + 10·log2 N)/d² runs, measured on the simulated lab. */
#define PLAN_FIXED   20
#define PLAN_DETECT  105
#define PLAN_PER_BIT 10
/* The claim may be this much too small before a plan counts as hopeless. */
#define CLAIM_ERROR 1.5
/* A difference is clipped this many deviations from the median one. */
#define CLIP	  3.5
#define MIN_PAIRS 2
/* Code layouts of both ends that may be tried. */
#define MAX_LAYOUTS 5
/* Times the pairs of one layout before another is tried. */
#define LAYOUT_PATIENCE 2

/* The boots of one side, in order, by box and layout. */
struct side {
	double *y;
	int nr;
};

static void collect(const struct bisect *b, int commit, int box, int layout,
		    bool fresh, struct side *out)
{
	size_t i;

	out->nr = 0;
	for (i = 0; i < b->nr_obs; i++) {
		const struct bisect_obs *o = &b->obs[i];

		if (o->commit == commit && o->box == box &&
		    o->layout == layout && (o->fresh || !fresh))
			out->y[out->nr++] = o->y;
	}
}

/* All differences bad − good in one layout into @d; returns how many. */
static int differences(const struct bisect *b, const struct bisect_contrast *c,
		       int layout, double *d)
{
	struct side x = { xcalloc(b->nr_obs + 1, sizeof(double)), 0 };
	struct side y = { xcalloc(b->nr_obs + 1, sizeof(double)), 0 };
	int nr = 0;
	size_t box;
	int i;

	for (box = 0; box < b->start.nr_boxes; box++) {
		collect(b, c->good, (int)box, layout, c->fresh, &x);
		collect(b, c->bad, (int)box, layout, c->fresh, &y);
		for (i = 0; i < x.nr && i < y.nr; i++)
			d[nr++] = y.y[i] - x.y[i];
	}
	free(x.y);
	free(y.y);
	return nr;
}

static int last_layout(const struct bisect *b, int commit)
{
	int last = 0;
	size_t i;

	for (i = 0; i < b->nr_builds; i++)
		if (b->builds[i].commit == commit && b->builds[i].layout > last)
			last = b->builds[i].layout;
	return last;
}

void bisect_contrast(const struct bisect *b, struct bisect_contrast *out)
{
	const struct bisect_calibration *cal = &b->start.calibration;
	double h = stat_boot_var(cal->boot_share, b->runs_per_boot);
	double prior = 2 * h * cal->sd * cal->sd;
	double *d = xcalloc(b->nr_obs + 1, sizeof(*d));
	double ss = cal->dof * prior;
	double dof = cal->dof;
	double weight = 0;
	double sum = 0;
	int layout;
	int last = last_layout(b, out->bad);

	out->pairs = out->layouts = 0;
	out->delta = out->se2 = out->dof = out->llr = 0;
	out->e_value = 1;
	for (layout = 0; layout <= last; layout++) {
		struct stat_pairs p = { .prior_var = prior };
		int nr = differences(b, out, layout, d);
		double var;
		int i;

		if (!nr)
			continue;
		stat_clip(d, (size_t)nr, CLIP * sqrt(2 * h * b->s2));
		for (i = 0; i < nr; i++)
			stat_pairs_add(&p, d[i]);
		ss += fmax(p.sum2 - p.sum * p.sum / nr, 0);
		dof += nr - 1;
		/* of the layout's mean difference, in units of one pair's */
		var = 1.0 / nr + 2 * out->tau2 / prior;
		weight += 1 / var;
		sum += stat_pairs_mean(&p) / var;
		out->pairs += nr;
		out->layouts++;
	}
	free(d);
	if (!out->pairs)
		return;
	out->delta = sum / weight;
	out->se2 = ss / dof / weight;
	out->dof = dof;
	out->e_value =
		stat_evalue(out->delta * out->delta / out->se2, dof,
			    b->start.claim * b->start.claim * weight / prior);
	out->llr = out->effect * (out->delta - 0.5 * out->effect) / out->se2;
}

int bisect_pairs_per_layout(const struct bisect *b)
{
	double tau = b->start.calibration.layout_sd;
	const struct bisect_cost *cost = &b->start.cost;
	double n =
		sqrt(cost->build / (cost->boot + b->runs_per_boot * cost->run) *
		     b->s2 / (tau * tau));

	return (int)fmin(fmax(1.7 * n + 0.5, 2), 64);
}

double bisect_detect_plan(const struct bisect *b, double delta)
{
	double d2 = delta * delta / b->s2;

	return PLAN_FIXED +
	       (PLAN_DETECT + PLAN_PER_BIT * log2(b->nr)) / fmax(d2, 1e-12);
}

/* The largest effect that the pairs so far leave open, between 0 and claim. */
static double hopeful(const struct bisect *b, const struct bisect_contrast *c)
{
	double limit = fabs(b->start.claim) * CLAIM_ERROR;

	if (c->pairs < MIN_PAIRS)
		return limit;
	return fmin(limit, fabs(c->delta) + 2 * sqrt(c->se2));
}

/* The effect is there: is there budget for its commit, too? */
static void found(struct bisect *b, const struct bisect_contrast *c)
{
	if (bisect_detect_plan(b, c->delta) > (double)b->start.budget_runs)
		bisect_end(b, BISECT_RANGE_ONLY,
			   "the effect is there, but finding its commit would "
			   "take more runs than the budget has");
	else
		b->phase = BISECT_SEARCH;
}

/*
 * Base and head look alike. One pair of builds can hide an effect behind its
 * code layout, so look at others before giving up.
 */
static bool is_futile(const struct bisect *b, const struct bisect_contrast *c)
{
	double tau = b->start.calibration.layout_sd;
	struct bisect_contrast k = *c;

	if (c->pairs < MIN_PAIRS || c->llr > BISECT_LLR_FUTILE)
		return false;
	if (tau <= 0 || c->layouts >= MAX_LAYOUTS)
		return true;
	k.tau2 = tau * tau;
	bisect_contrast(b, &k);
	return k.llr <= BISECT_LLR_FUTILE;
}

/*
 * The layout for the next pairs: another one when the present one looks alike,
 * or has been measured for long without an answer.
 */
static int next_layout(const struct bisect *b, const struct bisect_contrast *c)
{
	int layout = c->layouts ? c->layouts - 1 : 0;

	if (b->start.calibration.layout_sd <= 0)
		return 0;
	if (c->llr <= BISECT_LLR_FUTILE ||
	    c->pairs >=
		    (layout + 1) * LAYOUT_PATIENCE * bisect_pairs_per_layout(b))
		layout++;
	return layout < MAX_LAYOUTS ? layout : MAX_LAYOUTS - 1;
}

void bisect_detect(struct bisect *b)
{
	int head = b->nr - 1;
	int nr = bisect_ask_parallel(b) / 2;
	struct bisect_contrast c = { .bad = head,
				     .effect = b->start.claim / 2 };
	int layout;

	bisect_contrast(b, &c);
	b->e_value = c.e_value;
	layout = next_layout(b, &c);
	if (c.e_value >= BISECT_E_ENOUGH && c.delta * b->start.claim > 0 &&
	    c.pairs >= MIN_PAIRS) {
		found(b, &c);
		return;
	}
	if (is_futile(b, &c)) {
		bisect_end(b, BISECT_NOT_REPRODUCED,
			   "base and head are too alike for even half of the "
			   "claimed effect");
		return;
	}
	if (bisect_detect_plan(b, hopeful(b, &c)) >
		    (double)b->start.budget_runs ||
	    b->runs >= b->start.budget_runs) {
		bisect_end(b, BISECT_RANGE_ONLY,
			   "the effect is so small against the noise that "
			   "finding its commit would take more runs than the "
			   "budget has");
		return;
	}
	bisect_ask_pairs(b, 0, head, layout, nr > 0 ? nr : 1);
}
