// SPDX-License-Identifier: GPL-3.0-or-later
// A regression's page: the verdict, who said what about it, the tags to copy,
// how to answer.
#include "web-static/page_regression.h"

#include <math.h>
#include <string.h>

#include "db/view_bisect.h"
#include "db/view_job.h"
#include "web-static/comparison_headline.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"
#include "web-static/page_comparison.h"
#include "web-static/page_job.h"

#define UP "../../"

static void add_verdict(struct str *out, const json_t *r,
			const struct comparison_data *d)
{
	struct str say = STR_INIT;
	bool better = !strcmp(page_text(d->info, "verdict"), "improvement");

	page_comparison_say(&say, d->info);
	str_addf(out, "<div class=\"verdict %s\">\n<p class=\"say\">",
		 better ? "better" : "worse");
	html_lit(out, layout_num(d->info, "change_pct") > 0 ? "▲ " : "▼ ");
	html_txt(out, say.p);
	html_lit(out, "</p>\n<p>");
	layout_badge(out, page_text(r, "state"));
	html_lit(out, " since ");
	html_time(out, page_int(r, "created_s"));
	html_lit(out, "</p></div>\n");
	str_release(&say);
}

static void add_facts(struct str *out, const json_t *r,
		      const struct comparison_data *d)
{
	const json_t *base = json_object_get(d->info, "base");
	const json_t *head = json_object_get(d->info, "head");
	struct str path = STR_INIT;

	html_lit(out, "<ul class=\"facts\">\n");
	page_commit_fact(out, UP, "Culprit", page_text(r, "culprit_sha"),
			 page_text(r, "culprit_subject"));
	layout_fact(out, "Its author", page_text(r, "culprit_author"));
	page_commit_fact(out, UP, "Base", page_text(base, "sha"),
			 page_text(base, "subject"));
	page_commit_fact(out, UP, "Head", page_text(head, "sha"),
			 page_text(head, "subject"));
	page_fact_start(out, "All numbers");
	str_addf(&path, "%sindex.html", d->path);
	html_link(out, UP, path.p, "the comparison");
	page_fact_end(out);
	page_link_fact(out, UP, "Bisection", "b", page_int(r, "bisect"));
	page_link_fact(out, UP, "Job", "job", page_int(d->info, "job"));
	layout_fact(out, "Test", page_text(d->info, "path"));
	layout_fact(out, "Test box", page_text(d->info, "tbox_group"));
	html_lit(out, "</ul>\n");
	str_release(&path);
}

static void change_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td class=\"nowrap\">");
	html_time(out, page_int(row, "at_s"));
	html_lit(out, "</td>");
	page_cell(out, "nowrap", page_text(row, "from"));
	html_lit(out, "<td>");
	layout_badge(out, page_text(row, "to"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "who"));
	page_cell(out, "text", page_text(row, "why"));
	html_lit(out, "</tr>\n");
}

static void add_history(struct str *out, const json_t *r)
{
	const json_t *rows = json_object_get(r, "changes");

	layout_section(out, "history", "History of its state",
		       (long long)json_array_size(rows));
	page_rows(out, "Who changed it and why", "Time|From|To|Who|Why", rows,
		  change_row);
	layout_section_end(out);
}

static void add_bisect(struct str *out, const json_t *b)
{
	const json_t *cost = json_object_get(b, "cost");

	if (!b)
		return;
	layout_section(out, "bisection", "Bisection", -1);
	html_lit(out, "<p>");
	layout_badge(out, *page_text(b, "verdict") ? page_text(b, "verdict")
						   : page_text(b, "state"));
	html_lit(out, " ");
	html_txt(out, page_text(b, "why"));
	html_lit(out, "</p>\n<p>");
	if (layout_num(b, "posterior") > 0) {
		html_lit(out, "Posterior ");
		page_percent(out, layout_num(b, "posterior"));
		html_lit(out, "; ");
	}
	str_addf(out,
		 "%lld kernels, %lld boots, %lld runs. <a href=\"" UP
		 "b/%lld/index.html\">Every step</a>.</p>\n",
		 page_int(cost, "builds"), page_int(cost, "boots"),
		 page_int(cost, "runs"), page_int(b, "id"));
	layout_section_end(out);
}

