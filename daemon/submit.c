// SPDX-License-Identifier: GPL-3.0-or-later
// Checking a submission: its texts and options, commits, jobs and boxes.
#include "daemon/submit.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calibration.h"
#include "base/file.h"
#include "base/mem.h"
#include "configs/kconfig_lint.h"
#include "jobs/job.h"
#include "runners/build.h"
#include "runners/repo.h"

#define NAME_MAX_BYTES	   200
#define FRAGMENT_MAX_BYTES ((size_t)1 << 20)
#define YAML_MAX_BYTES	   ((size_t)256 << 10)
#define KEY_MAX_BYTES	   200
#define ADDRESS_MAX_BYTES  320
#define CC_MAX		   20
#define PRIO_MAX	   1000

void submit_release(struct submit *s)
{
	db_repo_release(&s->repo);
	db_commit_release(&s->base);
	db_commit_release(&s->head);
	free(s->boxes.v);
	free(s->merge_base);
	free(s->note);
	json_decref(s->atomic);
	json_decref(s->options);
	json_decref(s->warnings);
	memset(s, 0, sizeof(*s));
}

/* Printable one-line text: it gets into mail headers and terminals. */
static int check_line(const char *what, const char *text, size_t max,
		      struct err *err)
{
	const char *p;

	if (!*text || strlen(text) > max)
		return err_set(err, ERR_RANGE, "%s: 1 to %zu characters", what,
			       max);
	for (p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return err_set(err, ERR_DATA,
				       "%s: control characters are not allowed",
				       what);
	return 0;
}

static int check_range(const json_t *options, const char *key, long long lo,
		       long long hi, struct err *err)
{
	const json_t *v = json_object_get(options, key);

	if (!v || json_is_null(v))
		return 0;
	if (json_is_integer(v) && json_integer_value(v) >= lo &&
	    json_integer_value(v) <= hi)
		return 0;
	return err_set(err, ERR_RANGE,
		       "options.%s: an integer from %lld to "
		       "%lld",
		       key, lo, hi);
}

static int check_address(const char *text, struct err *err)
{
	if (!text || !strchr(text, '@'))
		return err_set(err, ERR_DATA,
			       "options.cc: \"%s\" is no mail address",
			       text ? text : "");
	return check_line("options.cc", text, ADDRESS_MAX_BYTES, err);
}

static int check_cc(const json_t *options, struct err *err)
{
	const json_t *list = json_object_get(options, "cc");
	const json_t *item;
	size_t i;
	int rc = 0;

	if (list && !json_is_array(list))
		return err_set(err, ERR_DATA, "options.cc: an array");
	if (json_array_size(list) > CC_MAX)
		return err_set(err, ERR_LIMIT, "options.cc: at most %d",
			       CC_MAX);
	json_array_foreach(list, i, item)
	{
		rc = check_address(json_string_value(item), err);
		if (rc)
			break;
	}
	return rc;
}

static int check_bisect(const json_t *o, struct err *err)
{
	static const char *const words[] = { "auto", "never", "always" };
	const char *text = json_opt_str(o, "bisect", "auto");
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], text))
			return 0;
	return err_set(err, ERR_DATA,
		       "options.bisect: auto, never or always, not \"%.20s\"",
		       text);
}

static int check_options(const json_t *o, struct err *err)
{
	const char *reply_to = json_opt_str(o, "in_reply_to", NULL);
	int rc = check_range(o, "pairs", 1, 1000, err);

	if (!rc)
		rc = check_range(o, "runs", 1, 1000, err);
	if (!rc)
		rc = check_range(o, "calibrate", CALIBRATION_MIN_BOOTS,
				 CALIBRATION_MAX_BOOTS, err);
	if (!rc)
		rc = check_range(o, "layouts", 0, BUILD_LAYOUT_MAX, err);
	if (!rc)
		rc = check_range(o, "prio", -PRIO_MAX, PRIO_MAX, err);
	if (!rc)
		rc = check_bisect(o, err);
	if (!rc && reply_to)
		rc = check_line("options.in_reply_to", reply_to,
				ADDRESS_MAX_BYTES, err);
	return rc ? rc : check_cc(o, err);
}

/* "calibrate" is how many boots, or true: as many as the settings say. */
static int read_texts(struct daemon *d, const json_t *r, struct submit *s,
		      struct err *err)
{
	json_t *options = json_object_get(r, "options");
	int rc;

	s->yaml = json_opt_str(r, "yaml", "");
	s->client_key = json_opt_str(r, "client_key", NULL);
	s->options = options ? json_incref(options) : json_object();
	s->prio = json_opt_int(options, "prio", 0);
	if (json_is_true(json_object_get(options, "calibrate")))
		json_object_set_new(options, "calibrate",
				    json_integer(d->cfg.calibrate.boots));
	s->calibrate = json_opt_int(options, "calibrate", 0);
	s->dry_run = json_opt_bool(options, "dry_run", false);
	rc = json_need_str(r, "name", &s->name, err);
	if (!rc)
		rc = check_line("name", s->name, NAME_MAX_BYTES, err);
	if (!rc && s->client_key)
		rc = check_line("client_key", s->client_key, KEY_MAX_BYTES,
				err);
	if (!rc && strlen(s->yaml) > YAML_MAX_BYTES)
		rc = err_set(err, ERR_LIMIT, "yaml: over %zu bytes",
			     YAML_MAX_BYTES);
	if (!rc && !json_is_object(s->options))
		rc = err_set(err, ERR_DATA, "options: an object");
	return rc ? rc : check_options(s->options, err);
}

