// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of the same bits. Equal sources are built into equal bits, so a
// commit that was built into what another one was changed nothing: no boot is
// needed to know that, and what lies between the two is no candidate. Where the
// history doesn't let us say so (two branches that came to the same), each is
// measured: that costs a boot and is never wrong.
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_merge.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/flow_private.h"
#include "daemon/outcome.h"
#include "db/db_flow_bisect.h"
#include "db/db_plan.h"
#include "db/db_repo.h"

/* --- what is known --- */

/* Position of a row of db_kernels_built; head stands for what it was merged
 * into. -1: not in the range. */
static int position(const struct flow_bisect *b, const json_t *row)
{
	const struct history *h = bisect_history(b->engine);
	const char *sha = json_opt_str(row, "sha", "");

	if (!strcmp(sha, flow_text(b->f, "head_sha")))
		return history_nr(h) - 1;
	return history_find(h, sha);
}

static int say_merged(const struct flow_bisect *b, const char *x, const char *y,
		      int nr, struct err *err)
{
	return daemon_event(b->f->d, b->f->job_id, "bisect", err,
			    "the kernel of %.*s is bit for bit that of %.*s: "
			    "%d commit%s can't matter",
			    FLOW_SHA_SHOWN, y, FLOW_SHA_SHOWN, x, nr,
			    nr == 1 ? "" : "s");
}

/* Two rows of one build-id: 1 when that made the range shorter. */
static int merge_two(const struct flow_bisect *b, const json_t *one,
		     const json_t *two, struct err *err)
{
	const struct history *h = bisect_history(b->engine);
	int before = history_nr(h);
	int x = position(b, one);
	int y = position(b, two);
	char *ids[2];
	int rc;

	if (x < 0 || y < 0 || x == y)
		return 0;
	if (x > y) {
		int older = y;

		y = x;
		x = older;
	}
	ids[0] = xstrdup(history_id(h, x));
	ids[1] = xstrdup(history_id(h, y));
	rc = bisect_merge(b->engine, x, y, err);
	if (rc == 1) {
		int after = history_nr(bisect_history(b->engine));

		rc = say_merged(b, ids[0], ids[1], before - after, err);
		rc = rc ? rc : 1;
	}
	free(ids[0]);
	free(ids[1]);
	return rc;
}

static bool have_same_bits(const json_t *a, const json_t *b)
{
	return !strcmp(json_opt_str(a, "build_id", "a"),
		       json_opt_str(b, "build_id", "b"));
}

/* One merge; 0 when there is nothing left to merge. */
static int merge_next(const struct flow_bisect *b, const json_t *built,
		      struct err *err)
{
	size_t nr = json_array_size(built);
	size_t i, k;

