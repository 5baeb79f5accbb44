// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/invariant.c: which boots are void, what is learnt, what is
// said of two sides.
#include "tests/unit/test.h"

#include <string.h>

#include "analysis/invariant.h"

static json_t *parse(const char *text)
{
	struct err err = { 0 };
	json_t *j = text ? json_parse(text, strlen(text), "test", &err) : NULL;

	if (text && !j)
		fail_msg("%s", err.text);
	return j;
}

/* Void and why; "" for a boot that counts. */
static void check(const char *seen, const char *before, const char *now,
		  const char *want)
{
	json_t *s = parse(seen), *b = parse(before), *n = parse(now);
	struct str why = STR_INIT;
	bool broken = invariant_breaks(s, b, n, &why);

	assert_int_equal(broken, *want != '\0');
	assert_string_equal(why.p, want);
	json_decref(s);
	json_decref(b);
	json_decref(n);
	str_release(&why);
}

#define AGAIN                                                                \
	" (if the next boot of this kernel says so too, it is taken as the " \
	"kernel's doing)"

static void a_machine_that_changed_voids_the_boot(void **state)
{
	static const char seen[] =
		"{\"microcode\": \"0x2b\", \"smt\": \"on\", \"memory_kib\": "
		"1000000, \"cpus_online\": \"0-7\"}";

	(void)state;
	check("{}", NULL, seen, "");
	check(seen, NULL, seen, "");
	check(seen, NULL, "{}", "");
	check(seen, NULL, "{\"microcode\": \"0x2c\"}",
	      "microcode: 0x2c, but 0x2b when the box was first seen");
	/* the box's own facts aren't believed the second time either */
	check(seen, "{\"smt\": \"off\"}", "{\"smt\": \"off\"}",
	      "SMT: off, but on when the box was first seen");
	check(seen, NULL, "{\"memory_kib\": 985000}", "");
	check(seen, NULL, "{\"memory_kib\": 500000}",
	      "memory in KiB: 500000, but 1000000 when the box was first seen");
}

static void a_kernel_is_believed_the_second_time(void **state)
{
	static const char seen[] =
		"{\"numa_balancing\": 1, \"dmesg_splats\": 0}";

	(void)state;
	check(seen, NULL, "{\"numa_balancing\": 0}",
	      "NUMA balancing: 0, but 1 when the box was first seen" AGAIN);
	check(seen, "{\"numa_balancing\": 1}", "{\"numa_balancing\": 0}",
	      "NUMA balancing: 0, but 1 when the box was first seen" AGAIN);
	check(seen, "{\"numa_balancing\": 0}", "{\"numa_balancing\": 0}", "");
	check(seen, NULL, "{\"dmesg_splats\": 2}",
	      "warnings and oopses in the kernel's log: 2, but 0 when the box "
	      "was first seen" AGAIN);
	check(seen, "{\"dmesg_splats\": 2}", "{\"dmesg_splats\": 1}", "");
}

static void throttling_voids_every_time(void **state)
{
	static const char hot[] = "{\"throttled_in_runs\": 3}";

	(void)state;
	check("{}", NULL, "{\"throttled_in_runs\": 0}", "");
	check("{}", hot, hot, "throttling of CPUs during the runs: 3");
	/* what happened before the benchmark began is only recorded */
	check("{\"throttled\": 0}", NULL, "{\"throttled\": 9}", "");
}

static void hostile_values_are_no_trouble(void **state)
{
	(void)state;
	check("{\"microcode\": \"a\"}", NULL, "{\"microcode\": [1, {}]}",
	      "microcode: [1,{}], but a when the box was first seen");
	check("{\"microcode\": \"a\"}", NULL, "{\"microcode\": \"\\u001b[1m\"}",
	      "microcode: ?[1m, but a when the box was first seen");
	check("[]", "[]", "[]", "");
}

static void learn(const char *seen, const char *now, const char *want)
{
	json_t *s = parse(seen), *n = parse(now), *w = parse(want);
	json_t *got = invariant_learn(s, n);

	if (!json_equal(got, w)) {
		struct str text = STR_INIT;

		json_add_text(&text, got);
		fail_msg("%s, not %s", text.p, want);
	}
	json_decref(s);
	json_decref(n);
	json_decref(w);
	json_decref(got);
}

