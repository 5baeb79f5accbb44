// SPDX-License-Identifier: GPL-3.0-or-later
// The line protocol, and a record that replays to the same state.
#include "tests/unit/test.h"

#include "tests/unit/analysis/bisect_world.h"

static const struct world_plan plan = {
	.nr = 64, .delta = -0.04, .sd = 0.02, .broken = 0.1
};

static char *answer(const struct bisect *b)
{
	struct str s = STR_INIT;
	json_t *json = bisect_answer_json(b);

	json_add_text(&s, json);
	json_decref(json);
	return str_detach(&s);
}

static void test_replay_gives_the_same_question(void **state)
{
	struct err err = { 0 };
	struct world w;
	struct bisect *b;
	struct bisect_ask ask;
	int round = 0;

	(void)state;
	world_init(&w, &plan, 21);
	b = world_start(&w, &err);
	while (bisect_next(b, &ask)) {
		assert_int_equal(world_round(&w, b, &err), 0);
		if (round++ % 9 == 0) {
			json_t *json = bisect_to_json(b);
			struct bisect *copy = bisect_from_json(json, &err);
			char *x = answer(b);
			char *y;

			assert_non_null(copy);
			y = answer(copy);
			assert_string_equal(x, y);
			free(x);
			free(y);
			json_decref(json);
			bisect_free(b);
			b = copy;
		}
	}
	assert_int_equal(world_score(&w, b), WORLD_OK);
	bisect_free(b);
	world_release(&w);
}

static void test_record_keeps_what_was_said_of_the_commits(void **state)
{
	struct world_plan merges = {
		.nr = 300, .delta = -0.04, .sd = 0.02, .merges = true
	};
	struct err err = { 0 };
	struct bisect *copy;
	struct world w;
	struct bisect *b;
	double sum = 0;
	json_t *json;
	int c;

	(void)state;
	world_init(&w, &merges, 22);
	w.commits[7].weight = 3;
	w.commits[9].cannot_matter = true;
	b = world_start(&w, &err);
	json = bisect_to_json(b);
	copy = bisect_from_json(json, &err);
	assert_non_null(copy);
	for (c = 1; c <= 300; c++) {
		const int *x;
		const int *y;
		int nr = history_parents(bisect_history(b), c, &x);

		assert_string_equal(history_id(bisect_history(b), c),
				    history_id(bisect_history(copy), c));
		assert_int_equal(history_parents(bisect_history(copy), c, &y),
				 nr);
		assert_memory_equal(x, y, (size_t)nr * sizeof(*x));
		assert_float_equal(bisect_prior(b, c), bisect_prior(copy, c),
				   0);
		sum += bisect_prior(b, c);
	}
	assert_float_equal(sum, 1, 1e-12);
	c = history_find(bisect_history(copy), "c7");
	assert_float_equal(bisect_prior(copy, c), 3.0 / 301, 1e-12);
	c = history_find(bisect_history(copy), "c9");
	assert_float_equal(bisect_prior(copy, c), 0, 0);
	json_decref(json);
	bisect_free(copy);
	bisect_free(b);
	world_release(&w);
}

static json_t *parse(const char *text)
{
	struct err err = { 0 };
	json_t *json = json_parse(text, strlen(text), "test", &err);

	assert_non_null(json);
	return json;
}

#define COMMITS                                       \
	"\"commits\":[{\"id\":\"a\",\"parents\":[]}," \
	"{\"id\":\"b\",\"parents\":[\"a\"]}]"
#define REST                                                             \
	"\"good\":\"a\",\"bad\":\"b\",\"claim\":-0.1,\"boxes\":[\"x\"]," \
	"\"calibration\":{\"sd\":0.01},"                                 \
	"\"cost\":{\"build\":10,\"boot\":1,\"run\":1},"                  \
	"\"budget_runs\":100}"

static void test_start_is_read_with_defaults(void **state)
{
	struct err err = { 0 };
	json_t *json = parse("{" COMMITS "," REST);
	struct bisect *b = bisect_from_start_json(json, &err);
	char *text;

	(void)state;
	assert_non_null(b);
	text = answer(b);
	assert_contains(text, "\"op\":\"run\"");
	assert_contains(text, "\"phase\":\"detect\"");
	assert_contains(text, "\"box\":\"x\"");
	free(text);
	bisect_free(b);
	json_decref(json);
}

