// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict table as text; the columns are all here.
#include "report/verdict_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/wrap.h"

#define COLUMNS	       80
#define CHANGE_WIDTH   9
#define INTERVAL_WIDTH 19
#define EVIDENCE_WIDTH 9
#define BOOTS_WIDTH    6
#define DETECT_WIDTH   7
#define NAME_ALONE     4
/* Of the others of a cluster so many are named, in so many columns each. */
#define SAME_SHOWN 3
#define SAME_WIDTH 70

/* Up to so many per cent are printed with so many digits. */
#define PCT_FINE  10.0
#define PCT_PLAIN 1000.0
#define PCT_LARGE 1e5

/* Behind a blank at least, whatever the width. */
static void add_right(struct str *out, const char *text, size_t width)
{
	size_t columns = wrap_columns(text, strlen(text));

	do
		str_addch(out, ' ');
	while (++columns < width);
	str_add(out, text);
}

static void add_amount(struct str *out, double v, bool absolute, bool sign)
{
	double pct = 100 * v;

	if (absolute)
		str_addf(out, sign ? "%+.3g" : "%.3g", v);
	else if (fabs(pct) < PCT_FINE)
		str_addf(out, sign ? "%+.2f" : "%.2f", pct);
	else if (fabs(pct) < PCT_PLAIN)
		str_addf(out, sign ? "%+.1f" : "%.1f", pct);
	else if (fabs(pct) < PCT_LARGE)
		str_addf(out, sign ? "%+.0f" : "%.0f", pct);
	else
		str_addf(out, sign ? "%+.1e" : "%.1e", pct);
}

static void add_change(struct str *out, const struct evidence_row *row)
{
	struct str cell = STR_INIT;

	if (isnan(row->effect)) {
		str_add(&cell, "-");
	} else {
		add_amount(&cell, row->effect, row->absolute, true);
		str_add(&cell, row->absolute ? " " : "%");
	}
	add_right(out, cell.p, CHANGE_WIDTH);
	str_release(&cell);
}

static void add_interval(struct str *out, const struct evidence_row *row,
			 bool ascii)
{
	struct str cell = STR_INIT;

	if (isnan(row->lo) || isnan(row->hi)) {
		str_add(&cell, "-");
	} else if (isinf(row->lo) || isinf(row->hi)) {
		str_add(&cell, "unbounded");
	} else {
		add_amount(&cell, row->lo, row->absolute, true);
		str_add(&cell, ascii ? " .. " : " … ");
		add_amount(&cell, row->hi, row->absolute, true);
	}
	add_right(out, cell.p, INTERVAL_WIDTH);
	str_release(&cell);
}

static void add_evidence(struct str *out, const struct evidence_row *row)
{
	struct str cell = STR_INIT;

	if (isnan(row->q))
		str_add(&cell, row->test == EVIDENCE_SAME ? "same" : "-");
	else if (row->test == EVIDENCE_PAIRS)
		str_addf(&cell, "%.3g", row->e_value);
	else if (row->q < 0.001)
		str_addf(&cell, "%.1e", row->q);
	else
		str_addf(&cell, "%.3f", row->q);
	add_right(out, cell.p, EVIDENCE_WIDTH);
	str_release(&cell);
}

static void add_boots(struct str *out, const struct evidence_row *row)
{
	struct str cell = STR_INIT;

	str_addf(&cell, "%zu/%zu", row->boots[0], row->boots[1]);
	add_right(out, cell.p, BOOTS_WIDTH);
	str_release(&cell);
}

static void add_detectable(struct str *out, const struct evidence_row *row)
{
	struct str cell = STR_INIT;

	if (isnan(row->detectable)) {
		str_add(&cell, "-");
	} else if (isinf(row->detectable)) {
		str_add(&cell, "none");
	} else {
		add_amount(&cell, row->detectable, row->absolute, false);
		str_add(&cell, row->absolute ? " " : "%");
	}
	add_right(out, cell.p, DETECT_WIDTH);
	str_release(&cell);
}

/* Bytes of the first @columns code points of @text. */
static size_t head_bytes(const char *text, size_t columns)
{
	size_t i = 0;

	while (text[i] && columns--) {
		for (i++; ((unsigned char)text[i] & 0xc0) == 0x80;)
			i++;
	}
	return i;
}

