// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/view_bisect.h"

#include <string.h>

json_t *view_bisect_list(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT b.id, b.comparison_id, b.state || '/' ||"
			"  b.verdict || '/' || ifnull(b.ended_s, '') || '/' ||"
			"  b.why || '/' || (SELECT count(*) || ',' ||"
			"    count(result_json) || ',' || ifnull(sum(length("
			"    posterior_json)), 0) FROM bisect_step t"
			"    WHERE t.bisect_id = b.id) || '/' ||"
			"  (SELECT count(*) || ':' || ifnull(max(o.id), 0)"
			"    FROM plan p JOIN boot o ON o.plan_id = p.id"
			"    WHERE p.comparison_id = b.comparison_id)"
			" FROM bisect b ORDER BY b.id"),
		"i id, i comparison, t stamp", err);
}

static json_t *cost_of(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"WITH mine AS (SELECT p.id, p.artifact_id FROM plan p"
		"  JOIN bisect_step t ON t.id = p.step_id"
		"  WHERE t.bisect_id = ?1)"
		" SELECT (SELECT count(*) FROM artifact WHERE id IN"
		"    (SELECT artifact_id FROM mine)"
		"    AND state IN ('done', 'failed')),"
		"  (SELECT count(*) FROM boot WHERE plan_id IN"
		"    (SELECT id FROM mine)),"
		"  (SELECT count(*) FROM run r JOIN boot o ON o.id = r.boot_id"
		"    WHERE o.plan_id IN (SELECT id FROM mine)),"
		"  (SELECT ifnull(sum(ended_s - started_s), 0) FROM attempt"
		"    WHERE plan_id IN (SELECT id FROM mine)"
		"    AND ended_s IS NOT NULL),"
		"  (SELECT ifnull(sum(seconds), 0) FROM artifact WHERE id IN"
		"    (SELECT artifact_id FROM mine)),"
		"  count(*), ifnull(sum(seconds), 0) FROM artifact"
		"  WHERE state IN ('done', 'failed') AND id IN"
		"    (SELECT json_extract(s.value, '$.artifact')"
		"     FROM bisect_step t,"
		"     json_each(t.ask_json, '$.speculate') s"
		"     WHERE t.bisect_id = ?1) AND id NOT IN (SELECT artifact_id"
		"    FROM mine WHERE artifact_id NOT NULL)");

	db_bind_int(q, id);
	return view_row(q,
			"i builds, i boots, i runs, i boot_seconds,"
			" r build_seconds, i unused, r unused_seconds",
			err);
}

json_t *view_bisect(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"SELECT b.id, b.comparison_id, b.state, b.start_json,"
		"  b.engine_json, b.verdict, b.commits_json, b.posterior,"
		"  b.evidence_json, b.why, b.created_s, b.ended_s, c.job_id,"
		"  c.headline, c.direction, c.change_pct, s.path,"
		"  s.tbox_group, x.sha, x.subject, y.sha, y.subject, r.name,"
		"  r.url,"
		"  (SELECT max(id) FROM regression WHERE comparison_id = c.id)"
		" FROM bisect b JOIN comparison c ON c.id = b.comparison_id"
		" JOIN series s ON s.id = c.series_id"
		" JOIN repo r ON r.id = s.repo_id"
		" JOIN git_commit x ON x.id = c.base_id"
		" JOIN git_commit y ON y.id = c.head_id WHERE b.id = ?");
	json_t *b;

	db_bind_int(q, id);
	b = view_row(q,
		     "i id, i comparison, t state, j start, j engine,"
		     " t verdict, j commits, r posterior, j evidence, t why,"
		     " i created_s, i ended_s, i job, t headline, t direction,"
		     " r change_pct, t path, t tbox_group, t base_sha,"
		     " t base_subject, t head_sha, t head_subject, t repo,"
		     " t url, i regression",
		     err);
	if (b && view_put(b, "cost", cost_of(db, id, err))) {
		json_decref(b);
		return NULL;
	}
	return b;
}

json_t *view_bisect_steps(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"SELECT t.seq, t.ask_json, t.result_json, t.posterior_json,"
		"  t.note,"
		"  (SELECT count(*) FROM boot o JOIN plan p ON p.id = o.plan_id"
		"    WHERE p.step_id = t.id),"
		"  (SELECT count(*) FROM run r JOIN boot o ON o.id = r.boot_id"
		"    JOIN plan p ON p.id = o.plan_id WHERE p.step_id = t.id"
		"    AND r.state = 'done'),"
		"  (SELECT count(*) FROM plan p WHERE p.step_id = t.id"
		"    AND p.state = 'failed'),"
		"  (SELECT ifnull(sum(a.ended_s - a.started_s), 0)"
		"    FROM attempt a JOIN plan p ON p.id = a.plan_id"
		"    WHERE p.step_id = t.id AND a.ended_s IS NOT NULL),"
		"  (SELECT p.failure || ': ' || p.why FROM plan p"
		"    WHERE p.step_id = t.id AND (p.state = 'failed'"
		"    OR p.failure = 'same')"
		"    ORDER BY p.id LIMIT 1)"
		" FROM bisect_step t WHERE t.bisect_id = ? ORDER BY t.seq");

	db_bind_int(q, id);
	return view_rows(q,
			 "i seq, j ask, j result, j posterior, t note, i boots,"
			 " i runs, i failed, i seconds, t why",
			 err);
}

json_t *view_bisect_runs(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"SELECT t.seq, g.sha, x.name, o.id, o.layout,"
		"  (SELECT s.value FROM sample s JOIN metric m"
		"    ON m.id = s.metric_id WHERE s.run_id = r.id"
		"    AND m.name = c.headline)"
		" FROM bisect_step t JOIN plan p ON p.step_id = t.id"
		" JOIN comparison c ON c.id = p.comparison_id"
		" JOIN boot o ON o.plan_id = p.id JOIN run r ON r.boot_id = o.id"
		" JOIN git_commit g ON g.id = o.commit_id"
		" JOIN box x ON x.id = o.box_id"
		" WHERE t.bisect_id = ? AND r.state = 'done'"
		" ORDER BY t.seq, r.started_s, r.id");

	db_bind_int(q, id);
	return view_rows(q, "i seq, t sha, t box, i boot, i layout, r headline",
			 err);
}

json_t *view_bisect_subjects(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT g.sha, g.subject FROM git_commit g"
		    " WHERE g.id IN (SELECT p.commit_id FROM plan p"
		    "  JOIN bisect b ON b.comparison_id = p.comparison_id"
		    "  WHERE b.id = ?) OR g.id IN (SELECT r.culprit_id"
		    "  FROM regression r WHERE r.bisect_id = ?)");
	json_t *out = json_object();
	int rc;

	db_bind_int(q, id);
	db_bind_int(q, id);
	while ((rc = db_step(q, err)) > 0) {
		const char *text = db_col_text(q, 1);

		json_object_set_new(out, db_col_text(q, 0),
				    json_text(text, strlen(text)));
	}
	db_stmt_free(&q);
	if (rc < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}
