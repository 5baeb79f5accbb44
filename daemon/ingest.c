// SPDX-License-Identifier: GPL-3.0-or-later
// What an ended attempt means, stored in one transaction.
#include "daemon/ingest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/boot_check.h"
#include "daemon/ingest_run.h"
#include "daemon/outcome.h"
#include "db/db_event.h"
#include "db/db_job.h"
#include "db/db_plan.h"
#include "runners/task.h"

#define WARNINGS_MAX	  64
#define WARNING_MAX_BYTES 500

/* Every job that waits for the kernel hears of it. */
static int say_built(struct daemon *d, const struct db_artifact *art,
		     const json_t *result, struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT DISTINCT p.job_id, substr(c.sha, 1, 12) "
		       "FROM plan p JOIN git_commit c ON c.id = p.commit_id "
		       "WHERE p.artifact_id = ? AND p.state = 'queued'");
	bool cached = json_opt_bool(result, "cached", false);
	int rc;

	db_bind_int(q, art->id);
	while ((rc = db_step(q, err)) > 0) {
		rc = daemon_event(d, db_col_int(q, 0), "build", err,
				  "kernel %s: %s in %.0f s", db_col_text(q, 1),
				  cached ? "found built" : "built",
				  art->seconds);
		if (rc)
			break;
	}
	db_stmt_free(&q);
	return rc;
}

/* What the configuration does to a measurement: said before the first run. */
static int say_warnings(struct daemon *d, const struct db_artifact *art,
			const json_t *warnings, struct err *err)
{
	const json_t *item;
	size_t i;
	int rc = 0;

	json_array_foreach(warnings, i, item)
	{
		const char *text = json_string_value(item);

		if (!text || i >= WARNINGS_MAX ||
		    strlen(text) > WARNING_MAX_BYTES)
			continue;
		rc = db_event_once(d->db, art->id, "warning", text,
				   clock_wall_s(), err);
		if (rc)
			break;
	}
	return rc;
}

/* A build succeeded. */
static int store_build(struct daemon *d, const struct db_attempt *a,
		       const json_t *result, struct err *err)
{
	const char *key = NULL;
	const char *kernel = NULL;
	const char *build_id = NULL;
	struct db_artifact art = { .id = a->artifact_id };
	int rc;

	rc = json_need_str(result, "artifact", &key, err);
	if (!rc)
		rc = json_need_str(result, "kernel", &kernel, err);
	if (!rc)
		rc = json_need_str(result, "build_id", &build_id, err);
	if (rc)
		return rc;
	art.key = (char *)key;
	art.kernel_path = (char *)kernel;
	art.build_id = (char *)build_id;
	art.seconds = json_opt_num(result, "seconds", 0);
	rc = db_artifact_done(d->db, &art, err);
	if (!rc)
		rc = say_warnings(d, &art, json_object_get(result, "warnings"),
				  err);
	return rc ? rc : say_built(d, &art, result, err);
}

/* Rows of a done result, or of what a failed one has got. */
static int store_rows(struct daemon *d, const struct db_attempt *a,
		      const json_t *result, int *out_good, struct err *err)
{
	struct err bad = { 0 };
	int rc = db_part_begin(d->db, err);

	if (rc)
		return rc;
	rc = a->plan_id ? ingest_run_rows(d, a, result, out_good, &bad)
			: store_build(d, a, result, &bad);
	if (rc == ERR_IO || rc == ERR_BUSY) {
		*err = bad;
		return rc;
	}
	if (!rc)
		return db_part_end(d->db, true, err);
	rc = db_part_end(d->db, false, err);
	return rc ? rc : err_set(err, ERR_DATA, "%s", bad.text);
}

static int say_booted(struct daemon *d, const struct db_attempt *a, int good,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT p.job_id, p.seq, substr(c.sha, 1, 12), b.name "
		       "FROM plan p JOIN box b ON b.id = p.box_id JOIN "
		       "git_commit c ON c.id = p.commit_id WHERE p.id = ?");
	int rc;

	db_bind_int(q, a->plan_id);
	rc = db_step(q, err);
	if (rc > 0)
		rc = daemon_event(d, db_col_int(q, 0), "boot", err,
				  "boot %lld (%s) on %s: %d run%s in %lld s",
				  db_col_int(q, 1), db_col_text(q, 2),
				  db_col_text(q, 3), good, good == 1 ? "" : "s",
				  clock_wall_s() - a->started_s);
	db_stmt_free(&q);
	return rc;
}

/* 1 when the attempt ended here, since its boot doesn't count. */
static int void_boot(struct daemon *d, const struct db_attempt *a,
		     const json_t *result, struct err *err)
{
	const json_t *boot = json_object_get(result, "boot");

	return a->plan_id && boot ? boot_check(d, a, boot, err) : 0;
}

