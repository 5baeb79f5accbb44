// SPDX-License-Identifier: GPL-3.0-or-later
// The mail queue's driver.
#include "daemon/outbox.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/child.h"
#include "daemon/task_spec.h"
#include "db/db_event.h"
#include "runners/task.h"

#define GIVE_UP_S	   (5LL * 24 * 3600)
#define ACCEPTED_MAX_BYTES ((size_t)256 << 10)

double outbox_backoff_s(const struct config_mail *mail, long long tries)
{
	double s = mail->backoff_first_s;

	while (--tries > 0 && s < mail->backoff_max_s)
		s *= 2;
	return s < mail->backoff_max_s ? s : mail->backoff_max_s;
}

/* Take over a list of the result, unless it is missing. */
static void take_list(json_t **list, const json_t *result, const char *key)
{
	json_t *got = json_object_get(result, key);

	if (json_is_array(got)) {
		json_decref(*list);
		*list = json_incref(got);
	}
}

/* A worker that died leaves in out/ who has the mail by then. */
static void take_kept(struct db_outbox *m, const char *folder)
{
	char *path = xasprintf("%s/out/accepted.json", folder);
	json_t *kept = json_read_file(path, ACCEPTED_MAX_BYTES, NULL);

	if (json_is_array(kept) &&
	    json_array_size(kept) > json_array_size(m->accepted)) {
		json_decref(m->accepted);
		m->accepted = json_incref(kept);
	}
	json_decref(kept);
	free(path);
}

static int note_failed(struct daemon *d, const struct db_outbox *m, bool retry,
		       const char *why, struct err *err)
{
	long long now_s = clock_wall_s();
	long long pause_s =
		(long long)outbox_backoff_s(&d->cfg.mail, m->tries + 1);
	bool give_up = !retry || now_s - m->created_s > GIVE_UP_S;
	int rc = db_outbox_failed(d->db, m, why, give_up ? 0 : now_s + pause_s,
				  err);

	daemon_log("mail %s: %s; %s", m->message_id, why,
		   give_up ? "given up: drover report shows its text"
			   : "tried again later");
	if (rc)
		return rc;
	if (give_up)
		return daemon_event(d, m->job_id, "mail", err,
				    "mail <%s> could not be delivered: %s",
				    m->message_id, why);
	return daemon_event(d, m->job_id, "mail", err,
			    "mail <%s> waits %lld s: %s", m->message_id,
			    pause_s, why);
}

static int note_sent(struct daemon *d, const struct db_outbox *m,
		     struct err *err)
{
	size_t refused = json_array_size(m->refused);
	int rc;

	if (!json_array_size(m->accepted))
		return note_failed(d, m, false, "every recipient was refused",
				   err);
	rc = db_outbox_sent(d->db, m, clock_wall_s(), err);
	if (rc)
		return rc;
	return daemon_event(d, m->job_id, "mail", err,
			    "mail <%s> sent to %zu recipient%s%s",
			    m->message_id, json_array_size(m->accepted),
			    json_array_size(m->accepted) == 1 ? "" : "s",
			    refused ? ", some were refused" : "");
}

static int note(struct daemon *d, struct db_outbox *m, const char *folder,
		struct err *err)
{
	struct err why = { 0 };
	json_t *result = task_read_result(folder, &why);
	bool retry = true;
	int rc;

	if (result) {
		take_list(&m->accepted, result, "accepted");
		take_list(&m->refused, result, "refused");
		rc = task_result_err(result, &why);
		retry = json_opt_bool(result, "retry", true);
	} else {
		take_kept(m, folder);
		rc = err_set(&why, ERR_INFRA, "drover-mail died");
	}
	json_decref(result);
	return rc ? note_failed(d, m, retry, why.text, err)
		  : note_sent(d, m, err);
}

