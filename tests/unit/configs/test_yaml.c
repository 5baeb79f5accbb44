// SPDX-License-Identifier: GPL-3.0-or-later
/* The YAML reader: shapes, positions, refusals, and hostile input in time. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/str.h"
#include "configs/yaml.h"

/* A tree as one line: scalars, 'quoted', [lists], {key=value}. */
static void show(struct str *out, const struct yaml_node *n)
{
	if (n->kind == YAML_SCALAR) {
		str_addf(out, n->quoted ? "'%s'" : "%s", n->text);
		return;
	}
	str_addch(out, n->kind == YAML_SEQ ? '[' : '{');
	for (size_t i = 0; i < n->nr; i++) {
		str_add(out, i ? " " : "");
		if (n->kind == YAML_MAP)
			str_addf(out, "%s=", n->keys[i]->text);
		show(out, n->items[i]);
	}
	str_addch(out, n->kind == YAML_SEQ ? ']' : '}');
}

static void documents_become_trees_in_file_order(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "# nothing\n", "" },
		{ "b: 1\na: '2'\n", "{b=1 a='2'}|" },
		{ "a:\n  - x\n  - [y, z]\n", "{a=[x [y z]]}|" },
		{ "a: 1\n---\nb:\n", "{a=1}|{b=}|" },
		{ "<<: x.yaml\n<<: y.yaml\n", "{<<=x.yaml <<=y.yaml}|" },
		{ "{file: f, k: v}", "{file=f k=v}|" },
		{ "a: |\n  two\n  lines\n", "{a='two\nlines\n'}|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		struct yaml_file f;
		struct str s = STR_INIT;

		assert_int_equal(yaml_parse(cases[i].text,
					    strlen(cases[i].text), "t.yaml", &f,
					    &err),
				 0);
		for (size_t d = 0; d < f.nr; d++) {
			show(&s, f.docs[d]);
			str_addch(&s, '|');
		}
		assert_string_equal(s.p, cases[i].want);
		str_release(&s);
		yaml_file_release(&f);
	}
}

static void values_know_where_they_stood(void **state)
{
	static const char text[] = "a: 1\nbb:\n  - x\n  - y: z\n";
	struct err err = { 0 };
	struct yaml_file f;
	struct yaml_node *n;

	(void)state;
	assert_int_equal(yaml_parse(text, strlen(text), "t", &f, &err), 0);
	n = yaml_map_get(f.docs[0], "bb");
	assert_non_null(n);
	assert_int_equal(n->items[0]->line, 3);
	assert_int_equal(n->items[0]->col, 5);
	n = yaml_map_get(n->items[1], "y");
	assert_int_equal(n->line, 4);
	assert_int_equal(n->col, 8);
	assert_null(yaml_map_get(f.docs[0], "missing"));
	yaml_file_release(&f);
}

static void null_and_booleans_are_told_from_text(void **state)
{
	static const char text[] = "[null, ~, '', 'null', off, YES, 'no', x,]";
	static const int nulls[] = { 1, 1, 0, 0, 0, 0, 0, 0 };
	static const int bools[] = { 0, 0, 0, 0, 1, 2, 0, 0 };
	struct err err = { 0 };
	struct yaml_file f;

	(void)state;
	assert_int_equal(yaml_parse(text, strlen(text), "t", &f, &err), 0);
	assert_int_equal(f.docs[0]->nr, 8);
	for (size_t i = 0; i < 8; i++) {
		const struct yaml_node *n = f.docs[0]->items[i];
		bool b = false;

		assert_int_equal(yaml_is_null(n), nulls[i]);
		assert_int_equal(yaml_is_bool(n, &b), bools[i] > 0);
		assert_int_equal(b, bools[i] == 2);
	}
	yaml_file_release(&f);
}

static void refusals_name_the_place(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *part;
	} cases[] = {
		{ "a: 1\nb: 2\na: 3\n", ERR_CONFIG,
		  "f.yaml:3:1: key \"a\" is there already, in line 1" },
		{ "a: &x 1\n", ERR_CONFIG, "f.yaml:1:4: anchors" },
		{ "a: *x\n", ERR_CONFIG, "f.yaml:1:4: aliases" },
		{ "a: !ruby/object 1\n", ERR_CONFIG, "f.yaml:1:4: tags" },
		{ "a: !!map {}\n", ERR_CONFIG, "f.yaml:1:4: tags" },
		{ "a: !!seq []\n", ERR_CONFIG, "f.yaml:1:4: tags" },
		{ "[a]: 1\n", ERR_CONFIG, "f.yaml:1:1: a key" },
		{ "a: [1\n", ERR_CONFIG, "f.yaml:2:1" },
		{ "a: b: c\n", ERR_CONFIG, "f.yaml:1:5" },
		{ "a: \"x\\0y\"\n", ERR_CONFIG, "f.yaml:1:4: a NUL" },
		{ "\ta: 1\n", ERR_CONFIG, "f.yaml:1:" },
		{ "a: \xff\n", ERR_CONFIG, "f.yaml:1:4: " },
		{ "b: 1\na: \xc3\xa4\xff\n", ERR_CONFIG, "f.yaml:2:5: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		struct yaml_file f;

		assert_int_equal(yaml_parse(cases[i].text,
					    strlen(cases[i].text), "f.yaml", &f,
					    &err),
				 cases[i].code);
		assert_contains(err.text, cases[i].part);
		yaml_file_release(&f);
	}
}

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/*
 * Expected: refused or read in at most 50 ms of CPU, whatever the bytes are.
 * Buggy: libyaml's own tree loader takes 46 s for 100 kB of '['.
 */
