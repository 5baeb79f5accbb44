// SPDX-License-Identifier: GPL-3.0-or-later
// Which boots to ask for: the test that tells most about the culprit for its
// cost, new builds and repeats of old ones alike.
//
// A test of commit X asks one yes/no question, "does X show the change?", of
// known probability, over a noisy channel; its worth is the mutual information
// (Horstein 1963 with the cost of a build put in).
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* A commit at d edges from an untestable one is testable with 1 − .9·e^(−d/8).
 */
#define NEAR_BROKEN  0.9
#define BROKEN_EDGES 8.0
/* Settled this far, another look at a commit isn't worth considering. */
#define SETTLED 0.002
/* Ask for a share of the boots that the plan holds, then think again. */
#define STEP_SHARE 3
/* and no fewer than tell something: this many over d². */
#define STEP_INFO 1.0

/* A possible test. */
struct option {
	int commit, layout;
	int nr; /* boots it would take in all */
	double score;
};

/* Nodes and weights of the integral over the channel's output. */
#define NODES	    33
#define MIDDLE_NODE 16
#define NODE_STEP   0.25

double bisect_choose_bits(double p, double d)
{
	double sum = 0;
	double norm = 0;
	int i;

	if (p <= 0 || p >= 1 || !(d > 0))
		return 0;
	for (i = 0; i < NODES; i++) {
		double z = (i - MIDDLE_NODE) * NODE_STEP;
		double w = exp(-0.5 * z * z);
		/* log density ratio of the other answer to the true one */
		double r0 = d * z - 0.5 * d * d;
		double r1 = -d * z - 0.5 * d * d;

		norm += w;
		sum -= w * ((1 - p) * log(1 - p + p * exp(r0)) +
			    p * log(p + (1 - p) * exp(r1)));
	}
	return fmax(sum / norm / M_LN2, 0);
}

static double boot_cost(const struct bisect *b)
{
	return b->start.cost.boot + b->runs_per_boot * b->start.cost.run;
}

static double boot_var(const struct bisect *b)
{
	double share = b->start.calibration.boot_share;

	return b->s2 * stat_boot_var(share, b->runs_per_boot);
}

/* Distance of the two answers after @nr more boots of a build that has @old. */
static double distance(const struct bisect *b, int old, int nr)
{
	double tau = b->start.calibration.layout_sd;
	double known = old * tau * tau / (boot_var(b) + old * tau * tau);
	double var = boot_var(b) / nr + tau * tau * (1 - known) +
		     b->s2 * b->offset_var;

	return fabs(b->delta) * (1 - known) / sqrt(var);
}

/* Find how many boots make @o worth most for its cost. */
static void weigh_option(const struct bisect *b, double testable, int old,
			 double build_cost, struct option *o)
{
	static const int tries[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };
	double p = b->commits[o->commit].bad;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		double bits = bisect_choose_bits(p, distance(b, old, tries[i]));
		double cost = build_cost + testable * tries[i] * boot_cost(b);
		double score = testable * bits / cost;

		if (score <= o->score)
			break;
		o->score = score;
		o->nr = tries[i];
	}
}

static double testable(const struct bisect *b, int commit)
{
	const struct bisect_state *s = &b->commits[commit];

	if (s->nr_obs)
		return 1;
	return s->untestable
		       ? 0
		       : 1 - NEAR_BROKEN * exp(-b->dist[commit] / BROKEN_EDGES);
}

/* The untried commit that splits the posterior best; -1 when none does. */
static int best_untried(const struct bisect *b, int inside)
{
	double best = 0;
	int found = -1;
	int c;

	for (c = 1; c < b->nr - 1; c++) {
		double p = b->commits[c].bad;
		double score = testable(b, c) * p * (1 - p);

		if (b->commits[c].nr_obs || b->commits[c].untestable)
			continue;
		if (score <= best || (inside >= 0 && b->class_of[c] != inside))
			continue;
		best = score;
		found = c;
	}
	return found;
}

