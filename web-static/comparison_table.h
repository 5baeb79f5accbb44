/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The metrics of a comparison as HTML tables and JSON: the rows of the default
 * view, the pages with all of them, the families. Pure.
 */
#ifndef WEB_STATIC_COMPARISON_TABLE_H
#define WEB_STATIC_COMPARISON_TABLE_H

#include "web-static/comparison_data.h"

/* Rows of one HTML page; keeps it under 400 KB with a strip plot each. */
#define COMPARISON_PAGE_ROWS 400

/*
 * A table with the metrics @row[0..@nr) (indices into the comparison, as
 * compare_order gives them). @groups: a heading row, with the anchor
 * "f-FAMILY", where a family begins. Failure rows are left to
 * comparison_add_failures.
 */
void comparison_add_rows(struct str *out, const struct comparison_data *d,
			 const size_t *row, size_t nr, bool groups);

/*
 * The table of failure rows among them; nothing when there is none. @groups as
 * above, with the anchor "x-FAMILY".
 */
void comparison_add_failures(struct str *out, const struct comparison_data *d,
			     const size_t *row, size_t nr, bool groups);

/*
 * Families with how many of their metrics were tested and shown, each linked
 * to its place among all metrics ("all/…#f-FAMILY", or "#x-FAMILY" for
 * failures). @all: every metric in the order of COMPARE_SHOW_ALL.
 */
void comparison_add_families(struct str *out, const struct comparison_data *d,
			     const size_t *all, size_t nr);

/*
 * The same rows for programs: compare_json.h's row and "lo", "hi", "p", "q" of
 * comparison_doubt. New reference.
 */
json_t *comparison_rows_json(const struct comparison_data *d, const size_t *row,
			     size_t nr);

/* CSV of the rows, RFC 4180. */
void comparison_add_csv(struct str *out, const struct comparison_data *d,
			const size_t *row, size_t nr);

/* The folder of page @page (0…) of all metrics: "all/", "all/2/", …. */
void comparison_all_path(struct str *out, size_t page);

/* One field of CSV, quoted where needed. A field that a spreadsheet would take
 * for a formula is text to programs and is left as it is. */
void comparison_csv_field(struct str *out, const char *text);

#endif
