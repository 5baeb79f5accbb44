// SPDX-License-Identifier: GPL-3.0-or-later
/* Reductions, spool ticks, text spans, and the metric set behind them. */
#include "tests/unit/jobs/fixture.h"

#include "base/mem.h"
#include "jobs/series.h"
#include "jobs/text.h"
#include "jobs/ticks.h"

static void each_rule_reduces_in_its_way(void **state)
{
	static const double values[] = { 5, 1, 9 };
	struct series_set *set = series_set_new();
	struct metric_set out;

	(void)state;
	metric_set_init(&out);
	for (size_t i = 0; i < 3; i++) {
		series_add(set, SERIES_MEAN, values[i], "mean");
		series_add(set, SERIES_DELTA, values[i], "delta");
		series_add(set, SERIES_MAX, values[i], "max");
		series_add(set, SERIES_SUM, values[i], "sum");
		series_add(set, SERIES_LAST, values[i], "last");
	}
	series_flush(set, &out);
	series_set_free(set);
	assert_metric(&out, "mean", 5);
	assert_metric(&out, "delta", 4);
	assert_metric(&out, "max", 9);
	assert_metric(&out, "sum", 15);
	assert_metric(&out, "last", 9);
	assert_string_equal(out.v[1].name, "delta");
	metric_set_release(&out);
}

static void counters_seen_once_or_going_back_give_nothing(void **state)
{
	struct series_set *set = series_set_new();
	struct metric_set out;

	(void)state;
	metric_set_init(&out);
	series_add(set, SERIES_DELTA, 5, "once");
	series_add(set, SERIES_DELTA, 5, "back");
	series_add(set, SERIES_DELTA, 4, "back");
	series_add(set, SERIES_MEAN, NAN, "nan");
	series_add(set, SERIES_MEAN, INFINITY, "inf");
	series_flush(set, &out);
	series_set_free(set);
	assert_int_equal(out.nr, 0);
	metric_set_release(&out);
}

static void the_number_of_series_is_limited(void **state)
{
	struct series_set *set = series_set_new();
	struct metric_set out;

	(void)state;
	metric_set_init(&out);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < METRIC_MAX + 100; i++)
			series_add(set, SERIES_MEAN, i, "s.%d", i);
	series_flush(set, &out);
	series_set_free(set);
	assert_int_equal(out.nr, METRIC_MAX);
	assert_metric(&out, "s.19999", 19999);
	metric_set_release(&out);
}

static void names_are_cleaned_and_bad_values_counted(void **state)
{
	struct metric_set set;
	char longer[METRIC_NAME_MAX_BYTES + 2];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	metric_set_init(&set);
	metric_add(&set, 1, "a b\"<\x1b[31m\xff'c");
	assert_string_equal(set.v[0].name, "a_b___[31m__c");
	metric_add(&set, NAN, "n");
	metric_add(&set, INFINITY, "i");
	metric_add(&set, 1, "%s", longer);
	metric_add(&set, 1, "%s", "");
	assert_int_equal(set.nr, 1);
	assert_int_equal(set.dropped, 4);
	metric_fail(&set, "x\ny");
	metric_fail(&set, "x\ny");
	assert_int_equal(set.nr_failures, 1);
	assert_string_equal(set.failures[0], "x_y");
	for (int i = 0; i < METRIC_MAX_FAILURES + 5; i++)
		metric_fail(&set, "f%d", i);
	assert_int_equal(set.nr_failures, METRIC_MAX_FAILURES);
	metric_set_release(&set);
}

static void sorting_keeps_the_first_of_equal_names(void **state)
{
	struct metric_set set;

	(void)state;
	metric_set_init(&set);
	metric_add(&set, 1, "b");
	metric_add(&set, 2, "a");
	metric_add(&set, 3, "b");
	metric_add(&set, 4, "a");
	metric_fail(&set, "z");
	metric_fail(&set, "y");
	metric_set_sort(&set);
	assert_int_equal(set.nr, 2);
	assert_metric(&set, "a", 2);
	assert_metric(&set, "b", 1);
	assert_string_equal(set.v[0].name, "a");
	assert_string_equal(set.failures[0], "y");
	metric_set_release(&set);
}

