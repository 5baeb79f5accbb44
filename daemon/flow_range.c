// SPDX-License-Identifier: GPL-3.0-or-later
// The commits between base and head as the bisection engine wants them.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_private.h"

/* Beyond this many commits nobody looks into each one before testing. */
#define LOOK_INTO_MAX 4000

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
 * Whether the commit's own change can't be felt: no file, or, for kernels, only
 * files that no build compiles. A merge is never proven idle this way.
 */
static bool is_idle(const struct repo *repo, const struct repo_node *node,
		    bool kernel)
{
	struct repo_files files = { 0 };
	bool idle = node->parents.nr == 1 &&
		    !repo_changed_files(repo, node->sha, &files, NULL);
	size_t i;

	for (i = 0; idle && i < files.nr; i++)
		idle = kernel && !flow_range_file_matters(files.v[i]);
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

static void add_commit(struct flow_range *r, const struct repo_node *node,
		       const char **parents, bool idle)
{
	struct bisect_commit *c = &r->v[r->nr++];
	size_t i;

	for (i = 0; i < node->parents.nr; i++)
		parents[i] = node->parents.v[i];
	c->commit.id = node->sha;
	c->commit.parents = parents;
	c->commit.nr_parents = node->parents.nr;
	c->weight = 1;
	c->cannot_matter = idle;
}

static int fill(const struct repo *repo, const struct flow *f,
		struct flow_range *r, struct err *err)
{
	const char *base = flow_text(f, "base_sha");
	bool look_into = r->nodes.nr <= LOOK_INTO_MAX;
	size_t nr_parents = 0;
	size_t i;
	int rc;

	for (i = 0; i < r->nodes.nr; i++)
		nr_parents += r->nodes.v[i].parents.nr;
	r->v = xcalloc(r->nodes.nr + 1, sizeof(*r->v));
	r->parents = xcalloc(nr_parents + 1, sizeof(*r->parents));
	r->v[r->nr++] = (struct bisect_commit){ { base, NULL, 0 }, 1, false };
	rc = add_info(repo, base, false, r->info, err);
	nr_parents = 0;
	for (i = 0; !rc && i < r->nodes.nr; i++) {
		const struct repo_node *node = &r->nodes.v[i];
		bool idle = look_into && is_idle(repo, node, f->uses_kernel);

		add_commit(r, node, r->parents + nr_parents, idle);
		nr_parents += node->parents.nr;
		rc = add_info(repo, node->sha, idle, r->info, err);
	}
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
	free(r->parents);
	json_decref(r->info);
	*r = (struct flow_range){ 0 };
}
