// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/db_box.c, db_attempt.c, db_job.c, db_sample.c and db_event.c.
#include "tests/unit/test.h"

#include "db/db_event.h"
#include "db/db_sample.h"
#include "tests/unit/db/fixture.h"

static void choose(struct fixture *f, const char *name, const char *tag,
		   const char *want)
{
	struct str got = STR_INIT;
	struct db_ids ids = { 0 };
	struct err err = { 0 };
	size_t i;

	if (db_box_choose(f->db, name, tag, &ids, &err))
		str_add(&got, err.text);
	for (i = 0; i < ids.nr; i++) {
		struct db_box box;

		assert_int_equal(db_box_get(f->db, ids.v[i], &box, NULL), 0);
		str_addf(&got, "%s%s", i ? " " : "", box.name);
		db_box_release(&box);
	}
	if (err.code)
		assert_contains(got.p, want);
	else
		assert_string_equal(got.p, want);
	str_release(&got);
	free(ids.v);
}

static void boxes_are_chosen_by_name_tag_or_the_largest_group(void **state)
{
	struct fixture f;
	long long c;

	(void)state;
	fixture_open(&f);
	choose(&f, NULL, NULL, "no box is ready (drover box list shows why)");
	fixture_fill(&f); /* box-1: group g, numa fast */
	fixture_box(&f, "box-2", "h", "numa");
	c = fixture_box(&f, "box-3", "h", "fastest");
	choose(&f, NULL, NULL, "box-2 box-3");
	choose(&f, "box-1", NULL, "box-1");
	choose(&f, NULL, "fast", "box-1");
	choose(&f, NULL, "fas", "no ready box has the tag \"fas\"");
	choose(&f, "box-9", NULL,
	       "no box \"box-9\"; there are: box-1, box-2, box-3");
	db_box_set_state(f.db, c, "quarantined", "host key", NULL);
	choose(&f, "box-3", NULL, "box box-3 is quarantined: host key");
	/* the least busy box comes first */
	db_box_set_state(f.db, c, "ready", "", NULL);
	fixture_box(&f, "box-1", "h", "");
	fixture_plan(&f, f.comparison, f.base, 0);
	choose(&f, NULL, NULL, "box-2 box-3 box-1");
	fixture_close(&f);
}

static void putting_a_box_again_keeps_its_state(void **state)
{
	struct fixture f;
	struct db_box box;
	long long id;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	db_box_set_state(f.db, f.box, "drained", "moving", NULL);
	id = fixture_box(&f, "box-1", "other", "");
	assert_int_equal(id, f.box);
	assert_int_equal(db_box_get(f.db, id, &box, NULL), 0);
	assert_string_equal(box.state, "drained");
	assert_string_equal(box.tbox_group, "other");
	db_box_release(&box);
	fixture_close(&f);
}

static long long attempt(struct fixture *f, long long plan, const char *token)
{
	struct db_attempt a = { .kind = (char *)"run",
				.plan_id = plan,
				.box_id = f->box,
				.token = (char *)token,
				.started_s = 1 };
	long long id = 0;

	assert_int_equal(db_attempt_add(f->db, &a, "/t", &id, NULL), 0);
	return id;
}

static void a_box_is_free_when_nothing_on_it_is_leased(void **state)
{
	struct fixture f;
	struct db_attempt got;
	struct db_ids ids = { 0 };
	long long plan;
	long long id;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	plan = fixture_plan(&f, f.comparison, f.base, 0);
	id = attempt(&f, plan, "0123456789abcdef");
	assert_int_equal(db_box_free(f.db, &ids, NULL), 0);
	assert_int_equal(ids.nr, 0);
	assert_int_equal(db_attempt_get(f.db, id, &got, NULL), 0);
	assert_string_equal(got.folder, "/t/1-01234567");
	db_attempt_release(&got);
	assert_int_equal(db_attempt_end(f.db, id, "done", "", "", NULL), 0);
	assert_int_equal(db_attempt_end(f.db, id, "lost", "", "", NULL),
			 ERR_EXISTS);
	assert_int_equal(db_box_free(f.db, &ids, NULL), 0);
	assert_int_equal(ids.nr, 1);
	free(ids.v);
	fixture_close(&f);
}

