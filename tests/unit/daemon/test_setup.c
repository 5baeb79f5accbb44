// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/setup.c, task_spec.c, eta.c and disk.c.
#include "tests/unit/test.h"

#include "daemon/disk.h"
#include "daemon/eta.h"
#include "daemon/setup.h"
#include "daemon/task_spec.h"
#include "tests/unit/daemon/fixture.h"

static char *kconfig_after(struct lab_of_one *l, const char *text)
{
	struct db_repo repo;
	char *kconfig;
	char *path = file_join(l->f.dir, "slim.config");

	write_file(l->f.dir, "slim.config", text);
	assert_int_equal(db_repo_find(l->f.db, "linux", &repo, NULL), 0);
	free(repo.kconfig);
	repo.kconfig = xstrdup(path);
	assert_int_equal(setup_refresh_repo(&l->d, &repo, NULL), 0);
	kconfig = xstrdup(repo.kconfig);
	db_repo_release(&repo);
	free(path);
	return kconfig;
}

static void another_fragment_or_compiler_is_another_artifact(void **state)
{
	struct lab_of_one l;
	long long a = 0;
	long long b = 0;
	char *one;
	char *two;
	char *three;

	(void)state;
	open_lab(&l);
	set_path(&l.d.cfg.build.cc, "/no", "compiler");
	one = kconfig_after(&l, "CONFIG_A=y\n");
	db_artifact_want(l.f.db, l.f.base, 0, &a, NULL);
	two = kconfig_after(&l, "CONFIG_A=y\n");
	assert_string_equal(one, two);
	three = kconfig_after(&l, "# CONFIG_A is not set\n");
	assert_string_not_equal(one, three);
	db_artifact_want(l.f.db, l.f.base, 0, &b, NULL);
	assert_int_not_equal(a, b);
	free(three);
	free(l.d.compiler);
	l.d.compiler = xstrdup("cc 13");
	l.d.compiler_ns = clock_mono_ns();
	three = kconfig_after(&l, "CONFIG_A=y\n");
	assert_string_not_equal(one, three);
	free(l.d.compiler);
	free(one);
	free(two);
	free(three);
	close_lab(&l);
}

