// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of commits: order, ancestors, classes, bad input.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/history.h"
#include "base/mem.h"

/* "id parent parent …" per line of a small graph, up to two parents. */
struct line {
	const char *id;
	const char *parents[2];
};

static struct history *build(const struct line *lines, size_t nr,
			     const char *good, const char *bad, struct err *err)
{
	struct history_commit *list = xcalloc(nr + 1, sizeof(*list));
	struct history *h;
	size_t i;

	for (i = 0; i < nr; i++) {
		list[i].id = lines[i].id;
		list[i].parents = lines[i].parents;
		list[i].nr_parents =
			(size_t)(!!lines[i].parents[0] + !!lines[i].parents[1]);
	}
	h = history_new(list, nr, good, bad, err);
	free(list);
	return h;
}

/*
 * g - a - b - m - z    and s, which left the line before g:
 *      \ t - u /       it is outside, and so is its parent.
 */
static const struct line graph[] = {
	{ "old", { NULL, NULL } },  { "g", { "old", NULL } },
	{ "a", { "g", NULL } },	    { "b", { "a", NULL } },
	{ "t", { "a", NULL } },	    { "u", { "t", NULL } },
	{ "m", { "b", "u" } },	    { "z", { "m", NULL } },
	{ "other", { "g", NULL } },
};

static struct history *graph_history(void)
{
	struct err err = { 0 };
	struct history *h = build(graph, ARRAY_SIZE(graph), "g", "z", &err);

	assert_non_null(h);
	return h;
}

static int at(const struct history *h, const char *id)
{
	int pos = history_find(h, id);

	assert_true(pos >= 0);
	return pos;
}

static void test_range_holds_what_is_between(void **state)
{
	struct history *h = graph_history();

	(void)state;
	assert_int_equal(history_nr(h), 7);
	assert_int_equal(at(h, "g"), 0);
	assert_int_equal(at(h, "z"), 6);
	assert_int_equal(history_find(h, "old"), -1);
	assert_int_equal(history_find(h, "other"), -1);
	assert_false(history_is_chain(h));
	history_free(h);
}

