// SPDX-License-Identifier: GPL-3.0-or-later
// Op submit: from a commit pair and atomic jobs to comparisons, in one
// transaction, acknowledged when it is on the disk.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow.h"
#include "daemon/ops.h"
#include "daemon/setup.h"
#include "daemon/submit.h"
#include "db/db_box.h"
#include "db/db_calibration.h"
#include "db/db_job.h"
#include "db/db_repo.h"
#include "jobs/job.h"

/* Further code layouts of a calibration that doesn't say how many. */
#define LAYOUTS_DEFAULT 2

/* The last part of a path: how people call a rootfs. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool builds_kernels(const struct db_box *box)
{
	const json_t *boot = json_object_get(box->spec, "boot");

	return strcmp(json_opt_str(boot, "method", "none"), "none") != 0;
}

static int put_series(struct daemon *d, const struct submit *s,
		      const json_t *atomic, const struct db_box *box,
		      long long *out_id, struct err *err)
{
	const json_t *boot = json_object_get(box->spec, "boot");
	bool builds = builds_kernels(box);
	char *kconfig = setup_kconfig_name(s->repo.kconfig);
	char *compiler = builds ? setup_compiler_name(d) : xstrdup("");
	struct db_series series = {
		.repo_id = s->repo.id,
		.testcase = json_opt_str(atomic, "testcase", ""),
		.path = json_opt_str(atomic, "path", ""),
		.tbox_group = box->tbox_group,
		.rootfs = base_name(json_opt_str(boot, "rootfs", "")),
		.kconfig = builds ? kconfig : "",
		.compiler = compiler,
		.job = atomic,
	};
	int rc = db_series_put(d->db, &series, out_id, err);

	free(compiler);
	free(kconfig);
	return rc;
}

/* The comparison is to carry a calibration. */
static int add_calibration(struct daemon *d, const struct submit *s,
			   long long comparison_id, bool builds,
			   struct err *err)
{
	struct db_calibration k = {
		.comparison_id = comparison_id,
		.nr_boots = s->calibrate,
		.nr_layouts =
			json_opt_int(s->options, "layouts", LAYOUTS_DEFAULT),
	};

	return db_calibration_add(d->db, &k, builds, clock_wall_s(), NULL, err);
}

static int add_comparison(struct daemon *d, const struct submit *s,
			  long long job_id, size_t i, json_t *ids,
			  struct err *err)
{
	struct db_comparison c = { .job_id = job_id,
				   .base_id = s->base.id,
				   .head_id = s->head.id,
				   .box_id = s->boxes.v[i % s->boxes.nr] };
	struct db_box box;
	long long id = 0;
	int rc;

	rc = db_box_get(d->db, c.box_id, &box, err);
	if (!rc)
		rc = put_series(d, s, json_array_get(s->atomic, i), &box,
				&c.series_id, err);
	if (!rc)
		rc = db_comparison_add(d->db, &c, clock_wall_s(), &id, err);
	if (!rc && s->calibrate)
		rc = add_calibration(d, s, id, builds_kernels(&box), err);
	db_box_release(&box);
	if (!rc)
		rc = flow_comparison_start(d, id, err);
	if (!rc)
		json_array_append_new(ids, json_integer(id));
	return rc;
}

static int put_commits(struct daemon *d, struct submit *s, struct err *err)
{
	int rc = setup_refresh_repo(d, &s->repo, err);

	if (!rc)
		rc = db_commit_put(d->db, &s->base, &s->base.id, err);
	if (!rc)
		rc = db_commit_put(d->db, &s->head, &s->head.id, err);
	return rc;
}

/*
 * With fewer comparisons than boxes, the pairs of each take turns on several;
 * else each stays on its own, and all boxes are busy anyway.
 */
static void note_boxes(struct submit *s)
{
	size_t nr = json_array_size(s->atomic);
	json_t *ids;
	size_t i;

	json_object_del(s->options, "boxes");
	if (nr >= s->boxes.nr)
		return;
	ids = json_array();
	for (i = 0; i < s->boxes.nr; i++)
		json_array_append_new(ids, json_integer(s->boxes.v[i]));
	json_object_set_new(s->options, "boxes", ids);
}

static int say_warnings(struct daemon *d, long long job_id,
			const json_t *warnings, struct err *err)
{
	const json_t *item;
	size_t i;
	int rc = 0;

	json_array_foreach(warnings, i, item)
	{
		rc = daemon_event(d, job_id, "warning", err, "%s",
				  json_string_value(item));
		if (rc)
			break;
	}
	return rc;
}

