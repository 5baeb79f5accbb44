// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/sweep.c.
#include "tests/unit/test.h"

#include "analysis/sweep.h"

#include <math.h>

static int from_text(struct sweep *s, const char *text, struct err *err)
{
	json_t *obj = json_parse(text, strlen(text), "samples.json", err);
	int rc;

	assert_non_null(obj);
	rc = sweep_from_json(s, obj, "samples.json", err);
	json_decref(obj);
	return rc;
}

static void a_row_has_diff_confidence_and_sample_deviation(void **state)
{
	const double base[] = { 0.7, -1.6, -0.2, -1.2, -0.1,
				3.4, 3.7,  0.8,	 0.0,  2.0 };
	const double test[] = { 1.9, 0.8, 1.1, 0.1, -0.1,
				4.4, 5.5, 1.6, 4.6, 3.4 };
	const struct sweep_input in = { "node0", 48, base, 10, test, 10, 0, 1 };
	struct sweep s = SWEEP_INIT;
	const struct sweep_row *row;

	(void)state;
	assert_int_equal(sweep_add(&s, &in, NULL), 0);
	row = &s.row[0];
	assert_string_equal(row->affinity, "node0");
	assert_float_equal(row->diff_pct, 100 * 1.58 / 0.75, 1e-9);
	assert_float_equal(row->confidence_pct, 100 * (1 - 0.079394140187358),
			   1e-6);
	assert_float_equal(row->base.std_pct, 100 * 1.789010 / 0.75, 1e-3);
	assert_int_equal(row->base.nid, 0);
	assert_int_equal(row->test.nid, 1);
	sweep_release(&s);
}

static void one_run_a_side_has_no_confidence(void **state)
{
	struct sweep s = SWEEP_INIT;

	(void)state;
	assert_int_equal(from_text(&s,
				   "{\"rows\": [{\"affinity\": \"unbound\","
				   " \"nr_threads\": 4, \"base\": [10],"
				   " \"test\": [11]}]}",
				   NULL),
			 0);
	assert_true(isnan(s.row[0].confidence_pct));
	assert_int_equal(s.row[0].base.nid, SWEEP_NID_UNKNOWN);
	assert_string_equal(s.metric, "score");
	sweep_release(&s);
}

static void bad_samples_name_the_row(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "{}", "\"rows\"" },
		{ "{\"rows\": [{\"nr_threads\": 4}]}", "row 1: \"affinity\"" },
		{ "{\"rows\": [{\"affinity\": \"a\", \"nr_threads\": 4,"
		  " \"base\": [], \"test\": [1]}]}",
		  "row 1: a side has no samples" },
		{ "{\"rows\": [{\"affinity\": \"a\", \"nr_threads\": 4,"
		  " \"base\": [1, \"x\"], \"test\": [1]}]}",
		  "\"base\": sample 2 is not a number" },
		{ "{\"rows\": [{\"affinity\": \"a\", \"nr_threads\": 4,"
		  " \"base\": [1]}]}",
		  "\"test\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sweep s = SWEEP_INIT;
		struct err err = { 0 };

		assert_int_not_equal(from_text(&s, rows[i].text, &err), 0);
		assert_contains(err.text, "samples.json");
		assert_contains(err.text, rows[i].says);
		sweep_release(&s);
	}
}

static int profile_from_text(struct sweep_profile *p, const char *text,
			     struct err *err)
{
	json_t *obj = json_parse(text, strlen(text), "profile.json", err);
	int rc;

	assert_non_null(obj);
	rc = sweep_profile_from_json(p, obj, "profile.json", err);
	json_decref(obj);
	return rc;
}

static void profiles_have_a_share_per_node(void **state)
{
	struct sweep_profile p = SWEEP_PROFILE_INIT;

	(void)state;
	assert_int_equal(
		profile_from_text(
			&p,
			"{\"symbol\": \"f\", \"rows\": ["
			"{\"affinity\": \"unbound\", \"nr_threads\": 8,"
			" \"all_nodes\": [1, 2], \"node0\": [3, 4],"
			" \"node2\": [5, 6]},"
			"{\"affinity\": \"node0\", \"nr_threads\": 4,"
			" \"all_nodes\": [7, 8]}]}",
			NULL),
		0);
	assert_int_equal(p.nr_nodes, 3);
	assert_true(p.row[0].share[3].known && p.row[0].share[3].test == 6);
	assert_false(p.row[0].share[2].known);
	assert_false(p.row[1].share[1].known);
	assert_string_equal(p.unit, "profile%");
	sweep_profile_release(&p);
}

static void bad_profiles_name_the_row(void **state)
{
	static const char *const texts[] = {
		"{\"symbol\": \"f\", \"rows\": [{\"affinity\": \"a\","
		" \"nr_threads\": 4}]}",
		"{\"symbol\": \"f\", \"rows\": [{\"affinity\": \"a\","
		" \"nr_threads\": 4, \"all_nodes\": [1]}]}",
		"{\"symbol\": \"f\", \"rows\": [{\"affinity\": \"a\","
		" \"nr_threads\": 4, \"all_nodes\": [1, \"x\"]}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sweep_profile p = SWEEP_PROFILE_INIT;
		struct err err = { 0 };

		assert_int_equal(profile_from_text(&p, texts[i], &err),
				 ERR_DATA);
		assert_contains(err.text, "profile.json: row 1");
		assert_contains(err.text, "all_nodes");
		sweep_profile_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_row_has_diff_confidence_and_sample_deviation),
		cmocka_unit_test(one_run_a_side_has_no_confidence),
		cmocka_unit_test(bad_samples_name_the_row),
		cmocka_unit_test(profiles_have_a_share_per_node),
		cmocka_unit_test(bad_profiles_name_the_row),
	};

	return RUN_TESTS(tests);
}
