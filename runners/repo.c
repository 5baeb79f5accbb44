// SPDX-License-Identifier: GPL-3.0-or-later
// Objects of a repository: commits, changed files, file contents, reverts.
#include "runners/repo.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

struct repo {
	char *path;
	git_repository *git;
};

/* libgit2's sentence about its last failure. */
static int git_err(struct err *err, int code, const char *what)
{
	const git_error *e = git_error_last();

	return err_set(err, code, "%s: %s", what,
		       e && e->message ? e->message : "unknown reason");
}

/* Once and for all: each start reads the certificates of TLS anew, 6 ms. */
static void start_libgit2(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	git_libgit2_init();
	/* the operator named the repositories: no owner is questioned */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
}

struct repo *repo_open(const char *path, struct err *err)
{
	struct repo *r;

	if (!file_is_dir(path)) {
		err_set(err, ERR_NOTFOUND, "repository %s: no such folder",
			path);
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->path = xstrdup(path);
	start_libgit2();
	if (git_repository_open(&r->git, path)) {
		git_err(err, ERR_NOTFOUND, path);
		err_wrap(err, "repository");
		repo_free(r);
		return NULL;
	}
	return r;
}

void repo_free(struct repo *r)
{
	if (!r)
		return;
	git_repository_free(r->git);
	free(r->path);
	free(r);
}

const char *repo_path(const struct repo *r)
{
	return r->path;
}

const char *repo_common_dir(const struct repo *r)
{
	return git_repository_commondir(r->git);
}

bool repo_is_sha(const char *text)
{
	int i;

	for (i = 0; i < REPO_SHA_BYTES - 1; i++)
		if (!((text[i] >= '0' && text[i] <= '9') ||
		      (text[i] >= 'a' && text[i] <= 'f')))
			return false;
	return !text[i];
}

/* The commit object of a hash; freed by the caller. */
static int find_commit(const struct repo *r, const char *sha, git_commit **out,
		       struct err *err)
{
	git_oid oid;

	if (!repo_is_sha(sha) || git_oid_fromstr(&oid, sha))
		return err_set(err, ERR_USAGE,
			       "\"%s\" is not a full commit hash", sha);
	if (git_commit_lookup(out, r->git, &oid))
		return err_set(err, ERR_NOTFOUND,
			       "unknown commit \"%s\" in %s: fetch it first",
			       sha, r->path);
	return 0;
}

/* Valid UTF-8 out of whatever stands in a commit; owned by the caller. */
static char *clean_text(const char *text)
{
	json_t *v = json_text(text ? text : "", text ? strlen(text) : 0);
	char *copy = xstrdup(json_string_value(v));

	json_decref(v);
	return copy;
}

int repo_commit_read(const struct repo *r, const char *sha,
		     struct repo_commit *out, struct err *err)
{
	struct repo_commit c = { .parents = { NULL, 0 } };
	const git_signature *author;
	git_commit *commit = NULL;
	size_t i;
	int rc;

	rc = find_commit(r, sha, &commit, err);
	if (rc)
		return rc;
	author = git_commit_author(commit);
	git_oid_tostr(c.sha, sizeof(c.sha), git_commit_id(commit));
	git_oid_tostr(c.tree, sizeof(c.tree), git_commit_tree_id(commit));
	c.parents.nr = git_commit_parentcount(commit);
	c.parents.v = xcalloc(c.parents.nr + 1, sizeof(*c.parents.v));
	for (i = 0; i < c.parents.nr; i++)
		git_oid_tostr(c.parents.v[i], REPO_SHA_BYTES,
			      git_commit_parent_id(commit, (unsigned int)i));
	c.subject = clean_text(git_commit_summary(commit));
	c.message = clean_text(git_commit_message(commit));
	c.author_name = clean_text(author->name);
	c.author_email = clean_text(author->email);
	c.author_s = author->when.time;
	c.author_offset_min = author->when.offset;
	c.committer_s = git_commit_time(commit);
	git_commit_free(commit);
	*out = c;
	return 0;
}

void repo_commit_release(struct repo_commit *c)
{
	free(c->parents.v);
	free(c->subject);
	free(c->message);
	free(c->author_name);
	free(c->author_email);
	memset(c, 0, sizeof(*c));
}

static void add_path(struct repo_files *files, const char *path)
{
	VEC_GROW(files->v, files->nr + 1, files->alloc);
	files->v[files->nr++] = clean_text(path);
}

/* A renamed file stands under both names. */
static void add_paths(struct repo_files *files, const git_diff *diff)
{
	size_t nr = git_diff_num_deltas(diff);
	size_t i;

	for (i = 0; i < nr; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);
		const char *before = d->old_file.path;
		const char *after = d->new_file.path;

		if (before)
			add_path(files, before);
		if (after && (!before || strcmp(before, after) != 0))
			add_path(files, after);
	}
}

/* Trees are compared by their hashes, so only what differs is read. */
static int diff_to_parent(const struct repo *r, git_commit *commit,
			  struct repo_files *files, struct err *err)
{
	git_diff_options options;
	git_commit *parent = NULL;
	git_tree *before = NULL;
	git_tree *after = NULL;
	git_diff *diff = NULL;
	int failed;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_SKIP_BINARY_CHECK;
	failed = git_commit_tree(&after, commit);
	if (!failed && git_commit_parentcount(commit))
		failed = git_commit_parent(&parent, commit, 0) ||
			 git_commit_tree(&before, parent);
	if (!failed)
		failed = git_diff_tree_to_tree(&diff, r->git, before, after,
					       &options);
	if (!failed)
		add_paths(files, diff);
	git_diff_free(diff);
	git_tree_free(before);
	git_tree_free(after);
	git_commit_free(parent);
	return failed ? git_err(err, ERR_DATA, r->path) : 0;
}

