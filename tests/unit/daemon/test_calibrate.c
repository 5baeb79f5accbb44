// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/flow_calibrate*.c, flow_calibrated.c and calibrate_idle.c
// over a database without a daemon: what is booted, what is concluded, when it
// is believed.
#include "tests/unit/test.h"

#include <math.h>

#include "base/clock.h"
#include "base/rand.h"
#include "daemon/calibrate_idle.h"
#include "daemon/flow.h"
#include "daemon/flow_calibrate.h"
#include "daemon/ops.h"
#include "db/db_calibration.h"
#include "db/db_flow.h"
#include "db/db_invariant.h"
#include "db/db_sample.h"
#include "tests/unit/db/fixture.h"

#define METRIC "stress-ng.pipe.ops_per_sec"
#define NOW_S  1700000000LL
#define DAY_S  86400

struct lab {
	struct fixture f;
	struct daemon d;
	long long job, comparison, calibration;
};

static void must(int rc, const struct err *err)
{
	if (rc)
		fail_msg("%d: %s", rc, err->text);
}

static void set(struct lab *l, const char *key, const char *value)
{
	struct err err = { 0 };

	must(config_set(&l->d.cfg, key, value, "test", &err), &err);
}

static void lab_open(struct lab *l)
{
	memset(l, 0, sizeof(*l));
	clock_set_fake(1, NOW_S);
	fixture_open(&l->f);
	fixture_fill(&l->f);
	config_init(&l->d.cfg);
	l->d.db = l->f.db;
	set(l, "artifact_dir", l->f.dir);
	set(l, "mail.enabled", "true");
	set(l, "mail.from", "Drover <drover@lab.example.org>");
	set(l, "mail.admin", "admin@example.org");
}

static void lab_close(struct lab *l)
{
	config_release(&l->d.cfg);
	fixture_close(&l->f);
	clock_set_fake(-1, -1);
}

static void set_box(struct lab *l, const char *spec)
{
	struct db_box box = { .name = (char *)"box-1",
			      .tbox_group = (char *)"g",
			      .tags = (char *)"" };
	struct err err = { 0 };
	long long id = 0;

	box.spec = json_parse(spec, strlen(spec), "spec", &err);
	must(box.spec ? 0 : err.code, &err);
	must(db_box_put(l->f.db, &box, &id, &err), &err);
	json_decref(box.spec);
}

#define NO_KERNEL "{\"name\": \"box-1\", \"backend\": \"null\"}"
#define KERNEL                                                                 \
	"{\"name\": \"box-1\", \"backend\": \"null\", \"boot\": {\"method\": " \
	"\"command\", \"install\": [\"true\"], \"reboot\": [\"true\"]}}"

/* As op submit does it. */
static void begin(struct lab *l, long long boots, long long layouts)
{
	struct err err = { 0 };
	struct db_job job = { .created_s = NOW_S,
			      .repo_id = l->f.repo,
			      .base_id = l->f.base,
			      .head_id = l->f.base,
			      .name = (char *)"pipe",
			      .yaml = (char *)"" };
	struct db_series series = { .repo_id = l->f.repo,
				    .testcase = "stress-ng",
				    .path = "stress-ng/pipe",
				    .tbox_group = "g",
				    .rootfs = "",
				    .kconfig = "",
				    .compiler = "" };
	struct db_comparison c = { .base_id = l->f.base,
				   .head_id = l->f.base,
				   .box_id = l->f.box };
	struct db_calibration k = { .nr_boots = boots, .nr_layouts = layouts };
	json_t *atomic = json_pack("{s:s}", "workload", "stress-ng");

	job.options = json_pack("{s:I}", "calibrate", (json_int_t)boots);
	series.job = atomic;
	must(db_job_add(l->f.db, &job, &l->job, &err), &err);
	must(db_series_put(l->f.db, &series, &c.series_id, &err), &err);
	c.job_id = l->job;
	must(db_comparison_add(l->f.db, &c, NOW_S, &l->comparison, &err), &err);
	k.comparison_id = l->comparison;
	must(db_calibration_add(l->f.db, &k, true, NOW_S, &l->calibration,
				&err),
	     &err);
	must(flow_comparison_start(&l->d, l->comparison, &err), &err);
	json_decref((json_t *)job.options);
	json_decref(atomic);
}

static long long add_run(struct lab *l, long long boot, long long seq,
			 double value)
{
	struct db_run run = { .boot_id = boot,
			      .seq = seq,
			      .started_s = NOW_S,
			      .state = "done",
			      .why = "" };
	struct err err = { 0 };
	long long id = 0;

	must(db_run_add(l->f.db, &run, &id, &err), &err);
	must(db_sample_add(l->f.db, id, METRIC, value, true, &err), &err);
	must(db_sample_add(l->f.db, id, "vmstat.cs", 7, false, &err), &err);
	return id;
}

