// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/page.h"

#include <math.h>
#include <string.h>

#include "web-static/html.h"
#include "web-static/layout.h"

const char *page_text(const json_t *row, const char *key)
{
	return json_opt_str(row, key, "");
}

long long page_int(const json_t *row, const char *key)
{
	return json_opt_int(row, key, 0);
}

void page_cell(struct str *out, const char *class, const char *text)
{
	html_lit(out, "<td");
	html_attr(out, "class", class);
	html_lit(out, ">");
	html_txt(out, text);
	html_lit(out, "</td>");
}

void page_rows(struct str *out, const char *caption, const char *columns,
	       const json_t *rows,
	       void (*fn)(struct str *out, const json_t *row))
{
	size_t i;
	json_t *row;

	if (!json_array_size(rows)) {
		html_lit(out, "<p class=\"muted\">None.</p>\n");
		return;
	}
	layout_table(out, caption, columns);
	json_array_foreach(rows, i, row) fn(out, row);
	layout_table_end(out);
}

void page_percent(struct str *out, double p)
{
	struct str words = STR_INIT;

	if (isnan(p)) {
		html_lit(out, "–");
		return;
	}
	str_add_probability(&words, p);
	html_txt(out, words.p);
	str_release(&words);
}

void page_fact_start(struct str *out, const char *name)
{
	html_lit(out, "<li><span class=\"name\">");
	html_txt(out, name);
	html_lit(out, "</span> <span class=\"value\">");
}

void page_fact_end(struct str *out)
{
	html_lit(out, "</span></li>\n");
}

void page_commit_fact(struct str *out, const char *up, const char *name,
		      const char *sha, const char *subject)
{
	if (!*sha)
		return;
	html_lit(out, "<li class=\"wide\"><span class=\"name\">");
	html_txt(out, name);
	html_lit(out, "</span> <span class=\"value\">");
	layout_commit(out, up, sha, subject);
	page_fact_end(out);
}

void page_link_fact(struct str *out, const char *up, const char *name,
		    const char *kind, long long id)
{
	struct str path = STR_INIT;
	struct str text = STR_INIT;

	if (!id)
		return;
	str_addf(&path, "%s/%lld/index.html", kind, id);
	str_addf(&text, "%s %lld", name, id);
	page_fact_start(out, name);
	html_link(out, up, path.p, text.p);
	page_fact_end(out);
	str_release(&path);
	str_release(&text);
}

void page_add_comparison_paths(const struct site *site, json_t *rows,
			       const char *key)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) json_object_set_new(
		row, "page",
		json_string(site_comparison_path(site, page_int(row, key))));
}

static void comparison_row(struct str *out, const char *up, const json_t *row)
{
	const char *verdict = page_text(row, "verdict");
	bool is_change = !strcmp(verdict, "regression") ||
			 !strcmp(verdict, "improvement");
	struct str path = STR_INIT;

	str_addf(&path, "%sindex.html", page_text(row, "page"));
	html_lit(out, "<tr><td>");
	layout_badge(out, *verdict ? verdict : page_text(row, "state"));
	html_lit(out, "</td><td class=\"n\">");
	layout_change(out, layout_num(row, "change_pct"),
		      is_change ? page_text(row, "direction") : NULL);
	html_lit(out, "</td><td class=\"key\">");
	html_link(out, up, path.p,
		  *page_text(row, "headline") ? page_text(row, "headline")
					      : page_text(row, "path"));
	html_lit(out, "</td><td class=\"text\">");
	html_txt(out, page_text(row, "path"));
	html_lit(out, "</td><td class=\"nowrap\">");
	html_txt(out, page_text(row, "tbox_group"));
	html_lit(out, "</td><td class=\"text\">");
	layout_commit(out, up, page_text(row, "head_sha"),
		      page_text(row, "head_subject"));
	html_lit(out, "</td><td class=\"nowrap\">");
	html_time(out, page_int(row, "ended_s"));
	html_lit(out, "</td></tr>\n");
	str_release(&path);
}

void page_comparison_table(struct str *out, const char *up, const char *caption,
			   const json_t *rows)
{
	size_t i;
	json_t *row;

	if (!json_array_size(rows)) {
		html_lit(out, "<p class=\"muted\">None.</p>\n");
		return;
	}
	layout_table(out, caption,
		     "Verdict|#Change|Metric|Test|Box|Head commit|Ended");
	json_array_foreach(rows, i, row) comparison_row(out, up, row);
	layout_table_end(out);
}
