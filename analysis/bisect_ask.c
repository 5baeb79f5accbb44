// SPDX-License-Identifier: GPL-3.0-or-later
// How a test is asked for: on which box, in which code layout, with which boots
// of known commits beside it that tell the level of the box.
#include <math.h>

#include "analysis/bisect_private.h"
#include "base/rand.h"

/* A commit whose side is this sure serves as an anchor, … */
#define ANCHOR 0.02
/* … and a box sees one after a share of the boots that its level lasts. */
#define ANCHOR_SHARE	 0.2
#define ANCHOR_EVERY_MIN 3
#define ANCHOR_EVERY_MAX 12
#define NEVER		 1000000
/* Share of δ² that the layouts of the builds behind a level may make up. */
#define LAYOUT_ERROR 0.02
#define MAX_LAYOUTS  6

int bisect_ask_parallel(const struct bisect *b)
{
	int n = b->start.parallel;

	if (n <= 0)
		n = 2 * (int)(b->start.nr_boxes < 2 ? b->start.nr_boxes : 2);
	return n < BISECT_MAX_ASK / 2 ? n : BISECT_MAX_ASK / 2;
}

const struct bisect_build *bisect_ask_least_measured(const struct bisect *b,
						     int commit, int *out_next)
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
	bisect_ask_least_measured(b, end, &layout);
	ask(b, end, layout, box);
}

void bisect_ask_add(struct bisect *b, int commit, int layout, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		int box = pick_box(b, commit);

		ask_anchor(b, commit, box);
		ask(b, commit, layout, box);
	}
}

void bisect_ask_pairs(struct bisect *b, int good, int bad, int layout, int nr)
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