/* Ids that no line can hold are kept as in the message. */
static void test_ids_may_have_blanks(void **state)
{
	static const char text[] =
		"{\"commits\":[{\"id\":\"a a\",\"parents\":[]},"
		"{\"id\":\"b\",\"parents\":[\"a a\"]}],"
		"\"good\":\"a a\",\"bad\":\"b\",\"claim\":-0.1,"
		"\"boxes\":[\"x\"],\"calibration\":{\"sd\":0.01},"
		"\"cost\":{\"build\":10,\"boot\":1,\"run\":1},"
		"\"budget_runs\":100}";
	struct err err = { 0 };
	json_t *json = parse(text);
	struct bisect *b = bisect_from_start_json(json, &err);
	json_t *record = bisect_to_json(b);
	struct bisect *copy = bisect_from_json(record, &err);
	char *x = answer(b);
	char *y = answer(copy);

	(void)state;
	assert_string_equal(x, y);
	assert_contains(x, "a a");
	free(x);
	free(y);
	json_decref(json);
	json_decref(record);
	bisect_free(b);
	bisect_free(copy);
}

static void test_bad_starts_name_the_key(void **state)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "{}", "commits" },
		{ "{\"commits\":[{}]}", "commit 0" },
		{ "{\"commits\":[{\"id\":\"a\",\"parents\":[1]}]}", "parents" },
		{ "{\"commits\":[]," REST, "2.." },
		{ "{\"range\":\"\"," REST, "2.." },
		{ "{\"range\":\"a\\nb 1\"," REST, "line 2" },
		{ "{\"range\":\"a\\nb 2\\n\"," REST, "line 2" },
		{ "{\"range\":\"a\\n\\nb 1\\n\"," REST, "line 2" },
		{ "{\"range\":\"a\\nb  1\\n\"," REST, "line 2" },
		{ "{\"range\":\"a\\nb 1 w-3\\n\"," REST, "line 2" },
		{ "{\"range\":\"a 0\\nb 1\\n\"," REST, "line 1" },
		{ "{\"range\":\"a\\nb 1 idol\\n\"," REST, "line 2" },
		{ "{" COMMITS ",\"good\":\"a\"}", "bad" },
		{ "{" COMMITS ",\"good\":\"a\",\"bad\":\"b\",\"claim\":\"x\"}",
		  "claim" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		json_t *json = parse(cases[i].json);

		assert_null(bisect_from_start_json(json, &err));
		assert_contains(err.text, cases[i].text);
		json_decref(json);
	}
}

static void test_bad_results_name_the_boot(void **state)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "{}", "not an array" },
		{ "[{}]", "boot 0" },
		{ "[{\"commit\":\"q\",\"box\":\"x\",\"values\":[1]}]",
		  "\"q\" is not in the range" },
		{ "[{\"commit\":\"a\",\"box\":\"y\",\"values\":[1]}]",
		  "box \"y\"" },
		{ "[{\"commit\":\"a\",\"box\":\"x\"}]", "values" },
		{ "[{\"commit\":\"a\",\"box\":\"x\",\"values\":[]}]",
		  "0 values" },
		{ "[{\"commit\":\"a\",\"box\":\"x\",\"values\":[\"1\"]}]",
		  "not a number" },
		{ "[{\"commit\":\"a\",\"box\":\"x\",\"status\":\"sad\"}]",
		  "none of ok" },
	};
	struct err err = { 0 };
	json_t *start = parse("{" COMMITS "," REST);
	struct bisect *b = bisect_from_start_json(start, &err);
	size_t i;

	(void)state;
	assert_non_null(b);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *json = parse(cases[i].json);

		err = (struct err){ 0 };
		assert_true(bisect_result_json(b, json, &err) < 0);
		assert_contains(err.text, cases[i].text);
		json_decref(json);
	}
	bisect_free(b);
	json_decref(start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay_gives_the_same_question),
		cmocka_unit_test(
			test_record_keeps_what_was_said_of_the_commits),
		cmocka_unit_test(test_start_is_read_with_defaults),
		cmocka_unit_test(test_ids_may_have_blanks),
		cmocka_unit_test(test_bad_starts_name_the_key),
		cmocka_unit_test(test_bad_results_name_the_boot),
	};

	return RUN_TESTS(tests);
}
