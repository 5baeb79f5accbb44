// SPDX-License-Identifier: GPL-3.0-or-later
// The body of a report mail, part by part in the order readers know.
#include "report/report_mail.h"

#include <math.h>
#include <string.h>

#include "analysis/kpi.h"
#include "base/mem.h"
#include "report/wrap.h"

#define DETAILS_RULE 98
#define FURTHER_RULE 99
#define CELL_COLUMNS 72
#define MAX_PARAMS   256

static void add_repeated(struct str *out, char c, size_t nr)
{
	while (nr--)
		str_addch(out, c);
}

/* "an 8.1% …", "an 11.0% …", "a 9.7% …": by how the number is read. */
static const char *article(const struct report_mail *in)
{
	struct str said = STR_INIT;
	bool an;

	report_add_change(in, &said);
	an = str_starts(said.p, "8") || str_starts(said.p, "11.") ||
	     str_starts(said.p, "18.");
	str_release(&said);
	return an ? "an" : "a";
}

static void add_opening(const struct report_mail *in, struct str *out)
{
	struct str s = STR_INIT;

	str_add(out, "Hello,\n\n");
	if (in->unchanged) {
		str_add(&s, "drover noticed no change of ");
	} else if (in->kind == REPORT_NOT_REPRODUCED) {
		str_addf(&s, "drover could not reproduce %s ", article(in));
		report_add_change(in, &s);
		str_add(&s, " of ");
	} else {
		str_addf(&s, "drover noticed %s ", article(in));
		report_add_change(in, &s);
		str_add(&s, " of ");
	}
	str_add(&s, in->metric);
	str_add(&s, " on:");
	wrap_add_prose(out, s.p);
	str_add(out, "\n\n");
	str_release(&s);
}

static void add_commit_line(struct str *out, const char *label,
			    const struct report_commit *c)
{
	if (!c->sha)
		return;
	str_add(out, label);
	str_add_term(out, c->sha, false);
	str_add(out, " (\"");
	str_add_term(out, c->subject ? c->subject : "", false);
	str_add(out, "\")\n");
}

/* "key: value" unless @value is NULL. */
static void add_field(struct str *out, const char *key, const char *value)
{
	if (!value)
		return;
	str_add(out, key);
	str_add(out, ": ");
	str_add_term(out, value, false);
	str_addch(out, '\n');
}

static void add_tree(const struct report_mail *in, struct str *out)
{
	if (!in->tree_url)
		return;
	str_add_term(out, in->tree_url, false);
	if (in->branch) {
		str_addch(out, ' ');
		str_add_term(out, in->branch, false);
	}
	str_addch(out, '\n');
}

static void add_what(const struct report_mail *in, struct str *out)
{
	bool one = in->kind == REPORT_CULPRIT || in->kind == REPORT_LAYOUT;

	if (!one && in->kind != REPORT_PATCH)
		add_commit_line(out, "base:   ", &in->base);
	add_commit_line(out, "commit: ", &in->commit);
	if (in->kind == REPORT_PATCH) {
		add_field(out, "url", in->patch_url);
		add_field(out, "base", in->patch_base);
		add_field(out, "patch link", in->patch_link);
		add_field(out, "patch subject", in->patch_subject);
	} else {
		add_tree(in, out);
	}
	str_addch(out, '\n');
	for (size_t i = 0; i < in->nr_still; i++) {
		str_add(out, "[still regression on      ");
		str_add_term(out, in->still[i].tree, false);
		str_addch(out, ' ');
		str_add_term(out, in->still[i].sha, false);
		str_add(out, "]\n");
	}
	if (in->fixed_by) {
		str_addf(out, "[fixed by %.12s (\"", in->fixed_by->sha);
		str_add_term(out, in->fixed_by->subject, false);
		str_add(out, "\")]\n");
	}
	if (in->nr_still || in->fixed_by)
		str_addch(out, '\n');
}

