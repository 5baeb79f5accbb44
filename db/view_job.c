// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/view_job.h"

#define COMPARISON_COLUMNS                                          \
	"SELECT c.id, c.state, c.verdict, c.headline, c.direction," \
	"  c.change_pct, c.e_value, c.why, c.ended_s, s.path,"      \
	"  s.tbox_group, b.sha, h.sha, h.subject"                   \
	" FROM comparison c JOIN series s ON s.id = c.series_id"    \
	" JOIN git_commit b ON b.id = c.base_id"                    \
	" JOIN git_commit h ON h.id = c.head_id"
#define COMPARISON_NAMES                                      \
	"i id, t state, t verdict, t headline, t direction,"  \
	" r change_pct, r e_value, t why, i ended_s, t path," \
	" t tbox_group, t base_sha, t head_sha, t head_subject"

/* Rows of a query that takes @id as its only value. */
static json_t *rows_by(struct db *db, const char *sql, long long id,
		       const char *columns, struct err *err)
{
	struct db_stmt *q = db_stmt(db, sql);

	db_bind_int(q, id);
	return view_rows(q, columns, err);
}

static json_t *row_by(struct db *db, const char *sql, long long id,
		      const char *columns, struct err *err)
{
	struct db_stmt *q = db_stmt(db, sql);

	db_bind_int(q, id);
	return view_row(q, columns, err);
}

/* Put each array under its key; what failed makes the whole NULL. */
struct part {
	const char *key;
	const char *sql;
	const char *columns;
};

static json_t *add_parts(struct db *db, json_t *obj, const struct part *parts,
			 size_t nr, struct err *err)
{
	long long id = json_opt_int(obj, "id", 0);

	for (size_t i = 0; i < nr; i++) {
		if (!view_put(obj, parts[i].key,
			      rows_by(db, parts[i].sql, id, parts[i].columns,
				      err)))
			continue;
		json_decref(obj);
		return NULL;
	}
	return obj;
}

json_t *view_job_list(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT j.id, j.state || '/' || ifnull(j.ended_s, '')"
			"  || '/' || j.why || '/' || j.prio || '/' ||"
			"  (SELECT count(*) || ':' || ifnull(max(e.id), 0)"
			"    FROM event e WHERE e.job_id = j.id) || '/' ||"
			"  (SELECT count(*) || ':' || ifnull(max(a.id), 0) ||"
			"    ':' || ifnull(sum(a.state <> 'leased'), 0)"
			"    FROM attempt a JOIN plan p ON p.id = a.plan_id"
			"    WHERE p.job_id = j.id) || '/' ||"
			"  (SELECT ifnull(group_concat(c.state || c.verdict ||"
			"    ifnull(c.ended_s, '')), '') FROM comparison c"
			"    WHERE c.job_id = j.id) || '/' ||"
			"  (SELECT ifnull(group_concat(o.state || o.tries), '')"
			"    FROM outbox o WHERE o.job_id = j.id)"
			" FROM job j ORDER BY j.id"),
		"i id, t stamp", err);
}

static const struct part job_parts[] = {
	{ "comparisons", COMPARISON_COLUMNS " WHERE c.job_id = ? ORDER BY c.id",
	  COMPARISON_NAMES },
	{ "artifacts",
	  "SELECT DISTINCT f.id, g.sha, g.subject, f.tree, f.layout, f.state,"
	  "  f.key, f.build_id, f.kernel_path, f.seconds, f.why"
	  " FROM plan p JOIN artifact f ON f.id = p.artifact_id"
	  " JOIN git_commit g ON g.id = f.commit_id"
	  " WHERE p.job_id = ? ORDER BY f.id LIMIT 1000",
	  "i id, t sha, t subject, t tree, i layout, t state, t key,"
	  " t build_id, t kernel_path, r seconds, t why" },
	{ "attempts",
	  "SELECT a.id, a.kind, g.sha, x.name, a.state, a.failure, a.why,"
	  "  a.started_s, a.ended_s, a.folder,"
	  "  (SELECT count(*) FROM run r JOIN boot o ON o.id = r.boot_id"
	  "    WHERE o.attempt_id = a.id)"
	  " FROM attempt a JOIN plan p ON p.id = a.plan_id"
	  " JOIN git_commit g ON g.id = p.commit_id"
	  " LEFT JOIN box x ON x.id = a.box_id"
	  " WHERE p.job_id = ? ORDER BY a.id DESC LIMIT 500",
	  "i id, t kind, t sha, t box, t state, t failure, t why, i started_s,"
	  " i ended_s, t folder, i runs" },
	{ "events",
	  "SELECT * FROM (SELECT id, at_s, kind, text FROM event"
	  " WHERE job_id = ? ORDER BY id DESC LIMIT 500) ORDER BY id",
	  "i id, i at_s, t kind, t text" },
	{ "mails",
	  "SELECT message_id, subject, state, tries, last_error, sent_s"
	  " FROM outbox WHERE job_id = ? ORDER BY id",
	  "t message_id, t subject, t state, i tries, t last_error, i sent_s" },
};

