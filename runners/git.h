/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calling the git program on a repository that others write to: no hooks, no
 * prompts, no pager, no replaced objects, nothing of the user's configuration.
 * The repository is one that the operator named in the settings, so its owner
 * is not questioned (safe.directory).
 */
#ifndef RUNNERS_GIT_H
#define RUNNERS_GIT_H

#include "base/err.h"
#include "base/str.h"

/*
 * One call. @repo: work tree or bare repository; @args: after "git", ended by
 * NULL; @env: more variables "K=V", ended by NULL, or NULL; @input: for its
 * standard input, or NULL. The caller puts "--end-of-options" in front of
 * whatever came from outside.
 */
struct git {
	const char *repo;
	const char *const *args;
	const char *const *env;
	const char *input;
	long timeout_ms;
};

/*
 * Run it: exit status 0..255, ERR_IO (git can't be run), ERR_TIMEOUT. Both
 * outputs are appended to; NULL discards.
 */
int git_run(const struct git *g, struct str *out, struct str *errout,
	    struct err *err);

/*
 * Run it and take any exit status but 0 as ERR_IO, with the first line that
 * git complained with.
 */
int git_output(const struct git *g, struct str *out, struct err *err);

/* What git said, without "fatal: " in front; borrowed, @errout is cut. */
const char *git_complaint(struct str *errout);

#endif
