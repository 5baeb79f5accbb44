// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/spool.c.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rand.h"
#include "runners/spool.h"

static const char *const monitors[] = { "proc-vmstat", "vmstat", "meminfo",
					NULL };

static const char mon[] = "@ 10.50\n"
			  "= proc-vmstat,vmstat\n"
			  "# /proc/vmstat\n"
			  "nr_free_pages 5\n"
			  "= meminfo\n"
			  "# /proc/meminfo\n"
			  "MemTotal: 1 kB\n"
			  "@ 11.50\n"
			  "= proc-vmstat,vmstat\n"
			  "# /proc/vmstat\n"
			  "nr_free_pages 6\n";

/* A frame around @data, appended. */
static void frame(struct str *out, const char *name, const char *data, int cut)
{
	str_addf(out, "file %s %zu %d\n%s", name, strlen(data), cut, data);
}

static const char *text_of(const struct spool *spool, const char *name)
{
	const struct spool_file *f = spool_find(spool, name);

	return f ? f->data.p : NULL;
}

static void the_files_of_a_run_come_apart(void **state)
{
	struct str raw = STR_INIT;
	struct spool spool;

	(void)state;
	frame(&raw, "stdout", "hello\n", 0);
	frame(&raw, "stderr", "", 0);
	frame(&raw, "workload.yaml", "a: 1\n", 1);
	frame(&raw, "time.raw", "elapsed_s=1\n", 0);
	frame(&raw, "dmesg.last", "[ 1.0] b\n", 0);
	frame(&raw, "dmesg.end", "[ 0.5] a\n[ 1.0] b\n[ 2.0] c\n", 0);
	frame(&raw, "mon", mon, 0);
	str_add(&raw, "end\n");
	assert_int_equal(spool_parse(raw.p, raw.len, monitors, &spool, NULL),
			 0);
	assert_string_equal(text_of(&spool, "stdout"), "hello\n");
	assert_string_equal(text_of(&spool, "stderr"), "");
	assert_string_equal(text_of(&spool, "time"), "elapsed_s=1\n");
	assert_string_equal(text_of(&spool, "dmesg"), "[ 2.0] c\n");
	assert_false(spool_find(&spool, "stdout")->cut);
	assert_true(spool_find(&spool, "workload.yaml")->cut);
	assert_null(spool_find(&spool, "mon"));
	assert_non_null(spool_find(&spool, "mon-meminfo"));
	spool_release(&spool);
	str_release(&raw);
}

static void ticks_go_to_each_monitor_that_reads_the_file(void **state)
{
	struct spool spool = { .nr = 0 };

	(void)state;
	spool_split(mon, strlen(mon), monitors, &spool);
	assert_string_equal(text_of(&spool, "mon-vmstat"),
			    "@ 10.50\n# /proc/vmstat\nnr_free_pages 5\n"
			    "@ 11.50\n# /proc/vmstat\nnr_free_pages 6\n");
	assert_string_equal(text_of(&spool, "mon-proc-vmstat"),
			    text_of(&spool, "mon-vmstat"));
	assert_string_equal(text_of(&spool, "mon-meminfo"),
			    "@ 10.50\n# /proc/meminfo\nMemTotal: 1 kB\n");
	spool_release(&spool);
}

static void what_belongs_to_no_monitor_is_dropped(void **state)
{
	static const char odd[] = "stray\n"
				  "= meminfo\n"
				  "before the first tick\n"
				  "@ 1.0\n"
				  "no names yet\n"
				  "= meminfo2,xmeminfo,mem,\n"
				  "not ours\n"
				  "=\n"
				  "@ x\n"
				  "@\n";
	struct spool spool = { .nr = 0 };

	(void)state;
	spool_split(odd, strlen(odd), monitors, &spool);
	assert_int_equal(spool.nr, 0);
	spool_release(&spool);
}

static void a_cut_sampling_file_marks_its_monitors(void **state)
{
	struct str raw = STR_INIT;
	struct spool spool;

	(void)state;
	frame(&raw, "mon", mon, 1);
	str_add(&raw, "end\n");
	assert_int_equal(spool_parse(raw.p, raw.len, monitors, &spool, NULL),
			 0);
	assert_true(spool_find(&spool, "mon-meminfo")->cut);
	assert_false(spool_find(&spool, "dmesg")->cut);
	spool_release(&spool);
	str_release(&raw);
}

static void broken_frames_are_an_error(void **state)
{
	static const char *const broken[] = {
		"",
		"end",
		"endless\n",
		"file stdout 5 0\nabc",
		"file stdout 3 0\nabc",
		"file stdout x 0\nend\n",
		"file stdout -1 0\nend\n",
		"file stdout 99999999999999999999 0\nend\n",
		"file stdout 18446744073709551615 0\nend\n",
		"file stdout 16777217 0\nend\n",
		"file stdout\nend\n",
		"file  \nend\n",
		"file a-name-that-is-much-longer-than-any-of-ours 1 0\naend\n",
		"Welcome to box\nend\n",
	};
	struct spool spool;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(broken); i++) {
		err.code = 0;
		assert_int_equal(spool_parse(broken[i], strlen(broken[i]),
					     monitors, &spool, &err),
				 ERR_DATA);
		assert_contains(err.text, "the files of the run came back");
		spool_release(&spool);
	}
}

