// SPDX-License-Identifier: GPL-3.0-or-later
// A commit's page: what was measured with it, what it is to blame for.
#include "web-static/page_commit.h"

#include "db/view_job.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define UP "../../"

static void regression_row(struct str *out, const json_t *row)
{
	struct str path = STR_INIT;

	str_addf(&path, "r/%lld/index.html", page_int(row, "id"));
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td><td class=\"n\">");
	layout_change(out, layout_num(row, "change_pct"),
		      page_text(row, "direction"));
	html_lit(out, "</td><td class=\"key\">");
	html_link(out, UP, path.p, page_text(row, "headline"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "path"));
	page_cell(out, "nowrap", page_text(row, "tbox_group"));
	html_lit(out, "</tr>\n");
	str_release(&path);
}

static void artifact_row(struct str *out, const json_t *row)
{
	str_addf(out, "<tr><td class=\"n\">%lld</td><td>",
		 page_int(row, "layout"));
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td>");
	page_cell(out, "hex", page_text(row, "build_id"));
	page_cell(out, "hex", page_text(row, "key"));
	html_lit(out, "<td class=\"n\">");
	if (layout_num(row, "seconds") > 0)
		html_duration(out, layout_num(row, "seconds"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "why"));
	html_lit(out, "</tr>\n");
}

static void add_facts(struct str *out, const json_t *commit)
{
	html_lit(
		out,
		"<ul class=\"facts\">\n<li class=\"wide\"><span class=\"name\">Commit"
		"</span> <span class=\"value\"><code>");
	html_txt(out, page_text(commit, "sha"));
	html_lit(out, "</code></span></li>\n");
	layout_fact(out, "Author", page_text(commit, "author"));
	page_fact_start(out, "Authored");
	html_time(out, page_int(commit, "authored_s"));
	page_fact_end(out);
	page_fact_start(out, "Repository");
	html_outlink(out, page_text(commit, "url"), page_text(commit, "repo"));
	page_fact_end(out);
	html_lit(out, "</ul>\n");
}

void page_commit_html(struct str *out, const json_t *commit)
{
	const json_t *regressions = json_object_get(commit, "regressions");
	const json_t *comparisons = json_object_get(commit, "comparisons");
	const json_t *artifacts = json_object_get(commit, "artifacts");
	struct str path = STR_INIT;
	struct layout page = { .kicker = "Commit" };

	str_add(&path, "commit/");
	site_slug(&path, page_text(commit, "sha"), 64);
	str_addch(&path, '/');
	page.path = path.p;
	page.title = page_text(commit, "subject");
	layout_start(out, &page);
	add_facts(out, commit);
	if (json_array_size(regressions)) {
		layout_section(out, "regressions",
			       "Regressions it is the culprit of",
			       (long long)json_array_size(regressions));
		page_rows(out, "Found by bisection",
			  "State|#Change|Metric|Test|Box", regressions,
			  regression_row);
		layout_section_end(out);
	}
	layout_section(out, "comparisons", "Comparisons",
		       (long long)json_array_size(comparisons));
	page_comparison_table(out, UP, "As base or as head, newest first",
			      comparisons);
	layout_section_end(out);
	if (json_array_size(artifacts)) {
		layout_section(out, "kernels", "Kernels of this tree",
			       (long long)json_array_size(artifacts));
		page_rows(out, "Built once per configuration and layout",
			  "#Layout|State|Build-id|Content key (SHA-256)|#Build "
			  "time|Trouble",
			  artifacts, artifact_row);
		layout_section_end(out);
	}
	layout_end(out, &page);
	str_release(&path);
}

static int put_commit(struct site *site, long long id, struct err *err)
{
	struct str html = STR_INIT;
	struct str path = STR_INIT;
	json_t *commit = view_commit(site->db, id, err);
	int rc = commit ? 0 : err->code;

	if (commit) {
		page_add_comparison_paths(
			site, json_object_get(commit, "comparisons"), "id");
		str_add(&path, "commit/");
		site_slug(&path, page_text(commit, "sha"), 64);
		str_addch(&path, '/');
		page_commit_html(&html, commit);
		rc = site_put_page(site, path.p, &html, commit, NULL, err);
	}
	json_decref(commit);
	str_release(&html);
	str_release(&path);
	return rc;
}

int page_commit_make(struct site *site, struct err *err)
{
	json_t *list = view_commit_list(site->db, err);
	int rc = list ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row) if (!rc) rc =
		put_commit(site, page_int(row, "id"), err);
	json_decref(list);
	return rc;
}
