// SPDX-License-Identifier: GPL-3.0-or-later
// Watchers: each remembers the last event and the last progress it was sent.
#include "daemon/watch.h"

#include <string.h>

#include "daemon/eta.h"
#include "daemon/worker.h"
#include "db/db_event.h"
#include "db/db_job.h"

#define EVENTS_AT_ONCE 200

/* A build belongs to every job that waits for its artifact. */
static bool concerns(struct daemon *d, const struct worker *w, long long job_id)
{
	struct db_stmt *q;
	long long one;

	if (w->plan_id)
		return w->job_id == job_id;
	q = db_stmt(d->db, "SELECT 1 FROM plan WHERE artifact_id = ? AND "
			   "job_id = ? AND state = 'queued' LIMIT 1");
	db_bind_int(q, w->artifact_id);
	db_bind_int(q, job_id);
	return !db_get_int(q, &one, NULL);
}

static json_t *describe(struct daemon *d, const struct worker *w)
{
	struct db_stmt *q;
	json_t *row;

	if (w->plan_id)
		q = db_stmt(d->db, "SELECT b.name AS box, c.sha AS \"commit\" "
				   "FROM plan p JOIN box b ON b.id = p.box_id "
				   "JOIN git_commit c ON c.id = p.commit_id "
				   "WHERE p.id = ?");
	else
		q = db_stmt(d->db, "SELECT c.sha AS \"commit\" FROM artifact a "
				   "JOIN git_commit c ON c.id = a.commit_id "
				   "WHERE a.id = ?");
	db_bind_int(q, w->plan_id ? w->plan_id : w->artifact_id);
	row = db_row(q, NULL);
	if (!row)
		row = json_object();
	json_object_set_new(row, "stage", json_text(w->stage.p, w->stage.len));
	json_object_set_new(row, "text", json_text(w->text.p, w->text.len));
	json_object_set_new(row, "since_s", json_integer(w->started_s));
	return row;
}

json_t *watch_running(struct daemon *d, long long job_id)
{
	json_t *list = json_array();
	const struct worker *w;

	for (w = d->workers; w; w = w->next)
		if (concerns(d, w, job_id))
			json_array_append_new(list, describe(d, w));
	return list;
}

static void send_events(struct client *c)
{
	json_t *events;
	json_t *event;
	size_t nr;
	size_t i;

	do {
		events = db_event_list(c->d->db, c->watch_job, c->watch_event,
				       EVENTS_AT_ONCE, NULL);
		nr = json_array_size(events);
		json_array_foreach(events, i, event)
		{
			c->watch_event =
				json_opt_int(event, "id", c->watch_event);
			server_send(c, json_pack("{s:O}", "event", event));
		}
		json_decref(events);
	} while (nr == EVENTS_AT_ONCE && !c->closing);
}

static void send_end(struct client *c)
{
	const char *verdict = "";
	struct db_job job;

	if (!db_job_get(c->d->db, c->watch_job, &job, NULL) &&
	    strcmp(job.state, "queued") != 0 &&
	    strcmp(job.state, "running") != 0) {
		db_job_verdict(c->d->db, c->watch_job, &verdict, NULL);
		server_send(c, json_pack("{s:{s:s, s:s, s:o}}", "end", "state",
					 job.state, "verdict", verdict, "why",
					 json_text(job.why, strlen(job.why))));
		c->watch_job = 0;
	}
	db_job_release(&job);
}

void watch_push(struct daemon *d)
{
	struct client *c;

	for (c = d->clients; c; c = c->next) {
		if (c->closing || !c->watch_job)
			continue;
		send_events(c);
		if (!c->closing)
			send_end(c);
	}
}

void watch_progress(struct daemon *d)
{
	json_t *etas = NULL;
	struct client *c;

	for (c = d->clients; c; c = c->next) {
		struct str text = STR_INIT;
		json_t *p;

		if (c->closing || !c->watch_job)
			continue;
		if (!etas)
			etas = eta_jobs(d->db, NULL);
		p = json_pack("{s:o, s:I}", "running",
			      watch_running(d, c->watch_job), "eta_s",
			      (json_int_t)eta_of(etas, c->watch_job));
		json_add_text(&text, p);
		if (strcmp(text.p, c->watch_text.p) != 0) {
			str_reset(&c->watch_text);
			str_add(&c->watch_text, text.p);
			server_send(c, json_pack("{s:o}", "progress", p));
		} else {
			json_decref(p);
		}
		str_release(&text);
	}
	json_decref(etas);
}
