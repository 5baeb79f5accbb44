// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a bisection: what the engine found, stored and said.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_calibrate.h"
#include "daemon/flow_revert.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"
#include "report/report_mail.h"

#define LOG_LINES    10
#define SHOWN_IN_SET 5

static json_t *side_json(const struct bisect_side *s)
{
	return json_pack("{s:i, s:i, s:i}", "boots", s->boots, "runs", s->runs,
			 "builds", s->builds);
}

/* The log's lines as an array. */
static json_t *log_json(const struct bisect *engine)
{
	struct str text = STR_INIT;
	json_t *lines = json_array();
	char *rest, *line;

	bisect_add_log(engine, LOG_LINES, &text);
	rest = text.len ? text.p : NULL;
	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			json_array_append_new(lines,
					      json_text(line, strlen(line)));
	}
	str_release(&text);
	return lines;
}

static json_t *evidence(const struct flow_bisect *b,
			const struct bisect_finding *f)
{
	json_t *e = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:b}",
			      "boots", f->boots, "runs", f->runs, "builds",
			      f->builds, "unbuildable", f->unbuildable, "steps",
			      f->steps, "candidates_left", f->candidates_left,
			      "reason", f->reason, "simulated",
			      json_opt_bool(b->start, "simulated", false));

	json_object_set_new(e, "e_value", json_real_or_null(f->e_value));
	json_object_set_new(e, "delta", json_real_or_null(f->delta));
	json_object_set_new(e, "delta_lo", json_real_or_null(f->delta_lo));
	json_object_set_new(e, "delta_hi", json_real_or_null(f->delta_hi));
	json_object_set_new(e, "layout_delta",
			    json_real_or_null(f->layout_delta));
	json_object_set_new(e, "rest_delta", json_real_or_null(f->rest_delta));
	json_object_set_new(e, "before", side_json(&f->before));
	json_object_set_new(e, "after", side_json(&f->after));
	json_object_set_new(e, "log", log_json(b->engine));
	json_object_set_new(e, "posterior", flow_bisect_posterior(b));
	return e;
}

static json_t *commits_json(const struct flow_bisect *b,
			    const struct bisect_finding *f)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < f->nr_commits; i++)
		json_array_append_new(
			list, json_string(history_id(bisect_history(b->engine),
						     f->commits[i])));
	return list;
}

static void add_set(const struct flow_bisect *b, const json_t *commits,
		    struct str *out)
{
	size_t nr = json_array_size(commits);
	size_t i;

	for (i = 0; i < nr && i < SHOWN_IN_SET; i++) {
		const char *sha = json_string_value(json_array_get(commits, i));

		str_add(out, i ? ", " : "");
		flow_add_commit(out, sha, flow_bisect_subject(b, sha));
	}
	if (nr > SHOWN_IN_SET)
		str_addf(out, " and %zu more", nr - SHOWN_IN_SET);
}

static void add_numbers(const struct flow_bisect *b,
			const struct bisect_finding *f, struct str *out)
{
	if (!f->boots) /* refused before it began */
		return;
	if (isfinite(f->delta))
		str_addf(out, ", %+.1f%%", 100 * f->delta);
	if (isfinite(f->delta_lo) && isfinite(f->delta_hi))
		str_addf(out, " (95%% CI %+.1f%% … %+.1f%%)", 100 * f->delta_lo,
			 100 * f->delta_hi);
	str_addf(out, ", E = %.2g, %d boots, %d runs", f->e_value, f->boots,
		 f->runs);
	if (b->f->uses_kernel)
		str_addf(out, ", %d builds", f->builds);
}

