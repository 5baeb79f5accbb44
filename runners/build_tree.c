// SPDX-License-Identifier: GPL-3.0-or-later
// The work tree of a build slot: made equal to a commit, touching little.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/build.h"
#include "runners/git.h"
#include "runners/repo.h"

#define DIR_MODE	    0750
#define CHECKOUT_TIMEOUT_MS 600000

/* A git that was killed in this slot leaves its lock; we hold the slot. */
static void drop_stale_lock(const char *slot_dir)
{
	char *path = file_join(slot_dir, "index.lock");

	unlink(path);
	free(path);
}

/*
 * An index of its own keeps the operator's work tree and its index out of it;
 * read-tree compares hashes and writes only files that differ, so make sees
 * new times on just those.
 */
static int read_tree(struct build *b, struct err *err)
{
	const struct build_spec *s = &b->spec;
	char *index = xasprintf("GIT_INDEX_FILE=%s/index", s->slot_dir);
	char *work = xasprintf("GIT_WORK_TREE=%s", b->src);
	const char *const env[] = { index, work, NULL };
	const char *const args[] = { "read-tree", "--reset", "-u", s->tree,
				     NULL };
	struct git g = { .repo = s->repo,
			 .args = args,
			 .env = env,
			 .timeout_ms = CHECKOUT_TIMEOUT_MS };
	struct str out = STR_INIT;
	int rc;

	rc = git_output(&g, &out, err);
	str_release(&out);
	free(index);
	free(work);
	return rc;
}

/*
 * What is built may be bisected next, and the daemon reads a range from the
 * commit-graph at once or from git slowly.
 */
static void refresh_graph(struct build *b)
{
	struct err err = { 0 };
	struct repo *repo = repo_open(b->spec.repo, &err);

	if (!repo || repo_graph_refresh(repo, b->spec.commit, &err))
		task_log(b->task, "commit-graph not written: %s", err.text);
	repo_free(repo);
}

int build_checkout(struct build *b, struct err *err)
{
	int rc;

	task_progress(b->task, "checkout", "%.12s", b->spec.commit);
	rc = file_mkdirs(b->src, DIR_MODE, err);
	if (rc)
		return rc;
	drop_stale_lock(b->spec.slot_dir);
	rc = read_tree(b, err);
	if (rc)
		return err_wrap(err, "checkout of %.12s", b->spec.commit);
	refresh_graph(b);
	return 0;
}
