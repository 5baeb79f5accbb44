// SPDX-License-Identifier: GPL-3.0-or-later
// At night an idle box is calibrated.
#include "daemon/calibrate_idle.h"

#include <unistd.h>

#include "base/clock.h"
#include "daemon/flow.h"
#include "db/db_calibration.h"
#include "db/db_job.h"

#define LOOK_NS	    60000000000LL
#define HOURS	    6
#define DAY_S	    86400LL
#define HOUR_S	    3600
#define LATELY_DAYS 30
#define BOXES_MAX   1000 /* at one look */

static bool is_night(const struct daemon *d, long long now_s)
{
	long long hour = now_s % DAY_S / HOUR_S;

	return d->cfg.calibrate.hour >= 0 &&
	       (hour - d->cfg.calibrate.hour + 24) % 24 < HOURS;
}

static json_t *options_of(const struct daemon *d, const json_t *due)
{
	long long runs = json_opt_int(due, "runs", 0);
	json_t *o = json_pack("{s:I, s:i, s:b, s:s}", "calibrate",
			      (json_int_t)d->cfg.calibrate.boots, "layouts", 0,
			      "by_itself", true, "bisect", "never");

	if (runs > 0)
		json_object_set_new(o, "runs", json_integer(runs));
	return o;
}

static int add_job(struct daemon *d, const json_t *due, long long now_s,
		   long long *out_id, struct err *err)
{
	long long commit = json_opt_int(due, "commit_id", 0);
	json_t *options = options_of(d, due);
	struct db_job job = {
		.created_s = now_s,
		.uid = getuid(),
		.repo_id = json_opt_int(due, "repo_id", 0),
		.base_id = commit,
		.head_id = commit,
		.prio = CALIBRATE_IDLE_PRIO,
		.name = (char *)json_opt_str(due, "name", "calibrate"),
		.yaml = (char *)json_opt_str(due, "yaml", ""),
		.options = options,
	};
	int rc = db_job_add(d->db, &job, out_id, err);

	json_decref(options);
	return rc;
}

/* The series says how a kernel is built; an empty kconfig means not at all. */
static bool builds(struct daemon *d, long long series_id)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT compiler <> '' FROM series WHERE id = ?");
	long long yes = 0;

	db_bind_int(q, series_id);
	return !db_get_int(q, &yes, NULL) && yes;
}

static int begin(struct daemon *d, const json_t *due, struct err *err)
{
	long long now_s = clock_wall_s();
	long long commit = json_opt_int(due, "commit_id", 0);
	struct db_comparison c = {
		.series_id = json_opt_int(due, "series_id", 0),
		.box_id = json_opt_int(due, "box_id", 0),
		.base_id = commit,
		.head_id = commit,
	};
	struct db_calibration k = { .nr_boots = d->cfg.calibrate.boots,
				    .by_itself = true };
	int rc = add_job(d, due, now_s, &c.job_id, err);

	if (!rc)
		rc = db_comparison_add(d->db, &c, now_s, &k.comparison_id, err);
	if (!rc)
		rc = db_calibration_add(d->db, &k, builds(d, c.series_id),
					now_s, NULL, err);
	if (!rc)
		rc = daemon_event(d, c.job_id, "submitted", err,
				  "job %lld: box %s has nothing to do and is "
				  "calibrated",
				  c.job_id, json_opt_str(due, "box", ""));
	return rc ? rc : flow_comparison_start(d, k.comparison_id, err);
}

/* 1: one was begun; 0: nothing is due. */
static int begin_next(struct daemon *d, struct err *err)
{
	long long now_s = clock_wall_s();
	struct err why = { 0 };
	json_t *due = db_calibration_due(
		d->db, now_s - LATELY_DAYS * DAY_S,
		now_s - (long long)d->cfg.calibrate.every_s, &why);
	int rc;

	if (!due)
		return why.code == ERR_NOTFOUND
			       ? 0
			       : err_set(err, why.code, "%s", why.text);
	rc = db_begin(d->db, err);
	if (!rc)
		rc = begin(d, due, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	json_decref(due);
	return rc ? rc : 1;
}

void calibrate_idle(struct daemon *d)
{
	long long now_ns = clock_mono_ns();
	struct err err = { 0 };
	int begun = 0;
	int rc = 0;

	if (now_ns < d->calibrate_at_ns || d->draining || d->disk_low ||
	    !is_night(d, clock_wall_s()))
		return;
	d->calibrate_at_ns = now_ns + LOOK_NS;
	while (begun < BOXES_MAX && (rc = begin_next(d, &err)) > 0)
		begun++;
	if (rc < 0)
		daemon_log("calibration of idle boxes: %s; tried again in a "
			   "minute",
			   err.text);
	if (begun)
		daemon_changed(d);
}
