// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/run_spec.c: a task as the daemon writes it, and damaged.
#include "tests/unit/test.h"

#include "base/mem.h"
#include "runners/run.h"

static const char good[] =
	"{\"attempt\": 7, \"token\": \"0123456789abcdef\","
	" \"commit\": \"0123456789abcdef0123456789abcdef01234567\","
	" \"kernel\": \"/k/bzImage\", \"build_id\": \"ab12\","
	" \"box\": {\"name\": \"n0\", \"backend\": \"null\"},"
	" \"job\": {\"testcase\": \"stress-ng\", \"workload\": \"stress-ng\","
	"  \"params\": {\"test\": \"pipe\"}},"
	" \"runs\": 3, \"monitors\": [\"meminfo\", \"time\"],"
	" \"timeout_s\": 90, \"lease_s\": 20}";

static json_t *spec_json(void)
{
	json_t *json = json_parse(good, strlen(good), "task.json", NULL);

	assert_non_null(json);
	return json;
}

static void a_task_becomes_a_struct(void **state)
{
	json_t *json = spec_json();
	struct run_spec spec;

	(void)state;
	assert_int_equal(run_spec_parse(json, &spec, NULL), 0);
	assert_int_equal(spec.attempt, 7);
	assert_string_equal(spec.token, "0123456789abcdef");
	assert_string_equal(spec.kernel, "/k/bzImage");
	assert_string_equal(spec.build_id, "ab12");
	assert_string_equal(spec.box.name, "n0");
	assert_string_equal(job_param(&spec.job, "test"), "pipe");
	assert_int_equal(spec.runs, 3);
	assert_string_equal(spec.monitors[0], "meminfo");
	assert_string_equal(spec.monitors[1], "time");
	assert_null(spec.monitors[2]);
	assert_true(spec.timeout_s == 90);
	assert_true(spec.lease_s == 20);
	run_spec_release(&spec);
	json_decref(json);
}

static void what_is_left_out_has_a_default(void **state)
{
	static const char *const keys[] = {
		"kernel", "build_id", "runs", "monitors", "timeout_s", "lease_s"
	};
	json_t *json = spec_json();
	struct run_spec spec;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_del(json, keys[i]);
	assert_int_equal(run_spec_parse(json, &spec, NULL), 0);
	assert_int_equal(spec.runs, 1);
	assert_string_equal(spec.kernel, "");
	assert_null(spec.monitors[0]);
	assert_true(spec.timeout_s >= 1);
	run_spec_release(&spec);
	json_decref(json);
}

static void a_missing_key_is_named(void **state)
{
	static const char *const keys[] = { "attempt", "token", "commit", "box",
					    "job" };
	struct run_spec spec;
	struct err err;
	json_t *json;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		json = spec_json();
		json_object_del(json, keys[i]);
		assert_int_equal(run_spec_parse(json, &spec, &err), ERR_DATA);
		assert_contains(err.text, keys[i]);
		run_spec_release(&spec);
		json_decref(json);
	}
}

/* Values that would reach a shell, a path or a loop if they were believed. */
static void hostile_values_are_refused(void **state)
{
	static const struct {
		const char *key;
		const char *value;
	} rows[] = {
		{ "token", "\"$(touch canary)\"" },
		{ "token", "\"../../../../etc\"" },
		{ "token", "\"abc\"" },
		{ "token", "\"0123456789ABCDEF\"" },
		{ "commit", "\"HEAD; touch canary\"" },
		{ "commit", "\"-x\"" },
		{ "attempt", "-1" },
		{ "attempt", "\"7\"" },
		{ "runs", "0" },
		{ "runs", "1001" },
		{ "runs", "-1" },
		{ "monitors", "[\"no-such-monitor\"]" },
		{ "monitors", "[7]" },
		{ "monitors", "\"meminfo\"" },
		{ "timeout_s", "0" },
		{ "timeout_s", "1e300" },
		{ "lease_s", "-5" },
		{ "lease_s", "0.5" },
		{ "boot_timeout_s", "0" },
		{ "connect_timeout_s", "-1" },
	};
	struct run_spec spec;
	struct err err;
	json_t *json;
	json_t *value;
	int ret;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		json = spec_json();
		value = json_loads(rows[i].value, JSON_DECODE_ANY, NULL);
		json_object_set_new(json, rows[i].key, value);
		ret = run_spec_parse(json, &spec, &err);
		if (ret != ERR_DATA && ret != ERR_RANGE)
			fail_msg("%s %s: %d", rows[i].key, rows[i].value, ret);
		run_spec_release(&spec);
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_becomes_a_struct),
		cmocka_unit_test(what_is_left_out_has_a_default),
		cmocka_unit_test(a_missing_key_is_named),
		cmocka_unit_test(hostile_values_are_refused),
	};

	return RUN_TESTS(tests);
}
