/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that must agree, for the tests of the statistics. */
#ifndef TESTS_UNIT_ANALYSIS_STAT_HELP_H
#define TESTS_UNIT_ANALYSIS_STAT_HELP_H

#include <math.h>
#include <stdbool.h>

/* Both NaN, both the same infinity, or @relative apart at most. */
static inline bool stat_close(double got, double want, double relative)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= relative * fmax(fabs(want), 1e-300) ||
	       fabs(got - want) <= 1e-15;
}

#define assert_close(got, want, relative)                                   \
	do {                                                                \
		if (!stat_close((got), (want), (relative)))                 \
			fail_msg("row %zu: got %.17g, expected %.17g",      \
				 (size_t)i, (double)(got), (double)(want)); \
	} while (0)

#endif
