// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of base/str.c.
#include "tests/unit/test.h"

#include "base/str.h"

static void additions_past_the_maximum_are_cut(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	s.max_bytes = 5;
	str_add(&s, "abc");
	assert_false(s.cut);
	str_add(&s, "defg");
	assert_true(s.cut);
	assert_string_equal(s.p, "abcde");
	str_add(&s, "x");
	assert_int_equal(s.len, 5);
	str_release(&s);
}

static void numbers_are_taken_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		int ok;
		double value;
	} rows[] = {
		{ "1", 1, 1 },	 { "-2.5e3", 1, -2500 }, { "", 0, 0 },
		{ " 1", 0, 0 },	 { "1 ", 0, 0 },	 { "nan", 0, 0 },
		{ "inf", 0, 0 }, { "0x10", 0, 0 },	 { "1e999", 0, 0 },
		{ "+7", 1, 7 },	 { "-nan", 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double v = -1;

		assert_int_equal(str_to_double(rows[i].text, &v), rows[i].ok);
		if (rows[i].ok)
			assert_true(v == rows[i].value);
	}
}

static void terminal_text_has_no_controls(void **state)
{
	static const char *const rows[][2] = {
		{ "plain", "plain" },
		{ "a\033[31mb", "a?[31mb" },
		{ "bell\a", "bell?" },
		{ "\xc2\x9b"
		  "1m",
		  "?1m" },
		{ "\xff\xfe", "??" },
		{ "\xc2\xb1 2%", "\xc2\xb1 2%" },
		{ "\xed\xa0\x80", "???" },
		/* direction: override, isolate, mark, Arabic letter mark */
		{ "a\u202e b", "a? b" },
		{ "\u2066x\u2069", "?x?" },
		{ "\u200e\u200f\u061c", "???" },
		{ "\u2029\u202f\u200d\u2065", "\u2029\u202f\u200d\u2065" },
		{ "\u05d0", "\u05d0" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		str_add_term(&s, rows[i][0], false);
		assert_string_equal(s.p, rows[i][1]);
		str_release(&s);
	}
}

static void suggestions_are_near_or_absent(void **state)
{
	static const char *const words[] = { "nr_threads", "testtime", "test" };

	(void)state;
	assert_string_equal(str_suggest("nr_thread", words, 3), "nr_threads");
	assert_string_equal(str_suggest("tset", words, 3), "test");
	assert_null(str_suggest("governor", words, 3));
	assert_null(str_suggest("x", words, 3));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(additions_past_the_maximum_are_cut),
		cmocka_unit_test(numbers_are_taken_whole_or_not_at_all),
		cmocka_unit_test(terminal_text_has_no_controls),
		cmocka_unit_test(suggestions_are_near_or_absent),
	};

	return RUN_TESTS(tests);
}