static void add_why(const struct flow_bisect *b, const struct bisect_finding *f,
		    const json_t *commits, struct str *out)
{
	switch (f->verdict) {
	case BISECT_CULPRIT:
		str_add(out, "first bad commit: ");
		add_set(b, commits, out);
		str_add(out, ", verified against its parent, probability ");
		str_add_probability(out, f->posterior);
		break;
	case BISECT_SET:
		str_add(out,
			"one of these commits, which can't be told apart: ");
		add_set(b, commits, out);
		break;
	case BISECT_NOT_REPRODUCED:
		str_add(out, "not reproduced: measured again, the change is "
			     "not there; nobody is accused");
		break;
	case BISECT_RANGE_ONLY:
		str_addf(out,
			 "range only: finding the commit would take more than "
			 "bisect.budget_runs = %lld runs",
			 b->f->d->cfg.bisect.budget_runs);
		break;
	case BISECT_LAYOUT_SENSITIVE:
		str_add(out, "layout-sensitive: the change is gone under "
			     "another code layout; nobody is accused");
		break;
	default:
		str_add(out, "inconclusive: no commit can be accused");
		break;
	}
	add_numbers(b, f, out);
	if (*f->reason && f->verdict != BISECT_CULPRIT)
		str_addf(out, "; %s", f->reason);
}

/* A bisection of another metric leaves the comparison's verdict alone. */
static bool is_headline(const struct flow_bisect *b)
{
	return !strcmp(json_opt_str(b->start, "metric", ""),
		       flow_text(b->f, "headline"));
}

/* Measured again, the change is not there, or is more likely not there. */
static bool is_gone(const struct flow_bisect *b, const struct bisect_finding *f)
{
	if (f->verdict == BISECT_NOT_REPRODUCED)
		return true;
	return f->verdict == BISECT_INCONCLUSIVE &&
	       bisect_posterior(b->engine, 0) >= 0.5;
}

/*
 * The comparison's verdict once the bisection of its headline has ended: it
 * stands, unless measuring again says that there is nothing, or a search by
 * hand found what the comparison couldn't decide.
 */
static const char *verdict_after(const struct flow_bisect *b,
				 const struct bisect_finding *f)
{
	const char *verdict = flow_text(b->f, "verdict");
	bool found = f->verdict == BISECT_CULPRIT || f->verdict == BISECT_SET;
	bool lower = !strcmp(flow_text(b->f, "direction"), "lower");

	if (!is_headline(b))
		return verdict;
	if (is_gone(b, f))
		return "undecided";
	if (!found || !strcmp(verdict, "regression") ||
	    !strcmp(verdict, "improvement"))
		return verdict;
	return (f->delta < 0) == lower ? "improvement" : "regression";
}

/* @verdict replaces the comparison's; the sentence gets @why behind it. */
static int end_comparison(const struct flow_bisect *b, const char *why,
			  const char *verdict, struct err *err)
{
	const struct flow *f = b->f;
	struct db_stmt *q = db_stmt(
		f->d->db, "UPDATE comparison SET verdict = ? WHERE id = ?");
	struct str text = STR_INIT;
	int rc;

	str_addf(&text, "%s; %s", flow_text(f, "why"), why);
	db_bind_text(q, verdict);
	db_bind_int(q, f->id);
	rc = db_run(q, err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "done", text.p,
					     clock_wall_s(), err);
	str_release(&text);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "bisect", err, "%s", why);
	return rc ? rc : flow_after_verdict(f, err);
}

static int store_culprit(const struct flow_bisect *b, const json_t *commits,
			 const char *verdict, struct err *err)
{
	const struct flow *f = b->f;
	struct repo *repo;
	long long id = 0;
	int rc;

	repo = repo_open(flow_text(f, "repo_path"), err);
	if (!repo)
		return ERR_NOTFOUND;
	rc = flow_commit_id(f, repo,
			    json_string_value(json_array_get(commits, 0)), &id,
			    err);
	/* improvements have a cause too, but are no regression */
	if (!rc && is_headline(b) && !strcmp(verdict, "regression"))
		rc = db_regression_put(f->d->db, f->id, b->id, id,
				       clock_wall_s(), err);
	repo_free(repo);
	return rc;
}

