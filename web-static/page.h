/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file per kind of page. Each has a maker, which loads what it shows and
 * puts the files, and pure functions that turn the loaded JSON into HTML. A new
 * page is a new page_x.c and a row in drover_pages.c.
 */
#ifndef WEB_STATIC_PAGE_H
#define WEB_STATIC_PAGE_H

#include "base/json.h"
#include "base/str.h"
#include "web-static/site.h"

/* Make all pages of one kind that changed. What db_step and site_put say. */
int page_index_make(struct site *site, struct err *err);
int page_comparison_make(struct site *site, struct err *err);
int page_bisect_make(struct site *site, struct err *err);
int page_job_make(struct site *site, struct err *err);
int page_box_make(struct site *site, struct err *err);
int page_commit_make(struct site *site, struct err *err);
int page_regression_make(struct site *site, struct err *err);
int page_help_make(struct site *site, struct err *err);
int page_feed_make(struct site *site, struct err *err);

/*
 * Give each row of @rows its page's address as "page": the comparison whose id
 * stands under @key.
 */
void page_add_comparison_paths(const struct site *site, json_t *rows,
			       const char *key);

/*
 * The table of comparisons that several pages have. Rows: "page", "verdict" or
 * "state", "headline", "direction", "change_pct", "path", "tbox_group",
 * "head_sha", "head_subject", "ended_s".
 */
void page_comparison_table(struct str *out, const char *up, const char *caption,
			   const json_t *rows);

/*
 * A table with a row of @fn for each of @rows, or "None." when there is none;
 * @caption and @columns as layout_table takes them.
 */
void page_rows(struct str *out, const char *caption, const char *columns,
	       const json_t *rows,
	       void (*fn)(struct str *out, const json_t *row));

/* The text under @key; "" when there is none. Borrowed. */
const char *page_text(const json_t *row, const char *key);
long long page_int(const json_t *row, const char *key);

/*
 * A probability as a percentage that never claims too much: "> 99.9%",
 * "< 0.1%", "–" for NaN.
 */
void page_percent(struct str *out, double p);

/* The name of a fact whose value the caller adds; then page_fact_end. */
void page_fact_start(struct str *out, const char *name);
void page_fact_end(struct str *out);

/* A fact that links to "@kind/@id/"; nothing for id 0. */
void page_link_fact(struct str *out, const char *up, const char *name,
		    const char *kind, long long id);

/* A fact over the whole width with a commit. */
void page_commit_fact(struct str *out, const char *up, const char *name,
		      const char *sha, const char *subject);

/* A <td> with escaped text; @class NULL for none. */
void page_cell(struct str *out, const char *class, const char *text);

#endif
