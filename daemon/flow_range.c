// SPDX-License-Identifier: GPL-3.0-or-later
// The commits between base and head as the bisection engine wants them.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_plan.h"
#include "runners/build_sources.h"

/* Beyond this many commits nobody looks into each one before testing, and their
 * subjects are read as they are needed. */
#define LOOK_INTO_MAX 1000

bool flow_range_file_matters(const char *path)
{
	static const char *const idle[] = {
		"Documentation/",   "LICENSES/",     "samples/",
		"tools/testing/",   "tools/perf/",   "MAINTAINERS",
		"CREDITS",	    "COPYING",	     ".mailmap",
		".gitignore",	    ".clang-format", "README",
		"tools/power/x86/", "rust/doc"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(idle); i++) {
		if (str_starts(path, idle[i]))
			return false;
	}
	return !str_ends(path, ".rst") && !str_ends(path, "/.gitignore");
}

/*
 * What the kernels of the two ends were made of, by their artifacts' lists; a
 * file may have come into the build between them, so both are asked.
 */
struct range_sources {
	struct build_sources v[2];
	bool known;
};

/* The list beside the kernel of a commit as configured. */
static bool read_sources(const struct flow *f, long long commit_id,
			 struct build_sources *out)
{
	struct db_artifact a = { 0 };
	long long id = 0;
	char *slash, *path;
	bool ok = false;

	if (db_artifact_want(f->d->db, commit_id, 0, &id, NULL) ||
	    db_artifact_get(f->d->db, id, &a, NULL))
		return false;
	slash = strrchr(a.kernel_path, '/');
	if (slash) {
		*slash = '\0';
		path = file_join(a.kernel_path, "sources");
		ok = !build_sources_read(path, out, NULL) && out->nr;
		free(path);
	}
	db_artifact_release(&a);
	return ok;
}

static void sources_load(const struct flow *f, struct range_sources *out)
{
	*out = (struct range_sources){ 0 };
	out->known = f->uses_kernel &&
		     read_sources(f, flow_int(f, "base_id"), &out->v[0]) &&
		     read_sources(f, flow_int(f, "head_id"), &out->v[1]);
}

static void sources_release(struct range_sources *s)
{
	build_sources_release(&s->v[0]);
	build_sources_release(&s->v[1]);
}

static bool file_matters(const struct flow *f, const struct range_sources *s,
			 const char *path)
{
	if (!f->uses_kernel)
		return true;
	if (!s->known)
		return flow_range_file_matters(path);
	return build_sources_matter(&s->v[0], path) ||
	       build_sources_matter(&s->v[1], path);
}

/*
 * Whether the commit makes the same kernel as its first parent: it changes no
 * file against it, or, for kernels, only files that no build reads. For a merge
 * that rules out what it brought in, too (analysis/bisect_merge.h).
 */
static bool is_idle(const struct repo *repo, const struct flow *f,
		    const struct range_sources *s, const struct repo_node *node)
{
	struct repo_files files = { 0 };
	bool idle = node->nr_parents &&
		    !repo_changed_files(repo, node->sha, &files, NULL);
	size_t i;

	for (i = 0; idle && i < files.nr; i++)
		idle = !file_matters(f, s, files.v[i]);
	repo_files_release(&files);
	return idle;
}

static int add_info(const struct repo *repo, const char *sha, bool idle,
		    json_t *list, struct err *err)
{
	struct repo_commit c = { 0 };
	int rc = repo_commit_read(repo, sha, &c, err);

	if (rc)
		return rc;
	json_array_append_new(
		list, json_pack("{s:s, s:o, s:f, s:b}", "sha", sha, "subject",
				json_text(c.subject, strlen(c.subject)),
				"weight", 1.0, "idle", idle));
	repo_commit_release(&c);
	return 0;
}

static int fill(const struct repo *repo, const struct flow *f,
		struct flow_range *r, struct err *err)
{
	const char *base = flow_text(f, "base_sha");
	bool look_into = r->nodes.nr <= LOOK_INTO_MAX;
	struct range_sources sources = { 0 };
	size_t i;
	int rc;

	r->v = xcalloc(r->nodes.nr + 1, sizeof(*r->v));
	r->v[r->nr++] = (struct bisect_commit){ { base, NULL, 0 }, 1, false };
	rc = add_info(repo, base, false, r->info, err);
	if (look_into)
		sources_load(f, &sources);
	for (i = 0; !rc && i < r->nodes.nr; i++) {
		const struct repo_node *node = &r->nodes.v[i];
		bool idle = look_into && is_idle(repo, f, &sources, node);

		r->v[r->nr++] = (struct bisect_commit){
			{ node->sha, node->parents, node->nr_parents }, 1, idle
		};
		if (look_into)
			rc = add_info(repo, node->sha, idle, r->info, err);
		r->nr_idle += idle;
	}
	sources_release(&sources);
	return rc;
}

int flow_range_load(const struct repo *repo, const struct flow *f,
		    struct flow_range *out, struct err *err)
{
	struct flow_range r = { 0 };
	int rc;

	rc = repo_range_read(repo, flow_text(f, "base_sha"),
			     flow_text(f, "head_sha"), &r.nodes, err);
	if (rc)
		return rc;
	r.info = json_array();
	rc = fill(repo, f, &r, err);
	if (rc)
		flow_range_release(&r);
	else
		*out = r;
	return rc;
}

void flow_range_release(struct flow_range *r)
{
	repo_range_release(&r->nodes);
	free(r->v);
	json_decref(r->info);
	*r = (struct flow_range){ 0 };
}
