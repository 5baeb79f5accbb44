// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/bisect_merge.c: commits that are the same kernel.
#include "tests/unit/test.h"

#include "analysis/bisect_merge.h"
#include "tests/unit/analysis/bisect_world.h"

/* --- before the start --- */

#define MAX_COMMITS 10

/* A history written as "id parent parent"; an id in capitals can't matter. */
struct graph {
	struct bisect_commit v[MAX_COMMITS];
	const char *parents[MAX_COMMITS][2];
	char text[MAX_COMMITS][16];
	struct bisect_start start;
};

static void graph_read(struct graph *g, const char *const *lines)
{
	size_t i;

	memset(g, 0, sizeof(*g));
	for (i = 0; lines[i]; i++) {
		struct bisect_commit *c = &g->v[i];
		char *save = NULL;
		char *word;

		snprintf(g->text[i], sizeof(g->text[i]), "%s", lines[i]);
		c->commit.id = strtok_r(g->text[i], " ", &save);
		c->commit.parents = g->parents[i];
		while ((word = strtok_r(NULL, " ", &save)))
			g->parents[i][c->commit.nr_parents++] = word;
		c->weight = 1;
		c->cannot_matter = *c->commit.id < 'a';
	}
	g->start.commits = g->v;
	g->start.nr_commits = i;
	g->start.good = g->v[0].commit.id;
	g->start.bad = g->v[i - 1].commit.id;
}

/* What is left, written in the same way. */
static void graph_print(const struct bisect_merged *m, struct str *out)
{
	size_t i, k;

	for (i = 0; i < m->nr; i++) {
		str_addf(out, "%s%s", i ? ", " : "", m->v[i].commit.id);
		for (k = 0; k < m->v[i].commit.nr_parents; k++)
			str_addf(out, " %s", m->v[i].commit.parents[k]);
	}
	str_addf(out, "; bad %s", m->bad);
}

