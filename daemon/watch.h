/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pushing events, progress and the end of a job to those who watch it. */
#ifndef DAEMON_WATCH_H
#define DAEMON_WATCH_H

#include "daemon/server.h"

/* What is being done for a job right now: [{box, stage, text, commit,
 * since_s}], builds without "box". New reference. */
json_t *watch_running(struct daemon *d, long long job_id);

/* Send every watcher the events it has not seen, and the end. */
void watch_push(struct daemon *d);
/* Send every watcher the progress of its job when it has changed. */
void watch_progress(struct daemon *d);

#endif
