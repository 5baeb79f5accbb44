// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/page_bisect.h"

#include <math.h>
#include <string.h>

#include "db/view_bisect.h"
#include "web-static/bisect_describe.h"
#include "web-static/bisect_excluded.h"
#include "web-static/bisect_table.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define UP "../../"

static const json_t *find_candidate(const json_t *b, const char *sha)
{
	const json_t *list =
		json_object_get(json_object_get(b, "told"), "candidates");
	size_t i;
	json_t *row;

	json_array_foreach(list, i,
			   row) if (*sha && !strcmp(page_text(row, "sha"),
						    sha)) return row;
	return NULL;
}

static void add_say(struct str *out, const json_t *b)
{
	const char *verdict = page_text(b, "verdict");
	size_t nr = json_array_size(json_object_get(b, "commits"));

	if (!strcmp(verdict, "culprit"))
		html_lit(out, "First bad commit: ");
	else if (!strcmp(verdict, "set"))
		str_addf(out, "One of %zu commits that could not be told apart",
			 nr);
	else if (!strcmp(verdict, "not-reproduced"))
		html_lit(out, "The change did not reproduce");
	else if (!strcmp(verdict, "range-only"))
		html_lit(out, "The range is as far as the budget goes");
	else if (!strcmp(verdict, "layout-sensitive"))
		html_lit(out, "Gone under another code layout: nobody's "
			      "commit to blame");
	else if (*verdict)
		html_txtf(out, "%s", verdict);
	else
		html_txtf(out, "No verdict yet: the bisection is %s",
			  page_text(b, "state"));
	if (!strcmp(verdict, "culprit"))
		layout_commit(
			out, UP, bisect_first_commit(b),
			page_text(find_candidate(b, bisect_first_commit(b)),
				  "subject"));
}

static void add_verdict(struct str *out, const json_t *b)
{
	bool culprit = !strcmp(page_text(b, "verdict"), "culprit");
	double p = layout_num(b, "posterior");

	str_addf(out, "<div class=\"verdict%s\">\n<p class=\"say\">",
		 culprit ? " worse" : "");
	add_say(out, b);
	html_lit(out, "</p>\n");
	if (*page_text(b, "why")) {
		html_lit(out, "<p>");
		html_txt(out, page_text(b, "why"));
		html_lit(out, "</p>\n");
	}
	html_lit(out, "<p>");
	layout_badge(out, *page_text(b, "verdict") ? page_text(b, "verdict")
						   : page_text(b, "state"));
	if (isfinite(p) && p > 0) {
		html_lit(out, " posterior ");
		page_percent(out, p);
	}
	html_lit(out, "</p></div>\n");
}

static void number_fact(struct str *out, const char *name, const json_t *obj,
			const char *key, const char *fmt)
{
	double v = layout_num(obj, key);
	char text[64];

	if (!isfinite(v))
		return;
	snprintf(text, sizeof(text), "%.4g%s", v, fmt);
	layout_fact(out, name, text);
}

static void duration_fact(struct str *out, const char *name, double seconds)
{
	if (!(seconds > 0))
		return;
	page_fact_start(out, name);
	html_duration(out, seconds);
	page_fact_end(out);
}

static void add_cost(struct str *out, const json_t *b)
{
	const json_t *cost = json_object_get(b, "cost");
	const json_t *start = json_object_get(b, "start");

	layout_section(out, "cost", "Cost", -1);
	html_lit(out, "<ul class=\"facts\">\n");
	number_fact(out, "Kernels built", cost, "builds", "");
	if (page_int(cost, "unused"))
		number_fact(out, "Built ahead, never asked for", cost, "unused",
			    "");
	number_fact(out, "Boots", cost, "boots", "");
	number_fact(out, "Runs", cost, "runs", "");
	number_fact(out, "Runs allowed", start, "budget_runs", "");
	duration_fact(out, "Time on the boxes",
		      layout_num(cost, "boot_seconds"));
	duration_fact(out, "Time building", layout_num(cost, "build_seconds"));
	duration_fact(out, "Time building ahead in vain",
		      layout_num(cost, "unused_seconds"));
	if (page_int(b, "ended_s"))
		duration_fact(out, "From start to end",
			      (double)(page_int(b, "ended_s") -
				       page_int(b, "created_s")));
	html_lit(out, "</ul>\n");
	layout_section_end(out);
}

/* It may have been started for another metric than the comparison's. */
static const char *metric_of(const json_t *b)
{
	const char *own = page_text(json_object_get(b, "start"), "metric");

	return *own ? own : page_text(b, "headline");
}

static bool is_headline(const json_t *b)
{
	return !strcmp(metric_of(b), page_text(b, "headline"));
}

static double claimed_pct(const json_t *b)
{
	return is_headline(b)
		       ? layout_num(b, "change_pct")
		       : 100 * layout_num(json_object_get(b, "start"), "claim");
}

static const char *direction_of(const json_t *b)
{
	const json_t *start = json_object_get(b, "start");

	if (is_headline(b))
		return page_text(b, "direction");
	return json_opt_bool(start, "higher", true) ? "higher" : "lower";
}

