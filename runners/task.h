/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task folder: how droverd hands work to a worker process and gets the
 * result back so that a crash of either side loses and repeats nothing.
 *
 * A folder holds task.json (everything the worker needs), lock (flock held for
 * the worker's life, its pid inside), progress (one line), log, out/ and at the
 * end result.json, whose rename into place is the commit point. It may lie on
 * a shared file system: the worker may run on another machine.
 */
#ifndef RUNNERS_TASK_H
#define RUNNERS_TASK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define TASK_SPEC_MAX_BYTES   ((size_t)1 << 20)
#define TASK_RESULT_MAX_BYTES ((size_t)32 << 20)

enum task_state {
	TASK_NEW,     /* written, no worker has taken it yet */
	TASK_RUNNING, /* a worker holds the lock: adopt, don't start another */
	TASK_DONE,    /* lock free, result.json there: read it */
	TASK_LOST,    /* lock free, no result: that worker died */
};

/* --- the worker's side -----------------------------------------------------
 */

/*
 * An open task. @dir absolute, owned; @spec the content of task.json, owned;
 * @lock_fd, @log_fd: held until task_close. Log lines go to @log_fd, which may
 * be given to children as their output.
 */
struct task {
	char *dir;
	json_t *spec;
	int lock_fd;
	int log_fd;
};

/*
 * Take the task in @dir: lock it, write the pid into the lock, read task.json,
 * open the log (appending), make out/.
 * ERR_BUSY (another worker has it); ERR_EXISTS (it has a result already: there
 * is nothing to do); ERR_DATA (task.json); ERR_NOTFOUND, ERR_IO.
 */
int task_open(const char *dir, struct task *out, struct err *err);
/* Release everything, the lock last. A zeroed or closed task is fine. */
void task_close(struct task *t);

/*
 * Replace the progress line by "STAGE<TAB>TEXT". @stage is one word (for
 * people and for the page of the running job). Failures are ignored: progress
 * is a courtesy.
 */
void task_progress(struct task *t, const char *stage, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Append one line to the log, with the UTC time in front. */
void task_log(struct task *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "DIR/out/NAME"; owned by the caller. */
char *task_out_path(const struct task *t, const char *name);

/*
 * Commit the result: @payload (an object; reference taken) with
 * "status":"done" added. ERR_LIMIT (over TASK_RESULT_MAX_BYTES: nobody would
 * read it), ERR_IO: nothing is committed then.
 */
int task_finish(struct task *t, json_t *payload, struct err *err);
/*
 * Commit a failure: {"status":"failed","kind":err word,"message":sentence} and
 * what @payload (NULL or an object; reference taken) adds, unless that is too
 * large. @why holds an error.
 * Returns 0 or ERR_IO, with the reason logged.
 */
int task_fail(struct task *t, const struct err *why, json_t *payload);

/*
 * From now on SIGTERM, SIGINT and SIGHUP don't end the process but make
 * task_stopped() true (and interrupt sleeping system calls). SIGPIPE is
 * ignored.
 */
void task_catch_stop(void);
bool task_stopped(void);

/*
 * The whole main() of a worker: one argument, the task folder. Opens it, calls
 * @run, which fills *@payload (an object, given NULL; ownership passes) and
 * returns 0 or an error that becomes a failed result. Exit status: 0 a result
 * was committed (done or failed) or was there already, 2 bad usage or task,
 * 75 the task is held by another worker, 5 no result could be written.
 */
typedef int task_run_fn(struct task *t, json_t **payload, struct err *err);
int task_main(int argc, char **argv, task_run_fn *run);

/* --- the daemon's side -----------------------------------------------------
 */

/*
 * Make @dir (parents too) with task.json = @spec (borrowed), durable when this
 * returns. ERR_EXISTS when there is a task in it already; ERR_IO.
 */
int task_create(const char *dir, const json_t *spec, struct err *err);
/* An enum task_state, or ERR_NOTFOUND (no task.json), ERR_IO. */
int task_state(const char *dir, struct err *err);
/* result.json; owned by the caller. NULL: ERR_NOTFOUND, ERR_DATA, ERR_LIMIT. */
json_t *task_read_result(const char *dir, struct err *err);
/*
 * What a failed result says, put into @err: returns the code of its "kind".
 * Returns 0 for a result whose status is "done"; ERR_DATA for neither.
 */
int task_result_err(const json_t *result, struct err *err);
/* Append stage and text of the progress line; both empty before the first. */
void task_read_progress(const char *dir, struct str *stage, struct str *text);
/* Pid in the lock of a RUNNING task on this machine, else 0. */
pid_t task_worker_pid(const char *dir);

#endif
