// SPDX-License-Identifier: GPL-3.0-or-later
// Ops queue, status, log, watch: what there is and how far it got.
#include <string.h>

#include "daemon/eta.h"
#include "daemon/ops.h"
#include "daemon/watch.h"
#include "db/db_event.h"
#include "db/db_job.h"

#define LOG_MAX	    10000
#define LOG_DEFAULT 1000
#define QUEUE_MAX   10000
#define JOB_COLUMNS                                                    \
	"SELECT j.id, j.name, b.sha AS base, h.sha AS head, j.state, " \
	"(SELECT count(*) FROM plan WHERE job_id = j.id AND state IN " \
	"('done', 'failed')) AS done, "                                \
	"(SELECT count(*) FROM plan WHERE job_id = j.id AND "          \
	"state <> 'cancelled') AS total, "                             \
	"j.prio, j.created_s, j.ended_s, j.uid, j.why, j.merge_base, " \
	"r.name AS repo "                                              \
	"FROM job j JOIN git_commit b ON b.id = j.base_id "            \
	"JOIN git_commit h ON h.id = j.head_id JOIN repo r ON r.id = j.repo_id "

static void set_eta(json_t *job, const json_t *etas)
{
	long long id = json_opt_int(job, "id", 0);

	json_object_set_new(job, "eta_s", json_integer(eta_of(etas, id)));
}

/* Open jobs say what holds them up when a box of theirs is put aside. */
static void set_why(struct client *c, json_t *job)
{
	struct db_stmt *q;
	json_t *row;

	if (*json_opt_str(job, "why", ""))
		return;
	q = db_stmt(c->d->db,
		    "SELECT 'box ' || x.name || ' is ' || x.state || "
		    "CASE x.why WHEN '' THEN '' ELSE ': ' || x.why END AS why "
		    "FROM plan p JOIN box x ON x.id = p.box_id WHERE "
		    "p.job_id = ? AND p.state = 'queued' AND "
		    "x.state <> 'ready' LIMIT 1");
	db_bind_int(q, json_opt_int(job, "id", 0));
	row = db_row(q, NULL);
	if (row)
		json_object_set(job, "why", json_object_get(row, "why"));
	json_decref(row);
}

static void set_verdict(struct client *c, json_t *job)
{
	const char *verdict = "";

	db_job_verdict(c->d->db, json_opt_int(job, "id", 0), &verdict, NULL);
	json_object_set_new(job, "verdict", json_string(verdict));
}

json_t *op_queue(struct client *c, const json_t *request, struct err *err)
{
	bool all = json_opt_bool(request, "all", false);
	struct db_stmt *q = db_stmt(
		c->d->db, all ? JOB_COLUMNS "ORDER BY j.id DESC LIMIT ?"
			      : JOB_COLUMNS "WHERE j.state IN ('queued', "
					    "'running') ORDER BY j.prio DESC, "
					    "j.id LIMIT ?");
	json_t *jobs;
	json_t *etas;
	json_t *job;
	size_t i;

	db_bind_int(q, QUEUE_MAX);
	jobs = db_rows(q, err);
	if (!jobs)
		return NULL;
	etas = eta_jobs(c->d->db, NULL);
	json_array_foreach(jobs, i, job)
	{
		set_eta(job, etas);
		set_why(c, job);
		if (all)
			set_verdict(c, job);
	}
	json_decref(etas);
	return json_pack("{s:o, s:b, s:b}", "jobs", jobs, "draining",
			 c->d->draining, "disk_low", c->d->disk_low);
}

static json_t *by_job(struct client *c, const char *sql, long long job_id,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(c->d->db, sql);

	db_bind_int(q, job_id);
	return db_rows(q, err);
}

static json_t *comparisons(struct client *c, long long job_id, struct err *err)
{
	return by_job(c,
		      "SELECT m.id, s.path, s.testcase, s.tbox_group, "
		      "x.name AS box, m.state, m.verdict, m.headline, "
		      "m.change_pct, m.e_value, m.ci_low_pct, m.ci_high_pct, "
		      "m.why FROM comparison m "
		      "JOIN series s ON s.id = m.series_id "
		      "JOIN box x ON x.id = m.box_id "
		      "WHERE m.job_id = ? ORDER BY m.id",
		      job_id, err);
}

static json_t *bisects(struct client *c, long long job_id, struct err *err)
{
	return by_job(c,
		      "SELECT b.id, b.comparison_id, b.state, b.verdict, "
		      "b.commits_json, b.posterior, b.why, "
		      "(SELECT count(*) FROM bisect_step s WHERE "
		      "s.bisect_id = b.id) AS steps FROM bisect b "
		      "JOIN comparison m ON m.id = b.comparison_id "
		      "WHERE m.job_id = ? ORDER BY b.id",
		      job_id, err);
}

static json_t *plan_counts(struct client *c, long long job_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		c->d->db, "SELECT coalesce(sum(state = 'queued'), 0) AS queued,"
			  " coalesce(sum(state = 'leased'), 0) AS leased, "
			  "coalesce(sum(state = 'done'), 0) AS done, "
			  "coalesce(sum(state = 'failed'), 0) AS failed, "
			  "coalesce(sum(state = 'cancelled'), 0) AS cancelled "
			  "FROM plan WHERE job_id = ?");

	db_bind_int(q, job_id);
	return db_row(q, err);
}

static json_t *job_row(struct client *c, long long job_id, struct err *err)
{
	struct db_stmt *q = db_stmt(c->d->db, JOB_COLUMNS "WHERE j.id = ?");
	json_t *etas;
	json_t *job;

	db_bind_int(q, job_id);
	job = db_row(q, err);
	if (!job)
		return NULL;
	etas = eta_jobs(c->d->db, NULL);
	set_eta(job, etas);
	set_why(c, job);
	json_decref(etas);
	return job;
}

json_t *op_status(struct client *c, const json_t *request, struct err *err)
{
	struct db_job job;
	json_t *reply;

	if (op_need_job(c, request, &job, err)) {
		db_job_release(&job);
		return NULL;
	}
	reply = json_pack("{s:o*, s:o*, s:o*, s:o*, s:o*}", "job",
			  job_row(c, job.id, err), "comparisons",
			  comparisons(c, job.id, err), "plans",
			  plan_counts(c, job.id, err), "running",
			  watch_running(c->d, job.id), "bisects",
			  bisects(c, job.id, err));
	db_job_release(&job);
	return reply;
}

json_t *op_log(struct client *c, const json_t *request, struct err *err)
{
	long long limit = json_opt_int(request, "limit", LOG_DEFAULT);
	json_t *events = NULL;
	struct db_job job;

	if (limit < 1 || limit > LOG_MAX)
		limit = LOG_MAX;
	if (!op_need_job(c, request, &job, err))
		events = db_event_list(c->d->db, job.id,
				       json_opt_int(request, "from_event", 0),
				       limit, err);
	db_job_release(&job);
	return events ? json_pack("{s:o}", "events", events) : NULL;
}

/* The first frames follow the reply, once the loop comes round. */
json_t *op_watch(struct client *c, const json_t *request, struct err *err)
{
	json_t *reply = NULL;
	struct db_job job;

	if (!op_need_job(c, request, &job, err)) {
		c->watch_job = job.id;
		c->watch_event = json_opt_int(request, "from_event", 0);
		str_reset(&c->watch_text);
		reply = json_pack("{s:s}", "state", job.state);
	}
	db_job_release(&job);
	daemon_wake(c->d);
	return reply;
}