json_t *view_job(struct db *db, long long id, struct err *err)
{
	json_t *j = row_by(
		db,
		"SELECT j.id, j.name, j.state, j.why, j.prio, j.created_s,"
		"  j.ended_s, j.yaml, j.merge_base, r.name,"
		"  r.url, r.branch, b.sha, b.subject, h.sha, h.subject,"
		"  (SELECT count(*) FROM event e WHERE e.job_id = j.id),"
		"  (SELECT count(*) FROM plan p WHERE p.job_id = j.id"
		"    AND p.state = 'done'),"
		"  (SELECT count(*) FROM plan p WHERE p.job_id = j.id"
		"    AND p.state <> 'cancelled')"
		" FROM job j JOIN repo r ON r.id = j.repo_id"
		" JOIN git_commit b ON b.id = j.base_id"
		" JOIN git_commit h ON h.id = j.head_id WHERE j.id = ?",
		id,
		"i id, t name, t state, t why, i prio, i created_s, i ended_s,"
		" t yaml, t merge_base, t repo, t url, t branch,"
		" t base_sha, t base_subject, t head_sha, t head_subject,"
		" i nr_events, i done, i total",
		err);

	if (!j)
		return NULL;
	return add_parts(db, j, job_parts,
			 sizeof(job_parts) / sizeof(job_parts[0]), err);
}

static const struct part box_parts[] = {
	{ "calibrations",
	  "SELECT s.path, m.metric, k.at_s, m.dof, m.sd_ratio, m.boot_share,"
	  "  m.layout_sd_ratio, m.drift_ratio, m.offset_ratio, m.aa_trials,"
	  "  m.aa_alarms, m.verdict, k.boots, k.why"
	  " FROM calibration k JOIN series s ON s.id = k.series_id"
	  " JOIN calibration_metric m ON m.calibration_id = k.id AND m.kpi"
	  " WHERE k.box_id = ? AND k.at_s IS NOT NULL"
	  " ORDER BY k.at_s DESC, k.id DESC, m.metric LIMIT 200",
	  "t path, t metric, i at_s, r dof, r sd_ratio, r boot_share,"
	  " r layout_sd_ratio, r drift_ratio, r offset_ratio, i aa_trials,"
	  " i aa_alarms, t verdict, i boots, t why" },
	{ "rejected",
	  "SELECT o.at_s, p.job_id, g.sha, o.why FROM rejected_boot o"
	  " JOIN attempt a ON a.id = o.attempt_id"
	  " JOIN plan p ON p.id = a.plan_id"
	  " JOIN git_commit g ON g.id = o.commit_id WHERE o.box_id = ?"
	  " ORDER BY o.id DESC LIMIT 100",
	  "i at_s, i job, t sha, t why" },
	{ "queue",
	  "SELECT p.job_id, p.comparison_id, g.sha, p.nr_runs, p.state,"
	  "  p.tries, p.not_before_s FROM plan p JOIN job j ON j.id = p.job_id"
	  " JOIN git_commit g ON g.id = p.commit_id WHERE p.box_id = ?"
	  " AND p.state IN ('queued', 'leased')"
	  " ORDER BY p.state = 'queued', j.prio DESC, p.job_id, p.seq LIMIT 200",
	  "i job, i comparison, t sha, i runs, t state, i tries,"
	  " i not_before_s" },
	{ "boots",
	  "SELECT o.id, p.job_id, p.comparison_id, g.sha, o.booted_s,"
	  "  o.boot_seconds, o.layout, o.build_id,"
	  "  (SELECT count(*) FROM run r WHERE r.boot_id = o.id)"
	  " FROM boot o JOIN plan p ON p.id = o.plan_id"
	  " JOIN git_commit g ON g.id = o.commit_id WHERE o.box_id = ?"
	  " ORDER BY o.id DESC LIMIT 100",
	  "i id, i job, i comparison, t sha, i booted_s, r boot_seconds,"
	  " i layout, t build_id, i runs" },
};

json_t *view_box(struct db *db, const char *name, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, name, tbox_group, tags, state, why, spec_json,"
		    "  hw_json, infra_failures FROM box WHERE name = ?");
	json_t *box;

	db_bind_text(q, name);
	box = view_row(q,
		       "i id, t name, t tbox_group, t tags, t state, t why,"
		       " j spec, j hw, i infra_failures",
		       err);
	if (!box)
		return NULL;
	return add_parts(db, box, box_parts,
			 sizeof(box_parts) / sizeof(box_parts[0]), err);
}

