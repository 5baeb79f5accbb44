/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A repository with a drawn history, for tests that read ranges. */
#ifndef TESTS_UNIT_RUNNERS_REPO_MADE_H
#define TESTS_UNIT_RUNNERS_REPO_MADE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/spawn.h"
#include "runners/git.h"
#include "runners/repo.h"

#define MADE_MAX_PARENTS 5

struct made {
	char dir[32];
	int nr; /* commits; tags c0… name them, parents first */
	struct repo *repo;
};

/* Run git in it; fails the test. @out may be NULL. */
static void made_git(const struct made *m, const char *const *args,
		     struct str *out)
{
	struct git g = { .repo = m->dir, .args = args, .timeout_ms = 60000 };
	struct str text = STR_INIT;
	struct err err = { 0 };

	if (git_output(&g, out ? out : &text, &err))
		fail_msg("git %s: %s", args[0], err.text);
	str_release(&text);
}
#define MADE_GIT(m, ...) \
	made_git((m), (const char *const[]){ __VA_ARGS__, NULL }, NULL)

/* The same with something on its standard input; up to 8 arguments. */
static void made_feed(const struct made *m, const char *input,
		      const char *const *args)
{
	const char *argv[12] = { "git", "-C", m->dir };
	struct spawn what = { .argv = argv,
			      .input = input,
			      .input_len = strlen(input) };
	struct str errors = STR_INIT;
	struct err err = { 0 };
	int i;

	for (i = 0; args[i] && i < 8; i++)
		argv[3 + i] = args[i];
	if (spawn_capture(&what, NULL, &errors, 60000, &err))
		fail_msg("git %s: %s", args[0], errors.p);
	str_release(&errors);
}
#define MADE_FEED(m, input, ...) \
	made_feed((m), (input), (const char *const[]){ __VA_ARGS__, NULL })

/* Up to five parents, most of them near, one in four commits a merge; the
 * subject is the tag. */
static void made_stream(int nr, struct rand *r, struct str *out)
{
	int i;
	int k;

	for (i = 0; i < nr; i++) {
		int up = rand_below(r, 4)
				 ? 1
				 : 2 + (int)rand_below(r, MADE_MAX_PARENTS - 1);
		int last = i;

		str_addf(out,
			 "commit refs/tags/c%d\nmark :%d\n"
			 "committer T <t@example.org> %d +0000\n"
			 "data <<.\nc%d\n.\n",
			 i, i + 1, 1000000000 + i, i);
		for (k = 0; k < up && last > 0; k++) {
			last -= 1 + (int)rand_below(r, last > 9 ? 9 : 1);
			str_addf(out, "%s :%d\n", k ? "merge" : "from",
				 last + 1);
		}
	}
	str_add(out, "done\n");
}

static void made_init(struct made *m, int nr, uint64_t seed)
{
	struct str stream = STR_INIT;
	struct err err = { 0 };
	struct rand r;

	m->nr = nr;
	(void)snprintf(m->dir, sizeof(m->dir), "/tmp/drover-made-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	MADE_GIT(m, "init", "-q", "--bare", "-b", "main");
	rand_seed(&r, seed);
	made_stream(nr, &r, &stream);
	MADE_FEED(m, stream.p, "fast-import", "--quiet", "--done");
	str_release(&stream);
	m->repo = repo_open(m->dir, &err);
	assert_non_null(m->repo);
}

static void made_release(struct made *m)
{
	repo_free(m->repo);
	file_remove_tree(m->dir, NULL);
}

static void made_sha(const struct made *m, int i, char out[REPO_SHA_BYTES])
{
	struct err err = { 0 };
	char name[16];

	(void)snprintf(name, sizeof(name), "c%d", i);
	if (repo_resolve(m->repo, name, out, &err))
		fail_msg("%s", err.text);
}

#endif
