// SPDX-License-Identifier: GPL-3.0-or-later
// box.invariants_json and rows of rejected_boot.
#include "db/db_invariant.h"

json_t *db_invariants_of(struct db *db, long long plan_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT x.id AS box_id, x.name AS box, "
		    "x.invariants_json AS seen_json, (SELECT invariants_json "
		    "FROM (SELECT attempt_id, invariants_json FROM boot WHERE "
		    "box_id = p.box_id AND commit_id = p.commit_id AND "
		    "layout = p.layout UNION ALL SELECT attempt_id, "
		    "invariants_json FROM rejected_boot WHERE "
		    "box_id = p.box_id AND commit_id = p.commit_id AND "
		    "layout = p.layout) ORDER BY attempt_id DESC LIMIT 1) "
		    "AS before_json FROM plan p JOIN box x ON x.id = p.box_id "
		    "WHERE p.id = ?");

	db_bind_int(q, plan_id);
	return db_row(q, err);
}

int db_invariants_set(struct db *db, long long box_id, const json_t *seen,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE box SET invariants_json = ?1 "
					"WHERE id = ?2 AND "
					"invariants_json <> ?1");

	db_bind_json(q, seen);
	db_bind_int(q, box_id);
	return db_run(q, err);
}

json_t *db_invariants_get(struct db *db, long long box_id, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "SELECT invariants_json FROM box "
					"WHERE id = ?");
	json_t *row, *out;

	db_bind_int(q, box_id);
	row = db_row(q, err);
	out = row ? json_incref(json_object_get(row, "invariants")) : NULL;
	json_decref(row);
	return out;
}

int db_boot_reject(struct db *db, long long attempt_id,
		   const json_t *invariants, const char *why, long long now_s,
		   struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO rejected_boot (attempt_id, box_id, commit_id, "
		    "layout, at_s, invariants_json, why) SELECT a.id, "
		    "p.box_id, p.commit_id, p.layout, ?, ?, ? FROM attempt a "
		    "JOIN plan p ON p.id = a.plan_id WHERE a.id = ?");

	db_bind_int(q, now_s);
	db_bind_json(q, invariants);
	db_bind_text(q, why);
	db_bind_int(q, attempt_id);
	return db_run(q, err);
}
