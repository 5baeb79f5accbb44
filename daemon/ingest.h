/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a finished task folder into the database: one transaction, at most once.
 * What a worker wrote is outside data: names, numbers and counts are checked,
 * and a result that makes no sense counts as trouble of the lab.
 */
#ifndef DAEMON_INGEST_H
#define DAEMON_INGEST_H

#include "daemon/daemon.h"
#include "db/db_box.h"

/*
 * The worker of this attempt has ended (its lock is free): store its result, or
 * end the attempt as lost when there is none, keep its log and output under the
 * artifacts, remove the folder. Nothing happens when the attempt had ended
 * before. An error is one of the database: nothing was stored, try again.
 */
int ingest_attempt(struct daemon *d, long long attempt_id, struct err *err);

/* Keep log and out/ of an ended attempt, then remove its task folder. */
void ingest_clear_folder(struct daemon *d, long long attempt_id,
			 const char *folder);

/* Whether the attempt is at a boot of a job that was cancelled. */
bool ingest_is_cancelled(struct daemon *d, const struct db_attempt *a);

#endif
