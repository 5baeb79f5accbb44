// SPDX-License-Identifier: GPL-3.0-or-later
// The front page: what is open, what runs, which boxes there are, what was
// reported last. And the list of all regressions, r/.
#include "web-static/page_index.h"

#include <string.h>

#include "db/view_index.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define NR_REPORTS     20
#define NR_REGRESSIONS 1000

static bool is_open(const json_t *regression)
{
	const char *state = page_text(regression, "state");

	return !strcmp(state, "open") || !strcmp(state, "confirmed");
}

static void add_tile(struct str *out, const char *anchor, long long nr,
		     const char *what)
{
	html_lit(out, "<li><a class=\"nr\"");
	html_attrf(out, "href", "#%s", anchor);
	html_lit(out, ">");
	html_count(out, nr);
	html_lit(out, "</a><span class=\"what\">");
	html_txt(out, what);
	html_lit(out, "</span></li>\n");
}

static long long count_open(const json_t *regressions)
{
	long long nr = 0;
	size_t i;
	json_t *row;

	json_array_foreach(regressions, i, row) nr += is_open(row);
	return nr;
}

static long long count_state(const json_t *rows, const char *state)
{
	long long nr = 0;
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) nr +=
		!strcmp(page_text(row, "state"), state);
	return nr;
}

static void add_tiles(struct str *out, const json_t *data)
{
	const json_t *queue = json_object_get(data, "queue");
	const json_t *boxes = json_object_get(data, "boxes");

	html_lit(out, "<ul class=\"tiles\">\n");
	add_tile(out, "regressions",
		 count_open(json_object_get(data, "regressions")),
		 "open regressions");
	add_tile(out, "queue", count_state(queue, "running"), "jobs running");
	add_tile(out, "queue", count_state(queue, "queued"), "jobs queued");
	add_tile(out, "boxes", count_state(boxes, "ready"), "boxes ready");
	add_tile(out, "boxes",
		 (long long)json_array_size(boxes) -
			 count_state(boxes, "ready"),
		 "boxes not ready");
	html_lit(out, "</ul>\n");
}

static void regression_row(struct str *out, const char *up, const json_t *row)
{
	struct str path = STR_INIT;

	str_addf(&path, "r/%lld/index.html", page_int(row, "id"));
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td><td class=\"n\">");
	layout_change(out, layout_num(row, "change_pct"),
		      page_text(row, "direction"));
	html_lit(out, "</td><td class=\"key\">");
	html_link(out, up, path.p, page_text(row, "headline"));
	html_lit(out, "</td><td class=\"text\">");
	if (*page_text(row, "culprit_sha")) {
		layout_commit(out, up, page_text(row, "culprit_sha"),
			      page_text(row, "culprit_subject"));
	} else {
		html_lit(out, "<span class=\"muted\">not pinned down; head "
			      "</span>");
		layout_commit(out, up, page_text(row, "head_sha"),
			      page_text(row, "head_subject"));
	}
	html_lit(out, "</td><td class=\"nowrap\">");
	html_txt(out, page_text(row, "tbox_group"));
	html_lit(out, "</td><td class=\"nowrap\">");
	html_time(out, page_int(row, "created_s"));
	html_lit(out, "</td></tr>\n");
	str_release(&path);
}

/* Rows of one state, or all when @state is NULL; returns how many. */
static size_t regression_rows(struct str *out, const char *up,
			      const json_t *rows, const char *state)
{
	size_t nr = 0;
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		if (state && strcmp(page_text(row, "state"), state) != 0)
			continue;
		if (nr++ < NR_REGRESSIONS)
			regression_row(out, up, row);
	}
	return nr;
}

#define REGRESSION_COLUMNS "State|#Change|Metric|Culprit|Box|Since"

static void add_regressions(struct str *out, const json_t *data)
{
	const json_t *rows = json_object_get(data, "regressions");
	long long nr = count_open(rows);

	layout_section(out, "regressions", "Open regressions", nr);
	if (nr) {
		layout_table(out,
			     "Regressions that are open or confirmed, "
			     "confirmed ones first",
			     REGRESSION_COLUMNS);
		regression_rows(out, "", rows, "confirmed");
		regression_rows(out, "", rows, "open");
		layout_table_end(out);
	} else {
		html_lit(out, "<p>None is open.</p>\n");
	}
	html_lit(out, "<p><a href=\"r/index.html\">All ");
	html_count(out, (long long)json_array_size(rows));
	html_lit(out, " regressions</a>, closed ones with the reason.</p>\n");
	layout_section_end(out);
}

static void queue_row(struct str *out, const json_t *row)
{
	struct str path = STR_INIT;
	const json_t *eta = json_object_get(row, "eta_s");

	str_addf(&path, "job/%lld/index.html", page_int(row, "id"));
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td><td class=\"key\">");
	html_link(out, "", path.p, page_text(row, "name"));
	html_lit(out, "</td><td class=\"text\">");
	layout_commit(out, "", page_text(row, "head_sha"),
		      page_text(row, "head_subject"));
	str_addf(out, "</td><td class=\"n\">%lld of %lld</td><td class=\"n\">",
		 page_int(row, "done"), page_int(row, "total"));
	if (json_is_number(eta))
		html_duration(out, json_number_value(eta));
	else
		html_lit(out, "<span class=\"muted\">not known yet</span>");
	str_addf(out, "</td><td class=\"n\">%lld</td></tr>\n",
		 page_int(row, "prio"));
	str_release(&path);
}

