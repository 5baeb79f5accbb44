// SPDX-License-Identifier: GPL-3.0-or-later
/* Field types: what each accepts, and that it is written as it is read. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rand.h"
#include "configs/field.h"
#include "configs/options.h"

/* One field of each type. */
struct all {
	char *str;
	char *path;
	char *word;
	int choice;
	bool flag;
	long long count;
	double number;
	double percent;
	double duration;
	long long bytes;
	struct config_list list;
};

#define F(name, t, d, ...)                                                     \
	{                                                                      \
		.key = "g." #name, .type = FIELD_##t,                          \
		.offset = offsetof(struct all, name), .def = (d), .help = "x", \
		__VA_ARGS__                                                    \
	}

static const struct field rows[] = {
	F(str, STR, "a: \"b\" # c"),
	F(path, PATH, "/x"),
	F(word, WORD, "null", .choices = "null|no|yes"),
	F(choice, CHOICE, "two", .choices = "one|two|three"),
	F(flag, BOOL, "true"),
	F(count, INT, "-3", .min = -5, .max = 99),
	F(number, NUM, "0.1"),
	F(percent, PERCENT, "2.5%", .max = 100),
	F(duration, DURATION, "90s"),
	F(bytes, BYTES, "1536"),
	F(list, LIST, "a, b"),
};

static const struct fields table = { rows, ARRAY_SIZE(rows), "key" };

static const struct field *row(const char *key)
{
	long i = fields_find(&table, key);

	assert_true(i >= 0);
	return &rows[i];
}

static void texts_become_values_and_canonical_texts(void **state)
{
	static const struct {
		const char *key, *text, *want; /* NULL: refused */
	} cases[] = {
		{ "g.str", "", "" },
		{ "g.str", "\xc3\xa4 ± ☃", "\xc3\xa4 ± ☃" },
		{ "g.str", "a\tb", NULL },
		{ "g.str", "a\x1b[31m", NULL },
		{ "g.str", "\xc2\x9b", NULL },
		{ "g.str", "\xed\xa0\x80", NULL },
		{ "g.str", "\xef\xbb\xbf", NULL },
		{ "g.path", "./a", "./a" },
		{ "g.path", "", "" },
		{ "g.path", "a/b", NULL },
		{ "g.word", "no", "no" },
		{ "g.word", "n", NULL },
		{ "g.word", "no|yes", NULL },
		{ "g.word", "", NULL },
		{ "g.choice", "three", "three" },
		{ "g.choice", "four", NULL },
		{ "g.flag", "OFF", "false" },
		{ "g.flag", "1", "true" },
		{ "g.flag", "2", NULL },
		{ "g.count", "99", "99" },
		{ "g.count", "100", NULL },
		{ "g.count", "-6", NULL },
		{ "g.count", "1.0", NULL },
		{ "g.count", "99999999999999999999", NULL },
		{ "g.number", "-1.5e3", "-1500" },
		{ "g.number", "inf", NULL },
		{ "g.percent", "7", "7" },
		{ "g.percent", "7.25%", "7.25" },
		{ "g.percent", "101", NULL },
		{ "g.percent", "7%%", NULL },
		{ "g.duration", "90", "90s" },
		{ "g.duration", "120s", "2m" },
		{ "g.duration", "1.5h", "90m" },
		{ "g.duration", "48h", "2d" },
		{ "g.duration", "250ms", "0.25s" },
		{ "g.duration", "0", "0s" },
		{ "g.duration", "1h30m", NULL },
		{ "g.bytes", "2048", "2KiB" },
		{ "g.bytes", "1.5G", "1536MiB" },
		{ "g.bytes", "1025", "1025" },
		{ "g.bytes", "0", "0" },
		{ "g.bytes", "99999999T", NULL },
		{ "g.list", " x ,, y z ", "x, y z" },
		{ "g.list", "", "" },
		{ "g.list", "a\nb", NULL },
	};
	struct all v;

	(void)state;
	fields_init(&table, &v);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct field *f = row(cases[i].key);
		struct str before = STR_INIT, after = STR_INIT;
		struct err err = { 0 };
		int rc;

		field_text(f, &v, &before);
		rc = field_set(f, &v, cases[i].text, "here", &err);
		field_text(f, &v, &after);
		if (!cases[i].want) {
			assert_int_equal(rc, ERR_CONFIG);
			assert_contains(err.text, "here: g.");
			/* the old value stays */
			assert_string_equal(before.p, after.p);
		} else {
			assert_int_equal(rc, 0);
			assert_string_equal(after.p, cases[i].want);
		}
		str_release(&before);
		str_release(&after);
	}
	fields_release(&table, &v);
}

