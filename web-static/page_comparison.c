// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/page_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/lkp_table.h"
#include "web-static/comparison_headline.h"
#include "web-static/comparison_table.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"
#include "web-static/page_metrics.h"

#define MAX_PRE_ROWS 300

static bool is_verdict(const json_t *info, const char *word)
{
	return !strcmp(page_text(info, "verdict"), word);
}

static bool says_change(const json_t *info)
{
	return is_verdict(info, "regression") ||
	       is_verdict(info, "improvement");
}

void page_comparison_say(struct str *out, const json_t *info)
{
	const char *headline = page_text(info, "headline");
	double change = layout_num(info, "change_pct");

	if (isfinite(change) && says_change(info))
		str_addf(out, "%.1f%% %s of %s", fabs(change),
			 page_text(info, "verdict"), headline);
	else if (is_verdict(info, "no-change"))
		str_addf(out, "No change of %s", headline);
	else if (is_verdict(info, "undecided"))
		str_addf(out, "Undecided whether %s changed", headline);
	else if (*page_text(info, "verdict"))
		str_addf(out, "%s: %s", page_text(info, "verdict"), headline);
	else
		str_addf(out, "No verdict yet: the comparison is %s",
			 page_text(info, "state"));
}

static void add_verdict(struct str *out, const struct comparison_data *d)
{
	struct str say = STR_INIT;
	const char *class = is_verdict(d->info, "regression")	 ? " worse"
			    : is_verdict(d->info, "improvement") ? " better"
								 : "";

	page_comparison_say(&say, d->info);
	str_addf(out, "<div class=\"verdict%s\">\n<p class=\"say\">", class);
	if (says_change(d->info))
		html_lit(out,
			 layout_num(d->info, "change_pct") < 0 ? "▼ " : "▲ ");
	html_txt(out, say.p);
	html_lit(out, "</p>\n");
	if (*page_text(d->info, "why")) {
		html_lit(out, "<p>");
		html_txt(out, page_text(d->info, "why"));
		html_lit(out, "</p>\n");
	}
	html_lit(out, "<p>");
	layout_badge(out, *page_text(d->info, "verdict")
				  ? page_text(d->info, "verdict")
				  : page_text(d->info, "state"));
	html_lit(out, "</p></div>\n");
	str_release(&say);
}

static void add_identity(struct str *out, const struct comparison_data *d)
{
	const char *up = layout_up(d->path);
	const json_t *info = d->info;
	const json_t *base = json_object_get(info, "base");
	const json_t *head = json_object_get(info, "head");

	html_lit(out, "<ul class=\"facts\">\n");
	page_commit_fact(out, up, "Base", page_text(base, "sha"),
			 page_text(base, "subject"));
	page_commit_fact(out, up, "Head", page_text(head, "sha"),
			 page_text(head, "subject"));
	layout_fact(out, "Test", page_text(info, "path"));
	layout_fact(out, "Test box", page_text(info, "tbox_group"));
	layout_fact(out, "Repository", page_text(info, "repo"));
	layout_fact(out, "Branch", page_text(info, "branch"));
	layout_fact(out, "Kernel configuration", page_text(info, "kconfig"));
	layout_fact(out, "Compiler", page_text(info, "compiler"));
	layout_fact(out, "Root file system", page_text(info, "rootfs"));
	page_link_fact(out, up, "Job", "job", page_int(info, "job"));
	page_link_fact(out, up, "Bisection", "b", page_int(info, "bisect"));
	page_link_fact(out, up, "Regression", "r",
		       page_int(info, "regression"));
	html_lit(out, "</ul>\n");
}

static void side_fact(struct str *out, const char *name,
		      const struct comparison_data *d, int s)
{
	page_fact_start(out, name);
	str_addf(out, "%zu in %zu boots", d->done[s], d->boots[s]);
	if (d->failed[s])
		str_addf(out, ", %zu failed", d->failed[s]);
	page_fact_end(out);
}

