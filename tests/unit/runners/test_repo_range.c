// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges out of the commit-graph file and out of git: the same commits in the
// same order, whatever the file's state.
#include "tests/unit/test.h"

#include "runners/repo_graph.h"
#include "tests/unit/runners/repo_made.h"

#define NR 300

static struct made made;

static int set_up(void **state)
{
	(void)state;
	made_init(&made, NR, 3);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_release(&made);
	return 0;
}

/* A range as git prints it. */
static char *read_range(int base, int head)
{
	struct repo_range range = { .nr = 0 };
	char from[REPO_SHA_BYTES];
	char to[REPO_SHA_BYTES];
	struct str text = STR_INIT;
	struct err err = { 0 };
	size_t i;
	size_t k;

	made_sha(&made, base, from);
	made_sha(&made, head, to);
	if (repo_range_read(made.repo, from, to, &range, &err))
		fail_msg("%s", err.text);
	for (i = 0; i < range.nr; i++) {
		str_add(&text, range.v[i].sha);
		for (k = 0; k < range.v[i].nr_parents; k++)
			str_addf(&text, " %s", range.v[i].parents[k]);
		str_addch(&text, '\n');
	}
	repo_range_release(&range);
	return str_detach(&text);
}

static char *git_range(int base, int head)
{
	char spec[40];
	struct str text = STR_INIT;

	(void)snprintf(spec, sizeof(spec), "c%d..c%d", base, head);
	made_git(&made,
		 (const char *const[]){ "-c", "core.commitGraph=false",
					"rev-list", "--topo-order", "--parents",
					spec, NULL },
		 &text);
	return str_detach(&text);
}

static void compare_ranges(void)
{
	static const int ends[][2] = { { 0, NR - 1 },	   { 0, 1 },
				       { 5, 5 },	   { 290, 10 },
				       { 100, 110 },	   { 40, NR - 1 },
				       { NR - 2, NR - 1 }, { 7, 250 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		char *want = git_range(ends[i][0], ends[i][1]);
		char *got = read_range(ends[i][0], ends[i][1]);

		assert_string_equal(got, want);
		free(want);
		free(got);
	}
}

static bool has_graph(void)
{
	struct repo_graph g;

	if (repo_graph_open(made.dir, &g, NULL) <= 0)
		return false;
	repo_graph_release(&g);
	return true;
}

static void without_a_graph_git_is_asked(void **state)
{
	(void)state;
	assert_false(has_graph());
	compare_ranges();
}

static void the_graph_gives_what_git_gives(void **state)
{
	(void)state;
	MADE_GIT(&made, "commit-graph", "write", "--reachable");
	assert_true(has_graph());
	compare_ranges();
}

static void a_chain_of_graphs_is_one_graph(void **state)
{
	char *single = file_join(made.dir, "objects/info/commit-graph");
	char half[REPO_SHA_BYTES];
	struct repo_graph g;

	(void)state;
	unlink(single);
	free(single);
	made_sha(&made, NR / 2, half);
	MADE_FEED(&made, half, "commit-graph", "write", "--stdin-commits",
		  "--split=no-merge");
	MADE_GIT(&made, "commit-graph", "write", "--reachable",
		 "--split=no-merge");
	assert_int_equal(repo_graph_open(made.dir, &g, NULL), 1);
	assert_int_equal(g.nr_layers, 2);
	assert_int_equal(g.nr, NR);
	repo_graph_release(&g);
	compare_ranges();
}

static void commits_that_the_graph_lacks_are_read_by_git(void **state)
{
	char sha[REPO_SHA_BYTES];
	struct str text = STR_INIT;
	struct repo_graph g;
	struct repo_range range;
	struct err err = { 0 };
	char base[REPO_SHA_BYTES];

	(void)state;
	made_sha(&made, NR - 1, base);
	made_git(&made,
		 (const char *const[]){ "commit-tree", "-p", "c299", "-m",
					"new", "c299^{tree}", NULL },
		 &text);
	str_rtrim(&text);
	memcpy(sha, text.p, REPO_SHA_BYTES);
	assert_int_equal(repo_range_read(made.repo, base, sha, &range, &err),
			 0);
	assert_int_equal(range.nr, 1);
	assert_string_equal(range.v[0].sha, sha);
	assert_string_equal(range.v[0].parents[0], base);
	repo_range_release(&range);
	/* until it is written anew */
	assert_int_equal(repo_graph_refresh(made.repo, sha, &err), 0);
	assert_int_equal(repo_graph_open(made.dir, &g, NULL), 1);
	assert_true(repo_graph_find(&g, sha) >= 0);
	assert_true(repo_graph_find(&g, base) >= 0);
	repo_graph_release(&g);
	str_release(&text);
}

static void unknown_ends_are_named(void **state)
{
	struct repo_range range;
	struct err err = { 0 };
	char sha[REPO_SHA_BYTES];

	(void)state;
	made_sha(&made, 3, sha);
	assert_int_equal(
		repo_range_read(made.repo,
				"00000000000000000000000000000000000000aa", sha,
				&range, &err),
		ERR_NOTFOUND);
	assert_contains(err.text, "00aa");
	assert_int_equal(repo_range_read(made.repo, "c3", sha, &range, &err),
			 ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_graph_git_is_asked),
		cmocka_unit_test(the_graph_gives_what_git_gives),
		cmocka_unit_test(a_chain_of_graphs_is_one_graph),
		cmocka_unit_test(commits_that_the_graph_lacks_are_read_by_git),
		cmocka_unit_test(unknown_ends_are_named),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
