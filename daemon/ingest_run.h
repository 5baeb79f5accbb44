/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a run worker as rows: boot, runs, samples, failures. */
#ifndef DAEMON_INGEST_RUN_H
#define DAEMON_INGEST_RUN_H

#include "daemon/daemon.h"
#include "db/db_box.h"

/*
 * Store "boot", "hw" and "runs" of @result (docs/protocol.md) for the attempt.
 * *@out_good counts the runs that are done. ERR_DATA names what makes no sense
 * (the caller undoes what was written by then); database errors.
 */
int ingest_run_rows(struct daemon *d, const struct db_attempt *a,
		    const json_t *result, int *out_good, struct err *err);

#endif