static void add_range(struct str *out, const json_t *b)
{
	const json_t *told = json_object_get(b, "told");
	struct str path = STR_INIT;

	html_lit(out, "<ul class=\"facts\">\n");
	page_commit_fact(out, UP, "Good", page_text(b, "base_sha"),
			 page_text(b, "base_subject"));
	page_commit_fact(out, UP, "Bad", page_text(b, "head_sha"),
			 page_text(b, "head_subject"));
	page_fact_start(out, "Metric");
	str_addf(&path, "%sindex.html", page_text(b, "comparison_page"));
	html_link(out, UP, path.p, metric_of(b));
	page_fact_end(out);
	page_fact_start(out, "Change to explain");
	layout_change(out, claimed_pct(b), direction_of(b));
	page_fact_end(out);
	layout_fact(out, "Test", page_text(b, "path"));
	layout_fact(out, "Test box", page_text(b, "tbox_group"));
	number_fact(out, "Commits in the range", json_object_get(b, "start"),
		    "nr_commits", "");
	if (told) {
		page_fact_start(out, "Candidates");
		html_count(out, (long long)json_array_size(
					json_object_get(told, "candidates")));
		page_fact_end(out);
	}
	page_link_fact(out, UP, "Job", "job", page_int(b, "job"));
	page_link_fact(out, UP, "Regression", "r", page_int(b, "regression"));
	html_lit(out, "</ul>\n");
	str_release(&path);
}

static void add_posterior(struct str *out, const json_t *b)
{
	const json_t *told = json_object_get(b, "told");
	const json_t *list = json_object_get(told, "candidates");

	layout_section(out, "posterior", "Which commit", -1);
	if (told) {
		bisect_add_bars(out, b, list);
		if (isfinite(layout_num(told, "none"))) {
			html_lit(out, "<p>Probability that none of them did "
				      "it: ");
			page_percent(out, layout_num(told, "none"));
			html_lit(out, ".</p>\n");
		}
		bisect_add_candidates(out, b, list);
		bisect_add_raised(out, b);
	} else {
		html_lit(out, "<p>The engine's record can't be replayed: ");
		html_txt(out, page_text(b, "told_why"));
		html_lit(out, ". What was stored at each step is below.</p>"
			      "\n");
	}
	layout_section_end(out);
}

static void stored_step(struct str *out, const json_t *row)
{
	str_addf(out, "<tr><td class=\"n\">%lld</td><td class=\"text\">",
		 page_int(row, "seq"));
	html_txt(out, page_text(row, "note"));
	str_addf(out,
		 "</td><td class=\"n\">%lld</td><td class=\"n\">%lld</td>"
		 "<td class=\"n\">",
		 page_int(row, "boots"), page_int(row, "runs"));
	html_duration(out, (double)page_int(row, "seconds"));
	html_lit(out, "</td><td class=\"text\">");
	html_txt(out, page_text(row, "why"));
	if (json_is_null(json_object_get(row, "result")))
		html_lit(out, "<span class=\"muted\">under way</span>");
	html_lit(out, "</td></tr>\n");
}

static void add_steps(struct str *out, const json_t *b)
{
	const json_t *steps = json_object_get(b, "steps");
	const json_t *told = json_object_get(b, "told");

	layout_section(out, "steps", "Steps",
		       (long long)json_array_size(steps));
	if (json_array_size(json_object_get(told, "log")))
		bisect_add_log_table(
			out, told, NULL,
			"What each commit showed in each round; P(bad): "
			"probability that it shows the change, after the "
			"round");
	page_rows(out, "Each question of the engine and its cost",
		  "#Step|What|#Boots|#Runs|#Box time|Trouble", steps,
		  stored_step);
	layout_section_end(out);
}

static bool has_phase(const json_t *told, const char *phase)
{
	const json_t *log = json_object_get(told, "log");
	size_t i;
	json_t *row;

	json_array_foreach(log, i, row) if (!strcmp(page_text(row, "phase"),
						    phase)) return true;
	return false;
}

static void revert_fact(struct str *out, const json_t *b)
{
	const json_t *revert =
		json_object_get(json_object_get(b, "evidence"), "revert");

	if (!*page_text(revert, "say"))
		return;
	page_fact_start(out, "Reverted on head");
	html_txt(out, page_text(revert, "say"));
	page_fact_end(out);
}