/* What the flow stores as evidence, in words. NULL: not for readers, or said
 * elsewhere on the page. */
static const struct {
	const char *key;
	const char *label;
	const char *unit;
} evidence_words[] = {
	{ "e_needed", "E-value needed", "" },
	{ "min_effect_pct", "Smallest change that counts", "%" },
	{ "sd_pair_pct", "Noise of one pair of boots", "%" },
	{ "planned", "Pairs planned at first", "" },
	{ "max_pairs", "Pairs at most", "" },
	{ "detectable_pct", "Smallest change seen in 4 of 5 tries", "%" },
	{ "new_failures", "New in all runs of the head", "" },
	{ "report", "Report (Message-ID)", "" },
	{ "calibrated", NULL, NULL },
	{ "candidates", "Headline picked from so many metrics", "" },
	{ "boots", NULL, NULL },
	{ "runs", NULL, NULL },
	{ "pairs", NULL, NULL },
	{ "metrics_total", NULL, NULL },
	{ "metrics_changed", NULL, NULL },
	{ "g", NULL, NULL },
};

/* A value of any kind as text: booleans as words, lists joined by commas. */
static void add_value_text(struct str *out, const json_t *value)
{
	const char *key;
	size_t i;
	json_t *item;

	if (json_is_string(value))
		str_add(out, json_string_value(value));
	else if (json_is_boolean(value))
		str_add(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_number(value))
		str_addf(out, "%.4g", json_number_value(value));
	json_array_foreach(value, i, item)
	{
		str_add(out, i ? ", " : "");
		add_value_text(out, item);
	}
	json_object_foreach((json_t *)value, key, item)
	{
		str_addf(out, "%s%s: ", out->len ? "; " : "", key);
		json_add_text(out, item);
	}
}

static void evidence_fact(struct str *out, const char *key, const json_t *value)
{
	struct str name = STR_INIT;
	struct str text = STR_INIT;
	size_t i = 0;

	while (i < ARRAY_SIZE(evidence_words) &&
	       strcmp(evidence_words[i].key, key) != 0)
		i++;
	add_value_text(&text, value);
	if (i == ARRAY_SIZE(evidence_words)) {
		for (const char *p = key; *p; p++)
			str_addn(&name, *p == '_' ? " " : p, 1);
		layout_fact(out, name.p, text.p);
	} else if (evidence_words[i].label && text.len) {
		str_add(&text, evidence_words[i].unit);
		layout_fact(out, evidence_words[i].label, text.p);
	}
	str_release(&name);
	str_release(&text);
}

/* What differed between the boots of base and head though it should not. */
static void add_differences(struct str *out, const json_t *differ)
{
	struct str text = STR_INIT;

	if (!json_object_size(differ) && !json_array_size(differ))
		return;
	add_value_text(&text, differ);
	html_lit(out, "<p><span class=\"badge warn\"><span "
		      "aria-hidden=\"true\">!</span> differs</span> Base and "
		      "head did not run under equal conditions: ");
	html_txt(out, text.p);
	html_lit(out, "</p>\n");
	str_release(&text);
}

static void add_other_evidence(struct str *out, const json_t *evidence)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)evidence, key,
			    value) if (strcmp(key, "invariants_differ") != 0 &&
				       strcmp(key, "calibration") != 0)
		evidence_fact(out, key, value);
}

/* What the box's A/A boots said; the reason when they don't count any more. */
static void add_calibration(struct str *out, const json_t *c)
{
	const char *state = page_text(c, "state");

	if (!*state)
		return;
	page_fact_start(out, "Calibration of the box");
	html_txt(out, strcmp(state, "none") ? state
					    : "none: noise estimated "
					      "from these boots");
	if (page_int(c, "aa_trials"))
		str_addf(out,
			 ": one run in a fresh boot ±%.2f%%; %lld of %lld "
			 "splits of %lld boots of one kernel were called a "
			 "change (%.1f%%)",
			 layout_num(c, "sd_pct"), page_int(c, "aa_alarms"),
			 page_int(c, "aa_trials"), page_int(c, "boots"),
			 100.0 * (double)page_int(c, "aa_alarms") /
				 (double)page_int(c, "aa_trials"));
	if (*page_text(c, "why")) {
		html_lit(out, ": ");
		html_txt(out, page_text(c, "why"));
	}
	page_fact_end(out);
}

