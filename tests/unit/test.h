/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every unit test includes: cmocka behind the headers that it needs. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/* cmocka.h needs these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* Run the test functions in the array @tests; main() returns this. */
#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#define assert_contains(text, part)                                       \
	do {                                                              \
		if (!strstr((text), (part)))                              \
			fail_msg("\"%s\" has no \"%s\"", (text), (part)); \
	} while (0)

#endif