static void hostile_input_is_refused_in_time(void **state)
{
	static const char *const units[] = {
		"[",	  "{",	   "- ",  "? ",	  "\"",
		"a: ",	  "[a,",   "{a:", "[]\n", "- a\n",
		"a:\n ",  "---\n", "!a ", "&a ",  "*a ",
		"'",	  "%",	   "\n",  "#",	  "|\n",
		"a: [\n", ",",	   ": ",  "a",	  "\xef\xbb\xbf",
		"a b ",	  "{a,",   "\t",
	};
	size_t size = YAML_MAX_BYTES;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);
		struct err err = { 0 };
		struct yaml_file f;
		double ms;

		for (size_t at = 0; at < size; at++)
			text[at] = units[i][at % n];
		ms = cpu_ms();
		yaml_parse(text, size, "hostile", &f, &err);
		yaml_file_release(&f);
		ms = cpu_ms() - ms;
#ifndef __SANITIZE_ADDRESS__
		if (ms > 50)
			fail_msg("%.0f ms for \"%s\"…", ms, units[i]);
#endif
	}
	free(text);
}

static void many_keys_stay_within_the_time(void **state)
{
	struct str s = STR_INIT;
	struct err err = { 0 };
	struct yaml_file f;
	double ms;

	(void)state;
	for (int i = 0; i < 4990; i++)
		str_addf(&s, "the_same_long_prefix_%d: %d\n", i, i);
	ms = cpu_ms();
	assert_int_equal(yaml_parse(s.p, s.len, "keys", &f, &err), 0);
	assert_int_equal(f.docs[0]->nr, 4990);
	ms = cpu_ms() - ms;
#ifndef __SANITIZE_ADDRESS__
	assert_true(ms < 50);
#endif
	yaml_file_release(&f);
	str_release(&s);
}

static void limits_hold(void **state)
{
	struct str s = STR_INIT;
	struct err err = { 0 };
	struct yaml_file f;

	(void)state;
	for (int i = 0; i < YAML_MAX_DEPTH; i++)
		str_addch(&s, '[');
	for (int i = 0; i < YAML_MAX_DEPTH; i++)
		str_addch(&s, ']');
	assert_int_equal(yaml_parse(s.p, s.len, "deep", &f, &err), 0);
	yaml_file_release(&f);
	str_reset(&s);
	for (int i = 0; i <= YAML_MAX_DEPTH; i++)
		str_addch(&s, '[');
	assert_int_equal(yaml_parse(s.p, s.len, "deep", &f, &err), ERR_LIMIT);
	yaml_file_release(&f);
	str_reset(&s);
	for (int i = 0; i < YAML_MAX_EVENTS; i++)
		str_add(&s, "- a\n");
	assert_int_equal(yaml_parse(s.p, s.len, "long", &f, &err), ERR_LIMIT);
	yaml_file_release(&f);
	while (s.len <= YAML_MAX_BYTES)
		str_add(&s, "# more and more and more\n");
	assert_int_equal(yaml_parse(s.p, s.len, "big", &f, &err), ERR_LIMIT);
	yaml_file_release(&f);
	str_release(&s);
}

static void a_copy_is_equal_and_independent(void **state)
{
	static const char text[] = "a: [1, '2', {b: c}]\n";
	struct str one = STR_INIT, two = STR_INIT;
	struct err err = { 0 };
	struct yaml_node *copy;
	struct yaml_file f;

	(void)state;
	assert_int_equal(yaml_parse(text, strlen(text), "t", &f, &err), 0);
	show(&one, f.docs[0]);
	copy = yaml_node_copy(f.docs[0]);
	yaml_file_release(&f);
	show(&two, copy);
	assert_string_equal(one.p, two.p);
	yaml_node_free(copy);
	str_release(&one);
	str_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_become_trees_in_file_order),
		cmocka_unit_test(values_know_where_they_stood),
		cmocka_unit_test(null_and_booleans_are_told_from_text),
		cmocka_unit_test(refusals_name_the_place),
		cmocka_unit_test(hostile_input_is_refused_in_time),
		cmocka_unit_test(many_keys_stay_within_the_time),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(a_copy_is_equal_and_independent),
	};

	return RUN_TESTS(tests);
}