static void add_certainty(struct str *out, const json_t *info)
{
	double e = layout_num(info, "e_value");
	double lo = layout_num(info, "ci_low_pct");
	double hi = layout_num(info, "ci_high_pct");

	if (isfinite(layout_num(info, "change_pct"))) {
		page_fact_start(out, "Change of the headline");
		html_lit(out, "<span class=\"big\">");
		layout_change(out, layout_num(info, "change_pct"),
			      says_change(info) ? page_text(info, "direction")
						: NULL);
		html_lit(out, "</span>");
		page_fact_end(out);
	}
	if (isfinite(lo) && isfinite(hi)) {
		page_fact_start(out, "95% confidence interval");
		str_addf(out, "%+.1f%% … %+.1f%%", lo, hi);
		page_fact_end(out);
	}
	if (isfinite(e)) {
		page_fact_start(out, "Evidence (E-value)");
		str_addf(out, e < 1e6 ? "%.4g" : "%.2g", e);
		if (e < 1)
			html_lit(out, ": speaks for no change");
		else
			str_addf(out,
				 e < 1e6 ? ": false alarm in at most 1 of %.0f"
					 : ": false alarm in at most 1 of %.0e",
				 floor(e));
		page_fact_end(out);
	}
}

static void add_evidence(struct str *out, const struct comparison_data *d)
{
	const json_t *evidence = json_object_get(d->info, "evidence");
	double chance = comparison_chance(d->boots[0], d->boots[1]);

	layout_section(out, "evidence", "Evidence", -1);
	html_lit(out, "<ul class=\"facts\">\n");
	add_certainty(out, d->info);
	side_fact(out, "Runs of the base", d, 0);
	side_fact(out, "Runs of the head", d, 1);
	page_fact_start(out, "Metrics tested");
	html_count(out, (long long)d->cmp.nr);
	page_fact_end(out);
	page_fact_start(out, "Shown by LKP's rule");
	html_count(out, (long long)d->cmp.nr_changed);
	if (isfinite(chance))
		str_addf(out,
			 " <span class=\"muted\">(so many boots: by chance "
			 "at most %.2g%% of those tested)</span>",
			 100 * chance);
	page_fact_end(out);
	add_calibration(out, json_object_get(evidence, "calibration"));
	add_other_evidence(out, evidence);
	html_lit(out, "</ul>\n");
	add_differences(out, json_object_get(evidence, "invariants_differ"));
	layout_section_end(out);
}

static void add_lkp_text(struct str *out, const struct comparison_data *d)
{
	struct str text = STR_INIT;
	struct lkp_table table = {
		.axes = &d->axes,
		.comparison = &d->cmp,
		.show = COMPARE_SHOW_CHANGED,
		.max_rows = MAX_PRE_ROWS,
	};

	lkp_table_add(&table, &text);
	layout_section(out, "lkp", "The table as the mail has it", -1);
	html_lit(out, "<pre tabindex=\"0\">");
	html_txt(out, text.p);
	html_lit(out, "</pre>\n");
	if (d->cmp.nr_changed > MAX_PRE_ROWS)
		str_addf(out,
			 "<p class=\"note\">The first %d rows of each kind."
			 "</p>\n",
			 MAX_PRE_ROWS);
	layout_section_end(out);
	str_release(&text);
}