/* @name in at most @width columns: the ends say more than the middle does. */
static void add_cut(struct str *out, const char *name, size_t width)
{
	struct str safe = STR_INIT;
	size_t columns;
	size_t half = (width - 3) / 2;

	str_add_term(&safe, name, false);
	columns = wrap_columns(safe.p, safe.len);
	if (columns <= width) {
		str_add(out, safe.p);
	} else {
		str_addn(out, safe.p, head_bytes(safe.p, half));
		str_add(out, "...");
		str_add(out, safe.p + head_bytes(safe.p, columns - half));
	}
	str_release(&safe);
}

/*
 * A name that is wider than the rest of the line, which began at @start, gets
 * one of its own.
 */
static void add_name(struct str *out, size_t start, const char *name)
{
	size_t used = wrap_columns(out->p + start, out->len - start);
	struct str cell = STR_INIT;

	add_cut(&cell, name, COLUMNS - NAME_ALONE);
	if (used + 1 + wrap_columns(cell.p, cell.len) > COLUMNS) {
		str_rtrim(out);
		str_addf(out, "\n%*s", NAME_ALONE, "");
	} else {
		str_addch(out, ' ');
	}
	str_add(out, cell.p);
	str_addch(out, '\n');
	str_release(&cell);
}

static bool is_marked(const struct verdict_table *in,
		      const struct evidence_row *row)
{
	return row->metric->side[in->side].changed;
}

static void add_row(const struct verdict_table *in,
		    const struct evidence_row *row, struct str *out)
{
	size_t start = out->len;

	str_addch(out, row->believed ? '!' : ' ');
	str_addch(out, is_marked(in, row) ? '*' : ' ');
	add_change(out, row);
	add_interval(out, row, in->ascii);
	add_evidence(out, row);
	add_boots(out, row);
	add_detectable(out, row);
	add_name(out, start, row->metric->name);
}

/* Rows of @row, @nr of them, that the headline @at speaks for. */
static void add_same(const struct verdict_table *in, size_t at,
		     const size_t *row, size_t nr, struct str *out)
{
	const struct evidence *e = in->evidence;
	struct str text = STR_INIT;
	size_t others = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (row[i] == at || e->row[row[i]].headline != at)
			continue;
		if (others++ < SAME_SHOWN) {
			str_add(&text, others > 1 ? ", " : "the same: ");
			add_cut(&text, e->row[row[i]].metric->name, SAME_WIDTH);
		}
	}
	if (others > SAME_SHOWN)
		str_addf(&text, " and %zu more", others - SAME_SHOWN);
	if (others)
		wrap_add(out, text.p, "      = ", "        ", COLUMNS);
	str_release(&text);
}

/* The rows as they come, those of a cluster behind its headline. */
static void add_rows(const struct verdict_table *in, const size_t *row,
		     size_t nr, struct str *out)
{
	const struct evidence *e = in->evidence;
	char *shown = xcalloc(e->nr + 1, 1);
	size_t i;

	for (i = 0; i < nr && in->show != VERDICT_SHOW_ALL; i++)
		shown[row[i]] = 1;
	for (i = 0; i < nr; i++) {
		size_t head = e->row[row[i]].headline;

		if (shown[head] && head != row[i])
			continue;
		add_row(in, &e->row[row[i]], out);
		if (shown[row[i]])
			add_same(in, row[i], row, nr, out);
	}
	free(shown);
}

static void add_table(const struct verdict_table *in, struct str *out)
{
	size_t *row;
	size_t nr = verdict_table_rows(in, &row);

	if (nr) {
		str_add(out, "\n  ");
		add_right(out, "change ", CHANGE_WIDTH);
		add_right(out, "95% interval", INTERVAL_WIDTH);
		add_right(out, in->evidence->paired ? "E value" : "q value",
			  EVIDENCE_WIDTH);
		add_right(out, "boots", BOOTS_WIDTH);
		add_right(out, "sees ", DETECT_WIDTH);
		str_add(out, " metric\n");
		add_rows(in, row, nr, out);
	}
	free(row);
}

/* --- summary --- */

static void add_commit(const char *what, const struct axes_commit *c,
		       struct str *out)
{
	struct str line = STR_INIT;

	str_addf(&line, "%s ", what);
	str_add_term(&line, c->abbrev, false);
	if (*c->subject) {
		str_add(&line, " (\"");
		str_add_term(&line, c->subject, false);
		str_add(&line, "\")");
	}
	wrap_add(out, line.p, "", "     ", COLUMNS);
	str_release(&line);
}