	for (i = 0; i < nr; i++) {
		const json_t *one = json_array_get(built, i);

		for (k = i + 1; k < nr; k++) {
			const json_t *two = json_array_get(built, k);
			int rc;

			/* they are in the order of their bits */
			if (!have_same_bits(one, two))
				break;
			rc = merge_two(b, one, two, err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

int flow_bisect_merge_same(const struct flow_bisect *b, struct err *err)
{
	json_t *built;
	int rc;

	if (!b->f->uses_kernel)
		return 0;
	built = db_kernels_built(b->f->d->db, flow_int(b->f, "repo_id"), err);
	if (!built)
		return ERR_IO;
	do
		rc = merge_next(b, built, err);
	while (rc == 1);
	json_decref(built);
	return rc;
}

int flow_bisect_check_ends(const struct flow *f, struct err *err)
{
	const char *const ends[] = { flow_text(f, "base_sha"),
				     flow_text(f, "head_sha") };
	const char *bits[2] = { "", "" };
	json_t *built;
	const json_t *row;
	size_t i, k;
	int rc = 0;

	if (!f->uses_kernel)
		return 0;
	built = db_kernels_built(f->d->db, flow_int(f, "repo_id"), err);
	if (!built)
		return ERR_IO;
	json_array_foreach(built, i, row)
	{
		for (k = 0; k < 2; k++)
			if (!strcmp(json_opt_str(row, "sha", ""), ends[k]))
				bits[k] = json_opt_str(row, "build_id", "");
	}
	if (*bits[0] && !strcmp(bits[0], bits[1]))
		rc = err_set(err, ERR_USAGE,
			     "base and head were built into the same kernel "
			     "(build-id %.40s): no commit between them can "
			     "have changed it",
			     bits[0]);
	json_decref(built);
	return rc;
}

/* --- a kernel was built --- */

/*
 * The commit that was measured with the bits of the one at @y, where the
 * history lets us take its boots for @y's; -1: none.
 */
static int find_measured(const struct flow_bisect *b, const json_t *built,
			 const char *build_id, int y)
{
	const json_t *row;
	size_t i;

	json_array_foreach(built, i, row)
	{
		int x = position(b, row);

		if (x < 0 ||
		    strcmp(json_opt_str(row, "build_id", ""), build_id) != 0)
			continue;
		if (bisect_is_measured(b->engine, x) &&
		    (bisect_can_merge(b->engine, x, y) ||
		     bisect_can_merge(b->engine, y, x)))
			return x;
	}
	return -1;
}

/* @wait: a row of db_steps_waiting; its boots aren't needed if the bits of
 * their kernel were measured already. */
static int skip_known(const struct flow_bisect *b, const json_t *wait,
		      const struct db_artifact *a, struct err *err)
{
	const struct history *h = bisect_history(b->engine);
	struct db *db = b->f->d->db;
	json_t *built = db_kernels_built(db, flow_int(b->f, "repo_id"), err);
	struct db_commit c = { 0 };
	struct str why = STR_INIT;
	int rc = built ? 0 : ERR_IO;
	int x = -1;
	int y = -1;

	if (!rc)
		rc = db_commit_get(db, json_opt_int(wait, "commit_id", 0), &c,
				   err);
	if (!rc)
		y = history_find(h, c.sha);
	if (y >= 0)
		x = find_measured(b, built, a->build_id, y);
	if (x >= 0) {
		str_addf(&why, "its kernel is bit for bit that of %.*s",
			 FLOW_SHA_SHOWN, history_id(h, x));
		rc = db_step_skip(db, json_opt_int(wait, "step_id", 0), a->id,
				  FLOW_SAME_KERNEL, why.p, err);
	}
	str_release(&why);
	db_commit_release(&c);
	json_decref(built);
	return rc;
}

/* Nobody tells us of boots that were skipped: look whether that was all. */
static int look_again(const struct flow *f, struct err *err)
{
	long long open = 0;
	int rc = db_plan_count_open(f->d->db, f->id, &open, err);

	return rc || open ? rc : flow_bisect_look(f, err);
}

/* An earlier row of the same look may have brought it to its end. */
static bool is_over(const struct flow *f)
{
	return strcmp(flow_text(f, "state"), "bisecting") != 0;
}

static int tell_bisection(struct daemon *d, const json_t *wait,
			  const struct db_artifact *a, struct err *err)
{
	struct flow_bisect b;
	struct flow f;
	int rc = flow_open(d, json_opt_int(wait, "comparison", 0), &f, err);

	if (rc)
		return rc;
	if (is_over(&f))
		goto out;
	rc = flow_bisect_open(&f, &b, err);
	if (!rc) {
		rc = skip_known(&b, wait, a, err);
		flow_bisect_close(&b);
	}
	if (!rc)
		rc = look_again(&f, err);
	if (!rc)
		rc = outcome_job(d, f.job_id, err);
out:
	flow_close(&f);
	return rc;
}

static int say_ahead(struct daemon *d, const struct db_artifact *a,
		     struct err *err)
{
	json_t *jobs = db_ahead_jobs(d->db, a->id, err);
	struct db_commit c = { 0 };
	const json_t *row;
	size_t i;
	int rc = jobs ? db_commit_get(d->db, a->commit_id, &c, err) : ERR_IO;

	if (!rc) {
		json_array_foreach(jobs, i, row)
		{
			rc = daemon_event(d, json_opt_int(row, "job", 0),
					  "build", err,
					  "kernel %.*s: built ahead in %.0f s",
					  FLOW_SHA_SHOWN, c.sha, a->seconds);
			if (rc)
				break;
		}
	}
	db_commit_release(&c);
	json_decref(jobs);
	return rc;
}

int flow_kernel_built(struct daemon *d, long long artifact_id, struct err *err)
{
	json_t *waiting = db_steps_waiting(d->db, artifact_id, err);
	struct db_artifact a = { 0 };
	const json_t *row;
	size_t i;
	int rc =
		waiting ? db_artifact_get(d->db, artifact_id, &a, err) : ERR_IO;

	if (!rc && !json_array_size(waiting))
		rc = say_ahead(d, &a, err);
	json_array_foreach(waiting, i, row)
	{
		if (!rc && *a.build_id && !a.layout)
			rc = tell_bisection(d, row, &a, err);
	}
	db_artifact_release(&a);
	json_decref(waiting);
	return rc;
}
