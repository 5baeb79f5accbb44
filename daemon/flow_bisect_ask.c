// SPDX-License-Identifier: GPL-3.0-or-later
// A step of a bisection: the engine's question becomes plan rows, and the
// kernels that its answer may call for are named, to be built meanwhile.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_flow_bisect.h"
#include "db/db_plan.h"

#define RUNS_MAX 1000

const json_t *flow_bisect_ready_box(const struct flow_bisect *b,
				    const json_t *ready, int asked)
{
	size_t nr = json_array_size(b->boxes);
	size_t i, j;

	for (i = 0; i < nr; i++) {
		const json_t *box =
			json_array_get(b->boxes, ((size_t)asked + i) % nr);
		const json_t *row;

		json_array_foreach(ready, j, row)
		{
			if (json_opt_int(row, "id", 0) ==
			    json_opt_int(box, "id", -1))
				return box;
		}
	}
	return NULL;
}

static json_t *boot_json(const struct flow_bisect *b,
			 const struct bisect_boot *boot, const json_t *box)
{
	const struct history *h = bisect_history(b->engine);

	return json_pack("{s:s, s:s, s:i, s:i}", "commit",
			 history_id(h, boot->commit), "box",
			 json_opt_str(box, "name", ""), "layout", boot->layout,
			 "runs", boot->runs > RUNS_MAX ? RUNS_MAX : boot->runs);
}

/* {"phase", "boots": [{"commit", "box", "layout", "runs"}]} */
static json_t *ask_json(const struct flow_bisect *b,
			const struct bisect_ask *ask, struct err *err)
{
	const struct flow *f = b->f;
	const char *group = flow_text(f, "tbox_group");
	json_t *ready = db_flow_boxes(f->d->db, group, 0, err);
	json_t *boots = json_array();
	size_t i;

	for (i = 0; ready && i < ask->nr; i++) {
		const json_t *box =
			flow_bisect_ready_box(b, ready, ask->boots[i].box);

		if (!box) {
			err_set(err, ERR_INFRA,
				"infrastructure: no box of group %s is ready",
				group);
			break;
		}
		json_array_append_new(boots, boot_json(b, &ask->boots[i], box));
	}
	json_decref(ready);
	if (json_array_size(boots) == ask->nr)
		return json_pack("{s:s, s:o}", "phase",
				 bisect_phase_to_str(ask->phase), "boots",
				 boots);
	json_decref(boots);
	return NULL;
}

static int want(const struct flow_bisect *b, const struct repo *repo,
		long long step_id, const json_t *boot, struct err *err)
{
	const struct flow *f = b->f;
	int at = bisect_find_box(b->engine, json_opt_str(boot, "box", ""));
	const json_t *box = json_array_get(b->boxes, (size_t)at);
	struct flow_want w = {
		.box_id = json_opt_int(box, "id", 0),
		.step_id = step_id,
		.nr_runs = json_opt_int(boot, "runs", 1),
		.uses_kernel = json_opt_bool(box, "uses_kernel", false),
	};
	int rc;

	/* where time is counted in instructions, a layout can't matter */
	if (!json_opt_bool(box, "simulated", false))
		w.layout = json_opt_int(boot, "layout", 0);
	rc = flow_bisect_commit(b, repo, json_opt_str(boot, "commit", ""),
				&w.commit_id, err);
	return rc ? rc : flow_want_boot(f, &w, err);
}

static int want_all(const struct flow_bisect *b, const struct repo *repo,
		    long long step_id, const json_t *ask, struct err *err)
{
	const json_t *boots = json_object_get(ask, "boots");
	const json_t *boot;
	size_t i;
	int rc = 0;

	json_array_foreach(boots, i, boot)
	{
		rc = want(b, repo, step_id, boot, err);
		if (rc)
			break;
	}
	return rc;
}

/* --- what may be asked for next --- */

