// SPDX-License-Identifier: GPL-3.0-or-later
/* Job files: dimensions, documents, includes, paths, refusals. */
#include "tests/unit/jobs/fixture.h"

#include <stdio.h>
#include <time.h>

#include "base/mem.h"
#include "configs/yaml.h"
#include "jobs/sweep.h"

static char dir[] = "/tmp/drover-sweep-XXXXXX";

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

static void put(const char *name, const char *text)
{
	struct err err = { 0 };
	char *path = file_join(dir, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(file_mkdirs(path, 0755, &err), 0);
	*slash = '/';
	assert_int_equal(
		file_write_atomic(path, text, strlen(text), 0644, &err), 0);
	free(path);
}

/* The paths of all jobs of a file, one a line, or "error: …". */
static char *paths_of(const char *name)
{
	struct job_list list = { 0 };
	struct str s = STR_INIT;
	struct err err = { 0 };
	char *path = file_join(dir, name);

	if (job_file_expand(path, &list, &err)) {
		/* without the private folder in front */
		str_addf(&s, "error %d: %s", err.code,
			 strstr(err.text, dir) ? err.text + strlen(dir) + 1
					       : err.text);
	}
	for (size_t i = 0; i < list.nr; i++)
		str_addf(&s, "%s\n", list.v[i].path);
	job_list_release(&list);
	free(path);
	return str_detach(&s);
}

static void check(const char *text, const char *want)
{
	char *got;

	put("j.yaml", text);
	got = paths_of("j.yaml");
	assert_string_equal(got, want);
	free(got);
}

static void the_first_list_changes_slowest(void **state)
{
	(void)state;
	check("testcase: hackbench\nnr_threads: [100%, 1600%]\niterations: 8\n"
	      "hackbench:\n  mode: [process, threads]\n  ipc: [pipe, socket]\n",
	      "hackbench/pipe-8-process-100%\n"
	      "hackbench/socket-8-process-100%\n"
	      "hackbench/pipe-8-threads-100%\n"
	      "hackbench/socket-8-threads-100%\n"
	      "hackbench/pipe-8-process-1600%\n"
	      "hackbench/socket-8-process-1600%\n"
	      "hackbench/pipe-8-threads-1600%\n"
	      "hackbench/socket-8-threads-1600%\n");
}

static void values_are_sorted_by_option_cut_and_cleaned(void **state)
{
	(void)state;
	check("testcase: t\nebizzy:\n  duration: 'a b/c$d,e'\n"
	      "  iterations: 1234567890123456789012345678901234567890\n"
	      "  mmap: \"\xc3\xa9t\xc3\xa9\"\n",
	      "t/a_b_c_d_e-1234567890123456789012345678901-_t_\n");
}

static void nothing_false_and_null_are_not_in_the_path(void **state)
{
	(void)state;
	check("testcase: t\nebizzy:\n  duration: off\n  iterations:\n"
	      "  mmap: yes\n  linear: 'off'\n",
	      "t/off-true\n");
	check("testcase: t\n", "t/defaults\n");
	check("testcase: t\nperf-bench-futex:\n  test: [hash, wake]\n"
	      "  shared: [shared, ~]\n",
	      "t/shared-hash\nt/hash\nt/shared-wake\nt/wake\n");
}

static void only_options_of_named_programs_count(void **state)
{
	(void)state;
	/* runtime belongs to no program here; delay to a monitor */
	check("testcase: oltp\nruntime: 600s\ndisk: 1SSD\nfs: [ext4]\noltp:\n"
	      "perf-profile: {delay: 30}\nneed_x: true\n",
	      "oltp/1SSD-ext4\n");
	check("testcase: netperf\nnetperf: {test: x}\n"
	      "perf-profile: {delay: 30}\n",
	      "netperf/x\n");
	check("testcase: h\ncluster: cs\nnr_instances: 2\nif role client:\n"
	      "  hackbench:\n    ipc: pipe\n",
	      "h/cs-pipe-2\n");
	check("testcase: h\ncgroup2: {memory.high: 90%, io.max: }\n"
	      "hackbench: {ipc: pipe}\n",
	      "h/pipe-90%\n");
}

static void kernel_and_compiler_expand_beside_the_path(void **state)
{
	struct job_list list = { 0 };
	struct err err = { 0 };
	char *path = file_join(dir, "k.yaml");

	(void)state;
	put("k.yaml", "testcase: h\ncompiler: [gcc-12, clang-15]\n"
		      "hackbench: {ipc: pipe}\n");
	assert_int_equal(job_file_expand(path, &list, &err), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.v[0].path, "h/pipe");
	assert_string_equal(job_param(&list.v[1], "compiler"), "clang-15");
	job_list_release(&list);
	free(path);
}

static void documents_overlay_the_first(void **state)
{
	(void)state;
	check("testcase: s\nnr_threads: 100%\nstress-ng:\n  test: [a, b]\n"
	      "---\nnr_threads: 50%\n---\nstress-ng:\n  test: c\n"
	      "  method: [x, y]\n",
	      "s/100%-a\ns/100%-b\ns/50%-a\ns/50%-b\ns/x-100%-c\ns/y-100%-c\n");
}

static void includes_are_found_around_and_own_keys_win(void **state)
{
	char *got;

	(void)state;
	put("cgroup2.yaml", "cgroup2:\n  pids.max: 10\n");
	put("h/base.yaml", "testcase: h\nnr_threads: [1, 2]\n"
			   "hackbench: {ipc: pipe}\n---\nnr_threads: 7\n"
			   "hackbench: {ipc: socket}\n");
	put("h/both.yaml", "<<: cgroup2.yaml\n<<: base.yaml\n");
	got = paths_of("h/both.yaml");
	assert_string_equal(got, "h/pipe-1-10\nh/pipe-2-10\nh/socket-7-10\n");
	free(got);
	put("other/own.yaml", "nr_threads: 3\n<<: base.yaml\n");
	got = paths_of("other/own.yaml");
	assert_string_equal(got, "h/pipe-3\nh/socket-3\n");
	free(got);
	put("over.yaml", "<<: {file: h/base.yaml, nr_threads: 9}\n");
	got = paths_of("over.yaml");
	assert_string_equal(got, "h/pipe-9\nh/socket-9\n");
	free(got);
}

static void bad_includes_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a: 1\n<<: loop.yaml\n", "includes too deep" },
		{ "<<: nowhere.yaml\n", "loop.yaml:1:5: there is no job file" },
		{ "<<: /etc/passwd\n", "expected the name of a .yaml file" },
		{ "<<: [a]\n", "expected a file name" },
		{ "<<: {disk: x}\n", "expected a file name" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got;

		put("loop.yaml", cases[i].text);
		got = paths_of("loop.yaml");
		assert_contains(got, "error -2");
		assert_contains(got, cases[i].want);
		free(got);
	}
}

