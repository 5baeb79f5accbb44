// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of event and outbox.
#include "db/db_event.h"

#include <stdlib.h>

int db_event_add(struct db *db, long long job_id, const char *kind,
		 const char *text, long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"INSERT INTO event (job_id, kind, text, at_s) VALUES (?, ?, "
		"?, ?)");

	db_bind_id(q, job_id);
	db_bind_text(q, kind);
	db_bind_text(q, text);
	db_bind_int(q, now_s);
	return db_run(q, err);
}

int db_event_once(struct db *db, long long artifact_id, const char *kind,
		  const char *text, long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO event (job_id, kind, text, at_s) "
		    "SELECT DISTINCT p.job_id, ?1, ?2, ?3 FROM plan p "
		    "WHERE p.artifact_id = ?4 AND p.state = 'queued' AND "
		    "NOT EXISTS (SELECT 1 FROM event e WHERE "
		    "e.job_id = p.job_id AND e.text = ?2)");

	db_bind_text(q, kind);
	db_bind_text(q, text);
	db_bind_int(q, now_s);
	db_bind_int(q, artifact_id);
	return db_run(q, err);
}

json_t *db_event_list(struct db *db, long long job_id, long long from,
		      long long limit, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "SELECT id, at_s, kind, text FROM event"
					" WHERE job_id = ? AND id > ? "
					"ORDER BY id LIMIT ?");

	db_bind_int(q, job_id);
	db_bind_int(q, from);
	db_bind_int(q, limit);
	return db_rows(q, err);
}

void db_outbox_release(struct db_outbox *m)
{
	free(m->message_id);
	free(m->subject);
	free(m->body);
	json_decref(m->headers);
	json_decref(m->accepted);
	json_decref(m->refused);
	*m = (struct db_outbox){ 0 };
}

#define OUTBOX_COLUMNS                                                     \
	"SELECT id, job_id, tries, created_s, message_id, subject, body, " \
	"headers_json, accepted_json, refused_json FROM outbox"

static json_t *or_empty(json_t *list)
{
	return list ? list : json_array();
}

static int read_outbox(struct db_stmt *q, struct db_outbox *out,
		       struct err *err)
{
	int rc = db_step(q, err);

	*out = (struct db_outbox){ 0 };
	if (rc > 0) {
		out->id = db_col_int(q, 0);
		out->job_id = db_col_int(q, 1);
		out->tries = db_col_int(q, 2);
		out->created_s = db_col_int(q, 3);
		out->message_id = db_col_dup(q, 4);
		out->subject = db_col_dup(q, 5);
		out->body = db_col_dup(q, 6);
		out->headers = db_col_json(q, 7);
		out->accepted = or_empty(db_col_json(q, 8));
		out->refused = or_empty(db_col_json(q, 9));
	} else if (!rc) {
		rc = err_set(err, ERR_NOTFOUND, "no such mail");
	}
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_outbox_due(struct db *db, long long now_s, long long pause_max_s,
		  struct db_outbox *out, struct err *err)
{
	struct db_stmt *q = db_stmt(db, OUTBOX_COLUMNS
				    " WHERE state = 'queued' AND "
				    "(next_try_s <= ? OR next_try_s > ?) "
				    "ORDER BY next_try_s, id LIMIT 1");

	db_bind_int(q, now_s);
	db_bind_int(q, now_s + pause_max_s);
	return read_outbox(q, out, err);
}

int db_outbox_get(struct db *db, long long id, struct db_outbox *out,
		  struct err *err)
{
	struct db_stmt *q = db_stmt(db, OUTBOX_COLUMNS " WHERE id = ?");

	db_bind_int(q, id);
	return read_outbox(q, out, err);
}

int db_outbox_sent(struct db *db, const struct db_outbox *m, long long now_s,
		   struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE outbox SET state = 'sent', sent_s = ?, "
		    "tries = tries + 1, last_error = '', accepted_json = ?, "
		    "refused_json = ? WHERE id = ?");

	db_bind_int(q, now_s);
	db_bind_json(q, m->accepted);
	db_bind_json(q, m->refused);
	db_bind_int(q, m->id);
	return db_run(q, err);
}

int db_outbox_failed(struct db *db, const struct db_outbox *m,
		     const char *error, long long next_try_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE outbox SET state = ?, next_try_s = ?, "
		    "tries = tries + 1, last_error = ?, accepted_json = ?, "
		    "refused_json = ? WHERE id = ?");

	db_bind_text(q, next_try_s ? "queued" : "failed");
	db_bind_int(q, next_try_s);
	db_bind_text(q, error);
	db_bind_json(q, m->accepted);
	db_bind_json(q, m->refused);
	db_bind_int(q, m->id);
	return db_run(q, err);
}
