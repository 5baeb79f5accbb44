/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Leased attempts and the processes that work on them. A worker is started in a
 * task folder and from then on known by that folder alone, so that one started
 * by an earlier daemon is the same to us as our own child.
 */
#ifndef DAEMON_WORKER_H
#define DAEMON_WORKER_H

#include "base/str.h"
#include "daemon/daemon.h"

/*
 * One leased attempt. @plan_id, @box_id: 0 for a build; @artifact_id: 0 for a
 * run; @slot: of a build, from 0, else -1. @pid: our child, or 0. @stage,
 * @text: its last progress line. @kill_ns: mono time from which its process
 * group is killed, however it may have got stuck.
 */
struct worker {
	long long attempt_id;
	long long job_id;
	long long plan_id;
	long long box_id;
	long long artifact_id;
	long long started_s;
	int slot;
	pid_t pid;
	long long kill_ns;
	char *folder;
	bool dropped; /* a build that was told to stop */
	struct str stage;
	struct str text;
	struct worker *next;
};

/*
 * Lease a plan on its box, or an artifact to a build slot: one transaction,
 * then the task folder, then the process. When that fails the attempt is ended
 * as "infra" and tried again later. The error is one of the database.
 */
int worker_lease_run(struct daemon *d, long long plan_id, struct err *err);
int worker_lease_build(struct daemon *d, long long artifact_id, int slot,
		       struct err *err);

/*
 * Take over everything that an earlier daemon left leased: running workers are
 * adopted, results ingested, new tasks started, dead ones ended as lost; and
 * clear away folders that nobody waits for.
 */
int worker_adopt_all(struct daemon *d, struct err *err);

/* Once a second: see after adopted workers, take over progress lines. */
void worker_poll(struct daemon *d);

/* Ask the workers of a job to stop: SIGTERM to their process groups. */
void worker_cancel_job(struct daemon *d, long long job_id);

/*
 * End builds that nobody waits for any more; with @room, when no slot is free,
 * one more that is only ahead of a question, so that its slot becomes free. A
 * dropped kernel is wanted again, its attempt cancelled. The error is one of
 * the database.
 */
int worker_drop_builds(struct daemon *d, bool room, struct err *err);

/* Forget all; they go on by themselves. */
void worker_forget(struct daemon *d);

int worker_count_builds(const struct daemon *d);
/* The lowest build slot that is free, or -1. */
int worker_free_slot(const struct daemon *d);

#endif
