// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/supervise.c: the words between the two sides.
#include "tests/unit/test.h"

#include "base/mem.h"
#include "jobs/monitor.h"
#include "runners/supervise.h"

static void the_last_word_of_a_run(void **state)
{
	struct supervise_end end;

	(void)state;
	assert_true(supervise_parse_end("done 0 exit 12.50 14.75", &end));
	assert_int_equal(end.status, 0);
	assert_string_equal(end.why, "exit");
	assert_true(end.end_s - end.start_s == 2.25);
	assert_true(supervise_parse_end("done 143 timeout 1 2", &end));
	assert_int_equal(end.status, 143);
	assert_string_equal(end.why, "timeout");
	assert_true(supervise_parse_end("lost", &end));
	assert_string_equal(end.why, "lost");
}

static void other_lines_are_no_last_word(void **state)
{
	static const char *const lines[] = {
		"",
		"ok",
		"started",
		"done",
		"done 0",
		"done 0 exit",
		"done 0 exit 1",
		"done 0 exit 1 2 3",
		"done 0 exit 1 x",
		"done 0 exit nan 2",
		"done -1 exit 1 2",
		"done 256 exit 1 2",
		"done 0 a-reason-that-is-too-long 1 2",
		"done  0 exit 1 2",
		"lost it",
		"done 0 exit 1 2 and a great deal more text than fits into any "
		"line that the supervisor would ever write to its controller, "
		"which is not so much",
	};
	struct supervise_end end = { .why = "kept" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (supervise_parse_end(lines[i], &end))
			fail_msg("\"%s\" was taken", lines[i]);
	assert_string_equal(end.why, "kept");
}

static void a_file_of_two_monitors_is_read_once(void **state)
{
	static const char *const names[] = { "proc-vmstat", "vmstat", "time",
					     NULL };
	struct str list = STR_INIT;
	const char *at;
	int nr = 0;

	(void)state;
	supervise_monitors(names, &list);
	for (at = list.p; (at = strstr(at, " /proc/vmstat\n")); at++)
		nr++;
	assert_int_equal(nr, 1);
	assert_contains(list.p, "1 proc-vmstat,vmstat /proc/vmstat\n");
	str_release(&list);
}

static void the_list_of_all_monitors_is_what_the_box_reads(void **state)
{
	const char *names[49] = { NULL };
	struct str list = STR_INIT;
	char *line;
	char *rest;
	size_t i;

	(void)state;
	for (i = 0; i < 48 && monitor_at(i); i++)
		names[i] = monitor_at(i)->name;
	supervise_monitors(names, &list);
	assert_true(list.len > 100);
	for (rest = list.p; (line = strsep(&rest, "\n")) && *line;) {
		assert_true(*line >= '0' && *line <= '9');
		line = strchr(line, ' ');
		assert_non_null(line);
		line = strchr(line + 1, ' ');
		assert_non_null(line);
		assert_true(line[1] == '/');
		/* nothing that a shell would see besides its globs */
		assert_int_equal(strspn(line + 1, "abcdefghijklmnopqrstuvwxyz"
						  "0123456789_/.*[]-"),
				 strlen(line + 1));
	}
	str_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_word_of_a_run),
		cmocka_unit_test(other_lines_are_no_last_word),
		cmocka_unit_test(a_file_of_two_monitors_is_read_once),
		cmocka_unit_test(
			the_list_of_all_monitors_is_what_the_box_reads),
	};

	return RUN_TESTS(tests);
}