static void idle_commits_become_their_parents(void **state)
{
	static const struct {
		const char *lines[MAX_COMMITS];
		const char *left;
	} rows[] = {
		/* a line: what comes after goes on from what came before */
		{ { "g", "A g", "b A", "C b", "D C", "e D" },
		  "g, b g, e b; bad e" },
		/* head is what it was merged into */
		{ { "g", "a g", "B a", "C B" }, "g, a g; bad a" },
		/* nothing can matter */
		{ { "g", "A g", "B A" }, "g; bad g" },
		/* a merge without effect leaves its branch behind: nobody
		 * descends from a and b any more */
		{ { "g", "a g", "b a", "m g", "M m b", "x M" },
		  "g, a g, b a, m g, x m; bad x" },
		/* both sides of a merge come to one commit */
		{ { "g", "p g", "A p", "B p", "m A B" }, "g, p g, m p; bad m" },
		/* a parent from before the range */
		{ { "g", "A old", "m g A" }, "g, m g old; bad m" },
		/* M is what its first parent is, but without it nothing leads
		 * from good to bad: it stays */
		{ { "g", "a old", "M a g", "x M" },
		  "g, a old, M a g, x M; bad x" },
		/* a commit without parents has nothing to be merged into */
		{ { "g", "R", "m g R" }, "g, R, m g R; bad m" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bisect_merged m;
		struct str text = STR_INIT;
		struct graph g;

		graph_read(&g, rows[i].lines);
		bisect_merge_idle(&g.start, &m);
		graph_print(&m, &text);
		assert_string_equal(text.p, rows[i].left);
		str_release(&text);
		bisect_merged_release(&m);
	}
}

static void the_good_commit_stays(void **state)
{
	const char *lines[] = { "G old", "a G", NULL };
	struct bisect_merged m;
	struct graph g;

	(void)state;
	graph_read(&g, lines);
	bisect_merge_idle(&g.start, &m);
	assert_int_equal(m.nr, 2);
	assert_string_equal(m.v[0].commit.id, "G");
	bisect_merged_release(&m);
}

/* --- while it goes on --- */

static int at(const struct bisect *b, const char *id)
{
	return history_find(bisect_history(b), id);
}

static void measure(struct world *w, struct bisect *b, const char *id)
{
	struct bisect_boot boot = { at(b, id), 0, 0, 2 };
	struct err err = { 0 };
	struct bisect_result r;
	double values[32];

	world_boot(w, bisect_history(b), &boot, values, &r);
	assert_int_equal(bisect_result(b, &r, 1, &err), 0);
}

static struct bisect *begin(struct world *w, const struct world_plan *plan)
{
	struct err err = { 0 };
	struct bisect *b;

	world_init(w, plan, 5);
	b = world_start(w, &err);
	assert_non_null(b);
	measure(w, b, "c0");
	measure(w, b, w->ids[plan->nr]);
	return b;
}

static void merge(struct bisect *b, const char *x, const char *y, int want)
{
	struct err err = { 0 };

	assert_int_equal(bisect_can_merge(b, at(b, x), at(b, y)), want);
	assert_int_equal(bisect_merge(b, at(b, x), at(b, y), &err), want);
}

static void equal_bits_make_the_range_shorter(void **state)
{
	struct world_plan plan = {
		.nr = 64, .delta = -0.1, .sd = 0.01, .culprit = 40
	};
	struct bisect_finding f;
	struct err err = { 0 };
	struct world w;
	struct bisect *b;

	(void)state;
	b = begin(&w, &plan);
	/* the good commit's kernel is that of c32; head's is that of c48 */
	merge(b, "c0", "c32", 1);
	merge(b, "c48", "c64", 1);
	assert_int_equal(history_nr(bisect_history(b)), 17);
	assert_int_equal(at(b, "c32"), -1);
	assert_int_equal(at(b, "c48"), 16);
	/* head's boot is its boot now */
	assert_true(bisect_is_measured(b, 16));
	bisect_finding(b, &f);
	assert_int_equal(f.boots, 2);
	while (bisect_next(b, &(struct bisect_ask){ 0 }))
		assert_int_equal(world_round(&w, b, &err), 0);
	bisect_finding(b, &f);
	assert_int_equal(f.verdict, BISECT_CULPRIT);
	assert_string_equal(history_id(bisect_history(b), f.commits[0]), "c40");
	assert_int_equal(world_score(&w, b), WORLD_OK);
	/* c33..c47 take four more kernels to tell apart */
	assert_true(w.nr_builds <= 2 + 5);
	bisect_free(b);
	world_release(&w);
}

static void merging_says_what_measuring_would(void **state)
{
	struct world_plan plan = {
		.nr = 16, .delta = -0.1, .sd = 0.01, .culprit = 9
	};
	struct err err = { 0 };
	struct world w;
	struct bisect *b, *copy;
	json_t *record;
	int c;

	(void)state;
	b = begin(&w, &plan);
	measure(&w, b, "c5");
	merge(b, "c5", "c8", 1);
	/* none of the merged can be the culprit any more */
	for (c = 6; c <= 8; c++)
		assert_int_equal(at(b, w.ids[c]), -1);
	assert_true(bisect_posterior(b, at(b, "c9")) > 0);
	record = bisect_to_json(b);
	copy = bisect_from_json(record, &err);
	assert_non_null(copy);
	for (c = 0; c < history_nr(bisect_history(b)); c++)
		assert_true(bisect_posterior(b, c) ==
			    bisect_posterior(copy, c));
	json_decref(record);
	bisect_free(copy);
	bisect_free(b);
	world_release(&w);
}

static void what_the_history_does_not_allow_is_left_alone(void **state)
{
	struct world_plan plan = {
		.nr = 16, .delta = -0.1, .sd = 0.01, .culprit = 9
	};
	struct err err = { 0 };
	struct world w;
	struct bisect *b;

	(void)state;
	b = begin(&w, &plan);
	measure(&w, b, "c6");
	merge(b, "c0", "c16", 0); /* then there would be no range */
	merge(b, "c8", "c4", 0);  /* the wrong way round */
	merge(b, "c4", "c4", 0);
	merge(b, "c4", "c8", 0); /* c6 was measured: it isn't those */
	assert_int_equal(bisect_merge(b, -1, 99, &err), 0);
	assert_int_equal(history_nr(bisect_history(b)), 17);
	merge(b, "c6", "c8", 1);
	bisect_free(b);
	world_release(&w);
}

/* c1 - c2 - c3 - c5 (merge of c4) - c6, c4 branched off from c2 */
static void lines_are_not_followed_past_forks(void **state)
{
	struct world_plan plan = {
		.nr = 6, .delta = -0.1, .sd = 0.01, .culprit = 6
	};
	struct err err = { 0 };
	struct world w;
	struct bisect *b;

	(void)state;
	world_init(&w, &plan, 3);
	world_add(&w, 4, 2, -1);
	world_add(&w, 5, 3, 4);
	b = world_start(&w, &err);
	assert_non_null(b);
	measure(&w, b, "c4");
	/* c4 was made from c2: what happens there isn't c1's */
	assert_false(bisect_can_merge(b, at(b, "c1"), at(b, "c3")));
	assert_false(bisect_can_merge(b, at(b, "c4"), at(b, "c3")));
	/* the merge changed nothing against c3: c4 leads nowhere now, and what
	 * was measured of it is forgotten */
	merge(b, "c3", "c5", 1);
	assert_int_equal(at(b, "c4"), -1);
	assert_int_equal(at(b, "c5"), -1);
	assert_int_equal(history_nr(bisect_history(b)), 5);
	bisect_free(b);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_commits_become_their_parents),
		cmocka_unit_test(the_good_commit_stays),
		cmocka_unit_test(equal_bits_make_the_range_shorter),
		cmocka_unit_test(merging_says_what_measuring_would),
		cmocka_unit_test(what_the_history_does_not_allow_is_left_alone),
		cmocka_unit_test(lines_are_not_followed_past_forks),
	};

	return RUN_TESTS(tests);
}
