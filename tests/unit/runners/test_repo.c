// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/repo.c and runners/repo_rev.c on a small made repository:
//   A - B - C - M - D   (main; M merges X, which forks off B)
//        \- X -/
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/repo.h"

static char top[] = "/tmp/drover-test-repo-XXXXXX";
static struct repo *repo;

static const char script[] =
	"set -e; cd \"$1\"; export GIT_CONFIG_GLOBAL=/dev/null\n"
	"export GIT_AUTHOR_NAME='Ada Tester' GIT_AUTHOR_EMAIL=ada@example.org\n"
	"export GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@example.org\n"
	"export GIT_AUTHOR_DATE='1600000000 +0200'\n"
	"export GIT_COMMITTER_DATE='1600000100 +0000'\n"
	"git init -q -b main .\n"
	"c() { git add -A; git commit -q -m \"$1\"; git tag \"$1\"; }\n"
	"mkdir d; echo one >d/a; echo two >b; c A\n"
	"echo 2 >>b; c B\n"
	"echo three >d/c; c C\n"
	"git checkout -q -b side B; echo x >x; c X\n"
	"git checkout -q main; git merge -q --no-ff -m M side; git tag M\n"
	"git mv d/a d/z; echo four >>b; c D\n"
	"git checkout -q --orphan lone; git commit -q -m lone; git tag lone\n"
	"git checkout -q main\n"
	/* git itself would turn the byte into UTF-8 */
	"bad=$(git cat-file commit HEAD | LC_ALL=C sed 's/^D$/bad "
	"\xff subject\\n\\nbody/' | git hash-object -t commit -w --stdin)\n"
	"git tag bad $bad\n";

static void sha_of(const char *rev, char sha[REPO_SHA_BYTES])
{
	struct err err = { 0 };

	if (repo_resolve(repo, rev, sha, &err))
		fail_msg("%s: %s", rev, err.text);
}

static int set_up(void **state)
{
	const char *const argv[] = { "sh", "-c", script, "sh", top, NULL };
	struct str out = STR_INIT;
	struct err err = { 0 };

	(void)state;
	if (!mkdtemp(top) || spawn_output(argv, NULL, 60000, &out, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	str_release(&out);
	repo = repo_open(top, &err);
	return repo ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	repo_free(repo);
	return file_remove_tree(top, NULL);
}

static void a_folder_that_is_no_repository_is_refused(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_null(repo_open("/nonexistent", &err));
	assert_int_equal(err.code, ERR_NOTFOUND);
	assert_null(repo_open("/proc", &err));
	assert_int_equal(err.code, ERR_NOTFOUND);
}

static void every_way_to_name_a_commit_gives_its_hash(void **state)
{
	static const char *const forms[] = { "B", "tags/B", "C~1", "D^^^",
					     "refs/tags/B" };
	char want[REPO_SHA_BYTES];
	char got[REPO_SHA_BYTES];
	size_t i;

	(void)state;
	sha_of("B", want);
	assert_true(repo_is_sha(want));
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		sha_of(forms[i], got);
		assert_string_equal(got, want);
	}
	sha_of(want, got);
	assert_string_equal(got, want);
	want[12] = '\0';
	sha_of(want, got);
}

static void hostile_revisions_are_refused(void **state)
{
	static const char *const revs[] = {
		"",	    "-x",	 "--output=/tmp/x",
		"A..B",	    "A...B",	 ":/A",
		"A:b",	    "A\nB",	 "A B",
		"A\x1b[2J", "HEAD^{/A}", "--upload-pack=id",
		"\x7f",
	};
	char sha[REPO_SHA_BYTES] = "untouched";
	struct err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(revs); i++) {
		assert_int_equal(repo_resolve(repo, revs[i], sha, &err),
				 ERR_USAGE);
		assert_string_equal(sha, "untouched");
		assert_null(strchr(err.text, '\x1b'));
	}
}

static void shell_text_in_a_revision_stays_text(void **state)
{
	static const char *const revs[] = {
		"a;touch${IFS}canary", "$(id)", "`id`", "a|b", "a'b", "a\"b"
	};
	char sha[REPO_SHA_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(revs); i++)
		assert_int_equal(repo_resolve(repo, revs[i], sha, NULL),
				 ERR_NOTFOUND);
	assert_false(file_exists("canary"));
}