json_t *view_commit_list(struct db *db, struct err *err)
{
	return view_rows(db_stmt(db, "SELECT g.id, g.sha FROM git_commit g"
				     " WHERE g.id IN ("
				     "  SELECT base_id FROM comparison UNION"
				     "  SELECT head_id FROM comparison UNION"
				     "  SELECT culprit_id FROM regression UNION"
				     "  SELECT commit_id FROM plan)"
				     " ORDER BY g.id"),
			 "i id, t sha", err);
}

static const struct part commit_parts[] = {
	{ "comparisons",
	  COMPARISON_COLUMNS " WHERE ? IN (c.base_id, c.head_id)"
			     " ORDER BY c.id DESC LIMIT 500",
	  COMPARISON_NAMES },
	{ "regressions",
	  "SELECT r.id, r.state, r.created_s, c.headline, c.direction,"
	  "  c.change_pct, s.path, s.tbox_group FROM regression r"
	  " JOIN comparison c ON c.id = r.comparison_id"
	  " JOIN series s ON s.id = c.series_id"
	  " WHERE r.culprit_id = ? ORDER BY r.id",
	  "i id, t state, i created_s, t headline, t direction,"
	  " r change_pct, t path, t tbox_group" },
	{ "artifacts",
	  "SELECT f.id, f.layout, f.state, f.key, f.build_id, f.seconds, f.why"
	  " FROM artifact f JOIN git_commit g ON g.tree = f.tree"
	  "  AND g.repo_id = f.repo_id WHERE g.id = ? ORDER BY f.id",
	  "i id, i layout, t state, t key, t build_id, r seconds, t why" },
};

json_t *view_commit(struct db *db, long long id, struct err *err)
{
	json_t *commit =
		row_by(db,
		       "SELECT g.id, g.sha, g.tree, g.subject, g.author_name,"
		       "  g.authored_s, r.name, r.url FROM git_commit g"
		       " JOIN repo r ON r.id = g.repo_id WHERE g.id = ?",
		       id,
		       "i id, t sha, t tree, t subject, t author, i authored_s,"
		       " t repo, t url",
		       err);

	if (!commit)
		return NULL;
	return add_parts(db, commit, commit_parts,
			 sizeof(commit_parts) / sizeof(commit_parts[0]), err);
}

static const struct part regression_parts[] = {
	{ "changes",
	  "SELECT at_s, from_state, to_state, who, why FROM state_change"
	  " WHERE regression_id = ? ORDER BY id",
	  "i at_s, t from, t to, t who, t why" },
	{ "mails",
	  "SELECT o.message_id, o.subject, o.state, o.tries, o.last_error,"
	  "  o.sent_s, iif(o.state = 'sent', o.body, '') FROM outbox o"
	  " JOIN regression r"
	  "  ON r.comparison_id = o.comparison_id WHERE r.id = ?"
	  " ORDER BY o.id",
	  "t message_id, t subject, t state, i tries, t last_error, i sent_s,"
	  " t body" },
};

json_t *view_regression(struct db *db, long long id, struct err *err)
{
	json_t *r = row_by(
		db,
		"SELECT r.id, r.state, r.created_s, r.comparison_id,"
		"  r.bisect_id, k.sha, k.subject, k.author_name FROM regression r"
		" LEFT JOIN git_commit k ON k.id = r.culprit_id WHERE r.id = ?",
		id,
		"i id, t state, i created_s, i comparison, i bisect,"
		" t culprit_sha, t culprit_subject, t culprit_author",
		err);

	if (!r)
		return NULL;
	return add_parts(db, r, regression_parts,
			 sizeof(regression_parts) / sizeof(regression_parts[0]),
			 err);
}

json_t *view_regression_list(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT r.id, r.comparison_id, r.state || '/' ||"
			"  ifnull(r.bisect_id, '') || '/' ||"
			"  ifnull(r.culprit_id, '') || '/' || (SELECT count(*)"
			"    FROM state_change t WHERE t.regression_id = r.id)"
			"  || '/' || (SELECT ifnull(group_concat(o.state ||"
			"    o.tries), '') FROM outbox o"
			"    WHERE o.comparison_id = r.comparison_id) || '/' ||"
			"  (SELECT ifnull(group_concat(b.state || b.verdict),"
			"    '') FROM bisect b"
			"    WHERE b.comparison_id = r.comparison_id)"
			" FROM regression r ORDER BY r.id"),
		"i id, i comparison, t stamp", err);
}