static void add_stop(struct str *out, const json_t *b)
{
	const json_t *told = json_object_get(b, "told");
	const json_t *f = json_object_get(told, "finding");

	if (!f)
		return;
	layout_section(out, "stop", "Why it stopped, and the confirmation", -1);
	html_lit(out, "<p>");
	html_txt(out, *page_text(f, "reason") ? page_text(f, "reason")
					      : "It has not stopped yet.");
	html_lit(out, "</p>\n<ul class=\"facts\">\n");
	number_fact(out, "Effect of the suspect", f, "delta_pct", "%");
	if (isfinite(layout_num(f, "lo_pct"))) {
		page_fact_start(out, "95% confidence interval");
		str_addf(out, "%+.1f%% … %+.1f%%", layout_num(f, "lo_pct"),
			 layout_num(f, "hi_pct"));
		page_fact_end(out);
	}
	number_fact(out, "Evidence (E-value)", f, "e_value", "");
	number_fact(out, "Effect under another code layout", f,
		    "layout_delta_pct", "%");
	number_fact(out, "Of another commit in the range", f, "rest_delta_pct",
		    "%");
	revert_fact(out, b);
	number_fact(out, "Commits in the 90% set", f, "candidates_left", "");
	html_lit(out, "</ul>\n");
	if (has_phase(told, "verify"))
		bisect_add_log_table(
			out, told, "verify",
			"Confirmation: the suspect against its parent, fresh "
			"boots");
	layout_section_end(out);
}

void page_bisect_html(struct str *out, const json_t *b)
{
	struct str title = STR_INIT;
	struct str path = STR_INIT;
	struct layout page = { .kicker = "Bisection" };

	str_addf(&title, "Which commit changed %s", metric_of(b));
	str_addf(&path, "b/%lld/", page_int(b, "id"));
	page.path = path.p;
	page.title = title.p;
	page.has_csv = true;
	page.as_of_s = page_int(b, "ended_s") ? page_int(b, "ended_s")
					      : page_int(b, "created_s");
	layout_start(out, &page);
	add_verdict(out, b);
	add_range(out, b);
	add_posterior(out, b);
	add_steps(out, b);
	add_stop(out, b);
	add_cost(out, b);
	bisect_add_excluded(out, b);
	layout_end(out, &page);
	str_release(&title);
	str_release(&path);
}

/* One that doesn't exist is empty. */
static void add_csv_number(struct str *out, double v)
{
	str_addch(out, ',');
	if (isfinite(v))
		str_addf(out, "%.15g", v);
}

static void add_csv(struct str *out, const json_t *b)
{
	const json_t *list =
		json_object_get(json_object_get(b, "told"), "candidates");
	size_t i;
	json_t *row;

	str_add(out, "no,sha,prior,posterior,bad,boots,runs,status\r\n");
	json_array_foreach(list, i, row)
	{
		str_addf(out, "%zu,%s", i + 1, page_text(row, "sha"));
		add_csv_number(out, layout_num(row, "prior"));
		add_csv_number(out, layout_num(row, "posterior"));
		add_csv_number(out, layout_num(row, "bad"));
		str_addf(out, ",%lld,%lld,%s\r\n", page_int(row, "boots"),
			 page_int(row, "runs"), page_text(row, "status"));
	}
}

/* The start knows the subjects of commits that were never tested. */
static void add_start_subjects(json_t *subjects, const json_t *start)
{
	const json_t *commits = json_object_get(start, "commits");
	size_t i;
	json_t *commit;

	json_array_foreach(commits, i, commit) if (*page_text(commit, "sha"))
		json_object_set_new(subjects, page_text(commit, "sha"),
				    json_string(page_text(commit, "subject")));
}

/* Add what the pure part needs: steps, the replayed record, the address. */
static int complete(struct site *site, json_t *b, struct err *err)
{
	long long id = page_int(b, "id");
	struct err why = { 0 };
	json_t *subjects = view_bisect_subjects(site->db, id, err);
	json_t *told;

	if (!subjects)
		return err->code;
	add_start_subjects(subjects, json_object_get(b, "start"));
	told = bisect_describe(json_object_get(b, "engine"), subjects, &why);
	json_decref(subjects);
	if (told)
		json_object_set_new(b, "told", told);
	else
		json_object_set_new(b, "told_why",
				    json_text(why.text, strlen(why.text)));
	/* the record is in "told"; as stored it is bulky */
	json_object_del(b, "engine");
	json_object_set_new(b, "comparison_page",
			    json_string(site_comparison_path(
				    site, page_int(b, "comparison"))));
	if (view_put(b, "steps", view_bisect_steps(site->db, id, err)))
		return err->code;
	return 0;
}

static int put_bisect(struct site *site, long long id, const char *path,
		      struct err *err)
{
	struct str html = STR_INIT;
	struct str csv = STR_INIT;
	json_t *b = view_bisect(site->db, id, err);
	int rc = b ? complete(site, b, err) : err->code;

	if (!rc) {
		page_bisect_html(&html, b);
		add_csv(&csv, b);
		rc = site_put_page(site, path, &html, b, &csv, err);
	}
	json_decref(b);
	str_release(&html);
	str_release(&csv);
	return rc;
}

int page_bisect_make(struct site *site, struct err *err)
{
	json_t *list = view_bisect_list(site->db, err);
	int rc = list ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		long long id = page_int(row, "id");
		struct str path = STR_INIT;

		str_addf(&path, "b/%lld/", id);
		if (!rc && site_wants(site, path.p, page_text(row, "stamp")))
			rc = put_bisect(site, id, path.p, err);
		str_release(&path);
	}
	json_decref(list);
	return rc;
}