static void unknown_and_repeated_files_are_ignored(void **state)
{
	struct str raw = STR_INIT;
	struct spool spool;
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		frame(&raw, "stdout", i ? "later" : "first", 0);
	frame(&raw, "passwd", "root", 0);
	str_add(&raw, "end\n");
	assert_int_equal(spool_parse(raw.p, raw.len, monitors, &spool, NULL),
			 0);
	assert_string_equal(text_of(&spool, "stdout"), "first");
	assert_null(spool_find(&spool, "passwd"));
	spool_release(&spool);
	str_release(&raw);
}

static void random_bytes_do_no_harm(void **state)
{
	static const char *const pieces[] = { "file mon 7 0\n",
					      "end\n",
					      "@ 1\n",
					      "= meminfo\n",
					      "file stdout 2 1\n",
					      "\0\0\n",
					      "=",
					      "@ 9",
					      "x",
					      "\n" };
	struct str raw = STR_INIT;
	struct spool spool;
	struct rand r;
	int i;
	int k;

	(void)state;
	rand_seed(&r, 11);
	for (i = 0; i < 2000; i++) {
		str_reset(&raw);
		for (k = 0; k < 12; k++)
			str_add(&raw, pieces[rand_below(&r, 10)]);
		spool_parse(raw.p, raw.len, monitors, &spool, NULL);
		spool_release(&spool);
	}
	str_release(&raw);
}

static void only_lines_since_the_mark_are_new(void **state)
{
	static const struct {
		const char *text;
		const char *mark;
		const char *want;
	} rows[] = {
		{ "a\nb\nc\n", "b\n", "c\n" },
		{ "a\nb\nc\n", "b", "c\n" },
		{ "a\nb\nc\n", "c\n", "" },
		{ "a\nb\nb\nc\n", "b\n", "c\n" },
		{ "a\nb\nc\n", "wrapped\n", "a\nb\nc\n" },
		{ "a\nb\nc\n", "", "a\nb\nc\n" },
		{ "", "b\n", "" },
		{ "ab\nb", "b\n", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(spool_new_dmesg(rows[i].text, rows[i].mark),
				    rows[i].want);
}

static void the_last_line_is_short_and_printable(void **state)
{
	struct str text = STR_INIT;
	struct str last = STR_INIT;
	int i;

	(void)state;
	str_add(&text, "first\nlast \033[31mred\n\n  \n");
	spool_last_line(&text, &last);
	assert_string_equal(last.p, "last ?[31mred");
	str_reset(&text);
	str_reset(&last);
	str_addn(&text, "a\0b\n\0", 5);
	spool_last_line(&text, &last);
	assert_string_equal(last.p, "a?b");
	str_reset(&text);
	str_reset(&last);
	spool_last_line(&text, &last);
	assert_string_equal(last.p, "");
	for (i = 0; i < 5000; i++)
		str_addch(&text, 'x');
	spool_last_line(&text, &last);
	assert_int_equal(last.len, 200);
	str_release(&text);
	str_release(&last);
}

/*
 * Expected: what a box says belongs to all monitors takes the memory of two.
 * Buggy: 16 MiB for each of them.
 */
static void one_file_for_all_monitors_takes_no_more_memory(void **state)
{
	static const char *const five[] = { "meminfo",	"vmstat", "mpstat",
					    "softirqs", "uptime", NULL };
	struct str text = STR_INIT;
	struct spool spool = { .nr = 0 };
	size_t all = 0;
	size_t i;

	(void)state;
	str_add(&text, "@ 1\n= meminfo,vmstat,mpstat,softirqs,uptime\n");
	while (text.len < SPOOL_MON_MAX_BYTES - 64)
		str_add(&text, "# /proc/meminfo and so on, line by line\n");
	spool_split(text.p, text.len, five, &spool);
	assert_int_equal(spool.nr, 5);
	for (i = 0; i < spool.nr; i++) {
		all += spool.v[i].data.len;
		assert_true(spool.v[i].cut);
	}
	assert_true(all <= 2 * SPOOL_MON_MAX_BYTES);
	spool_release(&spool);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_files_of_a_run_come_apart),
		cmocka_unit_test(ticks_go_to_each_monitor_that_reads_the_file),
		cmocka_unit_test(what_belongs_to_no_monitor_is_dropped),
		cmocka_unit_test(a_cut_sampling_file_marks_its_monitors),
		cmocka_unit_test(broken_frames_are_an_error),
		cmocka_unit_test(unknown_and_repeated_files_are_ignored),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(only_lines_since_the_mark_are_new),
		cmocka_unit_test(the_last_line_is_short_and_printable),
		cmocka_unit_test(
			one_file_for_all_monitors_takes_no_more_memory),
	};

	return RUN_TESTS(tests);
}
