/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sweeps for programs: the numbers of the tables, unrounded; null where there
 * is none.
 *
 * Sweep: {"metric", "rows": [{"affinity", "nr_threads", "diff_pct",
 *   "confidence_pct", "base": {"n", "avg", "std_pct", "nid"}, "test": …}]}
 * Profile: {"symbol", "unit", "rows": [{"affinity", "nr_threads",
 *   "all_nodes": {"base", "test", "diff"}, "nodes": [the same or null]}]}
 */
#ifndef REPORT_SWEEP_JSON_H
#define REPORT_SWEEP_JSON_H

#include "analysis/sweep.h"
#include "base/json.h"

/* New references. */
json_t *sweep_to_json(const struct sweep *s);
json_t *sweep_profile_to_json(const struct sweep_profile *p);

#endif
