// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/boot_check.c through ingest: which boots become samples, and
// what becomes of the others.
#include "tests/unit/test.h"

#include "daemon/ingest.h"
#include "tests/unit/daemon/fixture.h"

/* Ingest a boot of @plan that says this of itself. */
static void boot(struct lab_of_one *l, long long plan, const char *invariants)
{
	char *text = xasprintf(
		"{\"status\":\"done\",\"boot\":{\"boot_id\":\"b\","
		"\"build_id\":\"\",\"booted_s\":1,\"boot_seconds\":1,"
		"\"invariants\":%s},\"runs\":[{\"seq\":1,\"status\":\"done\","
		"\"metrics\":{\"bench.ops_per_sec\":5}}]}",
		invariants);
	char *folder;
	long long id = lease_attempt(l, plan, 0, &folder);

	write_file(folder, "result.json", text);
	assert_int_equal(ingest_attempt(&l->d, id, NULL), 0);
	free(folder);
	free(text);
}

static long long plan_of(struct lab_of_one *l, long long commit)
{
	return fixture_plan(&l->f, l->f.comparison, commit, 0);
}

static void a_changed_microcode_is_never_a_sample(void **state)
{
	struct lab_of_one l;
	long long plan;

	(void)state;
	open_lab(&l);
	l.d.cfg.run.retries = 1;
	boot(&l, plan_of(&l, l.f.base), "{\"microcode\":\"0x2b\"}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM sample"), 1);
	assert_string_equal(sql_text(&l, "SELECT invariants_json FROM box"),
			    "{\"microcode\":\"0x2b\"}");
	plan = plan_of(&l, l.f.head);
	boot(&l, plan, "{\"microcode\":\"0x2c\"}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM sample"), 1);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 1);
	assert_string_equal(
		sql_text(&l, "SELECT why FROM rejected_boot"),
		"box box-1: this boot doesn't count, its results "
		"were not looked at: microcode: 0x2c, but 0x2b when "
		"the box was first seen; if that is meant to stay, "
		"drover box resume box-1 takes it over");
	assert_int_equal(sql_int(&l, "SELECT infra_failures FROM box"), 1);
	assert_string_equal(sql_text(&l, "SELECT state FROM plan WHERE id = 2"),
			    "queued");
	assert_contains(sql_text(&l, "SELECT text FROM event WHERE "
				     "kind = 'retry'"),
			"is tried again");
	/* it stays so: the box is put aside with the reason */
	boot(&l, plan, "{\"microcode\":\"0x2c\"}");
	assert_string_equal(sql_text(&l, "SELECT state FROM box"),
			    "quarantined");
	assert_contains(sql_text(&l, "SELECT why FROM box"), "microcode: 0x2c");
	assert_string_equal(
		sql_text(&l, "SELECT failure FROM plan WHERE id = 2"), "infra");
	close_lab(&l);
}

static void what_a_kernel_changes_is_believed_when_repeated(void **state)
{
	struct lab_of_one l;
	long long plan;

	(void)state;
	open_lab(&l);
	boot(&l, plan_of(&l, l.f.base), "{\"numa_balancing\":1}");
	plan = plan_of(&l, l.f.head);
	boot(&l, plan, "{\"numa_balancing\":0}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 1);
	boot(&l, plan, "{\"numa_balancing\":0}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 2);
	assert_string_equal(sql_text(&l, "SELECT state FROM plan WHERE id = 2"),
			    "done");
	assert_int_equal(sql_int(&l, "SELECT infra_failures FROM box"), 0);
	/* and the other side is still what it was */
	boot(&l, plan_of(&l, l.f.base), "{\"numa_balancing\":1}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 3);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM rejected_boot"), 1);
	close_lab(&l);
}

static void throttled_runs_are_void(void **state)
{
	struct lab_of_one l;

	(void)state;
	open_lab(&l);
	boot(&l, plan_of(&l, l.f.base), "{\"throttled_in_runs\":4}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 0);
	assert_contains(sql_text(&l, "SELECT why FROM attempt"),
			"throttling of CPUs during the runs: 4;");
	close_lab(&l);
}

/* A benchmark that fails in a void boot is no fact about the commit. */
static void a_failure_in_a_void_boot_is_none(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long id;

	(void)state;
	open_lab(&l);
	boot(&l, plan_of(&l, l.f.base), "{\"smt\":\"on\"}");
	id = lease_attempt(&l, plan_of(&l, l.f.head), 0, &folder);
	write_file(folder, "result.json",
		   "{\"status\":\"failed\",\"kind\":\"bench\",\"message\":"
		   "\"no\",\"boot\":{\"boot_id\":\"b\",\"invariants\":"
		   "{\"smt\":\"off\"}},\"runs\":[]}");
	assert_int_equal(ingest_attempt(&l.d, id, NULL), 0);
	assert_string_equal(sql_text(&l, "SELECT state FROM plan WHERE id = 2"),
			    "queued");
	assert_string_equal(sql_text(&l, "SELECT state FROM attempt WHERE "
					 "id = 2"),
			    "infra");
	free(folder);
	close_lab(&l);
}

static void who_says_nothing_is_held_to_nothing(void **state)
{
	struct lab_of_one l;

	(void)state;
	open_lab(&l);
	boot(&l, plan_of(&l, l.f.base), "{}");
	boot(&l, plan_of(&l, l.f.base), "[1]");
	boot(&l, plan_of(&l, l.f.base), "{\"smt\":\"on\"}");
	boot(&l, plan_of(&l, l.f.base), "{}");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM boot"), 4);
	close_lab(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_microcode_is_never_a_sample),
		cmocka_unit_test(
			what_a_kernel_changes_is_believed_when_repeated),
		cmocka_unit_test(throttled_runs_are_void),
		cmocka_unit_test(a_failure_in_a_void_boot_is_none),
		cmocka_unit_test(who_says_nothing_is_held_to_nothing),
	};

	return RUN_TESTS(tests);
}
