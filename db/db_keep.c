// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels and attempts that nothing needs any more.
#include "db/db_keep.h"

#define OPEN "IN ('queued', 'running')"

/* What is used at this moment has no end yet. */
#define LAST_END "max(coalesce(t.ended_s, 9000000000000)) "

json_t *db_keep_idle_kernels(struct db *db, long long before_s, size_t max,
			     struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"SELECT a.key FROM artifact a WHERE a.state = 'done' "
		"AND a.key <> '' "
		"GROUP BY a.key HAVING "
		"coalesce(max((SELECT " LAST_END "FROM attempt t "
		"WHERE t.artifact_id = a.id)), 0) < ?1 AND "
		"coalesce(max((SELECT " LAST_END "FROM plan p JOIN attempt t "
		"ON t.plan_id = p.id WHERE p.artifact_id = a.id)), 0) < ?1 AND "
		"NOT max(EXISTS (SELECT 1 FROM plan p JOIN job j "
		"ON j.id = p.job_id WHERE p.artifact_id = a.id "
		"AND j.state " OPEN ")) "
		"LIMIT ?2");

	db_bind_int(q, before_s);
	db_bind_int(q, (long long)max);
	return db_rows(q, err);
}

int db_keep_kernel_gone(struct db *db, const char *key, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE artifact SET state = 'wanted' "
					"WHERE key = ? AND state = 'done'");

	db_bind_text(q, key);
	return db_run(q, err);
}

int db_keep_is_building(struct db *db, bool *out, struct err *err)
{
	long long yes = 0;
	int rc = db_get_int(
		db_stmt(db, "SELECT EXISTS (SELECT 1 FROM attempt WHERE "
			    "state = 'leased' AND kind = 'build')"),
		&yes, err);

	*out = yes;
	return rc;
}

json_t *db_keep_old_attempts(struct db *db, long long after_id,
			     long long before_s, size_t max, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT t.id FROM attempt t LEFT JOIN plan p "
		    "ON p.id = t.plan_id LEFT JOIN job j ON j.id = p.job_id "
		    "WHERE t.id > ? AND t.ended_s < ? "
		    "AND coalesce(j.state NOT " OPEN ", true) "
		    "ORDER BY t.id LIMIT ?");

	db_bind_int(q, after_id);
	db_bind_int(q, before_s);
	db_bind_int(q, (long long)max);
	return db_rows(q, err);
}
