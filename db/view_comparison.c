// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/view_comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_METRIC_ID 10000000

/* Boots of the comparison itself; those of bisection steps are left out. */
#define RUNS_OF                                        \
	" FROM plan p JOIN boot o ON o.plan_id = p.id" \
	" JOIN run r ON r.boot_id = o.id"              \
	" JOIN comparison c ON c.id = p.comparison_id" \
	"  AND c.series_id = r.series_id"              \
	"  AND r.commit_id IN (c.base_id, c.head_id)"  \
	" WHERE p.comparison_id = ? AND p.step_id IS NULL"

json_t *view_comparison_list(struct db *db, struct err *err)
{
	return view_rows(
		db_stmt(db,
			"SELECT c.id, b.sha, h.sha, s.path, s.tbox_group,"
			"  c.state || '/' || c.verdict || '/' ||"
			"  ifnull(c.ended_s, '') || '/' || c.why || '/' ||"
			"  (SELECT count(*) || ':' || ifnull(max(r.id), 0)"
			"    FROM plan p JOIN boot o ON o.plan_id = p.id"
			"    JOIN run r ON r.boot_id = o.id"
			"    WHERE p.comparison_id = c.id) || '/' ||"
			"  (SELECT ifnull(group_concat(x.id || x.state ||"
			"    x.verdict || x.why || ifnull(x.posterior, '') ||"
			"    (SELECT count(*) || ',' || count(result_json)"
			"      FROM bisect_step t WHERE t.bisect_id = x.id)),"
			"    '') FROM bisect x WHERE x.comparison_id = c.id)"
			"  || '/' || (SELECT ifnull(group_concat(g.id ||"
			"    g.state), '') FROM regression g"
			"    WHERE g.comparison_id = c.id)"
			" FROM comparison c JOIN series s ON s.id = c.series_id"
			" JOIN git_commit b ON b.id = c.base_id"
			" JOIN git_commit h ON h.id = c.head_id"
			" ORDER BY c.id"),
		"i id, t base_sha, t head_sha, t path, t tbox_group, t stamp",
		err);
}

static json_t *commit_of(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT sha, tree, subject, author_name, authored_s"
			    " FROM git_commit WHERE id = ?");

	db_bind_int(q, id);
	return view_row(q, "t sha, t tree, t subject, t author, i authored_s",
			err);
}

json_t *view_comparison(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"SELECT c.id, c.job_id, c.state, c.verdict, c.headline,"
		"  c.direction, c.change_pct, c.e_value, c.ci_low_pct,"
		"  c.ci_high_pct, c.evidence_json, c.why, c.created_s,"
		"  c.ended_s, c.base_id, c.head_id, j.name, s.testcase, s.path,"
		"  s.job_json, s.tbox_group, s.rootfs, s.kconfig, s.compiler,"
		"  r.name, r.url, r.branch,"
		"  (SELECT max(id) FROM bisect WHERE comparison_id = c.id),"
		"  (SELECT max(id) FROM regression WHERE comparison_id = c.id)"
		" FROM comparison c JOIN job j ON j.id = c.job_id"
		" JOIN series s ON s.id = c.series_id"
		" JOIN repo r ON r.id = s.repo_id WHERE c.id = ?");
	json_t *c;

	db_bind_int(q, id);
	c = view_row(q,
		     "i id, i job, t state, t verdict, t headline,"
		     " t direction, r change_pct, r e_value, r ci_low_pct,"
		     " r ci_high_pct, j evidence, t why, i created_s,"
		     " i ended_s, i base_id, i head_id, t job_name, t testcase,"
		     " t path, j atomic, t tbox_group, t rootfs, t kconfig,"
		     " t compiler, t repo, t url, t branch, i bisect,"
		     " i regression",
		     err);
	if (!c)
		return NULL;
	if (view_put(c, "base",
		     commit_of(db, json_opt_int(c, "base_id", 0), err)) ||
	    view_put(c, "head",
		     commit_of(db, json_opt_int(c, "head_id", 0), err))) {
		json_decref(c);
		return NULL;
	}
	json_object_del(c, "base_id");
	json_object_del(c, "head_id");
	return c;
}

json_t *view_comparison_runs(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT r.id, r.commit_id = c.head_id, o.id,"
		    "  (SELECT name FROM box WHERE box.id = o.box_id),"
		    "  o.boot_id, o.build_id, o.booted_s, o.boot_seconds,"
		    "  o.invariants_json, o.layout, r.seq, r.started_s,"
		    "  r.seconds, r.state, r.why" RUNS_OF
		    " ORDER BY r.started_s, r.id");

	db_bind_int(q, id);
	return view_rows(q,
			 "i id, i side, i boot, t box, t boot_id, t build_id,"
			 " i booted_s, r boot_seconds, j invariants, i layout,"
			 " i seq, i started_s, r seconds, t state, t why",
			 err);
}

json_t *view_comparison_failures(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT f.run_id, f.name FROM run_failure f"
			    " WHERE f.run_id IN (SELECT r.id" RUNS_OF ")"
			    " ORDER BY f.run_id, f.name");

	db_bind_int(q, id);
	return view_rows(q, "i run, t name", err);
}

int view_comparison_samples(struct db *db, long long id,
			    int (*fn)(void *arg, long long run,
				      long long metric, double value,
				      struct err *err),
			    void *arg, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT s.run_id, s.metric_id, s.value"
			    " FROM (SELECT r.id AS run" RUNS_OF ") x"
			    " CROSS JOIN sample s ON s.run_id = x.run");
	int rc;

	db_bind_int(q, id);
	while ((rc = db_step(q, err)) > 0) {
		rc = fn(arg, db_col_int(q, 0), db_col_int(q, 1),
			db_col_real(q, 2), err);
		if (rc < 0)
			break;
	}
	db_stmt_free(&q);
	return rc;
}

/* Make @names reach up to @id. */
static int names_grow(char ***names, size_t *nr, size_t *alloc, long long id,
		      struct err *err)
{
	if (id < 0 || id > MAX_METRIC_ID)
		return err_set(err, ERR_LIMIT, "metric %lld: ids end at %d", id,
			       MAX_METRIC_ID);
	VEC_GROW(*names, (size_t)id + 1, *alloc);
	while (*nr <= (size_t)id)
		(*names)[(*nr)++] = NULL;
	return 0;
}

int view_metric_names(struct db *db, char ***out, size_t *out_nr,
		      struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT id, name FROM metric ORDER BY id");
	char **names = NULL;
	size_t nr = 0;
	size_t alloc = 0;
	int rc;

	while ((rc = db_step(q, err)) > 0) {
		rc = names_grow(&names, &nr, &alloc, db_col_int(q, 0), err);
		if (rc || !names)
			break;
		names[nr - 1] = db_col_dup(q, 1);
	}
	db_stmt_free(&q);
	*out = names;
	*out_nr = nr;
	return rc < 0 ? rc : 0;
}
