/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following a job through the daemon: events as lines, progress with ETA. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include <stdbool.h>

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
 * Watch @job from its first event until it ends, printing to standard error
 * (nothing with --quiet, frames to standard output with --json). When the
 * daemon is restarted meanwhile it re-attaches, for up to a minute. @was_there:
 * the daemon has just answered, so that it is waited for from the beginning;
 * else one that isn't there is an error at once.
 * ERR_NOTFOUND; ERR_INFRA.
 */
int follow_job(long long job, bool was_there, struct follow_end *out,
	       struct err *err);

/* Say on standard output how @job ended; nothing with --json. */
void follow_say_end(long long job, const struct follow_end *end);

#endif
