// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/wrap.c.
#include "tests/unit/test.h"

#include "report/wrap.h"

static void words_are_wrapped_by_columns(void **state)
{
	static const struct {
		const char *text, *first, *rest;
		size_t columns;
		const char *want;
	} rows[] = {
		{ "aa bb cc", "", "", 5, "aa bb\ncc\n" },
		{ "aa bb cc", "- ", "  ", 7, "- aa bb\n  cc\n" },
		{ "  aa \n\t bb ", "", "", 10, "aa bb\n" },
		{ "longerthanthat b", "", "", 5, "longerthanthat\nb\n" },
		{ "", "", "", 5, "\n" },
		/* five columns, nine bytes */
		{ "\xc2\xb1\xc2\xb1 \xc2\xb1\xc2\xb1", "", "", 5,
		  "\xc2\xb1\xc2\xb1 \xc2\xb1\xc2\xb1\n" },
		{ "a\033[1mb", "", "", 20, "a?[1mb\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str out = STR_INIT;

		wrap_add(&out, rows[i].text, rows[i].first, rows[i].rest,
			 rows[i].columns);
		assert_string_equal(out.p, rows[i].want);
		str_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_wrapped_by_columns),
	};

	return RUN_TESTS(tests);
}
