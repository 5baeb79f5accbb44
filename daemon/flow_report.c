// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a job: one mail about the gravest comparison, the others beside
// it, its folder, and its row in the outbox.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/flow_paper.h"
#include "daemon/mime.h"
#include "db/db_flow.h"
#include "db/db_job.h"

/* Other developers' bots were told off for more. */
#define RECIPIENTS_MAX 20
#define OTHERS_MAX     50
#define FURTHER_MAX    10
#define HOST_BYTES     256
#define MINUTE_S       60LL
#define ID_TRIES       1000

/* The mail's main comparison and what the other ones add. */
struct letter {
	struct flow_paper main;
	struct flow_paper *others;
	size_t nr_others;
	struct report_other *rows;
	struct report_table *tables;
	struct str *changes;
};

static void letter_close(struct letter *l)
{
	size_t i;

	for (i = 0; i < l->nr_others; i++) {
		flow_paper_close(&l->others[i]);
		str_release(&l->changes[i]);
	}
	free(l->others);
	free(l->changes);
	free(l->rows);
	free(l->tables);
	flow_paper_close(&l->main);
}

/* --- which comparison the mail is about ------------------------------------
 */

struct ranked {
	long long id;
	double score; /* 0: nothing changed */
};

/* A bisected regression before a plain one before an improvement; then by how
 * much. */
static double score_of(struct daemon *d, long long id)
{
	struct flow f;
	const char *verdict;
	double score = 0;
	struct err err;

	if (flow_open(d, id, &f, &err))
		return 0;
	verdict = flow_text(&f, "verdict");
	if (!strcmp(verdict, "regression"))
		score = strstr(flow_text(&f, "why"), "first bad commit") ? 3e9
									 : 2e9;
	else if (!strcmp(verdict, "improvement"))
		score = 1e9;
	if (score > 0)
		score += fmin(fabs(json_opt_num(f.row, "change_pct", 0)), 1e8);
	flow_close(&f);
	return score;
}

static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->id > y->id ? 1 : -1;
}

/* All comparisons of a job, the gravest first; owned by the caller. */
static int rank_comparisons(struct daemon *d, long long job_id,
			    struct ranked **out, size_t *out_nr,
			    struct err *err)
{
	json_t *ids = db_flow_comparisons(d->db, job_id, err);
	size_t nr = json_array_size(ids);
	struct ranked *v;
	size_t i;

	if (!ids)
		return ERR_IO;
	v = xcalloc(nr + 1, sizeof(*v));
	for (i = 0; i < nr; i++) {
		v[i].id = json_opt_int(json_array_get(ids, i), "id", 0);
		v[i].score = score_of(d, v[i].id);
	}
	json_decref(ids);
	qsort(v, nr, sizeof(*v), by_score);
	*out = v;
	*out_nr = nr;
	return 0;
}

static void add_other(struct letter *l, size_t i)
{
	struct flow_paper *p = &l->others[i];
	struct report_mail *mail = &l->main.mail;

	str_addf(&l->changes[i], "%s: %s ", p->mail.testcase, p->mail.metric);
	report_add_change(&p->mail, &l->changes[i]);
	l->rows[i] = (struct report_other){ l->changes[i].p, p->mail.machine,
					    p->params, p->mail.nr_params };
	mail->nr_others = i + 1;
	if (i < FURTHER_MAX) {
		l->tables[i] =
			(struct report_table){ flow_text(&p->f, "tbox_group"),
					       p->mail.machine, p->table.p };
		mail->nr_further = i + 1;
	}
}

static int letter_open(struct daemon *d, const struct ranked *v, size_t nr,
		       struct letter *l, struct err *err)
{
	size_t i;
	int rc = flow_paper_open(d, v[0].id, &l->main, err);

	l->others = xcalloc(OTHERS_MAX, sizeof(*l->others));
	l->changes = xcalloc(OTHERS_MAX, sizeof(*l->changes));
	l->rows = xcalloc(OTHERS_MAX, sizeof(*l->rows));
	l->tables = xcalloc(FURTHER_MAX, sizeof(*l->tables));
	for (i = 1; !rc && i < nr && i <= OTHERS_MAX && v[i].score > 0; i++) {
		str_init(&l->changes[i - 1]);
		l->nr_others = i;
		rc = flow_paper_open(d, v[i].id, &l->others[i - 1], err);
		if (!rc)
			add_other(l, i - 1);
	}
	l->main.mail.other = l->rows;
	l->main.mail.further = l->tables;
	return rc;
}

/* --- identifier ------------------------------------------------------------
 */

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
			       "WHERE message_id = ?1 AND job_id <> ?2 "
			       "UNION ALL SELECT 1 FROM comparison "
			       "WHERE json_extract(evidence_json, '$.report') "
			       "= ?1 AND job_id <> ?2)");
	long long taken = 0;

	db_bind_text(q, id);
	db_bind_int(q, job_id);
	return !db_get_int(q, &taken, NULL) && !taken;
}

