/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last check of an accusation: head with the culprit reverted, in pairs of
 * boots with head itself. Steps of phase "revert" of the bisection hold what
 * was asked and what came back; there is no other state.
 */
#ifndef DAEMON_FLOW_REVERT_H
#define DAEMON_FLOW_REVERT_H

#include "daemon/flow_private.h"

/* bisect_step.ask_json: its "phase" */
#define FLOW_REVERT_PHASE "revert"

/*
 * The engine accuses @found's commit: ask for boots of its revert on head, for
 * more of them, or say what they showed. Returns 1 while boots are on their
 * way; else 0 and in *@out, owned by the caller, {"outcome" back, not-back,
 * open, conflict or failed, "say" (one line), "sha", "expected", "delta",
 * "delta_lo", "delta_hi", "e_back", "e_half", "pairs", "boots"}, or NULL where
 * nothing is to be learnt: it is head itself, or bisect.revert is off. What
 * goes wrong with the revert is an outcome, not an error; the verdict stays.
 */
int flow_revert(const struct flow_bisect *b, const struct bisect_finding *found,
		json_t **out, struct err *err);

/* Append to the bisection's sentence; nothing for NULL. */
void flow_revert_add_why(const json_t *revert, struct str *out);

/* --- flow_revert_step.c --- */

/* Whether a row of bisect_step is about a revert; its boots aren't for the
 * engine. */
bool flow_revert_is_step(const json_t *step);
/* Store what came back of such a step. */
int flow_revert_take(const struct flow_bisect *b, const json_t *step,
		     const struct flow_boots *boots, struct err *err);
/* Stopped by hand: end such a step without a result. 0: none is open, else 1.
 */
int flow_revert_stop(const struct flow_bisect *b, struct err *err);

#endif