int repo_changed_files(const struct repo *r, const char *sha,
		       struct repo_files *out, struct err *err)
{
	struct repo_files files = { NULL, 0, 0 };
	git_commit *commit = NULL;
	int rc;

	rc = find_commit(r, sha, &commit, err);
	if (!rc)
		rc = diff_to_parent(r, commit, &files, err);
	git_commit_free(commit);
	if (rc)
		repo_files_release(&files);
	else
		*out = files;
	return rc;
}

void repo_files_release(struct repo_files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		free(files->v[i]);
	free(files->v);
	memset(files, 0, sizeof(*files));
}

static int blob_text(git_blob *blob, size_t max_bytes, const char *path,
		     struct str *out, struct err *err)
{
	if ((size_t)git_blob_rawsize(blob) > max_bytes)
		return err_set(err, ERR_LIMIT, "%s: larger than %zu bytes",
			       path, max_bytes);
	str_addn(out, git_blob_rawcontent(blob),
		 (size_t)git_blob_rawsize(blob));
	return 0;
}

int repo_read_file(const struct repo *r, const char *sha, const char *path,
		   size_t max_bytes, struct str *out, struct err *err)
{
	git_commit *commit = NULL;
	git_tree_entry *entry = NULL;
	git_tree *tree = NULL;
	git_blob *blob = NULL;
	int rc;

	rc = find_commit(r, sha, &commit, err);
	if (rc)
		return rc;
	if (git_commit_tree(&tree, commit) ||
	    git_tree_entry_bypath(&entry, tree, path) ||
	    git_tree_entry_type(entry) != GIT_OBJECT_BLOB ||
	    git_blob_lookup(&blob, r->git, git_tree_entry_id(entry)))
		rc = err_set(err, ERR_NOTFOUND, "%.12s has no file %s", sha,
			     path);
	else
		rc = blob_text(blob, max_bytes, path, out, err);
	git_blob_free(blob);
	git_tree_entry_free(entry);
	git_tree_free(tree);
	git_commit_free(commit);
	return rc;
}

/* The tree of @tip without what @culprit changed. Freed by the caller. */
static int reverted_tree(const struct repo *r, git_commit *tip,
			 git_commit *culprit, git_tree **out, struct err *err)
{
	git_merge_options options;
	unsigned int mainline = git_commit_parentcount(culprit) > 1;
	git_index *index = NULL;
	git_oid oid;
	int rc = 0;

	git_merge_options_init(&options, GIT_MERGE_OPTIONS_VERSION);
	if (git_revert_commit(&index, r->git, culprit, tip, mainline, &options))
		rc = git_err(err, ERR_DATA, "revert");
	else if (git_index_has_conflicts(index))
		rc = err_set(err, ERR_DATA,
			     "the revert conflicts with later commits");
	else if (git_index_write_tree_to(&oid, index, r->git) ||
		 git_tree_lookup(out, r->git, &oid))
		rc = git_err(err, ERR_IO, "write the reverted tree");
	git_index_free(index);
	return rc;
}

/* Author and times are fixed, so that a repeated revert is the same commit. */
static int commit_revert(const struct repo *r, git_commit *tip,
			 git_commit *culprit, git_tree *tree, git_oid *out)
{
	const git_commit *parents[] = { tip };
	const char *subject = git_commit_summary(culprit);
	git_signature *who = NULL;
	char id[REPO_SHA_BYTES];
	char *message;
	int failed;

	git_oid_tostr(id, sizeof(id), git_commit_id(culprit));
	message = xasprintf("Revert \"%s\"\n\nThis reverts commit %s.\n",
			    subject ? subject : "", id);
	failed = git_signature_new(&who, "drover", "drover@localhost",
				   git_commit_time(tip), 0) ||
		 git_commit_create(out, r->git, NULL, who, who, NULL, message,
				   tree, 1, parents);
	git_signature_free(who);
	free(message);
	return failed;
}

static int keep_ref(const struct repo *r, const char *tip, const char *culprit,
		    const git_oid *oid)
{
	char *name = xasprintf("refs/drover/revert/%s/%s", culprit, tip);
	git_reference *ref = NULL;
	int failed = git_reference_create(&ref, r->git, name, oid, 1, NULL);

	git_reference_free(ref);
	free(name);
	return failed;
}

int repo_revert(const struct repo *r, const char *tip, const char *culprit,
		char out_sha[REPO_SHA_BYTES], struct err *err)
{
	git_commit *bad = NULL;
	git_commit *top = NULL;
	git_tree *tree = NULL;
	git_oid oid;
	int rc;

	rc = find_commit(r, tip, &top, err);
	if (!rc)
		rc = find_commit(r, culprit, &bad, err);
	if (!rc)
		rc = reverted_tree(r, top, bad, &tree, err);
	if (!rc && (commit_revert(r, top, bad, tree, &oid) ||
		    keep_ref(r, tip, culprit, &oid)))
		rc = git_err(err, ERR_IO, r->path);
	if (!rc)
		git_oid_tostr(out_sha, REPO_SHA_BYTES, &oid);
	else
		err_wrap(err, "revert of %.12s on %.12s", culprit, tip);
	git_tree_free(tree);
	git_commit_free(bad);
	git_commit_free(top);
	return rc;
}
