// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/flow_range.c on a real repository made for them.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "daemon/flow_private.h"
#include "db/db_plan.h"
#include "db/db_repo.h"
#include "tests/unit/runners/repo_made.h"

#define NR_COMMITS 5

struct lab {
	struct daemon d;
	char dir[32];
	char *repo;
	char sha[NR_COMMITS][REPO_SHA_BYTES];
	struct flow f;
};

static void git(const struct lab *l, const char *const *args, struct str *out)
{
	static const char *const env[] = {
		"PATH=/usr/bin:/bin",	       "GIT_CONFIG_NOSYSTEM=1",
		"HOME=/nonexistent",	       "GIT_AUTHOR_NAME=A",
		"GIT_AUTHOR_EMAIL=a@e.org",    "GIT_COMMITTER_NAME=C",
		"GIT_COMMITTER_EMAIL=c@e.org", NULL
	};
	const char *argv[16] = { "git", "-C", l->repo };
	struct spawn what = { .argv = argv, .env = env };
	struct err err = { 0 };
	int i;

	for (i = 0; args[i]; i++)
		argv[3 + i] = args[i];
	if (spawn_capture(&what, out, NULL, 20000, &err))
		fail_msg("git %s failed", args[0]);
}
#define GIT(l, ...) git((l), (const char *const[]){ __VA_ARGS__, NULL }, NULL)

/* One commit that changes @file (NULL: nothing). */
static void commit(struct lab *l, int nr, const char *file)
{
	struct str out = STR_INIT;
	char *path, *text;

	if (file) {
		path = file_join(l->repo, file);
		text = xasprintf("%d\n", nr);
		assert_int_equal(
			file_write_atomic(path, text, strlen(text), 0644, NULL),
			0);
		free(path);
		free(text);
		GIT(l, "add", "-A");
	}
	GIT(l, "commit", "-q", "--allow-empty", "-m", "subject");
	git(l, (const char *const[]){ "rev-parse", "HEAD", NULL }, &out);
	snprintf(l->sha[nr], REPO_SHA_BYTES, "%.40s", out.p);
	str_release(&out);
}

/* A done artifact of that commit, with its list of sources. */
static long long add_kernel(struct lab *l, int nr, const char *sources)
{
	struct db_commit c = { .repo_id = 1,
			       .sha = l->sha[nr],
			       .tree = l->sha[nr],
			       .subject = (char *)"s",
			       .author_name = (char *)"a",
			       .author_email = (char *)"e" };
	char *dir = xasprintf("%s/kernel%d", l->dir, nr);
	struct db_artifact a = { .key = (char *)"k", .build_id = (char *)"b" };
	char *list = file_join(dir, "sources");
	long long id = 0;

	assert_int_equal(db_commit_put(l->d.db, &c, &id, NULL), 0);
	assert_int_equal(db_artifact_want(l->d.db, id, 0, &a.id, NULL), 0);
	a.kernel_path = file_join(dir, "bzImage");
	assert_int_equal(db_artifact_done(l->d.db, &a, NULL), 0);
	assert_int_equal(file_mkdirs(dir, 0755, NULL), 0);
	if (sources)
		assert_int_equal(file_write_atomic(list, sources,
						   strlen(sources), 0644, NULL),
				 0);
	free(a.kernel_path);
	free(list);
	free(dir);
	return id;
}

