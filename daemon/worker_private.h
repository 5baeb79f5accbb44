/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by worker.c (leasing, watching) and adopt.c (after a restart). */
#ifndef DAEMON_WORKER_PRIVATE_H
#define DAEMON_WORKER_PRIVATE_H

#include "daemon/worker.h"
#include "db/db_box.h"

/* A list entry for a leased attempt, without a process. */
struct worker *worker_add(struct daemon *d, const struct db_attempt *a);

/*
 * Task folder and process for a leased attempt that has none yet; @slot of a
 * build. What goes wrong is our own machine's trouble and ends the attempt;
 * the error is one of the database.
 */
int worker_start(struct daemon *d, const struct db_attempt *a, int slot,
		 struct err *err);

/* Start the program for its task folder. ERR_IO. */
int worker_spawn(struct daemon *d, struct worker *w, struct err *err);

/*
 * Look at the folder of a worker that is not our running child: still held,
 * then leave it; otherwise ingest and drop the entry. On a database error the
 * entry stays and is looked at again.
 */
void worker_check(struct daemon *d, struct worker *w);

#endif
