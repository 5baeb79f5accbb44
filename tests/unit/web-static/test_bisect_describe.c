// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of web-static/bisect_describe.c: a record made by the engine itself.
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/bisect.h"
#include "base/mem.h"
#include "web-static/bisect_describe.h"

#define NR	9
#define CULPRIT 6
#define BROKEN	4

/* A chain of commits 00… 11… 22…; 3 can't matter, 6 is three times likelier. */
static struct bisect *start_with(long budget_runs)
{
	static char id[NR][41];
	static const char *parent[NR][1];
	static const char *const boxes[] = { "a" };
	struct bisect_commit c[NR] = { 0 };
	struct bisect_start s = {
		.commits = c,
		.nr_commits = NR,
		.good = id[0],
		.bad = id[NR - 1],
		.claim = -0.1,
		.higher_is_better = true,
		.boxes = boxes,
		.nr_boxes = 1,
		.calibration = { 20, 0.01, 0.5, 0, -1 },
		.cost = { 60, 30, 10 },
		.budget_runs = budget_runs,
	};
	struct err err = { 0 };
	struct bisect *b;

	for (size_t i = 0; i < NR; i++) {
		memset(id[i], '0' + (int)i, 40);
		c[i].commit.id = id[i];
		parent[i][0] = i ? id[i - 1] : NULL;
		c[i].commit.parents = parent[i];
		c[i].commit.nr_parents = i > 0;
	}
	c[3].cannot_matter = true;
	c[CULPRIT].weight = 3;
	b = bisect_new(&s, &err);
	if (!b)
		fail_msg("%s", err.text);
	return b;
}

static struct bisect *start(void)
{
	return start_with(500);
}

/* Answer every question of the engine, up to @max rounds. */
static void answer(struct bisect *b, int max)
{
	static const double noise[] = { 0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0 };
	struct bisect_ask ask;
	int n = 0;

	for (int round = 0; round < max && bisect_next(b, &ask); round++) {
		struct bisect_result *r = xcalloc(ask.nr, sizeof(*r));
		double values[64];

		for (size_t i = 0; i < ask.nr; i++) {
			r[i].commit = ask.boots[i].commit;
			r[i].layout = ask.boots[i].layout;
			values[i] = 100 + noise[n++ % 7] -
				    10 * (ask.boots[i].commit >= CULPRIT);
			r[i].values = &values[i];
			r[i].nr_values = 1;
			if (ask.boots[i].commit == BROKEN) {
				r[i].status = BISECT_UNBUILDABLE;
				r[i].nr_values = 0;
			}
		}
		assert_int_equal(bisect_result(b, r, ask.nr, NULL), 0);
		free(r);
	}
}

static json_t *told_of(struct bisect *b)
{
	json_t *engine = bisect_to_json(b);
	json_t *subjects = json_pack(
		"{s:s}", "6666666666666666666666666666666666666666", "six");
	json_t *told = bisect_describe(engine, subjects, NULL);

	json_decref(engine);
	json_decref(subjects);
	assert_non_null(told);
	return told;
}

static double member(const json_t *list, size_t i, const char *key)
{
	return json_opt_num(json_array_get(list, i), key, NAN);
}

static void the_replay_finds_what_the_engine_found(void **state)
{
	struct bisect *b = start();
	struct bisect_finding f;
	json_t *told;
	const json_t *list;
	double sum;

	(void)state;
	answer(b, 1000);
	bisect_finding(b, &f);
	told = told_of(b);
	list = json_object_get(told, "candidates");
	assert_int_equal(json_array_size(list), NR - 1);
	sum = json_opt_num(told, "none", 0);
	for (size_t i = 0; i < NR - 1; i++) {
		assert_true(member(list, i, "posterior") ==
			    bisect_posterior(b, (int)i + 1));
		sum += member(list, i, "posterior");
	}
	assert_true(fabs(sum - 1) < 1e-9);
	assert_string_equal(
		json_opt_str(json_array_get(list, CULPRIT - 1), "subject", ""),
		"six");
	assert_string_equal(
		json_opt_str(json_object_get(told, "finding"), "verdict", ""),
		bisect_verdict_to_str(f.verdict));
	json_decref(told);
	bisect_free(b);
}

/*
 * Expected: no probabilities where nothing was weighed. Buggy: zeros, so that
 * the page called each commit, and none of them, unlikely at once.
 */
static void a_refused_search_has_no_probabilities(void **state)
{
	struct bisect *b = start_with(1);
	json_t *told;
	const json_t *list;

	(void)state;
	answer(b, 1000);
	told = told_of(b);
	list = json_object_get(told, "candidates");
	assert_string_equal(
		json_opt_str(json_object_get(told, "finding"), "verdict", ""),
		"range-only");
	assert_int_equal(json_array_size(list), NR - 1);
	assert_true(json_is_null(json_object_get(told, "none")));
	for (size_t i = 0; i < NR - 1; i++) {
		const json_t *row = json_array_get(list, i);

		assert_true(json_is_null(json_object_get(row, "posterior")));
		assert_true(json_is_null(json_object_get(row, "bad")));
		assert_true(isfinite(member(list, i, "prior")));
	}
	json_decref(told);
	bisect_free(b);
}

static void priors_follow_the_weights(void **state)
{
	struct bisect *b = start();
	json_t *told = told_of(b);
	const json_t *list = json_object_get(told, "candidates");

	(void)state;
	/* 6 plain ones, one of 3, one of nothing */
	assert_true(fabs(member(list, 0, "prior") - 1.0 / 9) < 1e-12);
	assert_true(fabs(member(list, CULPRIT - 1, "prior") - 3.0 / 9) < 1e-12);
	assert_true(member(list, 2, "prior") == 0);
	json_decref(told);
	bisect_free(b);
}

static void each_step_has_the_samples_of_its_round(void **state)
{
	struct bisect *b = start();
	json_t *told;
	const json_t *log;
	size_t samples = 0;
	size_t skipped = 0;
	size_t i;
	json_t *row;

	(void)state;
	answer(b, 1000);
	told = told_of(b);
	log = json_object_get(told, "log");
	assert_int_equal(json_array_size(log), bisect_nr_steps(b));
	json_array_foreach(log, i, row)
	{
		size_t nr = json_array_size(json_object_get(row, "values"));

		assert_int_equal(nr, json_opt_int(row, "runs", -1));
		samples += nr;
		skipped +=
			!strcmp(json_opt_str(row, "status", ""), "unbuildable");
		assert_true(i == 0 || json_opt_int(row, "round", 0) >=
					      member(log, i - 1, "round"));
	}
	assert_true(samples > 0);
	assert_true(skipped <= 1);
	json_decref(told);
	bisect_free(b);
}

static void records_that_make_no_sense_are_refused(void **state)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"5",
		"{\"start\": null, \"rounds\": []}",
		"{\"start\": {\"commits\": []}, \"rounds\": 5}",
		"{\"start\": {\"commits\": [{\"id\": 5}]}, \"rounds\": [[]]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *engine =
			json_parse(rows[i], strlen(rows[i]), "test", NULL);
		struct err err = { 0 };

		assert_non_null(engine);
		assert_null(bisect_describe(engine, NULL, &err));
		assert_int_not_equal(err.code, 0);
		json_decref(engine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_replay_finds_what_the_engine_found),
		cmocka_unit_test(a_refused_search_has_no_probabilities),
		cmocka_unit_test(priors_follow_the_weights),
		cmocka_unit_test(each_step_has_the_samples_of_its_round),
		cmocka_unit_test(records_that_make_no_sense_are_refused),
	};

	return RUN_TESTS(tests);
}