static int done(struct daemon *d, const struct db_attempt *a,
		const json_t *result, struct err *err)
{
	struct err bad = { 0 };
	int good = 0;
	int rc = void_boot(d, a, result, err);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = store_rows(d, a, result, &good, &bad);
	if (rc == ERR_DATA)
		return outcome_infra(d, a, "infra", "infra", bad.text, err);
	if (rc) {
		*err = bad;
		return rc;
	}
	rc = db_attempt_end(d->db, a->id, "done", "", "", err);
	if (!rc && !a->plan_id)
		return outcome_built(d, a->artifact_id, err);
	if (rc)
		return rc;
	rc = db_box_infra(d->db, a->box_id, false, err);
	if (rc)
		return rc;
	if (good) {
		rc = say_booted(d, a, good, err);
		return rc ? rc
			  : outcome_plan(d, a->plan_id, "done", "", "", err);
	}
	return outcome_plan(d, a->plan_id, "failed", "bench",
			    "no run of this boot gave a result", err);
}

/* A fact about the commit, or something that trying again won't change. */
static int failed(struct daemon *d, const struct db_attempt *a,
		  const json_t *result, const char *kind, const char *why,
		  struct err *err)
{
	struct err bad = { 0 };
	int good = 0;
	int rc = void_boot(d, a, result, err);

	if (rc)
		return rc < 0 ? rc : 0;
	if (a->plan_id && json_object_get(result, "boot")) {
		rc = store_rows(d, a, result, &good, &bad);
		if (rc && rc != ERR_DATA) {
			*err = bad;
			return rc;
		}
	}
	rc = db_attempt_end(d->db, a->id, "failed", kind, why, err);
	if (rc)
		return rc;
	if (a->plan_id)
		return outcome_plan(d, a->plan_id, "failed", kind, why, err);
	daemon_log("artifact %lld doesn't build: %s", a->artifact_id, why);
	return db_artifact_failed(d->db, a->artifact_id, why, err);
}

bool ingest_is_cancelled(struct daemon *d, const struct db_attempt *a)
{
	struct db_plan plan;
	struct db_job job = { 0 };
	bool yes = false;

	if (!a->plan_id)
		return false;
	if (!db_plan_get(d->db, a->plan_id, &plan, NULL) &&
	    !db_job_get(d->db, plan.job_id, &job, NULL))
		yes = !strcmp(job.state, "cancelled");
	db_plan_release(&plan);
	db_job_release(&job);
	return yes;
}

/* A worker that stopped because it was told to is no failure of anything. */
static int cancelled(struct daemon *d, const struct db_attempt *a,
		     struct err *err)
{
	int rc = db_attempt_end(d->db, a->id, "cancelled", "", "", err);

	if (!rc)
		rc = db_plan_end(d->db, a->plan_id, "cancelled", "", "", err);
	return rc;
}

static int lost(struct daemon *d, const struct db_attempt *a,
		const struct err *why, struct err *err)
{
	if (why->code == ERR_NOTFOUND)
		return outcome_infra(d, a, "lost", "infra",
				     "the worker died without a result", err);
	return outcome_infra(d, a, "infra", "infra", why->text, err);
}

/* @result NULL: there is none, @why says so. */
static int store(struct daemon *d, const struct db_attempt *a,
		 const json_t *result, const struct err *why, struct err *err)
{
	struct err fail = { 0 };
	const char *kind;
	int rc;

	if (ingest_is_cancelled(d, a))
		return cancelled(d, a, err);
	if (!result)
		return lost(d, a, why, err);
	rc = task_result_err(result, &fail);
	if (!rc)
		return done(d, a, result, err);
	kind = err_code_to_str(rc);
	if (rc == ERR_DATA || outcome_is_retried(kind))
		return outcome_infra(d, a, "infra",
				     rc == ERR_DATA ? "infra" : kind, fail.text,
				     err);
	return failed(d, a, result, kind, fail.text, err);
}

static void keep(const char *from_dir, const char *to_dir, const char *name)
{
	char *from = file_join(from_dir, name);
	char *to = file_join(to_dir, name);

	if (file_exists(from) && rename(from, to))
		daemon_log("%s can't be kept as %s", from, to);
	free(from);
	free(to);
}

void ingest_clear_folder(struct daemon *d, long long attempt_id,
			 const char *folder)
{
	char *dir =
		xasprintf("%s/attempts/%lld", d->cfg.artifact_dir, attempt_id);
	struct err err = { 0 };

	if (file_is_dir(folder) && !file_mkdirs(dir, 0750, &err)) {
		keep(folder, dir, "log");
		keep(folder, dir, "out");
	}
	if (file_remove_tree(folder, &err))
		daemon_log("%s; the folder stays", err.text);
	free(dir);
}

static int store_once(struct daemon *d, const struct db_attempt *a,
		      struct err *err)
{
	struct err why = { 0 };
	json_t *result = task_read_result(a->folder, &why);
	int rc = db_begin(d->db, err);

	if (!rc)
		rc = store(d, a, result, &why, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	json_decref(result);
	return rc;
}

int ingest_attempt(struct daemon *d, long long attempt_id, struct err *err)
{
	struct db_attempt a;
	int rc = db_attempt_get(d->db, attempt_id, &a, err);

	if (!rc && !strcmp(a.state, "leased"))
		rc = store_once(d, &a, err);
	if (!rc) {
		ingest_clear_folder(d, a.id, a.folder);
		daemon_changed(d);
	}
	db_attempt_release(&a);
	return rc;
}
