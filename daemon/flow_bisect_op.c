// SPDX-License-Identifier: GPL-3.0-or-later
// Op bisect: start one by hand, look at it, stop it.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/flow_private.h"
#include "daemon/outcome.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"

#define SHOWN_MAX 100

/* --- which comparison --- */

/*
 * The job's comparison that a bisection is, or could be, about: one that has a
 * bisection, else the one that changed most.
 */
static int choose(struct daemon *d, long long job_id, long long *out,
		  struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db,
		"SELECT c.id FROM comparison c WHERE c.job_id = ? ORDER BY "
		"EXISTS (SELECT 1 FROM bisect WHERE comparison_id = c.id) DESC,"
		" c.verdict = 'regression' DESC, abs(c.change_pct) DESC, c.id "
		"LIMIT 1");
	int rc;

	db_bind_int(q, job_id);
	rc = db_get_int(q, out, err);
	if (rc == ERR_NOTFOUND)
		return err_set(err, rc,
			       "no job %lld (drover queue --all lists them)",
			       job_id);
	return rc;
}

static int comparison_of(struct daemon *d, const json_t *request,
			 long long *out, struct err *err)
{
	long long job = json_opt_int(request, "job", 0);

	*out = json_opt_int(request, "comparison", 0);
	if (*out > 0)
		return 0;
	if (job > 0)
		return choose(d, job, out, err);
	return err_set(err, ERR_USAGE,
		       "bisect: expected \"job\" or \"comparison\"");
}

/* --- status --- */

/* What the start said of a commit; NULL when it isn't in the range. */
static const json_t *find_info(const struct flow_bisect *b, const char *sha)
{
	const json_t *commits = json_object_get(b->start, "commits");
	const json_t *c;
	size_t i;

	json_array_foreach(commits, i, c)
	{
		if (!strcmp(json_opt_str(c, "sha", ""), sha))
			return c;
	}
	return NULL;
}

static double prior_of(const struct flow_bisect *b, const json_t *info)
{
	const json_t *commits = json_object_get(b->start, "commits");
	const json_t *c;
	double sum = 0;
	size_t i;

	if (json_opt_bool(info, "idle", false))
		return 0;
	json_array_foreach(commits, i, c)
	{
		/* the first one is the good commit */
		if (i && !json_opt_bool(c, "idle", false))
			sum += json_opt_num(c, "weight", 1);
	}
	return sum > 0 ? json_opt_num(info, "weight", 1) / sum : 0;
}

static json_t *candidates(const struct flow_bisect *b)
{
	json_t *posterior = flow_bisect_posterior(b);
	const json_t *list = json_object_get(posterior, "candidates");
	json_t *out = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		const char *sha = json_opt_str(row, "sha", "");
		const json_t *info = find_info(b, sha);

		if (i >= SHOWN_MAX)
			break;
		json_array_append_new(
			out,
			json_pack("{s:s, s:s, s:f, s:f, s:f}", "sha", sha,
				  "subject", json_opt_str(info, "subject", ""),
				  "prior", prior_of(b, info), "posterior",
				  json_opt_num(row, "posterior", 0), "bad",
				  json_opt_num(row, "bad", 0)));
	}
	json_decref(posterior);
	return out;
}

static json_t *describe(struct daemon *d, const struct flow_bisect *b,
			struct err *err)
{
	static const char *const keys[] = { "id",      "state",	    "verdict",
					    "commits", "posterior", "why",
					    "evidence" };
	json_t *steps = db_steps(d->db, b->id, err);
	json_t *out;
	size_t i;

	if (!steps)
		return NULL;
	out = json_object();
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(out, keys[i], json_object_get(b->row, keys[i]));
	json_object_set_new(out, "steps", steps);
	json_object_set_new(out, "candidates", candidates(b));
	return out;
}

static json_t *status(struct daemon *d, long long comparison_id,
		      struct err *err)
{
	struct flow_bisect b;
	json_t *out = NULL;
	struct flow f;

	if (flow_open(d, comparison_id, &f, err))
		return NULL;
	if (!flow_bisect_open(&f, &b, err)) {
		out = describe(d, &b, err);
		flow_bisect_close(&b);
	}
	flow_close(&f);
	return out ? json_pack("{s:o}", "bisect", out) : NULL;
}

/* --- start and stop --- */

static int start(const struct flow *f, struct err *err)
{
	double claim = json_opt_num(f->row, "change_pct", 0) / 100;
	int rc;

	if (strcmp(flow_text(f, "state"), "done") != 0)
		return err_set(err, ERR_BUSY,
			       "comparison %lld is %s: it can be bisected once "
			       "it has a verdict",
			       f->id, flow_text(f, "state"));
	if (!*flow_text(f, "headline") || claim == 0)
		return err_set(err, ERR_USAGE,
			       "comparison %lld has no change to look for",
			       f->id);
	if (*flow_text(f, "merge_base"))
		return err_set(
			err, ERR_USAGE,
			"base is no ancestor of head (merge base %.12s): "
			"submit from the merge base to bisect",
			flow_text(f, "merge_base"));
	rc = flow_bisect_start(f, claim, err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "bisecting",
					     flow_text(f, "why"),
					     clock_wall_s(), err);
	if (!rc)
		rc = db_job_reopen(f->d->db, f->job_id, err);
	return rc ? rc : flow_after_verdict(f, err);
}

static int stop(const struct flow *f, struct err *err)
{
	struct flow_bisect b;
	int rc;

	if (strcmp(flow_text(f, "state"), "bisecting") != 0)
		return err_set(err, ERR_USAGE,
			       "comparison %lld is not being bisected", f->id);
	rc = flow_bisect_open(f, &b, err);
	if (rc)
		return rc;
	rc = flow_bisect_give_up(&b, "stopped", "by hand", err);
	flow_bisect_close(&b);
	return rc;
}

static int change(struct daemon *d, long long comparison_id,
		  int (*fn)(const struct flow *f, struct err *err),
		  struct err *err)
{
	struct flow f;
	int rc = db_begin(d->db, err);

	if (rc)
		return rc;
	rc = flow_open(d, comparison_id, &f, err);
	if (!rc) {
		rc = fn(&f, err);
		if (!rc)
			rc = outcome_job(d, f.job_id, err);
		flow_close(&f);
	}
	if (rc) {
		db_rollback(d->db);
		return rc;
	}
	rc = db_commit(d->db, err);
	if (!rc)
		daemon_changed(d);
	return rc;
}

json_t *flow_bisect_op(struct daemon *d, const json_t *request, struct err *err)
{
	const char *action = json_opt_str(request, "action", "status");
	long long id = 0;
	int rc = comparison_of(d, request, &id, err);

	if (!rc && !strcmp(action, "start"))
		rc = change(d, id, start, err);
	else if (!rc && !strcmp(action, "stop"))
		rc = change(d, id, stop, err);
	else if (!rc && strcmp(action, "status") != 0 &&
		 strcmp(action, "log") != 0)
		rc = err_set(err, ERR_USAGE,
			     "bisect: no action \"%.40s\"; there are start, "
			     "status, log and stop",
			     action);
	return rc ? NULL : status(d, id, err);
}
