// SPDX-License-Identifier: GPL-3.0-or-later
// Leasing plans and artifacts to worker processes, and watching those.
#include "daemon/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rand.h"
#include "daemon/child.h"
#include "daemon/ingest.h"
#include "daemon/outcome.h"
#include "daemon/task_spec.h"
#include "daemon/worker_private.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"
#include "db/db_plan.h"
#include "runners/task.h"

#define TOKEN_DIGITS   32
#define KILL_GRACE_NS  60000000000LL
#define STUCK_MARGIN_S 600

/* Seconds that the runs of a plan may take by their own limits. */
static double runs_limit_s(const struct daemon *d, long long plan_id)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT p.nr_runs * max(?, coalesce(json_extract("
		       "s.job_json, '$.timeout_s'), 0)) FROM plan p "
		       "JOIN comparison c ON c.id = p.comparison_id "
		       "JOIN series s ON s.id = c.series_id WHERE p.id = ?");
	double s = 0;

	db_bind_real(q, d->cfg.run.timeout_s);
	db_bind_int(q, plan_id);
	if (db_step(q, NULL) > 0)
		s = db_col_real(q, 0);
	db_stmt_free(&q);
	return s;
}

/* Past this a worker is stuck: all its own time limits lie well before. Counted
 * anew for an adopted one, so that a wrong wall clock kills nobody. */
static long long kill_time(const struct daemon *d, const struct db_attempt *a)
{
	double s = a->plan_id ? d->cfg.run.boot_timeout_s +
					runs_limit_s(d, a->plan_id)
			      : d->cfg.build.timeout_s;

	return clock_mono_ns() + (long long)((2 * s + STUCK_MARGIN_S) * 1e9);
}

struct worker *worker_add(struct daemon *d, const struct db_attempt *a)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	struct db_plan plan = { 0 };

	w->attempt_id = a->id;
	w->plan_id = a->plan_id;
	w->box_id = a->box_id;
	w->artifact_id = a->artifact_id;
	w->started_s = a->started_s;
	w->slot = -1;
	w->folder = xstrdup(a->folder);
	w->kill_ns = kill_time(d, a);
	if (a->plan_id && !db_plan_get(d->db, a->plan_id, &plan, NULL))
		w->job_id = plan.job_id;
	db_plan_release(&plan);
	str_init(&w->stage);
	str_init(&w->text);
	w->next = d->workers;
	d->workers = w;
	return w;
}

static void drop(struct daemon *d, struct worker *w)
{
	struct worker **at = &d->workers;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	str_release(&w->stage);
	str_release(&w->text);
	free(w->folder);
	free(w);
}

void worker_check(struct daemon *d, struct worker *w)
{
	struct err err = { 0 };

	if (task_state(w->folder, NULL) == TASK_RUNNING)
		return;
	if (ingest_attempt(d, w->attempt_id, &err)) {
		/* that the disk is full has been said */
		if (!d->disk_low)
			daemon_log("attempt %lld: %s; tried again",
				   w->attempt_id, err.text);
		return;
	}
	drop(d, w);
}

static struct worker *find(struct daemon *d, long long attempt_id)
{
	struct worker *w = d->workers;

	while (w && w->attempt_id != attempt_id)
		w = w->next;
	return w;
}

static void ended(struct daemon *d, int status, long long attempt_id)
{
	struct worker *w = find(d, attempt_id);

	if (!w)
		return;
	if (status)
		daemon_log("attempt %lld: its worker ended with status %d",
			   attempt_id, status);
	w->pid = 0;
	worker_check(d, w);
}

int worker_spawn(struct daemon *d, struct worker *w, struct err *err)
{
	char *program = file_join(d->cfg.libexec_dir,
				  w->plan_id ? "drover-run" : "drover-build");
	char *log = file_join(w->folder, "log");
	const char *argv[] = { program, w->folder, NULL };
	struct spawn what = { .argv = argv };
	int fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	pid_t pid;

	what.out_fd = fd;
	what.err_fd = fd;
	pid = child_start(d, &what, ended, w->attempt_id, err);
	if (pid > 0)
		w->pid = pid;
	if (fd >= 0)
		close(fd);
	free(log);
	free(program);
	return pid > 0 ? 0 : (int)pid;
}

