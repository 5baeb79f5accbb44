/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stored bisection knows, told as JSON: the engine's record is replayed,
 * so that priors, posteriors and the probability after each step need not be
 * stored beside it. Pure.
 */
#ifndef WEB_STATIC_BISECT_DESCRIBE_H
#define WEB_STATIC_BISECT_DESCRIBE_H

#include "base/json.h"

/*
 * @engine: what bisect_to_json made ({"start", "rounds"}); @subjects:
 * {"sha": "subject"}, may lack any. Returns, new reference:
 *   "candidates" ("prior": by the weights alone, given that there is one)
 *                oldest first, the good commit left out: {"sha", "subject",
 *                "prior", "posterior", "bad" (probability of showing the
 *                change), "boots", "runs", "status" ("" not tested)}
 *   "none"       posterior of: nothing in the range
 *   "good"       {"sha", "subject"}, "good_values": all runs of the good commit
 *   "log"        {"round", "phase", "sha", "subject", "status", "boots",
 *                "runs", "values", "effect_pct", "bad", "candidates_left",
 *                "e_value"}
 *   "finding"    {"verdict", "posterior", "e_value", "delta_pct", "lo_pct",
 *                "hi_pct", "layout_delta_pct", "candidates_left", "boots",
 *                "runs", "builds", "unbuildable", "reason"}
 * NULL when the record can't be replayed (@err says why); pages then show what
 * is stored.
 */
json_t *bisect_describe(const json_t *engine, const json_t *subjects,
			struct err *err);

#endif