/* The bytes that went out stay beside the artifacts. */
static void keep_message(struct daemon *d, long long id, const char *folder)
{
	char *dir = file_join(d->cfg.artifact_dir, "mail");
	char *from = xasprintf("%s/out/message.eml", folder);
	char *to = xasprintf("%s/%lld.eml", dir, id);

	if (file_exists(from) && !file_mkdirs(dir, 0750, NULL) &&
	    rename(from, to))
		daemon_log("%s can't be kept as %s", from, to);
	free(dir);
	free(from);
	free(to);
}

/* The worker of this folder is gone: take over what it reached. */
static int finish(struct daemon *d, long long id, const char *folder)
{
	struct db_outbox m = { 0 };
	struct err err = { 0 };
	int rc = db_begin(d->db, &err);

	if (!rc)
		rc = db_outbox_get(d->db, id, &m, &err);
	if (!rc)
		rc = note(d, &m, folder, &err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, &err);
	db_outbox_release(&m);
	if (rc && rc != ERR_NOTFOUND) {
		daemon_log("mail %lld: %s; tried again", id, err.text);
		return rc;
	}
	keep_message(d, id, folder);
	file_remove_tree(folder, NULL);
	daemon_changed(d);
	return 0;
}

void outbox_forget(struct daemon *d)
{
	free(d->mail_folder);
	d->mail_folder = NULL;
	d->mail_id = 0;
	d->mail_running = false;
}

static void ended(struct daemon *d, int status, long long id)
{
	(void)status;
	(void)id;
	d->mail_running = false;
	outbox_poll(d);
}

static void spawn_mail(struct daemon *d, struct err *err)
{
	char *program = file_join(d->cfg.libexec_dir, "drover-mail");
	const char *argv[] = { program, d->mail_folder, NULL };
	struct spawn what = { .argv = argv };

	if (child_start(d, &what, ended, d->mail_id, err) > 0)
		d->mail_running = true;
	else
		daemon_log("mail %lld: %s", d->mail_id, err->text);
	free(program);
}

static void start(struct daemon *d, const struct db_outbox *m)
{
	json_t *spec = task_spec_mail(d, m);
	struct err err = { 0 };
	char *folder = xasprintf("%s/mail/%lld-%lld", d->cfg.state_dir, m->id,
				 m->tries);
	int rc = task_create(folder, spec, &err);

	json_decref(spec);
	if (rc) {
		daemon_log("mail %lld: %s", m->id, err.text);
		file_remove_tree(folder, NULL);
		free(folder);
		return;
	}
	d->mail_id = m->id;
	d->mail_folder = folder;
	spawn_mail(d, &err);
}

void outbox_poll(struct daemon *d)
{
	struct db_outbox m = { 0 };

	if (d->mail_running)
		return;
	if (d->mail_folder) {
		if (task_state(d->mail_folder, NULL) == TASK_RUNNING ||
		    finish(d, d->mail_id, d->mail_folder))
			return;
		outbox_forget(d);
	}
	if (!d->cfg.mail.enabled || d->draining || d->disk_low)
		return;
	if (!db_outbox_due(d->db, clock_wall_s(),
			   (long long)d->cfg.mail.backoff_max_s + 1, &m, NULL))
		start(d, &m);
	db_outbox_release(&m);
}

/*
 * A worker that was only just started may not have its lock yet: whoever takes
 * the lock first has the mail, so that it can't go out behind our back.
 */
static bool is_held(const char *folder)
{
	char *lock = file_join(folder, "lock");
	int fd = file_lock(lock, NULL);

	free(lock);
	if (fd == ERR_BUSY)
		return true;
	if (fd >= 0)
		close(fd);
	return false;
}

static void adopt_one(struct daemon *d, const char *name, char *folder)
{
	long long id = strtoll(name, NULL, 10);

	if (id <= 0)
		return;
	if (is_held(folder) && !d->mail_folder) {
		d->mail_id = id;
		d->mail_folder = xstrdup(folder);
	} else {
		finish(d, id, folder);
	}
}

void outbox_adopt(struct daemon *d)
{
	char *path = daemon_path(d, "mail");
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char *folder = file_join(path, e->d_name);

		adopt_one(d, e->d_name, folder);
		free(folder);
	}
	if (dir)
		closedir(dir);
	free(path);
}
