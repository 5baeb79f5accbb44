// SPDX-License-Identifier: GPL-3.0-or-later
// Ops box_add, box_list, box_show, box_drain, box_undrain, repo_add, repo_list.
#include <string.h>

#include "base/mem.h"
#include "daemon/ops.h"
#include "daemon/setup.h"
#include "db/db_box.h"
#include "db/db_invariant.h"
#include "db/db_repo.h"
#include "runners/repo.h"

#define BOX_COLUMNS                                                          \
	"SELECT name, tbox_group, tags, state, why, spec_json, hw_json, "    \
	"infra_failures, (SELECT count(*) FROM plan WHERE box_id = box.id "  \
	"AND state = 'queued') AS queued, (SELECT a.plan_id FROM attempt a " \
	"WHERE a.box_id = box.id AND a.state = 'leased') AS plan FROM box "

static json_t *box_row(struct client *c, const char *name, struct err *err)
{
	struct db_stmt *q = db_stmt(c->d->db, BOX_COLUMNS "WHERE name = ?");
	json_t *row;

	db_bind_text(q, name);
	row = db_row(q, err);
	return row ? json_pack("{s:o}", "box", row) : NULL;
}

/* Commit or undo, and say that something changed. */
static int finish(struct daemon *d, int rc, struct err *err)
{
	if (!rc)
		rc = db_commit(d->db, err);
	db_rollback(d->db);
	if (!rc)
		daemon_changed(d);
	return rc;
}

/* A box of that name may only be replaced when that was asked for. */
static int check_new(struct client *c, const json_t *request,
		     const json_t *spec, struct err *err)
{
	const char *name = json_opt_str(spec, "name", "");
	struct db_box box = { 0 };
	int rc;

	if (json_opt_bool(request, "replace", false))
		return 0;
	rc = db_box_find(c->d->db, name, &box, NULL);
	db_box_release(&box);
	if (rc)
		return 0;
	return err_set(err, ERR_EXISTS,
		       "box %s is there already (--replace takes the new one)",
		       name);
}

json_t *op_box_add(struct client *c, const json_t *request, struct err *err)
{
	struct daemon *d = c->d;
	long long id = 0;
	json_t *spec;
	int rc;

	rc = json_need_object(request, "spec", &spec, err);
	if (!rc)
		rc = check_new(c, request, spec, err);
	if (!rc)
		rc = db_begin(d->db, err);
	if (!rc)
		rc = setup_box(d, spec, &id, err);
	if (!rc)
		rc = daemon_event(d, 0, "box", err, "box %s added by uid %u",
				  json_opt_str(spec, "name", ""),
				  (unsigned)c->uid);
	rc = finish(d, rc, err);
	return rc ? NULL : box_row(c, json_opt_str(spec, "name", ""), err);
}

json_t *op_box_list(struct client *c, const json_t *request, struct err *err)
{
	json_t *rows =
		db_rows(db_stmt(c->d->db, BOX_COLUMNS "ORDER BY name"), err);

	(void)request;
	return rows ? json_pack("{s:o}", "boxes", rows) : NULL;
}

static int need_box(struct client *c, const json_t *request, struct db_box *out,
		    struct err *err)
{
	const char *name;
	int rc = json_need_str(request, "box", &name, err);

	*out = (struct db_box){ 0 };
	return rc ? rc : db_box_find(c->d->db, name, out, err);
}

/* The newest calibration for each job, and those under way. */
static int add_calibrations(struct daemon *d, long long box_id, json_t *reply,
			    struct err *err)
{
	json_t *rows = op_calibration_rows(d, box_id, 0, err);

	if (!rows)
		return err ? err->code : ERR_IO;
	json_object_set_new(json_object_get(reply, "box"), "calibrations",
			    rows);
	return 0;
}

json_t *op_box_show(struct client *c, const json_t *request, struct err *err)
{
	struct db_box box;
	json_t *reply = NULL;

	if (!need_box(c, request, &box, err))
		reply = box_row(c, box.name, err);
	if (reply && add_calibrations(c->d, box.id, reply, err)) {
		json_decref(reply);
		reply = NULL;
	}
	db_box_release(&box);
	return reply;
}

