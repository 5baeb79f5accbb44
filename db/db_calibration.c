// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of calibration and calibration_metric.
#include "db/db_calibration.h"

#include <math.h>

int db_calibration_add(struct db *db, const struct db_calibration *c,
		       bool builds, long long now_s, long long *out_id,
		       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO calibration (comparison_id, series_id, box_id,"
		    " commit_id, kconfig, nr_boots, nr_layouts, by_itself, "
		    "created_s) SELECT c.id, c.series_id, c.box_id, c.base_id, "
		    "CASE WHEN ? THEN r.kconfig ELSE '' END, ?, ?, ?, ? "
		    "FROM comparison c JOIN job j ON j.id = c.job_id "
		    "JOIN repo r ON r.id = j.repo_id WHERE c.id = ?");

	db_bind_int(q, builds);
	db_bind_int(q, c->nr_boots);
	db_bind_int(q, c->nr_layouts);
	db_bind_int(q, c->by_itself);
	db_bind_int(q, now_s);
	db_bind_int(q, c->comparison_id);
	return db_insert(q, out_id, err);
}

json_t *db_calibration_of(struct db *db, long long comparison_id,
			  struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT k.id, k.series_id, k.box_id, x.name AS box, "
		    "k.commit_id, k.nr_boots, k.nr_layouts, k.by_itself, "
		    "k.created_s, k.at_s, k.verdict, k.why FROM calibration k "
		    "JOIN box x ON x.id = k.box_id WHERE k.comparison_id = ?");

	db_bind_int(q, comparison_id);
	return db_row(q, err);
}

int db_calibration_end(struct db *db, long long id,
		       const struct db_calibration_end *e, long long now_s,
		       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE calibration SET at_s = ?, boots = ?, runs = ?, "
		    "invariants_json = ?, headline = ?, verdict = ?, why = ? "
		    "WHERE id = ?");

	db_bind_int(q, now_s);
	db_bind_int(q, e->boots);
	db_bind_int(q, e->runs);
	db_bind_json(q, e->invariants);
	db_bind_text(q, e->headline);
	db_bind_text(q, e->verdict);
	db_bind_text(q, e->why);
	db_bind_int(q, id);
	return db_run(q, err);
}

/* The mean of the newest means of the series' other boxes, same kernel. */
#define OTHERS_MEAN                                                        \
	"(SELECT avg(o.mean) FROM calibration me JOIN calibration k "      \
	"ON k.series_id = me.series_id AND k.commit_id = me.commit_id "    \
	"AND k.kconfig = me.kconfig AND k.box_id <> me.box_id AND k.id = " \
	"(SELECT max(id) FROM calibration WHERE series_id = k.series_id "  \
	"AND box_id = k.box_id AND commit_id = k.commit_id AND verdict = " \
	"'ok') JOIN calibration_metric o ON o.calibration_id = k.id AND "  \
	"o.metric = ?2 WHERE me.id = ?1)"

int db_calibration_put(struct db *db, long long id,
		       const struct db_calibration_metric *m, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO calibration_metric (calibration_id, metric, "
		    "kpi, mean, sd_ratio, sd_run_ratio, sd_boot_ratio, "
		    "boot_share, dof, drift_ratio, layout_sd_ratio, aa_trials, "
		    "aa_alarms, halves_ratio, halves_e, verdict, offset_ratio) "
		    "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
		    "?13, ?14, ?15, ?16, ?4 / nullif(" OTHERS_MEAN ", 0) - 1");

	db_bind_int(q, id);
	db_bind_text(q, m->metric);
	db_bind_int(q, m->kpi);
	db_bind_real(q, m->mean);
	db_bind_real(q, m->sd);
	db_bind_real(q, m->sd_run);
	db_bind_real(q, m->sd_boot);
	db_bind_real(q, m->boot_share);
	db_bind_real(q, m->dof);
	db_bind_real(q, m->drift);
	if (isfinite(m->layout_sd))
		db_bind_real(q, m->layout_sd);
	else
		db_bind_null(q);
	db_bind_int(q, m->aa_trials);
	db_bind_int(q, m->aa_alarms);
	db_bind_real(q, m->halves);
	db_bind_real(q, m->halves_e);
	db_bind_text(q, m->verdict);
	return db_run(q, err);
}

json_t *db_calibration_runs(struct db *db, long long comparison_id,
			    struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT r.id, b.id AS boot, b.layout FROM plan p "
		    "JOIN boot b ON b.id = "
		    "(SELECT max(id) FROM boot WHERE plan_id = p.id) "
		    "JOIN run r ON r.boot_id = b.id AND r.state = 'done' "
		    "WHERE p.comparison_id = ? ORDER BY b.id, r.seq");

	db_bind_int(q, comparison_id);
	return db_rows(q, err);
}

int db_calibration_clear(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "DELETE FROM calibration_metric WHERE "
					"calibration_id = ?");

	db_bind_int(q, id);
	return db_run(q, err);
}

