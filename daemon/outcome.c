// SPDX-License-Identifier: GPL-3.0-or-later
// Retry policy, and the ends of plans, comparisons and jobs.
#include "daemon/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/lab_mail.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"
#include "db/db_plan.h"

bool outcome_is_retried(const char *kind)
{
	static const char *const words[] = { "infra", "timeout", "io", "busy" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], kind))
			return true;
	return false;
}

/* 1, 4, 16, 64, … seconds: a hiccup is over at once, an outage is not. */
long long outcome_backoff_s(long long tries)
{
	long long s = 1;

	while (--tries > 0 && s < DB_PLAN_PAUSE_MAX_S)
		s *= 4;
	return s < DB_PLAN_PAUSE_MAX_S ? s : DB_PLAN_PAUSE_MAX_S;
}

int outcome_job(struct daemon *d, long long job_id, struct err *err)
{
	const char *verdict = "";
	const char *state = "";
	struct db_job job;
	char *why = NULL;
	int rc;

	rc = db_job_get(d->db, job_id, &job, err);
	if (rc || (strcmp(job.state, "queued") != 0 &&
		   strcmp(job.state, "running") != 0))
		goto out;
	rc = db_job_outcome(d->db, job_id, &state, &why, err);
	if (rc || !*state)
		goto out;
	rc = db_job_verdict(d->db, job_id, &verdict, err);
	if (!rc)
		rc = db_job_end(d->db, job_id, state, why, clock_wall_s(), err);
	if (!rc)
		rc = daemon_event(d, job_id, "end", err, "job %s%s%s%s%s",
				  state, *verdict ? ": " : "", verdict,
				  *why ? ": " : "", why);
out:
	free(why);
	db_job_release(&job);
	return rc;
}

/* What was found out stays: a bisection is about a verdict. */
static int end_comparison(struct daemon *d, const struct db_comparison *c,
			  const char *why, struct err *err)
{
	bool bisecting = !strcmp(c->state, "bisecting");
	char *text =
		bisecting ? xasprintf("%s; bisection failed: %s", c->why, why)
			  : xstrdup(why);
	int rc = db_comparison_set_state(d->db, c->id,
					 bisecting ? "done" : "failed", text,
					 clock_wall_s(), err);

	free(text);
	return rc;
}

static int fail_comparison(struct daemon *d, const struct db_comparison *c,
			   const char *why, struct err *err)
{
	int rc = db_flow_cancel_queued(d->db, c->id, err);

	daemon_log("comparison %lld of job %lld: %s; it is given up", c->id,
		   c->job_id, why);
	if (!rc)
		rc = db_bisect_fail(d->db, c->id, why, clock_wall_s(), err);
	if (!rc)
		rc = end_comparison(d, c, why, err);
	if (!rc)
		rc = daemon_event(d, c->job_id, "failed", err,
				  "comparison %lld failed: %s", c->id, why);
	return rc ? rc : flow_job_report(d, c->job_id, err);
}

int outcome_flow_failed(struct daemon *d, long long comparison_id,
			const char *why, struct err *err)
{
	struct db_comparison c;
	int rc = db_comparison_get(d->db, comparison_id, &c, err);

	if (!rc && strcmp(c.state, "done") != 0 &&
	    strcmp(c.state, "failed") != 0 && strcmp(c.state, "cancelled") != 0)
		rc = fail_comparison(d, &c, why, err);
	db_comparison_release(&c);
	return rc;
}

static int tell_flow(struct daemon *d, const struct db_plan *plan,
		     struct err *err)
{
	struct err why = { 0 };
	int rc = db_part_begin(d->db, err);
	int failed;

	if (rc)
		return rc;
	failed = flow_plan_ended(d, plan->id, &why);
	rc = db_part_settle(d->db, failed, &why, err);
	return rc || !failed ? rc
			     : outcome_flow_failed(d, plan->comparison_id,
						   why.text, err);
}

int outcome_plan(struct daemon *d, long long plan_id, const char *state,
		 const char *failure, const char *why, struct err *err)
{
	struct db_plan plan;
	int rc;

	rc = db_plan_get(d->db, plan_id, &plan, err);
	if (!rc)
		rc = db_plan_end(d->db, plan_id, state, failure, why, err);
	if (!rc && !strcmp(state, "failed"))
		rc = daemon_event(d, plan.job_id, "failed", err,
				  "boot %lld failed (%s): %s", plan.seq,
				  failure, why);
	if (!rc)
		rc = tell_flow(d, &plan, err);
	if (!rc)
		rc = outcome_job(d, plan.job_id, err);
	db_plan_release(&plan);
	return rc;
}

int outcome_built(struct daemon *d, long long artifact_id, struct err *err)
{
	struct err why = { 0 };
	int rc = db_plan_clear_tries(d->db, artifact_id, err);

	if (!rc)
		rc = db_part_begin(d->db, err);
	if (rc)
		return rc;
	rc = flow_kernel_built(d, artifact_id, &why);
	if (rc)
		daemon_log("artifact %lld: %s; its boots are run", artifact_id,
			   why.text);
	return db_part_settle(d->db, rc, &why, err);
}

