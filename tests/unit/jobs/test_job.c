// SPDX-License-Identifier: GPL-3.0-or-later
/* Atomic jobs: parameters in order, JSON there and back, durations. */
#include "tests/unit/jobs/fixture.h"

#include "base/json.h"
#include "base/mem.h"
#include "jobs/programs.h"

static void parameters_stay_sorted_and_unique(void **state)
{
	struct job job;

	(void)state;
	job_init(&job);
	job_set_param(&job, "b", "1", true);
	job_set_param(&job, "a", "2", false);
	job_set_param(&job, "b", "3", true);
	assert_int_equal(job.nr_params, 2);
	assert_string_equal(job.params[0].name, "a");
	assert_string_equal(job_param(&job, "b"), "3");
	assert_null(job_param(&job, "c"));
	job_add_param(&job, "b", "4", true);
	assert_int_equal(job.nr_params, 3);
	assert_string_equal(job_param(&job, "b"), "4");
	job_drop_param(&job, "b");
	assert_int_equal(job.nr_params, 1);
	job_release(&job);
}

static void a_job_survives_json(void **state)
{
	static const char *const pairs[] = { "test", "pipeherd", "nr_threads",
					     "50%",  "testtime", "60s",
					     NULL };
	struct job job = job_of("stress-ng", pairs), copy;
	struct err err = { 0 };
	json_t *one, *two;

	(void)state;
	job_set_param(&job, "need_memory", "2G", false);
	one = job_to_json(&job);
	assert_string_equal(json_opt_str(one, "path", ""),
			    "stress-ng/50%-pipeherd-60s");
	assert_int_equal(json_opt_int(one, "timeout_s", 0), 150);
	assert_int_equal(job_from_json(one, &copy, &err), 0);
	two = job_to_json(&copy);
	assert_true(json_equal(one, two));
	assert_string_equal(copy.workload, "stress-ng");
	assert_true(copy.runtime_s == 60);
	assert_string_equal(job_param(&copy, "need_memory"), "2G");
	json_decref(one);
	json_decref(two);
	job_release(&job);
	job_release(&copy);
}

static void bad_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{}",
		"{\"testcase\":\"x\"}",
		"{\"testcase\":\"a/b\",\"params\":{}}",
		"{\"testcase\":\"\",\"params\":{}}",
		"{\"testcase\":\"x\",\"params\":{\"a\":1}}",
		"{\"testcase\":\"x\",\"params\":[]}",
		"{\"testcase\":\"x\",\"params\":{},\"settings\":{\"a\":{}}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };
		struct job job;
		json_t *j = json_parse(bad[i], strlen(bad[i]), "t", &err);

		assert_non_null(j);
		assert_int_equal(job_from_json(j, &job, &err), ERR_DATA);
		json_decref(j);
	}
}

static void durations_are_read_with_their_unit(void **state)
{
	static const struct {
		const char *text;
		double want; /* -1: refused */
	} cases[] = {
		{ "60", 60 },	 { "60s", 60 }, { "2m", 120 }, { "1.5h", 5400 },
		{ "1d", 86400 }, { "", -1 },	{ "s", -1 },   { "-1", -1 },
		{ "1x", -1 },	 { "1s ", -1 }, { "nan", -1 }, { "1e3", -1 },
		{ "1.2.3", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double v = -1;
		bool ok = job_duration(cases[i].text, &v);

		assert_int_equal(ok, cases[i].want >= 0);
		assert_true(v == cases[i].want);
	}
}

static void the_program_table_is_sorted_and_searchable(void **state)
{
	const struct program *p;

	(void)state;
	for (size_t i = 1; i < programs_nr; i++)
		assert_true(strcmp(programs[i - 1].name, programs[i].name) <=
			    0);
	for (size_t i = 0; i < programs_nr; i++)
		assert_string_equal(program_find(programs[i].name)->name,
				    programs[i].name);
	assert_null(program_find("no-such-program"));
	/* used twice: the benchmark comes first */
	assert_int_equal(program_find("oltp")->kind, PROGRAM_RUN);
	p = program_find("stress-ng");
	assert_true(program_has_option(p, "hdd_opts"));
	assert_false(program_has_option(p, "hdd"));
	assert_false(program_has_option(p, "opts"));
	assert_false(program_has_option(p, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_stay_sorted_and_unique),
		cmocka_unit_test(a_job_survives_json),
		cmocka_unit_test(bad_json_is_refused),
		cmocka_unit_test(durations_are_read_with_their_unit),
		cmocka_unit_test(the_program_table_is_sorted_and_searchable),
	};

	return RUN_TESTS(tests);
}
