// SPDX-License-Identifier: GPL-3.0-or-later
// Git's commit-graph file: what stands in it, and files that can't be believed.
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runners/repo_graph.h"
#include "tests/unit/runners/repo_made.h"

#define NR 120

static struct made made;
static char *path;

static int set_up(void **state)
{
	(void)state;
	made_init(&made, NR, 4);
	MADE_GIT(&made, "commit-graph", "write", "--reachable");
	path = file_join(made.dir, "objects/info/commit-graph");
	return chmod(path, 0644);
}

static int tear_down(void **state)
{
	(void)state;
	free(path);
	made_release(&made);
	return 0;
}

/* Parents of c@i by git: "sha sha …". */
static void git_parents(int i, struct str *out)
{
	char name[24];

	(void)snprintf(name, sizeof(name), "c%d^@", i);
	made_git(&made, (const char *const[]){ "rev-parse", name, NULL }, out);
}

static void parents_and_levels_are_git_s(void **state)
{
	struct repo_graph g;
	uint32_t up[8];
	int i;
	int k;

	(void)state;
	assert_int_equal(repo_graph_open(made.dir, &g, NULL), 1);
	assert_int_equal(g.nr, NR);
	for (i = 0; i < NR; i += 7) {
		char sha[REPO_SHA_BYTES];
		struct str want = STR_INIT;
		long pos;
		int nr;

		made_sha(&made, i, sha);
		pos = repo_graph_find(&g, sha);
		assert_true(pos >= 0);
		nr = repo_graph_parents(&g, (uint32_t)pos, up, 8);
		git_parents(i, &want);
		assert_int_equal(want.len, (size_t)nr * REPO_SHA_BYTES);
		for (k = 0; k < nr; k++) {
			char parent[REPO_SHA_BYTES];

			memcpy(parent, want.p + (ptrdiff_t)k * REPO_SHA_BYTES,
			       REPO_SHA_BYTES);
			parent[REPO_SHA_BYTES - 1] = '\0';
			assert_int_equal(repo_graph_find(&g, parent), up[k]);
			assert_true(repo_graph_level(&g, up[k]) <
				    repo_graph_level(&g, (uint32_t)pos));
		}
		str_release(&want);
	}
	assert_int_equal(
		repo_graph_find(&g, "ffffffffffffffffffffffffffffffffffffffff"),
		-1);
	repo_graph_release(&g);
}

static void a_cut_or_patched_history_has_no_graph(void **state)
{
	static const char *const marks[] = { "shallow", "info/grafts" };
	struct repo_graph g;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		char *file = file_join(made.dir, marks[i]);

		assert_int_equal(file_write_atomic(file, "", 0, 0644, NULL), 0);
		assert_int_equal(repo_graph_open(made.dir, &g, NULL), 0);
		unlink(file);
		free(file);
	}
	assert_int_equal(repo_graph_open(made.dir, &g, NULL), 1);
	repo_graph_release(&g);
	assert_int_equal(repo_graph_open("/nonexistent", &g, NULL), 0);
}

/* The good file with @len bytes of @patch at @at, cut to @size bytes. */
static int open_patched(const struct str *good, size_t at, const char *patch,
			size_t len, size_t size, struct err *err)
{
	struct repo_graph g;
	char *bytes = xmalloc(good->len);
	int rc;

	memcpy(bytes, good->p, good->len);
	memcpy(bytes + at, patch, len);
	assert_int_equal(file_write_atomic(path, bytes, size, 0644, NULL), 0);
	free(bytes);
	rc = repo_graph_open(made.dir, &g, err);
	if (rc > 0)
		repo_graph_release(&g);
	return rc;
}

static void damaged_files_are_not_believed(void **state)
{
	struct str good = STR_INIT;
	struct err err = { 0 };
	size_t table;
	size_t i;

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &good, NULL), 0);
	assert_int_equal(open_patched(&good, 0, "X", 1, good.len, &err),
			 ERR_DATA);
	assert_contains(err.text, "not a commit-graph");
	/* a later version, SHA-256 */
	assert_int_equal(open_patched(&good, 4, "\x02", 1, good.len, &err), 0);
	assert_int_equal(open_patched(&good, 5, "\x02", 1, good.len, &err), 0);
	for (i = 0; i < good.len - 20; i += 97)
		assert_true(open_patched(&good, 0, "C", 1, i, &err) <= 0);
	/* a chunk that ends before it begins, or far behind the file */
	for (table = 8 + 4; table < 60; table += 12) {
		assert_true(open_patched(&good, table, "\xff", 1, good.len,
					 &err) < 0);
		assert_true(open_patched(&good, table + 3, "\x7f", 1, good.len,
					 &err) < 0);
	}
	str_release(&good);
}

/* Any byte may be wrong: commits come out or not, but nothing breaks. */
static void every_wrong_byte_is_survived(void **state)
{
	struct str good = STR_INIT;
	struct err err = { 0 };
	char base[REPO_SHA_BYTES];
	char head[REPO_SHA_BYTES];
	struct repo_range range;
	size_t i;

	(void)state;
	made_sha(&made, 2, base);
	made_sha(&made, NR - 1, head);
	MADE_GIT(&made, "commit-graph", "write", "--reachable");
	assert_int_equal(file_read(path, 1 << 20, &good, NULL), 0);
	for (i = 8; i < good.len - 20; i += 53) {
		char wrong = (char)(good.p[i] ^ 0x55);

		open_patched(&good, i, &wrong, 1, good.len, NULL);
		if (!repo_range_read(made.repo, base, head, &range, &err))
			repo_range_release(&range);
	}
	str_release(&good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_and_levels_are_git_s),
		cmocka_unit_test(a_cut_or_patched_history_has_no_graph),
		cmocka_unit_test(damaged_files_are_not_believed),
		cmocka_unit_test(every_wrong_byte_is_survived),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
