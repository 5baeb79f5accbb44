// SPDX-License-Identifier: GPL-3.0-or-later
// Op compare: the samples of both sides of a comparison, as matrices with the
// axes that stand above the table.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_calibrate.h"
#include "daemon/flow_private.h"
#include "daemon/ops.h"
#include "db/db_calibration.h"
#include "db/db_flow.h"
#include "db/db_job.h"
#include "db/db_sample.h"

/* Commits as people write them: full hashes or a beginning of 7 or more. */
#define SHA_MIN 7
#define SHA_MAX 40

static int check_sha(const char *text, const char *key, struct err *err)
{
	size_t len = strspn(text, "0123456789abcdef");

	if (!text[len] && len >= SHA_MIN && len <= SHA_MAX)
		return 0;
	return err_set(err, ERR_DATA,
		       "%s: %d to %d hex digits of a commit that was measured",
		       key, SHA_MIN, SHA_MAX);
}

static int first_id(struct db_stmt *q, const char *what, long long *out,
		    struct err *err)
{
	int rc = db_get_int(q, out, err);

	if (rc == ERR_NOTFOUND)
		rc = err_set(err, rc, "%s", what);
	return rc;
}

/* The newest comparison of two commits. */
static int by_commits(struct client *c, const json_t *r, long long *out,
		      struct err *err)
{
	const char *base;
	const char *head;
	struct db_stmt *q;
	int rc = json_need_str(r, "base", &base, err);

	if (!rc)
		rc = json_need_str(r, "head", &head, err);
	if (!rc)
		rc = check_sha(base, "base", err);
	if (!rc)
		rc = check_sha(head, "head", err);
	if (rc)
		return rc;
	q = db_stmt(c->d->db,
		    "SELECT m.id FROM comparison m "
		    "JOIN git_commit b ON b.id = m.base_id "
		    "JOIN git_commit h ON h.id = m.head_id "
		    "WHERE b.sha GLOB ? || '*' AND h.sha GLOB ? || '*' "
		    "ORDER BY m.id DESC LIMIT 1");
	db_bind_text(q, base);
	db_bind_text(q, head);
	return first_id(q, "these two commits have not been compared", out,
			err);
}

static int which(struct client *c, const json_t *r, long long *out,
		 struct err *err)
{
	struct db_stmt *q;
	struct db_job job;
	int rc;

	if (json_object_get(r, "comparison"))
		return json_need_int(r, "comparison", out, err);
	if (!json_object_get(r, "job"))
		return by_commits(c, r, out, err);
	rc = op_need_job(c, r, &job, err);
	if (!rc) {
		q = db_stmt(c->d->db, "SELECT min(id) FROM comparison "
				      "WHERE job_id = ?");
		db_bind_int(q, job.id);
		rc = first_id(q, "this job has no comparison", out, err);
	}
	db_job_release(&job);
	return rc;
}

static int add_side(struct client *c, const json_t *ctx, const char *side,
		    json_t *matrices, struct err *err)
{
	char *id_key = xasprintf("%s_id", side);
	char *sha_key = xasprintf("%s_sha", side);
	char *subject_key = xasprintf("%s_subject", side);
	struct db_matrix m;
	int rc = db_sample_matrix(c->d->db, json_opt_int(ctx, "id", 0),
				  json_opt_int(ctx, id_key, 0), &m, err);

	if (!rc)
		json_array_append_new(
			matrices,
			json_pack("{s:O*, s:O*, s:o, s:o, s:o}", "commit",
				  json_object_get(ctx, sha_key), "subject",
				  json_object_get(ctx, subject_key), "values",
				  m.values, "boots", m.boots, "pairs",
				  m.pairs));
	free(id_key);
	free(sha_key);
	free(subject_key);
	return rc;
}

static void copy_axis(json_t *axes, const json_t *ctx, const char *key)
{
	const char *text = json_opt_str(ctx, key, "");

	if (*text)
		json_object_set_new(axes, key, json_string(text));
}

