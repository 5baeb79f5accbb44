// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of box: put, found, chosen for a job.
#include "db/db_box.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void db_box_release(struct db_box *box)
{
	free(box->name);
	free(box->tbox_group);
	free(box->tags);
	free(box->state);
	free(box->why);
	json_decref(box->spec);
	*box = (struct db_box){ 0 };
}

int db_box_put(struct db *db, const struct db_box *box, long long *out_id,
	       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO box (name, tbox_group, tags, state, "
		    "spec_json) VALUES (?, ?, ?, 'ready', ?) "
		    "ON CONFLICT (name) DO UPDATE SET "
		    "tbox_group = excluded.tbox_group, tags = excluded.tags, "
		    "spec_json = excluded.spec_json");
	int rc;

	db_bind_text(q, box->name);
	db_bind_text(q, box->tbox_group);
	db_bind_text(q, box->tags);
	db_bind_json(q, box->spec);
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db, "SELECT id FROM box WHERE name = ?");
	db_bind_text(q, box->name);
	return db_get_int(q, out_id, err);
}

#define BOX_COLUMNS                                                       \
	"SELECT id, infra_failures, name, tbox_group, tags, state, why, " \
	"spec_json FROM box"

static void add_id(struct db_ids *ids, long long id)
{
	VEC_GROW(ids->v, ids->nr + 1, ids->alloc);
	ids->v[ids->nr++] = id;
}

/* The row that @q gives, then free: 1 found, 0 none, or an error. */
static int read_box(struct db_stmt *q, struct db_box *out, struct err *err)
{
	int rc = db_step(q, err);

	if (rc > 0) {
		out->id = db_col_int(q, 0);
		out->infra_failures = db_col_int(q, 1);
		out->name = db_col_dup(q, 2);
		out->tbox_group = db_col_dup(q, 3);
		out->tags = db_col_dup(q, 4);
		out->state = db_col_dup(q, 5);
		out->why = db_col_dup(q, 6);
		out->spec = db_col_json(q, 7);
	}
	db_stmt_free(&q);
	return rc;
}

int db_box_get(struct db *db, long long id, struct db_box *out, struct err *err)
{
	struct db_stmt *q = db_stmt(db, BOX_COLUMNS " WHERE id = ?");
	int rc;

	*out = (struct db_box){ 0 };
	db_bind_int(q, id);
	rc = read_box(q, out, err);
	if (!rc)
		return err_set(err, ERR_NOTFOUND, "no box row %lld", id);
	return rc > 0 ? 0 : rc;
}

static int no_box(struct db *db, const char *name, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "SELECT name FROM box ORDER BY name "
					"LIMIT 20");
	struct str names = STR_INIT;
	int rc;

	while (db_step(q, NULL) > 0)
		str_addf(&names, "%s%s", names.len ? ", " : "",
			 db_col_text(q, 0));
	db_stmt_free(&q);
	rc = err_set(err, ERR_NOTFOUND, "no box \"%s\"; %s%s", name,
		     names.len ? "there are: "
			       : "there is none yet (drover box "
				 "add, or lab_file)",
		     names.p);
	str_release(&names);
	return rc;
}

int db_box_find(struct db *db, const char *name, struct db_box *out,
		struct err *err)
{
	struct db_stmt *q = db_stmt(db, BOX_COLUMNS " WHERE name = ?");
	int rc;

	*out = (struct db_box){ 0 };
	db_bind_text(q, name);
	rc = read_box(q, out, err);
	if (!rc)
		return no_box(db, name, err);
	return rc > 0 ? 0 : rc;
}

int db_box_set_state(struct db *db, long long id, const char *state,
		     const char *why, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE box SET state = ?1, why = ?2, infra_failures = "
		    "CASE ?1 WHEN 'ready' THEN 0 ELSE infra_failures END "
		    "WHERE id = ?3");

	db_bind_text(q, state);
	db_bind_text(q, why);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_box_set_hw(struct db *db, long long id, const json_t *hw,
		  struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE box SET hw_json = ?1 WHERE "
					"id = ?2 AND hw_json <> ?1");

	db_bind_json(q, hw);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_box_infra(struct db *db, long long id, bool failed, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, failed ? "UPDATE box SET infra_failures = infra_failures + "
			     "1 WHERE id = ?"
			   : "UPDATE box SET infra_failures = 0 WHERE id = ? "
			     "AND infra_failures > 0");

	db_bind_int(q, id);
	return db_run(q, err);
}

static int read_ids(struct db_stmt *q, struct db_ids *out, struct err *err)
{
	int rc;

	*out = (struct db_ids){ 0 };
	while ((rc = db_step(q, err)) > 0)
		add_id(out, db_col_int(q, 0));
	db_stmt_free(&q);
	if (rc) {
		free(out->v);
		*out = (struct db_ids){ 0 };
	}
	return rc;
}

/* Why nothing fits: an unknown name, a box that isn't ready, an empty lab. */
static int nothing_fits(struct db *db, const char *name, const char *tag,
			struct err *err)
{
	struct db_stmt *q;
	char *why = NULL;
	int rc;

	if (!name && tag)
		return err_set(err, ERR_NOTFOUND,
			       "no ready box has the tag \"%s\" (drover box "
			       "list shows tags and states)",
			       tag);
	if (!name)
		return err_set(err, ERR_NOTFOUND,
			       "no box is ready (drover box list shows why)");
	q = db_stmt(db, "SELECT state || CASE why WHEN '' THEN '' "
			"ELSE ': ' || why END FROM box WHERE name = ?");
	db_bind_text(q, name);
	rc = db_get_text(q, &why, err);
	if (rc == ERR_NOTFOUND)
		return no_box(db, name, err);
	if (!rc && str_starts(why, "ready"))
		rc = err_set(err, ERR_NOTFOUND,
			     "box %s does not have the tag \"%s\"", name, tag);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND,
			     "box %s is %s (drover box resume %s takes it "
			     "back)",
			     name, why, name);
	free(why);
	return rc;
}

int db_box_choose(struct db *db, const char *name, const char *tag,
		  struct db_ids *out, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "WITH fit AS (SELECT id, name, tbox_group FROM box "
		    "WHERE state = 'ready' AND (?1 IS NULL OR name = ?1) "
		    "AND (?2 IS NULL OR instr(' ' || tags || ' ', "
		    "' ' || ?2 || ' ') > 0)) "
		    "SELECT id FROM fit WHERE tbox_group = "
		    "(SELECT tbox_group FROM fit GROUP BY tbox_group "
		    "ORDER BY count(*) DESC, tbox_group LIMIT 1) "
		    "ORDER BY (SELECT count(*) FROM plan WHERE "
		    "box_id = fit.id AND state IN ('queued', 'leased')), "
		    "name");
	int rc;

	db_bind_text(q, name);
	db_bind_text(q, tag);
	rc = read_ids(q, out, err);
	if (!rc && !out->nr)
		rc = nothing_fits(db, name, tag, err);
	return rc;
}

int db_box_free(struct db *db, struct db_ids *out, struct err *err)
{
	return read_ids(db_stmt(db, "SELECT id FROM box WHERE state = 'ready' "
				    "AND id NOT IN (SELECT box_id FROM attempt "
				    "WHERE state = 'leased' AND "
				    "box_id IS NOT NULL) ORDER BY id"),
			out, err);
}

int db_attempt_leased(struct db *db, struct db_ids *out, struct err *err)
{
	return read_ids(db_stmt(db, "SELECT id FROM attempt WHERE "
				    "state = 'leased' ORDER BY id"),
			out, err);
}
