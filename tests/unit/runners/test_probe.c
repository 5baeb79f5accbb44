// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/probe.c: what a box says of itself, true or not.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/embed.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/probe.h"

static const char said[] = "fact.boot_id=b7c607b9-2a4b-4db6-9c3f-5cb4b70220f1\n"
			   "fact.uptime=12.50\n"
			   "fact.kernel=6.1.192\n"
			   "fact.model=Some CPU @ 2.0GHz\n"
			   "fact.nr_cpus=4\n"
			   "fact.nodes=2\n"
			   "fact.memory_kib=1048576\n"
			   "cmdline=console=ttyS0 panic=-1\n"
			   "governor=performance\n"
			   "throttled=0\n"
			   "microcode=\n"
			   "Bad Key=1\n"
			   "no value\n"
			   "need.stress-ng=/usr/bin/stress-ng\n"
			   "need.numactl=\n";

static void facts_and_invariants_are_told_apart(void **state)
{
	struct run_facts f = { .boot_seconds = 1 };

	(void)state;
	assert_int_equal(probe_parse(said, &f, NULL), 0);
	assert_string_equal(f.boot_id, "b7c607b9-2a4b-4db6-9c3f-5cb4b70220f1");
	assert_string_equal(f.model, "Some CPU @ 2.0GHz");
	assert_string_equal(f.kernel, "6.1.192");
	assert_int_equal(f.nr_cpus, 4);
	assert_int_equal(f.nr_nodes, 2);
	assert_int_equal(f.memory_kib, 1048576);
	assert_true(f.uptime_s == 12.5);
	assert_int_equal(json_object_size(f.invariants), 4);
	assert_string_equal(json_opt_str(f.invariants, "cmdline", ""),
			    "console=ttyS0 panic=-1");
	assert_int_equal(json_opt_int(f.invariants, "throttled", -1), 0);
	run_facts_release(&f);
}

static void a_program_is_there_only_with_its_path(void **state)
{
	(void)state;
	assert_true(probe_has(said, "stress-ng"));
	assert_false(probe_has(said, "numactl"));
	assert_false(probe_has(said, "sysbench"));
	assert_false(probe_has(said, "stress"));
	assert_false(probe_has("", "stress-ng"));
}

static void nonsense_is_refused(void **state)
{
	static const char *const lines[] = {
		"fact.nr_cpus=0\n",	   "fact.nr_cpus=nan\n",
		"fact.nr_cpus=1e9\n",	   "fact.nr_cpus=-4\n",
		"fact.nodes=inf\n",	   "fact.nodes=\n",
		"fact.memory_kib=1e300\n", "fact.uptime=-1\n",
		"fact.boot_id=\n",
	};
	struct str text = STR_INIT;
	struct err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct run_facts f = { .boot_seconds = 1 };

		str_reset(&text);
		str_add(&text, lines[i]); /* of equal keys the first counts */
		str_add(&text, said);
		assert_int_equal(probe_parse(text.p, &f, &err), ERR_INFRA);
		assert_contains(err.text, "makes no sense");
		run_facts_release(&f);
	}
	str_release(&text);
}

static void hostile_text_is_cut_and_cleaned(void **state)
{
	struct str text = STR_INIT;
	struct run_facts f = { .boot_seconds = 1 };
	int i;

	(void)state;
	str_add(&text, "fact.model=\033]0;x\007");
	for (i = 0; i < 5000; i++)
		str_addch(&text, 'm');
	str_add(&text, "\n");
	str_add(&text, said);
	str_add(&text, "thp=\xff\xfe");
	for (i = 0; i < 5000; i++)
		str_addch(&text, 't');
	for (i = 0; i < 1000; i++)
		str_addf(&text, "\nk%c%c%c=1", 'a' + i % 26, 'a' + i / 26 % 26,
			 'a' + i / 676);
	assert_int_equal(probe_parse(text.p, &f, NULL), 0);
	assert_null(strchr(f.model, '\033'));
	assert_int_equal(strlen(f.model), sizeof(f.model) - 1);
	assert_int_equal(json_object_size(f.invariants), 200);
	assert_true(strlen(json_opt_str(f.invariants, "thp", "")) < 1010);
	run_facts_release(&f);
	str_release(&text);
}

/* An ELF note as the kernel shows them. */
static void note(struct str *out, unsigned type, const char *name,
		 const char *data, unsigned len)
{
	unsigned name_len = (unsigned)strlen(name) + 1;
	unsigned char head[12] = { 0 };

	head[0] = (unsigned char)name_len;
	head[4] = (unsigned char)len;
	head[8] = (unsigned char)type;
	str_addn(out, head, sizeof(head));
	str_addn(out, name, name_len);
	str_addn(out, "\0\0\0", (4 - name_len % 4) % 4);
	str_addn(out, data, len);
	str_addn(out, "\0\0\0", (4 - len % 4) % 4);
}

static void the_build_id_is_found_behind_other_notes(void **state)
{
	struct str notes = STR_INIT;
	struct str id = STR_INIT;

	(void)state;
	note(&notes, 6, "Xen", "abcde", 5);
	note(&notes, 3, "Linux", "no", 2);
	note(&notes, 3, "GNU", "\x01\xab\xff\x10", 4);
	assert_true(probe_build_id(notes.p, notes.len, &id));
	assert_string_equal(id.p, "01abff10");
	str_release(&notes);
	str_release(&id);
}

static void damaged_notes_have_no_build_id(void **state)
{
	struct str notes = STR_INIT;
	struct str id = STR_INIT;
	size_t len;

	(void)state;
	note(&notes, 3, "GNU", "\x01\xab\xff\x10", 4);
	for (len = 0; len < notes.len; len++) {
		char *exact = xmalloc(len + 1); /* so that overreads show */

		memcpy(exact, notes.p, len);
		assert_false(probe_build_id(exact, len, &id));
		free(exact);
	}
	assert_false(probe_build_id("\xff\xff\xff\xff\xff\xff\xff\xff"
				    "\3\0\0\0GNU\0abcd",
				    20, &id));
	str_reset(&notes);
	note(&notes, 3, "GNU", "0123456789012345678901234567890123456789", 40);
	assert_false(probe_build_id(notes.p, notes.len, &id));
	assert_int_equal(id.len, 0);
	str_release(&notes);
	str_release(&id);
}

static void the_script_runs_here_and_is_understood(void **state)
{
	const struct embed_file *script = embed_find(embed_runners, "probe.sh");
	const char *const argv[] = { "sh", "-s", "--", "sh", "no-such-thing",
				     NULL };
	struct spawn what = { .argv = argv };
	struct run_facts f = { .boot_seconds = 1 };
	struct str out = STR_INIT;

	(void)state;
	assert_non_null(script);
	what.input = (const char *)script->data;
	what.input_len = script->len;
	assert_int_equal(spawn_capture(&what, &out, NULL, 60000, NULL), 0);
	assert_int_equal(probe_parse(out.p, &f, NULL), 0);
	assert_true(probe_has(out.p, "sh"));
	assert_false(probe_has(out.p, "no-such-thing"));
	assert_true(f.uptime_s > 0);
	run_facts_release(&f);
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_and_invariants_are_told_apart),
		cmocka_unit_test(a_program_is_there_only_with_its_path),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(hostile_text_is_cut_and_cleaned),
		cmocka_unit_test(the_build_id_is_found_behind_other_notes),
		cmocka_unit_test(damaged_notes_have_no_build_id),
		cmocka_unit_test(the_script_runs_here_and_is_understood),
	};

	return RUN_TESTS(tests);
}