static void an_unknown_revision_is_explained(void **state)
{
	char sha[REPO_SHA_BYTES];
	struct err err = { 0 };

	(void)state;
	assert_int_equal(repo_resolve(repo, "xyzzyxyzzy", sha, &err),
			 ERR_NOTFOUND);
	assert_contains(err.text, "unknown commit \"xyzzyxyzzy\" in /tmp/");
	assert_contains(err.text, "fetch it first or check the spelling");
	assert_int_equal(repo_resolve(repo, "sidee", sha, &err), ERR_NOTFOUND);
	assert_contains(err.text, "did you mean side?");
}

static void a_commit_comes_with_its_people_and_times(void **state)
{
	char sha[REPO_SHA_BYTES];
	char parent[REPO_SHA_BYTES];
	struct repo_commit c;

	(void)state;
	sha_of("B", sha);
	sha_of("A", parent);
	assert_int_equal(repo_commit_read(repo, sha, &c, NULL), 0);
	assert_string_equal(c.sha, sha);
	assert_true(repo_is_sha(c.tree));
	assert_string_equal(c.subject, "B");
	assert_string_equal(c.author_name, "Ada Tester");
	assert_string_equal(c.author_email, "ada@example.org");
	assert_int_equal(c.author_s, 1600000000);
	assert_int_equal(c.author_offset_min, 120);
	assert_int_equal(c.committer_s, 1600000100);
	assert_int_equal(c.parents.nr, 1);
	assert_string_equal(c.parents.v[0], parent);
	repo_commit_release(&c);
}

static void bad_bytes_in_a_message_become_valid_text(void **state)
{
	char sha[REPO_SHA_BYTES];
	struct repo_commit c;

	(void)state;
	sha_of("bad", sha);
	assert_int_equal(repo_commit_read(repo, sha, &c, NULL), 0);
	assert_true(str_is_utf8(c.subject, strlen(c.subject)));
	assert_contains(c.subject, "bad \xef\xbf\xbd subject");
	assert_contains(c.message, "body");
	repo_commit_release(&c);
}

static void only_full_known_hashes_are_read(void **state)
{
	static const struct {
		const char *sha;
		int code;
	} cases[] = {
		{ "HEAD", ERR_USAGE },
		{ "abc", ERR_USAGE },
		{ "0123456789012345678901234567890123456789", ERR_NOTFOUND },
	};
	struct repo_commit c;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(repo_commit_read(repo, cases[i].sha, &c, NULL),
				 cases[i].code);
}

static void ancestry_follows_merges(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		int is_ancestor;
		const char *base; /* NULL: none */
	} cases[] = {
		{ "A", "D", 1, "A" }, { "X", "D", 1, "X" },
		{ "C", "X", 0, "B" }, { "D", "A", 0, "A" },
		{ "B", "B", 1, "B" }, { "lone", "D", 0, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char a[REPO_SHA_BYTES];
		char b[REPO_SHA_BYTES];
		char want[REPO_SHA_BYTES] = "";
		char got[REPO_SHA_BYTES] = "";

		sha_of(cases[i].a, a);
		sha_of(cases[i].b, b);
		if (cases[i].base)
			sha_of(cases[i].base, want);
		assert_int_equal(repo_is_ancestor(repo, a, b, NULL),
				 cases[i].is_ancestor);
		assert_int_equal(repo_merge_base(repo, a, b, got, NULL),
				 cases[i].base ? 0 : ERR_NOTFOUND);
		assert_string_equal(got, want);
	}
}

static void a_range_lists_children_first_with_all_parents(void **state)
{
	struct repo_range range;
	char base[REPO_SHA_BYTES];
	char head[REPO_SHA_BYTES];
	char sha[REPO_SHA_BYTES];

	(void)state;
	sha_of("B", base);
	sha_of("D", head);
	assert_int_equal(repo_range_read(repo, base, head, &range, NULL), 0);
	assert_int_equal(range.nr, 4); /* D M C X */
	assert_string_equal(range.v[0].sha, head);
	sha_of("M", sha);
	assert_string_equal(range.v[1].sha, sha);
	assert_int_equal(range.v[1].nr_parents, 2);
	sha_of("C", sha);
	assert_string_equal(range.v[1].parents[0], sha);
	sha_of("X", sha);
	assert_string_equal(range.v[1].parents[1], sha);
	/* the base itself is outside but named as a parent */
	assert_string_equal(range.v[3].parents[0], base);
	repo_range_release(&range);
	assert_int_equal(repo_range_read(repo, head, base, &range, NULL), 0);
	assert_int_equal(range.nr, 0);
	repo_range_release(&range);
	assert_int_equal(repo_range_read(repo, "B", head, &range, NULL),
			 ERR_USAGE);
}