static void add_queue(struct str *out, const json_t *data)
{
	const json_t *rows = json_object_get(data, "queue");

	layout_section(out, "queue", "Running and queued",
		       (long long)json_array_size(rows));
	page_rows(out, "Jobs in the order in which they are served",
		  "State|Job|Head commit|#Boots done|#Time left|#Priority",
		  rows, queue_row);
	layout_section_end(out);
}

static void box_row(struct str *out, const json_t *row)
{
	const json_t *hw = json_object_get(row, "hw");
	struct str path = STR_INIT;

	str_add(&path, "box/");
	site_slug(&path, page_text(row, "name"), 80);
	str_add(&path, "/index.html");
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td><td class=\"key\">");
	html_link(out, "", path.p, page_text(row, "name"));
	html_lit(out, "</td><td class=\"text\">");
	html_txt(out, page_text(hw, "model"));
	html_lit(out, "</td><td class=\"n\">");
	if (page_int(hw, "nr_cpus"))
		html_count(out, page_int(hw, "nr_cpus"));
	str_addf(out, "</td><td class=\"n\">%lld</td><td class=\"n\">%lld</td>",
		 page_int(row, "waiting"), page_int(row, "boots"));
	page_cell(out, "text", page_text(row, "why"));
	html_lit(out, "</tr>\n");
	str_release(&path);
}

static void add_boxes(struct str *out, const json_t *data)
{
	const json_t *rows = json_object_get(data, "boxes");

	layout_section(out, "boxes", "Boxes", (long long)json_array_size(rows));
	page_rows(out, "Test boxes of this lab",
		  "State|Box|Processor|#CPUs|#Boots waiting|#Boots done|Why "
		  "not ready",
		  rows, box_row);
	layout_section_end(out);
}

void page_index_html(struct str *out, const json_t *data)
{
	const json_t *reports = json_object_get(data, "reports");
	struct layout page = {
		.path = "",
		.title = "Kernel performance, commit by commit",
		.as_of_s = page_int(data, "generated_at_s"),
	};

	layout_start(out, &page);
	add_tiles(out, data);
	add_regressions(out, data);
	add_queue(out, data);
	add_boxes(out, data);
	layout_section(out, "reports", "Last reports",
		       (long long)json_array_size(reports));
	page_comparison_table(
		out, "", "Comparisons that ended last, newest first", reports);
	layout_section_end(out);
	html_lit(out, "<p class=\"note\">Generated from data up to ");
	html_time(out, page.as_of_s);
	html_lit(out, ". <a href=\"feed.atom\">Atom feed of reports</a>. <a "
		      "href=\"help/index.html\">What the columns mean</a>.</p>"
		      "\n");
	layout_end(out, &page);
}

void page_regressions_html(struct str *out, const json_t *rows)
{
	struct layout page = {
		.path = "r/",
		.title = "Regressions",
	};
	size_t nr = json_array_size(rows);

	layout_start(out, &page);
	html_lit(out, "<p>");
	html_count(out, count_open(rows));
	html_lit(out, " of ");
	html_count(out, (long long)nr);
	html_lit(out, " are open or confirmed. A regression is closed by a "
		      "fix in the watched tree or by a person who says why."
		      "</p>\n");
	if (nr > NR_REGRESSIONS)
		str_addf(out,
			 "<p>Showing the newest %d; all are in the JSON."
			 "</p>\n",
			 NR_REGRESSIONS);
	if (nr) {
		layout_table(out, "All regressions, newest first",
			     REGRESSION_COLUMNS);
		regression_rows(out, "../", rows, NULL);
		layout_table_end(out);
	}
	layout_end(out, &page);
}

static int put_index(struct site *site, const json_t *data, struct err *err)
{
	struct str html = STR_INIT;
	int rc;

	page_index_html(&html, data);
	rc = site_put_page(site, "", &html, data, NULL, err);
	if (!rc) {
		str_reset(&html);
		page_regressions_html(&html,
				      json_object_get(data, "regressions"));
		rc = site_put_page(site, "r/", &html,
				   json_object_get(data, "regressions"), NULL,
				   err);
	}
	str_release(&html);
	return rc;
}

int page_index_make(struct site *site, struct err *err)
{
	json_t *data = json_object();
	int rc = 0;

	json_object_set_new(data, "generated_at_s",
			    json_integer(site->newest_s));
	if (view_put(data, "regressions", view_regressions(site->db, err)) ||
	    view_put(data, "queue", view_queue(site->db, err)) ||
	    view_put(data, "boxes", view_boxes(site->db, err)) ||
	    view_put(data, "reports", view_reports(site->db, NR_REPORTS, err)))
		rc = err->code;
	if (!rc) {
		page_add_comparison_paths(
			site, json_object_get(data, "reports"), "id");
		page_add_comparison_paths(site,
					  json_object_get(data, "regressions"),
					  "comparison");
		rc = put_index(site, data, err);
	}
	json_decref(data);
	return rc;
}