/* A boot of two runs at @level, and the plan's end. */
static void measure(struct lab *l, long long plan, double level, double noise)
{
	struct db_attempt a = { .kind = (char *)"run",
				.plan_id = plan,
				.box_id = l->f.box,
				.started_s = NOW_S };
	struct db_boot boot = { .plan_id = plan,
				.booted_s = NOW_S,
				.boot_id = "x",
				.build_id = "" };
	struct err err = { 0 };
	long long id = 0;
	char token[33];

	snprintf(token, sizeof(token), "token%lld", plan);
	a.token = token;
	must(db_attempt_add(l->f.db, &a, "t", &boot.attempt_id, &err), &err);
	must(db_boot_add(l->f.db, &boot, &id, &err), &err);
	add_run(l, id, 1, level * (1 + noise));
	add_run(l, id, 2, level * (1 - noise));
	must(db_plan_end(l->f.db, plan, "done", "", "", &err), &err);
	must(flow_plan_ended(&l->d, plan, &err), &err);
}

static json_t *plans(struct lab *l)
{
	return db_flow_plans(l->f.db, l->comparison, 0, NULL);
}

/* All boots: 1 % between boots, 0.2 % inside; @jump in the middle. */
static void measure_all(struct lab *l, double jump)
{
	json_t *rows = plans(l);
	size_t nr = json_array_size(rows);
	struct rand r;
	const json_t *p;
	size_t i;

	rand_seed(&r, 11);
	json_array_foreach(rows, i, p) measure(
		l, json_opt_int(p, "id", 0),
		1000 * (1 + 0.01 * rand_normal(&r) + (i >= nr / 2) * jump),
		0.002);
	json_decref(rows);
}

static const char *sql(struct lab *l, const char *text)
{
	static char out[1024];
	struct db_stmt *q = db_stmt(l->f.db, text);

	out[0] = '\0';
	if (db_step(q, NULL) > 0)
		snprintf(out, sizeof(out), "%s", db_col_text(q, 0));
	db_stmt_free(&q);
	return out;
}

static void exec(struct lab *l, const char *text)
{
	struct err err = { 0 };

	must(db_run(db_stmt(l->f.db, text), &err), &err);
}

/* What a comparison of the same series would be told. */
static void look_up(struct lab *l, const char *metric,
		    struct flow_calibration *out)
{
	struct err err = { 0 };
	struct flow f;

	must(flow_open(&l->d, l->comparison, &f, &err), &err);
	must(flow_calibration_get(&f, l->f.box, metric, out, &err), &err);
	flow_close(&f);
}

static void expect_state(struct lab *l, enum flow_calibrated state,
			 const char *why)
{
	struct flow_calibration c;

	look_up(l, METRIC, &c);
	assert_string_equal(flow_calibrated_to_str(c.state),
			    flow_calibrated_to_str(state));
	assert_int_equal(c.why != NULL, *why != '\0');
	if (c.why)
		assert_contains(c.why, why);
	flow_calibration_release(&c);
}

static void one_kernel_is_booted_so_many_times(void **state)
{
	struct lab l;
	json_t *rows;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	begin(&l, 20, 2);
	rows = plans(&l);
	/* a box that boots no kernel of ours has no layouts */
	assert_int_equal(json_array_size(rows), 20);
	json_decref(rows);
	assert_string_equal(sql(&l, "SELECT text FROM event ORDER BY id DESC"),
			    "calibrating box box-1 for stress-ng/pipe: 20 "
			    "boots of 111111111111, 2 runs each");
	lab_close(&l);
}

static void layouts_stand_between_the_boots(void **state)
{
	struct lab l;
	json_t *rows;
	const json_t *p;
	size_t first = 0, last = 0, i;

	(void)state;
	lab_open(&l);
	set_box(&l, KERNEL);
	begin(&l, 20, 3);
	rows = plans(&l);
	assert_int_equal(json_array_size(rows), 20 + 3 * FLOW_LAYOUT_BOOTS);
	json_array_foreach(rows, i, p)
	{
		if (!json_opt_int(p, "layout", 0))
			continue;
		first = first ? first : i;
		last = i;
	}
	assert_in_range(first, 1, 5);
	assert_in_range(last, 26, 31);
	assert_string_equal(sql(&l, "SELECT count(DISTINCT artifact_id) FROM "
				    "plan"),
			    "4");
	json_decref(rows);
	lab_close(&l);
}

