// SPDX-License-Identifier: GPL-3.0-or-later
// Estimating the end of jobs: boots in front of it on each box, times the
// median boot there, plus the kernels that must still be built.
#include "daemon/eta.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "db/db_box.h"

static void key_of(long long id, char out[24])
{
	snprintf(out, 24, "%lld", id);
}

long long eta_of(const json_t *etas, long long job_id)
{
	char key[24];

	key_of(job_id, key);
	return json_opt_int(etas, key, -1);
}

/* Median boot of a box, looked up once; any box's when it has no history. */
static double median_of(struct db *db, json_t *cache, long long box_id)
{
	double s = 0;
	char key[24];

	key_of(box_id, key);
	s = json_opt_num(json_object_get(cache, key) ? cache : NULL, key, -1);
	if (s >= 0)
		return s;
	if (db_attempt_median_s(db, "run", box_id, &s, NULL) || s <= 0)
		db_attempt_median_s(db, "run", 0, &s, NULL);
	json_object_set_new(cache, key, json_real(s));
	return s;
}

static double builds_s(struct db *db, long long job_id, double median_s)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT count(DISTINCT a.id) FROM plan p JOIN artifact a "
		    "ON a.id = p.artifact_id WHERE p.job_id = ? AND "
		    "p.state = 'queued' AND a.state IN ('wanted', 'building')");
	long long nr = 0;

	db_bind_int(q, job_id);
	db_get_int(q, &nr, NULL);
	return (double)nr * median_s;
}

/* Keep the longest wait of the job's boxes. */
static void note_max(json_t *etas, long long job_id, double s)
{
	char key[24];

	key_of(job_id, key);
	if (s > (double)json_opt_int(etas, key, -1))
		json_object_set_new(etas, key, json_integer((long long)s + 1));
}

json_t *eta_jobs(struct db *db, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT j.id, p.box_id, count(*) FROM job j JOIN plan p "
		    "ON p.job_id = j.id AND p.state IN ('queued', 'leased') "
		    "WHERE j.state IN ('queued', 'running') "
		    "GROUP BY j.id, p.box_id ORDER BY j.prio DESC, j.id");
	json_t *medians = json_object();
	json_t *waits = json_object();
	json_t *etas = json_object();
	double build_s = 0;
	char key[24];
	int rc;

	db_attempt_median_s(db, "build", 0, &build_s, NULL);
	while ((rc = db_step(q, err)) > 0) {
		double boot_s = median_of(db, medians, db_col_int(q, 1));
		double wait;

		key_of(db_col_int(q, 1), key);
		wait = json_opt_num(waits, key, 0) +
		       (double)db_col_int(q, 2) * boot_s;
		json_object_set_new(waits, key, json_real(wait));
		if (boot_s > 0)
			note_max(
				etas, db_col_int(q, 0),
				wait + builds_s(db, db_col_int(q, 0), build_s));
	}
	db_stmt_free(&q);
	json_decref(medians);
	json_decref(waits);
	if (rc) {
		json_decref(etas);
		return NULL;
	}
	return etas;
}
