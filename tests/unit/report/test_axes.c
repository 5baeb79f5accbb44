// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/axes.c.
#include "tests/unit/test.h"

#include "report/axes.h"

static int from_text(struct axes *a, const char *text, struct err *err)
{
	json_t *obj = json_parse(text, strlen(text), "axes.json", err);
	int rc;

	assert_non_null(obj);
	rc = axes_from_json(a, obj, "axes.json", err);
	json_decref(obj);
	return rc;
}

static void axes_are_sorted_by_key_and_value_as_one_string(void **state)
{
	struct axes a = AXES_INIT;

	(void)state;
	assert_int_equal(axes_add(&a, "fs", "xfs", NULL), 0);
	assert_int_equal(axes_add(&a, "test", "pipe", NULL), 0);
	assert_int_equal(axes_add(&a, "fs2", "nfs", NULL), 0);
	/* '2' is below '=' */
	assert_string_equal(a.axis[0].key, "fs2");
	assert_string_equal(a.axis[1].key, "fs");
	assert_string_equal(a.axis[2].key, "test");
	assert_string_equal(axes_get(&a, "fs", "?"), "xfs");
	assert_string_equal(axes_get(&a, "none", "?"), "?");
	assert_int_equal(axes_add(&a, "fs", "ext4", NULL), ERR_EXISTS);
	axes_release(&a);
}

static void commits_are_abbreviated_to_ten_digits(void **state)
{
	struct axes a = AXES_INIT;

	(void)state;
	assert_int_equal(axes_add_commit(&a, "0123456789abcdef", "s", 3, NULL),
			 0);
	assert_string_equal(a.commit[0].abbrev, "0123456789");
	assert_string_equal(a.commit[0].id, "0123456789abcdef");
	assert_int_equal(a.commit[0].runs, 3);
	axes_release(&a);
}

static void json_gives_axes_commits_and_runs(void **state)
{
	struct axes a = AXES_INIT;

	(void)state;
	assert_int_equal(
		from_text(&a,
			  "{\"axes\": {\"nr\": 64, \"on\": true, \"t\": \"x\"},"
			  " \"runs\": [4, 6], \"commits\": ["
			  "{\"id\": \"aaaaaaaaaaaaaaaa\", \"subject\": \"s\","
			  " \"abbrev\": \"aaaa\"}, {\"id\": \"bb\"}]}",
			  NULL),
		0);
	assert_string_equal(axes_get(&a, "nr", ""), "64");
	assert_string_equal(axes_get(&a, "on", ""), "true");
	assert_int_equal(a.nr_commits, 2);
	assert_string_equal(a.commit[0].abbrev, "aaaa");
	assert_string_equal(a.commit[1].subject, "");
	assert_int_equal(a.commit[0].runs, 4);
	assert_int_equal(a.commit[1].runs, 6);
	axes_release(&a);
	assert_int_equal(from_text(&a,
				   "{\"axes\": {}, \"runs\": 5,"
				   " \"commits\": [{\"id\": \"a\"}]}",
				   NULL),
			 0);
	assert_int_equal(a.commit[0].runs, 5);
	axes_release(&a);
}

static void bad_files_name_the_place(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "{}", "\"axes\"" },
		{ "{\"axes\": {}}", "\"commits\"" },
		{ "{\"axes\": {\"a\": []}, \"commits\": []}",
		  "axis \"a\" is neither" },
		{ "{\"axes\": {}, \"commits\": [{\"id\": \"a\"}, {}]}",
		  "commit 2: \"id\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct axes a = AXES_INIT;
		struct err err = { 0 };

		assert_int_equal(from_text(&a, rows[i].text, &err), ERR_DATA);
		assert_contains(err.text, "axes.json: ");
		assert_contains(err.text, rows[i].says);
		axes_release(&a);
	}
}

static void there_are_limits(void **state)
{
	struct axes a = AXES_INIT;
	char key[16];

	(void)state;
	for (int i = 0; i < AXES_MAX; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assert_int_equal(axes_add(&a, key, "v", NULL), 0);
	}
	assert_int_equal(axes_add(&a, "more", "v", NULL), ERR_LIMIT);
	for (int i = 0; i < AXES_MAX_COMMITS; i++)
		assert_int_equal(axes_add_commit(&a, "a", "", 0, NULL), 0);
	assert_int_equal(axes_add_commit(&a, "a", "", 0, NULL), ERR_LIMIT);
	axes_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			axes_are_sorted_by_key_and_value_as_one_string),
		cmocka_unit_test(commits_are_abbreviated_to_ten_digits),
		cmocka_unit_test(json_gives_axes_commits_and_runs),
		cmocka_unit_test(bad_files_name_the_place),
		cmocka_unit_test(there_are_limits),
	};

	return RUN_TESTS(tests);
}