static void a_jobs_outcome_adds_up_its_comparisons(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		const char *outcome;
		const char *why;
	} rows[] = {
		{ "running", "done", "", "" },
		{ "done", "bisecting", "", "" },
		{ "done", "failed", "done", "" },
		{ "failed", "cancelled", "failed", "why failed" },
		{ "cancelled", "cancelled", "cancelled", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f;
		const char *out = NULL;
		char *why = NULL;
		long long b;

		fixture_open(&f);
		fixture_fill(&f);
		b = fixture_comparison(&f, f.job);
		db_comparison_set_state(f.db, f.comparison, rows[i].a,
					"why failed", 1, NULL);
		db_comparison_set_state(f.db, b, rows[i].b, "b", 1, NULL);
		assert_int_equal(db_job_outcome(f.db, f.job, &out, &why, NULL),
				 0);
		assert_string_equal(out, rows[i].outcome);
		if (*rows[i].why)
			assert_string_equal(why, rows[i].why);
		free(why);
		fixture_close(&f);
	}
}

static void a_client_key_is_one_job(void **state)
{
	struct fixture f;
	json_t *options = json_object();
	struct db_job job = { .uid = 7,
			      .name = (char *)"n",
			      .yaml = (char *)"",
			      .client_key = (char *)"key",
			      .options = options };
	long long id = 0;
	long long found = -1;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	job.repo_id = f.repo;
	job.base_id = f.base;
	job.head_id = f.head;
	assert_int_equal(db_job_by_key(f.db, "key", &found, NULL), 0);
	assert_int_equal(found, 0);
	assert_int_equal(db_job_add(f.db, &job, &id, NULL), 0);
	assert_int_equal(db_job_by_key(f.db, "key", &found, NULL), 0);
	assert_int_equal(found, id);
	assert_int_equal(db_job_add(f.db, &job, &id, NULL), ERR_EXISTS);
	json_decref(options);
	fixture_close(&f);
}

static void add_run(struct fixture *f, long long boot, long long seq,
		    const char *metric, double value)
{
	struct db_run run = {
		.boot_id = boot, .seq = seq, .state = "done", .why = ""
	};
	long long id = 0;

	assert_int_equal(db_run_add(f->db, &run, &id, NULL), 0);
	assert_int_equal(db_sample_add(f->db, id, metric, value, true, NULL),
			 0);
	assert_int_equal(db_sample_add(f->db, id, metric, value, true, NULL),
			 ERR_EXISTS);
}

static void a_matrix_has_null_where_a_run_lacks_the_metric(void **state)
{
	struct fixture f;
	struct db_boot boot = { .boot_id = "b", .build_id = "" };
	struct db_matrix m;
	struct str text = STR_INIT;
	long long id = 0;
	int i;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	for (i = 0; i < 2; i++) {
		boot.plan_id = fixture_plan(&f, f.comparison, f.base, 0);
		boot.attempt_id = attempt(&f, boot.plan_id,
					  i ? "second token" : "first token");
		assert_int_equal(db_boot_add(f.db, &boot, &id, NULL), 0);
		add_run(&f, id, 1, i ? "b" : "a", 1 + i);
		add_run(&f, id, 2, "a", 3 + i);
	}
	assert_int_equal(db_sample_matrix(f.db, f.comparison, f.base, &m, NULL),
			 0);
	json_add_text(&text, m.values);
	str_addch(&text, ' ');
	json_add_text(&text, m.boots);
	str_addch(&text, ' ');
	json_add_text(&text, m.pairs);
	assert_string_equal(text.p, "{\"a\":[1.0,3.0,null,4.0],"
				    "\"b\":[null,null,2.0,null]} [0,0,1,1] "
				    "[0,0,1,1]");
	json_decref(m.values);
	json_decref(m.boots);
	json_decref(m.pairs);
	str_release(&text);
	fixture_close(&f);
}

static void events_are_listed_from_where_one_left_off(void **state)
{
	struct fixture f;
	json_t *list;
	int i;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	for (i = 0; i < 5; i++)
		assert_int_equal(db_event_add(f.db, i == 2 ? 0 : f.job, "k",
					      "t", i, NULL),
				 0);
	list = db_event_list(f.db, f.job, 1, 2, NULL);
	assert_int_equal(json_array_size(list), 2);
	assert_int_equal(json_opt_int(json_array_get(list, 0), "id", 0), 2);
	assert_int_equal(json_opt_int(json_array_get(list, 1), "id", 0), 4);
	json_decref(list);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			boxes_are_chosen_by_name_tag_or_the_largest_group),
		cmocka_unit_test(putting_a_box_again_keeps_its_state),
		cmocka_unit_test(a_box_is_free_when_nothing_on_it_is_leased),
		cmocka_unit_test(a_jobs_outcome_adds_up_its_comparisons),
		cmocka_unit_test(a_client_key_is_one_job),
		cmocka_unit_test(
			a_matrix_has_null_where_a_run_lacks_the_metric),
		cmocka_unit_test(events_are_listed_from_where_one_left_off),
	};

	return RUN_TESTS(tests);
}
