// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of a whole build on a tiny tree whose Makefile plays kbuild's part.
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/build.h"
#include "runners/task.h"

static char top[] = "/tmp/drover-test-build-XXXXXX";
static unsigned int task_nr;

/*
 * One tag for each situation. "stale" fails in an output folder that an older
 * build left behind, but not from nothing; "slow" hangs.
 */
static const char script[] =
	"set -e; mkdir $1/repo; cd $1/repo\n"
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\n"
	"export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org\n"
	"export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org\n"
	"git init -q -b main .\n"
	"c() { git add -A; git commit -q -m $1; git tag $1; }\n"
	"cat >Makefile <<'EOF'\n"
	"include extra.mk\n"
	"allnoconfig:\n"
	"\t@mkdir -p $(O)\n"
	"\t@grep -v REFUSED $$KCONFIG_ALLCONFIG >$(O)/.config\n"
	"\t@echo x >>$(O)/configured\n"
	"bzImage: hook\n"
	"\t@mkdir -p $(O)/arch/x86/boot\n"
	"\t@echo '  CC      main.o'\n"
	"\t@cd $(O) && $(CC) $(KCFLAGS) -c ../main.c -o main.o\n"
	"\t@cd $(O) && echo 'source_main.o := ../main.c' >.main.o.cmd\n"
	"\t@cd $(O) && $(CC) -nostdlib -static -Wl,--build-id=sha1,-e,main "
	"main.o -o vmlinux\n"
	"\t@cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage\n"
	"\t@echo map >$(O)/System.map\n"
	"EOF\n"
	"echo 'hook:' >extra.mk; echo 'int main(void) { return 0; }' >main.c\n"
	"echo config >Kconfig; c good\n"
	"echo text >README; c same\n"
	"echo 'int main(void) { return 1; }' >main.c; c other\n"
	"printf 'int main(void)\\n{\\n\\treturn y;\\n}\\n' >main.c; c broken\n"
	"git checkout -q other -- main.c\n"
	"printf 'hook:\\n\\t@test ! -e $(O)/vmlinux || { echo \"make[1]: *** No "
	"rule to make target x\"; false; }\\n' >extra.mk; c stale\n"
	"printf 'hook:\\n\\t@echo \"cc: No space left on device\"; "
	"false\\n' >extra.mk; c full\n"
	"printf 'hook:\\n\\t@sleep 50\\n' >extra.mk; c slow\n"
	"git checkout -q good -- extra.mk; echo 'char big[64 << 20] = { 1 }; "
	"int main(void) { return big[5]; }' >main.c; c large\n"
	"echo 'CONFIG_A=y' >../k1; printf 'CONFIG_B=y\\nCONFIG_REFUSED=y\\n' "
	">../k2\n";

static int set_up(void **state)
{
	const char *const argv[] = { "sh", "-c", script, "sh", NULL, NULL };
	const char *args[ARRAY_SIZE(argv)];
	struct str out = STR_INIT;
	struct err err = { 0 };

	(void)state;
	if (!mkdtemp(top))
		return -1;
	memcpy(args, argv, sizeof(argv));
	args[4] = top;
	if (spawn_output(args, NULL, 60000, &out, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	str_release(&out);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return file_remove_tree(top, NULL);
}

/* The hash that @rev names in the made repository; owned by the caller. */
static char *hash_of(const char *rev, const char *kind)
{
	char *repo = file_join(top, "repo");
	char *spec = xasprintf("%s^{%s}", rev, kind);
	const char *const argv[] = {
		"git", "-C", repo, "rev-parse", spec, NULL
	};
	struct str out = STR_INIT;

	assert_int_equal(spawn_output(argv, NULL, 10000, &out, NULL), 0);
	str_rtrim(&out);
	free(repo);
	free(spec);
	return str_detach(&out);
}

/* task.json for @rev in slot @slot; the caller changes it as it likes. */
static json_t *make_spec(const char *rev, int slot)
{
	char *commit = hash_of(rev, "commit");
	char *tree = hash_of(rev, "tree");
	char *repo = file_join(top, "repo");
	char *slot_dir = xasprintf("%s/slot%d", top, slot);
	char *artifacts = file_join(top, "artifacts");
	char *k1 = file_join(top, "k1");
	char *k2 = file_join(top, "k2");
	json_t *spec = json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s, s], s:i}",
				 "repo", repo, "commit", commit, "tree", tree,
				 "slot_dir", slot_dir, "artifact_dir",
				 artifacts, "kconfig", k1, k2, "jobs", 1);

	free(commit);
	free(tree);
	free(repo);
	free(slot_dir);
	free(artifacts);
	free(k1);
	free(k2);
	return spec;
}

