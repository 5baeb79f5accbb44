// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of base/spawn.c.
#include "tests/unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spawn.h"

static int capture(const char *const *argv, const char *input, struct str *out,
		   struct str *errout, long timeout_ms, struct err *err)
{
	struct spawn what = { .argv = argv,
			      .input = input,
			      .input_len = input ? strlen(input) : 0 };

	return spawn_capture(&what, out, errout, timeout_ms, err);
}

static void both_streams_and_the_status_come_back(void **state)
{
	const char *const argv[] = { "sh", "-c", "cat; echo no >&2; exit 3",
				     NULL };
	struct str out = STR_INIT;
	struct str errout = STR_INIT;

	(void)state;
	assert_int_equal(capture(argv, "in", &out, &errout, 5000, NULL), 3);
	assert_string_equal(out.p, "in");
	assert_string_equal(errout.p, "no\n");
	str_release(&out);
	str_release(&errout);
}

static void a_late_child_is_killed_with_its_group(void **state)
{
	const char *const argv[] = { "sh", "-c", "sleep 60 & wait", NULL };
	long long start_ns = clock_mono_ns();
	struct err err = { 0 };

	(void)state;
	assert_int_equal(capture(argv, NULL, NULL, NULL, 100, &err),
			 ERR_TIMEOUT);
	assert_true(clock_mono_ns() - start_ns < 5000000000LL);
	assert_contains(err.text, "no end after 100 ms");
}

static void a_missing_program_is_an_error_with_its_name(void **state)
{
	const char *const argv[] = { "no-such-program-here", NULL };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(capture(argv, NULL, NULL, NULL, 1000, &err), ERR_IO);
	assert_contains(err.text, "no-such-program-here");
}

static void a_flood_on_one_stream_blocks_nothing(void **state)
{
	const char *const argv[] = { "sh", "-c",
				     "head -c 9000000 /dev/zero >&2; echo end",
				     NULL };
	struct str out = STR_INIT;
	struct str errout = STR_INIT;

	(void)state;
	errout.max_bytes = 1000;
	assert_int_equal(capture(argv, NULL, &out, &errout, 20000, NULL), 0);
	assert_string_equal(out.p, "end\n");
	assert_int_equal(errout.len, 1000);
	assert_true(errout.cut);
	str_release(&out);
	str_release(&errout);
}

static void the_environment_is_minimal(void **state)
{
	const char *const argv[] = { "env", NULL };
	struct str out = STR_INIT;

	(void)state;
	setenv("DROVER_SECRET", "x", 1);
	assert_int_equal(capture(argv, NULL, &out, NULL, 5000, NULL), 0);
	assert_null(strstr(out.p, "DROVER_SECRET"));
	assert_contains(out.p, "LANG=C.UTF-8");
	str_release(&out);
}

static void a_child_can_be_made_to_die_with_its_starter(void **state)
{
	const char *const argv[] = { "sleep", "60", NULL };
	struct spawn what = { .argv = argv, .death_signal = SIGKILL };
	int tell[2];
	pid_t starter;
	pid_t pid = 0;
	int i;

	(void)state;
	assert_int_equal(pipe(tell), 0);
	starter = fork();
	if (starter == 0) {
		pid = spawn_start(&what, NULL);
		_exit(write(tell[1], &pid, sizeof(pid)) < 0);
	}
	assert_int_equal(read(tell[0], &pid, sizeof(pid)), sizeof(pid));
	waitpid(starter, NULL, 0);
	/* dead, or a zombie that waits for whoever adopted it */
	for (i = 0; i < 500 && !kill(pid, 0); i++) {
		char stat[64] = "";
		char *path = xasprintf("/proc/%d/stat", pid);
		FILE *f = fopen(path, "re");

		free(path);
		if (!f || !fgets(stat, sizeof(stat), f) || strstr(stat, ") Z"))
			i = 1000;
		if (f)
			fclose(f);
		clock_sleep_ms(10);
	}
	assert_int_not_equal(i, 500);
	close(tell[0]);
	close(tell[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_streams_and_the_status_come_back),
		cmocka_unit_test(a_late_child_is_killed_with_its_group),
		cmocka_unit_test(a_missing_program_is_an_error_with_its_name),
		cmocka_unit_test(a_flood_on_one_stream_blocks_nothing),
		cmocka_unit_test(the_environment_is_minimal),
		cmocka_unit_test(a_child_can_be_made_to_die_with_its_starter),
	};

	return RUN_TESTS(tests);
}
