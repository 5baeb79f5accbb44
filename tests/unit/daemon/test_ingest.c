// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/ingest.c, ingest_run.c and outcome.c: what the end of an
// attempt does to plans, boxes, comparisons and jobs.
#include "tests/unit/test.h"

#include "daemon/ingest.h"
#include "daemon/outcome.h"
#include "daemon/scheduler.h"
#include "db/db_flow_bisect.h"
#include "tests/unit/daemon/fixture.h"

#define BOOT                                                            \
	"\"boot\":{\"boot_id\":\"b\",\"build_id\":\"\",\"booted_s\":1," \
	"\"boot_seconds\":2.5}"
#define GOOD                                                                \
	"{\"status\":\"done\"," BOOT ",\"hw\":{\"model\":\"m\"},\"runs\":[" \
	"{\"seq\":1,\"status\":\"done\",\"started_s\":9,\"seconds\":1.5,"   \
	"\"metrics\":{\"stress-ng.pipe.ops_per_sec\":5,\"vmstat.cs\":7.5}," \
	"\"failures\":[\"dmesg.WARNING\"]},"                                \
	"{\"seq\":2,\"status\":\"failed\",\"why\":\"exit 1\"}]}"

static void a_result_is_stored_once(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long plan;
	long long id;
	int i;

	(void)state;
	open_lab(&l);
	plan = fixture_plan(&l.f, l.f.comparison, l.f.base, 0);
	id = lease_attempt(&l, plan, 0, &folder);
	write_file(folder, "result.json", GOOD);
	for (i = 0; i < 2; i++)
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 1);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM run"), 2);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM sample"), 2);
	assert_string_equal(sql_text(&l, "SELECT m.name FROM kpi k JOIN metric "
					 "m ON m.id = k.metric_id"),
			    "stress-ng.pipe.ops_per_sec");
	assert_string_equal(sql_text(&l, "SELECT name FROM run_failure"),
			    "dmesg.WARNING");
	assert_string_equal(sql_text(&l, "SELECT hw_json FROM box"),
			    "{\"model\":\"m\"}");
	assert_string_equal(sql_text(&l, "SELECT state FROM plan"), "done");
	assert_string_equal(sql_text(&l, "SELECT state FROM attempt"), "done");
	assert_int_equal(flow_nr_told, 1);
	assert_int_equal(flow_told[0], plan);
	assert_false(file_exists(folder));
	free(folder);
	close_lab(&l);
}

static void log_and_output_are_kept_when_the_folder_goes(void **state)
{
	struct lab_of_one l;
	char *folder;
	char *out;
	char *kept;
	long long id;

	(void)state;
	open_lab(&l);
	id = lease_attempt(&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0),
			   0, &folder);
	out = file_join(folder, "out");
	write_file(folder, "log", "said\n");
	write_file(out, "perf.data", "x");
	write_file(folder, "result.json", GOOD);
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	kept = xasprintf("%s/attempts/%lld/out/perf.data", l.d.cfg.artifact_dir,
			 id);
	assert_true(file_exists(kept));
	free(kept);
	kept = xasprintf("%s/attempts/%lld/log", l.d.cfg.artifact_dir, id);
	assert_true(file_exists(kept));
	free(kept);
	free(out);
	free(folder);
	close_lab(&l);
}

