// SPDX-License-Identifier: GPL-3.0-or-later
// A job's page: what was asked, how far it is, its comparisons, what happened,
// the kernels it used, and how to run it again.
#include "web-static/page_job.h"

#include <stdlib.h>
#include <string.h>

#include "db/view_job.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define UP "../../"

static void add_facts(struct str *out, const json_t *job)
{
	html_lit(out, "<ul class=\"facts\">\n");
	page_commit_fact(out, UP, "Base", page_text(job, "base_sha"),
			 page_text(job, "base_subject"));
	page_commit_fact(out, UP, "Head", page_text(job, "head_sha"),
			 page_text(job, "head_subject"));
	layout_fact(out, "Merge base, compared instead of the base",
		    page_text(job, "merge_base"));
	page_fact_start(out, "Boots done");
	str_addf(out, "%lld of %lld", page_int(job, "done"),
		 page_int(job, "total"));
	page_fact_end(out);
	page_fact_start(out, "Submitted");
	html_time(out, page_int(job, "created_s"));
	page_fact_end(out);
	page_fact_start(out, "Ended");
	html_time(out, page_int(job, "ended_s"));
	page_fact_end(out);
	layout_fact(out, "Repository", page_text(job, "repo"));
	layout_fact(out, "Branch", page_text(job, "branch"));
	page_fact_start(out, "Priority");
	str_addf(out, "%lld", page_int(job, "prio"));
	page_fact_end(out);
	html_lit(out, "</ul>\n");
}

static void attempt_row(struct str *out, const json_t *row)
{
	long long end = page_int(row, "ended_s");

	str_addf(out, "<tr><td class=\"n\">%lld</td><td class=\"nowrap\">",
		 page_int(row, "id"));
	html_txt(out, page_text(row, "kind"));
	html_lit(out, "</td><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td><td class=\"nowrap\">");
	layout_commit(out, UP, page_text(row, "sha"), NULL);
	html_lit(out, "</td>");
	page_cell(out, "nowrap", page_text(row, "box"));
	html_lit(out, "<td class=\"nowrap\">");
	html_time(out, page_int(row, "started_s"));
	html_lit(out, "</td><td class=\"n\">");
	if (end)
		html_duration(out, (double)(end - page_int(row, "started_s")));
	str_addf(out, "</td><td class=\"n\">%lld</td><td class=\"text\">",
		 page_int(row, "runs"));
	if (*page_text(row, "failure")) {
		html_txt(out, page_text(row, "failure"));
		html_lit(out, ": ");
	}
	html_txt(out, page_text(row, "why"));
	html_lit(out, "</td><td class=\"hex\">");
	html_txt(out, page_text(row, "folder"));
	html_lit(out, "</td></tr>\n");
}

static void event_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td class=\"nowrap\">");
	html_time_s(out, page_int(row, "at_s"));
	html_lit(out, "</td>");
	page_cell(out, "nowrap", page_text(row, "kind"));
	page_cell(out, "text", page_text(row, "text"));
	html_lit(out, "</tr>\n");
}

static void artifact_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td class=\"text\">");
	layout_commit(out, UP, page_text(row, "sha"),
		      page_text(row, "subject"));
	str_addf(out, "</td><td class=\"n\">%lld</td><td>",
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

/* A section with a table of @rows; nothing when there are none. */
static void add_table(struct str *out, const json_t *rows, const char *id,
		      const char *title, const char *columns,
		      void (*row_fn)(struct str *out, const json_t *row))
{
	if (!json_array_size(rows))
		return;
	layout_section(out, id, title, (long long)json_array_size(rows));
	page_rows(out, title, columns, rows, row_fn);
	layout_section_end(out);
}

static void add_comparisons(struct str *out, const json_t *job)
{
	const json_t *rows = json_object_get(job, "comparisons");

	layout_section(out, "comparisons", "Comparisons",
		       (long long)json_array_size(rows));
	page_comparison_table(out, UP,
			      "What the job compares, one row per "
			      "point of its sweep",
			      rows);
	layout_section_end(out);
}

void page_mail_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "subject"));
	page_cell(out, "key", page_text(row, "message_id"));
	html_lit(out, "<td class=\"nowrap\">");
	html_time(out, page_int(row, "sent_s"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "last_error"));
	html_lit(out, "</tr>\n");
}

