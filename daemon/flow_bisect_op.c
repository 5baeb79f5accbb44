// SPDX-License-Identifier: GPL-3.0-or-later
// Op bisect: start one by hand, look at it, stop it.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/flow_revert.h"
#include "daemon/outcome.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"
#include "db/db_repo.h"

#define METRIC_MAX_BYTES 255

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

/*
 * The newest comparison of two commits; one whose verdict is about @metric,
 * when there is such.
 */
static int find_pair(struct daemon *d, long long repo_id,
		     const char sha[2][REPO_SHA_BYTES], const char *metric,
		     long long *out, struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT c.id FROM comparison c "
		       "JOIN git_commit b ON b.id = c.base_id "
		       "JOIN git_commit h ON h.id = c.head_id "
		       "WHERE b.repo_id = ?1 AND h.repo_id = ?1 "
		       "AND b.sha = ?2 AND h.sha = ?3 "
		       "ORDER BY c.headline = ?4 DESC, c.state = 'done' DESC, "
		       "c.id DESC LIMIT 1");
	int rc;

	db_bind_int(q, repo_id);
	db_bind_text(q, sha[0]);
	db_bind_text(q, sha[1]);
	db_bind_text(q, metric);
	rc = db_get_int(q, out, err);
	if (rc == ERR_NOTFOUND)
		return err_set(err, rc,
			       "%.12s and %.12s have not been compared: "
			       "measure them first (drover submit BASE..HEAD "
			       "-j FILE)",
			       sha[0], sha[1]);
	return rc;
}

static int comparison_of_pair(struct daemon *d, const json_t *request,
			      long long *out, struct err *err)
{
	const char *base = json_opt_str(request, "base", "");
	const char *head = json_opt_str(request, "head", "");
	char sha[2][REPO_SHA_BYTES];
	struct db_repo row = { 0 };
	struct repo *repo = NULL;
	int rc = db_repo_find(d->db, json_opt_str(request, "repo", ""), &row,
			      err);

	if (!rc)
		repo = repo_open(row.path, err);
	if (!rc && !repo)
		rc = ERR_NOTFOUND;
	if (!rc)
		rc = repo_resolve(repo, base, sha[0], err);
	if (!rc)
		rc = repo_resolve(repo, head, sha[1], err);
	if (!rc)
		rc = find_pair(d, row.id, sha,
			       json_opt_str(request, "metric", ""), out, err);
	repo_free(repo);
	db_repo_release(&row);
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
	if (json_object_get(request, "base"))
		return comparison_of_pair(d, request, out, err);
	return err_set(
		err, ERR_USAGE,
		"bisect: expected \"job\", \"comparison\" or \"base\" and "
		"\"head\"");
}

int flow_bisect_job(struct daemon *d, const json_t *request, long long *out,
		    struct err *err)
{
	struct db_comparison c;
	long long id;
	int rc = comparison_of(d, request, &id, err);

	if (!rc)
		rc = db_comparison_get(d->db, id, &c, err);
	if (rc)
		return rc;
	*out = c.job_id;
	db_comparison_release(&c);
	return 0;
}

/* --- status --- */

static json_t *status(struct daemon *d, long long comparison_id,
		      struct err *err)
{
	struct flow_bisect b;
	json_t *out = NULL;
	struct flow f;

	if (flow_open(d, comparison_id, &f, err))
		return NULL;
	if (!flow_bisect_open(&f, &b, err)) {
		out = flow_bisect_describe(&b, err);
		flow_bisect_close(&b);
	}
	flow_close(&f);
	return out ? json_pack("{s:o}", "bisect", out) : NULL;
}

/* --- start and stop --- */

/* @metric "": what the comparison's verdict is about. */
static int start(const struct flow *f, const char *metric, struct err *err)
{
	bool other = *metric && strcmp(metric, flow_text(f, "headline")) != 0;
	double claim = json_opt_num(f->row, "change_pct", 0) / 100;
	int rc;

	if (strlen(metric) > METRIC_MAX_BYTES)
		return err_set(err, ERR_RANGE, "metric: at most %d characters",
			       METRIC_MAX_BYTES);
	if (strcmp(flow_text(f, "state"), "done") != 0)
		return err_set(err, ERR_BUSY,
			       "comparison %lld is %s: it can be bisected once "
			       "it has a verdict",
			       f->id, flow_text(f, "state"));
	if (!other && (!*flow_text(f, "headline") || claim == 0))
		return err_set(err, ERR_USAGE,
			       "comparison %lld has no change to look for",
			       f->id);
	if (*flow_text(f, "merge_base"))
		return err_set(
			err, ERR_USAGE,
			"base is no ancestor of head (merge base %.12s): "
			"submit from the merge base to bisect",
			flow_text(f, "merge_base"));
	rc = flow_bisect_start(f, other ? metric : NULL, other ? 0 : claim,
			       err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "bisecting",
					     flow_text(f, "why"),
					     clock_wall_s(), err);
	if (!rc)
		rc = db_job_reopen(f->d->db, f->job_id, err);
	return rc ? rc : flow_after_verdict(f, err);
}

static int stop(const struct flow *f, const char *metric, struct err *err)
{
	struct flow_bisect b;
	int rc;

	(void)metric;
	if (strcmp(flow_text(f, "state"), "bisecting") != 0)
		return err_set(err, ERR_USAGE,
			       "comparison %lld is not being bisected", f->id);
	rc = flow_bisect_open(f, &b, err);
	if (rc)
		return rc;
	/* the commit was found already: only its last check is left out */
	rc = flow_revert_stop(&b, err);
	if (rc == 1)
		rc = flow_bisect_next(&b, err);
	else if (!rc)
		rc = flow_bisect_give_up(&b, "stopped", "by hand", err);
	flow_bisect_close(&b);
	return rc;
}

/* What an action does to a comparison. */
typedef int change_fn(const struct flow *f, const char *metric,
		      struct err *err);

static int change(struct daemon *d, long long comparison_id, const char *metric,
		  change_fn *fn, struct err *err)
{
	struct flow f;
	int rc = db_begin(d->db, err);

	if (rc)
		return rc;
	rc = flow_open(d, comparison_id, &f, err);
	if (!rc) {
		rc = fn(&f, metric, err);
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
	const char *metric = json_opt_str(request, "metric", "");
	long long id = 0;
	int rc = comparison_of(d, request, &id, err);

	if (!rc && !strcmp(action, "start"))
		rc = change(d, id, metric, start, err);
	else if (!rc && !strcmp(action, "stop"))
		rc = change(d, id, metric, stop, err);
	else if (!rc && strcmp(action, "status") != 0 &&
		 strcmp(action, "log") != 0)
		rc = err_set(err, ERR_USAGE,
			     "bisect: no action \"%.40s\"; there are start, "
			     "status, log and stop",
			     action);
	return rc ? NULL : status(d, id, err);
}