static void results_that_make_no_sense_are_trouble_of_the_lab(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "{\"status\":\"done\"}", "boot" },
		{ "{\"status\":\"done\",\"boot\":{},\"runs\":[]}", "boot_id" },
		{ "{\"status\":\"done\"," BOOT "}", "runs" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":[{\"seq\":1,"
		  "\"status\":\"great\"}]}",
		  "great" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":[{\"status\":"
		  "\"done\"}]}",
		  "seq" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":["
		  "{\"seq\":1,\"status\":\"done\",\"metrics\":{\"a\":1}},"
		  "{\"seq\":1,\"status\":\"done\",\"metrics\":{\"a\":1}}]}",
		  "UNIQUE" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":[{\"seq\":1,"
		  "\"status\":\"done\",\"metrics\":{\"a\":\"1\"}}]}",
		  "no number" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":[{\"seq\":1,"
		  "\"status\":\"done\",\"metrics\":{\"\":1}}]}",
		  "proper name" },
		{ "{\"status\":\"done\"," BOOT ",\"runs\":[{\"seq\":1,"
		  "\"status\":\"done\",\"seconds\":-1}]}",
		  "negative" },
		{ "{\"status\":\"perhaps\"}", "status" },
		{ "{\"status\":", "JSON" },
		{ NULL, "died without a result" },
	};
	struct lab_of_one l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		long long id;
		char *folder;

		open_lab(&l);
		id = lease_attempt(
			&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0), 0,
			&folder);
		if (rows[i].text)
			write_file(folder, "result.json", rows[i].text);
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		assert_contains(sql_text(&l, "SELECT why FROM attempt"),
				rows[i].says);
		assert_string_equal(sql_text(&l, "SELECT state FROM plan"),
				    "queued");
		assert_int_equal(sql_int(&l, "SELECT tries FROM plan"), 1);
		assert_int_equal(sql_int(&l, "SELECT not_before_s FROM plan"),
				 5001);
		assert_int_equal(sql_int(&l,
					 "SELECT (SELECT count(*) FROM boot) + "
					 "(SELECT count(*) FROM run) + "
					 "(SELECT count(*) FROM sample)"),
				 0);
		assert_int_equal(flow_nr_told, 0);
		free(folder);
		close_lab(&l);
	}
}

static void the_kind_of_a_failure_decides_what_follows(void **state)
{
	static const struct {
		const char *kind;
		const char *plan;
		const char *attempt;
		long long box_failures;
		int told;
	} rows[] = {
		{ "bench", "failed", "failed", 0, 1 },
		{ "boot", "failed", "failed", 0, 1 },
		{ "config", "failed", "failed", 0, 1 },
		{ "infra", "queued", "infra", 1, 0 },
		{ "timeout", "queued", "infra", 1, 0 },
		{ "io", "queued", "infra", 0, 0 },
		{ "nonsense", "queued", "infra", 1, 0 },
	};
	struct lab_of_one l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char *folder;
		char *text = xasprintf("{\"status\":\"failed\",\"kind\":\"%s\","
				       "\"message\":\"because\"}",
				       rows[i].kind);
		long long id;

		open_lab(&l);
		id = lease_attempt(
			&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0), 0,
			&folder);
		write_file(folder, "result.json", text);
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		assert_string_equal(sql_text(&l, "SELECT state FROM plan"),
				    rows[i].plan);
		assert_string_equal(sql_text(&l, "SELECT state FROM attempt"),
				    rows[i].attempt);
		assert_int_equal(sql_int(&l, "SELECT infra_failures FROM box"),
				 rows[i].box_failures);
		assert_int_equal(flow_nr_told, rows[i].told);
		free(text);
		free(folder);
		close_lab(&l);
	}
}

static void runs_before_a_crash_are_kept_as_evidence(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	id = lease_attempt(&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0),
			   0, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"failed\",\"kind\":\"bench\",\"message\":"
		   "\"kernel oops\"," BOOT ",\"runs\":[{\"seq\":1,\"status\":"
		   "\"failed\",\"failures\":[\"dmesg.Oops\"]}]}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_string_equal(sql_text(&l, "SELECT name FROM run_failure"),
			    "dmesg.Oops");
	assert_string_equal(sql_text(&l, "SELECT failure FROM plan"), "bench");
	free(folder);
	close_lab(&l);
}

static void another_kernel_than_asked_for_is_no_sample(void **state)
{
	struct db_artifact art = { .key = (char *)"k",
				   .kernel_path = (char *)"/k",
				   .build_id = (char *)"aa11" };
	struct lab_of_one l;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	db_artifact_want(l.f.db, l.f.base, 0, &art.id, NULL);
	db_artifact_done(l.f.db, &art, NULL);
	id = lease_attempt(&l,
			   fixture_plan(&l.f, l.f.comparison, l.f.base, art.id),
			   0, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"done\",\"boot\":{\"boot_id\":\"b\","
		   "\"build_id\":\"bb22\"},\"runs\":[]}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_contains(sql_text(&l, "SELECT why FROM attempt"),
			"ran build-id bb22, but aa11");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 0);
	free(folder);
	close_lab(&l);
}