static int store(struct client *c, struct submit *s, long long *out_job,
		 json_t *ids, struct err *err)
{
	struct daemon *d = c->d;
	struct db_job job = { .created_s = clock_wall_s(), .uid = c->uid };
	size_t nr = json_array_size(s->atomic);
	size_t i;
	int rc = put_commits(d, s, err);

	if (rc)
		return rc;
	note_boxes(s);
	job.repo_id = s->repo.id;
	job.base_id = s->base.id;
	job.head_id = s->head.id;
	job.merge_base = s->merge_base;
	job.name = (char *)s->name;
	job.yaml = (char *)s->yaml;
	job.options = s->options;
	job.client_key = (char *)s->client_key;
	job.prio = s->prio;
	rc = db_job_add(d->db, &job, out_job, err);
	if (!rc)
		rc = daemon_event(
			d, *out_job, "submitted", err,
			"job %lld: %s, %.12s..%.12s, %zu "
			"%s%s%s%s",
			*out_job, s->name, s->base.sha, s->head.sha, nr,
			s->calibrate ? "calibration" : "comparison",
			nr == 1 ? "" : "s", *s->note ? "; " : "", s->note);
	if (!rc)
		rc = say_warnings(d, *out_job, s->warnings, err);
	for (i = 0; !rc && i < nr; i++)
		rc = add_comparison(d, s, *out_job, i, ids, err);
	return rc;
}

static json_t *reply_of(long long job, json_t *ids, const char *note)
{
	json_t *reply = json_pack("{s:I, s:O}", "job", (json_int_t)job,
				  "comparisons", ids);

	if (*note)
		json_object_set_new(reply, "note",
				    json_text(note, strlen(note)));
	return reply;
}

static void set_warnings(json_t *reply, const struct submit *s)
{
	if (json_array_size(s->warnings))
		json_object_set(reply, "warnings", s->warnings);
}

static json_t *store_in_tx(struct client *c, struct submit *s, struct err *err)
{
	struct daemon *d = c->d;
	json_t *ids = json_array();
	json_t *reply = NULL;
	long long job = 0;
	int rc = db_begin(d->db, err);

	if (!rc)
		rc = store(c, s, &job, ids, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	if (!rc) {
		daemon_changed(d);
		reply = reply_of(job, ids, s->note);
		set_warnings(reply, s);
	}
	json_decref(ids);
	return reply;
}

/* What a submission would do, without an id. */
static json_t *dry_reply(const struct submit *s)
{
	json_t *ids = json_array();
	json_t *reply;
	size_t i;

	for (i = 0; i < json_array_size(s->atomic); i++)
		json_array_append_new(ids, json_null());
	reply = reply_of(0, ids, s->note);
	set_warnings(reply, s);
	json_object_set_new(reply, "dry_run", json_true());
	json_object_set_new(reply, "base", json_string(s->base.sha));
	json_object_set_new(reply, "head", json_string(s->head.sha));
	json_decref(ids);
	return reply;
}

/* The same key again: the job that it made. */
static json_t *earlier(struct client *c, long long job, struct err *err)
{
	struct db_stmt *q = db_stmt(c->d->db, "SELECT id FROM comparison "
					      "WHERE job_id = ? ORDER BY id");
	json_t *ids = json_array();
	json_t *reply = NULL;
	int rc;

	db_bind_int(q, job);
	while ((rc = db_step(q, err)) > 0)
		json_array_append_new(ids, json_integer(db_col_int(q, 0)));
	db_stmt_free(&q);
	if (!rc)
		reply = reply_of(job, ids, "this key was submitted before");
	json_decref(ids);
	return reply;
}

static int check_limit(struct client *c, struct err *err)
{
	long long max = c->d->cfg.limits.max_jobs_per_user;
	long long nr = 0;
	int rc = db_job_count_open(c->d->db, c->uid, &nr, err);

	if (!rc && nr >= max)
		rc = err_set(err, ERR_LIMIT,
			     "%lld jobs of uid %u are open already "
			     "(limits.max_jobs_per_user is %lld)",
			     nr, (unsigned)c->uid, max);
	return rc;
}

json_t *op_submit(struct client *c, const json_t *request, struct err *err)
{
	const char *key = json_opt_str(request, "client_key", NULL);
	json_t *reply = NULL;
	long long job = 0;
	struct submit s;

	if (key && db_job_by_key(c->d->db, key, &job, err))
		return NULL;
	if (job)
		return earlier(c, job, err);
	if (check_limit(c, err))
		return NULL;
	if (!submit_read(c->d, request, &s, err))
		reply = s.dry_run ? dry_reply(&s) : store_in_tx(c, &s, err);
	submit_release(&s);
	return reply;
}