/* The object that report/axes.h reads: axes, commits, runs. */
static json_t *axes_of(const json_t *ctx, const json_t *matrices)
{
	static const char *const keys[] = { "compiler", "kconfig", "rootfs",
					    "tbox_group", "testcase" };
	json_t *axes = json_object();
	json_t *commits = json_array();
	json_t *runs = json_array();
	const json_t *m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		copy_axis(axes, ctx, keys[i]);
	json_object_update(
		axes, json_object_get(json_object_get(ctx, "job"), "params"));
	json_array_foreach(matrices, i, m)
	{
		json_array_append_new(
			commits,
			json_pack("{s:s, s:s}", "id",
				  json_opt_str(m, "commit", ""), "subject",
				  json_opt_str(m, "subject", "")));
		json_array_append_new(runs,
				      json_integer((json_int_t)json_array_size(
					      json_object_get(m, "boots"))));
	}
	return json_pack("{s:o, s:o, s:o}", "axes", axes, "commits", commits,
			 "runs", runs);
}

static json_t *comparison_row(const json_t *ctx)
{
	static const char *const keys[] = {
		"id",	      "job_id",	     "state",	   "verdict",
		"headline",   "direction",   "change_pct", "e_value",
		"ci_low_pct", "ci_high_pct", "why",	   "path",
		"box",	      "base_sha",    "head_sha",   "evidence",
	};
	json_t *row = json_object();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(row, keys[i], json_object_get(ctx, keys[i]));
	return row;
}

/* A calibration that holds: each metric's noise, the headline's A/A alarms. */
static int set_calibration(struct client *c, const struct flow_calibration *k,
			   json_t *reply, struct err *err)
{
	json_t *all = db_calibration_metrics(c->d->db, k->id, err);
	json_t *list = json_array();
	json_t *row;
	size_t i;

	json_array_foreach(all, i, row)
	{
		if (!strcmp(json_opt_str(row, "verdict", ""), "ok"))
			json_array_append(list, row);
	}
	json_object_set_new(reply, "calibration", list);
	json_object_set_new(reply, "aa",
			    json_pack("{s:I, s:I}", "alarms",
				      (json_int_t)k->aa_alarms, "trials",
				      (json_int_t)k->aa_trials));
	json_decref(all);
	return all ? 0 : ERR_IO;
}

static int add_calibration(struct client *c, long long id, json_t *reply,
			   struct err *err)
{
	struct flow_calibration known;
	struct flow f;
	int rc = flow_open(c->d, id, &f, err);

	if (rc)
		return rc;
	rc = flow_calibration_get(&f, flow_int(&f, "box_id"),
				  flow_text(&f, "headline"), &known, err);
	if (!rc && known.state == FLOW_CALIBRATED_OK)
		rc = set_calibration(c, &known, reply, err);
	flow_calibration_release(&known);
	flow_close(&f);
	return rc;
}

json_t *op_compare(struct client *c, const json_t *request, struct err *err)
{
	json_t *matrices = json_array();
	json_t *reply = NULL;
	json_t *ctx = NULL;
	long long id = 0;
	int rc = which(c, request, &id, err);

	if (!rc) {
		ctx = db_flow_context(c->d->db, id, err);
		rc = ctx ? 0 : ERR_NOTFOUND;
	}
	if (!rc)
		rc = add_side(c, ctx, "base", matrices, err);
	if (!rc)
		rc = add_side(c, ctx, "head", matrices, err);
	if (!rc)
		reply = json_pack("{s:o, s:O, s:o}", "comparison",
				  comparison_row(ctx), "matrices", matrices,
				  "axes", axes_of(ctx, matrices));
	if (!rc && add_calibration(c, id, reply, err)) {
		json_decref(reply);
		reply = NULL;
	}
	json_decref(matrices);
	json_decref(ctx);
	return reply;
}