json_t *db_calibration_for(struct db *db, long long series_id, long long box_id,
			   const char *metric, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT k.id, k.at_s, k.verdict, k.why, k.boots, k.kconfig,"
		    " k.invariants_json, m.aa_trials, m.aa_alarms, m.sd_ratio, "
		    "m.boot_share, m.dof, m.drift_ratio, m.offset_ratio, "
		    "(SELECT l.layout_sd_ratio FROM calibration n "
		    "JOIN calibration_metric l ON l.calibration_id = n.id "
		    "AND l.metric = ?3 WHERE n.series_id = ?1 AND "
		    "n.verdict = 'ok' AND l.layout_sd_ratio IS NOT NULL "
		    "ORDER BY n.id DESC LIMIT 1) AS layout_sd_ratio, "
		    "x.invariants_json AS box_invariants_json, "
		    "r.kconfig AS repo_kconfig FROM calibration k "
		    "JOIN box x ON x.id = k.box_id "
		    "JOIN series s ON s.id = k.series_id "
		    "JOIN repo r ON r.id = s.repo_id "
		    "LEFT JOIN calibration_metric m ON m.calibration_id = k.id "
		    "AND m.metric = ?3 WHERE k.series_id = ?1 AND "
		    "k.box_id = ?2 AND k.at_s IS NOT NULL "
		    "ORDER BY k.id DESC LIMIT 1");

	db_bind_int(q, series_id);
	db_bind_int(q, box_id);
	db_bind_text(q, metric);
	return db_row(q, err);
}

int db_calibration_elsewhere(struct db *db, long long series_id,
			     long long box_id, long long *out_at_s,
			     struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT coalesce(max(k.at_s), 0) FROM series s "
		    "JOIN series o ON o.repo_id = s.repo_id AND "
		    "o.path = s.path AND o.job_json = s.job_json AND "
		    "o.id <> s.id JOIN calibration k ON k.series_id = o.id AND "
		    "k.box_id = ? WHERE s.id = ?");

	db_bind_int(q, box_id);
	db_bind_int(q, series_id);
	return db_get_int(q, out_at_s, err);
}

json_t *db_calibration_list(struct db *db, long long box_id, long long id,
			    struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT k.id, c.job_id, x.name AS box, s.path, "
		    "k.headline AS metric, c.state, k.verdict, "
		    "CASE k.why WHEN '' THEN c.why ELSE k.why END AS why, "
		    "k.created_s, k.at_s, k.boots, k.nr_boots, k.by_itself, "
		    "g.sha, m.mean, m.sd_ratio, m.boot_share, m.drift_ratio, "
		    "m.offset_ratio, m.layout_sd_ratio, m.dof, m.aa_trials, "
		    "m.aa_alarms, k.invariants_json, "
		    "x.invariants_json AS box_invariants_json, k.kconfig, "
		    "r.kconfig AS repo_kconfig, k.id = (SELECT max(id) FROM "
		    "calibration WHERE series_id = k.series_id AND "
		    "box_id = k.box_id AND at_s IS NOT NULL) AS newest "
		    "FROM calibration k JOIN comparison c "
		    "ON c.id = k.comparison_id JOIN box x ON x.id = k.box_id "
		    "JOIN series s ON s.id = k.series_id "
		    "JOIN repo r ON r.id = s.repo_id "
		    "JOIN git_commit g ON g.id = k.commit_id "
		    "LEFT JOIN calibration_metric m ON m.calibration_id = k.id "
		    "AND m.metric = k.headline "
		    "WHERE (?1 = 0 OR k.box_id = ?1) AND (?2 = 0 OR k.id = ?2) "
		    "ORDER BY k.id DESC LIMIT 200");

	db_bind_int(q, box_id);
	db_bind_int(q, id);
	return db_rows(q, err);
}

json_t *db_calibration_metrics(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT metric, kpi, mean, sd_ratio, sd_run_ratio, "
		    "sd_boot_ratio, boot_share, dof, drift_ratio, "
		    "offset_ratio, layout_sd_ratio, aa_trials, aa_alarms, "
		    "halves_ratio, halves_e, verdict FROM calibration_metric "
		    "WHERE calibration_id = ? ORDER BY kpi DESC, metric");

	db_bind_int(q, id);
	return db_rows(q, err);
}

/*
 * Work that waits anywhere for the box makes it busy; so does a calibration
 * that was asked for and hasn't been evaluated, unless it came to nothing.
 */
json_t *db_calibration_due(struct db *db, long long since_s, long long before_s,
			   struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "WITH used AS (SELECT c.box_id, c.series_id, max(c.id) AS "
		    "comparison_id FROM comparison c WHERE c.state = 'done' "
		    "AND c.created_s >= ?1 AND c.id NOT IN (SELECT "
		    "comparison_id FROM calibration) GROUP BY 1, 2), "
		    "known AS (SELECT box_id, series_id, max(created_s) AS "
		    "created_s FROM calibration GROUP BY 1, 2) "
		    "SELECT x.id AS box_id, x.name AS box, u.series_id, "
		    "c.base_id AS commit_id, j.repo_id, j.name, j.yaml, "
		    "json_extract(j.options_json, '$.runs') AS runs, "
		    "s.job_json FROM used u JOIN box x ON x.id = u.box_id "
		    "JOIN comparison c ON c.id = u.comparison_id "
		    "JOIN job j ON j.id = c.job_id "
		    "JOIN series s ON s.id = u.series_id "
		    "LEFT JOIN known k ON k.box_id = u.box_id AND "
		    "k.series_id = u.series_id WHERE x.state = 'ready' AND "
		    "coalesce(k.created_s, 0) < ?2 AND NOT EXISTS (SELECT 1 "
		    "FROM plan p WHERE p.box_id = x.id AND p.state IN "
		    "('queued', 'leased')) AND NOT EXISTS (SELECT 1 FROM "
		    "attempt a WHERE a.box_id = x.id AND a.state = 'leased') "
		    "ORDER BY coalesce(k.created_s, 0), u.comparison_id DESC "
		    "LIMIT 1");

	db_bind_int(q, since_s);
	db_bind_int(q, before_s);
	return db_row(q, err);
}