static void a_good_box_is_calibrated(void **state)
{
	struct flow_calibration c;
	struct lab l;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	begin(&l, 20, 0);
	expect_state(&l, FLOW_CALIBRATED_NONE, "");
	measure_all(&l, 0);
	assert_string_equal(sql(&l, "SELECT state || verdict FROM comparison "
				    "WHERE id = 2"),
			    "done");
	assert_string_equal(sql(&l, "SELECT verdict || boots || headline FROM "
				    "calibration"),
			    "ok20" METRIC);
	assert_contains(sql(&l, "SELECT why FROM comparison WHERE id = 2"),
			METRIC ": 20 boots, 40 runs: one run in a fresh boot "
			       "±");
	look_up(&l, METRIC, &c);
	assert_int_equal(c.state, FLOW_CALIBRATED_OK);
	assert_true(c.sd > 0.006 && c.sd < 0.015);
	assert_true(c.boot_share > 0.85 && c.dof > 15 && c.drift_sd < 0);
	assert_true(isnan(c.layout_sd));
	assert_int_equal(c.aa_trials, 500);
	assert_true(c.aa_alarms <= 5);
	flow_calibration_release(&c);
	/* all metrics are stored; of others nothing is known */
	assert_string_equal(sql(&l, "SELECT count(*) FROM calibration_metric"),
			    "2");
	look_up(&l, "something.else", &c);
	assert_int_equal(c.state, FLOW_CALIBRATED_NONE);
	flow_calibration_release(&c);
	assert_string_equal(sql(&l, "SELECT state FROM box"), "ready");
	assert_string_equal(sql(&l, "SELECT count(*) FROM outbox"), "0");
	lab_close(&l);
}

static void a_box_that_fails_is_put_aside_with_the_reason(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	begin(&l, 20, 0);
	measure_all(&l, -0.08);
	assert_string_equal(sql(&l, "SELECT verdict FROM calibration"),
			    "failed");
	assert_string_equal(sql(&l, "SELECT state FROM box"), "quarantined");
	assert_contains(sql(&l, "SELECT why FROM box"),
			"A/A failed for stress-ng/pipe: " METRIC
			": the second half of 20 boots of one kernel "
			"measured -");
	assert_contains(sql(&l, "SELECT why FROM box"),
			"drover box resume box-1 and drover calibrate box-1 "
			"JOB");
	assert_contains(sql(&l, "SELECT text FROM event WHERE kind = 'box'"),
			"box box-1 is put aside: A/A failed");
	assert_string_equal(sql(&l, "SELECT subject FROM outbox"),
			    "[drover] box box-1 is put aside");
	assert_contains(sql(&l, "SELECT headers_json FROM outbox"),
			"\"to\":[\"admin@example.org\"]");
	/* the operator's mail isn't the job's report */
	assert_null(db_flow_mail_of(l.f.db, l.job, NULL));
	expect_state(&l, FLOW_CALIBRATED_FAILED, "failed its calibration");
	lab_close(&l);
}

static void too_few_boots_say_nothing(void **state)
{
	struct err err = { 0 };
	struct lab l;
	json_t *rows;
	size_t i;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	begin(&l, 20, 0);
	rows = plans(&l);
	for (i = 0; i < 20; i++) {
		long long id = json_opt_int(json_array_get(rows, i), "id", 0);

		if (i < 7) {
			measure(&l, id, 1000, 0.01);
			continue;
		}
		must(db_plan_end(l.f.db, id, "failed", "bench", "x", &err),
		     &err);
		must(flow_plan_ended(&l.d, id, &err), &err);
	}
	json_decref(rows);
	assert_string_equal(sql(&l, "SELECT state FROM comparison WHERE "
				    "id = 2"),
			    "failed");
	assert_contains(sql(&l, "SELECT why FROM comparison WHERE id = 2"),
			"only 7 of 20 boots gave values of " METRIC
			", and 8 are needed");
	expect_state(&l, FLOW_CALIBRATED_NONE, "");
	assert_string_equal(sql(&l, "SELECT state FROM box"), "ready");
	lab_close(&l);
}

static void what_is_old_or_of_another_machine_is_stale(void **state)
{
	json_t *seen = json_pack("{s:s}", "microcode", "0x2b");
	json_t *now = json_pack("{s:s}", "microcode", "0x2c");
	struct lab l;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	db_invariants_set(l.f.db, l.f.box, seen, NULL);
	begin(&l, 20, 0);
	measure_all(&l, 0);
	expect_state(&l, FLOW_CALIBRATED_OK, "");
	clock_set_fake(1, NOW_S + 31 * DAY_S);
	expect_state(&l, FLOW_CALIBRATED_STALE,
		     "the calibration of box box-1 is 31 days old "
		     "(calibrate.max_age is 30); drover calibrate box-1 JOB");
	clock_set_fake(1, NOW_S + 29 * DAY_S);
	expect_state(&l, FLOW_CALIBRATED_OK, "");
	db_invariants_set(l.f.db, l.f.box, now, NULL);
	expect_state(&l, FLOW_CALIBRATED_STALE,
		     "no longer the one that was calibrated: microcode was "
		     "0x2b, is 0x2c");
	db_invariants_set(l.f.db, l.f.box, seen, NULL);
	exec(&l, "UPDATE repo SET kconfig = '/k/other.config'");
	expect_state(&l, FLOW_CALIBRATED_STALE,
		     "another kernel configuration or compiler");
	json_decref(seen);
	json_decref(now);
	lab_close(&l);
}