static void add_reproduce(struct str *out, const json_t *job)
{
	struct str text = STR_INIT;

	layout_section(out, "reproduce", "Reproduce", -1);
	html_lit(out, "<p>On the machine that has the lab, the same pair once "
		      "more:</p>\n<pre tabindex=\"0\">");
	str_addf(&text, "drover submit %s..%s -j %s.yaml",
		 page_text(job, "base_sha"), page_text(job, "head_sha"),
		 page_text(job, "name"));
	html_txt(out, text.p);
	html_lit(out, "</pre>\n<p>Without a lab, a script for one machine:"
		      "</p>\n<pre tabindex=\"0\">");
	html_txtf(out, "drover reproduce %lld > reproduce.sh",
		  page_int(job, "id"));
	html_lit(out, "</pre>\n<details><summary>The job file as submitted"
		      "</summary>\n<pre tabindex=\"0\">");
	html_txt(out, page_text(job, "yaml"));
	html_lit(out, "</pre></details>\n");
	layout_section_end(out);
	str_release(&text);
}

static void add_events(struct str *out, const json_t *job)
{
	const json_t *rows = json_object_get(job, "events");

	html_lit(out, "<div class=\"tall\">\n");
	add_table(out, rows, "events", "What happened", "Time|Kind|Event",
		  event_row);
	html_lit(out, "</div>\n");
	if (page_int(job, "nr_events") > (long long)json_array_size(rows)) {
		html_lit(out, "<p class=\"note\">The last ones of ");
		html_count(out, page_int(job, "nr_events"));
		html_lit(out, "; <code>drover log</code> has all.</p>\n");
	}
}

static long long newest_of(const json_t *job)
{
	const json_t *events = json_object_get(job, "events");
	size_t nr = json_array_size(events);
	long long newest = page_int(job, "ended_s")
				   ? page_int(job, "ended_s")
				   : page_int(job, "created_s");
	long long last =
		nr ? page_int(json_array_get(events, nr - 1), "at_s") : 0;

	return last > newest ? last : newest;
}

void page_job_html(struct str *out, const json_t *job)
{
	struct str title = STR_INIT;
	struct str path = STR_INIT;
	struct layout page = { .as_of_s = newest_of(job) };

	str_addf(&title, "%s", page_text(job, "name"));
	str_addf(&path, "job/%lld/", page_int(job, "id"));
	page.path = path.p;
	page.title = title.p;
	page.kicker = "Job";
	layout_start(out, &page);
	html_lit(out, "<p>");
	layout_badge(out, page_text(job, "state"));
	html_lit(out, " ");
	html_txt(out, page_text(job, "why"));
	html_lit(out, "</p>\n");
	add_facts(out, job);
	add_comparisons(out, job);
	add_events(out, job);
	add_table(out, json_object_get(job, "attempts"), "attempts",
		  "Boots and builds tried, newest first",
		  "#No.|Kind|State|Commit|Box|Started|#Length|#Runs|Trouble|"
		  "Folder with the log",
		  attempt_row);
	add_table(out, json_object_get(job, "artifacts"), "kernels", "Kernels",
		  "Commit|#Layout|State|Build-id|Content key (SHA-256)|#Build "
		  "time|Trouble",
		  artifact_row);
	add_table(out, json_object_get(job, "mails"), "mails", "Mails",
		  "State|Subject|Message-ID|Sent|Trouble", page_mail_row);
	add_reproduce(out, job);
	layout_end(out, &page);
	str_release(&title);
	str_release(&path);
}

static int put_job(struct site *site, long long id, const char *path,
		   struct err *err)
{
	struct str html = STR_INIT;
	json_t *job = view_job(site->db, id, err);
	int rc = job ? 0 : err->code;

	if (job) {
		page_add_comparison_paths(
			site, json_object_get(job, "comparisons"), "id");
		page_job_html(&html, job);
		rc = site_put_page(site, path, &html, job, NULL, err);
	}
	json_decref(job);
	str_release(&html);
	return rc;
}

int page_job_make(struct site *site, struct err *err)
{
	json_t *list = view_job_list(site->db, err);
	int rc = list ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		long long id = page_int(row, "id");
		struct str path = STR_INIT;

		str_addf(&path, "job/%lld/", id);
		if (!rc && site_wants(site, path.p, page_text(row, "stamp")))
			rc = put_job(site, id, path.p, err);
		str_release(&path);
	}
	json_decref(list);
	return rc;
}