static void test_merge_has_both_sides(void **state)
{
	struct history *h = graph_history();
	static const struct {
		const char *x, *culprit;
		bool has;
	} cases[] = {
		{ "m", "t", true },  { "m", "b", true }, { "b", "t", false },
		{ "u", "b", false }, { "u", "a", true }, { "a", "a", true },
		{ "a", "m", false }, { "z", "u", true }, { "t", "u", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(history_has(h, at(h, cases[i].x),
					     at(h, cases[i].culprit)),
				 cases[i].has);
	assert_int_equal(history_count(h, at(h, "u")), 3);
	assert_int_equal(history_count(h, at(h, "z")), 6);
	history_free(h);
}

static void test_parents_come_first_whatever_the_order(void **state)
{
	static const struct line shuffled[] = {
		{ "z", { "m", NULL } },	 { "u", { "t", NULL } },
		{ "m", { "b", "u" } },	 { "t", { "a", NULL } },
		{ "g", { NULL, NULL } }, { "b", { "a", NULL } },
		{ "a", { "g", NULL } },
	};
	struct err err = { 0 };
	struct history *h =
		build(shuffled, ARRAY_SIZE(shuffled), "g", "z", &err);
	const int *parents;
	int p;
	int i;

	(void)state;
	assert_non_null(h);
	for (p = 1; p < history_nr(h); p++)
		for (i = history_parents(h, p, &parents); i-- > 0;)
			assert_true(parents[i] < p);
	assert_int_equal(history_index(h, at(h, "z")), 0);
	history_free(h);
}

static struct history *chain(int nr)
{
	struct history_commit *list = xcalloc((size_t)nr, sizeof(*list));
	char(*ids)[16] = xcalloc((size_t)nr, sizeof(*ids));
	const char **parents = xcalloc((size_t)nr, sizeof(*parents));
	struct err err = { 0 };
	struct history *h;
	int i;

	for (i = 0; i < nr; i++) {
		(void)snprintf(ids[i], sizeof(ids[i]), "c%d", i);
		parents[i] = i ? ids[i - 1] : NULL;
		list[i] = (struct history_commit){ ids[i], &parents[i],
						   (size_t)(i > 0) };
	}
	h = history_new(list, (size_t)nr, ids[0], ids[nr - 1], &err);
	assert_non_null(h);
	free(list);
	free(ids);
	free(parents);
	return h;
}

static void test_long_chain_needs_no_rows(void **state)
{
	struct history *h = chain(100000);

	(void)state;
	assert_true(history_is_chain(h));
	assert_int_equal(history_nr(h), 100000);
	assert_true(history_has(h, 99999, 1));
	assert_false(history_has(h, 1, 2));
	assert_int_equal(history_count(h, 500), 500);
	history_free(h);
}

static void test_mass_sums_over_ancestors(void **state)
{
	struct history *h = graph_history();
	double weight[7];
	double out[7];
	int i;

	(void)state;
	for (i = 0; i < 7; i++)
		weight[i] = 1;
	weight[at(h, "t")] = 10;
	weight[at(h, "b")] = 0;
	history_mass(h, weight, out);
	assert_float_equal(out[0], 0, 0);
	assert_float_equal(out[at(h, "b")], 1, 1e-12);
	assert_float_equal(out[at(h, "u")], 12, 1e-12);
	assert_float_equal(out[at(h, "z")], 14, 1e-12);
	history_free(h);
}

static void test_split_tells_ancestors_apart(void **state)
{
	struct history *h = graph_history();
	int class_of[7] = { 0 };
	int from[8];
	int nr;

	(void)state;
	nr = history_split(h, at(h, "z"), class_of, 1, from);
	assert_int_equal(nr, 1);
	nr = history_split(h, at(h, "u"), class_of, nr, from);
	assert_int_equal(nr, 2);
	assert_int_equal(from[0], 0);
	assert_int_equal(class_of[at(h, "a")], 1);
	assert_int_equal(class_of[at(h, "u")], 1);
	assert_int_equal(class_of[at(h, "b")], 0);
	nr = history_split(h, at(h, "b"), class_of, nr, from);
	assert_int_equal(nr, 4);
	assert_true(class_of[at(h, "a")] != class_of[at(h, "u")]);
	assert_true(class_of[at(h, "b")] != class_of[at(h, "m")]);
	history_free(h);
}

static void test_distance_counts_edges(void **state)
{
	struct history *h = graph_history();
	int dist[7] = { 99, 99, 99, 99, 99, 99, 99 };

	(void)state;
	history_lower_distance(h, at(h, "t"), 3, dist);
	assert_int_equal(dist[at(h, "t")], 0);
	assert_int_equal(dist[at(h, "a")], 1);
	assert_int_equal(dist[at(h, "u")], 1);
	assert_int_equal(dist[at(h, "b")], 2);
	assert_int_equal(dist[at(h, "m")], 2);
	assert_int_equal(dist[at(h, "z")], 99);
	history_lower_distance(h, at(h, "z"), 3, dist);
	assert_int_equal(dist[at(h, "m")], 1);
	assert_int_equal(dist[at(h, "t")], 0);
	history_free(h);
}

static void test_bad_input_is_refused(void **state)
{
	static const struct line twice[] = { { "g", { NULL, NULL } },
					     { "a", { "g", NULL } },
					     { "a", { "g", NULL } } };
	static const struct line cycle[] = { { "g", { NULL, NULL } },
					     { "a", { "b", NULL } },
					     { "b", { "a", "g" } } };
	static const struct {
		const struct line *lines;
		size_t nr;
		const char *good, *bad;
		int code;
		const char *text;
	} cases[] = {
		{ twice, 3, "g", "a", ERR_DATA, "listed twice" },
		{ cycle, 3, "g", "b", ERR_DATA, "cycle" },
		{ graph, 9, "nope", "z", ERR_NOTFOUND, "good commit nope" },
		{ graph, 9, "g", "nope", ERR_NOTFOUND, "bad commit nope" },
		{ graph, 9, "other", "z", ERR_NOTFOUND, "merge base" },
		{ graph, 9, "g", "g", ERR_NOTFOUND, "ancestor" },
		{ graph, 1, "g", "z", ERR_LIMIT, "2.." },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		assert_null(build(cases[i].lines, cases[i].nr, cases[i].good,
				  cases[i].bad, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_contains(err.text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range_holds_what_is_between),
		cmocka_unit_test(test_merge_has_both_sides),
		cmocka_unit_test(test_parents_come_first_whatever_the_order),
		cmocka_unit_test(test_long_chain_needs_no_rows),
		cmocka_unit_test(test_mass_sums_over_ancestors),
		cmocka_unit_test(test_split_tells_ancestors_apart),
		cmocka_unit_test(test_distance_counts_edges),
		cmocka_unit_test(test_bad_input_is_refused),
	};

	return RUN_TESTS(tests);
}
