/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be asked over the socket: one row per op. A new op is one function
 * in an op_<subject>.c, its line here and its row in ops.c; docs/protocol.md
 * says what goes in and out.
 */
#ifndef DAEMON_OPS_H
#define DAEMON_OPS_H

#include "daemon/server.h"

/*
 * Returns the reply's members (an object, new reference; "ok" is added) or NULL
 * with @err. Not called inside a transaction.
 */
typedef json_t *op_fn(struct client *c, const json_t *request, struct err *err);

struct op {
	const char *name;
	enum role role; /* at least */
	op_fn *fn;
};

/* The row called @name, or NULL with a suggestion in @err. Static. */
const struct op *op_find(const char *name, struct err *err);

op_fn op_ping;
op_fn op_shutdown;
op_fn op_submit;
op_fn op_queue;
op_fn op_status;
op_fn op_watch;
op_fn op_log;
op_fn op_cancel;
op_fn op_retry;
op_fn op_prio;
op_fn op_compare;
op_fn op_report;
op_fn op_bisect;
op_fn op_calibrations;
op_fn op_box_add;
op_fn op_box_list;
op_fn op_box_show;
op_fn op_box_drain;
op_fn op_box_undrain;
op_fn op_repo_add;
op_fn op_repo_list;

/*
 * Calibrations of a box for people: rows of db_calibration_list() with "state"
 * queued, running, ok, stale, failed, cancelled or old (there is a newer one),
 * and "why". @id not 0: that one alone; else old ones are left out. New
 * reference.
 */
json_t *op_calibration_rows(struct daemon *d, long long box_id, long long id,
			    struct err *err);

/*
 * The job that a request names, readable by everyone. ERR_DATA (no "job"),
 * ERR_NOTFOUND.
 */
struct db_job;
int op_need_job(struct client *c, const json_t *request, struct db_job *out,
		struct err *err);
/* 0 when the client may change the job (its own, or as admin); ERR_DENIED. */
int op_may_change(const struct client *c, const struct db_job *job,
		  struct err *err);

#endif
