/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What follows when something ended: the retry policy, plans that are over, the
 * flows that want to know, jobs that are done. All inside the caller's
 * transaction. Trouble of the lab says nothing of a commit: it is tried again
 * and, when it stays, ends the plan as "infra" and puts the box aside.
 */
#ifndef DAEMON_OUTCOME_H
#define DAEMON_OUTCOME_H

#include "daemon/daemon.h"
#include "db/db_box.h"

/*
 * The plan is over: @state done, failed or cancelled, @failure a word of err.h
 * or "", @why a sentence. Tells the flow, then ends the job when nothing of it
 * is open. A flow that fails, fails its comparison.
 */
int outcome_plan(struct daemon *d, long long plan_id, const char *state,
		 const char *failure, const char *why, struct err *err);

/*
 * An attempt (still leased) came to nothing for reasons of the lab: @state
 * infra or lost, @kind a word of err.h. Retried with a growing pause, at most
 * run.retries times.
 */
int outcome_infra(struct daemon *d, const struct db_attempt *a,
		  const char *state, const char *kind, const char *why,
		  struct err *err);

/*
 * The flow of a comparison can't go on, @why is a sentence: the comparison ends
 * as failed, or, when it has its verdict and is being bisected, only the
 * bisection does. What is queued is cancelled, boots that are running are left
 * to end; the job's report follows. One that is over stays as it is.
 */
int outcome_flow_failed(struct daemon *d, long long comparison_id,
			const char *why, struct err *err);

/* A kernel was built: the bisections that wait for it may know it already. */
int outcome_built(struct daemon *d, long long artifact_id, struct err *err);

/* End the job when all its comparisons have ended. */
int outcome_job(struct daemon *d, long long job_id, struct err *err);

/* Whether a failed result of this kind is tried again. */
bool outcome_is_retried(const char *kind);

/* Pause before try number @tries (from 1), in seconds. */
long long outcome_backoff_s(long long tries);

#endif