static void mistakes_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "j.yaml:1:1: an empty job file" },
		{ "- a\n", "j.yaml:1:1: expected \"key: value\"" },
		{ "a: 1\n", "j.yaml:1:1: a job needs a testcase" },
		{ "testcase: [a]\n", "j.yaml:1:11: testcase: expected one" },
		{ "testcase: s\nstress-ng:\n  tset: pipe\n",
		  "j.yaml:3:3: there is no option \"tset\" (did you mean "
		  "test?)" },
		{ "testcase: s\nnr_treads: 2\nstress-ng: {test: pipe}\n",
		  "j.yaml:2:1: there is no option or program \"nr_treads\" "
		  "(did you mean nr_threads?)" },
		{ "testcase: s\nstresng: {}\nstress-ng: {test: pipe}\n",
		  "did you mean stress-ng?" },
		{ "testcase: s\nx: <%= `id` %>\n",
		  "j.yaml:2:4: code in a template" },
		{ "testcase: h\nhackbench: {ipc: '{{ 1 + 1 }}'}\n",
		  "j.yaml:2:18: templates ({{…}}) are not evaluated" },
		{ "testcase: h\nhackbench: {ipc: [[a, b], c]}\n",
		  "j.yaml:2:19: a list inside a list" },
		{ "testcase: h\nfoo: [a, {b: c}]\nhackbench:\n",
		  "j.yaml:2:10: expected plain text" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got;

		put("j.yaml", cases[i].text);
		got = paths_of("j.yaml");
		assert_contains(got, "error -2: ");
		assert_contains(got, cases[i].want);
		free(got);
	}
}

