// SPDX-License-Identifier: GPL-3.0-or-later
// Ancestors and their mass in graphs of many shapes and sizes, held against
// what the list of commits says by itself.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/history.h"
#include "base/mem.h"
#include "base/rand.h"

/* Parents as places in the list, up to three. */

#define MAX_UP 3

struct graph {
	int nr;
	int (*up)[MAX_UP]; /* −1: none */
};

static void graph_init(struct graph *g, int nr)
{
	int i;

	g->nr = nr;
	g->up = xcalloc((size_t)nr, sizeof(*g->up));
	for (i = 0; i < nr; i++)
		g->up[i][0] = g->up[i][1] = g->up[i][2] = -1;
}

/* The list as git gives it, children first, or parents first. */
static struct history *graph_build(const struct graph *g, bool reversed)
{
	size_t nr = (size_t)g->nr;
	struct history_commit *list = xcalloc(nr, sizeof(*list));
	char(*ids)[16] = xcalloc(nr, sizeof(*ids));
	const char *(*parents)[MAX_UP] = xcalloc(nr, sizeof(*parents));
	struct err err = { 0 };
	struct history *h;
	int i;
	int k;

	for (i = 0; i < g->nr; i++)
		(void)snprintf(ids[i], sizeof(ids[i]), "c%d", i);
	for (i = 0; i < g->nr; i++) {
		struct history_commit *c = &list[reversed ? g->nr - 1 - i : i];

		c->id = ids[i];
		c->parents = parents[i];
		for (k = 0; k < MAX_UP && g->up[i][k] >= 0; k++)
			parents[i][c->nr_parents++] = ids[g->up[i][k]];
	}
	h = history_new(list, nr, ids[0], ids[g->nr - 1], &err);
	if (!h)
		fail_msg("%s", err.text);
	free(list);
	free(ids);
	free(parents);
	return h;
}

/* Everything is reached from the last commit, some of it from long ago. */
static void graph_random(struct graph *g, struct rand *r, int near)
{
	int i;
	int k;

	for (i = 1; i < g->nr; i++) {
		int nr = rand_below(r, 4) ? 1 : 1 + (int)rand_below(r, MAX_UP);

		for (k = 0; k < nr; k++) {
			int back = 1 + (int)rand_below(r, (uint64_t)near);

			if (!rand_below(r, 10))
				back = 1 + (int)rand_below(r, (uint64_t)i);
			g->up[i][k] = i > back ? i - back : 0;
		}
	}
}

static int place(const struct history *h, int i)
{
	char id[16];

	(void)snprintf(id, sizeof(id), "c%d", i);
	return history_find(h, id);
}

/* Ancestors of @x by the list alone. */
static void mark(const struct graph *g, int x, char *has)
{
	int i;
	int k;

	for (i = 0; i < g->nr; i++)
		has[i] = i == x;
	for (i = x; i > 0; i--)
		for (k = 0; has[i] && k < MAX_UP && g->up[i][k] >= 0; k++)
			has[g->up[i][k]] = 1;
}

/* Hold one commit's ancestors, their number and mass against the list. */
static void check_commit(const struct graph *g, const struct history *h, int x,
			 const double *weight, const double *mass)
{
	char *has = xcalloc((size_t)g->nr, 1);
	int pos = place(h, x);
	double sum = 0;
	int nr = 0;
	int i;

	mark(g, x, has);
	for (i = 1; i < g->nr; i++) {
		int c = place(h, i);

		if (c < 0)
			continue; /* nothing leads from it to the bad one */
		if (history_has(h, pos, c) != has[i])
			fail_msg("c%d has c%d: %d", x, i, !has[i]);
		sum += has[i] ? weight[c] : 0;
		nr += has[i];
	}
	assert_int_equal(history_count(h, pos), nr);
	assert_float_equal(mass[pos], sum, 1e-9);
	free(has);
}

static double *some_weights(struct rand *r, int nr, int zeros)
{
	double *weight = xcalloc((size_t)nr, sizeof(*weight));
	int i;

	for (i = 0; i < nr; i++)
		if ((int)rand_below(r, 10) >= zeros)
			weight[i] = rand_unit(r);
	return weight;
}