/* Why nobody is accused, or why this is not the whole truth. */
static void add_refusal(const struct report_mail *in, struct str *out)
{
	const struct report_confidence *c = &in->confidence;
	struct str s = STR_INIT;

	switch (in->kind) {
	case REPORT_CULPRIT:
	case REPORT_PATCH:
		break;
	case REPORT_COMPARISON:
		str_add(&s, "Two commits were compared and nothing was "
			    "bisected: any commit between them can be the "
			    "reason.");
		break;
	case REPORT_RANGE_ONLY:
		str_add(&s, "Only the range is known. ");
		if (c->runs_needed > 0.0)
			str_addf(&s,
				 "Finding the commit would take about %.0f "
				 "runs, and the budget is %.0f. ",
				 c->runs_needed, c->runs_budget);
		else if (c->runs_budget > 0.0)
			str_addf(&s,
				 "Finding the commit would take more than the "
				 "%.0f runs that a search may use. ",
				 c->runs_budget);
		str_add(&s, "So no commit is accused.");
		break;
	case REPORT_NOT_REPRODUCED:
		str_add(&s, "The two ends were booted again in turns, and the "
			    "earlier difference did not come back. No commit "
			    "is accused.");
		break;
	case REPORT_LAYOUT:
		str_add(&s, "The difference is gone when both kernels are "
			    "built with another code layout. So it comes from "
			    "where the linker placed the code, not from what "
			    "the commit does: its author has nothing to fix.");
		break;
	case REPORT_INCONCLUSIVE:
		str_add(&s, "The search did not settle on one commit; what "
			    "is left is listed below. No single commit is "
			    "accused.");
		break;
	}
	if (s.len) {
		wrap_add_prose(out, s.p);
		str_addch(out, '\n');
	}
	str_release(&s);
}

/* What the headline measures, since its name seldom says it. */
static void add_meaning(const struct report_mail *in, struct str *out)
{
	struct str s = STR_INIT;

	if (!in->meaning)
		return;
	str_addf(&s, "%s: %s", in->metric, in->meaning);
	if (in->direction)
		str_addf(&s, "; %s is better",
			 in->direction > 0 ? "more" : "less");
	str_addch(&s, '.');
	str_addch(out, '\n');
	wrap_add_prose(out, s.p);
	str_release(&s);
}

static void add_test(const struct report_mail *in, struct str *out)
{
	add_field(out, "testcase", in->testcase);
	add_field(out, "config", in->config);
	add_field(out, "compiler", in->compiler);
	add_field(out, "test machine", in->machine);
	if (in->nr_params) {
		str_add(out, "parameters:\n\n");
		for (size_t i = 0; i < in->nr_params; i++) {
			str_addch(out, '\t');
			add_field(out, in->param[i].key, in->param[i].value);
		}
	}
	if (in->command) {
		str_add(out, "\ncommand:\n\n\t");
		str_add_term(out, in->command, false);
		str_addch(out, '\n');
	}
	add_meaning(in, out);
	str_add(out, "\n\n");
}

static void add_cells(struct str *out, const char *label, const char *text)
{
	size_t width = wrap_columns(text, strlen(text));

	str_addf(out, "| %-16s | ", label);
	str_add_term(out, text, false);
	add_repeated(out, ' ', width < CELL_COLUMNS ? CELL_COLUMNS - width : 0);
	str_add(out, " |\n");
}

static void add_cell_rule(struct str *out)
{
	str_addch(out, '+');
	add_repeated(out, '-', 18);
	str_addch(out, '+');
	add_repeated(out, '-', CELL_COLUMNS + 2);
	str_add(out, "+\n");
}

static void add_others(const struct report_mail *in, struct str *out)
{
	if (!in->nr_others)
		return;
	wrap_add_prose(out,
		       "In addition to that, the commit also has significant "
		       "impact on the following tests:");
	str_addch(out, '\n');
	add_cell_rule(out);
	for (size_t i = 0; i < in->nr_others; i++) {
		const struct report_other *o = &in->other[i];

		add_cells(out, "testcase: change", o->change);
		add_cells(out, "test machine", o->machine ? o->machine : "");
		for (size_t p = 0; p < o->nr_params; p++) {
			char *pair = xasprintf("%s=%s", o->param[p].key,
					       o->param[p].value);

			add_cells(out, p ? "" : "test parameters", pair);
			free(pair);
		}
		add_cell_rule(out);
	}
	str_add(out, "\n\n");
}