/* Collect all tests that might be worth it; returns how many. */
static int list_options(const struct bisect *b, struct option *out)
{
	double build = b->start.cost.build;
	int untried = best_untried(b, -1);
	int nr = 0;
	int c;

	if (untried >= 0) {
		out[nr] = (struct option){ untried, 0, 0, 0 };
		weigh_option(b, testable(b, untried), 0, build, &out[nr++]);
	}
	for (c = 0; c < b->nr; c++) {
		const struct bisect_build *k;
		int next;

		if (!b->commits[c].nr_obs || b->commits[c].bad < SETTLED ||
		    b->commits[c].bad > 1 - SETTLED)
			continue;
		k = bisect_ask_least_measured(b, c, &next);
		if (!k)
			continue;
		out[nr] = (struct option){ c, k->layout, 0, 0 };
		weigh_option(b, 1, k->nr_obs, 0, &out[nr++]);
		if (b->start.calibration.layout_sd <= 0)
			continue;
		out[nr] = (struct option){ c, next, 0, 0 };
		weigh_option(b, 1, 0, build, &out[nr++]);
	}
	return nr;
}

static int compare_options(const void *a, const void *b)
{
	const struct option *x = a;
	const struct option *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->commit - y->commit;
}

/* The commit whose probability of being bad is nearest to @p. */
static int nearest(const struct bisect *b, double p)
{
	double best = 1;
	int found = -1;
	int c;

	for (c = 1; c < b->nr - 1; c++) {
		double d = fabs(b->commits[c].bad - p);

		if (b->commits[c].nr_obs || b->commits[c].untestable ||
		    d >= best)
			continue;
		best = d;
		found = c;
	}
	return found;
}

/* What to build meanwhile: the midpoints after either answer. */
static void speculate(struct bisect *b, int commit)
{
	double p = b->commits[commit].bad;
	int k;

	b->nr_speculate = 0;
	for (k = 0; k < 2; k++) {
		int c = nearest(b, k ? p / 2 : (1 + p) / 2);

		if (c >= 0 && c != commit &&
		    (!b->nr_speculate || b->speculate[0] != c))
			b->speculate[b->nr_speculate++] = c;
	}
}

/* Ask for the first step of @o. */
static void begin(struct bisect *b, const struct option *o, int parallel)
{
	double d = distance(b, 0, 1);
	int least = d > 0 ? (int)fmin(ceil(STEP_INFO / (d * d)), 32) : 1;
	int nr = (o->nr + STEP_SHARE - 1) / STEP_SHARE;

	if (nr < least)
		nr = least;
	if (nr < parallel && b->start.parallel > 0)
		nr = o->nr < parallel ? o->nr : parallel;
	bisect_ask_add(b, o->commit, o->layout, nr);
}

bool bisect_choose(struct bisect *b)
{
	struct option *options =
		xcalloc((size_t)b->nr * 2 + 1, sizeof(*options));
	int nr = list_options(b, options);
	int parallel = bisect_ask_parallel(b);
	int i;

	qsort(options, (size_t)nr, sizeof(*options), compare_options);
	for (i = 0; i < nr && options[i].score > 0; i++) {
		if (i && (b->start.parallel <= 0 || (int)b->nr_ask >= parallel))
			break;
		begin(b, &options[i], parallel - (int)b->nr_ask);
	}
	if (b->nr_ask)
		speculate(b, options[0].commit);
	free(options);
	return b->nr_ask > 0;
}

bool bisect_choose_inside(struct bisect *b, int c)
{
	struct option o = { best_untried(b, c), 0, 1, 0 };

	if (o.commit < 0)
		return false;
	weigh_option(b, testable(b, o.commit), 0, b->start.cost.build, &o);
	begin(b, &o, bisect_ask_parallel(b));
	speculate(b, o.commit);
	return b->nr_ask > 0;
}