static void lab_open(struct lab *l, bool uses_kernel, const char *sources)
{
	struct db_repo repo = { .name = (char *)"tree",
				.url = (char *)"",
				.branch = (char *)"",
				.kconfig = (char *)"" };
	char *db;
	long long base, head;

	memset(l, 0, sizeof(*l));
	snprintf(l->dir, sizeof(l->dir), "/tmp/drover-range-XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	l->repo = file_join(l->dir, "repo");
	assert_int_equal(file_mkdirs(l->repo, 0755, NULL), 0);
	GIT(l, "init", "-q");
	commit(l, 0, "pipe.c");
	commit(l, 1, "pipe.c");
	commit(l, 2, "driver.c");
	commit(l, 3, NULL);
	commit(l, 4, "MAINTAINERS");
	db = file_join(l->dir, "db");
	assert_int_equal(db_open(db, DB_WRITE, &l->d.db, NULL), 0);
	free(db);
	assert_int_equal(db_begin(l->d.db, NULL), 0);
	repo.path = l->repo;
	assert_int_equal(db_repo_put(l->d.db, &repo, &repo.id, NULL), 0);
	base = add_kernel(l, 0, sources);
	head = add_kernel(l, 4, sources);
	l->f = (struct flow){ .d = &l->d, .uses_kernel = uses_kernel };
	l->f.row = json_pack("{s:s, s:s, s:I, s:I}", "base_sha", l->sha[0],
			     "head_sha", l->sha[4], "base_id", (json_int_t)base,
			     "head_id", (json_int_t)head);
}

static void lab_close(struct lab *l)
{
	json_decref(l->f.row);
	db_rollback(l->d.db);
	db_close(&l->d.db);
	free(l->repo);
	file_remove_tree(l->dir, NULL);
}

static bool idle_in(const struct flow_range *r, const char *sha)
{
	size_t i;

	for (i = 0; i < r->nr; i++) {
		if (!strcmp(r->v[i].commit.id, sha))
			return r->v[i].cannot_matter;
	}
	fail_msg("%s isn't in the range", sha);
	return false;
}

static void commits_that_can_not_matter_are_known(void **state)
{
	static const struct {
		bool uses_kernel;
		const char *sources;
		bool idle[NR_COMMITS];
	} rows[] = {
		/* the lists know that driver.c is not compiled */
		{ true, "pipe.c\n", { false, false, true, true, true } },
		/* without them only documents are sure not to matter */
		{ true, NULL, { false, false, false, true, true } },
		/* a program is built from who knows what */
		{ false, "pipe.c\n", { false, false, false, true, false } },
	};
	size_t i;
	int c;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct flow_range r;
		struct repo *repo;
		struct lab l;

		lab_open(&l, rows[i].uses_kernel, rows[i].sources);
		repo = repo_open(l.repo, &err);
		assert_non_null(repo);
		if (flow_range_load(repo, &l.f, &r, &err))
			fail_msg("%s", err.text);
		assert_int_equal(r.nr, NR_COMMITS);
		assert_string_equal(r.v[0].commit.id, l.sha[0]);
		for (c = 0; c < NR_COMMITS; c++)
			assert_int_equal(idle_in(&r, l.sha[c]),
					 rows[i].idle[c]);
		assert_int_equal(json_array_size(r.info), NR_COMMITS);
		flow_range_release(&r);
		repo_free(repo);
		lab_close(&l);
	}
}

/* Whoever shows one of its commits reads that subject by then. */
static void a_long_range_is_read_without_subjects(void **state)
{
	char base[REPO_SHA_BYTES];
	char head[REPO_SHA_BYTES];
	struct err err = { 0 };
	struct flow_range r;
	struct flow f = { 0 };
	struct made m;
	json_t *row;

	(void)state;
	made_init(&m, 8000, 5);
	made_sha(&m, 0, base);
	made_sha(&m, 7999, head);
	f.row = json_pack("{s:s, s:s, s:s}", "base_sha", base, "head_sha", head,
			  "repo_path", m.dir);
	if (flow_range_load(m.repo, &f, &r, &err))
		fail_msg("%s", err.text);
	assert_true(r.nr > 1001);
	assert_int_equal(json_array_size(r.info), 1);
	assert_string_equal(r.v[0].commit.id, base);
	assert_string_equal(r.v[1].commit.id, head);
	row = json_pack("{s:{s:O}}", "start", "commits", r.info);
	assert_string_equal(flow_subject(&f, row, base), "c0");
	assert_string_equal(flow_subject(&f, row, head), "c7999");
	assert_ptr_equal(flow_subject(&f, row, head),
			 flow_subject(&f, row, head));
	assert_string_equal(flow_subject(&f, row, "nonsense"), "");
	json_decref(row);
	flow_range_release(&r);
	json_decref(f.row);
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_that_can_not_matter_are_known),
		cmocka_unit_test(a_long_range_is_read_without_subjects),
	};

	return RUN_TESTS(tests);
}