/* Run one build as the worker would; takes @spec. New reference. */
static json_t *run_spec(json_t *spec, char **out_dir)
{
	char *dir = xasprintf("%s/task%u", top, task_nr++);
	char name[] = "drover-build";
	char *argv[] = { name, dir, NULL };
	json_t *result;

	assert_int_equal(task_create(dir, spec, NULL), 0);
	json_decref(spec);
	assert_int_equal(task_main(2, argv, build_run), 0);
	result = task_read_result(dir, NULL);
	assert_non_null(result);
	if (out_dir)
		*out_dir = dir;
	else
		free(dir);
	return result;
}

static json_t *build_rev(const char *rev, int slot)
{
	return run_spec(make_spec(rev, slot), NULL);
}

static const char *text_of(const json_t *result, const char *key)
{
	return json_opt_str(result, key, "");
}

static void check_done(const json_t *result)
{
	struct err err = { 0 };

	if (task_result_err(result, &err))
		fail_msg("%s", err.text);
}

static void a_build_leaves_a_complete_artifact(void **state)
{
	static const char *const files[] = { "config", "sources", "meta.json",
					     "build.log.zst", "System.map" };
	json_t *r = build_rev("good", 0);
	char *dir = xasprintf("%s/artifacts/%s", top, text_of(r, "artifact"));
	char id[BUILD_ID_HEX_BYTES];
	size_t i;

	(void)state;
	check_done(r);
	assert_false(json_opt_bool(r, "cached", true));
	assert_int_equal(json_opt_int(r, "objects_compiled", 0), 1);
	assert_int_equal(build_id_of_elf(text_of(r, "kernel"), id, NULL), 0);
	assert_string_equal(text_of(r, "build_id"), id);
	assert_contains(text_of(r, "toolchain"), "gcc");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = file_join(dir, files[i]);

		assert_true(file_exists(path));
		free(path);
	}
	free(dir);
	json_decref(r);
}

static void the_same_content_is_built_once(void **state)
{
	json_t *first = build_rev("good", 0);
	json_t *again = build_rev("good", 1);

	(void)state;
	assert_true(json_opt_bool(again, "cached", false));
	assert_string_equal(text_of(first, "artifact"),
			    text_of(again, "artifact"));
	assert_string_equal(text_of(first, "build_id"),
			    text_of(again, "build_id"));
	json_decref(first);
	json_decref(again);
}

/* A README changes the tree but no bit of the kernel; nor does the slot. */
static void equal_sources_give_equal_bits_in_every_slot(void **state)
{
	json_t *a = build_rev("good", 0);
	json_t *b = build_rev("same", 2);
	json_t *c = build_rev("other", 0);

	(void)state;
	check_done(b);
	check_done(c);
	assert_string_not_equal(text_of(a, "artifact"), text_of(b, "artifact"));
	assert_string_equal(text_of(a, "build_id"), text_of(b, "build_id"));
	assert_string_not_equal(text_of(a, "build_id"), text_of(c, "build_id"));
	json_decref(a);
	json_decref(b);
	json_decref(c);
}

static void a_layout_is_another_artifact(void **state)
{
	json_t *spec = make_spec("good", 0);
	json_t *plain = build_rev("good", 0);
	json_t *other;

	(void)state;
	json_object_set_new(spec, "layout", json_integer(1));
	other = run_spec(spec, NULL);
	check_done(other);
	assert_false(json_opt_bool(other, "cached", true));
	assert_string_not_equal(text_of(plain, "artifact"),
				text_of(other, "artifact"));
	json_decref(plain);
	json_decref(other);
}

static void configuring_happens_once_per_kconfig(void **state)
{
	char *pattern =
		xasprintf("cat %s/slot3/src/drover-out-*-0/configured", top);
	const char *const argv[] = { "sh", "-c", pattern, NULL };
	struct str count = STR_INIT;

	(void)state;
	json_decref(build_rev("stale", 3));
	json_decref(build_rev("broken", 3));
	json_decref(build_rev("full", 3));
	assert_int_equal(spawn_output(argv, NULL, 5000, &count, NULL), 0);
	assert_string_equal(count.p, "x\n");
	str_release(&count);
	free(pattern);
}

