// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a job: one report about the gravest comparison, the others beside
// it, its folder, and its mail.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_paper.h"
#include "db/db_flow.h"
#include "db/db_job.h"

#define OTHERS_MAX  50
#define FURTHER_MAX 10

void flow_letter_close(struct flow_letter *l)
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

/* --- which comparison the mail is about --- */

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
	const struct flow_ranked *x = a;
	const struct flow_ranked *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->id > y->id ? 1 : -1;
}

/* All comparisons of a job, the gravest first; owned by the caller. */
int flow_rank(struct daemon *d, long long job_id, struct flow_ranked **out,
	      size_t *out_nr, struct err *err)
{
	json_t *ids = db_flow_comparisons(d->db, job_id, err);
	size_t nr = json_array_size(ids);
	struct flow_ranked *v;
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

static void add_other(struct flow_letter *l, size_t i)
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

int flow_letter_open(struct daemon *d, const struct flow_ranked *v, size_t nr,
		     struct flow_letter *l, struct err *err)
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

/* --- the report --- */

void flow_letter_set_materials(struct flow_letter *l, const char *id,
			       char **owned)
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

static int keep_id(struct daemon *d, long long comparison_id, const char *id,
		   struct err *err)
{
	struct db_stmt *q =
		db_stmt(d->db, "UPDATE comparison SET report = ?1, "
			       "evidence_json = "
			       "json_set(evidence_json, '$.report', ?1) "
			       "WHERE id = ?2");

	db_bind_text(q, id);
	db_bind_int(q, comparison_id);
	return db_run(q, err);
}

static int write_report(struct flow_letter *l, struct err *err)
{
	struct daemon *d = l->main.f.d;
	struct str id = STR_INIT;
	struct str text = STR_INIT;
	char *materials = NULL;
	char *path = NULL;
	int rc = flow_mail_make_id(d, &l->main, &id, err);

	if (!rc) {
		flow_letter_set_materials(l, id.p, &materials);
		report_mail(&l->main.mail, &text);
		rc = flow_folder_write(&l->main, id.p, text.p, &path, err);
	}
	if (!rc)
		rc = keep_id(d, l->main.f.id, id.p, err);
	if (!rc)
		rc = flow_mail_queue(&l->main, id.p, text.p, path, err);
	str_release(&id);
	str_release(&text);
	free(materials);
	free(path);
	return rc;
}

static bool wants_report(struct daemon *d, const struct flow_ranked *v,
			 size_t nr)
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
	struct flow_letter l = { 0 };
	struct flow_ranked *v = NULL;
	const char *state = "";
	char *why = NULL;
	size_t nr = 0;
	int rc = db_job_outcome(d->db, job_id, &state, &why, err);

	free(why);
	if (rc || strcmp(state, "done") != 0)
		return rc;
	rc = flow_rank(d, job_id, &v, &nr, err);
	if (!rc && wants_report(d, v, nr)) {
		rc = flow_letter_open(d, v, nr, &l, err);
		if (!rc)
			rc = write_report(&l, err);
		flow_letter_close(&l);
	}
	free(v);
	return rc;
}
