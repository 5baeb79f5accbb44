// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/compare_order.c.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include "base/str.h"

/* The names in the order of printing, a blank between them. */
static void assert_order(const struct comparison *c, enum compare_show show,
			 const char *expected)
{
	struct str got = STR_INIT;
	size_t *row;
	size_t nr = compare_order(c, show, &row);

	for (size_t i = 0; i < nr; i++)
		str_addf(&got, "%s%s", i ? " " : "", c->metric[row[i]].name);
	assert_string_equal(got.p, expected);
	free(row);
	str_release(&got);
}

static void failures_then_own_then_families_by_size(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c,
		    "{\"zeta.a\": [1], \"alpha.b\": [1], \"alpha.a\": [1],"
		    " \"beta.x\": [1], \"bench.q\": [1], \"bench.p\": [1],"
		    " \"bench.o\": [1], \"dmesg.x\": [1], \"bench.fail\": [1]}",
		    "{}", "bench");
	assert_order(&c, COMPARE_SHOW_ALL,
		     "bench.fail dmesg.x bench.o bench.p bench.q beta.x zeta.a "
		     "alpha.a alpha.b");
	compare_release(&c);
}

static void a_flavour_of_the_benchmark_goes_by_size(void **state)
{
	struct comparison c;

	/* as the published fio-basic tables have it */
	(void)state;
	compare_two(&c, "{\"fio.a\": [1], \"fio.b\": [1], \"m.x\": [1]}", "{}",
		    "fio-basic");
	assert_order(&c, COMPARE_SHOW_ALL, "m.x fio.a fio.b");
	compare_release(&c);
}

static void only_shown_rows_count_for_the_order(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c,
		    "{\"a.x\": [1,1,1], \"a.y\": [1,1,1],"
		    " \"b.x\": [1,1,1], \"b.y\": [1,1,1], \"b.z\": [1,1,1]}",
		    "{\"a.x\": [2,2,2], \"a.y\": [2,2,2],"
		    " \"b.x\": [1,1,1], \"b.y\": [2,2,2], \"b.z\": [1,1,1]}",
		    "");
	assert_order(&c, COMPARE_SHOW_CHANGED, "b.y a.x a.y");
	assert_order(&c, COMPARE_SHOW_ALL, "a.x a.y b.x b.y b.z");
	compare_release(&c);
}

static void profiles_go_by_kind_and_signed_change(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c,
		    "{\"perf-profile.self.e.a\": [5],"
		    " \"perf-profile.children.e.a\": [5],"
		    " \"perf-profile.children.e.b\": [5],"
		    " \"perf-profile.calltrace.e.z\": [5],"
		    " \"perf-profile.calltrace.e.y\": [5],"
		    " \"perf-profile.calltrace.e.x\": [5]}",
		    "{\"perf-profile.self.e.a\": [1],"
		    " \"perf-profile.children.e.a\": [6],"
		    " \"perf-profile.children.e.b\": [4],"
		    " \"perf-profile.calltrace.e.z\": [2],"
		    " \"perf-profile.calltrace.e.y\": [7],"
		    " \"perf-profile.calltrace.e.x\": [7]}",
		    "");
	assert_order(&c, COMPARE_SHOW_ALL,
		     "perf-profile.calltrace.e.z perf-profile.calltrace.e.x "
		     "perf-profile.calltrace.e.y perf-profile.children.e.b "
		     "perf-profile.children.e.a perf-profile.self.e.a");
	compare_release(&c);
}

static void nothing_to_show_is_an_empty_list(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c, "{}", "{}", "");
	assert_order(&c, COMPARE_SHOW_ALL, "");
	compare_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_then_own_then_families_by_size),
		cmocka_unit_test(a_flavour_of_the_benchmark_goes_by_size),
		cmocka_unit_test(only_shown_rows_count_for_the_order),
		cmocka_unit_test(profiles_go_by_kind_and_signed_change),
		cmocka_unit_test(nothing_to_show_is_an_empty_list),
	};

	return RUN_TESTS(tests);
}