static void settings_that_kconfig_refuses_are_logged(void **state)
{
	struct str log = STR_INIT;
	char *dir = NULL;
	json_t *r = run_spec(make_spec("broken", 4), &dir);
	char *path = file_join(dir, "log");

	(void)state;
	assert_int_equal(file_read(path, 100000, &log, NULL), 0);
	assert_contains(log.p, "kconfig: CONFIG_REFUSED=y was not taken");
	assert_null(strstr(log.p, "CONFIG_A=y was not"));
	str_release(&log);
	free(path);
	free(dir);
	json_decref(r);
}

static void a_broken_source_is_named_with_its_place(void **state)
{
	struct err err = { 0 };
	char *dir = NULL;
	json_t *r = run_spec(make_spec("broken", 0), &dir);
	char *commit = hash_of("broken", "commit");
	char *log = file_join(dir, "out/build.log");

	(void)state;
	commit[12] = '\0';
	assert_int_equal(task_result_err(r, &err), ERR_BUILD);
	assert_int_equal(strncmp(err.text, commit, 12), 0);
	assert_contains(err.text, ": main.c:3:16: error: ");
	assert_true(file_exists(log));
	free(log);
	free(dir);
	free(commit);
	json_decref(r);
}

/*
 * Expected: a commit is blamed for a missing rule only when a build from
 * nothing misses it too. Buggy: what the last commit left in the slot's output
 * folder made the next one fail.
 */
static void remnants_of_another_commit_are_no_build_failure(void **state)
{
	json_t *r;

	(void)state;
	json_decref(build_rev("other", 5));
	json_decref(build_rev("broken", 5));
	r = build_rev("stale", 5);
	check_done(r);
	json_decref(r);
}

static void a_full_disk_is_not_the_commits_fault(void **state)
{
	struct err err = { 0 };
	json_t *r = build_rev("full", 0);

	(void)state;
	assert_int_equal(task_result_err(r, &err), ERR_INFRA);
	assert_contains(err.text, "No space left on device");
	json_decref(r);
}

static void a_hanging_build_is_ended_with_all_it_started(void **state)
{
	json_t *spec = make_spec("slow", 0);
	long long start_ns = clock_mono_ns();
	struct err err = { 0 };
	json_t *r;

	(void)state;
	json_object_set_new(spec, "timeout_s", json_real(1.5));
	r = run_spec(spec, NULL);
	assert_int_equal(task_result_err(r, &err), ERR_TIMEOUT);
	assert_true(clock_mono_ns() - start_ns < 30000000000LL);
	json_decref(r);
}

static void a_damaged_artifact_is_built_again(void **state)
{
	json_t *r = build_rev("good", 0);
	json_t *again;

	(void)state;
	assert_int_equal(
		file_write_atomic(text_of(r, "kernel"), "x", 1, 0600, NULL), 0);
	again = build_rev("good", 0);
	check_done(again);
	assert_false(json_opt_bool(again, "cached", true));
	assert_string_equal(text_of(r, "build_id"), text_of(again, "build_id"));
	json_decref(r);
	json_decref(again);
}

static void a_changed_work_tree_is_put_right(void **state)
{
	char *path = xasprintf("%s/slot6/src/main.c", top);
	json_t *want = build_rev("other", 6);
	json_t *got;

	(void)state;
	json_decref(build_rev("broken", 6));
	assert_int_equal(file_write_atomic(path, "int main;\n", 10, 0644, NULL),
			 0);
	file_write_atomic(text_of(want, "kernel"), "x", 1, 0600, NULL);
	got = build_rev("other", 6);
	check_done(got);
	assert_string_equal(text_of(got, "build_id"),
			    text_of(want, "build_id"));
	json_decref(want);
	json_decref(got);
	free(path);
}

/* One that isn't there yet, built in slot 7 without a failure. */
static void build_new(const char *rev, int layout)
{
	json_t *spec = make_spec(rev, 7);
	json_t *result;

	json_object_set_new(spec, "layout", json_integer(layout));
	result = run_spec(spec, NULL);
	check_done(result);
	assert_false(json_opt_bool(result, "cached", true));
	json_decref(result);
}

