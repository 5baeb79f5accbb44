// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/build_spec.c and runners/build_id.c: what a build is asked
// for, how its artifact is called, and the identity of a kernel.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "runners/build.h"

#define SHA "0123456789abcdef0123456789abcdef01234567"

static json_t *good_spec(void)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s]}", "repo", "/r",
			 "commit", SHA, "tree", SHA, "slot_dir", "/s",
			 "artifact_dir", "/a", "kconfig", "/k");
}

static void a_spec_has_sensible_defaults(void **state)
{
	json_t *json = good_spec();
	struct build_spec s;

	(void)state;
	assert_int_equal(build_spec_parse(json, &s, NULL), 0);
	assert_string_equal(s.cc, "gcc");
	assert_int_equal(s.layout, 0);
	assert_int_equal(s.jobs, 0);
	assert_false(s.ccache);
	assert_true(s.timeout_s > 600);
	assert_int_equal(s.nr_kconfig, 1);
	json_decref(json);
}

static void a_bad_spec_names_the_key(void **state)
{
	static const struct {
		const char *key;
		const char *value; /* JSON */
		int code;
	} cases[] = {
		{ "repo", "\"r\"", ERR_DATA },
		{ "repo", "1", ERR_DATA },
		{ "commit", "\"HEAD\"", ERR_DATA },
		{ "tree", "\"--help\"", ERR_DATA },
		{ "slot_dir", "\"-x\"", ERR_DATA },
		{ "artifact_dir", "\"\"", ERR_DATA },
		{ "kconfig", "[]", ERR_DATA },
		{ "kconfig", "[\"k\"]", ERR_DATA },
		{ "kconfig", "[1]", ERR_DATA },
		{ "kconfig",
		  "[\"/1\",\"/2\",\"/3\",\"/4\",\"/5\",\"/6\",\"/7\",\"/8\","
		  "\"/9\"]",
		  ERR_DATA },
		{ "layout", "9", ERR_RANGE },
		{ "layout", "-1", ERR_RANGE },
		{ "jobs", "5000", ERR_RANGE },
		{ "nice", "40", ERR_RANGE },
		{ "timeout_s", "0", ERR_RANGE },
		{ "timeout_s", "1e300", ERR_RANGE },
		{ "cc", "\"gcc; id\"", ERR_DATA },
		{ "cc", "\"$(id)\"", ERR_DATA },
		{ "cc", "\"-x\"", ERR_DATA },
		{ "ccache", "true", ERR_DATA },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *json = good_spec();
		struct build_spec s;
		struct err err = { 0 };

		json_object_set_new(json, cases[i].key,
				    json_parse(cases[i].value,
					       strlen(cases[i].value), "t",
					       NULL));
		assert_int_equal(build_spec_parse(json, &s, &err),
				 cases[i].code);
		assert_contains(err.text, cases[i].key);
		json_decref(json);
	}
}

static void a_key_depends_on_each_of_its_parts(void **state)
{
	char keys[5][SHA256_HEX_BYTES];
	size_t i;
	size_t j;

	(void)state;
	build_key("t", "k", "c", 0, keys[0]);
	build_key("t2", "k", "c", 0, keys[1]);
	build_key("t", "k2", "c", 0, keys[2]);
	build_key("t", "k", "c2", 0, keys[3]);
	build_key("t", "k", "c", 1, keys[4]);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(keys[i], keys[j]);
	build_key("t", "k", "c", 0, keys[1]);
	assert_string_equal(keys[0], keys[1]);
}

static void every_layout_has_flags_of_its_own(void **state)
{
	int i;

	(void)state;
	assert_string_equal(build_layout_flags(0), "");
	for (i = 1; i <= BUILD_LAYOUT_MAX; i++)
		assert_string_not_equal(build_layout_flags(i),
					build_layout_flags(i - 1));
	assert_null(build_layout_flags(-1));
	assert_null(build_layout_flags(BUILD_LAYOUT_MAX + 1));
}

/* As a 6.1 kernel shows it: another note may come first. */
static const unsigned char notes[] = {
	6,   0, 0, 0, 4,   0,	0,   0, 1, 1, 0,    0,	  'L',	'i', 'n', 'u',
	'x', 0, 0, 0, 9,   9,	9,   9, 4, 0, 0,    0,	  5,	0,   0,	  0,
	3,   0, 0, 0, 'G', 'N', 'U', 0, 0, 1, 0xab, 0xcd, 0xff, 0,   0,	  0,
};

static void a_build_id_is_found_among_other_notes(void **state)
{
	char id[BUILD_ID_HEX_BYTES];

	(void)state;
	assert_int_equal(build_id_of_notes(notes, sizeof(notes), id, NULL), 0);
	assert_string_equal(id, "0001abcdff");
}

static void hostile_notes_are_no_build_id(void **state)
{
	unsigned char bad[sizeof(notes)];
	char id[BUILD_ID_HEX_BYTES] = "untouched";
	size_t i;

	(void)state;
	/* cut anywhere; sizes that point far outside */
	for (i = 0; i < sizeof(notes); i++)
		assert_int_equal(build_id_of_notes(notes, i, id, NULL),
				 ERR_DATA);
	memcpy(bad, notes, sizeof(bad));
	memset(bad, 0xff, 8);
	assert_int_equal(build_id_of_notes(bad, sizeof(bad), id, NULL),
			 ERR_DATA);
	memcpy(bad, notes, sizeof(bad));
	memset(bad + 28, 0xff, 4);
	assert_int_equal(build_id_of_notes(bad, sizeof(bad), id, NULL),
			 ERR_DATA);
	assert_string_equal(id, "untouched");
}

static void what_is_no_elf_file_is_refused(void **state)
{
	char id[BUILD_ID_HEX_BYTES];
	struct err err = { 0 };

	(void)state;
	assert_int_equal(build_id_of_elf("/no/such", id, &err), ERR_NOTFOUND);
	assert_int_equal(build_id_of_elf("/etc/passwd", id, &err), ERR_DATA);
	assert_contains(err.text, "/etc/passwd: not a 64-bit ELF file");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_has_sensible_defaults),
		cmocka_unit_test(a_bad_spec_names_the_key),
		cmocka_unit_test(a_key_depends_on_each_of_its_parts),
		cmocka_unit_test(every_layout_has_flags_of_its_own),
		cmocka_unit_test(a_build_id_is_found_among_other_notes),
		cmocka_unit_test(hostile_notes_are_no_build_id),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
	};

	return RUN_TESTS(tests);
}
