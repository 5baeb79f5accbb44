// SPDX-License-Identifier: GPL-3.0-or-later
// Leasing work to free boxes and build slots.
#include "daemon/scheduler.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "daemon/outcome.h"
#include "daemon/worker.h"
#include "db/db_box.h"
#include "db/db_flow_bisect.h"
#include "db/db_plan.h"

static int fail_one(struct daemon *d, long long plan_id, struct err *err)
{
	struct db_artifact art = { 0 };
	struct db_plan plan;
	int rc;

	rc = db_plan_get(d->db, plan_id, &plan, err);
	if (!rc)
		rc = db_artifact_get(d->db, plan.artifact_id, &art, err);
	if (!rc)
		rc = outcome_plan(d, plan_id, "failed", "build", art.why, err);
	db_artifact_release(&art);
	db_plan_release(&plan);
	return rc;
}

/* A kernel that doesn't build is a final answer for all who wait for it. */
static int fail_unbuildable(struct daemon *d, struct err *err)
{
	long long plan_id = 0;
	bool any = false;
	int rc;

	while (!(rc = db_plan_next_unbuildable(d->db, &plan_id, err)) &&
	       plan_id) {
		rc = db_begin(d->db, err);
		if (!rc)
			rc = fail_one(d, plan_id, err);
		if (rc)
			db_rollback(d->db);
		else
			rc = db_commit(d->db, err);
		if (rc)
			return rc;
		any = true;
	}
	if (any)
		daemon_changed(d);
	return rc;
}

/*
 * What boots wait for first; what they may come to wait for only where slots
 * are left, and it makes room when it is in the way.
 */
static int lease_builds(struct daemon *d, struct err *err)
{
	long long id = 0;
	int slot;
	int rc;

	for (;;) {
		rc = db_artifact_next(d->db, clock_wall_s(), &id, err);
		slot = worker_free_slot(d);
		if (rc || !id || slot < 0)
			break;
		rc = worker_lease_build(d, id, slot, err);
		if (rc)
			return rc;
	}
	if (!rc)
		rc = worker_drop_builds(d, id != 0, err);
	while (!rc && !id && (slot = worker_free_slot(d)) >= 0) {
		long long ahead = 0;

		rc = db_artifact_next_ahead(d->db, &ahead, err);
		if (rc || !ahead)
			break;
		rc = worker_lease_build(d, ahead, slot, err);
	}
	return rc;
}

/*
 * A kernel that somebody removed from the artifacts is built again. Says in
 * *@out_gone whether that was so.
 */
static int check_kernel(struct daemon *d, long long plan_id, bool *out_gone,
			struct err *err)
{
	struct db_artifact art = { 0 };
	struct db_plan plan;
	int rc;

	*out_gone = false;
	rc = db_plan_get(d->db, plan_id, &plan, err);
	if (rc || !plan.artifact_id)
		goto out;
	rc = db_artifact_get(d->db, plan.artifact_id, &art, err);
	if (!rc && !file_exists(art.kernel_path)) {
		daemon_log("%s is gone; it is built again", art.kernel_path);
		*out_gone = true;
		rc = db_artifact_set_state(d->db, art.id, "wanted", err);
	}
out:
	db_artifact_release(&art);
	db_plan_release(&plan);
	return rc;
}

static int lease_next(struct daemon *d, long long box_id, struct err *err)
{
	long long plan_id = 0;
	bool gone;
	int rc;

	do {
		gone = false;
		rc = db_plan_next(d->db, box_id, clock_wall_s(), &plan_id, err);
		if (!rc && plan_id)
			rc = check_kernel(d, plan_id, &gone, err);
	} while (!rc && gone);
	if (!rc && plan_id)
		rc = worker_lease_run(d, plan_id, err);
	return rc;
}

static int lease_runs(struct daemon *d, struct err *err)
{
	struct db_ids boxes = { 0 };
	size_t i;
	int rc = db_box_free(d->db, &boxes, err);

	for (i = 0; !rc && i < boxes.nr; i++)
		rc = lease_next(d, boxes.v[i], err);
	free(boxes.v);
	return rc;
}

void scheduler_run(struct daemon *d)
{
	struct err err = { 0 };
	int rc;

	if (d->draining || d->disk_low)
		return;
	rc = fail_unbuildable(d, &err);
	if (!rc)
		rc = lease_runs(d, &err);
	if (!rc)
		rc = lease_builds(d, &err);
	if (rc)
		daemon_log("scheduler: %s; tried again in a second", err.text);
}