/* Two jobs that end in one minute with the same commit: a minute apart then. */
static int make_id(struct daemon *d, const struct flow_paper *p,
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

static int keep_id(struct daemon *d, long long comparison_id, const char *id,
		   struct err *err)
{
	struct db_stmt *q =
		db_stmt(d->db, "UPDATE comparison SET evidence_json = "
			       "json_set(evidence_json, '$.report', ?) "
			       "WHERE id = ?");

	db_bind_text(q, id);
	db_bind_int(q, comparison_id);
	return db_run(q, err);
}

/* --- recipients ------------------------------------------------------------
 */

static void add_address(json_t *list, size_t *nr, const char *text)
{
	struct str addr = STR_INIT;

	if (*nr < RECIPIENTS_MAX && !mime_address(text, &addr, NULL)) {
		json_array_append_new(list, json_string(text));
		(*nr)++;
	}
	str_release(&addr);
}

/* What the configuration and the submitter say; never an author by himself. */
static json_t *make_headers(const struct flow *f, size_t *out_nr)
{
	const struct config_mail *mail = &f->d->cfg.mail;
	const json_t *cc_list = json_object_get(f->options, "cc");
	const char *reply = json_opt_str(f->options, "in_reply_to", "");
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
	if (*reply)
		json_object_set_new(h, "in_reply_to", json_string(reply));
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

static int queue_mail(const struct flow_paper *p, const char *id,
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

/* --- the report ------------------------------------------------------------
 */

static void set_materials(struct letter *l, const char *id, char **owned)
{
	const char *url = l->main.f.d->cfg.mail.public_url;
	struct report_mail *mail = &l->main.mail;

	if (*url) {
		*owned = xasprintf("%s%s%s", url, str_ends(url, "/") ? "" : "/",
				   id);
		mail->closes = *owned;
	} else {
		*owned = flow_folder_path(l->main.f.d, id);
	}
	mail->materials = *owned;
}

static int write_report(struct letter *l, struct err *err)
{
	struct daemon *d = l->main.f.d;
	struct str id = STR_INIT;
	struct str text = STR_INIT;
	char *materials = NULL;
	char *path = NULL;
	int rc = make_id(d, &l->main, &id, err);

	if (!rc) {
		set_materials(l, id.p, &materials);
		report_mail(&l->main.mail, &text);
		rc = flow_folder_write(&l->main, id.p, text.p, &path, err);
	}
	if (!rc)
		rc = keep_id(d, l->main.f.id, id.p, err);
	if (!rc)
		rc = queue_mail(&l->main, id.p, text.p, path, err);
	str_release(&id);
	str_release(&text);
	free(materials);
	free(path);
	return rc;
}

static bool wants_report(struct daemon *d, const struct ranked *v, size_t nr)
{
	struct flow f;
	bool always;

	if (!nr)
		return false;
	if (v[0].score > 0)
		return true;
	if (flow_open(d, v[0].id, &f, NULL))
		return false;
	always = !strcmp(json_opt_str(f.options, "mail", ""), "always");
	flow_close(&f);
	return always;
}

int flow_report_job(struct daemon *d, long long job_id, struct err *err)
{
	struct letter l = { 0 };
	struct ranked *v = NULL;
	const char *state = "";
	char *why = NULL;
	size_t nr = 0;
	int rc = db_job_outcome(d->db, job_id, &state, &why, err);

	free(why);
	if (rc || strcmp(state, "done") != 0)
		return rc;
	rc = rank_comparisons(d, job_id, &v, &nr, err);
	if (!rc && wants_report(d, v, nr)) {
		rc = letter_open(d, v, nr, &l, err);
		if (!rc)
			rc = write_report(&l, err);
		letter_close(&l);
	}
	free(v);
	return rc;
}

/* --- op report -------------------------------------------------------------
 */

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

static int plain_text(struct daemon *d, const struct ranked *v, size_t nr,
		      struct str *out, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < nr && i < OTHERS_MAX; i++) {
		struct flow_paper p;

		rc = flow_paper_open(d, v[i].id, &p, err);
		if (!rc)
			add_plain(&p, out);
		flow_paper_close(&p);
	}
	return rc;
}

/* The same text as in the mail, from the database as it is now. */
static int current_text(struct daemon *d, const struct ranked *v, size_t nr,
			struct str *out, json_t *mail, struct err *err)
{
	struct letter l = { 0 };
	struct str subject = STR_INIT;
	const char *id;
	char *materials = NULL;
	int rc;

	if (!nr || v[0].score <= 0)
		return plain_text(d, v, nr, out, err);
	rc = letter_open(d, v, nr, &l, err);
	if (!rc) {
		id = json_opt_str(json_object_get(l.main.f.row, "evidence"),
				  "report", "");
		if (*id)
			set_materials(&l, id, &materials);
		report_mail(&l.main.mail, out);
		report_subject(&l.main.mail, &subject);
		json_object_set_new(mail, "message_id", json_string(id));
		json_object_set_new(mail, "subject",
				    json_text(subject.p, subject.len));
	}
	letter_close(&l);
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
	struct ranked *v = NULL;
	size_t nr = 0;
	int rc;

	if (row) {
		static const char *const keys[] = { "message_id", "subject",
						    "state" };
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
	rc = rank_comparisons(d, job_id, &v, &nr, err);
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