static void a_kconfig_has_a_short_name(void **state)
{
	static const char *const rows[][2] = {
		{ "/a/lab-slim.config\n#0123", "lab-slim" },
		{ "/a/x\n/b/y\n#0123", "x" },
		{ "#0123", "" },
		{ "", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char *name = setup_kconfig_name(rows[i][0]);

		assert_string_equal(name, rows[i][1]);
		free(name);
	}
}

static void a_build_task_says_all_that_its_worker_needs(void **state)
{
	struct lab_of_one l;
	struct db_attempt a = { .id = 9, .token = (char *)"cafe" };
	json_t *o = NULL;
	char *kconfig;

	(void)state;
	open_lab(&l);
	l.d.compiler = xstrdup("cc 13");
	l.d.compiler_ns = clock_mono_ns();
	kconfig = kconfig_after(&l, "CONFIG_A=y\n");
	db_artifact_want(l.f.db, l.f.head, 2, &a.artifact_id, NULL);
	assert_int_equal(task_spec_build(&l.d, &a, 3, &o, NULL), 0);
	assert_string_equal(json_opt_str(o, "kind", ""), "build");
	assert_string_equal(json_opt_str(o, "repo", ""), "/nowhere");
	assert_int_equal(json_opt_int(o, "layout", 0), 2);
	assert_int_equal(strlen(json_opt_str(o, "commit", "")), 40);
	/* the fingerprint is none of the files */
	assert_int_equal(json_array_size(json_object_get(o, "kconfig")), 1);
	assert_true(json_opt_int(o, "jobs", 0) >= 1);
	assert_int_equal(task_spec_slot(o), 3);
	json_decref(o);
	free(l.d.compiler);
	free(kconfig);
	close_lab(&l);
}

static void a_run_task_names_a_kernel_only_when_one_is_booted(void **state)
{
	struct db_artifact art = { .key = (char *)"k",
				   .kernel_path = (char *)"/k/bzImage",
				   .build_id = (char *)"ab12" };
	struct lab_of_one l;
	struct db_attempt a = { .id = 9, .token = (char *)"cafe" };
	json_t *o = NULL;

	(void)state;
	open_lab(&l);
	a.plan_id = fixture_plan(&l.f, l.f.comparison, l.f.base, 0);
	assert_int_equal(task_spec_run(&l.d, &a, &o, NULL), 0);
	assert_null(json_object_get(o, "kernel"));
	assert_int_equal(json_opt_int(o, "runs", 0), 2);
	assert_string_equal(json_opt_str(json_object_get(o, "box"), "name", ""),
			    "box-1");
	json_decref(o);
	db_artifact_want(l.f.db, l.f.base, 0, &art.id, NULL);
	db_artifact_done(l.f.db, &art, NULL);
	a.plan_id = fixture_plan(&l.f, l.f.comparison, l.f.base, art.id);
	assert_int_equal(task_spec_run(&l.d, &a, &o, NULL), 0);
	assert_string_equal(json_opt_str(o, "kernel", ""), "/k/bzImage");
	assert_string_equal(json_opt_str(o, "build_id", ""), "ab12");
	json_decref(o);
	close_lab(&l);
}

static void slots_are_read_back_from_hostile_tasks(void **state)
{
	static const struct {
		const char *dir;
		int slot;
	} rows[] = {
		{ "/c/build/slot-0", 0 },
		{ "/c/build/slot-17", 17 },
		{ "/c/build/slot-", -1 },
		{ "/c/build/slot--1", -1 },
		{ "slot-1", -1 },
		{ "/slot-99999999999", -1 },
		{ "", -1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *o = json_pack("{s:s}", "slot_dir", rows[i].dir);

		assert_int_equal(task_spec_slot(o), rows[i].slot);
		json_decref(o);
	}
}

/* A done run attempt of @seconds on the fixture's box. */
static void add_history(struct lab_of_one *l, long long seconds)
{
	char *folder;
	long long id = lease_attempt(
		l, fixture_plan(&l->f, l->f.comparison, l->f.base, 0), 0,
		&folder);
	struct db_stmt *q;

	clock_set_fake(1, 4000 + seconds);
	assert_int_equal(db_attempt_end(l->f.db, id, "done", "", "", NULL), 0);
	q = db_stmt(l->f.db, "UPDATE plan SET state = 'done' WHERE id = "
			     "(SELECT max(id) FROM plan)");
	assert_int_equal(db_run(q, NULL), 0);
	free(folder);
}

static void the_end_is_estimated_from_the_median_boot(void **state)
{
	struct lab_of_one l;
	json_t *etas;
	long long second;

	(void)state;
	open_lab(&l);
	fixture_plan(&l.f, l.f.comparison, l.f.head, 0);
	etas = eta_jobs(l.f.db, NULL);
	assert_int_equal(eta_of(etas, l.f.job), -1);
	json_decref(etas);
	add_history(&l, 10);
	add_history(&l, 20);
	add_history(&l, 900);
	second = fixture_job(&l.f, 0);
	fixture_plan(&l.f, fixture_comparison(&l.f, second), l.f.base, 0);
	etas = eta_jobs(l.f.db, NULL);
	assert_int_equal(eta_of(etas, l.f.job), 21);
	/* it waits for the boot in front of it */
	assert_int_equal(eta_of(etas, second), 41);
	json_decref(etas);
	close_lab(&l);
}

static void a_small_disk_has_a_small_floor(void **state)
{
	(void)state;
	assert_int_equal(disk_floor(64ULL << 20), 8ULL << 20);
	assert_int_equal(disk_floor(1ULL << 40), 64ULL << 20);
	assert_int_equal(disk_floor(0), 0);
}

static void a_compiler_is_named_with_its_version(void **state)
{
	static const char *const rows[][3] = {
		{ "gcc", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright",
		  "gcc-12" },
		{ "clang", "Debian clang version 14.0.6\nTarget: x86_64",
		  "clang-14" },
		{ "/usr/bin/gcc", "gcc (GCC) 13.1.1", "gcc-13" },
		{ "gcc-12", "gcc-12 (Debian 12.2.0-14) 12.2.0\n", "gcc-12" },
		{ "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc 12.2.0",
		  "x86_64-linux-gnu-gcc-12" },
		{ "gcc", "", "gcc" },
		{ "gcc", "sh: not found", "gcc" },
		{ "tcc", "12.2.0", "tcc" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *name = setup_compiler_label(rows[i][0], rows[i][1]);

		assert_string_equal(name, rows[i][2]);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			another_fragment_or_compiler_is_another_artifact),
		cmocka_unit_test(a_kconfig_has_a_short_name),
		cmocka_unit_test(a_compiler_is_named_with_its_version),
		cmocka_unit_test(a_build_task_says_all_that_its_worker_needs),
		cmocka_unit_test(
			a_run_task_names_a_kernel_only_when_one_is_booted),
		cmocka_unit_test(slots_are_read_back_from_hostile_tasks),
		cmocka_unit_test(the_end_is_estimated_from_the_median_boot),
		cmocka_unit_test(a_small_disk_has_a_small_floor),
	};

	return RUN_TESTS(tests);
}