static void the_box_keeps_its_first_values(void **state)
{
	(void)state;
	learn("{}",
	      "{\"microcode\": 1, \"thp\": \"x\", \"cmdline\": \"y\", "
	      "\"dmesg_splats\": 3, \"throttled_in_runs\": 0}",
	      "{\"microcode\": 1, \"thp\": \"x\", \"dmesg_splats\": 0}");
	learn("{\"microcode\": 1, \"thp\": \"x\"}",
	      "{\"microcode\": 1, \"thp\": \"z\", \"smt\": \"on\"}",
	      "{\"microcode\": 1, \"thp\": \"z\", \"smt\": \"on\"}");
	learn("{\"memory_kib\": 1000}", "{\"memory_kib\": 1001}",
	      "{\"memory_kib\": 1000}");
}

static void another_machine_is_another_box(void **state)
{
	json_t *a = parse("{\"microcode\": 1, \"governor\": \"x\"}");
	json_t *b = parse("{\"microcode\": 1, \"governor\": \"y\"}");
	json_t *c = parse("{\"microcode\": 2}");
	struct str why = STR_INIT;

	(void)state;
	assert_true(invariant_same_box(a, b, &why));
	assert_false(invariant_same_box(a, c, &why));
	assert_string_equal(why.p, "microcode was 1, is 2");
	str_release(&why);
	json_decref(a);
	json_decref(b);
	json_decref(c);
}

/* The only sentence, "" for none. */
static void compare(const char *base, const char *head, const char *want)
{
	json_t *a = parse(base), *b = parse(head);
	json_t *got = invariant_compare(a, b);

	assert_int_equal(json_array_size(got), *want != '\0');
	if (*want)
		assert_string_equal(json_string_value(json_array_get(got, 0)),
				    want);
	json_decref(a);
	json_decref(b);
	json_decref(got);
}

#define BOOT(text) "{\"invariants\": {" text "}}"

static void sides_that_differ_are_told_apart_from_boots_that_do(void **state)
{
	(void)state;
	compare("[" BOOT("\"governor\": \"performance\"") "]",
		"[" BOOT("\"governor\": \"powersave\"") "]",
		"frequency governor: base performance, head powersave");
	compare("[" BOOT("\"task_nodes\": \"0\"") "," BOOT(
			"\"task_nodes\": \"1\"") "]",
		"[" BOOT("\"task_nodes\": \"0\"") "]", "");
	compare("[" BOOT("\"task_nodes\": \"0\"") "," BOOT(
			"\"task_nodes\": \"0\"") "]",
		"[" BOOT("\"task_nodes\": \"1\"") "]",
		"NUMA nodes of the test's tasks: base 0, head 1");
	/* kernels of different size leave a little more or less memory */
	compare("[" BOOT("\"memory_kib\": 1000") "]",
		"[" BOOT("\"memory_kib\": 1001") "]", "");
	compare("[" BOOT("\"throttled\": 3") "]",
		"[" BOOT("\"throttled\": 9") "]", "");
	compare("[" BOOT("\"throttled\": 0") "]",
		"[" BOOT("\"throttled\": 9") "]",
		"throttling of CPUs while booting: base 0, head 9");
	compare("[" BOOT("\"build_id\": 1") "]",
		"[" BOOT("\"build_id\": 2") "]", "");
	compare("[" BOOT("\"smt\": 1") "]",
		"[" BOOT("\"x\": 1, \"smt\": 1") "]",
		"x: base not recorded, head 1");
	compare("[" BOOT("\"x\": 1") "]", "[]", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_that_changed_voids_the_boot),
		cmocka_unit_test(a_kernel_is_believed_the_second_time),
		cmocka_unit_test(throttling_voids_every_time),
		cmocka_unit_test(hostile_values_are_no_trouble),
		cmocka_unit_test(the_box_keeps_its_first_values),
		cmocka_unit_test(another_machine_is_another_box),
		cmocka_unit_test(
			sides_that_differ_are_told_apart_from_boots_that_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
