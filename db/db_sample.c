// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of boot, run, sample, kpi and run_failure; matrices out of them.
#include "db/db_sample.h"

#include <stdlib.h>

int db_boot_add(struct db *db, const struct db_boot *boot, long long *out_id,
		struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO boot (attempt_id, plan_id, box_id, commit_id, "
		    "artifact_id, layout, boot_id, build_id, booted_s, "
		    "boot_seconds, invariants_json) "
		    "SELECT ?, id, box_id, commit_id, artifact_id, layout, "
		    "?, ?, ?, ?, ? FROM plan WHERE id = ?");

	db_bind_int(q, boot->attempt_id);
	db_bind_text(q, boot->boot_id);
	db_bind_text(q, boot->build_id);
	db_bind_int(q, boot->booted_s);
	db_bind_real(q, boot->boot_seconds);
	if (boot->invariants)
		db_bind_json(q, boot->invariants);
	else
		db_bind_text(q, "{}");
	db_bind_int(q, boot->plan_id);
	return db_insert(q, out_id, err);
}

int db_run_add(struct db *db, const struct db_run *run, long long *out_id,
	       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO run (boot_id, series_id, commit_id, seq, "
		    "state, why, started_s, seconds) "
		    "SELECT b.id, c.series_id, b.commit_id, ?, ?, ?, ?, ? "
		    "FROM boot b JOIN plan p ON p.id = b.plan_id "
		    "JOIN comparison c ON c.id = p.comparison_id "
		    "WHERE b.id = ?");

	db_bind_int(q, run->seq);
	db_bind_text(q, run->state);
	db_bind_text(q, run->why);
	db_bind_int(q, run->started_s);
	db_bind_real(q, run->seconds);
	db_bind_int(q, run->boot_id);
	return db_insert(q, out_id, err);
}

static int metric_id(struct db *db, const char *name, long long *out,
		     struct err *err)
{
	struct db_stmt *q = db_stmt(db, "SELECT id FROM metric WHERE name = ?");
	int rc;

	db_bind_text(q, name);
	rc = db_get_int(q, out, err);
	if (rc != ERR_NOTFOUND)
		return rc;
	q = db_stmt(db, "INSERT INTO metric (name) VALUES (?)");
	db_bind_text(q, name);
	return db_insert(q, out, err);
}

int db_sample_add(struct db *db, long long run_id, const char *metric,
		  double value, bool kpi, struct err *err)
{
	long long id = 0;
	struct db_stmt *q;
	int rc = metric_id(db, metric, &id, err);

	if (rc)
		return rc;
	q = db_stmt(db, "INSERT INTO sample (run_id, metric_id, value) "
			"VALUES (?, ?, ?)");
	db_bind_int(q, run_id);
	db_bind_int(q, id);
	db_bind_real(q, value);
	rc = db_run(q, err);
	if (rc || !kpi)
		return rc;
	q = db_stmt(db, "INSERT INTO kpi (series_id, metric_id, run_id, value) "
			"SELECT series_id, ?, id, ? FROM run WHERE id = ?");
	db_bind_int(q, id);
	db_bind_real(q, value);
	db_bind_int(q, run_id);
	return db_run(q, err);
}

int db_failure_add(struct db *db, long long run_id, const char *name,
		   struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "INSERT INTO run_failure (run_id, name) "
			    "VALUES (?, ?) ON CONFLICT DO NOTHING");

	db_bind_int(q, run_id);
	db_bind_text(q, name);
	return db_run(q, err);
}

/* Put the samples of run number @nr into their arrays, with null for the runs
 * before that lack the metric. */
static int add_run(struct db *db, long long run_id, size_t nr, json_t *values,
		   struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT m.name, s.value FROM sample s JOIN "
			    "metric m ON m.id = s.metric_id "
			    "WHERE s.run_id = ?");
	json_t *list;
	int rc;

	db_bind_int(q, run_id);
	while ((rc = db_step(q, err)) > 0) {
		const char *name = db_col_text(q, 0);

		list = json_object_get(values, name);
		if (!list) {
			list = json_array();
			json_object_set_new(values, name, list);
		}
		while (json_array_size(list) < nr)
			json_array_append_new(list, json_null());
		json_array_append_new(list, json_real(db_col_real(q, 1)));
	}
	db_stmt_free(&q);
	return rc;
}

/* Runs that came after the last one with a metric lack it too. */
static void fill_up(json_t *values, size_t nr)
{
	const char *name;
	json_t *list;

	json_object_foreach(values, name,
			    list) while (json_array_size(list) < nr)
		json_array_append_new(list, json_null());
}

static int add_runs(struct db *db, struct db_stmt *q, struct db_matrix *m,
		    struct err *err)
{
	long long last = 0;
	long long boot = -1;
	size_t nr = 0;
	int rc;

	while ((rc = db_step(q, err)) > 0) {
		boot += db_col_int(q, 1) != last;
		last = db_col_int(q, 1);
		json_array_append_new(m->boots, json_integer(boot));
		json_array_append_new(m->pairs, json_integer(db_col_int(q, 2)));
		rc = add_run(db, db_col_int(q, 0), nr++, m->values, err);
		if (rc)
			return rc;
	}
	fill_up(m->values, nr);
	return rc;
}

int db_sample_matrix(struct db *db, long long comparison_id,
		     long long commit_id, struct db_matrix *out,
		     struct err *err)
{
	struct db_matrix m = { json_object(), json_array(), json_array() };
	struct db_stmt *q =
		db_stmt(db, "SELECT r.id, r.boot_id, "
			    "(SELECT count(*) FROM plan o "
			    "WHERE o.comparison_id = p.comparison_id "
			    "AND o.commit_id = p.commit_id "
			    "AND o.step_id IS NULL "
			    "AND (o.seq, o.id) < (p.seq, p.id)) FROM plan p "
			    "JOIN boot b ON b.plan_id = p.id "
			    "JOIN run r ON r.boot_id = b.id "
			    "WHERE p.comparison_id = ? AND p.commit_id = ? "
			    "AND p.step_id IS NULL AND r.state = 'done' "
			    "ORDER BY b.id, r.seq");
	int rc;

	db_bind_int(q, comparison_id);
	db_bind_int(q, commit_id);
	rc = add_runs(db, q, &m, err);
	db_stmt_free(&q);
	if (rc) {
		json_decref(m.values);
		json_decref(m.boots);
		json_decref(m.pairs);
		return rc;
	}
	*out = m;
	return 0;
}
