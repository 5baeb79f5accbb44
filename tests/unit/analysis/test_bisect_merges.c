// SPDX-License-Identifier: GPL-3.0-or-later
// Bisections through a history that is mostly merges, shaped like git's own:
// topics of a few commits, begun long before they are merged, some of them on
// top of other topics. Nothing is noisy, so every culprit must be found, at the
// cost of halving the range.
#include "tests/unit/test.h"

#include "tests/unit/analysis/bisect_world.h"

#define NR	   1000
#define MAX_ROUNDS 500
/* Every how many commits one is the culprit. */
#define STRIDE 3

/* A topic of up to seven commits from @from on; returns its tip. */
static int add_topic(struct world *w, int *next, int from)
{
	int len = 1 + (int)fmin(world_exp(w, 2), 6);

	for (; len; len--) {
		world_add(w, *next, from, -1);
		from = (*next)++;
	}
	return from;
}

/* Returns the number of merges. */
static int shape_like_git(struct world *w)
{
	int *line = xcalloc(NR + 1, sizeof(*line));
	int merges = 0;
	int topic = 0;
	int next = 1;
	int nr = 1;

	world_add(w, 0, -1, -1);
	while (next < NR - 10) {
		int back = (int)fmin(world_exp(w, 25), nr - 1);
		int from = line[nr - 1 - back];

		if (rand_unit(&w->rand) < 0.2 && topic)
			from = topic;
		topic = add_topic(w, &next, from);
		if (rand_unit(&w->rand) < 0.1) {
			/* the topic takes the main line in */
			world_add(w, next, topic, line[nr - 1]);
			topic = next++;
			merges++;
		}
		world_add(w, next, line[nr - 1], topic);
		line[nr++] = next++;
		merges++;
	}
	for (; next <= NR; next++) {
		world_add(w, next, line[nr - 1], -1);
		line[nr++] = next;
	}
	free(line);
	return merges;
}

/* Builds beyond the two ends, which a comparison has made before. */
static int find_culprit(int culprit)
{
	struct world_plan plan = { .nr = NR,
				   .delta = -0.05,
				   .culprit = culprit };
	struct err err = { 0 };
	struct bisect_ask ask;
	struct world w;
	struct bisect *b;
	int rounds = 0;
	int builds;

	world_init(&w, &plan, 7);
	assert_true(shape_like_git(&w) >= 200);
	memset(w.bad, 0, NR + 1);
	world_mark(&w);
	b = world_start(&w, &err);
	assert_non_null(b);
	while (bisect_next(b, &ask) && rounds++ < MAX_ROUNDS)
		assert_int_equal(world_round(&w, b, &err), 0);
	if (world_score(&w, b) != WORLD_OK)
		fail_msg("c%d was not found", culprit);
	builds = (int)w.nr_builds - 2;
	bisect_free(b);
	world_release(&w);
	return builds;
}

static void test_every_culprit_is_found_by_halving(void **state)
{
	double builds = 0;
	int most = 0;
	int nr = 0;
	int c;

	(void)state;
	for (c = 1; c <= NR; c += STRIDE, nr++) {
		int n = find_culprit(c);

		builds += n;
		if (n > most)
			most = n;
	}
	print_message("# %d culprits: %.2f builds, at most %d; log2 is %.2f\n",
		      nr, builds / nr, most, log2(NR));
	assert_true(nr >= 300);
	assert_true(builds / nr <= log2(NR) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_culprit_is_found_by_halving),
	};

	return RUN_TESTS(tests);
}
