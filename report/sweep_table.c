// SPDX-License-Identifier: GPL-3.0-or-later
// Sweep and node profile tables in fixed columns.
#include "report/sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES 48
#define LABEL_MAX  7
#define HALF_SLACK 1e-9
/* Scores below it keep two decimals. */
#define MIN_INTEGER 100.0

/* "-0.0" is no number that a reader wants to see. */
static double unsigned_zero(double v, double half_digit)
{
	return fabs(v) < half_digit ? 0.0 : v;
}

/* @v rounded to an integer, with commas between thousands. */
static void format_score(double v, char out[CELL_BYTES])
{
	char digits[CELL_BYTES];
	size_t len;
	size_t at = 0;

	if (!(fabs(v) < 1e15)) {
		snprintf(out, CELL_BYTES, "%.4g", v);
		return;
	}
	if (fabs(v) < MIN_INTEGER) {
		snprintf(out, CELL_BYTES, "%.2f", unsigned_zero(v, 0.005));
		return;
	}
	snprintf(digits, sizeof(digits), "%.0f", fabs(v));
	len = strlen(digits);
	if (v < 0)
		out[at++] = '-';
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
}

static void add_side(struct str *out, const struct sweep_side *side, int width)
{
	char score[CELL_BYTES];
	char std[CELL_BYTES] = "-";
	char nid[CELL_BYTES] = "-";

	format_score(side->avg, score);
	if (side->n > 1)
		snprintf(std, sizeof(std), "%.0f%%", side->std_pct);
	if (side->nid != SWEEP_NID_UNKNOWN)
		snprintf(nid, sizeof(nid), "%d", side->nid);
	str_addf(out, "  %*s  %4s  %3s", width, score, std, nid);
}

static void add_affinity(struct str *out, const char *affinity,
			 long long threads)
{
	struct str name = STR_INIT;

	str_add_term(&name, affinity, false);
	str_addf(out, "%8s  %10lld", name.p, threads);
	str_release(&name);
}

static void add_row(struct str *out, const struct sweep_row *row)
{
	char diff[CELL_BYTES];
	char confidence[CELL_BYTES] = "-";

	snprintf(diff, sizeof(diff), "%.1f%%",
		 unsigned_zero(row->diff_pct, 0.05));
	if (!isnan(row->confidence_pct))
		snprintf(confidence, sizeof(confidence), "%.0f%%",
			 row->confidence_pct);
	add_affinity(out, row->affinity, row->threads);
	str_addf(out, "  %7s  %8s", diff, confidence);
	add_side(out, &row->base, 8);
	add_side(out, &row->test, 7);
	str_addch(out, '\n');
}

void sweep_table_add(const struct sweep *s, struct str *out)
{
	/* a longer name would push the columns apart; it is in the title */
	const char *label =
		strlen(s->metric) <= LABEL_MAX ? s->metric : "score";

	str_add_term(out,
		     !strcmp(s->metric, "tps") ? "transactions per second"
					       : s->metric,
		     false);
	str_addf(out, "\n\n%39s%21s%20s\n", "diff", "base", "test");
	str_addf(out, "%39s%21s%20s\n", "-----------------",
		 "------------------", "------------------");
	str_addf(out, "%29s%10s\n", label, label);
	str_addf(out,
		 "affinity  nr_threads  (%%diff)  (t-test)  %8s  std%%  nid"
		 "  %7s  std%%  nid\n",
		 label, label);
	for (size_t i = 0; i < s->nr; i++)
		add_row(out, &s->row[i]);
}

static void add_profile_headings(const struct sweep_profile *p, struct str *out)
{
	str_addf(out, "%40s", "all_nodes");
	for (size_t n = 0; n < p->nr_nodes; n++) {
		char node[CELL_BYTES];

		snprintf(node, sizeof(node), "node%zu", n);
		str_addf(out, "%18s", node);
	}
	str_addf(out, "\n%40s", "----------------");
	for (size_t n = 0; n < p->nr_nodes; n++)
		str_addf(out, "%18s", "----------------");
	str_add(out, "\naffinity  nr_threads    base  test  diff");
	for (size_t n = 0; n < p->nr_nodes; n++)
		str_add(out, "  base  test  diff");
	str_addch(out, '\n');
}

/*
 * Halves go up: shares come with few decimals, and what is a half in decimal
 * (0.949 - 0.899) lies on either side of it in binary.
 */
static double rounded_diff(const struct sweep_share *share)
{
	return floor((share->test - share->base) * 10.0 + 0.5 + HALF_SLACK) /
	       10.0;
}

static void add_share(struct str *out, const struct sweep_share *share)
{
	str_addf(out, "  %4.1f  %4.1f  %4.1f", share->base, share->test,
		 rounded_diff(share));
}

void sweep_profile_table_add(const struct sweep_profile *p, struct str *out)
{
	str_add_term(out, p->symbol, false);
	str_addch(out, ' ');
	str_add_term(out, p->unit, false);
	str_add(out, "\n\n");
	add_profile_headings(p, out);
	for (size_t i = 0; i < p->nr; i++) {
		const struct sweep_profile_row *row = &p->row[i];

		add_affinity(out, row->affinity, row->threads);
		str_add(out, "  ");
		for (size_t n = 0; n <= p->nr_nodes && row->share[n].known; n++)
			add_share(out, &row->share[n]);
		str_addch(out, '\n');
	}
}
