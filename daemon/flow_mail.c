// SPDX-License-Identifier: GPL-3.0-or-later
// A report as mail: its identifier, its recipients, its row in the outbox.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_paper.h"
#include "daemon/mime.h"
#include "db/db_flow.h"

/* Other developers' bots were told off for more. */
#define RECIPIENTS_MAX 20
#define HOST_BYTES     256
#define MINUTE_S       60LL
#define ID_TRIES       1000

/* --- identifier --- */

/* Host of mail.from, else our own: the right side of a Message-ID. */
static void host_name(const struct daemon *d, char out[HOST_BYTES])
{
	struct str addr = STR_INIT;

	if (!mime_address(d->cfg.mail.from, &addr, NULL))
		snprintf(out, HOST_BYTES, "%s", strchr(addr.p, '@') + 1);
	else if (gethostname(out, HOST_BYTES))
		snprintf(out, HOST_BYTES, "localhost");
	out[HOST_BYTES - 1] = '\0';
	str_release(&addr);
}

/* When the job's last run began: the same whenever the report is written. */
static int last_run_s(struct daemon *d, long long job_id, long long *out,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT coalesce((SELECT max(r.started_s) FROM plan p "
		       "JOIN boot b ON b.plan_id = p.id "
		       "JOIN run r ON r.boot_id = b.id WHERE p.job_id = j.id), "
		       "j.created_s) FROM job j WHERE j.id = ?");

	db_bind_int(q, job_id);
	return db_get_int(q, out, err);
}

static bool id_is_free(struct daemon *d, const char *id, long long job_id)
{
	struct db_stmt *q =
		db_stmt(d->db, "SELECT count(*) FROM (SELECT 1 FROM outbox "
			       "WHERE message_id = ?1 "
			       "UNION ALL SELECT 1 FROM comparison "
			       "WHERE report = ?1 AND job_id <> ?2)");
	long long taken = 0;

	db_bind_text(q, id);
	db_bind_int(q, job_id);
	return !db_get_int(q, &taken, NULL) && !taken;
}

/* Two mails in one minute about the same commit: a minute apart then. */
int flow_mail_make_id(struct daemon *d, const struct flow_paper *p,
		      struct str *out, struct err *err)
{
	char host[HOST_BYTES];
	long long at_s = 0;
	int tries;
	int rc = last_run_s(d, p->f.job_id, &at_s, err);

	host_name(d, host);
	for (tries = 0; !rc && tries < ID_TRIES; tries++) {
		str_reset(out);
		report_add_id(out, at_s + tries * MINUTE_S, p->sha[1], host);
		if (id_is_free(d, out->p, p->f.job_id))
			return 0;
	}
	return rc ? rc : err_set(err, ERR_EXISTS, "no free report id");
}

/* --- recipients --- */

static void add_address(json_t *list, size_t *nr, const char *text)
{
	struct str addr = STR_INIT;

	if (*nr < RECIPIENTS_MAX && !mime_address(text, &addr, NULL)) {
		json_array_append_new(list, json_string(text));
		(*nr)++;
	}
	str_release(&addr);
}

/* "<a@b>" as "a@b"; owned by the caller. */
static char *bare_id(const char *text)
{
	size_t len = strlen(text);

	if (len > 2 && text[0] == '<' && text[len - 1] == '>')
		return xstrndup(text + 1, len - 2);
	return xstrdup(text);
}

/*
 * Into the thread that the submitter named, behind what this job has said
 * before (a bisection by hand comes after the first report).
 */
static void add_thread(const struct flow *f, json_t *headers)
{
	char *given = bare_id(json_opt_str(f->options, "in_reply_to", ""));
	json_t *before = db_flow_mail_of(f->d->db, f->job_id, NULL);
	const char *parent = json_opt_str(before, "message_id", given);
	json_t *refs = json_array();

	/* a mail that can't be built would never get out */
	if (*given && !mime_id_valid(given)) {
		daemon_log("job %lld: \"%s\" is no Message-ID: the report "
			   "answers to nothing",
			   f->job_id, given);
		parent = parent == given ? "" : parent;
		*given = '\0';
	}

	if (*given && strcmp(given, parent) != 0)
		json_array_append_new(refs, json_string(given));
	if (*parent) {
		json_array_append_new(refs, json_string(parent));
		json_object_set_new(headers, "in_reply_to",
				    json_string(parent));
		json_object_set(headers, "references", refs);
	}
	json_decref(refs);
	json_decref(before);
	free(given);
}

/* What the configuration and the submitter say; never an author by himself. */
static json_t *make_headers(const struct flow *f, size_t *out_nr)
{
	const struct config_mail *mail = &f->d->cfg.mail;
	const json_t *cc_list = json_object_get(f->options, "cc");
	json_t *to = json_array();
	json_t *cc = json_array();
	json_t *h;
	const json_t *item;
	size_t i;

	*out_nr = 0;
	for (i = 0; i < mail->to.nr; i++)
		add_address(to, out_nr, mail->to.v[i]);
	json_array_foreach(cc_list, i, item)
	{
		if (json_is_string(item))
			add_address(cc, out_nr, json_string_value(item));
	}
	for (i = 0; i < mail->cc.nr; i++)
		add_address(cc, out_nr, mail->cc.v[i]);
	h = json_pack("{s:s, s:o, s:o}", "from", mail->from, "to", to, "cc",
		      cc);
	add_thread(f, h);
	return h;
}

/* Why no mail goes out, or NULL. */
static const char *why_not_mailed(const struct flow *f, size_t recipients)
{
	const struct config_mail *mail = &f->d->cfg.mail;
	struct str addr = STR_INIT;
	const char *why = NULL;

	if (!mail->enabled)
		why = "mail.enabled is false";
	else if (mime_address(mail->from, &addr, NULL))
		why = "mail.from is no address";
	else if (!recipients)
		why = "there is no recipient: mail.to is empty and the job has "
		      "no --cc";
	str_release(&addr);
	return why;
}

int flow_mail_queue(const struct flow_paper *p, const char *id,
		    const char *text, const char *path, struct err *err)
{
	const struct flow *f = &p->f;
	size_t nr = 0;
	json_t *headers = make_headers(f, &nr);
	const char *why_not = why_not_mailed(f, nr);
	struct str subject = STR_INIT;
	struct db_flow_mail row = { .job_id = f->job_id,
				    .comparison_id = f->id,
				    .message_id = id,
				    .body = text,
				    .headers = headers };
	int rc = 0;

	report_subject(&p->mail, &subject);
	row.subject = subject.p;
	if (!why_not)
		rc = db_flow_mail_add(f->d->db, &row, clock_wall_s(), err);
	if (!rc && !why_not)
		rc = daemon_event(f->d, f->job_id, "mail", err,
				  "report <%s> goes to %zu recipient%s", id, nr,
				  nr == 1 ? "" : "s");
	else if (!rc)
		rc = daemon_event(f->d, f->job_id, "report", err,
				  "report is in %s; not mailed: %s", path,
				  why_not);
	str_release(&subject);
	json_decref(headers);
	return rc;
}
