// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/adopt.c: what an earlier daemon left, after a cancel.
#include "tests/unit/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/worker.h"
#include "tests/unit/daemon/fixture.h"

static void cancel_job(struct lab_of_one *l)
{
	assert_int_equal(db_job_cancel_open(l->f.db, l->f.job, 1, NULL), 0);
	assert_int_equal(
		db_job_end(l->f.db, l->f.job, "cancelled", "", 1, NULL), 0);
}

/* A worker in a process group of its own that has taken the task. */
static pid_t start_worker(const char *folder)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct task t;

		/* a test that fails leaves nobody behind */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		if (task_open(folder, &t, NULL) || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/*
 * Expected: a boot of a job that was cancelled isn't begun. Buggy: a daemon
 * that died between the lease and the start began it, whole, after the cancel.
 */
static void what_was_cancelled_is_not_begun(void **state)
{
	bool with_task;

	(void)state;
	for (with_task = false;; with_task = true) {
		struct lab_of_one l;
		char *folder;
		long long plan;

		open_lab(&l);
		plan = fixture_plan(&l.f, l.f.comparison, l.f.base, 0);
		lease_attempt(&l, plan, 0, &folder);
		if (!with_task)
			assert_int_equal(file_remove_tree(folder, NULL), 0);
		cancel_job(&l);
		assert_int_equal(worker_adopt_all(&l.d, NULL), 0);
		assert_null(l.d.workers);
		assert_string_equal(sql_text(&l, "SELECT state FROM attempt"),
				    "cancelled");
		assert_string_equal(sql_text(&l, "SELECT state FROM plan"),
				    "cancelled");
		assert_false(file_exists(folder));
		free(folder);
		close_lab(&l);
		if (with_task)
			break;
	}
}

/* Expected: it is told to stop. Buggy: it held the box until its end. */
static void a_running_boot_that_was_cancelled_is_stopped(void **state)
{
	struct lab_of_one l;
	char *folder;
	long long plan;
	int status = 0;
	pid_t pid;

	(void)state;
	open_lab(&l);
	plan = fixture_plan(&l.f, l.f.comparison, l.f.base, 0);
	lease_attempt(&l, plan, 0, &folder);
	pid = start_worker(folder);
	cancel_job(&l);
	assert_int_equal(worker_adopt_all(&l.d, NULL), 0);
	assert_non_null(l.d.workers);
	alarm(20);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	alarm(0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	worker_poll(&l.d);
	assert_null(l.d.workers);
	assert_string_equal(sql_text(&l, "SELECT state FROM attempt"),
			    "cancelled");
	free(folder);
	close_lab(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_cancelled_is_not_begun),
		cmocka_unit_test(a_running_boot_that_was_cancelled_is_stopped),
	};

	return RUN_TESTS(tests);
}