static int lease_tx(struct daemon *d, struct db_attempt *a,
		    const struct db_plan *plan, struct err *err)
{
	char *tasks = daemon_path(d, "tasks");
	long long id = 0;
	int rc;

	rc = db_attempt_add(d->db, a, tasks, &id, err);
	free(tasks);
	if (!rc && plan)
		rc = db_plan_end(d->db, plan->id, "leased", "", "", err);
	if (!rc && plan)
		rc = db_job_running(d->db, plan->job_id, err);
	if (!rc && !plan)
		rc = db_artifact_set_state(d->db, a->artifact_id, "building",
					   err);
	a->id = id;
	return rc;
}

/* Insert the attempt and read it back with its folder. */
static int lease(struct daemon *d, struct db_attempt *a,
		 const struct db_plan *plan, struct err *err)
{
	char token[TOKEN_DIGITS + 1];
	long long id;
	int rc;

	rand_token(token, TOKEN_DIGITS);
	a->token = xstrdup(token);
	a->started_s = clock_wall_s();
	rc = db_begin(d->db, err);
	if (!rc)
		rc = lease_tx(d, a, plan, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	id = a->id;
	free(a->token);
	*a = (struct db_attempt){ 0 };
	return rc ? rc : db_attempt_get(d->db, id, a, err);
}

/* The task couldn't be started: that is our own machine's trouble. */
static int abandon(struct daemon *d, const struct db_attempt *a,
		   const struct err *why, struct err *err)
{
	int rc;

	daemon_log("attempt %lld can't be started: %s", a->id, why->text);
	rc = db_begin(d->db, err);
	if (!rc)
		rc = outcome_infra(d, a, "infra", "io", why->text, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	if (!rc)
		ingest_clear_folder(d, a->id, a->folder);
	return rc;
}

int worker_start(struct daemon *d, const struct db_attempt *a, int slot,
		 struct err *err)
{
	struct err why = { 0 };
	json_t *spec = NULL;
	struct worker *w;
	int rc;

	rc = a->plan_id ? task_spec_run(d, a, &spec, &why)
			: task_spec_build(d, a, slot, &spec, &why);
	if (!rc)
		rc = task_create(a->folder, spec, &why);
	json_decref(spec);
	if (rc)
		return abandon(d, a, &why, err);
	w = worker_add(d, a);
	w->slot = slot;
	rc = worker_spawn(d, w, &why);
	if (!rc)
		return 0;
	drop(d, w);
	return abandon(d, a, &why, err);
}

int worker_lease_run(struct daemon *d, long long plan_id, struct err *err)
{
	struct db_attempt a = { .kind = (char *)"run", .plan_id = plan_id };
	struct db_plan plan;
	int rc;

	rc = db_plan_get(d->db, plan_id, &plan, err);
	a.box_id = plan.box_id;
	if (!rc)
		rc = lease(d, &a, &plan, err);
	db_plan_release(&plan);
	if (rc)
		return rc;
	rc = worker_start(d, &a, -1, err);
	db_attempt_release(&a);
	return rc;
}

int worker_lease_build(struct daemon *d, long long artifact_id, int slot,
		       struct err *err)
{
	struct db_attempt a = { .kind = (char *)"build",
				.artifact_id = artifact_id };
	int rc = lease(d, &a, NULL, err);

	if (rc)
		return rc;
	rc = worker_start(d, &a, slot, err);
	db_attempt_release(&a);
	return rc;
}

static void kill_group(struct worker *w, int sig)
{
	pid_t pid = w->pid ? w->pid : task_worker_pid(w->folder);

	if (pid > 1)
		kill(-pid, sig);
}

void worker_cancel_job(struct daemon *d, long long job_id)
{
	struct worker *w;

	for (w = d->workers; w; w = w->next) {
		if (w->job_id != job_id)
			continue;
		kill_group(w, SIGTERM);
		w->kill_ns = clock_mono_ns() + KILL_GRACE_NS;
	}
}

static int drop_tx(struct daemon *d, const struct worker *w, struct err *err)
{
	int rc = db_begin(d->db, err);

	if (!rc)
		rc = db_attempt_end(d->db, w->attempt_id, "cancelled", "",
				    "nobody waits for it", err);
	if (!rc)
		rc = db_artifact_set_state(d->db, w->artifact_id, "wanted",
					   err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	return rc;
}

/* It keeps its slot until it has ended; then its folder is cleared away. */
static int drop_build(struct daemon *d, struct worker *w, struct err *err)
{
	int rc = drop_tx(d, w, err);

	if (rc)
		return rc;
	w->dropped = true;
	kill_group(w, SIGTERM);
	w->kill_ns = clock_mono_ns() + KILL_GRACE_NS;
	return 0;
}

int worker_drop_builds(struct daemon *d, bool room, struct err *err)
{
	struct worker *ahead = NULL;
	struct worker *w;
	int rc = 0;

	for (w = d->workers; w && !rc; w = w->next) {
		enum db_need need = DB_NEED_PLAN;

		room &= !w->dropped;
		if (!w->artifact_id || w->dropped)
			continue;
		rc = db_artifact_need(d->db, w->artifact_id, &need, err);
		if (!rc && need == DB_NEED_NOBODY) {
			rc = drop_build(d, w, err);
			room = false;
		} else if (!rc && need == DB_NEED_AHEAD) {
			ahead = w;
		}
	}
	if (!rc && room && ahead && worker_free_slot(d) < 0)
		rc = drop_build(d, ahead, err);
	return rc;
}

/* Take over the progress line; true when the stage is another one. */
static bool read_progress(struct worker *w)
{
	struct str stage = STR_INIT;
	bool changed;

	str_reset(&w->text);
	task_read_progress(w->folder, &stage, &w->text);
	changed = stage.len && strcmp(stage.p, w->stage.p) != 0;
	if (changed) {
		str_release(&w->stage);
		w->stage = stage;
	} else {
		str_release(&stage);
	}
	return changed;
}

static int say_run_stage(struct daemon *d, const struct worker *w,
			 struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT b.name, substr(c.sha, 1, 12), p.seq FROM plan p "
		       "JOIN box b ON b.id = p.box_id JOIN git_commit c "
		       "ON c.id = p.commit_id WHERE p.id = ?");
	int rc;

	db_bind_int(q, w->plan_id);
	rc = db_step(q, err);
	if (rc > 0)
		rc = daemon_event(d, w->job_id, "step", err,
				  "boot %lld (%s) on %s: %s%s%s",
				  db_col_int(q, 2), db_col_text(q, 1),
				  db_col_text(q, 0), w->stage.p,
				  w->text.len ? ": " : "", w->text.p);
	db_stmt_free(&q);
	return rc;
}

/* A build may be for several jobs; each hears of it, first that it begins. */
static int say_build_stage(struct daemon *d, const struct worker *w,
			   bool begins, struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT DISTINCT p.job_id, substr(c.sha, 1, 12) "
		       "FROM plan p JOIN artifact a ON a.id = p.artifact_id "
		       "JOIN git_commit c ON c.id = a.commit_id "
		       "WHERE p.artifact_id = ? AND p.state = 'queued'");
	int rc;

	db_bind_int(q, w->artifact_id);
	while ((rc = db_step(q, err)) > 0) {
		rc = daemon_event(
			d, db_col_int(q, 0), begins ? "stage" : "step", err,
			"kernel %s: %s%s%s", db_col_text(q, 1), w->stage.p,
			w->text.len ? ": " : "", w->text.p);
		if (rc)
			break;
	}
	db_stmt_free(&q);
	return rc;
}

static void say_stage(struct daemon *d, const struct worker *w, bool begins)
{
	struct err err = { 0 };
	int rc = 0;

	if (!db_in_transaction(d->db))
		rc = db_begin(d->db, &err);
	if (!rc)
		rc = w->plan_id ? say_run_stage(d, w, &err)
				: say_build_stage(d, w, begins, &err);
	if (rc)
		daemon_log("attempt %lld: %s", w->attempt_id, err.text);
}

void worker_poll(struct daemon *d)
{
	long long now_ns = clock_mono_ns();
	struct worker *next;
	struct worker *w;

	for (w = d->workers; w; w = next) {
		next = w->next;
		if (now_ns >= w->kill_ns)
			kill_group(w, SIGKILL);
		if (!w->pid)
			worker_check(d, w);
	}
	for (w = d->workers; w; w = w->next) {
		bool begins = !w->stage.len;

		if (read_progress(w))
			say_stage(d, w, begins);
	}
	if (db_in_transaction(d->db) && !db_commit(d->db, NULL))
		daemon_changed(d);
}

void worker_forget(struct daemon *d)
{
	while (d->workers)
		drop(d, d->workers);
}

int worker_count_builds(const struct daemon *d)
{
	const struct worker *w;
	int nr = 0;

	for (w = d->workers; w; w = w->next)
		nr += w->artifact_id != 0;
	return nr;
}

int worker_free_slot(const struct daemon *d)
{
	int slot;

	for (slot = 0; slot < d->cfg.build.slots; slot++) {
		const struct worker *w = d->workers;

		while (w && w->slot != slot)
			w = w->next;
		if (!w)
			return slot;
	}
	return -1;
}
