// SPDX-License-Identifier: GPL-3.0-or-later
// The work tree of a build slot: made equal to a commit, touching little.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/build.h"
#include "runners/git.h"

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
	return 0;
}
