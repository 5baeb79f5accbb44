// SPDX-License-Identifier: GPL-3.0-or-later
// "How sure we are": evidence, false alarms, bisect log, what differed.
#include <math.h>
#include <string.h>

#include "report/report_mail.h"
#include "report/wrap.h"

/* The bisect log is cut in the middle to so many lines. */
#define LOG_LINES 10
#define LOG_HEAD  4
#define LOG_TAIL  5
#define LEFT_MAX  10
#define LABEL	  "  %-14s "
#define INDENT	  "                 " /* as wide as a label */

static void add_search(const struct report_mail *in, struct str *out)
{
	const struct report_confidence *c = &in->confidence;
	bool searched = in->kind == REPORT_CULPRIT || in->kind == REPORT_LAYOUT;

	if (searched && c->posterior > 0.0) {
		str_addf(out, LABEL, "probability");
		str_add_probability(out, c->posterior);
		str_add(out, " that this is the first bad commit");
		if (c->candidates)
			str_addf(out, " of %zu", c->candidates);
		str_addch(out, '\n');
	}
	if (c->range[0] && c->range[1])
		str_addf(out, LABEL "%.12s..%.12s (head)\n",
			 in->kind == REPORT_RANGE_ONLY ? "range" : "searched",
			 c->range[0], c->range[1]);
}

/* What an E value means is said beside it: few readers have met one. */
static void add_evidence(const struct report_confidence *c, struct str *out)
{
	if (!(c->e_value > 0.0))
		return;
	str_addf(out, LABEL "E = %.3g against \"no change\"", "evidence",
		 c->e_value);
	if (c->e_needed > 0.0)
		str_addf(out, " (needed: %.0f)", c->e_needed);
	if (c->e_value > 1.0)
		str_addf(out,
			 ":\n" INDENT "chance shows as much in at most 1 "
			 "of %.3g such tests",
			 c->e_value);
	str_addch(out, '\n');
}

static void add_effect(const struct report_mail *in, struct str *out)
{
	const struct report_confidence *c = &in->confidence;

	if (isnan(c->effect_pct) || c->effect_pct == 0.0)
		return;
	str_addf(out, LABEL "%+.1f%%", "effect", c->effect_pct);
	if (!isnan(c->ci_lo_pct) && !isnan(c->ci_hi_pct) &&
	    c->ci_lo_pct < c->ci_hi_pct)
		str_addf(out, ", 95%% interval %+.1f%% to %+.1f%%",
			 c->ci_lo_pct, c->ci_hi_pct);
	if (in->absolute)
		str_add(out, " of the base");
	else if (c->table_runs[0])
		str_add(out, ", by all boots below");
	str_addch(out, '\n');
}

/* What "no change" is worth; a change that was seen needs no such line. */
static void add_sensitivity(const struct report_mail *in, struct str *out)
{
	double pct = in->confidence.detectable_pct;

	if (!in->unchanged || !(pct > 0))
		return;
	if (isinf(pct))
		str_addf(out, LABEL "so few boots could not have shown any\n",
			 "sensitivity");
	else
		str_addf(out,
			 LABEL "a change of %.*f%% would have been seen in 4 "
			       "of 5 tries\n",
			 "sensitivity", pct < 10 ? 1 : 0, pct);
}

static void add_runs(struct str *out, size_t runs, size_t boots)
{
	str_addf(out, "%zu run%s in %zu boot%s", runs, runs == 1 ? "" : "s",
		 boots, boots == 1 ? "" : "s");
}

/* A search measured more commits than the two in the table. */
static void add_counts(const struct report_mail *in, struct str *out)
{
	static const char *const side[][2] = { { "base", "head" },
					       { "before it", "from it on" } };
	const struct report_confidence *c = &in->confidence;
	bool one = in->kind == REPORT_CULPRIT || in->kind == REPORT_LAYOUT;

	for (size_t i = 0; i < 2; i++) {
		if (!c->runs[i])
			continue;
		str_addf(out, LABEL, side[one][i]);
		add_runs(out, c->runs[i], c->boots[i]);
		str_addch(out, '\n');
	}
	if (c->table_runs[0] && c->table_runs[1]) {
		str_addf(out, LABEL, "in the table");
		add_runs(out, c->table_runs[0], c->table_boots[0]);
		str_add(out, " against ");
		add_runs(out, c->table_runs[1], c->table_boots[1]);
		str_addch(out, '\n');
	}
	if (c->builds)
		str_addf(out, LABEL "%zu kernels for the whole search\n",
			 "built", c->builds);
}

