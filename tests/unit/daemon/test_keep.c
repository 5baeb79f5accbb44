// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/keep.c: old kernels and logs go, what is in use stays.
#include "tests/unit/test.h"

#include "daemon/keep.h"
#include "tests/unit/daemon/fixture.h"

#define NOW_S  1000000LL
#define HOUR_S 3600LL

struct kept {
	struct lab_of_one l;
	long long artifact, plan;
};

static void sql(struct kept *k, const char *text)
{
	assert_int_equal(db_run(db_stmt(k->l.f.db, text), NULL), 0);
}

static char *path_in(struct kept *k, const char *name)
{
	return file_join(k->l.d.cfg.artifact_dir, name);
}

static void put_folder(struct kept *k, const char *name)
{
	char *dir = path_in(k, name);

	write_file(dir, "bzImage", "kernel");
	free(dir);
}

static bool has(struct kept *k, const char *name)
{
	char *dir = path_in(k, name);
	bool yes = file_exists(dir);

	free(dir);
	return yes;
}

/* A kernel built, booted and measured at 4,000 s, by a job that is done. */
static void open_kept(struct kept *k)
{
	struct db_artifact art = { .key = (char *)"key",
				   .build_id = (char *)"b" };
	struct lab_of_one *l = &k->l;
	char *folder;

	open_lab(l);
	art.kernel_path = path_in(k, "key/bzImage");
	assert_int_equal(
		db_artifact_want(l->f.db, l->f.base, 0, &k->artifact, NULL), 0);
	art.id = k->artifact;
	lease_attempt(l, 0, k->artifact, &folder);
	free(folder);
	k->plan = fixture_plan(&l->f, l->f.comparison, l->f.base, k->artifact);
	lease_attempt(l, k->plan, 0, &folder);
	free(folder);
	assert_int_equal(db_artifact_done(l->f.db, &art, NULL), 0);
	free(art.kernel_path);
	sql(k, "UPDATE attempt SET state = 'done', ended_s = 4000");
	sql(k, "UPDATE plan SET state = 'done'");
	sql(k, "UPDATE job SET state = 'done', ended_s = 4000");
	put_folder(k, "key");
	put_folder(k, "attempts/1");
	put_folder(k, "attempts/2");
	put_folder(k, "attempts/77");
	put_folder(k, "reports/x");
	l->d.cfg.keep.kernels_s = 30 * HOUR_S;
	l->d.cfg.keep.logs_s = 90 * HOUR_S;
}

/* Look again @after_s after the last end. */
static void tidy(struct kept *k, long long after_s)
{
	clock_set_fake((NOW_S + after_s) * 1000000000LL, 4000 + after_s);
	keep_tidy(&k->l.d);
}

static void each_goes_after_its_time(void **state)
{
	struct kept k = { 0 };

	(void)state;
	open_kept(&k);
	tidy(&k, 30 * HOUR_S);
	assert_true(has(&k, "key"));
	tidy(&k, 32 * HOUR_S);
	assert_false(has(&k, "key"));
	assert_string_equal(sql_text(&k.l, "SELECT state FROM artifact"),
			    "wanted");
	assert_true(has(&k, "attempts/1"));
	tidy(&k, 92 * HOUR_S);
	assert_false(has(&k, "attempts/1"));
	assert_false(has(&k, "attempts/2"));
	assert_true(has(&k, "attempts/77")); /* not one of ours */
	assert_true(has(&k, "reports/x"));
	assert_int_equal(sql_int(&k.l, "SELECT count(*) FROM attempt"), 2);
	close_lab(&k.l);
}

static void nothing_is_looked_for_twice_within_an_hour(void **state)
{
	struct kept k = { 0 };

	(void)state;
	open_kept(&k);
	tidy(&k, 30 * HOUR_S);
	tidy(&k, 30 * HOUR_S + 60); /* old by now */
	assert_true(has(&k, "key"));
	tidy(&k, 31 * HOUR_S + 60);
	assert_false(has(&k, "key"));
	close_lab(&k.l);
}

