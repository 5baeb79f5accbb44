/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the calibrated tests believe about a comparison, beside LKP's row rule:
 * as text of 80 columns, and for programs.
 */
#ifndef REPORT_VERDICT_TABLE_H
#define REPORT_VERDICT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/evidence.h"
#include "base/json.h"
#include "base/str.h"
#include "report/axes.h"

enum verdict_show {
	VERDICT_SHOW_EITHER, /* believed, or marked by LKP's rule */
	VERDICT_SHOW_MARKED, /* marked by LKP's rule */
	VERDICT_SHOW_ALL,
};

/*
 * How often the lab raises a false alarm: @alarms of @trials comparisons of a
 * kernel with itself; 0 trials: not known as counts. @rate: the share where
 * only that is known, NaN: not known.
 */
struct verdict_lab {
	size_t alarms, trials;
	double rate;
};

/*
 * @side: the commit judged, as in @evidence. @said: the daemon's own verdict on
 * the headline, NULL or "": none. @runs_are_boots: nothing says which runs
 * shared a boot, so each was taken as a boot of its own. All borrowed.
 */
struct verdict_table {
	const struct axes *axes;
	const struct comparison *comparison;
	const struct evidence *evidence;
	size_t side;
	enum verdict_show show;
	bool ascii;
	struct verdict_lab lab;
	const char *said;
	bool runs_are_boots;
	double min_effect;
};

/* Summary, table and legend. No line is wider than 80 columns. */
void verdict_table_add(const struct verdict_table *in, struct str *out);

/*
 * One object:
 *  "base", "head"  ids of the commits
 *  "said"          the daemon's verdict on the headline, or null
 *  "method"        "pairs" | "boots"
 *  "boots"         [base, head]
 *  "runs_are_boots"  true when nothing says which runs shared a boot
 *  "min_effect_pct"  smaller changes are not believed
 *  "families"      {"headlines"|"others"|"failures":
 *                   {"tested", "believed", "level"}}
 *  "tested", "believed", "clusters"  over all families
 *  "false_expected"  of the believed ones, at most, on average
 *  "marked", "marked_by_accident"  rows of LKP's rule, and how many it would
 *                  mark at most if nothing had changed
 *  "lab"           null | {"alarms", "trials", "rate"}
 *  "metrics"       rows in the table's order, each {"name", "family", "test",
 *                  "absolute", "effect", "ci": [low, high], "e", "p", "q",
 *                  "boots": [base, head], "runs": [base, head], "detectable",
 *                  "calibrated", "believed", "marked", "headline"}
 * Effects are relative, or differences where "absolute"; what is unknown or
 * unbounded is null. "headline": the metric that speaks for the row's cluster.
 * New reference.
 */
json_t *verdict_table_to_json(const struct verdict_table *in);

/* The rows that are shown, in their order: places in @in->evidence->row; owned
 * by the caller (free). Returns how many. */
size_t verdict_table_rows(const struct verdict_table *in, size_t **out_row);

#endif