static void add_alarms(const struct report_confidence *c, struct str *out)
{
	if (!c->aa_trials) {
		str_addf(out,
			 LABEL "%s: how often this box raises one is unknown\n",
			 "false alarms",
			 c->aa_stale ? "no longer calibrated"
				     : "not calibrated");
		return;
	}
	str_addf(out,
		 LABEL "%zu of %zu splits of %zu boots of one kernel here "
		       "(%.1f%%)\n",
		 "false alarms", c->aa_alarms, c->aa_trials, c->aa_boots,
		 100.0 * (double)c->aa_alarms / (double)c->aa_trials);
	str_addf(out,
		 LABEL "runs in fresh boots vary by %.2f%%, seen "
		       "%.0f day%s before\n",
		 "calibration", c->aa_sd_pct, floor(c->aa_days),
		 floor(c->aa_days) == 1 ? "" : "s");
}

static void add_checks(const struct report_confidence *c, struct str *out)
{
	struct str revert = STR_INIT;

	if (c->layout == REPORT_LAYOUT_HOLDS)
		str_addf(out,
			 LABEL "the effect is there under a second layout\n",
			 "code layout");
	if (c->layout == REPORT_LAYOUT_GONE)
		str_addf(out,
			 LABEL "the effect is gone under a second layout\n",
			 "code layout");
	if (c->revert) {
		str_addf(&revert, LABEL, "revert on head");
		wrap_add(out, c->revert, revert.p, INDENT, WRAP_COLUMNS);
		str_release(&revert);
	}
	add_alarms(c, out);
}

static void add_log(const struct report_mail *in, struct str *out)
{
	size_t nr = in->nr_bisect_log;

	if (!nr)
		return;
	str_add(out, "\nHow it was found:\n");
	for (size_t i = 0; i < nr; i++) {
		if (nr > LOG_LINES && i == LOG_HEAD) {
			str_addf(out, "  [%zu more steps]\n",
				 nr - LOG_HEAD - LOG_TAIL);
			i = nr - LOG_TAIL;
		}
		str_add(out, "  ");
		str_add_term(out, in->bisect_log[i], false);
		str_addch(out, '\n');
	}
}

static void add_left(const struct report_mail *in, struct str *out)
{
	size_t nr = in->nr_left < LEFT_MAX ? in->nr_left : LEFT_MAX;

	if (!nr)
		return;
	str_add(out, "\nCandidates left, the likeliest first:\n");
	for (size_t i = 0; i < nr; i++) {
		const struct report_commit *c = &in->left[i];

		str_add(out, "  ");
		if (c->posterior > 0.0)
			str_add_probability(out, c->posterior);
		str_addf(out, "  %.12s (\"", c->sha);
		str_add_term(out, c->subject ? c->subject : "", false);
		str_add(out, "\")\n");
	}
	if (in->nr_left > nr)
		str_addf(out, "  [%zu more]\n", in->nr_left - nr);
}

static void add_list(const char *title, const char *const *item, size_t nr,
		     struct str *out)
{
	if (!nr)
		return;
	str_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < nr; i++)
		wrap_add(out, item[i], "- ", "  ", WRAP_COLUMNS);
}

void report_add_confidence(const struct report_mail *in, struct str *out)
{
	str_add(out, "How sure we are:\n");
	add_search(in, out);
	add_evidence(&in->confidence, out);
	add_effect(in, out);
	add_sensitivity(in, out);
	add_counts(in, out);
	add_checks(&in->confidence, out);
	add_log(in, out);
	add_left(in, out);
	add_list("Differed between the sides, and should not have:",
		 in->differed, in->nr_differed, out);
	if (!in->nr_differed && in->invariants_checked)
		wrap_add(out,
			 "Clock, NUMA node of the test, microcode and kernel "
			 "debug options were the same on both sides.",
			 "\n", "", WRAP_COLUMNS);
	add_list("Keep in mind:", in->caveats, in->nr_caveats, out);
}
