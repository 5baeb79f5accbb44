// SPDX-License-Identifier: GPL-3.0-or-later
// LKP's comparison table: the widths and rules of report-format are all here.
#include "report/lkp_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define RULE_WIDTH   89
#define FIRST_WIDTH  16
#define OTHER_WIDTH  27
#define VALUE_WIDTH  10
#define CHANGE_WIDTH 12

/* Below it two decimals, up to MAX_INTEGER an integer, then exponents. */
#define MIN_INTEGER 1000.0
#define MAX_INTEGER 1e8
/* Deviations up to so many percent are not worth their ink. */
#define MIN_STDDEV_PCT 2.0
#define MAX_PLAIN_PCT  1e5

static void add_repeated(struct str *out, char c, size_t nr)
{
	while (nr--)
		str_addch(out, c);
}

static void add_number(struct str *out, double v)
{
	if (fabs(v) < MIN_INTEGER)
		str_addf(out, "%10.2f", v);
	else if (fabs(v) <= MAX_INTEGER)
		str_addf(out, "%10ld", (long)v);
	else
		str_addf(out, "%10.4g", v);
}

void lkp_add_value(struct str *out, const struct compare_side *side, bool ascii)
{
	if (!side->n) {
		str_addf(out, "%*s%6s", VALUE_WIDTH, "-", "");
		return;
	}
	add_number(out, side->avg);
	/* trunc, not a cast: a deviation can be 1e20 % of its average */
	if (side->stddev_pct > MIN_STDDEV_PCT)
		str_addf(out, ascii ? "+-%3.0f%%" : " ±%3.0f%%",
			 trunc(side->stddev_pct));
	else
		add_repeated(out, ' ', FIRST_WIDTH - VALUE_WIDTH);
}

static void add_fails(struct str *out, const struct compare_side *side)
{
	if (side->fails)
		str_addf(out, "%11zu", side->fails);
	else
		add_repeated(out, ' ', 11);
	str_addf(out, ":%-4zu", side->runs);
}

void lkp_add_change(struct str *out, const struct compare_metric *metric,
		    size_t side)
{
	double change = metric->side[side].change;

	if (metric->failure)
		str_addf(out, "%10.0f%% ", change);
	else if (isnan(change))
		add_repeated(out, ' ', CHANGE_WIDTH);
	else if (metric->absolute)
		str_addf(out, "%+10.1f  ", change);
	else if (fabs(change) < MAX_PLAIN_PCT)
		str_addf(out, "%+10.1f%% ", change);
	else
		str_addf(out, "%+10.2g%% ", change);
}

void lkp_add_row(struct str *out, const struct compare_metric *metric,
		 size_t nr_sides, bool ascii)
{
	for (size_t s = 0; s < nr_sides; s++) {
		if (s)
			lkp_add_change(out, metric, s);
		if (metric->failure)
			add_fails(out, &metric->side[s]);
		else
			lkp_add_value(out, &metric->side[s], ascii);
	}
	str_add(out, "  ");
	str_add_term(out, metric->name, false);
	str_addch(out, '\n');
}

void lkp_add_columns(struct str *out, size_t nr_sides, bool failures)
{
	static const char *const first[2][2] = {
		{ "         %stddev", "             \\  " },
		{ "       fail:runs", "           |    " },
	};
	static const char *const other[2][2] = {
		{ "     %change         %stddev",
		  "        |                \\  " },
		{ "  %reproduction    fail:runs",
		  "         |             |    " },
	};

	for (size_t line = 0; line < 2; line++) {
		str_add(out, first[failures][line]);
		for (size_t s = 1; s < nr_sides; s++)
			str_add(out, other[failures][line]);
		str_addch(out, '\n');
	}
}

static void add_axes(struct str *out, const struct axes *axes)
{
	add_repeated(out, '=', RULE_WIDTH);
	str_addch(out, '\n');
	if (!axes->nr)
		return;
	for (size_t i = 0; i < axes->nr; i++) {
		if (i)
			str_addch(out, '/');
		str_add_term(out, axes->axis[i].key, false);
	}
	str_add(out, ":\n  ");
	for (size_t i = 0; i < axes->nr; i++) {
		if (i)
			str_addch(out, '/');
		str_add_term(out, axes->axis[i].value, false);
	}
	str_add(out, "\n\n");
}

static void add_column_id(struct str *out, const char *id, int width)
{
	char *column = xasprintf("%*.*s ", width, width, id);

	str_add_term(out, column, false);
	free(column);
}

static void add_commits(struct str *out, const struct axes *axes)
{
	str_add(out, "commit: \n");
	for (size_t i = 0; i < axes->nr_commits; i++) {
		str_add(out, "  ");
		str_add_term(out, axes->commit[i].abbrev, false);
		str_add(out, " (\"");
		str_add_term(out, axes->commit[i].subject, false);
		str_add(out, "\")\n");
	}
	str_addch(out, '\n');
	for (size_t i = 0; i < axes->nr_commits; i++)
		add_column_id(out, axes->commit[i].id,
			      i ? OTHER_WIDTH : FIRST_WIDTH);
	str_addch(out, '\n');
	for (size_t i = 0; i < axes->nr_commits; i++) {
		add_repeated(out, '-', i ? OTHER_WIDTH : FIRST_WIDTH);
		str_addch(out, ' ');
	}
	str_addch(out, '\n');
}

/* Append the rows @row of one kind under their columns; returns how many. */
static size_t add_rows(const struct lkp_table *in, const size_t *row, size_t nr,
		       bool failures, struct str *out)
{
	const struct comparison *c = in->comparison;
	size_t shown = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct compare_metric *m = &c->metric[row[i]];

		if (m->failure != failures ||
		    (in->max_rows && shown >= in->max_rows))
			continue;
		if (!shown++)
			lkp_add_columns(out, c->nr_sides, failures);
		lkp_add_row(out, m, c->nr_sides, in->ascii);
	}
	return shown;
}

/* Move the perf-profile rows behind the others, both in their order. */
static void profile_to_end(const struct comparison *c, size_t *row, size_t nr)
{
	size_t *sorted = xcalloc(nr ? nr : 1, sizeof(*sorted));
	size_t at = 0;

	for (int profile = 0; profile < 2; profile++) {
		for (size_t i = 0; i < nr; i++) {
			const char *family = c->metric[row[i]].family;

			if ((strcmp(family, "perf-profile") == 0) == profile)
				sorted[at++] = row[i];
		}
	}
	memcpy(row, sorted, nr * sizeof(*row));
	free(sorted);
}

size_t lkp_table_add(const struct lkp_table *in, struct str *out)
{
	size_t *row;
	size_t nr = compare_order(in->comparison, in->show, &row);
	size_t shown;

	if (in->profile_last)
		profile_to_end(in->comparison, row, nr);
	add_axes(out, in->axes);
	add_commits(out, in->axes);
	shown = add_rows(in, row, nr, true, out);
	shown += add_rows(in, row, nr, false, out);
	str_addch(out, '\n');
	free(row);
	return shown;
}
