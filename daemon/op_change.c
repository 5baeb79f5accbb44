// SPDX-License-Identifier: GPL-3.0-or-later
// Ops cancel, retry, prio: changing a job that is there.
#include <string.h>

#include "base/clock.h"
#include "daemon/ops.h"
#include "daemon/worker.h"
#include "db/db_job.h"

#define PRIO_MAX 1000

typedef int change_fn(struct client *c, const struct db_job *job,
		      const json_t *request, struct err *err);

/* Run @fn on the job of the request inside a transaction. */
static json_t *change(struct client *c, const json_t *request, change_fn *fn,
		      struct err *err)
{
	struct db *db = c->d->db;
	struct db_job job;
	json_t *reply = NULL;
	int rc;

	rc = op_need_job(c, request, &job, err);
	if (!rc)
		rc = op_may_change(c, &job, err);
	if (!rc)
		rc = db_begin(db, err);
	if (!rc)
		rc = fn(c, &job, request, err);
	if (!rc)
		rc = db_commit(db, err);
	db_rollback(db);
	if (!rc) {
		reply = json_pack("{s:I}", "job", (json_int_t)job.id);
		daemon_changed(c->d);
	}
	db_job_release(&job);
	return reply;
}

static bool is_open(const struct db_job *job)
{
	return !strcmp(job->state, "queued") || !strcmp(job->state, "running");
}

static int cancel(struct client *c, const struct db_job *job,
		  const json_t *request, struct err *err)
{
	long long now_s = clock_wall_s();
	int rc;

	(void)request;
	if (!is_open(job))
		return err_set(err, ERR_EXISTS, "job %lld is %s already",
			       job->id, job->state);
	rc = db_job_cancel_open(c->d->db, job->id, now_s, err);
	if (!rc)
		rc = db_job_end(c->d->db, job->id, "cancelled", "", now_s, err);
	if (!rc)
		rc = daemon_event(c->d, job->id, "end", err,
				  "job cancelled by uid %u", (unsigned)c->uid);
	return rc;
}

json_t *op_cancel(struct client *c, const json_t *request, struct err *err)
{
	json_t *reply = change(c, request, cancel, err);

	if (reply)
		worker_cancel_job(c->d, json_opt_int(reply, "job", 0));
	return reply;
}

static int retry(struct client *c, const struct db_job *job,
		 const json_t *request, struct err *err)
{
	long long nr = 0;
	int rc;

	(void)request;
	if (!strcmp(job->state, "cancelled"))
		return err_set(err, ERR_USAGE,
			       "job %lld was cancelled: submit it again",
			       job->id);
	rc = db_job_retry(c->d->db, job->id, &nr, err);
	if (!rc && !nr)
		return err_set(err, ERR_NOTFOUND,
			       "job %lld: nothing waits for a boot that failed "
			       "for reasons of the lab; what failed is a fact "
			       "about the commit",
			       job->id);
	if (!rc)
		rc = db_job_reopen(c->d->db, job->id, err);
	if (!rc)
		rc = daemon_event(c->d, job->id, "retry", err,
				  "%lld boot%s tried again by uid %u", nr,
				  nr == 1 ? " is" : "s are", (unsigned)c->uid);
	return rc;
}

json_t *op_retry(struct client *c, const json_t *request, struct err *err)
{
	return change(c, request, retry, err);
}

static int prio(struct client *c, const struct db_job *job,
		const json_t *request, struct err *err)
{
	long long value;
	int rc = json_need_int(request, "prio", &value, err);

	if (rc)
		return rc;
	if (value < -PRIO_MAX || value > PRIO_MAX)
		return err_set(err, ERR_RANGE, "prio: from -%d to %d", PRIO_MAX,
			       PRIO_MAX);
	return db_job_set_prio(c->d->db, job->id, value, err);
}

json_t *op_prio(struct client *c, const json_t *request, struct err *err)
{
	return change(c, request, prio, err);
}
