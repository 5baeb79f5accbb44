/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long jobs will still take, from the medians of earlier attempts. */
#ifndef DAEMON_ETA_H
#define DAEMON_ETA_H

#include "db/db.h"

/*
 * {"<job id>": seconds} of all open jobs that have planned boots, in the order
 * in which they get their boxes; jobs for which no duration is known are
 * missing. New reference; NULL on a database error.
 */
json_t *eta_jobs(struct db *db, struct err *err);

/* The entry of one job, -1 unknown. @etas may be NULL. */
long long eta_of(const json_t *etas, long long job_id);

#endif