/* Each reason alone keeps a kernel. */
static void what_is_in_use_stays(void **state)
{
	static const char *const reasons[][2] = {
		{ "UPDATE job SET state = 'running'",
		  "UPDATE job SET state = 'done'" },
		{ "UPDATE attempt SET ended_s = 400000 WHERE kind = 'run'",
		  "UPDATE attempt SET ended_s = 4000" },
		{ "UPDATE attempt SET ended_s = NULL WHERE kind = 'run'",
		  "UPDATE attempt SET ended_s = 4000" },
		{ "UPDATE attempt SET ended_s = 400000 WHERE kind = 'build'",
		  "UPDATE attempt SET ended_s = 4000" },
		{ "UPDATE attempt SET state = 'leased' WHERE kind = 'build'",
		  "UPDATE attempt SET state = 'done'" },
		{ "UPDATE artifact SET state = 'building'",
		  "UPDATE artifact SET state = 'done'" },
	};
	struct kept k = { 0 };
	long long at_s = 60 * HOUR_S;
	size_t i;

	(void)state;
	open_kept(&k);
	for (i = 0; i < ARRAY_SIZE(reasons); i++, at_s += 2 * HOUR_S) {
		sql(&k, reasons[i][0]);
		tidy(&k, at_s);
		if (!has(&k, "key"))
			fail_msg("gone in spite of: %s", reasons[i][0]);
		sql(&k, reasons[i][1]);
	}
	tidy(&k, at_s);
	assert_false(has(&k, "key"));
	close_lab(&k.l);
}

/* Two sources that give the same bits share a folder. */
static void a_shared_folder_stays_for_the_younger_one(void **state)
{
	struct db_artifact art = { .key = (char *)"key",
				   .build_id = (char *)"b",
				   .kernel_path = (char *)"k" };
	struct kept k = { 0 };
	char *folder;

	(void)state;
	open_kept(&k);
	assert_int_equal(
		db_artifact_want(k.l.f.db, k.l.f.head, 0, &art.id, NULL), 0);
	lease_attempt(&k.l, 0, art.id, &folder);
	free(folder);
	assert_int_equal(db_artifact_done(k.l.f.db, &art, NULL), 0);
	sql(&k, "UPDATE attempt SET state = 'done', ended_s = 200000 "
		"WHERE ended_s IS NULL");
	tidy(&k, 32 * HOUR_S);
	assert_true(has(&k, "key"));
	tidy(&k, 200000 + 32 * HOUR_S);
	assert_false(has(&k, "key"));
	assert_int_equal(sql_int(&k.l, "SELECT count(*) FROM artifact "
				       "WHERE state = 'wanted'"),
			 2);
	close_lab(&k.l);
}

static void logs_of_an_unfinished_job_stay(void **state)
{
	struct kept k = { 0 };

	(void)state;
	open_kept(&k);
	sql(&k, "UPDATE job SET state = 'running'");
	tidy(&k, 92 * HOUR_S);
	assert_true(has(&k, "attempts/2"));
	close_lab(&k.l);
}

/* A row without a key names no folder of its own, but that of all. */
static void a_kernel_without_a_key_takes_nothing_along(void **state)
{
	static const char *const keys[] = { "''", "NULL" };
	struct kept k = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		char *text = xasprintf("UPDATE artifact SET key = %s", keys[i]);

		open_kept(&k);
		sql(&k, text);
		tidy(&k, 32 * HOUR_S);
		assert_true(has(&k, "key"));
		assert_true(has(&k, "reports/x"));
		free(text);
		close_lab(&k.l);
	}
}

static void zero_keeps_for_ever(void **state)
{
	struct kept k = { 0 };

	(void)state;
	open_kept(&k);
	k.l.d.cfg.keep.kernels_s = 0;
	k.l.d.cfg.keep.logs_s = 0;
	tidy(&k, 90000 * HOUR_S);
	assert_true(has(&k, "key"));
	assert_true(has(&k, "attempts/1"));
	close_lab(&k.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_goes_after_its_time),
		cmocka_unit_test(nothing_is_looked_for_twice_within_an_hour),
		cmocka_unit_test(what_is_in_use_stays),
		cmocka_unit_test(a_shared_folder_stays_for_the_younger_one),
		cmocka_unit_test(logs_of_an_unfinished_job_stay),
		cmocka_unit_test(a_kernel_without_a_key_takes_nothing_along),
		cmocka_unit_test(zero_keeps_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
