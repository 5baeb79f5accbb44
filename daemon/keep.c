// SPDX-License-Identifier: GPL-3.0-or-later
// Old kernels and old logs leave the artifacts, so that a lab that runs for
// years doesn't fill its disk.
#include "daemon/keep.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/daemon.h"
#include "db/db_keep.h"

#define LOOK_NS 3600000000000LL
#define BATCH	((size_t)64) /* folders at one time: the loop goes on soon */

/* Seconds before which something is old; 0: nothing ever is. */
static long long limit_s(double keep_s)
{
	return keep_s > 0 ? clock_wall_s() - (long long)keep_s : 0;
}

static int remove_kernel(struct daemon *d, const char *key, struct err *err)
{
	char *dir = file_join(d->cfg.artifact_dir, key);
	int rc = file_remove_tree(dir, err);

	free(dir);
	/* after a crash in between the scheduler sees that the file is gone */
	return rc ? rc : db_keep_kernel_gone(d->db, key, err);
}

/* Returns how many went, or an error. */
static int old_kernels(struct daemon *d, struct err *err)
{
	long long before_s = limit_s(d->cfg.keep.kernels_s);
	bool building = false;
	json_t *rows;
	size_t i;
	int rc = db_keep_is_building(d->db, &building, err);

	/* a build may be about to find the very kernel here */
	if (rc || building || before_s <= 0)
		return rc;
	rows = db_keep_idle_kernels(d->db, before_s, BATCH, err);
	rc = rows ? 0 : err->code;
	for (i = 0; !rc && i < json_array_size(rows); i++)
		rc = remove_kernel(
			d, json_opt_str(json_array_get(rows, i), "key", ""),
			err);
	json_decref(rows);
	if (!rc && i > 0)
		daemon_log("removed %zu kernel%s that no job has used for a "
			   "while (keep.kernels)",
			   i, i == 1 ? "" : "s");
	return rc ? rc : (int)i;
}

static int remove_attempt(const struct daemon *d, long long id, struct err *err)
{
	char *dir = xasprintf("%s/attempts/%lld", d->cfg.artifact_dir, id);
	int rc = file_remove_tree(dir, err);

	free(dir);
	return rc;
}

/* Returns how many were looked at, or an error. */
static int old_attempts(struct daemon *d, struct err *err)
{
	long long before_s = limit_s(d->cfg.keep.logs_s);
	json_t *rows;
	size_t i;
	int rc;

	if (before_s <= 0)
		return 0;
	rows = db_keep_old_attempts(d->db, d->keep_attempt_id, before_s, BATCH,
				    err);
	rc = rows ? 0 : err->code;
	for (i = 0; !rc && i < json_array_size(rows); i++) {
		long long id = json_opt_int(json_array_get(rows, i), "id", 0);

		rc = remove_attempt(d, id, err);
		if (!rc)
			d->keep_attempt_id = id;
	}
	json_decref(rows);
	return rc ? rc : (int)i;
}

void keep_tidy(struct daemon *d)
{
	long long now_ns = clock_mono_ns();
	struct err err = { 0 };
	int kernels, attempts;

	if (now_ns < d->keep_at_ns)
		return;
	kernels = old_kernels(d, &err);
	attempts = kernels < 0 ? kernels : old_attempts(d, &err);
	if (attempts < 0)
		daemon_log("tidying up: %s; tried again in an hour", err.text);
	if (attempts <= 0 && kernels <= 0)
		d->keep_at_ns = now_ns + LOOK_NS;
}
