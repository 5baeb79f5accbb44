// SPDX-License-Identifier: GPL-3.0-or-later
/* stress-ng's output, as captured from 0.15.06 and in the forms of others. */
#include "tests/unit/jobs/fixture.h"

#include "base/mem.h"
#include "jobs/workload.h"

static int parse(const char *out, size_t out_len, const char *yaml,
		 size_t yaml_len, struct metric_set *set, struct err *err)
{
	static const char *const pairs[] = { "test", "pipe", NULL };
	struct job job = job_of("stress-ng", pairs);
	const struct workload_output in = { .out = out,
					    .out_len = out_len,
					    .file = yaml,
					    .file_len = yaml_len };
	int rc;

	metric_set_init(set);
	rc = workload_stress_ng.parse(&job, &in, set, err);
	job_release(&job);
	return rc;
}

static void names_come_from_the_text_and_numbers_from_the_yaml(void **state)
{
	struct str out = fixture("stress-ng-switch.out");
	struct str yaml = fixture("stress-ng-switch.yaml");
	struct metric_set set;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(out.p, out.len, yaml.p, yaml.len, &set, &err),
			 0);
	assert_metric(&set, "stress-ng.switch.ops", 276396);
	assert_metric(&set, "stress-ng.switch.ops_per_sec", 138055.239702);
	assert_metric(
		&set,
		"stress-ng.switch.nanosecs_per_context_switch_pipe_method",
		14633.652158);
	assert_int_equal(set.nr, 3);
	assert_int_equal(set.nr_failures, 0);
	metric_set_release(&set);
	str_release(&out);
	str_release(&yaml);
}

static void without_yaml_the_text_has_to_do(void **state)
{
	struct str out = fixture("stress-ng-switch.out");
	struct str yaml = fixture("stress-ng-switch.yaml");
	struct metric_set set;
	struct err err = { 0 };

	(void)state;
	/* missing, and cut short in the middle of a line */
	for (size_t len = 0; len < 600; len += 597) {
		assert_int_equal(parse(out.p, out.len, yaml.p, len, &set, &err),
				 0);
		assert_metric(&set, "stress-ng.switch.ops_per_sec", 138055.24);
		assert_metric(&set,
			      "stress-ng.switch.nanosecs_per_context_switch_"
			      "pipe_method",
			      14524.58);
		metric_set_release(&set);
	}
	str_release(&out);
	str_release(&yaml);
}

static void without_text_the_yaml_has_to_do(void **state)
{
	struct str yaml = fixture("stress-ng-switch.yaml");
	struct metric_set set;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(NULL, 0, yaml.p, yaml.len, &set, &err), 0);
	assert_metric(&set, "stress-ng.switch.ops_per_sec", 138055.239702);
	assert_int_equal(set.nr, 3);
	metric_set_release(&set);
	str_release(&yaml);
}

static void a_stressor_without_operations_is_a_failure_row(void **state)
{
	struct str out = fixture("stress-ng-multi.out");
	struct str yaml = fixture("stress-ng-multi.yaml");
	struct metric_set set;
	struct err err = { 0 };
	double v;

	(void)state;
	assert_int_equal(parse(out.p, out.len, yaml.p, yaml.len, &set, &err),
			 0);
	assert_failure(&set, "stress-ng.uprobe.fail");
	assert_false(metric_find(&set, "stress-ng.uprobe.ops", &v));
	assert_false(metric_find(&set, "stress-ng.uprobe.ops_per_sec", &v));
	assert_true(metric_of(&set, "stress-ng.flock.ops_per_sec") > 0);
	assert_true(metric_of(&set, "stress-ng.udp-flood.MB_per_sec_sendto_"
				    "rate") > 0);
	assert_true(
		metric_of(&set,
			  "stress-ng.flock.nanosecs_per_flock_unlock_call") >
		0);
	metric_set_release(&set);
	str_release(&out);
	str_release(&yaml);
}

static void lines_of_other_versions_are_understood(void **state)
{
	static const char text[] =
		"stress-ng: info:  [4372] flock         470916710     60.00    "
		"128.04   1291.13   7848529.59      331824.84\n"
		"stress-ng: metrc: [5] symlink 7.5 links created/removed per "
		"sec (harmonic mean of 4 instances)\n"
		"stress-ng: info:  [2792] stream          2111.71 memory rate "
		"(Mflop per sec) (average per stressor)\n"
		"stress-ng: metrc: [5237] udp-flood            100.00 % sendto "
		"calls succeeded (geometric mean of 128 instances)\n"
		"stress-ng: metrc: [ 99] physmmap  40704.00 /dev/kmem mmaps "
		"succeed (total of 256 instances)\n";
	struct metric_set set;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(text, strlen(text), NULL, 0, &set, &err), 0);
	assert_metric(&set, "stress-ng.flock.ops_per_sec", 7848529.59);
	assert_metric(&set, "stress-ng.symlink.links_created/removed_per_sec",
		      7.5);
	assert_metric(&set, "stress-ng.stream.memory_rate_Mflop_per_sec",
		      2111.71);
	assert_metric(&set, "stress-ng.udp-flood.%_sendto_calls_succeeded",
		      100);
	assert_metric(&set, "stress-ng.physmmap./dev/kmem_mmaps_succeed",
		      40704);
	metric_set_release(&set);
}

static void output_without_a_result_is_an_error(void **state)
{
	static const char *const texts[] = {
		"",
		"stress-ng: unrecognized option '--nosuch'\n",
		"stress-ng: metrc: [1] pipe 0 1 2 3 4 5\n",
		"stress-ng: metrc: [1] pipe 1 2 3\n",
		"stress-ng: metrc: [1] pipe nan nan nan nan nan nan\n",
		"stress-ng: metrc: [1 pipe 1 2 3 4 5 6\n",
		"stress-ng: metrc:\n",
		"\n\n]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct metric_set set;
		struct err err = { 0 };

		assert_int_equal(
			parse(texts[i], strlen(texts[i]), NULL, 0, &set, &err),
			ERR_BENCH);
		metric_set_release(&set);
	}
}

static void floods_are_bounded(void **state)
{
	struct str s = STR_INIT;
	struct metric_set set;
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++)
		str_addf(&s, "stress-ng: metrc: [1] s%d 1 2 3 4 5 6\n", i);
	while (s.len < (3u << 20))
		str_add(&s, "stress-ng: metrc: [1] (((((((((((((((((((((((");
	assert_int_equal(parse(s.p, s.len, NULL, 0, &set, &err), 0);
	assert_true(set.nr <= 2000);
	metric_set_release(&set);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			names_come_from_the_text_and_numbers_from_the_yaml),
		cmocka_unit_test(without_yaml_the_text_has_to_do),
		cmocka_unit_test(without_text_the_yaml_has_to_do),
		cmocka_unit_test(
			a_stressor_without_operations_is_a_failure_row),
		cmocka_unit_test(lines_of_other_versions_are_understood),
		cmocka_unit_test(output_without_a_result_is_an_error),
		cmocka_unit_test(floods_are_bounded),
	};

	return RUN_TESTS(tests);
}
