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

/*
 * Git in the work tree with an index of its own, which keeps the operator's
 * work tree and index out of it.
 */
static int run_git(struct build *b, const char *const *args, struct err *err)
{
	char *index = xasprintf("GIT_INDEX_FILE=%s/index", b->spec.slot_dir);
	char *work = xasprintf("GIT_WORK_TREE=%s", b->src);
	const char *const env[] = { index, work, NULL };
	struct git g = { .repo = b->spec.repo,
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
 * A git that was killed in this slot leaves its lock (we hold the slot), and
 * files of the commit it was going to, which no index knows: a header among
 * them could be taken for one of the next commit. The lock goes last, so that
 * this, too, may be killed.
 */
static int drop_killed_checkout(struct build *b, struct err *err)
{
	static const char outs[] = "/" BUILD_OUT_PREFIX "*";
	static const char *const clean[] = { "clean", "-ffdxq", "-e", outs,
					     NULL };
	char *lock = file_join(b->spec.slot_dir, "index.lock");
	int rc = 0;

	if (file_exists(lock)) {
		rc = run_git(b, clean, err);
		if (!rc && unlink(lock))
			rc = err_errno(err, ERR_IO, "%s", lock);
	}
	free(lock);
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
	/* compares hashes and writes only files that differ: make sees new
	 * times on just those */
	const char *const read_tree[] = { "read-tree", "--reset", "-u",
					  b->spec.tree, NULL };
	int rc;

	task_progress(b->task, "checkout", "%.12s", b->spec.commit);
	rc = file_mkdirs(b->src, DIR_MODE, err);
	if (rc)
		return rc;
	rc = drop_killed_checkout(b, err);
	if (!rc)
		rc = run_git(b, read_tree, err);
	if (rc)
		return err_wrap(err, "checkout of %.12s", b->spec.commit);
	refresh_graph(b);
	return 0;
}
