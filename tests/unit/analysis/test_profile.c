// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/profile.c: what moved, and where it lives.
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/profile.h"

#define SELF	 "perf-profile.self.cycles-pp."
#define CHILDREN "perf-profile.children.cycles-pp."

/* A metric's two values on each side; below 0: not seen. */
struct row {
	const char *name;
	double base[2], head[2];
};

static void fill(struct matrix *m, const char *name, const double v[2])
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (v[i] >= 0)
			assert_int_equal(matrix_set(m, name, i, v[i], NULL), 0);
}

static void compare(const struct row *rows, size_t nr, struct profile *out)
{
	struct matrix base = MATRIX_INIT;
	struct matrix head = MATRIX_INIT;
	const struct matrix *m[] = { &base, &head };
	struct comparison c = COMPARISON_INIT;
	const size_t runs[2] = { 2, 2 };
	size_t i;

	for (i = 0; i < nr; i++) {
		fill(&base, rows[i].name, rows[i].base);
		fill(&head, rows[i].name, rows[i].head);
	}
	assert_int_equal(compare_matrices(&c, m, 2, runs, "x", NULL), 0);
	profile_moved(&c, out);
	compare_release(&c);
	matrix_release(&base);
	matrix_release(&head);
}

static double points(const struct profile *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (!strcmp(p->v[i].name, name))
			return p->v[i].points;
	return 0;
}

static void only_what_moved_beyond_its_noise_counts(void **state)
{
	static const struct row rows[] = {
		{ SELF "pipe_read", { 1.0, 1.2 }, { 3.0, 3.2 } },
		{ CHILDREN "pipe_read", { 5.0, 5.1 }, { 9.0, 9.1 } },
		{ SELF "steady", { 4.0, 4.1 }, { 4.2, 4.3 } },
		{ SELF "noisy", { 1.0, 9.0 }, { 8.0, 16.0 } },
		{ SELF "gone.isra.0", { 2.0, 2.0 }, { -1, -1 } },
		{ CHILDREN "came", { -1, -1 }, { 0.5, 0.5 } },
		{ SELF "0xffffffff81000000", { 1, 1 }, { 9, 9 } },
		{ SELF "[unknown]", { 1, 1 }, { 9, 9 } },
		{ "vmstat.system.cs", { 1, 1 }, { 9, 9 } },
	};
	struct profile p;

	(void)state;
	compare(rows, sizeof(rows) / sizeof(*rows), &p);
	assert_int_equal(p.nr, 3);
	assert_true(fabs(points(&p, "pipe_read") - 4) < 1e-9);
	assert_true(fabs(points(&p, "gone") - 2) < 1e-9);
	assert_true(fabs(points(&p, "came") - 0.5) < 1e-9);
}

static void the_most_moved_are_kept(void **state)
{
	struct row rows[PROFILE_MAX_FUNCTIONS + 20];
	char names[PROFILE_MAX_FUNCTIONS + 20][64];
	struct profile p;
	size_t i;

	(void)state;
	for (i = 0; i < PROFILE_MAX_FUNCTIONS + 20; i++) {
		snprintf(names[i], sizeof(names[i]), SELF "f%zu", i);
		rows[i] = (struct row){ names[i],
					{ 1, 1 },
					{ 2 + (double)i, 2 + (double)i } };
	}
	compare(rows, PROFILE_MAX_FUNCTIONS + 20, &p);
	assert_int_equal(p.nr, PROFILE_MAX_FUNCTIONS);
	for (i = 0; i < PROFILE_MAX_FUNCTIONS + 20; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		assert_int_equal(points(&p, names[i]) > 0, i >= 20);
	}
}

static void a_definition_is_told_from_calls_and_prototypes(void **state)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{ "int pipe_read(void)\n{\n}\n", "pipe_read" },
		{ "static ssize_t\npipe_read(struct kiocb *iocb,\n",
		  "pipe_read" },
		{ "int pipe_read(void);\n", NULL },
		{ "\treturn pipe_read();\n", NULL },
		{ "#define x pipe_read()\n", NULL },
		{ "int my_pipe_read(void)\n", NULL },
		{ "int pipe_reader(void)\n", NULL },
		{ "int pipe_read\n", NULL },
		/* the one that moved more */
		{ "int copy(void)\n{\n}\nint pipe_read(int a)\n", "pipe_read" },
		{ "int copy(void)\n", "copy" },
		{ "int copy(int x_copy, int copy)", "copy" },
		{ "", NULL },
		{ "\n\n;\n", NULL },
	};
	struct profile p = { { { "copy", 1 }, { "pipe_read", 3 } }, 2 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *found = profile_find(&p, rows[i].text);

		if (rows[i].found)
			assert_string_equal(found ? found : "(none)",
					    rows[i].found);
		else
			assert_null(found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_moved_beyond_its_noise_counts),
		cmocka_unit_test(the_most_moved_are_kept),
		cmocka_unit_test(
			a_definition_is_told_from_calls_and_prototypes),
	};

	return RUN_TESTS(tests);
}
