// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/db_calibration.c and db/db_invariant.c.
#include "tests/unit/test.h"

#include <math.h>

#include "db/db_calibration.h"
#include "db/db_invariant.h"
#include "tests/unit/db/fixture.h"

#define METRIC "bench.ops_per_sec"

/* A calibration of a box by the fixture's base. */
static long long calibrate(struct fixture *f, long long box, double mean,
			   const char *verdict, long long at_s)
{
	struct db_comparison c = { .job_id = f->job,
				   .series_id = f->series,
				   .box_id = box,
				   .base_id = f->base,
				   .head_id = f->base };
	struct db_calibration k = { .nr_boots = 20, .nr_layouts = 2 };
	struct db_calibration_metric m = { .metric = METRIC,
					   .kpi = true,
					   .mean = mean,
					   .sd = 0.01,
					   .sd_run = 0.005,
					   .sd_boot = 0.0087,
					   .boot_share = 0.75,
					   .dof = 22.5,
					   .layout_sd = NAN,
					   .aa_trials = 500,
					   .halves_e = 1,
					   .verdict = "ok" };
	json_t *invariants = json_pack("{s:s}", "microcode", "0x2b");
	struct db_calibration_end e = { .boots = 20,
					.runs = 40,
					.invariants = invariants,
					.headline = METRIC,
					.verdict = verdict,
					.why = "a sentence" };
	long long id = 0;

	assert_int_equal(
		db_comparison_add(f->db, &c, 1000, &k.comparison_id, NULL), 0);
	assert_int_equal(db_calibration_add(f->db, &k, true, 1000, &id, NULL),
			 0);
	if (at_s) {
		assert_int_equal(db_calibration_put(f->db, id, &m, NULL), 0);
		assert_int_equal(db_calibration_end(f->db, id, &e, at_s, NULL),
				 0);
	}
	json_decref(invariants);
	return id;
}

static json_t *find(struct fixture *f, long long box, const char *metric)
{
	return db_calibration_for(f->db, f->series, box, metric, NULL);
}

static void the_newest_evaluated_one_counts(void **state)
{
	struct fixture f;
	json_t *row;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	assert_null(find(&f, f.box, METRIC));
	calibrate(&f, f.box, 100, "ok", 2000);
	calibrate(&f, f.box, 101, "failed", 3000);
	/* not evaluated yet */
	calibrate(&f, f.box, 102, "ok", 0);
	row = find(&f, f.box, METRIC);
	assert_int_equal(json_opt_int(row, "at_s", 0), 3000);
	assert_string_equal(json_opt_str(row, "verdict", ""), "failed");
	assert_string_equal(json_opt_str(row, "kconfig", ""), "/k/slim.config");
	assert_string_equal(json_opt_str(json_object_get(row, "invariants"),
					 "microcode", ""),
			    "0x2b");
	assert_true(json_opt_num(row, "dof", 0) == 22.5);
	assert_true(json_is_null(json_object_get(row, "layout_sd_ratio")));
	json_decref(row);
	row = find(&f, f.box, "another");
	assert_true(json_is_null(json_object_get(row, "sd_ratio")));
	json_decref(row);
	fixture_close(&f);
}

static void boxes_of_a_series_are_compared(void **state)
{
	struct fixture f;
	long long other, id;
	json_t *rows;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	other = fixture_box(&f, "box-2", "g", "");
	calibrate(&f, f.box, 100, "ok", 2000);
	/* an older one doesn't count, a failed one neither */
	calibrate(&f, f.box, 200, "failed", 2500);
	id = calibrate(&f, other, 97, "ok", 3000);
	rows = db_calibration_metrics(f.db, id, NULL);
	assert_true(
		fabs(json_opt_num(json_array_get(rows, 0), "offset_ratio", 0) +
		     0.03) < 1e-9);
	json_decref(rows);
	rows = db_calibration_list(f.db, 0, 0, NULL);
	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(json_opt_str(json_array_get(rows, 0), "box", ""),
			    "box-2");
	assert_int_equal(json_opt_int(json_array_get(rows, 2), "newest", -1),
			 0);
	json_decref(rows);
	rows = db_calibration_list(f.db, f.box, 0, NULL);
	assert_int_equal(json_array_size(rows), 2);
	json_decref(rows);
	fixture_close(&f);
}

