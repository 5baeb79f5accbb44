// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/qemu*.c: command line, console, and life of a box, with a
// shell script in QEMU's place that listens on the port it is told.
#include "tests/unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "runners/qemu.h"

static char top[] = "/tmp/drover-test-qemu-XXXXXX";
static char *kernel;
static char *fake;
static char *dirs[32];
static size_t nr_dirs;

/* A program with this text in QEMU's place, or none to make it end at once. */
static char *make_program(const char *name, const char *text)
{
	char *path = file_join(top, name);

	assert_int_equal(
		file_write_atomic(path, text, strlen(text), 0700, NULL), 0);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	kernel = make_program("kernel", "k");
	/* perl is part of every Debian system */
	fake = make_program(
		"fake-qemu",
		"#!/usr/bin/perl\n"
		"use Socket;\n"
		"my ($port) = \"@ARGV\" =~ /127\\.0\\.0\\.1:(\\d+)-/;\n"
		"my ($log) = \"@ARGV\" =~ /-serial file:(\\S+)/;\n"
		"open(F, '>', $log); print F \"booting\\n\"; close(F);\n"
		"socket(S, PF_INET, SOCK_STREAM, 0);\n"
		"setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);\n"
		"bind(S, sockaddr_in($port, inet_aton('127.0.0.1'))) or die;\n"
		"listen(S, 5);\n"
		"my ($mode) = \"@ARGV\" =~ /mode=(\\w+)/;\n"
		"while (accept(C, S)) { syswrite(C, \"SSH-2.0-x\\r\\n\") if "
		"$mode eq 'greet'; exit 0 if $mode eq 'panic' and open(F, "
		"'>>', $log) and print F \"Kernel panic - not syncing: x\\n\" "
		"and close(F); close(C) if $mode eq 'greet'; }\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	while (nr_dirs)
		free(dirs[--nr_dirs]);
	free(kernel);
	free(fake);
	return file_remove_tree(top, NULL);
}

static struct qemu_box sample(void)
{
	return (struct qemu_box){ .name = "vm0",
				  .state_dir = "/s",
				  .kernel = "/k",
				  .initrd = "/i",
				  .icount_shift = 2 };
}

/* A box of the fake program with its own state folder, freed at the end. */
static struct qemu_box fake_box(const char *name, const char *mode)
{
	struct qemu_box box = sample();

	box.name = name;
	assert_true(nr_dirs < ARRAY_SIZE(dirs));
	box.state_dir = dirs[nr_dirs++] = file_join(top, name);
	box.kernel = kernel;
	box.initrd = kernel;
	box.program = fake;
	box.append = mode;
	return box;
}

/* The arguments joined by blanks; owned by the caller. */
static char *joined(const struct qemu_box *box)
{
	struct str argv = STR_INIT;
	size_t i;

	assert_int_equal(qemu_command(box, 2222, &argv, NULL), 0);
	for (i = 0; i + 1 < argv.len; i++)
		if (!argv.p[i])
			argv.p[i] = ' ';
	return str_detach(&argv);
}

static void a_box_counts_instructions_on_two_nodes(void **state)
{
	struct qemu_box box = sample();
	char *line = joined(&box);

	(void)state;
	assert_contains(line, "qemu-system-x86_64 -name vm0 -nodefaults");
	assert_contains(line, "-accel tcg,thread=single -icount shift=2 "
			      "-smp 1,sockets=1,cores=1,threads=1 -m 1024M");
	assert_contains(line, "memory-backend-ram,id=m0,size=512M -numa "
			      "node,nodeid=0,memdev=m0,cpus=0-0");
	assert_contains(line, "-numa node,nodeid=1,memdev=m1 ");
	assert_contains(line, "-numa dist,src=0,dst=1,val=21");
	assert_contains(line, "restrict=on,hostfwd=tcp:127.0.0.1:2222-:22");
	assert_contains(line, "-serial file:/s/console.log -kernel /k -initrd "
			      "/i -append console=ttyS0 panic=-1 "
			      "drover.box=vm0");
	free(line);
}

static void cpus_are_shared_out_evenly_or_all_on_node_0(void **state)
{
	struct qemu_box box = sample();
	char *line;

	(void)state;
	box.icount_shift = QEMU_ICOUNT_OFF;
	box.cpus = 4;
	box.append = "quiet";
	line = joined(&box);
	assert_contains(line, "-accel tcg,thread=multi -smp 4,sockets=2,");
	assert_contains(line, "memdev=m0,cpus=0-1");
	assert_contains(line, "memdev=m1,cpus=2-3");
	assert_contains(line, "drover.box=vm0 quiet");
	assert_null(strstr(line, "-icount"));
	free(line);
	box.cpus = 3;
	line = joined(&box);
	assert_contains(line, "memdev=m0,cpus=0-2");
	free(line);
	box.name = "a,b";
	line = joined(&box);
	assert_contains(line, "-name a,,b ");
	free(line);
}

static void impossible_boxes_are_refused_by_name(void **state)
{
	static const struct {
		int memory_mib;
		int nodes;
		int cpus;
		int icount_shift;
		const char *text;
	} cases[] = {
		{ 64, 0, 0, 2, "64 MiB" },   { 100000, 0, 0, 2, "100000 MiB" },
		{ 0, 9, 0, 2, "9 nodes" },   { 0, -1, 0, 2, "-1 nodes" },
		{ 0, 0, 65, -1, "65 CPUs" }, { 0, 0, 2, 2, "one CPU" },
		{ 0, 0, 0, 11, "shift 11" }, { 0, 0, 0, -2, "shift -2" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct qemu_box box = sample();
		struct str argv = STR_INIT;
		struct err err = { 0 };

		box.memory_mib = cases[i].memory_mib;
		box.nodes = cases[i].nodes;
		box.cpus = cases[i].cpus;
		box.icount_shift = cases[i].icount_shift;
		assert_int_equal(qemu_command(&box, 1, &argv, &err), ERR_RANGE);
		assert_contains(err.text, "box vm0: ");
		assert_contains(err.text, cases[i].text);
		str_release(&argv);
	}
}

static void a_box_lives_until_it_is_stopped(void **state)
{
	struct qemu_box box = fake_box("life", "mode=greet");
	struct qemu same = { .pidfd = -1 };
	struct qemu q;

	(void)state;
	assert_int_equal(qemu_start(&box, &q, NULL), 0);
	assert_true(qemu_alive(&q));
	assert_true(q.ssh_port > 0);
	assert_int_equal(qemu_wait_ssh(&q, "life", 10000, NULL), 0);
	assert_int_equal(qemu_attach(box.state_dir, &same, NULL), 0);
	assert_int_equal(same.pid, q.pid);
	assert_int_equal(same.ssh_port, q.ssh_port);
	qemu_stop(&same);
	assert_false(qemu_alive(&q));
	qemu_stop(&q);
	qemu_stop(&q);
	assert_int_equal(qemu_attach(box.state_dir, &same, NULL), ERR_NOTFOUND);
}

static void a_second_start_is_refused(void **state)
{
	struct qemu_box box = fake_box("twice", "mode=greet");
	struct err err = { 0 };
	struct qemu q;
	struct qemu other;

	(void)state;
	assert_int_equal(qemu_start(&box, &q, NULL), 0);
	assert_int_equal(qemu_start(&box, &other, &err), ERR_BUSY);
	assert_contains(err.text, "runs already, as pid");
	box = fake_box("twin", "mode=greet");
	box.ssh_port = q.ssh_port;
	assert_int_equal(qemu_start(&box, &other, &err), ERR_BUSY);
	assert_contains(err.text, "is taken");
	qemu_stop(&q);
}

/* Expected: a pid that belongs to another process by now is left alone. */
static void a_reused_pid_is_not_taken_for_a_box(void **state)
{
	char *dir = file_join(top, "reused");
	char *path = file_join(dir, "pid");
	char *text = xasprintf("%ld 12345 2222\n", (long)getpid());
	struct qemu q;

	(void)state;
	assert_int_equal(file_mkdirs(dir, 0700, NULL), 0);
	assert_int_equal(
		file_write_atomic(path, text, strlen(text), 0600, NULL), 0);
	assert_int_equal(qemu_attach(dir, &q, NULL), ERR_NOTFOUND);
	assert_int_equal(file_write_atomic(path, "x", 1, 0600, NULL), 0);
	assert_int_equal(qemu_attach(dir, &q, NULL), ERR_NOTFOUND);
	free(text);
	free(path);
	free(dir);
}

static void a_box_dies_with_its_starter(void **state)
{
	struct qemu_box box = fake_box("orphan", "mode=greet");
	struct qemu q = { .pidfd = -1 };
	int status;
	int i;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(qemu_start(&box, &q, NULL) ? 1 : 0);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	for (i = 0; i < 500 && !qemu_attach(box.state_dir, &q, NULL); i++) {
		qemu_release(&q);
		clock_sleep_ms(10);
	}
	assert_int_not_equal(i, 500);
}

static void a_qemu_that_ends_at_once_is_quoted(void **state)
{
	char *bad = make_program("bad", "#!/bin/sh\necho first >&2\n"
					"echo 'bad: no memory' >&2\nexit 1\n");
	struct qemu_box box = fake_box("early", NULL);
	struct err err = { 0 };
	struct qemu q;

	(void)state;
	box.program = bad;
	assert_int_equal(qemu_start(&box, &q, &err), ERR_INFRA);
	assert_contains(err.text, "box early: QEMU ended at once: bad: no mem");
	box.program = "/no/such/qemu";
	assert_true(qemu_start(&box, &q, &err) < 0);
	assert_contains(err.text, "/no/such/qemu");
	free(bad);
}

static void a_missing_input_is_named(void **state)
{
	struct qemu_box box = fake_box("missing", NULL);
	struct err err = { 0 };
	struct qemu q;

	(void)state;
	box.kernel = "/no/kernel";
	assert_int_equal(qemu_start(&box, &q, &err), ERR_NOTFOUND);
	assert_contains(err.text, "/no/kernel");
	box.kernel = kernel;
	box.initrd = "/no/initrd";
	assert_int_equal(qemu_start(&box, &q, &err), ERR_NOTFOUND);
	assert_contains(err.text, "drover-lab up");
}

static void a_kernel_that_does_not_boot_is_told_with_its_last_words(
	void **state)
{
	static const struct {
		const char *mode;
		const char *text;
	} cases[] = {
		{ "mode=silent", "no SSH in time; its console says: booting" },
		{ "mode=panic", "the machine ended; its console says: Kernel "
				"panic - not syncing: x" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct qemu_box box =
			fake_box(i ? "panic" : "silent", cases[i].mode);
		struct err err = { 0 };
		struct qemu q;

		assert_int_equal(qemu_start(&box, &q, NULL), 0);
		assert_int_equal(qemu_wait_ssh(&q, "b", 2000, &err), ERR_BOOT);
		assert_contains(err.text, cases[i].text);
		qemu_stop(&q);
	}
}

static void a_console_is_cut_and_cleaned(void **state)
{
	static const char text[] =
		"start\nKernel panic - x\r\nmiddle\0\x1b[2J\n"
		"one\ntwo\n";
	char *path = file_join(top, "console");
	struct str out = STR_INIT;

	(void)state;
	qemu_console_tail("/no/such/file", 100, &out);
	assert_string_equal(out.p, "");
	assert_int_equal(
		file_write_atomic(path, text, sizeof(text) - 1, 0600, NULL), 0);
	qemu_console_tail(path, 9, &out);
	assert_string_equal(out.p, "Kernel panic - x\none\ntwo\n");
	str_reset(&out);
	qemu_console_tail(path, 1000, &out);
	assert_contains(out.p, "middle??[2J\n");
	str_release(&out);
	free(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_box_counts_instructions_on_two_nodes),
		cmocka_unit_test(cpus_are_shared_out_evenly_or_all_on_node_0),
		cmocka_unit_test(impossible_boxes_are_refused_by_name),
		cmocka_unit_test(a_box_lives_until_it_is_stopped),
		cmocka_unit_test(a_second_start_is_refused),
		cmocka_unit_test(a_reused_pid_is_not_taken_for_a_box),
		cmocka_unit_test(a_box_dies_with_its_starter),
		cmocka_unit_test(a_qemu_that_ends_at_once_is_quoted),
		cmocka_unit_test(a_missing_input_is_named),
		cmocka_unit_test(
			a_kernel_that_does_not_boot_is_told_with_its_last_words),
		cmocka_unit_test(a_console_is_cut_and_cleaned),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