static void a_box_that_goes_on_failing_is_put_aside(void **state)
{
	struct lab_of_one l;
	long long plan;
	int i;

	(void)state;
	open_lab(&l);
	l.d.cfg.run.retries = 2;
	plan = fixture_plan(&l.f, l.f.comparison, l.f.base, 0);
	for (i = 0; i < 3; i++) {
		char *folder;
		long long id = lease_attempt(&l, plan, 0, &folder);

		assert_string_equal(sql_text(&l, "SELECT state FROM box"),
				    "ready");
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		free(folder);
	}
	assert_string_equal(sql_text(&l, "SELECT state FROM box"),
			    "quarantined");
	assert_string_equal(sql_text(&l, "SELECT failure FROM plan"), "infra");
	assert_int_equal(flow_nr_told, 1);
	close_lab(&l);
}

static void a_flow_that_fails_fails_its_comparison_not_the_result(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	fixture_plan(&l.f, l.f.comparison, l.f.head, 0);
	id = lease_attempt(&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0),
			   0, &folder);
	write_file(folder, "result.json", GOOD);
	flow_error = ERR_DATA;
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM run"), 2);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM metric WHERE "
				     "name = 'half done'"),
			 0);
	assert_string_equal(sql_text(&l, "SELECT state || ': ' || why "
					 "FROM comparison"),
			    "failed: the flow can't go on");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM plan WHERE "
				     "state = 'cancelled'"),
			 1);
	assert_string_equal(sql_text(&l, "SELECT state || ': ' || why "
					 "FROM job"),
			    "failed: the flow can't go on");
	free(folder);
	close_lab(&l);
}

/*
 * Expected: what was found out stays, its bisection ends, the job's report
 * follows. Buggy: the bisection was "running" for good, the verdict became
 * "failed", and no report was written.
 */
static void a_flow_that_fails_leaves_a_verdict_alone(void **state)
{
	static const struct {
		const char *before, *after, *bisect;
		int reports;
	} rows[] = {
		{ "bisecting",
		  "done: slower; bisection failed: the flow "
		  "can't go on",
		  "failed", 1 },
		{ "running", "failed: the flow can't go on", "failed", 1 },
		{ "done", "done: slower", "running", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *none = json_object();
		struct lab_of_one l;
		char *folder;
		long long id;

		open_lab(&l);
		id = lease_attempt(
			&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0), 0,
			&folder);
		write_file(folder, "result.json", GOOD);
		db_comparison_set_state(l.f.db, l.f.comparison, rows[i].before,
					"slower", 1, NULL);
		assert_int_equal(db_bisect_add(l.f.db, l.f.comparison, none,
					       none, 1, NULL),
				 0);
		flow_error = ERR_DATA;
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		assert_string_equal(sql_text(&l, "SELECT state || ': ' || why "
						 "FROM comparison"),
				    rows[i].after);
		assert_string_equal(sql_text(&l, "SELECT state FROM bisect"),
				    rows[i].bisect);
		assert_int_equal(flow_nr_reports, rows[i].reports);
		json_decref(none);
		free(folder);
		close_lab(&l);
	}
}

static void a_cancelled_job_takes_no_result(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	id = lease_attempt(&l, fixture_plan(&l.f, l.f.comparison, l.f.base, 0),
			   0, &folder);
	write_file(folder, "result.json", GOOD);
	db_job_cancel_open(l.f.db, l.f.job, 1, NULL);
	db_job_end(l.f.db, l.f.job, "cancelled", "", 1, NULL);
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 0);
	assert_string_equal(sql_text(&l, "SELECT state FROM attempt"),
			    "cancelled");
	assert_string_equal(sql_text(&l, "SELECT state FROM plan"),
			    "cancelled");
	assert_int_equal(flow_nr_told, 0);
	free(folder);
	close_lab(&l);
}