static void changed_files_name_both_sides_of_a_rename(void **state)
{
	static const struct {
		const char *rev;
		const char *files;
	} cases[] = {
		{ "A", "b d/a " },
		{ "B", "b " },
		{ "M", "x " },
		{ "D", "b d/a d/z " },
	};
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str got = STR_INIT;
		struct repo_files files;
		char sha[REPO_SHA_BYTES];

		sha_of(cases[i].rev, sha);
		assert_int_equal(repo_changed_files(repo, sha, &files, NULL),
				 0);
		for (j = 0; j < files.nr; j++)
			str_addf(&got, "%s ", files.v[j]);
		assert_string_equal(got.p, cases[i].files);
		repo_files_release(&files);
		str_release(&got);
	}
}

static void a_file_is_read_as_it_was_in_the_commit(void **state)
{
	struct str text = STR_INIT;
	char sha[REPO_SHA_BYTES];

	(void)state;
	sha_of("B", sha);
	assert_int_equal(repo_read_file(repo, sha, "b", 100, &text, NULL), 0);
	assert_string_equal(text.p, "two\n2\n");
	assert_int_equal(repo_read_file(repo, sha, "b", 3, &text, NULL),
			 ERR_LIMIT);
	assert_int_equal(repo_read_file(repo, sha, "d", 100, &text, NULL),
			 ERR_NOTFOUND);
	assert_int_equal(repo_read_file(repo, sha, "../b", 100, &text, NULL),
			 ERR_NOTFOUND);
	str_release(&text);
}

static void a_revert_on_the_tip_undoes_one_commit_only(void **state)
{
	struct str text = STR_INIT;
	char tip[REPO_SHA_BYTES];
	char culprit[REPO_SHA_BYTES];
	char made[REPO_SHA_BYTES];
	char again[REPO_SHA_BYTES];
	struct repo_commit c;

	(void)state;
	sha_of("D", tip);
	sha_of("C", culprit);
	assert_int_equal(repo_revert(repo, tip, culprit, made, NULL), 0);
	assert_int_equal(repo_revert(repo, tip, culprit, again, NULL), 0);
	assert_string_equal(made, again);
	assert_int_equal(repo_commit_read(repo, made, &c, NULL), 0);
	assert_string_equal(c.subject, "Revert \"C\"");
	assert_string_equal(c.parents.v[0], tip);
	repo_commit_release(&c);
	assert_int_equal(repo_read_file(repo, made, "d/c", 100, &text, NULL),
			 ERR_NOTFOUND);
	assert_int_equal(repo_read_file(repo, made, "b", 100, &text, NULL), 0);
	assert_string_equal(text.p, "two\n2\nfour\n");
	str_release(&text);
}

static void a_revert_that_conflicts_says_so(void **state)
{
	char tip[REPO_SHA_BYTES];
	char culprit[REPO_SHA_BYTES];
	char made[REPO_SHA_BYTES];
	struct err err = { 0 };

	(void)state;
	sha_of("D", tip);
	sha_of("B", culprit);
	assert_int_equal(repo_revert(repo, tip, culprit, made, &err), ERR_DATA);
	assert_contains(err.text, "conflicts with later commits");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_that_is_no_repository_is_refused),
		cmocka_unit_test(every_way_to_name_a_commit_gives_its_hash),
		cmocka_unit_test(hostile_revisions_are_refused),
		cmocka_unit_test(shell_text_in_a_revision_stays_text),
		cmocka_unit_test(an_unknown_revision_is_explained),
		cmocka_unit_test(a_commit_comes_with_its_people_and_times),
		cmocka_unit_test(bad_bytes_in_a_message_become_valid_text),
		cmocka_unit_test(only_full_known_hashes_are_read),
		cmocka_unit_test(ancestry_follows_merges),
		cmocka_unit_test(a_range_lists_children_first_with_all_parents),
		cmocka_unit_test(changed_files_name_both_sides_of_a_rename),
		cmocka_unit_test(a_file_is_read_as_it_was_in_the_commit),
		cmocka_unit_test(a_revert_on_the_tip_undoes_one_commit_only),
		cmocka_unit_test(a_revert_that_conflicts_says_so),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
