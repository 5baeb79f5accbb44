/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kernel repository as the rest of the house sees it: revisions become
 * hashes once, safely; after that only hashes are passed around. Objects, trees
 * and messages come from libgit2; ancestry comes from the git program, which
 * uses commit-graphs and is much faster there.
 */
#ifndef RUNNERS_REPO_H
#define RUNNERS_REPO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define REPO_SHA_BYTES	   41 /* 40 hex digits and a NUL */
#define REPO_RANGE_MAX	   2000000
#define REPO_REV_MAX_BYTES 256

struct repo;

/* Parents of a commit, in order; owned by the struct they are in. */
struct repo_parents {
	char (*v)[REPO_SHA_BYTES];
	size_t nr;
};

/*
 * One commit. Texts are owned, valid UTF-8 (bad bytes became U+FFFD), never
 * NULL, as long as the author made them. Times: seconds since 1970 UTC;
 * @author_offset_min: the author's zone, minutes east of UTC.
 */
struct repo_commit {
	char sha[REPO_SHA_BYTES];
	char tree[REPO_SHA_BYTES];
	struct repo_parents parents;
	char *subject;
	char *message; /* whole, with the subject */
	char *author_name;
	char *author_email;
	long long author_s;
	int author_offset_min;
	long long committer_s;
};

/*
 * One commit of a range with its parents (inside and outside the range), as
 * hashes that the range owns.
 */
struct repo_node {
	const char *sha;
	const char *const *parents;
	size_t nr_parents;
};

/* In the order of git's --topo-order, children first. Owned by the caller. */
struct repo_range {
	struct repo_node *v;
	size_t nr;
	const char **parents; /* what the nodes' parents point into, */
	char *text;	      /* and their hashes */
};

/* Paths relative to the top, in tree order. Owned by the caller. */
struct repo_files {
	char **v;
	size_t nr;
	size_t alloc;
};

/*
 * Open the repository at @path (work tree or bare). Returns NULL with
 * ERR_NOTFOUND or ERR_IO. Owned by the caller (repo_free).
 */
struct repo *repo_open(const char *path, struct err *err);
void repo_free(struct repo *r);
/* The path it was opened by; borrowed. */
const char *repo_path(const struct repo *r);
/* Where its objects are: ".git", also for a linked work tree; borrowed. */
const char *repo_common_dir(const struct repo *r);

/* Whether @text is a full hash: 40 lower-case hex digits. */
bool repo_is_sha(const char *text);

/*
 * The commit that @rev (hash, tag, branch, "HEAD~3") names. @rev is hostile:
 * what looks like an option, has control characters or is a search (":/text")
 * is ERR_USAGE. ERR_NOTFOUND: unknown or ambiguous, with a suggestion.
 */
int repo_resolve(const struct repo *r, const char *rev,
		 char out_sha[REPO_SHA_BYTES], struct err *err);

/* Read the commit @sha (40 hex digits). ERR_NOTFOUND, ERR_DATA. */
int repo_commit_read(const struct repo *r, const char *sha,
		     struct repo_commit *out, struct err *err);
void repo_commit_release(struct repo_commit *c);

/* Best common ancestor of two hashes. ERR_NOTFOUND: unrelated histories. */
int repo_merge_base(const struct repo *r, const char *a, const char *b,
		    char out_sha[REPO_SHA_BYTES], struct err *err);
/* Whether @a is @b or an ancestor of it: 1, 0, or an error. */
int repo_is_ancestor(const struct repo *r, const char *a, const char *b,
		     struct err *err);

/*
 * The commits reachable from @head and not from @base (hashes). Where git's
 * commit-graph file has both ends this takes no process and some 0.2 µs a
 * commit, else git is asked. ERR_LIMIT over REPO_RANGE_MAX commits;
 * ERR_NOTFOUND, ERR_IO.
 */
int repo_range_read(const struct repo *r, const char *base, const char *head,
		    struct repo_range *out, struct err *err);
void repo_range_release(struct repo_range *range);
/*
 * Have git add @sha and its ancestors to its commit-graph where that lacks it,
 * as after a fetch. 0 too where it may not be written; ERR_IO, ERR_TIMEOUT:
 * ranges are read more slowly then, and nothing else.
 */
int repo_graph_refresh(const struct repo *r, const char *sha, struct err *err);

/*
 * The files that @sha changes against its first parent (all files for a root
 * commit); a renamed file counts under both names. ERR_NOTFOUND.
 */
int repo_changed_files(const struct repo *r, const char *sha,
		       struct repo_files *out, struct err *err);
void repo_files_release(struct repo_files *files);

/*
 * Append one file of a commit to @out. ERR_NOTFOUND (no such commit or path,
 * or not a regular file), ERR_LIMIT (over @max_bytes).
 */
int repo_read_file(const struct repo *r, const char *sha, const char *path,
		   size_t max_bytes, struct str *out, struct err *err);

/*
 * Make a commit that is @tip with @culprit reverted on top, without touching
 * any work tree, and keep it reachable as refs/drover/revert/<culprit>/<tip>.
 * The same input gives the same hash. For a merge the first parent is taken as
 * the mainline. ERR_DATA: the revert conflicts with later commits.
 */
int repo_revert(const struct repo *r, const char *tip, const char *culprit,
		char out_sha[REPO_SHA_BYTES], struct err *err);

#endif