/* Append {"commit", "artifact"} of a kernel that nobody has built yet. */
static int add_likely(const struct flow_bisect *b, const struct repo *repo,
		      int commit, json_t *list, struct err *err)
{
	const char *sha = history_id(bisect_history(b->engine), commit);
	struct db_artifact a = { 0 };
	long long commit_id = 0;
	long long id = 0;
	int rc;

	rc = flow_bisect_commit(b, repo, sha, &commit_id, err);
	if (!rc)
		rc = db_artifact_want(b->f->d->db, commit_id, 0, &id, err);
	if (!rc)
		rc = db_artifact_get(b->f->d->db, id, &a, err);
	if (!rc && !strcmp(a.state, "wanted"))
		json_array_append_new(list,
				      json_pack("{s:s, s:I}", "commit", sha,
						"artifact", (json_int_t)id));
	db_artifact_release(&a);
	return rc;
}

/* The scheduler builds these as long as the step is open and slots are idle. */
static int speculate(const struct flow_bisect *b, const struct repo *repo,
		     const struct bisect_ask *ask, json_t *json,
		     struct err *err)
{
	json_t *list;
	int rc = 0;
	int i;

	if (!b->f->uses_kernel || !b->f->d->cfg.bisect.speculate)
		return 0;
	list = json_array();
	for (i = 0; !rc && i < ask->nr_speculate; i++)
		rc = add_likely(b, repo, ask->speculate[i], list, err);
	json_object_set_new(json, "speculate", list);
	return rc;
}

/* --- the step --- */

static int keep(const struct flow_bisect *b, struct err *err)
{
	json_t *engine = bisect_to_json(b->engine);
	json_t *none = json_array();
	json_t *evidence = json_object();
	struct bisect_finding found;
	struct db_bisect_end row = { .state = "running",
				     .verdict = "",
				     .engine = engine,
				     .commits = none,
				     .evidence = evidence,
				     .why = "" };
	int rc;

	bisect_finding(b->engine, &found);
	row.posterior = found.posterior;
	rc = db_bisect_set(b->f->d->db, b->id, &row, clock_wall_s(), err);
	json_decref(engine);
	json_decref(none);
	json_decref(evidence);
	return rc;
}

/* Append why the boots that are asked for are too many; false: they aren't. */
static bool over_limit(const struct flow_bisect *b,
		       const struct bisect_ask *ask, struct str *why)
{
	long long max_boots = b->f->d->cfg.bisect.max_boots;
	struct bisect_finding found;

	bisect_finding(b->engine, &found);
	if (max_boots <= 0 || found.boots + (long long)ask->nr <= max_boots)
		return false;
	str_addf(why,
		 "the next step would take %zu boots more, over "
		 "bisect.max_boots = %lld",
		 ask->nr, max_boots);
	return true;
}

int flow_bisect_add_step(const struct flow_bisect *b, const struct repo *repo,
			 const json_t *ask, struct err *err)
{
	long long step_id = 0;
	int rc = db_step_add(b->f->d->db, b->id, ask, &step_id, err);

	if (!rc)
		rc = want_all(b, repo, step_id, ask, err);
	return rc ? rc : keep(b, err);
}

static int store_step(const struct flow_bisect *b, const struct repo *repo,
		      const struct bisect_ask *ask, json_t *json,
		      struct err *err)
{
	const struct flow *f = b->f;
	int rc = speculate(b, repo, ask, json, err);

	if (!rc)
		rc = flow_bisect_add_step(b, repo, json, err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "bisect", err,
				  "%s: %zu boot%s asked for",
				  bisect_phase_to_str(ask->phase), ask->nr,
				  ask->nr == 1 ? "" : "s");
	return rc;
}

static int ask_for(const struct flow_bisect *b, const struct bisect_ask *ask,
		   struct err *err)
{
	struct err e = { 0 };
	json_t *json = ask_json(b, ask, &e);
	struct repo *repo;
	int rc = ERR_NOTFOUND;

	if (!json)
		return err_set(err, e.code ? e.code : ERR_IO, "%s", e.text);
	repo = repo_open(flow_text(b->f, "repo_path"), err);
	if (repo)
		rc = store_step(b, repo, ask, json, err);
	repo_free(repo);
	json_decref(json);
	return rc;
}

int flow_bisect_next(const struct flow_bisect *b, struct err *err)
{
	struct str why = STR_INIT;
	struct bisect_ask ask;
	int rc;

	if (!bisect_next(b->engine, &ask))
		return flow_bisect_end(b, NULL, err);
	if (over_limit(b, &ask, &why))
		rc = flow_bisect_end(b, why.p, err);
	else
		rc = ask_for(b, &ask, err);
	str_release(&why);
	return rc;
}
