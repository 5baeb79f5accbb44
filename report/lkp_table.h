/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The comparison table as LKP's reports print it, byte for byte: headers, rows
 * of numbers, rows of failures. With any number of commits, always against the
 * first.
 */
#ifndef REPORT_LKP_TABLE_H
#define REPORT_LKP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare.h"
#include "base/str.h"
#include "report/axes.h"

/* @max_rows: at most so many rows of each kind, 0 for all. */
struct lkp_table {
	const struct axes *axes; /* as many commits as the comparison */
	const struct comparison *comparison;
	enum compare_show show;
	bool ascii;	   /* "+-" for the plus-minus sign */
	bool profile_last; /* perf-profile behind the rest, as mails want it */
	size_t max_rows;
};

/*
 * Append one group: heading, failure rows, number rows, and the blank line that
 * ends it. Without rows to show only the heading is there. Returns the number
 * of rows.
 */
size_t lkp_table_add(const struct lkp_table *in, struct str *out);

/* Parts, for those who need a row of their own (pages, mails). */

/* The value and deviation of one commit, 16 columns: "  64412021 ±  2%". */
void lkp_add_value(struct str *out, const struct compare_side *side,
		   bool ascii);
/* The change against the first commit, 12 columns: "     -9.7% ". */
void lkp_add_change(struct str *out, const struct compare_metric *metric,
		    size_t side);
/* One whole row with its name and newline. */
void lkp_add_row(struct str *out, const struct compare_metric *metric,
		 size_t nr_sides, bool ascii);
/* The two heading lines above number rows (or above failure rows). */
void lkp_add_columns(struct str *out, size_t nr_sides, bool failures);

#endif
