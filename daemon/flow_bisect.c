// SPDX-License-Identifier: GPL-3.0-or-later
// A bisection that is there: row and engine, and its commits.
#include <string.h>

#include "daemon/flow_private.h"
#include "db/db_flow_bisect.h"
#include "db/db_repo.h"

int flow_bisect_open(const struct flow *f, struct flow_bisect *out,
		     struct err *err)
{
	struct flow_bisect b = { .f = f };
	struct err e = { 0 };

	b.row = db_bisect_of(f->d->db, f->id, &e);
	if (!b.row) {
		if (e.code == ERR_NOTFOUND)
			return err_set(err, ERR_NOTFOUND,
				       "comparison %lld has no bisection",
				       f->id);
		if (err)
			*err = e;
		return e.code;
	}
	b.id = json_opt_int(b.row, "id", 0);
	b.start = json_object_get(b.row, "start");
	b.boxes = json_object_get(b.start, "boxes");
	b.engine = bisect_from_json(json_object_get(b.row, "engine"), &e);
	if (!b.engine) {
		json_decref(b.row);
		return err_set(err, e.code, "bisection %lld: %s", b.id, e.text);
	}
	*out = b;
	return 0;
}

void flow_bisect_close(struct flow_bisect *b)
{
	bisect_free(b->engine);
	json_decref(b->row);
	b->engine = NULL;
	b->row = NULL;
}

/* As the start knew it, for all commits but those of a long range. */
static const char *stored_subject(const json_t *row, const char *sha)
{
	const json_t *commits =
		json_object_get(json_object_get(row, "start"), "commits");
	const json_t *c;
	size_t i;

	json_array_foreach(commits, i, c)
	{
		if (!strcmp(json_opt_str(c, "sha", ""), sha))
			return json_opt_str(c, "subject", "");
	}
	return json_opt_str(json_object_get(row, "subjects"), sha, NULL);
}

static json_t *read_subject(const struct flow *f, const char *sha)
{
	struct repo *repo = repo_open(flow_text(f, "repo_path"), NULL);
	struct repo_commit c = { 0 };
	json_t *subject = NULL;

	if (repo && !repo_commit_read(repo, sha, &c, NULL))
		subject = json_text(c.subject, strlen(c.subject));
	repo_commit_release(&c);
	repo_free(repo);
	return subject ? subject : json_string("");
}

const char *flow_subject(const struct flow *f, json_t *row, const char *sha)
{
	const char *subject = stored_subject(row, sha);

	if (subject)
		return subject;
	if (!json_object_get(row, "subjects"))
		json_object_set_new(row, "subjects", json_object());
	json_object_set_new(json_object_get(row, "subjects"), sha,
			    read_subject(f, sha));
	return stored_subject(row, sha);
}

const char *flow_bisect_subject(const struct flow_bisect *b, const char *sha)
{
	return flow_subject(b->f, b->row, sha);
}

int flow_commit_id(const struct flow *f, const struct repo *repo,
		   const char *sha, long long *out, struct err *err)
{
	struct repo_commit c = { 0 };
	struct db_commit row;
	int rc = repo_commit_read(repo, sha, &c, err);

	if (rc)
		return rc;
	row = (struct db_commit){ .repo_id = flow_int(f, "repo_id"),
				  .authored_s = c.author_s,
				  .sha = c.sha,
				  .tree = c.tree,
				  .subject = c.subject,
				  .author_name = c.author_name,
				  .author_email = c.author_email };
	rc = db_commit_put(f->d->db, &row, out, err);
	repo_commit_release(&c);
	return rc;
}

/* What head was merged into is measured as head, whose kernel is there. */
int flow_bisect_commit(const struct flow_bisect *b, const struct repo *repo,
		       const char *sha, long long *out, struct err *err)
{
	const struct history *h = bisect_history(b->engine);

	if (strcmp(sha, history_id(h, history_nr(h) - 1)) != 0)
		return flow_commit_id(b->f, repo, sha, out, err);
	*out = flow_int(b->f, "head_id");
	return 0;
}
