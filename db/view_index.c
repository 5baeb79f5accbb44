// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/view_index.h"

int view_newest_s(struct db *db, long long *out, struct err *err)
{
	return db_get_int(
		db_stmt(db,
			"SELECT max("
			"  ifnull((SELECT max(at_s) FROM event), 0),"
			"  ifnull((SELECT max(created_s) FROM job), 0),"
			"  ifnull((SELECT max(ended_s) FROM job), 0),"
			"  ifnull((SELECT max(ended_s) FROM comparison), 0),"
			"  ifnull((SELECT max(at_s) FROM state_change), 0),"
			"  ifnull((SELECT max(sent_s) FROM outbox), 0),"
			"  ifnull((SELECT max(ended_s) FROM attempt), 0))"),
		out, err);
}

json_t *view_regressions(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT r.id, r.state, r.created_s, r.comparison_id,"
			"  r.bisect_id, k.sha, k.subject, c.headline,"
			"  c.direction, c.change_pct, c.verdict, s.path,"
			"  s.tbox_group, h.sha, h.subject, b.posterior,"
			"  b.verdict"
			" FROM regression r"
			" JOIN comparison c ON c.id = r.comparison_id"
			" JOIN series s ON s.id = c.series_id"
			" JOIN git_commit h ON h.id = c.head_id"
			" LEFT JOIN git_commit k ON k.id = r.culprit_id"
			" LEFT JOIN bisect b ON b.id = r.bisect_id"
			" ORDER BY r.id DESC"),
		"i id, t state, i created_s, i comparison, i bisect,"
		" t culprit_sha, t culprit_subject, t headline, t direction,"
		" r change_pct, t verdict, t path, t tbox_group, t head_sha,"
		" t head_subject, r posterior, t bisect_verdict",
		err);
}

/*
 * The estimate: for each box, boots still wanted by this job and those queued
 * before it, times the mean length of a boot there; the slowest box decides.
 * Boots of a box run one after the other.
 */
json_t *view_queue(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"WITH pace AS (SELECT box_id,"
			"    avg(ended_s - started_s) AS boot_s"
			"  FROM attempt WHERE kind = 'run' AND state = 'done'"
			"  GROUP BY box_id),"
			" open AS (SELECT p.job_id, p.box_id, j.prio,"
			"    count(*) AS nr FROM plan p"
			"  JOIN job j ON j.id = p.job_id"
			"  WHERE p.state IN ('queued', 'leased')"
			"  GROUP BY p.job_id, p.box_id),"
			" ahead AS (SELECT o.job_id, o.box_id,"
			"    (SELECT sum(nr) FROM open a"
			"     WHERE a.box_id = o.box_id AND (a.prio > o.prio"
			"      OR (a.prio = o.prio AND a.job_id <= o.job_id)))"
			"    AS nr FROM open o)"
			" SELECT j.id, j.name, j.state, j.prio, j.created_s,"
			"  b.sha, h.sha, h.subject,"
			"  (SELECT count(*) FROM plan p WHERE p.job_id = j.id"
			"    AND p.state = 'done'),"
			"  (SELECT count(*) FROM plan p WHERE p.job_id = j.id"
			"    AND p.state <> 'cancelled'),"
			"  (SELECT max(a.nr * pace.boot_s) FROM ahead a"
			"    JOIN pace ON pace.box_id = a.box_id"
			"    WHERE a.job_id = j.id)"
			" FROM job j JOIN git_commit b ON b.id = j.base_id"
			" JOIN git_commit h ON h.id = j.head_id"
			" WHERE j.state IN ('queued', 'running')"
			" ORDER BY j.state DESC, j.prio DESC, j.id"),
		"i id, t name, t state, i prio, i created_s, t base_sha,"
		" t head_sha, t head_subject, i done, i total, r eta_s",
		err);
}

json_t *view_boxes(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT x.id, x.name, x.tbox_group, x.tags, x.state,"
			"  x.why, x.hw_json, x.infra_failures,"
			"  (SELECT count(*) FROM plan p WHERE p.box_id = x.id"
			"    AND p.state IN ('queued', 'leased')),"
			"  (SELECT count(*) FROM boot o WHERE o.box_id = x.id)"
			" FROM box x ORDER BY x.name"),
		"i id, t name, t tbox_group, t tags, t state, t why, j hw,"
		" i infra_failures, i waiting, i boots",
		err);
}

json_t *view_reports(struct db *db, int nr, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT c.id, c.job_id, c.verdict, c.headline, c.direction,"
		    "  c.change_pct, c.e_value, c.why, c.ended_s, s.path,"
		    "  s.tbox_group, b.sha, h.sha, h.subject"
		    " FROM comparison c JOIN series s ON s.id = c.series_id"
		    " JOIN git_commit b ON b.id = c.base_id"
		    " JOIN git_commit h ON h.id = c.head_id"
		    " WHERE c.ended_s IS NOT NULL AND c.verdict <> ''"
		    " ORDER BY c.ended_s DESC, c.id DESC LIMIT ?");

	db_bind_int(q, nr);
	return view_rows(q,
			 "i id, i job, t verdict, t headline, t direction,"
			 " r change_pct, r e_value, t why, i ended_s, t path,"
			 " t tbox_group, t base_sha, t head_sha,"
			 " t head_subject",
			 err);
}