static int withdraw(const struct flow_bisect *b, struct err *err)
{
	struct db_stmt *q =
		db_stmt(b->f->d->db, "UPDATE regression SET state = 'invalid', "
				     "bisect_id = ? WHERE comparison_id = ?");

	db_bind_int(q, b->id);
	db_bind_int(q, b->f->id);
	return db_run(q, err);
}

static int store_end(const struct flow_bisect *b,
		     const struct bisect_finding *found, const json_t *commits,
		     const json_t *revert, const char *why, struct err *err)
{
	json_t *engine = bisect_to_json(b->engine);
	json_t *e = evidence(b, found);
	struct db_bisect_end row = {
		.state = "done",
		.verdict = bisect_verdict_to_str(found->verdict),
		.engine = engine,
		.commits = commits,
		.evidence = e,
		.posterior = found->posterior,
		.why = why,
	};
	int rc;

	if (revert)
		json_object_set(e, "revert", (json_t *)revert);
	rc = db_bisect_set(b->f->d->db, b->id, &row, clock_wall_s(), err);
	json_decref(engine);
	json_decref(e);
	return rc;
}

/* @revert: of flow_revert(), may be NULL. */
static int conclude(const struct flow_bisect *b,
		    const struct bisect_finding *found, const json_t *revert,
		    struct err *err)
{
	const char *verdict = verdict_after(b, found);
	json_t *commits = commits_json(b, found);
	struct str why = STR_INIT;
	int rc;

	add_why(b, found, commits, &why);
	flow_revert_add_why(revert, &why);
	rc = store_end(b, found, commits, revert, why.p, err);
	if (!rc && found->verdict == BISECT_CULPRIT)
		rc = store_culprit(b, commits, verdict, err);
	else if (!rc && is_headline(b) && is_gone(b, found))
		rc = withdraw(b, err);
	if (!rc)
		rc = end_comparison(b, why.p, verdict, err);
	json_decref(commits);
	str_release(&why);
	return rc;
}

int flow_bisect_end(const struct flow_bisect *b, const char *limit,
		    struct err *err)
{
	struct bisect_finding found;
	json_t *revert = NULL;
	char *stale = NULL;
	int rc;

	bisect_finding(b->engine, &found);
	rc = flow_calibration_forbids(b->f, b->boxes, &stale, err);
	if (rc)
		return rc;
	if (!limit && found.verdict == BISECT_CULPRIT)
		limit = stale;
	if (limit) {
		found.verdict = BISECT_INCONCLUSIVE;
		found.reason = limit;
		found.nr_commits = 0;
	}
	if (found.verdict == BISECT_CULPRIT)
		rc = flow_revert(b, &found, &revert, err);
	if (!rc)
		rc = conclude(b, &found, revert, err);
	json_decref(revert);
	free(stale);
	return rc < 0 ? rc : 0;
}

int flow_bisect_give_up(const struct flow_bisect *b, const char *state,
			const char *why, struct err *err)
{
	json_t *engine = bisect_to_json(b->engine);
	json_t *none = json_array();
	struct bisect_finding found;
	struct str text = STR_INIT;
	json_t *e;
	struct db_bisect_end row = {
		.state = state, .verdict = "", .engine = engine, .why = why
	};
	int rc;

	bisect_finding(b->engine, &found);
	e = evidence(b, &found);
	row.commits = none;
	row.evidence = e;
	row.posterior = found.posterior;
	str_addf(&text, "bisection %s: %s", state, why);
	rc = db_flow_cancel_queued(b->f->d->db, b->f->id, err);
	if (!rc)
		rc = db_bisect_set(b->f->d->db, b->id, &row, clock_wall_s(),
				   err);
	if (!rc)
		rc = end_comparison(b, text.p, flow_text(b->f, "verdict"), err);
	json_decref(engine);
	json_decref(none);
	json_decref(e);
	str_release(&text);
	return rc;
}
