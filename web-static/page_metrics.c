// SPDX-License-Identifier: GPL-3.0-or-later
// All metrics of a comparison, changed or not, in pages of a few hundred rows.
#include "web-static/page_metrics.h"

#include <stdlib.h>

#include "web-static/comparison_table.h"
#include "web-static/html.h"
#include "web-static/layout.h"

static void add_pager(struct str *out, size_t nr, size_t page)
{
	size_t pages = (nr + COMPARISON_PAGE_ROWS - 1) / COMPARISON_PAGE_ROWS;

	if (pages < 2)
		return;
	html_lit(out, "<p>Pages:");
	for (size_t i = 0; i < pages; i++) {
		struct str path = STR_INIT;

		comparison_all_path(&path, i);
		str_addch(out, ' ');
		if (i == page)
			str_addf(out, "<strong>%zu</strong>", i + 1);
		else
			str_addf(out, "<a href=\"%s%sindex.html\">%zu</a>",
				 page ? "../../" : "../", path.p, i + 1);
		str_release(&path);
	}
	html_lit(out, "</p>\n");
}

void page_metrics_html(struct str *out, const struct comparison_data *d,
		       const size_t *all, size_t nr, size_t page)
{
	size_t first = page * COMPARISON_PAGE_ROWS;
	size_t shown = nr - first < COMPARISON_PAGE_ROWS ? nr - first
							 : COMPARISON_PAGE_ROWS;
	struct str title = STR_INIT;
	struct str path = STR_INIT;
	struct layout layout = { .kicker = "All metrics of a comparison" };

	comparison_add_title(&title, d);
	str_add(&path, d->path);
	comparison_all_path(&path, page);
	layout.path = path.p;
	layout.title = title.p;
	layout.has_csv = true;
	layout.as_of_s = comparison_newest_s(d);
	layout_start(out, &layout);
	html_lit(out, "<p>Rows ");
	html_count(out, (long long)first + (nr > 0));
	html_lit(out, " to ");
	html_count(out, (long long)first + (long long)shown);
	html_lit(out, " of ");
	html_count(out, (long long)nr);
	str_addf(out,
		 ", changed or not; <a href=\"%sindex.html\">back to the "
		 "comparison</a>.</p>\n",
		 page ? "../../" : "../");
	add_pager(out, nr, page);
	comparison_add_failures(out, d, all + first, shown, true);
	comparison_add_rows(out, d, all + first, shown, true);
	add_pager(out, nr, page);
	layout_end(out, &layout);
	str_release(&title);
	str_release(&path);
}

int page_metrics_put(struct site *site, const struct comparison_data *d,
		     struct err *err)
{
	size_t *all;
	size_t nr = compare_order(&d->cmp, COMPARE_SHOW_ALL, &all);
	int rc = 0;

	for (size_t page = 0; !rc && page * COMPARISON_PAGE_ROWS < nr; page++) {
		size_t first = page * COMPARISON_PAGE_ROWS;
		size_t shown = nr - first < COMPARISON_PAGE_ROWS
				       ? nr - first
				       : COMPARISON_PAGE_ROWS;
		struct str html = STR_INIT;
		struct str csv = STR_INIT;
		struct str path = STR_INIT;
		json_t *rows = comparison_rows_json(d, all + first, shown);

		page_metrics_html(&html, d, all, nr, page);
		comparison_add_csv(&csv, d, all + first, shown);
		str_add(&path, d->path);
		comparison_all_path(&path, page);
		rc = site_put_page(site, path.p, &html, rows, &csv, err);
		json_decref(rows);
		str_release(&html);
		str_release(&csv);
		str_release(&path);
	}
	free(all);
	return rc;
}