static void add_tag(struct str *out, const char *tag, const char *value)
{
	if (!value)
		return;
	str_addf(out, "| %s: ", tag);
	str_add_term(out, value, false);
	str_addch(out, '\n');
}

static bool accuses(const struct report_mail *in)
{
	return (in->kind == REPORT_CULPRIT || in->kind == REPORT_COMPARISON ||
		in->kind == REPORT_PATCH) &&
	       !in->unchanged &&
	       !strcmp(kpi_word(in->direction, in->change), "regression");
}

static void add_tags(const struct report_mail *in, struct str *out)
{
	if (accuses(in) && in->reported_by) {
		wrap_add_prose(out,
			       "If you fix the issue in a separate "
			       "patch/commit (i.e. not just a new version of "
			       "the same patch/commit), kindly add following "
			       "tags");
		add_tag(out, "Reported-by", in->reported_by);
		add_tag(out, "Closes", in->closes);
		str_add(out, "\n\n");
	}
	if (in->kind == REPORT_PATCH && in->tested_by) {
		str_add(out, "If the patch goes in as it was tested, add\n");
		add_tag(out, "Tested-by", in->tested_by);
		str_add(out, "\n\n");
	}
	if (accuses(in) && in->regzbot) {
		str_add(out, "#regzbot introduced: ");
		str_add_term(out, in->regzbot, false);
		str_add(out, "\n\n");
	}
}

static void add_details(const struct report_mail *in, struct str *out)
{
	str_add(out, "Details are as below:\n");
	add_repeated(out, '-', DETAILS_RULE);
	str_add(out, ">\n\n\n");
	if (in->materials) {
		str_addf(out,
			 "The kernel config and materials to reproduce are "
			 "%s:\n",
			 *in->materials == '/' ? "kept by the lab in"
					       : "available at");
		str_add_term(out, in->materials, false);
		str_add(out, "\n\n");
	}
	if (in->tables)
		str_add(out, in->tables);
	for (size_t i = 0; i < in->nr_further; i++) {
		str_add(out, "\n");
		add_repeated(out, '*', FURTHER_RULE);
		str_addch(out, '\n');
		add_field(out, in->further[i].tbox, in->further[i].machine);
		str_add(out, in->further[i].text);
	}
	str_add(out, "\n\n");
}

static void add_end(const struct report_mail *in, struct str *out)
{
	struct str s = STR_INIT;

	str_add(out, "\n\nDisclaimer:\n");
	str_add(&s, "This mail was written by a program. The numbers hold for "
		    "the machine, compiler and configuration named above; "
		    "others may behave differently.");
	if (in->contact)
		str_addf(&s,
			 " The lab is run by %s: write there for questions, to "
			 "have a patch tested, or to get no more of these "
			 "mails.",
			 in->contact);
	wrap_add_prose(out, s.p);
	str_release(&s);
	if (!in->lab)
		return;
	str_add(out, "\n-- \n");
	str_add_term(out, in->lab, false);
	str_addch(out, '\n');
	if (in->lab_url) {
		str_add_term(out, in->lab_url, false);
		str_addch(out, '\n');
	}
}

/* Replace each plus-minus sign by "+-", in a table with the blank before it. */
static void add_ascii(struct str *out, const char *text)
{
	static const char sign[] = "\xc2\xb1";
	const char *at;

	while ((at = strstr(text, sign))) {
		bool blank = at > text && at[-1] == ' ';

		str_addn(out, text, (size_t)(at - text) - blank);
		str_add(out, "+-");
		text = at + strlen(sign);
	}
	str_add(out, text);
}

void report_mail(const struct report_mail *in, struct str *out)
{
	struct str body = STR_INIT;

	add_opening(in, &body);
	add_what(in, &body);
	add_refusal(in, &body);
	add_test(in, &body);
	add_others(in, &body);
	add_tags(in, &body);
	add_details(in, &body);
	report_add_confidence(in, &body);
	add_end(in, &body);
	if (in->ascii)
		add_ascii(out, body.p);
	else
		str_addn(out, body.p, body.len);
	str_release(&body);
}
