// SPDX-License-Identifier: GPL-3.0-or-later
// Before anyone is accused: the suspect against its parent in fresh boots, in
// further code layouts where layout matters, until the evidence stands on its
// own.
#include <math.h>

#include "analysis/bisect_private.h"

#define MIN_PAIRS  4
#define MAX_FAILED 3
/* Posterior below which a suspect is let go, and above which it is named. */
#define LET_GO 0.3
#define NAME   0.9999
/* Below this nothing that could be measured would tell more. */
#define NO_DOUBT 1e-6
/* Rounds that may go into doubts, and the posterior to be named after these. */
#define MAX_DOUBTS 100
#define NAME_LATE  0.999
/* The effect at the suspect against the effect over the range. */
#define RATIO_MIN 0.5
#define RATIO_MAX 1.5

static bool can_test(const struct bisect *b, int commit)
{
	return !b->commits[commit].untestable;
}

/* A parent that can be tested, measured ones first; -1 when there is none. */
static int testable_parent(const struct bisect *b, int commit)
{
	const int *parents;
	int nr = history_parents(b->history, commit, &parents);
	int found = -1;
	int i;

	for (i = 0; i < nr; i++) {
		if (!can_test(b, parents[i]))
			continue;
		if (found < 0 || (!b->commits[found].nr_obs &&
				  b->commits[parents[i]].nr_obs))
			found = parents[i];
	}
	return found;
}

/* The measured commit nearest above and below all of class @c. */
static void surround(const struct bisect *b, int c, int *out_good, int *out_bad)
{
	int member = b->classes[c].first;
	int x;

	*out_bad = b->nr - 1;
	*out_good = 0;
	for (x = 1; x < b->nr; x++)
		if (b->commits[x].nr_obs &&
		    history_has(b->history, x, member) &&
		    history_count(b->history, x) <
			    history_count(b->history, *out_bad))
			*out_bad = x;
	for (x = 1; x < b->nr; x++)
		if (b->commits[x].nr_obs &&
		    !history_has(b->history, x, member) &&
		    history_has(b->history, *out_bad, x) &&
		    history_count(b->history, x) >
			    history_count(b->history, *out_good))
			*out_good = x;
}

/* Members of class @c that may be the culprit. */
static int count_members(const struct bisect *b, int c, int *out_only)
{
	int nr = 0;
	int x;

	for (x = 1; x < b->nr; x++) {
		if (b->class_of[x] != c || b->commits[x].weight <= 0)
			continue;
		*out_only = x;
		nr++;
	}
	return nr;
}

bool bisect_verify_is_built(const struct bisect *b, int c)
{
	int only;
	int parent;

	if (count_members(b, c, &only) != 1 || !b->commits[only].nr_obs)
		return false;
	parent = testable_parent(b, only);
	return parent >= 0 && b->commits[parent].nr_obs;
}

bool bisect_verify_start(struct bisect *b, int c)
{
	int only = -1;
	int nr = count_members(b, c, &only);
	struct bisect_verify *v = &b->verify;
	int suspect;

	if (nr > 1 && bisect_choose_inside(b, c))
		return false;
	suspect = nr == 1 ? only : b->classes[c].first;
	if (suspect != v->culprit)
		v->failed_pairs = 0;
	v->culprit = suspect;
	surround(b, c, &v->good, &v->bad);
	if (nr == 1 && can_test(b, only)) {
		int parent = testable_parent(b, only);

		v->bad = only;
		if (parent >= 0)
			v->good = parent;
	}
	b->phase = BISECT_VERIFY;
	return true;
}

/*
 * Ask for the next pairs, in a further layout where layouts matter. Before
 * MIN_PAIRS nothing is concluded, so that up to there each box may have one.
 */
static void ask_pairs(struct bisect *b, const struct bisect_contrast *c)
{
	const struct bisect_verify *v = &b->verify;
	int nr = bisect_ask_parallel(b) / 2;
	int free_boxes = (int)b->start.nr_boxes;
	int layout = 0;

	if (free_boxes > MIN_PAIRS - c->pairs)
		free_boxes = MIN_PAIRS - c->pairs;
	if (nr < free_boxes)
		nr = free_boxes;
	if (b->start.calibration.layout_sd > 0)
		layout = 1 + c->pairs / bisect_pairs_per_layout(b);
	bisect_ask_pairs(b, v->good, v->bad, layout, nr > 0 ? nr : 1);
}

static void name_commits(struct bisect *b, int c)
{
	int x;

	b->nr_named = 0;
	for (x = 1; x < b->nr; x++)
		if (b->class_of[x] == c && b->commits[x].weight > 0)
			b->named[b->nr_named++] = x;
	bisect_end(b, b->nr_named == 1 ? BISECT_CULPRIT : BISECT_SET,
		   b->nr_named == 1
			   ? "verified against its parent in fresh boots"
			   : "nothing testable tells these commits apart; "
			     "verified across them in fresh boots");
}