/* Put an empty file to @path below the slot. */
static void leave(const char *path)
{
	char *file = xasprintf("%s/slot7/%s", top, path);
	char *dir = xstrndup(file, (size_t)(strrchr(file, '/') - file));

	assert_int_equal(file_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(file_write_atomic(file, "", 0, 0644, NULL), 0);
	free(dir);
	free(file);
}

static bool is_left(const char *path)
{
	char *file = xasprintf("%s/slot7/%s", top, path);
	bool left = file_exists(file);

	free(file);
	return left;
}

/*
 * Expected: a checkout that was killed half-way leaves no file that a later
 * commit's build could take for its own.
 * Buggy: only git's lock was removed; files of the other commit stayed.
 */
static void a_killed_checkout_leaves_nothing_of_its_commit(void **state)
{
	const char *kept = "src/drover-out-keep/kept.o";

	(void)state;
	build_new("good", 2);
	leave("index.lock");
	leave("src/include/linux/of_another.h");
	leave(kept);
	build_new("other", 2);
	assert_false(is_left("index.lock"));
	assert_false(is_left("src/include"));
	assert_true(is_left("src/main.c"));
	assert_true(is_left(kept));
}

/* Half-filled folders among the artifacts. */
static int nr_unfinished(void)
{
	char *list =
		xasprintf("ls -d %s/artifacts/.new-* 2>/dev/null | wc -l", top);
	const char *const argv[] = { "sh", "-c", list, NULL };
	struct str nr = STR_INIT;
	int n;

	assert_int_equal(spawn_output(argv, NULL, 10000, &nr, NULL), 0);
	n = nr.len ? nr.p[0] - '0' : -1;
	str_release(&nr);
	free(list);
	return n;
}

/* A worker that is killed while it copies a large kernel. */
static void kill_while_storing(void)
{
	int tries = 3000;
	pid_t pid = fork();

	if (!pid) {
		json_decref(build_rev("large", 7));
		_exit(0);
	}
	while (!nr_unfinished() && --tries)
		clock_sleep_ms(5);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	task_nr++;
}

/*
 * Expected: builds that were killed take no more and more of the disk.
 * Buggy: their temporary files and half-filled artifacts stayed for ever.
 */
static void what_killed_builds_left_goes(void **state)
{
	(void)state;
	kill_while_storing();
	assert_int_equal(nr_unfinished(), 1);
	leave("tmp/ccXYZ.s");
	build_new("good", 3);
	assert_false(is_left("tmp/ccXYZ.s"));
	assert_int_equal(nr_unfinished(), 0);
}

/*
 * Expected: a slot keeps the output of the kconfigs that are built.
 * Buggy: each kconfig that was ever tried kept its gigabytes.
 */
static void output_of_old_kconfigs_goes(void **state)
{
	struct timespec times[2] = { { 0 } };
	char *name;
	int nr = 0;
	int i;

	(void)state;
	for (i = 0; i < 14; i++) {
		name = xasprintf("src/drover-out-old%d/x.o", i);
		leave(name);
		free(name);
		name = xasprintf("%s/slot7/src/drover-out-old%d", top, i);
		times[0].tv_sec = times[1].tv_sec = 1000000 + i;
		assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
		free(name);
	}
	build_new("good", 4);
	for (i = 0; i < 14; i++) {
		name = xasprintf("src/drover-out-old%d", i);
		nr += is_left(name);
		free(name);
	}
	assert_in_range(nr, 1, 9);
	assert_false(is_left("src/drover-out-old0"));
	assert_true(is_left("src/drover-out-old13"));
}

static void an_unknown_commit_is_explained(void **state)
{
	json_t *spec = make_spec("good", 0);
	struct err err = { 0 };
	json_t *r;

	(void)state;
	json_object_set_new(
		spec, "tree",
		json_string("0123456789012345678901234567890123456789"));
	r = run_spec(spec, NULL);
	assert_int_not_equal(task_result_err(r, &err), 0);
	assert_contains(err.text, "checkout of ");
	json_decref(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_leaves_a_complete_artifact),
		cmocka_unit_test(the_same_content_is_built_once),
		cmocka_unit_test(equal_sources_give_equal_bits_in_every_slot),
		cmocka_unit_test(a_layout_is_another_artifact),
		cmocka_unit_test(configuring_happens_once_per_kconfig),
		cmocka_unit_test(settings_that_kconfig_refuses_are_logged),
		cmocka_unit_test(a_broken_source_is_named_with_its_place),
		cmocka_unit_test(
			remnants_of_another_commit_are_no_build_failure),
		cmocka_unit_test(a_full_disk_is_not_the_commits_fault),
		cmocka_unit_test(a_hanging_build_is_ended_with_all_it_started),
		cmocka_unit_test(a_damaged_artifact_is_built_again),
		cmocka_unit_test(a_changed_work_tree_is_put_right),
		cmocka_unit_test(
			a_killed_checkout_leaves_nothing_of_its_commit),
		cmocka_unit_test(what_killed_builds_left_goes),
		cmocka_unit_test(output_of_old_kconfigs_goes),
		cmocka_unit_test(an_unknown_commit_is_explained),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
