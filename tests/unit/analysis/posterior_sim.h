/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the bisection engine's posterior means what it says: of all the times
 * it gave its likeliest class of commits 70 %, the culprit must be in there in
 * 70 of 100. Recorded after every round of the search, in bins.
 */
#ifndef TESTS_UNIT_ANALYSIS_POSTERIOR_SIM_H
#define TESTS_UNIT_ANALYSIS_POSTERIOR_SIM_H

#include "tests/unit/analysis/bisect_world.h"

/* From .5 to .95 in steps of .05; what is above has the last one. */
#define POSTERIOR_BINS 10

struct posterior_bin {
	double said, was; /* sums of the posterior and of the truth */
	int nr;
};

struct posterior_sim {
	struct posterior_bin bins[POSTERIOR_BINS];
	int ok, wrong, refused;
	long runs;
};

static inline int posterior_bin_of(double p)
{
	int i = (int)floor((p - 0.5) / 0.05 + 1e-9);

	return i < POSTERIOR_BINS ? i : POSTERIOR_BINS - 1;
}

/* Mark the commits that a step measured: they are what tells classes apart. */
static inline void posterior_mark(const struct bisect *b, char *tested)
{
	size_t i;

	for (i = 0; i < bisect_nr_steps(b); i++) {
		const struct bisect_step *s = bisect_step(b, i);

		if (s->status == BISECT_OK)
			tested[world_index(
				history_id(bisect_history(b), s->commit))] = 1;
	}
}

/*
 * The likeliest class of a history in a row: the commits behind one that was
 * measured, up to the next one. *@out_right: the culprit is one of them.
 */
static inline double posterior_leader(const struct world *w,
				      const struct bisect *b, bool *out_right)
{
	char *tested = xcalloc((size_t)w->plan.nr + 1, 1);
	double *post = xcalloc((size_t)w->plan.nr + 1, sizeof(*post));
	double best = 0, sum = 0;
	bool in = false;
	int c;

	posterior_mark(b, tested);
	for (c = 0; c <= w->plan.nr; c++)
		post[world_index(history_id(bisect_history(b), c))] =
			bisect_posterior(b, c);
	for (c = 1; c <= w->plan.nr; c++) {
		sum += post[c];
		in |= c == w->culprit;
		if (!tested[c] && c < w->plan.nr)
			continue;
		if (sum > best) {
			best = sum;
			*out_right = in;
		}
		sum = 0;
		in = false;
	}
	free(tested);
	free(post);
	return best;
}

static inline void posterior_trial(const struct world_plan *plan, uint64_t seed,
				   struct posterior_sim *out)
{
	struct err err = { 0 };
	struct bisect_ask ask;
	enum world_score score;
	struct world w;
	struct bisect *b;

	world_init(&w, plan, seed);
	b = world_start(&w, &err);
	while (b && bisect_next(b, &ask)) {
		enum bisect_phase phase = ask.phase;
		bool right = false;
		double p;

		if (world_round(&w, b, &err))
			break;
		p = posterior_leader(&w, b, &right);
		if (phase != BISECT_SEARCH || p < 0.5)
			continue;
		out->bins[posterior_bin_of(p)].said += p;
		out->bins[posterior_bin_of(p)].was += right;
		out->bins[posterior_bin_of(p)].nr++;
	}
	score = b ? world_score(&w, b) : WORLD_REFUSED;
	out->ok += score == WORLD_OK;
	out->wrong += score == WORLD_WRONG;
	out->refused += score == WORLD_REFUSED;
	out->runs += w.runs;
	bisect_free(b);
	world_release(&w);
}

#endif