static void read_yaml(struct all *v, const char *text, struct err *err,
		      int want)
{
	struct fields_reader r = { .table = &table, .base = v, .file = "y" };
	struct yaml_file f;

	assert_int_equal(yaml_parse(text, strlen(text), "y", &f, err), 0);
	assert_int_equal(fields_read(&r, f.docs[0], err), want);
	yaml_file_release(&f);
}

static char *written(const struct all *v)
{
	struct fields_writer w = { .table = &table, .base = v };
	struct str s = STR_INIT;

	fields_write(&w, &s);
	return str_detach(&s);
}

/* Expected: any value that was accepted comes back from YAML and from JSON. */
static void values_survive_yaml_and_json(void **state)
{
	static const char *const strings[] = {
		"null",
		"~",
		"true",
		"no",
		"1e3",
		"- a",
		"a: b",
		"#",
		"\"",
		"\\",
		"'",
		"{}",
		"[",
		"%",
		"@",
		"&a",
		"*a",
		"!x",
		"|",
		">",
		" lead",
		"trail ",
		"\\n",
		"${x}",
		"\xe2\x80\xa8",
		"\xf0\x9f\x90\x91",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		struct all one, two, three;
		struct err err = { 0 };
		char *a, *b, *c;
		json_t *j;

		fields_init(&table, &one);
		fields_init(&table, &two);
		fields_init(&table, &three);
		assert_int_equal(
			field_set(row("g.str"), &one, strings[i], "t", &err),
			0);
		config_list_add(&one.list, xstrdup(strings[i]));
		a = written(&one);
		read_yaml(&two, a, &err, 0);
		b = written(&two);
		assert_string_equal(a, b);
		assert_string_equal(two.str, strings[i]);
		assert_string_equal(two.list.v[2], strings[i]);
		j = fields_to_json(&table, &one);
		assert_int_equal(fields_from_json(&table, &three, j, &err), 0);
		c = written(&three);
		assert_string_equal(a, c);
		json_decref(j);
		free(a);
		free(b);
		free(c);
		fields_release(&table, &one);
		fields_release(&table, &two);
		fields_release(&table, &three);
	}
}

static void random_numbers_survive_being_written(void **state)
{
	struct all one, two;
	struct rand rnd;

	(void)state;
	rand_seed(&rnd, 3);
	fields_init(&table, &one);
	fields_init(&table, &two);
	for (int i = 0; i < 2000; i++) {
		struct err err = { 0 };
		char *text;

		one.bytes = (long long)rand_below(&rnd, 1ULL << 40);
		one.duration = (double)rand_below(&rnd, 1000000) / 8;
		one.percent = (double)rand_below(&rnd, 100000) / 1000;
		text = written(&one);
		read_yaml(&two, text, &err, 0);
		assert_true(one.bytes == two.bytes);
		assert_true(one.duration == two.duration);
		assert_true(one.percent == two.percent);
		free(text);
	}
	fields_release(&table, &one);
	fields_release(&table, &two);
}

static void empty_values_mean_the_default(void **state)
{
	struct err err = { 0 };
	struct all v;

	(void)state;
	fields_init(&table, &v);
	read_yaml(&v, "g: {count: 7, str: x, list: [z]}", &err, 0);
	assert_int_equal(v.count, 7);
	assert_int_equal(v.list.nr, 1);
	read_yaml(&v, "g: {count: , str: ~, list: }", &err, 0);
	assert_int_equal(v.count, -3);
	assert_string_equal(v.str, "a: \"b\" # c");
	assert_int_equal(v.list.nr, 2);
	read_yaml(&v, "g:", &err, 0);
	read_yaml(&v, "~", &err, 0);
	fields_release(&table, &v);
}

static void shapes_that_dont_fit_are_refused(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "g: {count: [1]}", "y:1:12: g.count: expected a whole "
				     "number, not a list" },
		{ "g: {str: {a: b}}", "not a map" },
		{ "g: {list: [a, [b]]}", "y:1:15: g.list: expected plain" },
		{ "g: {lst: a}", "y:1:5: there is no key \"g.lst\" (did you "
				 "mean g.list?)" },
		{ "g: x", "y:1:1: there is no key \"g\"" },
		{ "g: [a]", "there is no key \"g\"" },
		{ "[g]", "y:1:1: expected \"key: value\"" },
	};
	struct all v;

	(void)state;
	fields_init(&table, &v);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		read_yaml(&v, cases[i].text, &err, ERR_CONFIG);
		assert_contains(err.text, cases[i].part);
	}
	fields_release(&table, &v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_values_and_canonical_texts),
		cmocka_unit_test(values_survive_yaml_and_json),
		cmocka_unit_test(random_numbers_survive_being_written),
		cmocka_unit_test(empty_values_mean_the_default),
		cmocka_unit_test(shapes_that_dont_fit_are_refused),
	};

	return RUN_TESTS(tests);
}
