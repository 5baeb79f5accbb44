// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/build_log.c: what kbuild and the compiler say.
#include "tests/unit/test.h"

#include "base/mem.h"
#include "runners/build_log.h"

static struct build_log read_lines(const char *const *lines, size_t nr)
{
	struct build_log log = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		build_log_line(&log, lines[i]);
	return log;
}

static void only_objects_for_the_kernel_count(void **state)
{
	static const char *const lines[] = {
		"make: Entering directory '/x'",
		"  HOSTCC  scripts/basic/fixdep",
		"  CC      init/main.o",
		"  AS      arch/x86/lib/memcpy_64.o",
		"  AR      init/built-in.a",
		"  LD      vmlinux",
		"Kernel: arch/x86/boot/bzImage is ready  (#1)",
		"  ",
		"",
	};
	struct build_log log = read_lines(lines, ARRAY_SIZE(lines));

	(void)state;
	assert_int_equal(log.nr_compiled, 2);
	assert_string_equal(log.target, "vmlinux");
	assert_string_equal(log.error, "");
}

static void percent_needs_an_expectation(void **state)
{
	struct build_log log = { .nr_compiled = 250 };

	(void)state;
	assert_int_equal(build_log_percent(&log, 1000), 25);
	assert_int_equal(build_log_percent(&log, 0), -1);
	assert_int_equal(build_log_percent(&log, 250), -1);
	assert_int_equal(build_log_percent(&log, 100), -1);
}

static void the_most_telling_first_error_wins(void **state)
{
	static const struct {
		const char *lines[4];
		const char *error;
	} cases[] = {
		{ { "../fs/pipe.c: In function 'pipe_write':",
		    "../fs/pipe.c:12:3: error: 'x' undeclared",
		    "../fs/pipe.c:13:3: error: 'y' undeclared",
		    "make[2]: *** [../scripts/Makefile.build:250: fs/pipe.o] "
		    "Error 1" },
		  "fs/pipe.c:12:3: error: 'x' undeclared" },
		{ { "make[1]: *** [Makefile:1: x] Error 1",
		    "../a.c:1:10: fatal error: b.h: No such file or directory",
		    "", "" },
		  "a.c:1:10: fatal error: b.h: No such file or directory" },
		{ { "ld: fs/pipe.o: in function `f':",
		    "pipe.c:(.text+0x1): undefined reference to `g'", "", "" },
		  "pipe.c:(.text+0x1): undefined reference to `g'" },
		{ { "make[1]: *** No rule to make target 'include/a.h', needed "
		    "by 'x.o'.  Stop.",
		    "make: *** [Makefile:231: __sub-make] Error 2", "", "" },
		  "make[1]: *** No rule to make target 'include/a.h', needed "
		  "by 'x.o'.  Stop." },
		{ { "../x.c:1:1: warning: unused", "", "", "" }, "" },
		/* Buggy: the source that is shown was this machine's word */
		{ { "../fs/x.c:12:3: error: 'y' undeclared",
		    "   12 |   y = \"Input/output error\"; /* error: */",
		    "      |   ^ No space left on device", "" },
		  "fs/x.c:12:3: error: 'y' undeclared" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct build_log log = read_lines(cases[i].lines, 4);

		assert_string_equal(log.error, cases[i].error);
		assert_false(log.is_local);
	}
}

static void a_failing_machine_is_not_the_sources_fault(void **state)
{
	static const char *const lines[] = {
		"/tmp/cc.s: error: No space left on device",
		"gcc: fatal error: Killed signal terminated program cc1",
		"cc1: out of memory: Cannot allocate memory",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		assert_true(read_lines(&lines[i], 1).is_local);
}

static void hostile_lines_stay_short_and_printable(void **state)
{
	char line[5000];
	const char *lines[] = { line };
	struct build_log log;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	memcpy(line, "  CC      ", 10);
	log = read_lines(lines, 1);
	assert_true(strlen(log.target) < sizeof(log.target));
	memcpy(line, "a.c:1:1: error: \x1b]0;x\a\xff", 23);
	log = read_lines(lines, 1);
	assert_true(strlen(log.error) < sizeof(log.error));
	assert_null(strchr(log.error, '\x1b'));
	assert_null(strchr(log.error, '\xff'));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_objects_for_the_kernel_count),
		cmocka_unit_test(percent_needs_an_expectation),
		cmocka_unit_test(the_most_telling_first_error_wins),
		cmocka_unit_test(a_failing_machine_is_not_the_sources_fault),
		cmocka_unit_test(hostile_lines_stay_short_and_printable),
	};

	return RUN_TESTS(tests);
}
