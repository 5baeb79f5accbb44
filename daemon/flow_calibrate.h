/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration as a flow: a comparison whose base is its head, whose boots say
 * how a box measures one kernel; and what comparison and bisection make of it.
 */
#ifndef DAEMON_FLOW_CALIBRATE_H
#define DAEMON_FLOW_CALIBRATE_H

#include "daemon/flow_private.h"

/* Boots of each further code layout. */
#define FLOW_LAYOUT_BOOTS 4

/* --- flow_calibrate.c, flow_calibrate_end.c: doing it --- */

/* Whether the comparison is the carrier of a calibration. */
bool flow_is_calibration(const struct flow *f);
/* Queue its boots, or evaluate them once all have ended. */
int flow_calibrate_look(const struct flow *f, struct err *err);
/* All boots have ended: what they say, and what follows for the box. @row:
 * db_calibration_of(). */
int flow_calibrate_evaluate(const struct flow *f, const json_t *row,
			    struct err *err);
/* End it without a result, with the reason. */
int flow_calibrate_fail(const struct flow *f, const char *why, struct err *err);

/* --- flow_calibrated.c: using it --- */

/*
 * NONE: never calibrated. OK: to be used. STALE: too old, or of another
 * machine or kernel configuration. FAILED: its A/A failed.
 */
enum flow_calibrated {
	FLOW_CALIBRATED_NONE,
	FLOW_CALIBRATED_OK,
	FLOW_CALIBRATED_STALE,
	FLOW_CALIBRATED_FAILED,
};
/* "none", "ok", "stale", "failed". */
const char *flow_calibrated_to_str(enum flow_calibrated state);

/*
 * What is known of a box and a metric. @why: of STALE and FAILED, a sentence
 * with the way out; owned. The numbers count in state OK alone; ratios.
 * @drift_sd -1, @layout_sd NaN: not known.
 */
struct flow_calibration {
	enum flow_calibrated state;
	char *why;
	long long id, at_s, boots;
	long long aa_trials, aa_alarms;
	double sd, dof, boot_share, drift_sd, layout_sd;
};

/* @out is initialised here (flow_calibration_release). Database errors. */
int flow_calibration_get(const struct flow *f, long long box_id,
			 const char *metric, struct flow_calibration *out,
			 struct err *err);
void flow_calibration_release(struct flow_calibration *c);
/* What a verdict's evidence says of it. New reference. */
json_t *flow_calibration_json(const struct flow_calibration *c);

/*
 * The state of a calibration, a row of db_calibration_for() or
 * db_calibration_list(); appends the reason to @why unless it is OK. @box: name
 * for sentences.
 */
enum flow_calibrated flow_calibration_judge(const struct daemon *d,
					    const json_t *row, const char *box,
					    struct str *why);

/*
 * Why a bisection on these boxes ([{"id", "name"}]) may accuse nobody: one of
 * them has a calibration that is stale or has failed. *@out NULL when nothing
 * stands against it; else owned by the caller.
 */
int flow_calibration_forbids(const struct flow *f, const json_t *boxes,
			     char **out, struct err *err);

#endif