static int forget_invariants(struct daemon *d, long long box_id,
			     struct err *err)
{
	json_t *none = json_object();
	int rc = db_invariants_set(d->db, box_id, none, err);

	json_decref(none);
	return rc;
}

/* A run that is going on there ends as it would have. */
static json_t *set_state(struct client *c, const json_t *request,
			 const char *state, struct err *err)
{
	struct daemon *d = c->d;
	json_t *reply = NULL;
	struct db_box box;
	int rc;

	rc = need_box(c, request, &box, err);
	if (!rc)
		rc = db_begin(d->db, err);
	if (!rc)
		rc = db_box_set_state(d->db, box.id, state,
				      json_opt_str(request, "why", ""), err);
	/* who takes a box back takes it as it is now */
	if (!rc && !strcmp(state, "ready"))
		rc = forget_invariants(d, box.id, err);
	if (!rc)
		rc = daemon_event(d, 0, "box", err,
				  "box %s set to %s by uid %u", box.name, state,
				  (unsigned)c->uid);
	rc = finish(d, rc, err);
	if (!rc)
		reply = box_row(c, box.name, err);
	db_box_release(&box);
	return reply;
}

json_t *op_box_drain(struct client *c, const json_t *request, struct err *err)
{
	return set_state(c, request, "drained", err);
}

json_t *op_box_undrain(struct client *c, const json_t *request, struct err *err)
{
	return set_state(c, request, "ready", err);
}

/* [a-z0-9][a-z0-9._-]* as in the settings: it becomes part of paths. */
static int check_name(const char *name, struct err *err)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	if (*name && !name[len] && len <= 64 && !strchr("._-", *name))
		return 0;
	return err_set(err, ERR_DATA,
		       "name: 1 to 64 of a-z, 0-9, '.', '_' and '-', beginning "
		       "with a letter or digit");
}

static char *kconfig_lines(const json_t *list)
{
	struct str lines = STR_INIT;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (json_is_string(item)) str_addf(
		&lines, "%s%s", i ? "\n" : "", json_string_value(item));
	return str_detach(&lines);
}

/* It must be a repository that can be read now. */
static int check_path(const char *path, struct err *err)
{
	struct repo *repo = repo_open(path, err);

	if (!repo)
		return err ? err->code : ERR_NOTFOUND;
	repo_free(repo);
	return 0;
}

static int read_repo(const json_t *r, struct db_repo *out, struct err *err)
{
	const char *name = NULL;
	const char *path = NULL;
	int rc;

	*out = (struct db_repo){ 0 };
	rc = json_need_str(r, "name", &name, err);
	if (!rc)
		rc = json_need_str(r, "path", &path, err);
	if (!rc)
		rc = check_name(name, err);
	if (!rc && *path != '/')
		rc = err_set(err, ERR_DATA, "path: an absolute one");
	if (!rc)
		rc = check_path(path, err);
	if (rc)
		return rc;
	out->name = xstrdup(name);
	out->path = xstrdup(path);
	out->url = xstrdup(json_opt_str(r, "url", ""));
	out->branch = xstrdup(json_opt_str(r, "branch", ""));
	out->kconfig = kconfig_lines(json_object_get(r, "kconfig"));
	return 0;
}

json_t *op_repo_add(struct client *c, const json_t *request, struct err *err)
{
	struct daemon *d = c->d;
	struct db_repo repo;
	int rc;

	rc = read_repo(request, &repo, err);
	if (!rc)
		rc = db_begin(d->db, err);
	if (!rc)
		rc = setup_refresh_repo(d, &repo, err);
	rc = finish(d, rc, err);
	db_repo_release(&repo);
	return rc ? NULL : op_repo_list(c, request, err);
}

json_t *op_repo_list(struct client *c, const json_t *request, struct err *err)
{
	json_t *rows =
		db_rows(db_stmt(c->d->db, "SELECT name, path, url, branch, "
					  "kconfig FROM repo ORDER BY name"),
			err);

	(void)request;
	return rows ? json_pack("{s:o}", "repos", rows) : NULL;
}