static void another_kconfig_is_elsewhere(void **state)
{
	struct fixture f;
	struct db_series s = { .testcase = "bench",
			       .path = "bench/60s",
			       .tbox_group = "g",
			       .rootfs = "",
			       .kconfig = "full",
			       .compiler = "" };
	json_t *job = json_pack("{s:s}", "workload", "stress-ng");
	long long id = 0, at_s = -1;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	s.repo_id = f.repo;
	s.job = job;
	assert_int_equal(db_series_put(f.db, &s, &id, NULL), 0);
	assert_int_equal(db_calibration_elsewhere(f.db, id, f.box, &at_s, NULL),
			 0);
	assert_int_equal(at_s, 0);
	calibrate(&f, f.box, 100, "ok", 2000);
	db_calibration_elsewhere(f.db, id, f.box, &at_s, NULL);
	assert_int_equal(at_s, 2000);
	db_calibration_elsewhere(f.db, f.series, f.box, &at_s, NULL);
	assert_int_equal(at_s, 0);
	json_decref(job);
	fixture_close(&f);
}

static bool is_due(struct fixture *f, long long before_s)
{
	json_t *row = db_calibration_due(f->db, 500, before_s, NULL);
	bool due = row;

	if (due) {
		assert_int_equal(json_opt_int(row, "series_id", 0), f->series);
		assert_int_equal(json_opt_int(row, "commit_id", 0), f->base);
		assert_string_equal(json_opt_str(row, "box", ""), "box-1");
	}
	json_decref(row);
	return due;
}

static void only_idle_boxes_with_old_calibrations_are_due(void **state)
{
	struct fixture f;
	long long plan;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	/* nothing has been measured there */
	assert_false(is_due(&f, 5000));
	db_comparison_set_state(f.db, f.comparison, "done", "", 1500, NULL);
	assert_true(is_due(&f, 5000));
	plan = fixture_plan(&f, f.comparison, f.base, 0);
	assert_false(is_due(&f, 5000));
	db_plan_end(f.db, plan, "done", "", "", NULL);
	db_box_set_state(f.db, f.box, "drained", "", NULL);
	assert_false(is_due(&f, 5000));
	db_box_set_state(f.db, f.box, "ready", "", NULL);
	calibrate(&f, f.box, 100, "ok", 2000);
	assert_true(is_due(&f, 5000));
	/* begun at 1000 */
	assert_false(is_due(&f, 900));
	fixture_close(&f);
}

static void the_boot_before_is_of_the_same_kernel(void **state)
{
	struct fixture f;
	struct db_attempt a = { .kind = (char *)"run",
				.token = (char *)"00000000aa" };
	json_t *said = json_pack("{s:i}", "numa_balancing", 0);
	json_t *row;
	long long id = 0, plan;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	plan = fixture_plan(&f, f.comparison, f.base, 0);
	row = db_invariants_of(f.db, plan, NULL);
	assert_int_equal(json_object_size(json_object_get(row, "seen")), 0);
	assert_true(json_is_null(json_object_get(row, "before")));
	json_decref(row);
	a.plan_id = plan;
	a.box_id = f.box;
	assert_int_equal(db_attempt_add(f.db, &a, "t", &id, NULL), 0);
	assert_int_equal(db_boot_reject(f.db, id, said, "why", 5, NULL), 0);
	row = db_invariants_of(f.db, plan, NULL);
	assert_true(json_equal(json_object_get(row, "before"), said));
	json_decref(row);
	plan = fixture_plan(&f, f.comparison, f.head, 0);
	row = db_invariants_of(f.db, plan, NULL);
	assert_true(json_is_null(json_object_get(row, "before")));
	json_decref(row);
	assert_int_equal(db_invariants_set(f.db, f.box, said, NULL), 0);
	row = db_invariants_get(f.db, f.box, NULL);
	assert_true(json_equal(row, said));
	json_decref(row);
	json_decref(said);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_evaluated_one_counts),
		cmocka_unit_test(boxes_of_a_series_are_compared),
		cmocka_unit_test(another_kconfig_is_elsewhere),
		cmocka_unit_test(only_idle_boxes_with_old_calibrations_are_due),
		cmocka_unit_test(the_boot_before_is_of_the_same_kernel),
	};

	return RUN_TESTS(tests);
}
