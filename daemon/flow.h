/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the daemon's core calls when work began or ended: the flows decide which
 * boots are wanted next, what they mean, and what is said about it. They insert
 * plan rows and find them ended; how plans get executed is none of theirs.
 */
#ifndef DAEMON_FLOW_H
#define DAEMON_FLOW_H

#include "base/err.h"
#include "base/json.h"

struct daemon;

/*
 * Begin a comparison of state 'new': insert its first plan rows and set the
 * state. Called inside the transaction of the submission.
 */
int flow_comparison_start(struct daemon *d, long long comparison_id,
			  struct err *err);

/*
 * A plan became done, failed or cancelled: may insert plans, bisect rows,
 * verdicts, outbox rows. Called inside the transaction that stored the result;
 * an error undoes what this call wrote and fails the comparison with the
 * sentence.
 */
int flow_plan_ended(struct daemon *d, long long plan_id, struct err *err);

/*
 * A kernel was built: boots of a bisection that wait for it aren't run where
 * the same bits were measured already. Called inside the transaction that
 * stored the result; an error undoes what this call wrote and costs those boots
 * only.
 */
int flow_kernel_built(struct daemon *d, long long artifact_id, struct err *err);

/*
 * After a start: look again at comparisons without a verdict whose plans have
 * all ended. Called inside a transaction.
 */
int flow_resume(struct daemon *d, struct err *err);

/*
 * When the last comparison of a job has ended: its report, folder and mail. One
 * that can't be written is said in the job's log and is no error. Called inside
 * a transaction.
 */
int flow_job_report(struct daemon *d, long long job_id, struct err *err);

/*
 * The ops "report" and "bisect" of docs/protocol.md. The reply without "ok";
 * new reference, NULL on error. Not inside a transaction.
 */
json_t *flow_report(struct daemon *d, const json_t *request, struct err *err);
json_t *flow_bisect_op(struct daemon *d, const json_t *request,
		       struct err *err);
/* The job that a request of op "bisect" is about. ERR_NOTFOUND, ERR_USAGE. */
int flow_bisect_job(struct daemon *d, const json_t *request, long long *out,
		    struct err *err);

#endif