static void test_random_graphs_agree_with_the_list(void **state)
{
	static const struct {
		int nr, near, zeros;
	} cases[] = { { 2, 1, 0 },    { 40, 3, 0 },    { 63, 10, 5 },
		      { 130, 5, 0 },  { 200, 100, 9 }, { 300, 2, 2 },
		      { 500, 20, 0 }, { 500, 400, 0 }, { 700, 8, 10 } };
	struct rand r;
	size_t i;
	int x;

	(void)state;
	rand_seed(&r, 5);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph g;
		struct history *h;
		double *weight;
		double *mass;

		graph_init(&g, cases[i].nr);
		graph_random(&g, &r, cases[i].near);
		h = graph_build(&g, i % 2);
		weight = some_weights(&r, history_nr(h), cases[i].zeros);
		mass = xcalloc((size_t)history_nr(h), sizeof(*mass));
		assert_true(history_mass(h, weight, mass));
		for (x = 1; x < g.nr; x++)
			if (place(h, x) >= 0)
				check_commit(&g, h, x, weight, mass);
		history_free(h);
		free(weight);
		free(mass);
		free(g.up);
	}
}

static void test_a_kernel_range_is_exact(void **state)
{
	struct graph g;
	struct history *h;
	struct rand r;
	double *weight;
	double *mass;
	int tip = 0;
	int i = 1;
	int k;

	(void)state;
	rand_seed(&r, 6);
	graph_init(&g, 60000);
	while (i < g.nr - 20) {
		/* a branch that began some time ago, and its merge */
		int fork = tip - (int)rand_below(&r, 3000);
		int len = (int)rand_below(&r, 9);

		g.up[i++][0] = fork > 0 ? fork : 0;
		for (k = 0; k < len; k++, i++)
			g.up[i][0] = i - 1;
		g.up[i][0] = tip;
		g.up[i][1] = i - 1;
		tip = i++;
	}
	for (; i < g.nr; i++, tip = i - 1)
		g.up[i][0] = tip;
	h = graph_build(&g, true);
	assert_int_equal(history_nr(h), g.nr);
	weight = some_weights(&r, g.nr, 0);
	mass = xcalloc((size_t)g.nr, sizeof(*mass));
	assert_true(history_mass(h, weight, mass));
	for (i = 0; i < 5; i++)
		check_commit(&g, h, 1 + (int)rand_below(&r, 59999), weight,
			     mass);
	history_free(h);
	free(weight);
	free(mass);
	free(g.up);
}

/*
 * Two strands that fork and merge at every step, and a branch that is open from
 * the first commit to the last: too much for an exact answer.
 */
static void test_beyond_its_means_first_parents_are_exact(void **state)
{
	const int steps = 150000;
	struct history *h;
	struct graph g;
	double *weight;
	double *mass;
	int i;

	(void)state;
	graph_init(&g, 2 * steps + 3);
	for (i = 1; i <= steps; i++) {
		g.up[2 * i - 1][0] = 2 * i - 2;
		g.up[2 * i][0] = 2 * i - 2;
		g.up[2 * i][1] = 2 * i - 1;
	}
	g.up[2 * steps + 1][0] = 0;
	g.up[2 * steps + 2][0] = 2 * steps;
	g.up[2 * steps + 2][1] = 2 * steps + 1;
	h = graph_build(&g, true);
	weight = xcalloc((size_t)g.nr, sizeof(*weight));
	mass = xcalloc((size_t)g.nr, sizeof(*mass));
	for (i = 1; i < g.nr; i++)
		weight[i] = 1;
	assert_true(history_has(h, place(h, 2001), place(h, 1)));
	assert_false(history_mass(h, weight, mass));
	assert_float_equal(mass[place(h, 2 * steps + 2)], g.nr - 1, 1e-6);
	for (i = 1; i <= steps; i += 997)
		assert_float_equal(mass[place(h, 2 * i)], 2 * i, 1e-6);
	assert_float_equal(mass[place(h, 2001)], 2001, 1e-6);
	assert_float_equal(mass[place(h, 2 * steps + 1)], 1, 1e-6);
	/* few weights are no trouble in the same graph */
	for (i = 1000; i < g.nr; i++)
		weight[i] = 0;
	assert_true(history_mass(h, weight, mass));
	history_free(h);
	free(weight);
	free(mass);
	free(g.up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_graphs_agree_with_the_list),
		cmocka_unit_test(test_a_kernel_range_is_exact),
		cmocka_unit_test(test_beyond_its_means_first_parents_are_exact),
	};

	return RUN_TESTS(tests);
}