/* Lines of the mail that begin with "| ": the tags it asks for. */
static void add_tags(struct str *out, const char *body)
{
	while (*body) {
		size_t len = strcspn(body, "\n");

		if (len > 2 && !strncmp(body, "| ", 2)) {
			html_txtn(out, body + 2, len - 2);
			html_lit(out, "\n");
		}
		body += len + (body[len] == '\n');
	}
}

static void add_mails(struct str *out, const json_t *r)
{
	const json_t *rows = json_object_get(r, "mails");
	size_t i;
	json_t *row;

	layout_section(out, "mails", "Mails", (long long)json_array_size(rows));
	page_rows(out, "What was sent about it",
		  "State|Subject|Message-ID|Sent|Trouble", rows, page_mail_row);
	json_array_foreach(rows, i, row)
	{
		if (!*page_text(row, "body"))
			continue;
		html_lit(out, "<h3>Tags for a fix</h3>\n<pre "
			      "tabindex=\"0\">");
		add_tags(out, page_text(row, "body"));
		html_lit(out, "</pre>\n<h3>To answer in the thread</h3>\n"
			      "<pre tabindex=\"0\">");
		html_txtf(out, "git send-email --in-reply-to='<%s>' fix.patch",
			  page_text(row, "message_id"));
		html_lit(out, "</pre>\n<details><summary>The mail as sent"
			      "</summary>\n<pre tabindex=\"0\">");
		html_txt(out, page_text(row, "body"));
		html_lit(out, "</pre></details>\n");
		break;
	}
	layout_section_end(out);
}

void page_regression_html(struct str *out, const json_t *r,
			  const struct comparison_data *d, const json_t *b)
{
	struct str title = STR_INIT;
	struct str path = STR_INIT;
	struct layout page = { .kicker = "Regression" };

	comparison_add_title(&title, d);
	str_addf(&path, "r/%lld/", page_int(r, "id"));
	page.path = path.p;
	page.title = title.p;
	page.as_of_s = comparison_newest_s(d);
	layout_start(out, &page);
	add_verdict(out, r, d);
	add_facts(out, r, d);
	add_history(out, r);
	if (d->headline)
		comparison_add_headline(out, d);
	add_bisect(out, b);
	add_mails(out, r);
	layout_end(out, &page);
	str_release(&title);
	str_release(&path);
}

static int put_regression(struct site *site, const json_t *row,
			  const char *path, struct err *err)
{
	struct str html = STR_INIT;
	struct comparison_data d;
	json_t *r = view_regression(site->db, page_int(row, "id"), err);
	json_t *b = NULL;
	int rc = comparison_load(site, page_int(row, "comparison"), &d, err);

	if (!r)
		rc = err->code;
	if (!rc && page_int(r, "bisect")) {
		b = view_bisect(site->db, page_int(r, "bisect"), err);
		rc = b ? 0 : err->code;
	}
	if (!rc) {
		page_regression_html(&html, r, &d, b);
		json_object_set(r, "about", d.info);
		json_object_set_new(r, "comparison_page", json_string(d.path));
		rc = site_put_page(site, path, &html, r, NULL, err);
	}
	comparison_data_release(&d);
	json_decref(r);
	json_decref(b);
	str_release(&html);
	return rc;
}

int page_regression_make(struct site *site, struct err *err)
{
	json_t *list = view_regression_list(site->db, err);
	int rc = list ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		struct str path = STR_INIT;

		str_addf(&path, "r/%lld/", page_int(row, "id"));
		if (!rc && site_wants(site, path.p, page_text(row, "stamp")))
			rc = put_regression(site, row, path.p, err);
		str_release(&path);
	}
	json_decref(list);
	return rc;
}
