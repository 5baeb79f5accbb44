// SPDX-License-Identifier: GPL-3.0-or-later
// Op report: the mail as it was queued, or what it would say now.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/flow_paper.h"
#include "daemon/mime.h"
#include "db/db_flow.h"
#include "db/db_job.h"

#define SHOWN_MAX 50

/* A job where nothing changed, or is not over: each comparison in short. */
static void add_plain(const struct flow_paper *p, struct str *out)
{
	const char *verdict = flow_paper_verdict(p);

	str_add_term(out, flow_text(&p->f, "path"), false);
	str_addf(out, " on %s: %s\n", flow_text(&p->f, "box"),
		 *verdict ? verdict : flow_text(&p->f, "state"));
	str_add_term(out, flow_text(&p->f, "why"), false);
	str_add(out, "\n\n");
	str_add(out, p->table.p);
}

static int plain_text(struct daemon *d, const struct flow_ranked *v, size_t nr,
		      struct str *out, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < nr && i < SHOWN_MAX; i++) {
		struct flow_paper p;

		rc = flow_paper_open(d, v[i].id, &p, err);
		if (!rc)
			add_plain(&p, out);
		flow_paper_close(&p);
	}
	return rc;
}

/* The same text as in the mail, from the database as it is now. */
static int current_text(struct daemon *d, const struct flow_ranked *v,
			size_t nr, struct str *out, json_t *mail,
			struct err *err)
{
	struct flow_letter l = { 0 };
	struct str subject = STR_INIT;
	const char *id;
	char *materials = NULL;
	int rc;

	if (!nr || v[0].score <= 0)
		return plain_text(d, v, nr, out, err);
	rc = flow_letter_open(d, v, nr, &l, err);
	if (!rc) {
		id = json_opt_str(json_object_get(l.main.f.row, "evidence"),
				  "report", "");
		if (*id)
			flow_letter_set_materials(&l, id, &materials);
		report_mail(&l.main.mail, out);
		report_subject(&l.main.mail, &subject);
		json_object_set_new(mail, "message_id", json_string(id));
		json_object_set_new(mail, "subject",
				    json_text(subject.p, subject.len));
	}
	flow_letter_close(&l);
	str_release(&subject);
	free(materials);
	return rc;
}

/* The whole message with LF line ends, as `report --mail-preview` shows it. */
static void add_message(json_t *mail, const json_t *row, bool ascii)
{
	struct str raw = STR_INIT;
	struct str text = STR_INIT;
	json_t *spec = json_deep_copy(row);
	size_t i;

	json_object_set_new(spec, "ascii", json_boolean(ascii));
	if (!mime_build(spec, clock_wall_s(), &raw, NULL)) {
		for (i = 0; i < raw.len; i++) {
			if (raw.p[i] != '\r')
				str_addch(&text, raw.p[i]);
		}
		json_object_set_new(mail, "message",
				    json_text(text.p, text.len));
	}
	str_release(&raw);
	str_release(&text);
	json_decref(spec);
}

static int job_of_request(struct daemon *d, const json_t *request,
			  long long *out, struct err *err)
{
	long long comparison = json_opt_int(request, "comparison", 0);
	struct db_comparison c;
	int rc;

	*out = json_opt_int(request, "job", 0);
	if (*out > 0)
		return 0;
	if (comparison <= 0)
		return err_set(err, ERR_USAGE,
			       "report: expected \"job\" or \"comparison\"");
	rc = db_comparison_get(d->db, comparison, &c, err);
	*out = c.job_id;
	db_comparison_release(&c);
	return rc;
}

static int find_text(struct daemon *d, long long job_id, struct str *text,
		     json_t *mail, struct err *err)
{
	json_t *row = db_flow_mail_of(d->db, job_id, NULL);
	struct flow_ranked *v = NULL;
	size_t nr = 0;
	int rc;

	if (row) {
		static const char *const keys[] = { "message_id", "subject",
						    "state", "tries", "why" };
		size_t i;

		for (i = 0; i < ARRAY_SIZE(keys); i++)
			json_object_set(mail, keys[i],
					json_object_get(row, keys[i]));
		str_add(text, json_opt_str(row, "body", ""));
		add_message(mail, row, d->cfg.mail.ascii);
		json_decref(row);
		return 0;
	}
	json_object_set_new(mail, "state", json_string("not queued"));
	rc = flow_rank(d, job_id, &v, &nr, err);
	if (!rc)
		rc = current_text(d, v, nr, text, mail, err);
	free(v);
	return rc;
}

json_t *flow_report(struct daemon *d, const json_t *request, struct err *err)
{
	struct str text = STR_INIT;
	json_t *mail = json_object();
	json_t *reply = NULL;
	struct db_job job = { 0 };
	long long job_id = 0;
	int rc;

	rc = job_of_request(d, request, &job_id, err);
	if (!rc)
		rc = db_job_get(d->db, job_id, &job, err);
	if (!rc)
		rc = find_text(d, job_id, &text, mail, err);
	if (!rc)
		reply = json_pack("{s:o, s:O}", "text",
				  json_text(text.p, text.len), "mail", mail);
	db_job_release(&job);
	str_release(&text);
	json_decref(mail);
	return reply;
}
