/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happened, and mail that must go out. */
#ifndef DB_DB_EVENT_H
#define DB_DB_EVENT_H

#include "db/db.h"

/* @job_id 0: about the lab. */
int db_event_add(struct db *db, long long job_id, const char *kind,
		 const char *text, long long now_s, struct err *err);
/* The same for every job that waits for an artifact, unless it has been told
 * so before. */
int db_event_once(struct db *db, long long artifact_id, const char *kind,
		  const char *text, long long now_s, struct err *err);
/*
 * At most @limit events of a job with an id above @from, oldest first, as
 * [{id, at_s, kind, text}]. New reference.
 */
json_t *db_event_list(struct db *db, long long job_id, long long from,
		      long long limit, struct err *err);

/* A row of outbox as the mail worker needs it; owned (db_outbox_release). */
struct db_outbox {
	long long id;
	long long job_id;
	long long tries;
	long long created_s;
	char *message_id;
	char *subject;
	char *body;
	json_t *headers;
	json_t *accepted; /* array of recipients that have it */
	json_t *refused;  /* array of those who never will */
};

void db_outbox_release(struct db_outbox *m);
/*
 * The queued mail that is due first; also one that would wait longer than
 * @pause_max_s, since then the wall clock was set back. ERR_NOTFOUND: none.
 */
int db_outbox_due(struct db *db, long long now_s, long long pause_max_s,
		  struct db_outbox *out, struct err *err);
/* By id, whatever its state. ERR_NOTFOUND. */
int db_outbox_get(struct db *db, long long id, struct db_outbox *out,
		  struct err *err);
/* Everybody has it or never will. */
int db_outbox_sent(struct db *db, const struct db_outbox *m, long long now_s,
		   struct err *err);
/* Not yet: again at @next_try_s; 0 gives up. */
int db_outbox_failed(struct db *db, const struct db_outbox *m,
		     const char *error, long long next_try_s, struct err *err);

#endif
