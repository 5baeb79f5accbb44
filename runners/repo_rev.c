// SPDX-License-Identifier: GPL-3.0-or-later
// Revisions and ancestry of a repository, through the git program.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/git.h"
#include "runners/repo.h"
#include "runners/repo_graph.h"

#define GIT_TIMEOUT_MS	 120000
#define GRAPH_TIMEOUT_MS 600000
#define ERRORS_MAX_BYTES 8192
#define REFS_MAX_BYTES	 ((size_t)1 << 20)
#define REFS_MAX	 2000

/* Run git with @args: exit status or an error, as git_run. */
static int run(const struct repo *r, const char *const *args, struct str *out,
	       struct str *errout, struct err *err)
{
	struct git g = { .repo = repo_path(r),
			 .args = args,
			 .timeout_ms = GIT_TIMEOUT_MS };

	return git_run(&g, out, errout, err);
}

/* Only forms that name one commit cheaply and can't be taken for an option. */
static int check_rev(const char *rev, struct err *err)
{
	const unsigned char *p;

	if (!*rev || strlen(rev) > REPO_REV_MAX_BYTES)
		return err_set(err, ERR_USAGE,
			       "a revision has 1 to %d characters",
			       REPO_REV_MAX_BYTES);
	for (p = (const unsigned char *)rev; *p; p++)
		if (*p <= ' ' || *p == 0x7f || *p == ':')
			return err_set(err, ERR_USAGE,
				       "\"%s\" is not a revision: blanks, "
				       "control characters and ':' have no "
				       "place in one",
				       rev);
	if (*rev == '-' || strstr(rev, "..") || strstr(rev, "^{/"))
		return err_set(err, ERR_USAGE,
			       "\"%s\" is not a revision: give one hash, tag "
			       "or branch",
			       rev);
	return 0;
}

/* A branch or tag like @rev, owned by the caller, or NULL. */
static char *similar_ref(const struct repo *r, const char *rev)
{
	const char *const args[] = {
		"for-each-ref", "--count=2000", "--format=%(refname:short)",
		"refs/heads",	"refs/tags",	NULL
	};
	const char *names[REFS_MAX];
	struct str text = STR_INIT;
	const char *best = NULL;
	char *save = NULL;
	char *name;
	size_t nr = 0;

	text.max_bytes = REFS_MAX_BYTES;
	if (!run(r, args, &text, NULL, NULL))
		for (name = strtok_r(text.p, "\n", &save);
		     name && nr < REFS_MAX; name = strtok_r(NULL, "\n", &save))
			names[nr++] = name;
	if (nr)
		best = str_suggest(rev, names, nr);
	name = best ? xstrdup(best) : NULL;
	str_release(&text);
	return name;
}

static int unknown_rev(const struct repo *r, const char *rev,
		       const char *complaint, struct err *err)
{
	char *like = similar_ref(r, rev);
	int rc;

	if (strstr(complaint, "ambiguous"))
		rc = err_set(err, ERR_NOTFOUND,
			     "commit \"%s\" in %s is ambiguous: give more "
			     "digits",
			     rev, repo_path(r));
	else if (like)
		rc = err_set(err, ERR_NOTFOUND,
			     "unknown commit \"%s\" in %s: did you mean %s? "
			     "Else fetch it first or check the spelling",
			     rev, repo_path(r), like);
	else
		rc = err_set(err, ERR_NOTFOUND,
			     "unknown commit \"%s\" in %s: fetch it first or "
			     "check the spelling",
			     rev, repo_path(r));
	free(like);
	return rc;
}

/* Take the one hash in @text. */
static int take_sha(struct str *text, char out_sha[REPO_SHA_BYTES],
		    struct err *err)
{
	str_rtrim(text);
	if (!repo_is_sha(text->p))
		return err_set(err, ERR_IO, "git gave \"%.60s\", not a hash",
			       text->p);
	memcpy(out_sha, text->p, REPO_SHA_BYTES);
	return 0;
}

int repo_resolve(const struct repo *r, const char *rev,
		 char out_sha[REPO_SHA_BYTES], struct err *err)
{
	struct str errout = STR_INIT;
	struct str out = STR_INIT;
	char *spec;
	int rc;

	rc = check_rev(rev, err);
	if (rc)
		return rc;
	spec = xasprintf("%s^{commit}", rev);
	errout.max_bytes = ERRORS_MAX_BYTES;
	rc = run(r,
		 (const char *const[]){ "rev-parse", "--verify",
					"--end-of-options", spec, NULL },
		 &out, &errout, err);
	if (rc > 0)
		rc = unknown_rev(r, rev, errout.p, err);
	else if (!rc)
		rc = take_sha(&out, out_sha, err);
	free(spec);
	str_release(&out);
	str_release(&errout);
	return rc;
}

int repo_merge_base(const struct repo *r, const char *a, const char *b,
		    char out_sha[REPO_SHA_BYTES], struct err *err)
{
	struct str errout = STR_INIT;
	struct str out = STR_INIT;
	int rc;

	errout.max_bytes = ERRORS_MAX_BYTES;
	rc = run(r,
		 (const char *const[]){ "merge-base", "--end-of-options", a, b,
					NULL },
		 &out, &errout, err);
	if (rc == 1)
		rc = err_set(err, ERR_NOTFOUND,
			     "%.12s and %.12s have no common ancestor in %s", a,
			     b, repo_path(r));
	else if (rc > 0)
		rc = err_set(err, ERR_NOTFOUND, "merge base in %s: %s",
			     repo_path(r), git_complaint(&errout));
	else if (!rc)
		rc = take_sha(&out, out_sha, err);
	str_release(&out);
	str_release(&errout);
	return rc;
}

int repo_is_ancestor(const struct repo *r, const char *a, const char *b,
		     struct err *err)
{
	struct str errout = STR_INIT;
	int rc;

	errout.max_bytes = ERRORS_MAX_BYTES;
	rc = run(r,
		 (const char *const[]){ "merge-base", "--is-ancestor",
					"--end-of-options", a, b, NULL },
		 NULL, &errout, err);
	if (rc > 1)
		rc = err_set(err, ERR_NOTFOUND, "ancestry in %s: %s",
			     repo_path(r), git_complaint(&errout));
	else if (rc >= 0)
		rc = !rc;
	str_release(&errout);
	return rc;
}

static bool graph_has(const char *dir, const char *sha)
{
	struct repo_graph g;
	bool has;

	if (repo_graph_open(dir, &g, NULL) <= 0)
		return false;
	has = repo_graph_find(&g, sha) >= 0;
	repo_graph_release(&g);
	return has;
}

int repo_graph_refresh(const struct repo *r, const char *sha, struct err *err)
{
	static const char *const args[] = { "commit-graph",    "write",
					    "--stdin-commits", "--append",
					    "--no-progress",   NULL };
	char *info = file_join(repo_common_dir(r), "objects/info");
	char *input = xasprintf("%s\n", sha);
	struct git g = { .repo = repo_path(r),
			 .args = args,
			 .input = input,
			 .timeout_ms = GRAPH_TIMEOUT_MS };
	int rc = 0;

	if (repo_is_sha(sha) && !access(info, W_OK) &&
	    !graph_has(repo_common_dir(r), sha))
		rc = git_output(&g, NULL, err);
	free(input);
	free(info);
	return rc;
}
