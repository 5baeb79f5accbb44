// SPDX-License-Identifier: GPL-3.0-or-later
// The help page: what each column means, and how far to trust it.
#include "analysis/metric_info.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

struct term {
	const char *name;
	const char *text;
};

static const struct term columns[] = {
	{ "Base, Head", "The two commits. Every change is head against base." },
	{ "Value", "The mean of all complete runs, in the metric's own unit. "
		   "After ±: the standard deviation over the runs in percent "
		   "of the mean; left out below 3 percent." },
	{ "Change", "Difference of the means in percent of the base. For "
		    "metrics that are percentages themselves (names ending "
		    "in %, and perf-profile) it is a plain difference without "
		    "a percent sign. ▲ is up and ▼ is down; whether that is "
		    "better or worse depends on the metric." },
	{ "95% interval", "Where the true change lies, by Welch's t-test over "
			  "boots: the runs of one boot count as one number, "
			  "since they are not independent." },
	{ "q", "The share of false finds to expect if every row with at most "
	       "this q were called changed (Benjamini and Hochberg, over all "
	       "metrics tested)." },
	{ "Runs", "Runs with a value: base/head." },
	{ "Strip", "One dot per run on the row's own scale; base above, head "
		   "below." },
	{ "Failure rows", "In how many runs a failure was seen: kernel "
			  "warnings, hung tasks, failed benchmarks. "
			  "Reproduction is the difference in percentage "
			  "points." },
	{ "Shown", "A row is shown when each side's median lies outside the "
		   "other's whole range and the change is not tiny: the rule "
		   "of LKP's reports. It is a filter for readers, no proof." },
};

static const struct term certainty[] = {
	{ "E-value", "Evidence against \"nothing changed\". Below 1 speaks "
		     "for no change; 100 is enough: if nothing had changed, "
		     "so much would be seen at most once in a hundred "
		     "comparisons, however often one looks." },
	{ "Confidence interval of the headline",
	  "Holds at every look, so it is wider than one for a fixed number "
	  "of boots." },
	{ "Posterior", "Probability that a commit is the first bad one, given "
		       "all boots so far. Never shown as 100%." },
	{ "P(bad)", "Probability that a tested commit shows the change." },
	{ "Effect", "A tested commit's mean against the good end." },
	{ "Skipped", "The kernel did not build or boot. It keeps its share of "
		     "the probability." },
	{ "Left", "How many commits hold 90% of the probability." },
	{ "Verify", "The last phase: the suspect against its parent with "
		    "fresh boots and a second code layout." },
};

static const struct term states[] = {
	{ "open", "Measured, not yet confirmed by a person or a second "
		  "measurement." },
	{ "confirmed", "The suspect was confirmed against its parent." },
	{ "fixed", "A fix is in the watched tree and the metric is back." },
	{ "documented", "Known and accepted, with a reason." },
	{ "invalid", "Not a regression, with a reason." },
	{ "dup", "The same as another one." },
	{ "wrong-bisect", "Another commit is to blame." },
	{ "undecided", "The boots allowed were not enough to tell." },
	{ "no-change", "No change of the size that counts." },
	{ "infra", "A box or the network failed. Says nothing about a "
		   "kernel; it is tried again and never counts as a run." },
};

static void add_terms(struct str *out, const char *id, const char *title,
		      const struct term *terms, size_t nr)
{
	layout_section(out, id, title, -1);
	layout_table(out, title, "Word|Meaning");
	for (size_t i = 0; i < nr; i++) {
		html_lit(out, "<tr><th scope=\"row\" class=\"nowrap\">");
		html_txt(out, terms[i].name);
		html_lit(out, "</th>");
		page_cell(out, "text", terms[i].text);
		html_lit(out, "</tr>\n");
	}
	layout_table_end(out);
	layout_section_end(out);
}

static void add_metrics(struct str *out)
{
	const struct metric_info *m;

	layout_section(out, "metrics", "Metrics", -1);
	layout_table(out, "What metrics measure; * stands for anything",
		     "Metric|Meaning|Unit|Better");
	for (size_t i = 0; (m = metric_info_at(i)) != NULL; i++) {
		html_lit(out, "<tr><th scope=\"row\" class=\"key\">");
		html_txt(out, m->glob);
		html_lit(out, "</th>");
		page_cell(out, "text", m->text);
		page_cell(out, "nowrap", m->unit);
		page_cell(out, "nowrap",
			  m->direction > 0   ? "▲ more"
			  : m->direction < 0 ? "▼ less"
					     : "");
		html_lit(out, "</tr>\n");
	}
	layout_table_end(out);
	layout_section_end(out);
}

#define TERMS(t) t, sizeof(t) / sizeof((t)[0])

static json_t *help_json(void)
{
	json_t *rows = json_array();
	const struct metric_info *m;

	for (size_t i = 0; (m = metric_info_at(i)) != NULL; i++)
		json_array_append_new(
			rows, json_pack("{s:s,s:s,s:s,s:i}", "glob", m->glob,
					"text", m->text, "unit", m->unit,
					"direction", m->direction));
	return rows;
}

int page_help_make(struct site *site, struct err *err)
{
	struct str out = STR_INIT;
	struct layout page = { .path = "help/", .title = "What it all means" };
	json_t *json = help_json();
	int rc;

	layout_start(&out, &page);
	html_lit(&out, "<p>Drover measures pairs of kernel commits on test "
		       "boxes, says which metrics changed and how sure that "
		       "is, and looks for the commit that did it.</p>\n");
	add_terms(&out, "columns", "Columns of a comparison", TERMS(columns));
	add_terms(&out, "certainty", "How sure", TERMS(certainty));
	add_terms(&out, "states", "States and verdicts", TERMS(states));
	add_metrics(&out);
	layout_end(&out, &page);
	rc = site_put_page(site, page.path, &out, json, NULL, err);
	json_decref(json);
	str_release(&out);
	return rc;
}
