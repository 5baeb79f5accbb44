// SPDX-License-Identifier: GPL-3.0-or-later
// drover-mail: the worker that delivers one mail, recipient by recipient.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "daemon/mime.h"
#include "daemon/smtp.h"
#include "runners/task.h"

#define DEFAULT_TIMEOUT_S 120
#define MAX_TIMEOUT_S	  600
#define MAX_PASSWORD	  4096
#define FILE_MODE	  0640

/*
 * What is known about each recipient, also from earlier tries: @accepted are
 * addresses, @refused objects {"rcpt", "reply"}. @later counts those that must
 * be tried again, @why holds the first reason.
 */
struct outcome {
	json_t *accepted;
	json_t *refused;
	size_t later;
	struct err why;
	bool down; /* no use in trying further recipients */
};

static bool has_text(const json_t *list, const char *key, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *s = key ? json_opt_str(item, key, "")
				    : json_string_value(item);

		if (s && !strcasecmp(s, text))
			return true;
	}
	return false;
}

/* First line of the password file, which nobody else may read. */
static int read_password(const char *path, struct str *out, struct err *err)
{
	struct stat st;
	int rc;

	if (stat(path, &st))
		return err_errno(err, ERR_CONFIG, "mail.password_file %s",
				 path);
	if (st.st_mode & 077)
		return err_set(err, ERR_DENIED,
			       "mail.password_file %s: others can read it; "
			       "chmod 600",
			       path);
	rc = file_read(path, MAX_PASSWORD, out, err);
	if (!rc && strcspn(out->p, "\r\n") < out->len) {
		out->len = strcspn(out->p, "\r\n");
		out->p[out->len] = '\0';
	}
	return rc;
}

static int read_server(const json_t *spec, struct smtp_server *server,
		       struct str *password, struct err *err)
{
	long long port;
	json_t *smtp;
	int rc;

	rc = json_need_object(spec, "smtp", &smtp, err);
	if (!rc)
		rc = json_need_str(smtp, "host", &server->host, err);
	if (!rc)
		rc = json_need_int(smtp, "port", &port, err);
	if (rc)
		return err_wrap(err, "task.json");
	server->port = port < 1 || port > 65535 ? 0 : (long)port;
	server->tls = json_opt_str(smtp, "tls", "none");
	server->user = json_opt_str(smtp, "user", "");
	server->ca_file = json_opt_str(smtp, "ca_file", "");
	server->timeout_s =
		(long)json_opt_int(smtp, "timeout_s", DEFAULT_TIMEOUT_S);
	if (server->timeout_s < 1 || server->timeout_s > MAX_TIMEOUT_S)
		server->timeout_s = DEFAULT_TIMEOUT_S;
	if (*server->user)
		rc = read_password(json_opt_str(smtp, "password_file", ""),
				   password, err);
	server->password = password->p;
	return rc;
}

/*
 * Should this process die before its result is there, the daemon still learns
 * who has the mail.
 */
static void keep_accepted(const struct task *t, const struct outcome *o)
{
	char *path = task_out_path(t, "accepted.json");

	json_write_file(path, o->accepted, NULL);
	free(path);
}

static void note(struct outcome *o, const char *rcpt,
		 const struct smtp_reply *reply)
{
	switch (reply->fate) {
	case SMTP_ACCEPTED:
		json_array_append_new(o->accepted, json_string(rcpt));
		break;
	case SMTP_REFUSED:
		json_array_append_new(
			o->refused,
			json_pack("{s:s, s:o}", "rcpt", rcpt, "reply",
				  json_text(reply->text, strlen(reply->text))));
		break;
	case SMTP_LATER:
		if (!o->later++)
			err_set(&o->why, ERR_INFRA, "%s: %s", rcpt,
				reply->text);
		break;
	case SMTP_DOWN:
		if (!o->later++)
			err_set(&o->why, ERR_INFRA, "%s", reply->text);
		o->down = true;
		break;
	}
}

static const char *fate_word(enum smtp_fate fate)
{
	static const char *const words[] = { "accepted", "refused for good",
					     "not now", "server out of reach" };

	return words[fate];
}

static void deliver(struct task *t, struct smtp *smtp, const char *from,
		    const json_t *rcpts, const struct str *message,
		    struct outcome *o)
{
	struct smtp_reply reply;
	const json_t *item;
	size_t i;

	json_array_foreach(rcpts, i, item)
	{
		const char *rcpt = json_string_value(item);

		if (has_text(o->accepted, NULL, rcpt) ||
		    has_text(o->refused, "rcpt", rcpt))
			continue;
		if (o->down || task_stopped()) {
			if (!o->later++)
				err_set(&o->why, ERR_INFRA,
					"stopped before every recipient was "
					"served");
			continue;
		}
		task_progress(t, "mail", "%zu of %zu: %s", i + 1,
			      json_array_size(rcpts), rcpt);
		smtp_send(smtp, from, rcpt, message, &reply);
		task_log(t, "%s: %s (%s)", rcpt, fate_word(reply.fate),
			 reply.text);
		note(o, rcpt, &reply);
		if (reply.fate == SMTP_ACCEPTED)
			keep_accepted(t, o);
	}
}

static json_t *copy_list(const json_t *spec, const char *key)
{
	json_t *list = json_object_get(spec, key);

	return json_is_array(list) ? json_deep_copy(list) : json_array();
}

static int write_copy(struct task *t, const struct str *message,
		      struct err *err)
{
	char *path = task_out_path(t, "message.eml");
	int rc = file_write_atomic(path, message->p, message->len, FILE_MODE,
				   err);

	free(path);
	return rc;
}

static int send_all(struct task *t, const struct str *message,
		    struct outcome *o, struct err *err)
{
	json_t *rcpts = mime_recipients(t->spec, err);
	struct smtp_server server = { 0 };
	struct str password = STR_INIT;
	struct str from = STR_INIT;
	struct smtp *smtp = NULL;
	int rc;

	if (!rcpts)
		return ERR_DATA;
	rc = mime_address(
		json_opt_str(json_object_get(t->spec, "headers"), "from", ""),
		&from, err);
	if (!rc)
		rc = read_server(t->spec, &server, &password, err);
	if (!rc)
		rc = smtp_open(&server, &smtp, err);
	if (!rc)
		deliver(t, smtp, from.p, rcpts, message, o);
	smtp_close(&smtp);
	explicit_bzero(password.p, password.len);
	str_release(&password);
	str_release(&from);
	json_decref(rcpts);
	return rc;
}

/*
 * "retry" tells the daemon whether another try may help: a task that makes no
 * sense, or a password file that others can read, needs a person first.
 */
static int run_mail(struct task *t, json_t **payload, struct err *err)
{
	struct outcome o = { copy_list(t->spec, "accepted"),
			     copy_list(t->spec, "refused"),
			     0,
			     { 0 },
			     false };
	struct str message = STR_INIT;
	int rc;

	rc = mime_build(t->spec, clock_wall_s(), &message, err);
	if (!rc)
		rc = write_copy(t, &message, err);
	if (!rc)
		rc = send_all(t, &message, &o, err);
	if (!rc && o.later)
		rc = err_set(err, ERR_INFRA, "%s", o.why.text);
	*payload = json_pack("{s:o, s:o}", "accepted", o.accepted, "refused",
			     o.refused);
	if (rc)
		json_object_set_new(
			*payload, "retry",
			json_boolean(rc == ERR_INFRA || rc == ERR_IO));
	str_release(&message);
	return rc;
}

int main(int argc, char **argv)
{
	return task_main(argc, argv, run_mail);
}
