/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison for programs. The numbers are those of the table, unrounded.
 *
 * JSON, one object:
 *   "axes"      {key: value}
 *   "commits"   [{"id", "abbrev", "subject"}], the base first
 *   "testcase"  the job's benchmark, "" when unknown
 *   "metrics_total", "metrics_changed"
 *   "headline"  null | {"metric", "change", "absolute", "direction", "word"},
 *               of the last commit against the base
 *   "metrics"   rows in the table's order, each
 *     {"name", "family", "failure", "absolute", "own", "changed",
 *      "direction": 1 more is better, -1 less is, 0 neither,
 *      "sides": one per commit}
 *   number row: {"n", "avg", "stddev", "stddev_pct", "median", "min", "max"}
 *   failure row: {"fails", "runs"}
 *   the second and further sides also have {"change", "changed", "p"}: change
 *   in percent, or a difference where absolute, or points of reproduction.
 *   A number that doesn't exist is null.
 *
 * CSV (RFC 4180, a heading line, CRLF), a line per row in the table's order:
 *   metric,kind,absolute,direction,n_0,avg_0,stddev_pct_0
 *   and per further commit i: n_i,avg_i,stddev_pct_i,change_i,changed_i,p_i
 *   kind is "number" or "failure"; in failure rows n is the runs and avg the
 *   failed ones. Missing numbers are empty; booleans are 0 and 1.
 */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "analysis/compare.h"
#include "base/json.h"
#include "base/str.h"
#include "report/axes.h"

/* New reference. */
json_t *compare_to_json(const struct axes *axes, const struct comparison *c,
			enum compare_show show);

void compare_add_csv(struct str *out, const struct comparison *c,
		     enum compare_show show);

#endif