/* One atomic job, in its canonical form, so that equal jobs are one series. */
static int read_job(const json_t *in, json_t *out, struct err *err)
{
	struct job job;
	int rc = job_from_json(in, &job, err);

	if (!rc)
		rc = job_check_runnable(&job, err);
	if (!rc)
		json_array_append_new(out, job_to_json(&job));
	job_release(&job);
	return rc;
}

static int read_jobs(const json_t *r, struct submit *s, struct err *err)
{
	json_t *list;
	json_t *item;
	size_t i;
	int rc = json_need_array(r, "atomic", &list, err);

	if (rc)
		return rc;
	if (!json_array_size(list) || json_array_size(list) > JOB_MAX_JOBS)
		return err_set(err, ERR_RANGE, "atomic: 1 to %d jobs",
			       JOB_MAX_JOBS);
	s->atomic = json_array();
	json_array_foreach(list, i, item)
	{
		rc = read_job(item, s->atomic, err);
		if (rc)
			return err_wrap(err, "job %zu", i + 1);
	}
	return 0;
}

static int read_commit(const struct repo *repo, const char *rev,
		       long long repo_id, struct db_commit *out,
		       struct err *err)
{
	char sha[REPO_SHA_BYTES];
	struct repo_commit c;
	int rc = repo_resolve(repo, rev, sha, err);

	if (rc)
		return rc;
	rc = repo_commit_read(repo, sha, &c, err);
	if (rc)
		return rc;
	out->repo_id = repo_id;
	out->sha = xstrdup(c.sha);
	out->tree = xstrdup(c.tree);
	out->subject = xstrdup(c.subject);
	out->author_name = xstrdup(c.author_name);
	out->author_email = xstrdup(c.author_email);
	out->authored_s = c.author_s;
	repo_commit_release(&c);
	return 0;
}

/* Say how base and head are related when it isn't the usual way. */
static int relate(const struct repo *repo, struct submit *s, struct err *err)
{
	char mb[REPO_SHA_BYTES];
	int rc;

	if (s->calibrate && strcmp(s->base.sha, s->head.sha) != 0)
		return err_set(err, ERR_USAGE,
			       "a calibration boots one kernel, base and head "
			       "are two");
	if (!strcmp(s->base.sha, s->head.sha)) {
		if (s->calibrate)
			return 0;
		s->note = xstrdup("base and head are the same commit: this "
				  "measures the noise");
		return 0;
	}
	rc = repo_is_ancestor(repo, s->base.sha, s->head.sha, err);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = repo_merge_base(repo, s->base.sha, s->head.sha, mb, err);
	if (rc == ERR_NOTFOUND) {
		s->note = xstrdup("base and head have no common history; they "
				  "are compared, but can't be bisected");
		return 0;
	}
	if (rc)
		return rc;
	free(s->merge_base);
	s->merge_base = xstrdup(mb);
	s->note = xasprintf("base %.12s is no ancestor of head %.12s; they are "
			    "compared anyway, their merge base is %.12s",
			    s->base.sha, s->head.sha, mb);
	return 0;
}

static int read_commits(struct daemon *d, const json_t *r, struct submit *s,
			struct err *err)
{
	const char *base;
	const char *head;
	struct repo *repo;
	int rc = json_need_str(r, "base", &base, err);

	if (!rc)
		rc = json_need_str(r, "head", &head, err);
	if (!rc)
		rc = db_repo_find(d->db, json_opt_str(r, "repo", ""), &s->repo,
				  err);
	if (rc)
		return rc;
	repo = repo_open(s->repo.path, err);
	if (!repo)
		return err ? err_wrap(err, "%s", s->repo.name) : ERR_NOTFOUND;
	rc = read_commit(repo, base, s->repo.id, &s->base, err);
	if (!rc)
		rc = read_commit(repo, head, s->repo.id, &s->head, err);
	if (!rc)
		rc = relate(repo, s, err);
	repo_free(repo);
	return rc;
}

/*
 * What the kernels that are to be built would measure besides the commits.
 * Later fragments win, so that one of them may take a setting back: all are
 * read as one text. One that can't be read is told of when it is needed.
 */
static void lint_fragments(const char *kconfig, json_t *warnings)
{
	struct str all = STR_INIT;

	while (*kconfig) {
		size_t len = strcspn(kconfig, "\n");
		char *path = xstrndup(kconfig, len);

		if (len && *path != '#' &&
		    !file_read(path, FRAGMENT_MAX_BYTES, &all, NULL))
			str_addch(&all, '\n');
		free(path);
		kconfig += len + (kconfig[len] == '\n');
	}
	kconfig_lint(all.p, all.len, warnings);
	str_release(&all);
}

/* Only where kernels are built at all. */
static int lint(struct daemon *d, struct submit *s, struct err *err)
{
	struct db_box box;
	int rc = db_box_get(d->db, s->boxes.v[0], &box, err);
	const json_t *boot = json_object_get(box.spec, "boot");

	if (!rc && strcmp(json_opt_str(boot, "method", "none"), "none") != 0)
		lint_fragments(s->repo.kconfig, s->warnings);
	db_box_release(&box);
	return rc;
}

int submit_read(struct daemon *d, const json_t *request, struct submit *out,
		struct err *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	out->merge_base = xstrdup("");
	out->warnings = json_array();
	rc = read_texts(d, request, out, err);
	if (!rc)
		rc = read_jobs(request, out, err);
	if (!rc)
		rc = read_commits(d, request, out, err);
	if (!rc)
		rc = db_box_choose(d->db, json_opt_str(request, "box", NULL),
				   json_opt_str(request, "tag", NULL),
				   &out->boxes, err);
	if (!rc)
		rc = lint(d, out, err);
	if (!rc && !out->note)
		out->note = xstrdup("");
	return rc;
}