static void benchmarks_that_are_only_known_keep_unknown_keys(void **state)
{
	struct job_list list = { 0 };
	struct err err = { 0 };
	char *path = file_join(dir, "u.yaml");

	(void)state;
	put("u.yaml", "testcase: h\nsomething: [a, b]\nhackbench:\n"
		      "  nosuch: 1\n  ipc: pipe\n");
	assert_int_equal(job_file_expand(path, &list, &err), 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(job_param(&list.v[0], "something"), "a,b");
	assert_string_equal(job_param(&list.v[0], "nosuch"), "1");
	assert_string_equal(list.v[0].path, "h/pipe");
	assert_int_equal(job_check_runnable(&list.v[0], &err), ERR_CONFIG);
	assert_contains(err.text, "no workload to run it");
	job_list_release(&list);
	free(path);
}

/* Expected: a sweep of any size ends soon with a limit, and little memory. */
static void huge_sweeps_end_at_the_limit(void **state)
{
	struct str s = STR_INIT;
	char *got;

	(void)state;
	str_add(&s, "testcase: u\nunixbench:\n  test: [");
	for (int i = 0; i < 200; i++)
		str_addf(&s, "%st%d", i ? "," : "", i);
	str_add(&s, "]\n  runtime: [");
	for (int i = 0; i < 200; i++)
		str_addf(&s, "%s%ds", i ? "," : "", i);
	str_add(&s, "]\n");
	put("j.yaml", s.p);
	got = paths_of("j.yaml");
	assert_contains(got, "error -11: ");
	assert_contains(got, "more than 10000 jobs");
	free(got);
	str_release(&s);
}

static void an_overlay_replaces_keys_in_their_place(void **state)
{
	static const char a[] = "{x: 1, y: {p: q}, z: 3}";
	static const char b[] = "{y: 2, w: 4}";
	struct yaml_file fa, fb;
	struct yaml_node *n;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(yaml_parse(a, strlen(a), "a", &fa, &err), 0);
	assert_int_equal(yaml_parse(b, strlen(b), "b", &fb, &err), 0);
	n = sweep_overlay(fa.docs[0], fb.docs[0]);
	assert_int_equal(n->nr, 4);
	assert_string_equal(n->keys[1]->text, "y");
	assert_string_equal(n->items[1]->text, "2");
	assert_string_equal(n->keys[3]->text, "w");
	assert_int_equal(fa.docs[0]->nr, 3);
	yaml_node_free(n);
	yaml_file_release(&fa);
	yaml_file_release(&fb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_list_changes_slowest),
		cmocka_unit_test(values_are_sorted_by_option_cut_and_cleaned),
		cmocka_unit_test(nothing_false_and_null_are_not_in_the_path),
		cmocka_unit_test(only_options_of_named_programs_count),
		cmocka_unit_test(kernel_and_compiler_expand_beside_the_path),
		cmocka_unit_test(documents_overlay_the_first),
		cmocka_unit_test(includes_are_found_around_and_own_keys_win),
		cmocka_unit_test(bad_includes_are_refused_with_their_place),
		cmocka_unit_test(mistakes_are_refused_with_their_place),
		cmocka_unit_test(
			benchmarks_that_are_only_known_keep_unknown_keys),
		cmocka_unit_test(huge_sweeps_end_at_the_limit),
		cmocka_unit_test(an_overlay_replaces_keys_in_their_place),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
