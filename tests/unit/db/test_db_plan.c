// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/db_plan.c, db/db_artifact.c and db/db_repo.c: the queue's order.
#include "tests/unit/test.h"

#include "tests/unit/db/fixture.h"

static long long next_plan(struct fixture *f, long long now_s)
{
	long long id = -1;

	assert_int_equal(db_plan_next(f->db, f->box, now_s, &id, NULL), 0);
	return id;
}

static void lease(struct fixture *f, long long plan)
{
	assert_int_equal(db_plan_end(f->db, plan, "leased", "", "", NULL), 0);
}

static void the_oldest_job_goes_first_and_its_boots_in_order(void **state)
{
	struct fixture f;
	long long second;
	long long a1;
	long long a2;
	long long b1;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	assert_int_equal(next_plan(&f, 0), 0);
	second = fixture_comparison(&f, fixture_job(&f, 0));
	b1 = fixture_plan(&f, second, f.base, 0);
	a1 = fixture_plan(&f, f.comparison, f.base, 0);
	a2 = fixture_plan(&f, f.comparison, f.head, 0);
	assert_int_equal(next_plan(&f, 0), a1);
	lease(&f, a1);
	assert_int_equal(next_plan(&f, 0), a2);
	lease(&f, a2);
	assert_int_equal(next_plan(&f, 0), b1);
	lease(&f, b1);
	assert_int_equal(next_plan(&f, 0), 0);
	fixture_close(&f);
}

static void a_higher_priority_overtakes(void **state)
{
	struct fixture f;
	long long urgent;
	long long a;
	long long b;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	a = fixture_plan(&f, f.comparison, f.base, 0);
	urgent = fixture_job(&f, 5);
	b = fixture_plan(&f, fixture_comparison(&f, urgent), f.base, 0);
	assert_int_equal(next_plan(&f, 0), b);
	assert_int_equal(db_job_set_prio(f.db, f.job, 6, NULL), 0);
	assert_int_equal(next_plan(&f, 0), a);
	assert_int_equal(db_job_end(f.db, f.job, "cancelled", "", 1, NULL), 0);
	assert_int_equal(next_plan(&f, 0), b);
	fixture_close(&f);
}

static void a_plan_waits_for_its_pause_and_its_kernel(void **state)
{
	struct fixture f;
	struct db_artifact done = { .key = (char *)"k",
				    .kernel_path = (char *)"/b",
				    .build_id = (char *)"ab",
				    .seconds = 3 };
	struct db_artifact got;
	long long art = 0;
	long long id = 0;
	long long plan;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	assert_int_equal(db_artifact_want(f.db, f.head, 0, &art, NULL), 0);
	plan = fixture_plan(&f, f.comparison, f.head, art);
	assert_int_equal(next_plan(&f, 0), 0);
	assert_int_equal(db_artifact_next(f.db, 0, &id, NULL), 0);
	assert_int_equal(id, art);
	db_artifact_set_state(f.db, art, "building", NULL);
	assert_int_equal(db_artifact_next(f.db, 0, &id, NULL), 0);
	assert_int_equal(id, 0);
	done.id = art;
	assert_int_equal(db_artifact_done(f.db, &done, NULL), 0);
	assert_int_equal(next_plan(&f, 0), plan);
	assert_int_equal(db_plan_requeue(f.db, plan, 1, 50, NULL), 0);
	assert_int_equal(next_plan(&f, 49), 0);
	assert_int_equal(next_plan(&f, 50), plan);
	assert_int_equal(db_artifact_get(f.db, art, &got, NULL), 0);
	assert_string_equal(got.kernel_path, "/b");
	assert_true(got.seconds == 3);
	db_artifact_release(&got);
	fixture_close(&f);
}

static void a_failed_plan_holds_its_box_until_its_pause_is_over(void **state)
{
	struct fixture f;
	long long first;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	first = fixture_plan(&f, f.comparison, f.base, 0);
	fixture_plan(&f, f.comparison, f.head, 0);
	assert_int_equal(db_plan_requeue(f.db, first, 1, 50, NULL), 0);
	assert_int_equal(next_plan(&f, 49), 0);
	assert_int_equal(next_plan(&f, 50), first);
	/* no pause is that long: the clock was set back by a day */
	assert_int_equal(next_plan(&f, 50 - 86400), first);
	fixture_close(&f);
}

static void equal_trees_share_one_artifact(void **state)
{
	struct fixture f;
	struct db_commit twin;
	long long id = 0;
	long long a = 0;
	long long b = 0;
	long long c = 0;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	assert_int_equal(db_commit_get(f.db, f.base, &twin, NULL), 0);
	memset(twin.sha, '9', 40);
	assert_int_equal(db_commit_put(f.db, &twin, &id, NULL), 0);
	assert_int_not_equal(id, f.base);
	db_commit_release(&twin);
	db_artifact_want(f.db, f.base, 0, &a, NULL);
	db_artifact_want(f.db, id, 0, &b, NULL);
	db_artifact_want(f.db, id, 1, &c, NULL);
	assert_int_equal(a, b);
	assert_int_not_equal(a, c);
	assert_int_equal(db_artifact_want(f.db, 999, 0, &a, NULL),
			 ERR_NOTFOUND);
	fixture_close(&f);
}

static void plans_of_a_kernel_that_failed_are_found(void **state)
{
	struct fixture f;
	long long art = 0;
	long long id = -1;
	long long plan;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	db_artifact_want(f.db, f.base, 0, &art, NULL);
	plan = fixture_plan(&f, f.comparison, f.base, art);
	assert_int_equal(db_plan_next_unbuildable(f.db, &id, NULL), 0);
	assert_int_equal(id, 0);
	assert_int_equal(db_artifact_failed(f.db, art, "no rule", NULL), 0);
	assert_int_equal(db_plan_next_unbuildable(f.db, &id, NULL), 0);
	assert_int_equal(id, plan);
	fixture_close(&f);
}

static void a_repository_is_found_by_name_or_as_the_only_one(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db_repo repo;
	struct db_repo second = { .name = (char *)"next",
				  .path = (char *)"/n" };
	long long id = 0;

	(void)state;
	fixture_open(&f);
	assert_int_equal(db_repo_find(f.db, "", &repo, &err), ERR_NOTFOUND);
	fixture_fill(&f);
	assert_int_equal(db_repo_find(f.db, "", &repo, &err), 0);
	assert_string_equal(repo.name, "linux");
	db_repo_release(&repo);
	db_repo_put(f.db, &second, &id, NULL);
	assert_int_equal(db_repo_find(f.db, "", &repo, &err), ERR_USAGE);
	assert_contains(err.text, "linux, next");
	assert_int_equal(db_repo_find(f.db, "lunix", &repo, &err),
			 ERR_NOTFOUND);
	assert_contains(err.text, "linux, next");
	assert_int_equal(db_repo_find(f.db, "next", &repo, &err), 0);
	assert_int_equal(repo.id, id);
	db_repo_release(&repo);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_oldest_job_goes_first_and_its_boots_in_order),
		cmocka_unit_test(a_higher_priority_overtakes),
		cmocka_unit_test(a_plan_waits_for_its_pause_and_its_kernel),
		cmocka_unit_test(
			a_failed_plan_holds_its_box_until_its_pause_is_over),
		cmocka_unit_test(equal_trees_share_one_artifact),
		cmocka_unit_test(plans_of_a_kernel_that_failed_are_found),
		cmocka_unit_test(
			a_repository_is_found_by_name_or_as_the_only_one),
	};

	return RUN_TESTS(tests);
}