static void add_method(const struct verdict_table *in, struct str *out)
{
	const struct evidence *e = in->evidence;
	struct str text = STR_INIT;

	str_addf(&text, "Boots: %zu and %zu", e->boots[0], e->boots[1]);
	if (e->paired)
		str_add(&text,
			" in interleaved pairs. Test: e-process over the "
			"pairs, e-BH over the metrics: holds at whatever "
			"moment one looks.");
	else
		str_add(&text, ", no pairs. Test: Welch's t-test, or Mann and "
			       "Whitney's ranks where values are rough; "
			       "Benjamini and Hochberg over the metrics.");
	if (in->runs_are_boots)
		str_add(&text, " Each run is taken as a boot of its own; if "
			       "several shared one, say --runs-per-boot, or "
			       "differences between boots pass as changes.");
	wrap_add(out, text.p, "", "  ", COLUMNS);
	str_release(&text);
}

static size_t total(const size_t by_family[EVIDENCE_FAMILIES])
{
	size_t sum = 0;
	size_t i;

	for (i = 0; i < EVIDENCE_FAMILIES; i++)
		sum += by_family[i];
	return sum;
}

static void add_counts(const struct verdict_table *in, struct str *out)
{
	const struct evidence *e = in->evidence;
	struct str text = STR_INIT;

	str_addf(&text,
		 "Tested: %zu of %zu metrics (headlines %zu, others %zu, "
		 "failures %zu)%s",
		 total(e->tested), e->nr, e->tested[EVIDENCE_HEADLINES],
		 e->tested[EVIDENCE_OTHERS], e->tested[EVIDENCE_FAILURES],
		 total(e->tested) < e->nr
			 ? "; the rest never varies or has too few boots."
			 : ".");
	wrap_add(out, text.p, "", "  ", COLUMNS);
	str_reset(&text);
	str_addf(&text, "Believed (!): %zu", total(e->believed));
	if (total(e->believed))
		str_addf(&text, " in %zu cluster%s, of which %.1f may be false",
			 e->clusters, e->clusters == 1 ? "" : "s",
			 e->false_expected);
	str_addf(&text, ". LKP's rule (*) marks %zu", e->marked);
	if (in->runs_are_boots && e->marked_expected >= 0.05)
		str_addf(&text, "; if nothing had changed, up to %.*f",
			 e->marked_expected < PCT_FINE, e->marked_expected);
	str_addch(&text, '.');
	wrap_add(out, text.p, "", "  ", COLUMNS);
	str_release(&text);
}

static void add_lab(const struct verdict_lab *lab, struct str *out)
{
	struct str text = STR_INIT;

	str_add(&text, "False alarms of this lab: ");
	if (lab->trials)
		str_addf(&text,
			 "%zu of %zu splits of the boots of one kernel "
			 "(%.1f%%).",
			 lab->alarms, lab->trials,
			 100 * (double)lab->alarms / (double)lab->trials);
	else if (!isnan(lab->rate))
		str_addf(&text,
			 "%.1f%% of comparisons of a kernel with itself.",
			 100 * lab->rate);
	else
		str_add(&text, "not calibrated, so unknown.");
	wrap_add(out, text.p, "", "  ", COLUMNS);
	str_release(&text);
}

static void add_legend(const struct verdict_table *in, struct str *out)
{
	struct str text = STR_INIT;

	str_addch(out, '\n');
	str_addf(&text,
		 "! believed: %s, and a change of %.3g%% or more. * marked by "
		 "LKP's rule. sees: the smallest change that would have been "
		 "believed in 4 of 5 tries.",
		 in->evidence->paired
			 ? "E of 100 for each headline tested, 20 for each "
			   "other metric, fewer where many changed"
			 : "q of 0.01 for headlines, 0.05 for the others",
		 100 * in->min_effect);
	wrap_add(out, text.p, "", "  ", COLUMNS);
	str_release(&text);
}

void verdict_table_add(const struct verdict_table *in, struct str *out)
{
	const struct axes *axes = in->axes;

	if (in->side < axes->nr_commits) {
		add_commit("base", &axes->commit[0], out);
		add_commit("head", &axes->commit[in->side], out);
	}
	if (in->said && *in->said)
		wrap_add(out, in->said, "Verdict: ", "  ", COLUMNS);
	add_method(in, out);
	add_counts(in, out);
	add_lab(&in->lab, out);
	add_table(in, out);
	add_legend(in, out);
}
