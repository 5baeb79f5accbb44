/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A look at a comparison: what was measured, and the row that follows. */
#ifndef DAEMON_FLOW_LOOK_H
#define DAEMON_FLOW_LOOK_H

#include "analysis/verdict.h"
#include "daemon/flow_calibrate.h"

/* Everything that a look at a comparison works on. */
struct flow_look {
	const struct flow *f;
	struct flow_boots boots;
	struct flow_side side[2];
	struct comparison cmp;
	const struct compare_metric *headline; /* NULL: there is none */
	int candidates;
	struct verdict_pair *pairs;
	struct verdict_in in;
	struct verdict v;
	struct flow_calibration calibration;
	size_t tried; /* pairs begun, measured or not */
};

/*
 * Store verdict, numbers and evidence, the state staying as it is; the sentence
 * is added to @why once there is a verdict.
 */
int flow_look_store(const struct flow_look *l, struct str *why,
		    struct err *err);

#endif