static void a_job_ends_with_its_last_comparison(void **state)
{
	struct lab_of_one l;
	long long second;

	(void)state;
	open_lab(&l);
	second = fixture_comparison(&l.f, l.f.job);
	db_comparison_set_state(l.f.db, l.f.comparison, "failed", "no box", 1,
				NULL);
	assert_int_equal(outcome_job(&l.d, l.f.job, NULL), 0);
	assert_string_equal(sql_text(&l, "SELECT state FROM job"), "queued");
	db_comparison_set_state(l.f.db, second, "done", "", 1, NULL);
	assert_int_equal(outcome_job(&l.d, l.f.job, NULL), 0);
	assert_string_equal(sql_text(&l, "SELECT state FROM job"), "done");
	assert_string_equal(sql_text(&l, "SELECT text FROM event "
					 "ORDER BY id DESC"),
			    "job done");
	close_lab(&l);
}

/* Each job that waits hears once what the configuration does to it. */
static void a_build_warns_of_its_configuration_once(void **state)
{
	struct lab_of_one l;
	long long art[2] = { 0 };
	char *folder;
	size_t i;

	(void)state;
	open_lab(&l);
	db_artifact_want(l.f.db, l.f.base, 0, &art[0], NULL);
	db_artifact_want(l.f.db, l.f.head, 0, &art[1], NULL);
	for (i = 0; i < 2; i++) {
		long long id;

		fixture_plan(&l.f, l.f.comparison, i ? l.f.head : l.f.base,
			     art[i]);
		id = lease_attempt(&l, 0, art[i], &folder);
		write_file(folder, "result.json",
			   "{\"status\":\"done\",\"artifact\":\"k\","
			   "\"kernel\":\"/k\",\"build_id\":\"ab\","
			   "\"warnings\":[\"CONFIG_KASAN=y: slow\",7]}");
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		free(folder);
	}
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM event WHERE "
				     "kind = 'warning'"),
			 1);
	assert_string_equal(sql_text(&l, "SELECT text FROM event WHERE "
					 "kind = 'warning'"),
			    "CONFIG_KASAN=y: slow");
	close_lab(&l);
}

static void a_built_kernel_frees_the_plans_that_wait(void **state)
{
	struct lab_of_one l;
	long long art = 0;
	long long plan = 0;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	db_artifact_want(l.f.db, l.f.base, 0, &art, NULL);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art);
	id = lease_attempt(&l, 0, art, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"done\",\"artifact\":\"k\",\"kernel\":\"/k\","
		   "\"build_id\":\"ab\",\"seconds\":12.5}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_string_equal(sql_text(&l, "SELECT state || build_id || seconds "
					 "FROM artifact"),
			    "doneab12.5");
	assert_int_equal(db_plan_next(l.f.db, l.f.box, 5000, &plan, NULL), 0);
	assert_int_not_equal(plan, 0);
	free(folder);
	close_lab(&l);
}

static void a_kernel_that_does_not_build_fails_all_who_wait(void **state)
{
	struct lab_of_one l;
	long long art = 0;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	db_box_set_state(l.f.db, l.f.box, "drained", "", NULL);
	db_artifact_want(l.f.db, l.f.base, 0, &art, NULL);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art);
	id = lease_attempt(&l, 0, art, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"failed\",\"kind\":\"build\",\"message\":"
		   "\"mm/a.c:1: error\"}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	l.d.cfg.build.slots = 0;
	scheduler_run(&l.d);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM plan WHERE "
				     "state = 'failed' AND failure = 'build' "
				     "AND why = 'mm/a.c:1: error'"),
			 2);
	assert_int_equal(flow_nr_told, 2);
	free(folder);
	close_lab(&l);
}

static void a_lost_build_is_tried_again_a_limited_number_of_times(void **state)
{
	struct lab_of_one l;
	long long art = 0;
	int i;

	(void)state;
	open_lab(&l);
	l.d.cfg.run.retries = 2;
	db_artifact_want(l.f.db, l.f.base, 0, &art, NULL);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art);
	for (i = 0; i < 3; i++) {
		char *folder;
		long long id = lease_attempt(&l, 0, art, &folder);

		assert_string_equal(sql_text(&l, "SELECT state FROM plan"),
				    "queued");
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		assert_string_equal(sql_text(&l, "SELECT state FROM artifact"),
				    "wanted");
		free(folder);
	}
	assert_string_equal(sql_text(&l, "SELECT state || failure FROM plan"),
			    "failedinfra");
	close_lab(&l);
}

