// SPDX-License-Identifier: GPL-3.0-or-later
// After a start: every leased attempt is found in one of four states and goes
// on from there; folders of attempts that ended are cleared away.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/ingest.h"
#include "daemon/task_spec.h"
#include "daemon/worker_private.h"
#include "runners/task.h"

static int slot_of(const char *folder)
{
	char *path = file_join(folder, "task.json");
	json_t *spec = json_read_file(path, TASK_SPEC_MAX_BYTES, NULL);
	int slot = task_spec_slot(spec);

	json_decref(spec);
	free(path);
	return slot;
}

/* Its task was written but nobody has taken it: the daemon died in between. A
 * worker that is only just starting wins or loses the lock, never both run. */
static void start_again(struct daemon *d, struct worker *w)
{
	struct err err = { 0 };

	if (worker_spawn(d, w, &err))
		daemon_log("attempt %lld can't be started: %s", w->attempt_id,
			   err.text);
}

static void adopt_task(struct daemon *d, const struct db_attempt *a, int state)
{
	struct worker *w = worker_add(d, a);
	bool cancelled = ingest_is_cancelled(d, a);

	if (!a->plan_id)
		w->slot = slot_of(a->folder);
	/* the daemon died before it could tell the worker */
	if (cancelled && state == TASK_RUNNING)
		worker_cancel_job(d, w->job_id);
	else if (cancelled)
		state = TASK_LOST;
	switch (state) {
	case TASK_RUNNING:
		daemon_log("attempt %lld goes on: its worker is adopted",
			   a->id);
		break;
	case TASK_NEW:
		start_again(d, w);
		break;
	default:
		worker_check(d, w);
	}
}

/*
 * Attempts with a task first, since builds among them hold their slots; then
 * those whose daemon died between the lease and the task: nobody ever worked on
 * them, they start now, unless their job was cancelled.
 */
static int adopt(struct daemon *d, long long attempt_id, bool with_task,
		 struct err *err)
{
	struct db_attempt a;
	int state;
	int rc = db_attempt_get(d->db, attempt_id, &a, err);

	if (rc)
		return rc;
	state = task_state(a.folder, NULL);
	if (!strcmp(a.state, "leased") && with_task == (state >= 0)) {
		if (with_task || ingest_is_cancelled(d, &a))
			adopt_task(d, &a, state);
		else
			rc = worker_start(d, &a, worker_free_slot(d), err);
	}
	db_attempt_release(&a);
	return rc;
}

/* Number in front of "<attempt id>-<token>", 0 for anything else. */
static long long id_of(const char *name)
{
	char *end;
	long long id = strtoll(name, &end, 10);

	return id > 0 && *end == '-' ? id : 0;
}

static void clear_one(struct daemon *d, const char *folder, long long id)
{
	struct db_attempt a;
	bool over;

	if (db_attempt_get(d->db, id, &a, NULL))
		return;
	over = strcmp(a.state, "leased") != 0;
	if (over && task_state(a.folder, NULL) != TASK_RUNNING)
		ingest_clear_folder(d, id, folder);
	db_attempt_release(&a);
}

/* A daemon that died between its commit and the removal left a folder. */
static void clear_left_over(struct daemon *d)
{
	char *tasks = daemon_path(d, "tasks");
	DIR *dir = opendir(tasks);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		long long id = id_of(e->d_name);
		char *folder = file_join(tasks, e->d_name);

		if (id)
			clear_one(d, folder, id);
		free(folder);
	}
	if (dir)
		closedir(dir);
	free(tasks);
}

int worker_adopt_all(struct daemon *d, struct err *err)
{
	struct db_ids ids = { 0 };
	size_t i;
	int rc = db_attempt_leased(d->db, &ids, err);

	for (i = 0; !rc && i < ids.nr; i++)
		rc = adopt(d, ids.v[i], true, err);
	for (i = 0; !rc && i < ids.nr; i++)
		rc = adopt(d, ids.v[i], false, err);
	free(ids.v);
	if (!rc)
		clear_left_over(d);
	return rc;
}