static int quarantine(struct daemon *d, const struct db_plan *plan,
		      const char *why, struct err *err)
{
	struct db_box box;
	int rc = db_box_get(d->db, plan->box_id, &box, err);

	if (!rc && !strcmp(box.state, "ready")) {
		rc = db_box_set_state(d->db, box.id, "quarantined", why, err);
		daemon_log("box %s: %s; put aside until drover box resume %s",
			   box.name, why, box.name);
		if (!rc)
			rc = daemon_event(d, plan->job_id, "box", err,
					  "box %s is put aside: %s", box.name,
					  why);
		if (!rc)
			rc = lab_mail(d, plan->job_id, why, err,
				      "box %s is put aside", box.name);
	}
	db_box_release(&box);
	return rc;
}

/* Trouble on our own machine is not held against the box. */
static bool is_boxs_fault(const char *kind)
{
	return strcmp(kind, "io") != 0;
}

static int retry_run(struct daemon *d, const struct db_plan *plan,
		     const char *kind, const char *why, struct err *err)
{
	long long tries = plan->tries + 1;
	long long pause_s = outcome_backoff_s(tries);
	bool last = tries > d->cfg.run.retries;
	int rc = 0;

	if (is_boxs_fault(kind))
		rc = db_box_infra(d->db, plan->box_id, true, err);
	if (!rc && last && is_boxs_fault(kind))
		rc = quarantine(d, plan, why, err);
	if (rc)
		return rc;
	if (last)
		return outcome_plan(d, plan->id, "failed", kind, why, err);
	rc = db_plan_requeue(d->db, plan->id, tries, clock_wall_s() + pause_s,
			     err);
	if (!rc)
		rc = daemon_event(d, plan->job_id, "retry", err,
				  "boot %lld is tried again in %lld s (%lld of "
				  "%lld): %s",
				  plan->seq, pause_s, tries, d->cfg.run.retries,
				  why);
	return rc;
}

static int infra_run(struct daemon *d, const struct db_attempt *a,
		     const char *kind, const char *why, struct err *err)
{
	struct db_plan plan;
	int rc = db_plan_get(d->db, a->plan_id, &plan, err);

	/* a cancelled job's plan isn't queued again */
	if (!rc && !strcmp(plan.state, "leased"))
		rc = retry_run(d, &plan, kind, why, err);
	db_plan_release(&plan);
	return rc;
}

/* Every plan that waits for the artifact and has had its tries ends. */
static int fail_waiting(struct daemon *d, long long artifact_id,
			const char *kind, const char *why, struct err *err)
{
	long long plan_id = 0;
	struct db_stmt *q;
	int rc;

	for (;;) {
		q = db_stmt(d->db, "SELECT id FROM plan WHERE artifact_id = ? "
				   "AND state = 'queued' AND tries > ? "
				   "LIMIT 1");
		db_bind_int(q, artifact_id);
		db_bind_int(q, d->cfg.run.retries);
		rc = db_get_int(q, &plan_id, err);
		if (rc == ERR_NOTFOUND)
			return 0;
		if (!rc)
			rc = outcome_plan(d, plan_id, "failed", kind, why, err);
		if (rc)
			return rc;
	}
}

static int postpone_waiting(struct daemon *d, long long artifact_id,
			    long long pause_s, struct err *err)
{
	struct db_stmt *q =
		db_stmt(d->db, "UPDATE plan SET not_before_s = ? WHERE "
			       "artifact_id = ? AND state = 'queued'");

	db_bind_int(q, clock_wall_s() + pause_s);
	db_bind_int(q, artifact_id);
	return db_run(q, err);
}

/* Each boot that waits has tries of its own: what failed before it was asked
 * for, another day, leaves it no fewer. */
static int infra_build(struct daemon *d, const struct db_attempt *a,
		       const char *kind, const char *why, struct err *err)
{
	long long tries = 0;
	int rc;

	rc = db_artifact_set_state(d->db, a->artifact_id, "wanted", err);
	if (!rc)
		rc = db_plan_add_try(d->db, a->artifact_id, &tries, err);
	if (rc)
		return rc;
	daemon_log("build of artifact %lld: %s; try %lld of %lld",
		   a->artifact_id, why, tries, d->cfg.run.retries + 1);
	rc = fail_waiting(d, a->artifact_id, kind, why, err);
	return rc ? rc
		  : postpone_waiting(d, a->artifact_id,
				     outcome_backoff_s(tries), err);
}

int outcome_infra(struct daemon *d, const struct db_attempt *a,
		  const char *state, const char *kind, const char *why,
		  struct err *err)
{
	int rc = db_attempt_end(d->db, a->id, state, kind, why, err);

	if (rc)
		return rc;
	if (a->plan_id)
		return infra_run(d, a, kind, why, err);
	return infra_build(d, a, kind, why, err);
}