/*
 * Expected: who asks for the kernel later has all tries. Buggy: those of all
 * jobs since the last build that succeeded were added up, and the first failure
 * was the last. Nor do tries at the build count against the boot.
 */
static void each_boot_has_its_own_tries_at_a_build(void **state)
{
	struct lab_of_one l;
	long long art = 0;
	char *folder;
	long long id;
	int i;

	(void)state;
	open_lab(&l);
	l.d.cfg.run.retries = 1;
	db_artifact_want(l.f.db, l.f.base, 0, &art, NULL);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art);
	for (i = 0; i < 3; i++) {
		if (i == 2)
			fixture_plan(&l.f, l.f.comparison, l.f.base, art);
		id = lease_attempt(&l, 0, art, &folder);
		assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
		free(folder);
	}
	assert_string_equal(sql_text(&l, "SELECT group_concat(state || tries) "
					 "FROM (SELECT state, tries FROM plan "
					 "ORDER BY id)"),
			    "failed2,queued1");
	id = lease_attempt(&l, 0, art, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"done\",\"artifact\":\"k\",\"kernel\":\"/k\","
		   "\"build_id\":\"ab\",\"seconds\":12.5}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_int_equal(sql_int(&l, "SELECT tries FROM plan WHERE "
				     "state = 'queued'"),
			 0);
	free(folder);
	close_lab(&l);
}

static void a_kernel_that_was_removed_is_built_again(void **state)
{
	struct db_artifact art = { .key = (char *)"k",
				   .kernel_path = (char *)"/no/such/kernel",
				   .build_id = (char *)"aa11" };
	struct lab_of_one l;

	(void)state;
	open_lab(&l);
	db_artifact_want(l.f.db, l.f.base, 0, &art.id, NULL);
	db_artifact_done(l.f.db, &art, NULL);
	fixture_plan(&l.f, l.f.comparison, l.f.base, art.id);
	l.d.cfg.build.slots = 0;
	scheduler_run(&l.d);
	assert_string_equal(sql_text(&l, "SELECT state FROM artifact"),
			    "wanted");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM attempt"), 0);
	close_lab(&l);
}

static void pauses_grow_and_have_an_end(void **state)
{
	(void)state;
	assert_int_equal(outcome_backoff_s(1), 1);
	assert_int_equal(outcome_backoff_s(2), 4);
	assert_int_equal(outcome_backoff_s(3), 16);
	assert_int_equal(outcome_backoff_s(50), 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_is_stored_once),
		cmocka_unit_test(log_and_output_are_kept_when_the_folder_goes),
		cmocka_unit_test(
			results_that_make_no_sense_are_trouble_of_the_lab),
		cmocka_unit_test(the_kind_of_a_failure_decides_what_follows),
		cmocka_unit_test(runs_before_a_crash_are_kept_as_evidence),
		cmocka_unit_test(another_kernel_than_asked_for_is_no_sample),
		cmocka_unit_test(a_box_that_goes_on_failing_is_put_aside),
		cmocka_unit_test(
			a_flow_that_fails_fails_its_comparison_not_the_result),
		cmocka_unit_test(a_flow_that_fails_leaves_a_verdict_alone),
		cmocka_unit_test(a_cancelled_job_takes_no_result),
		cmocka_unit_test(a_job_ends_with_its_last_comparison),
		cmocka_unit_test(a_build_warns_of_its_configuration_once),
		cmocka_unit_test(a_built_kernel_frees_the_plans_that_wait),
		cmocka_unit_test(
			a_kernel_that_does_not_build_fails_all_who_wait),
		cmocka_unit_test(
			a_lost_build_is_tried_again_a_limited_number_of_times),
		cmocka_unit_test(each_boot_has_its_own_tries_at_a_build),
		cmocka_unit_test(a_kernel_that_was_removed_is_built_again),
		cmocka_unit_test(pauses_grow_and_have_an_end),
	};

	return RUN_TESTS(tests);
}
