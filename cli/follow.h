/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following a job through the daemon: events as lines, progress with ETA. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "base/err.h"
#include "base/str.h"

/*
 * How a job ended: @state done, failed or cancelled; @verdict "" for none;
 * @why it failed, "" when it didn't.
 */
struct follow_end {
	char state[16];
	char verdict[32];
	char why[1024];
};

/*
 * Watch @job from event @from_event on until it ends, printing to standard
 * error (nothing with --quiet, frames to standard output with --json). When
 * the daemon is restarted meanwhile it re-attaches, for up to a minute.
 * ERR_NOTFOUND; ERR_INFRA.
 */
int follow_job(long long job, long long from_event, struct follow_end *out,
	       struct err *err);

/* Say on standard output how @job ended; nothing with --json. */
void follow_say_end(long long job, const struct follow_end *end);

#endif