/* @pairs at which the suspect failed; 0: the posterior changed its mind. */
static void back_to_search(struct bisect *b, int pairs)
{
	b->phase = BISECT_SEARCH;
	if (pairs)
		b->verify.failed_pairs = pairs;
	if (pairs && ++b->verify.failed >= MAX_FAILED)
		bisect_end(b, BISECT_INCONCLUSIVE,
			   "three suspects failed their verification");
}

/* Whether the effect is surely not the one over the range. */
static bool is_off(const struct bisect_contrast *k, double delta)
{
	double ratio = k->delta / delta;
	double error = 3 * sqrt(k->se2) / fabs(delta);

	return ratio + error < RATIO_MIN || ratio - error > RATIO_MAX;
}

/*
 * The build of @commit with the fewest boots, or a further layout where layouts
 * matter and that one was measured enough.
 */
static int spare_layout(const struct bisect *b, int commit)
{
	int next;
	const struct bisect_build *k =
		bisect_ask_least_measured(b, commit, &next);
	bool matter = b->start.calibration.layout_sd > 0;

	if (k && (!matter || k->nr_obs < 2 * bisect_pairs_per_layout(b)))
		return k->layout;
	return matter || !k ? next : k->layout;
}

/* How much is open about a commit: most at an even chance. */
static double doubt(const struct bisect *b, int commit)
{
	return b->commits[commit].bad * (1 - b->commits[commit].bad);
}

/*
 * The fresh boots convince, the posterior doesn't yet: ask for the commit that
 * leaves most open, a measured one or a parent of the suspect. (Whoever else
 * the culprit may be, it is an ancestor of one of the parents, or the suspect
 * doesn't show the change.) False: all is settled.
 */
static bool ask_doubtful(struct bisect *b)
{
	const int *parents;
	int nr = history_parents(b->history, b->verify.culprit, &parents);
	int worst = b->verify.bad;
	int x;

	for (x = 0; x < b->nr; x++)
		if (b->commits[x].nr_obs && doubt(b, x) > doubt(b, worst))
			worst = x;
	for (x = 0; x < nr; x++)
		if (can_test(b, parents[x]) &&
		    doubt(b, parents[x]) > doubt(b, worst))
			worst = parents[x];
	if (doubt(b, worst) < NO_DOUBT)
		return false;
	bisect_ask_add(b, worst, spare_layout(b, worst),
		       bisect_ask_parallel(b) / 2);
	return true;
}

/* The fresh boots convince: name the suspect, or ask for what is in doubt. */
static void conclude(struct bisect *b, int c)
{
	double post = b->classes[c].post;

	if (post < NAME && b->verify.doubts++ < MAX_DOUBTS && ask_doubtful(b))
		return;
	if (post >= NAME_LATE)
		name_commits(b, c);
	else
		bisect_end(b, BISECT_INCONCLUSIVE,
			   "the suspect passed its verification, but other "
			   "boots speak against it");
}

void bisect_verify(struct bisect *b)
{
	struct bisect_verify *v = &b->verify;
	double tau = b->start.calibration.layout_sd;
	int c = b->class_of[v->culprit];
	double post = b->classes[c].post;
	struct bisect_contrast k;
	double ratio;
	int only;

	if (!can_test(b, v->bad) || !can_test(b, v->good) ||
	    (b->verify.culprit != v->bad && count_members(b, c, &only) > 1 &&
	     bisect_choose_inside(b, c))) {
		back_to_search(b, 0);
		b->nr_ask = 0;
		return;
	}
	k = (struct bisect_contrast){ .good = v->good,
				      .bad = v->bad,
				      .fresh = true,
				      .tau2 = tau * tau,
				      .effect = b->delta / 2 };
	bisect_contrast(b, &k);
	b->e_value = k.e_value;
	if (post < LET_GO) {
		back_to_search(b, 0);
		return;
	}
	ratio = k.pairs ? k.delta / b->delta : 1;
	if (k.pairs >= MIN_PAIRS && k.e_value >= BISECT_E_ENOUGH &&
	    ratio >= RATIO_MIN && ratio <= RATIO_MAX) {
		conclude(b, c);
		return;
	}
	/* one that failed before gets as many pairs again */
	if (k.pairs >= MIN_PAIRS && k.pairs >= 2 * v->failed_pairs &&
	    (k.llr <= BISECT_LLR_FUTILE || is_off(&k, b->delta))) {
		back_to_search(b, k.pairs);
		return;
	}
	ask_pairs(b, &k);
}