static void add_metrics(struct str *out, const struct comparison_data *d)
{
	size_t *changed;
	size_t *all;
	size_t nr = compare_order(&d->cmp, COMPARE_SHOW_CHANGED, &changed);
	size_t nr_all = compare_order(&d->cmp, COMPARE_SHOW_ALL, &all);
	size_t shown = nr < COMPARISON_PAGE_ROWS ? nr : COMPARISON_PAGE_ROWS;

	layout_section(out, "metrics", "Metrics that changed", -1);
	html_lit(out, "<p>Showing ");
	html_count(out, (long long)shown);
	html_lit(out, " of ");
	html_count(out, (long long)nr_all);
	html_lit(out, "; <a href=\"all/index.html\">show all</a>.</p>\n");
	comparison_add_failures(out, d, changed, shown, false);
	if (shown)
		comparison_add_rows(out, d, changed, shown, false);
	layout_section_end(out);
	layout_section(out, "families", "Families", -1);
	comparison_add_families(out, d, all, nr_all);
	layout_section_end(out);
	free(changed);
	free(all);
}

void page_comparison_html(struct str *out, const struct comparison_data *d)
{
	struct str title = STR_INIT;
	struct layout page = { .path = d->path, .kicker = "Comparison" };

	comparison_add_title(&title, d);
	page.title = title.p;
	page.has_csv = true;
	page.as_of_s = comparison_newest_s(d);
	layout_start(out, &page);
	add_verdict(out, d);
	add_identity(out, d);
	add_evidence(out, d);
	if (d->headline)
		comparison_add_headline(out, d);
	if (d->cmp.nr) {
		add_lkp_text(out, d);
		add_metrics(out, d);
	} else {
		html_lit(out, "<p>No run has ended yet, so there is nothing to "
			      "compare.</p>\n");
	}
	layout_end(out, &page);
	str_release(&title);
}

static json_t *headline_json(const struct comparison_data *d)
{
	json_t *runs = json_deep_copy(d->runs);
	size_t i;
	json_t *row;

	json_array_foreach(runs, i, row)
	{
		const struct comparison_run *run =
			comparison_find_run(d, page_int(row, "id"));
		const struct matrix_metric *m =
			run && d->headline
				? comparison_row(d, d->headline->name,
						 run->side)
				: NULL;

		if (m && run->column < m->nr && isfinite(m->value[run->column]))
			json_object_set_new(row, "headline",
					    json_real(m->value[run->column]));
	}
	return runs;
}

json_t *page_comparison_json(const struct comparison_data *d)
{
	json_t *obj = json_copy(d->info);
	size_t *row;
	size_t nr = compare_order(&d->cmp, COMPARE_SHOW_CHANGED, &row);

	json_object_set_new(obj, "runs", headline_json(d));
	json_object_set_new(obj, "metrics_total",
			    json_integer((json_int_t)d->cmp.nr));
	json_object_set_new(obj, "metrics_changed",
			    json_integer((json_int_t)d->cmp.nr_changed));
	json_object_set_new(obj, "metrics", comparison_rows_json(d, row, nr));
	free(row);
	return obj;
}

static int put_comparison(struct site *site, const struct comparison_data *d,
			  struct err *err)
{
	struct str html = STR_INIT;
	struct str csv = STR_INIT;
	json_t *json = page_comparison_json(d);
	size_t *row;
	size_t nr = compare_order(&d->cmp, COMPARE_SHOW_CHANGED, &row);
	int rc;

	page_comparison_html(&html, d);
	comparison_add_csv(&csv, d, row, nr);
	rc = site_put_page(site, d->path, &html, json, &csv, err);
	if (!rc)
		rc = page_metrics_put(site, d, err);
	free(row);
	json_decref(json);
	str_release(&html);
	str_release(&csv);
	return rc;
}

int page_comparison_make(struct site *site, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < site->nr_comparisons && !rc; i++) {
		const struct site_comparison *c = &site->comparison[i];
		struct comparison_data data;

		if (!site_wants(site, c->path, c->stamp))
			continue;
		rc = comparison_load(site, c->id, &data, err);
		if (!rc)
			rc = put_comparison(site, &data, err);
		comparison_data_release(&data);
		if (rc)
			err_wrap(err, "comparison %lld", c->id);
	}
	return rc;
}
