// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ops and what several of them need.
#include "daemon/ops.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/flow.h"
#include "db/db_job.h"

static const struct op ops[] = {
	{ "ping", ROLE_VIEWER, op_ping },
	{ "submit", ROLE_SUBMITTER, op_submit },
	{ "queue", ROLE_VIEWER, op_queue },
	{ "status", ROLE_VIEWER, op_status },
	{ "watch", ROLE_VIEWER, op_watch },
	{ "log", ROLE_VIEWER, op_log },
	{ "cancel", ROLE_SUBMITTER, op_cancel },
	{ "retry", ROLE_SUBMITTER, op_retry },
	{ "prio", ROLE_SUBMITTER, op_prio },
	{ "compare", ROLE_VIEWER, op_compare },
	{ "report", ROLE_VIEWER, op_report },
	{ "bisect", ROLE_VIEWER, op_bisect },
	{ "calibrations", ROLE_VIEWER, op_calibrations },
	{ "box_add", ROLE_ADMIN, op_box_add },
	{ "box_list", ROLE_VIEWER, op_box_list },
	{ "box_show", ROLE_VIEWER, op_box_show },
	{ "box_drain", ROLE_ADMIN, op_box_drain },
	{ "box_undrain", ROLE_ADMIN, op_box_undrain },
	{ "repo_add", ROLE_ADMIN, op_repo_add },
	{ "repo_list", ROLE_VIEWER, op_repo_list },
	{ "shutdown", ROLE_ADMIN, op_shutdown },
};

const struct op *op_find(const char *name, struct err *err)
{
	const char *names[ARRAY_SIZE(ops)];
	const char *near;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		names[i] = ops[i].name;
		if (!strcmp(ops[i].name, name))
			return &ops[i];
	}
	near = str_suggest(name, names, ARRAY_SIZE(ops));
	err_set(err, ERR_USAGE, "no op \"%.40s\"%s%s%s", name,
		near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "");
	return NULL;
}

json_t *op_ping(struct client *c, const json_t *request, struct err *err)
{
	(void)c;
	(void)request;
	(void)err;
	return json_pack("{s:s, s:i}", "version", DROVER_VERSION, "pid",
			 (int)getpid());
}

json_t *op_shutdown(struct client *c, const json_t *request, struct err *err)
{
	(void)request;
	(void)err;
	daemon_stop(c->d);
	return json_object();
}

json_t *op_report(struct client *c, const json_t *request, struct err *err)
{
	return flow_report(c->d, request, err);
}

/* Who may start or stop a bisection: whoever may change the job. */
static int may_bisect(const struct client *c, const json_t *request,
		      struct err *err)
{
	struct db_job job = { 0 };
	long long id = 0;
	int rc;

	if (c->role < ROLE_SUBMITTER)
		return err_set(err, ERR_DENIED,
			       "to start or stop a bisection takes the role "
			       "submitter");
	rc = flow_bisect_job(c->d, request, &id, err);
	if (!rc)
		rc = db_job_get(c->d->db, id, &job, err);
	if (!rc)
		rc = op_may_change(c, &job, err);
	db_job_release(&job);
	return rc;
}

json_t *op_bisect(struct client *c, const json_t *request, struct err *err)
{
	const char *action = json_opt_str(request, "action", "status");
	bool changes = !strcmp(action, "start") || !strcmp(action, "stop");
	json_t *reply;

	if (changes && may_bisect(c, request, err))
		return NULL;
	reply = flow_bisect_op(c->d, request, err);
	if (changes)
		daemon_changed(c->d);
	return reply;
}

int op_need_job(struct client *c, const json_t *request, struct db_job *out,
		struct err *err)
{
	long long id;
	int rc = json_need_int(request, "job", &id, err);

	if (rc) {
		*out = (struct db_job){ 0 };
		return rc;
	}
	return db_job_get(c->d->db, id, out, err);
}

int op_may_change(const struct client *c, const struct db_job *job,
		  struct err *err)
{
	if (c->role == ROLE_ADMIN || job->uid == (long long)c->uid)
		return 0;
	return err_set(err, ERR_DENIED,
		       "job %lld belongs to uid %lld; only it and an admin may "
		       "change it",
		       job->id, job->uid);
}
