// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Job files from strangers: damage, size and includes that go in circles end
 * in an error soon, and no value of a job becomes a flag or a second word.
 */
#include "tests/unit/jobs/fixture.h"

#include <time.h>

#include "base/mem.h"
#include "base/rand.h"
#include "jobs/workload.h"

static char dir[] = "/tmp/drover-jobfile-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	struct err err = { 0 };

	(void)state;
	return file_remove_tree(dir, &err);
}

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Expand @text as a file; the CPU milliseconds that took. */
static double expand(const char *name, const char *text, size_t len,
		     int *out_rc, struct err *err)
{
	struct job_list list = { 0 };
	char *path = file_join(dir, name);
	double ms;

	assert_int_equal(file_write_atomic(path, text, len, 0644, err), 0);
	ms = cpu_ms();
	*out_rc = job_file_expand(path, &list, err);
	ms = cpu_ms() - ms;
	if (*out_rc)
		assert_int_equal(list.nr, 0);
	job_list_release(&list);
	free(path);
	return ms;
}

static const char sample[] =
	"suite: stress-ng\ntestcase: stress-ng\ncategory: benchmark\n\n"
	"nr_threads:\n  - 50%\n  - 100%\ntesttime:\n  - 60s\n\nstress-ng:\n"
	"  test:\n    - pipe\n    - switch\n\n---\nnr_threads: 10%\n"
	"stress-ng: {test: hdd, hdd_opts: [direct, sync]}\n"
	"oom-killer:\n  ignored: 1\n";

static void damaged_files_are_read_or_refused(void **state)
{
	struct rand rnd;
	int good = 0, bad = 0;

	(void)state;
	rand_seed(&rnd, 11);
	for (int round = 0; round < 400; round++) {
		char text[sizeof(sample)];
		struct err err = { 0 };
		int rc;

		memcpy(text, sample, sizeof(sample));
		for (unsigned k = 0; k < 1 + rand_below(&rnd, 4); k++)
			text[rand_below(&rnd, sizeof(sample) - 1)] =
				(char)(32 + rand_below(&rnd, 95));
		expand("d.yaml", text, sizeof(sample) - 1, &rc, &err);
		good += !rc;
		bad += rc != 0;
		if (rc)
			assert_true(*err.text != '\0');
	}
	assert_true(good > 0 && bad > 0);
}

/* Each text is made of a repeated middle; the limit is generous for CI. */
static void large_files_end_soon(void **state)
{
	static const struct {
		const char *head, *unit, *tail;
	} shapes[] = {
		{ "testcase: t\nhackbench:\n  ipc: [", "a,", "b]\n" },
		{ "testcase: t\nhackbench: {", "ipc: [a], ", "}\n" },
		{ "testcase: t\n", "---\na: 1\n", "" },
		{ "testcase: t\nfs: [", "{fs: [a, b]},", "]\n" },
		{ "testcase: t\nx: [", "a,", "b]\n" },
		{ "", "<<: l.yaml\n", "" },
		{ "", "#\n", "testcase: t\n" },
		{ "testcase: t\nhackbench:\n", " - x\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct str s = STR_INIT;
		struct err err = { 0 };
		double ms;
		int rc;

		str_add(&s, shapes[i].head);
		while (s.len < (250u << 10))
			str_add(&s, shapes[i].unit);
		str_add(&s, shapes[i].tail);
		ms = expand("l.yaml", s.p, s.len, &rc, &err);
#ifndef __SANITIZE_ADDRESS__
		if (ms > 500)
			fail_msg("%.0f ms for \"%s\"…", ms, shapes[i].unit);
#endif
		(void)ms;
		str_release(&s);
	}
}

static void includes_in_a_circle_end(void **state)
{
	static const char a[] = "<<: b.yaml\n<<: b.yaml\n<<: b.yaml\n";
	static const char b[] = "<<: a.yaml\n<<: a.yaml\n<<: a.yaml\n";
	struct err err = { 0 };
	char *path = file_join(dir, "a.yaml");
	int rc;

	(void)state;
	assert_int_equal(file_write_atomic(path, a, strlen(a), 0644, &err), 0);
	free(path);
	expand("b.yaml", b, strlen(b), &rc, &err);
	assert_int_equal(rc, ERR_CONFIG);
	assert_contains(err.text, "includes too deep");
}

static void documents_without_content_are_passed_over(void **state)
{
	static const char text[] = "---\n---\ntestcase: h\nhackbench:\n---\n"
				   "---\nhackbench: {ipc: pipe}\n---\n";
	struct job_list list = { 0 };
	struct err err = { 0 };
	char *path = file_join(dir, "e.yaml");

	(void)state;
	assert_int_equal(
		file_write_atomic(path, text, strlen(text), 0644, &err), 0);
	assert_int_equal(job_file_expand(path, &list, &err), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.v[1].path, "h/pipe");
	job_list_release(&list);
	free(path);
}

/*
 * Expected: a value of a job is refused or is (part of) exactly one word, and
 * never a flag of its own.
 */
static void hostile_values_never_become_words_of_their_own(void **state)
{
	static const char *const values[] = {
		"; touch /tmp/x",
		"$(id)",
		"`id`",
		"a b",
		"a\tb",
		"a\nb",
		"-x",
		"--help",
		"--yaml=/etc/passwd",
		"| id",
		"&& id",
		"> /tmp/x",
		"'",
		"\"",
		"\\",
		"../../x",
		"*",
		"?",
		"~",
		"${IFS}",
		"a;b",
		"\xff\xfe",
		"%s%n",
		"0x10",
		"1e9",
		"-1",
		"99999999999",
		"",
		"#",
		"a=b",
		"@x",
	};
	static const char *const options[] = {
		"test",	      "method",	     "mode",	     "type",
		"sched",      "hdd_opts",    "testtime",     "nr_threads",
		"class",      "affinity",    "test_cpulist", "membind",
		"interleave", "physcpubind", "preferred",    "cpunodebind",
	};
	const struct workload_box box = { .nr_cpus = 4, .nr_nodes = 2 };
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values) * ARRAY_SIZE(options); i++) {
		static const char *const plain[] = { "test", "pipe", NULL };
		const char *value = values[i % ARRAY_SIZE(values)];
		struct job job = job_of("stress-ng", plain);
		struct workload_argv argv;
		struct err err = { 0 };

		job_set_param(&job, options[i / ARRAY_SIZE(values)], value,
			      true);
		if (workload_command(&job, &box, &argv, &err)) {
			refused++;
		} else {
			size_t hits = 0;

			for (size_t k = 0; k < argv.nr; k++)
				hits += !strcmp(argv.v[k], value);
			assert_true(hits <= 1 || !*value);
			if (*value == '-')
				assert_int_equal(hits, 0);
		}
		workload_argv_release(&argv);
		job_release(&job);
	}
	assert_true(refused > ARRAY_SIZE(values) * 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(large_files_end_soon),
		cmocka_unit_test(includes_in_a_circle_end),
		cmocka_unit_test(documents_without_content_are_passed_over),
		cmocka_unit_test(
			hostile_values_never_become_words_of_their_own),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