static void a_spool_splits_at_its_headers(void **state)
{
	static const char text[] = "junk\n# /early\nx\n@ 1.5\n# /a\none\ntwo\n"
				   "# not a path\n# /b\n@ x\n@ 0.5\n# /c\nend";
	const struct monitor_input in = { text, sizeof(text) - 1, "b" };
	struct ticks t = ticks_of(&in);
	struct tick_file f;

	(void)state;
	assert_true(ticks_next(&t, &f));
	assert_true(text_is(f.path, "/a"));
	assert_true(text_is(f.body, "one\ntwo\n# not a path\n"));
	assert_int_equal(f.tick, 0);
	assert_true(f.uptime_s == 1.5);
	assert_true(ticks_next(&t, &f));
	assert_true(text_is(f.path, "/b"));
	assert_true(text_is(f.body, "@ x\n"));
	assert_true(ticks_next(&t, &f));
	assert_true(text_is(f.body, "end"));
	assert_int_equal(f.tick, 1);
	/* time doesn't go back */
	assert_true(f.uptime_s == 1.5);
	assert_false(ticks_next(&t, &f));
}

static void path_numbers_are_whole_components(void **state)
{
	static const struct {
		const char *path, *prefix;
		long want;
	} cases[] = {
		{ "/sys/devices/system/node/node3/vmstat", "node", 3 },
		{ "/sys/cpu/cpu12/cpuidle/state4/time", "state", 4 },
		{ "/sys/cpu/cpu12/cpuidle/state4/time", "cpu", 12 },
		{ "/sys/node/nodex/vmstat", "node", -1 },
		{ "/sys/node/node/vmstat", "node", -1 },
		{ "/sys/node/node1x/vmstat", "node", -1 },
		{ "/sys/node/node99999999/vmstat", "node", -1 },
		{ "", "node", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = { cases[i].path, strlen(cases[i].path) };

		assert_int_equal(ticks_path_number(t, cases[i].prefix),
				 cases[i].want);
	}
}

static void numbers_are_plain_decimals(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		double want;
	} cases[] = {
		{ "12", true, 12 },  { "-1.5", true, -1.5 },
		{ "+3", true, 3 },   { "1e3", true, 1000 },
		{ "", false, 0 },    { "nan", false, 0 },
		{ "inf", false, 0 }, { "0x10", false, 0 },
		{ "1 ", false, 0 },  { "1e999", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = { cases[i].text, strlen(cases[i].text) };
		double v = 0;

		assert_int_equal(text_number(t, &v), cases[i].ok);
		assert_true(v == cases[i].want);
	}
}

static void words_and_lines_end_where_the_bytes_end(void **state)
{
	static const char bytes[] = {
		' ', 'a', '\t', 'b', '\0', 'c', '\n', 'd'
	};
	struct text rest = { bytes, sizeof(bytes) }, line, word;

	(void)state;
	assert_true(text_line(&rest, &line));
	assert_int_equal(line.len, 6);
	assert_true(text_word(&line, &word));
	assert_true(text_is(word, "a"));
	assert_true(text_word(&line, &word));
	assert_int_equal(word.len, 3);
	assert_false(text_word(&line, &word));
	assert_true(text_line(&rest, &line));
	assert_true(text_is(line, "d"));
	assert_false(text_line(&rest, &line));
	assert_int_equal(text_skip(word, 100).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_reduces_in_its_way),
		cmocka_unit_test(counters_seen_once_or_going_back_give_nothing),
		cmocka_unit_test(the_number_of_series_is_limited),
		cmocka_unit_test(names_are_cleaned_and_bad_values_counted),
		cmocka_unit_test(sorting_keeps_the_first_of_equal_names),
		cmocka_unit_test(a_spool_splits_at_its_headers),
		cmocka_unit_test(path_numbers_are_whole_components),
		cmocka_unit_test(numbers_are_plain_decimals),
		cmocka_unit_test(words_and_lines_end_where_the_bytes_end),
	};

	return RUN_TESTS(tests);
}
