/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons out of JSON text, for tests. */
#ifndef TESTS_UNIT_ANALYSIS_COMPARE_HELP_H
#define TESTS_UNIT_ANALYSIS_COMPARE_HELP_H

#include "analysis/compare.h"

/* Compare the matrices in @nr texts; fails the test when that fails. */
static inline void compare_texts(struct comparison *c, const char *const *text,
				 size_t nr, const char *testcase)
{
	struct matrix m[COMPARE_MAX_SIDES];
	const struct matrix *side[COMPARE_MAX_SIDES] = { NULL };
	struct err err = { 0 };

	for (size_t i = 0; i < nr; i++) {
		matrix_init(&m[i]);
		if (matrix_parse(&m[i], text[i], strlen(text[i]), "test", &err))
			fail_msg("%s", err.text);
		side[i] = &m[i];
	}
	assert_int_equal(compare_matrices(c, side, nr, NULL, testcase, &err),
			 0);
	for (size_t i = 0; i < nr; i++)
		matrix_release(&m[i]);
}

/* The same for a base and a head. */
static inline void compare_two(struct comparison *c, const char *base,
			       const char *head, const char *testcase)
{
	const char *text[2] = { base, head };

	compare_texts(c, text, 2, testcase);
}

#endif