static void a_stale_calibration_forbids_to_accuse(void **state)
{
	struct err err = { 0 };
	struct flow f;
	struct lab l;
	json_t *boxes;
	char *why = NULL;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	boxes = json_pack("[{s:I}]", "id", (json_int_t)l.f.box);
	begin(&l, 20, 0);
	exec(&l, "UPDATE comparison SET headline = '" METRIC "'");
	must(flow_open(&l.d, l.comparison, &f, &err), &err);
	/* who never calibrated isn't concerned */
	must(flow_calibration_forbids(&f, boxes, &why, &err), &err);
	assert_null(why);
	measure_all(&l, 0);
	must(flow_calibration_forbids(&f, boxes, &why, &err), &err);
	assert_null(why);
	clock_set_fake(1, NOW_S + 400 * DAY_S);
	must(flow_calibration_forbids(&f, boxes, &why, &err), &err);
	assert_contains(why, "400 days old");
	free(why);
	flow_close(&f);
	json_decref(boxes);
	lab_close(&l);
}

static void people_are_told_what_each_is_worth(void **state)
{
	struct err err = { 0 };
	struct lab l;
	json_t *rows;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	begin(&l, 20, 0);
	rows = op_calibration_rows(&l.d, 0, 0, &err);
	assert_string_equal(json_opt_str(json_array_get(rows, 0), "state", ""),
			    "running");
	json_decref(rows);
	measure_all(&l, 0);
	begin(&l, 20, 0);
	measure_all(&l, 0);
	rows = op_calibration_rows(&l.d, l.f.box, 0, &err);
	/* the older one is left out */
	assert_int_equal(json_array_size(rows), 1);
	assert_string_equal(json_opt_str(json_array_get(rows, 0), "state", ""),
			    "ok");
	assert_null(json_object_get(json_array_get(rows, 0), "repo_kconfig"));
	json_decref(rows);
	rows = op_calibration_rows(&l.d, 0, 1, &err);
	assert_string_equal(json_opt_str(json_array_get(rows, 0), "state", ""),
			    "old");
	json_decref(rows);
	lab_close(&l);
}

static void idle_boxes_are_calibrated_at_night(void **state)
{
	long long night_s = NOW_S / DAY_S * DAY_S + 2 * 3600;
	struct lab l;

	(void)state;
	lab_open(&l);
	set_box(&l, NO_KERNEL);
	db_comparison_set_state(l.f.db, l.f.comparison, "done", "", night_s,
				NULL);
	exec(&l, "UPDATE comparison SET created_s = 1699990000");
	clock_set_fake(1, night_s);
	/* nobody wants it */
	calibrate_idle(&l.d);
	assert_string_equal(sql(&l, "SELECT count(*) FROM calibration"), "0");
	set(&l, "calibrate.hour", "3");
	calibrate_idle(&l.d);
	assert_string_equal(sql(&l, "SELECT count(*) FROM calibration"), "0");
	set(&l, "calibrate.hour", "22");
	calibrate_idle(&l.d);
	assert_string_equal(sql(&l, "SELECT count(*) || by_itself FROM "
				    "calibration"),
			    "11");
	assert_string_equal(sql(&l, "SELECT prio || state FROM job WHERE id = "
				    "2"),
			    "-1000queued");
	assert_string_equal(sql(&l, "SELECT count(*) FROM plan WHERE state = "
				    "'queued'"),
			    "20");
	/* once a minute at most; and then the box has work */
	calibrate_idle(&l.d);
	clock_set_fake(100000000000LL, night_s + 100);
	calibrate_idle(&l.d);
	assert_string_equal(sql(&l, "SELECT count(*) FROM calibration"), "1");
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_kernel_is_booted_so_many_times),
		cmocka_unit_test(layouts_stand_between_the_boots),
		cmocka_unit_test(a_good_box_is_calibrated),
		cmocka_unit_test(a_box_that_fails_is_put_aside_with_the_reason),
		cmocka_unit_test(too_few_boots_say_nothing),
		cmocka_unit_test(what_is_old_or_of_another_machine_is_stale),
		cmocka_unit_test(a_stale_calibration_forbids_to_accuse),
		cmocka_unit_test(people_are_told_what_each_is_worth),
		cmocka_unit_test(idle_boxes_are_calibrated_at_night),
	};

	return RUN_TESTS(tests);
}
