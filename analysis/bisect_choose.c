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
#include "base/rand.h"

/* A commit at d edges from an untestable one is testable with 1 − .9·e^(−d/8).
 */
#define NEAR_BROKEN  0.9
#define BROKEN_EDGES 8.0
/* Settled this far, another look at a commit isn't worth considering. */
#define SETTLED 0.002
/* A commit whose side is this sure serves as an anchor, … */
#define ANCHOR 0.02
/* … and a box sees one after a share of the boots that its level lasts. */
#define ANCHOR_SHARE	 0.2
#define ANCHOR_EVERY_MIN 3
/* Share of δ² that the layouts of the builds behind a level may make up. */
#define LAYOUT_ERROR	 0.02
#define MAX_LAYOUTS	 6
#define ANCHOR_EVERY_MAX 12
#define NEVER		 1000000
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

const struct bisect_build *bisect_choose_least_measured(const struct bisect *b,
							int commit,
							int *out_next)
{
	const struct bisect_build *least = NULL;
	size_t i;

	*out_next = 0;
	for (i = 0; i < b->nr_builds; i++) {
		const struct bisect_build *k = &b->builds[i];

		if (k->commit != commit)
			continue;
		if (k->layout >= *out_next)
			*out_next = k->layout + 1;
		if (k->failed)
			continue;
		if (!least || k->nr_obs < least->nr_obs)
			least = k;
	}
	return least;
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
		k = bisect_choose_least_measured(b, c, &next);
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

int bisect_choose_parallel(const struct bisect *b)
{
	int n = b->start.parallel;

	if (n <= 0)
		n = 2 * (int)(b->start.nr_boxes < 2 ? b->start.nr_boxes : 2);
	return n < BISECT_MAX_ASK / 2 ? n : BISECT_MAX_ASK / 2;
}

/* Boots of @commit on @box (-1: any), measured or asked for now. */
static int boots_on(const struct bisect *b, int commit, int box)
{
	int n = 0;
	size_t i;

	for (i = 0; i < b->nr_obs; i++)
		n += (box < 0 || b->obs[i].box == box) &&
		     (commit < 0 || b->obs[i].commit == commit);
	for (i = 0; i < b->nr_ask; i++)
		n += (box < 0 || b->ask[i].box == box) &&
		     (commit < 0 || b->ask[i].commit == commit);
	return n;
}

/* The box that has seen @commit least; among those, the least used one. */
static int pick_box(const struct bisect *b, int commit)
{
	int best = 0;
	int best_own = 0;
	int best_all = 0;
	int box;

	for (box = 0; box < (int)b->start.nr_boxes; box++) {
		int own = boots_on(b, commit, box);
		int all = boots_on(b, -1, box);

		if (box &&
		    (own > best_own || (own == best_own && all >= best_all)))
			continue;
		best = box;
		best_own = own;
		best_all = all;
	}
	return best;
}

static void ask(struct bisect *b, int commit, int layout, int box)
{
	if (b->nr_ask < BISECT_MAX_ASK)
		b->ask[b->nr_ask++] = (struct bisect_boot){ commit, box, layout,
							    b->runs_per_boot };
}

static bool is_settled(const struct bisect *b, int commit)
{
	return b->commits[commit].bad < ANCHOR ||
	       b->commits[commit].bad > 1 - ANCHOR;
}

/*
 * How many boots @box has run, or will have, since the last one of a commit
 * whose side is known; NEVER on a box whose level nobody knows.
 */
static int since_anchor(const struct bisect *b, int box)
{
	int nr = 0;
	size_t i;

	for (i = b->nr_ask; i-- > 0;) {
		if (b->ask[i].box != box)
			continue;
		if (is_settled(b, b->ask[i].commit))
			return nr;
		nr++;
	}
	for (i = b->nr_obs; i-- > 0;) {
		if (b->obs[i].box != box)
			continue;
		if (is_settled(b, b->obs[i].commit))
			return nr;
		nr++;
	}
	return NEVER;
}

/* The build of one side, good or bad, that has the fewest boots. */
struct anchor {
	const struct bisect_build *least;
	int boots, builds; /* of the side */
};

static void find_anchors(const struct bisect *b, struct anchor out[2])
{
	size_t i;

	out[0] = out[1] = (struct anchor){ NULL, 0, 0 };
	for (i = 0; i < b->nr_builds; i++) {
		const struct bisect_build *k = &b->builds[i];
		struct anchor *a = &out[b->commits[k->commit].bad > 0.5];

		if (!k->nr_obs || k->failed || !is_settled(b, k->commit))
			continue;
		a->boots += k->nr_obs;
		a->builds++;
		if (!a->least || k->nr_obs < a->least->nr_obs)
			a->least = k;
	}
	for (i = 0; i < b->nr_ask; i++)
		if (is_settled(b, b->ask[i].commit))
			out[b->commits[b->ask[i].commit].bad > 0.5].boots++;
}

/*
 * Builds that a level should rest on, so that their code layouts average out
 * against the effect.
 */
static int layouts_wanted(const struct bisect *b)
{
	double tau = b->start.calibration.layout_sd;
	double n = tau * tau / (b->delta * b->delta * LAYOUT_ERROR);

	return (int)fmin(fmax(ceil(n), 1), MAX_LAYOUTS);
}

/*
 * Measure a known level on @box again, the less measured side first, when it
 * is time: a box that sees only the commit in question drifts away from both
 * answers, and a level that was measured less than that commit is the weaker
 * side of the comparison.
 */
static void ask_anchor(struct bisect *b, int commit, int box)
{
	double every = fmin(fmax(ANCHOR_SHARE / b->drift, ANCHOR_EVERY_MIN),
			    ANCHOR_EVERY_MAX);
	struct anchor side[2];
	const struct anchor *a;
	int layout;
	int end;

	if (is_settled(b, commit))
		return;
	find_anchors(b, side);
	a = &side[side[1].boots < side[0].boots];
	if (!a->least)
		a = &side[a == side];
	if (!a->least || (since_anchor(b, box) < every &&
			  a->boots > boots_on(b, commit, -1)))
		return;
	if (a->builds >= layouts_wanted(b)) {
		ask(b, a->least->commit, a->least->layout, box);
		return;
	}
	end = a == side ? 0 : b->nr - 1;
	bisect_choose_least_measured(b, end, &layout);
	ask(b, end, layout, box);
}

void bisect_choose_add(struct bisect *b, int commit, int layout, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		int box = pick_box(b, commit);

		ask_anchor(b, commit, box);
		ask(b, commit, layout, box);
	}
}

void bisect_choose_pairs(struct bisect *b, int good, int bad, int layout,
			 int nr)
{
	struct rand r;
	int i;

	rand_seed(&r, b->nr_obs);
	for (i = 0; i < nr; i++) {
		bool swap = rand_below(&r, 2);
		int box = pick_box(b, bad);

		ask(b, swap ? bad : good, layout, box);
		ask(b, swap ? good : bad, layout, box);
	}
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
	bisect_choose_add(b, o->commit, o->layout, nr);
}

bool bisect_choose(struct bisect *b)
{
	struct option *options =
		xcalloc((size_t)b->nr * 2 + 1, sizeof(*options));
	int nr = list_options(b, options);
	int parallel = bisect_choose_parallel(b);
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
	begin(b, &o, bisect_choose_parallel(b));
	speculate(b, o.commit);
	return b->nr_ask > 0;
}
