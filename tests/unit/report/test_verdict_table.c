// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/verdict_table.c and verdict_json.c; tests/data/report/verdict
// has whole outputs.
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rand.h"
#include "report/verdict_table.h"
#include "report/wrap.h"
#include "tests/unit/analysis/compare_help.h"

#define COLUMNS 80
#define RUNS	8

struct desk {
	struct matrix m[2];
	struct comparison c;
	struct evidence e;
	struct axes axes;
	struct verdict_table table;
	struct str out;
};

static void put(struct desk *d, const char *name, double base, double head,
		struct rand *r)
{
	size_t i;

	for (i = 0; i < RUNS; i++) {
		assert_int_equal(matrix_set(&d->m[0], name, i,
					    base + rand_normal(r), NULL),
				 0);
		assert_int_equal(matrix_set(&d->m[1], name, i,
					    head + rand_normal(r), NULL),
				 0);
	}
}

/* Names and numbers that don't fit, and what a terminal must not see. */
static void desk_open(struct desk *d, enum verdict_show show)
{
	static const char wide[] =
		"perf-profile.calltrace.cycles-pp.äöü."
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
	const struct matrix *const side[] = { &d->m[0], &d->m[1] };
	struct evidence_in in = { .side = 1, .min_effect = 0.01 };
	struct rand r;

	memset(d, 0, sizeof(*d));
	str_init(&d->out);
	rand_seed(&r, 5);
	put(d, "b.x.ops_per_sec", 100, 80, &r);
	put(d, "m.\033[31mred", 1e9, 3e15, &r);
	put(d, wide, 200, 150, &r);
	put(d, "m.small", 1e-30, 1e30, &r);
	put(d, "m.negative", -1e5, -2e5, &r);
	put(d, "m.noise", 100, 100, &r);
	assert_int_equal(compare_matrices(&d->c, side, 2, NULL, "b", NULL), 0);
	in.comparison = &d->c;
	in.base.matrix = &d->m[0];
	in.head.matrix = &d->m[1];
	evidence_compute(&in, &d->e);
	assert_int_equal(
		axes_add_commit(&d->axes, "0123456789abcdef", wide, 0, NULL),
		0);
	assert_int_equal(axes_add_commit(&d->axes, "fedcba9876543210",
					 "a\tshort one", 0, NULL),
			 0);
	d->table = (struct verdict_table){ .axes = &d->axes,
					   .comparison = &d->c,
					   .evidence = &d->e,
					   .side = 1,
					   .show = show,
					   .lab = { .rate = NAN },
					   .min_effect = 0.01 };
}

static void desk_close(struct desk *d)
{
	evidence_release(&d->e);
	compare_release(&d->c);
	axes_release(&d->axes);
	matrix_release(&d->m[0]);
	matrix_release(&d->m[1]);
	str_release(&d->out);
}

/* But for a word that no line could hold, a subject's. */
static void no_line_is_wider_than_a_terminal(void **state)
{
	int show, ascii;

	(void)state;
	for (show = VERDICT_SHOW_EITHER; show <= VERDICT_SHOW_ALL; show++) {
		for (ascii = 0; ascii < 2; ascii++) {
			struct desk d;
			char *line, *next;

			desk_open(&d, (enum verdict_show)show);
			d.table.ascii = ascii;
			d.table.runs_are_boots = true;
			d.table.said = "b.x.ops_per_sec: 20.0% regression, E = "
				       "1.2e+05, 95% CI -21% … -19%, 8 boots a "
				       "side; box not calibrated";
			verdict_table_add(&d.table, &d.out);
			assert_null(strchr(d.out.p, '\033'));
			for (line = d.out.p; *line; line = next) {
				size_t len = strcspn(line, "\n");

				next = line + len + (line[len] == '\n');
				if (strchr(line, '"') && len > 2 &&
				    memchr(line, '"', len))
					continue;
				if (wrap_columns(line, len) > COLUMNS)
					fail_msg("%.*s", (int)len, line);
			}
			desk_close(&d);
		}
	}
}

static void rows_follow_what_is_believed_and_marked(void **state)
{
	struct desk d;
	size_t *row;

	(void)state;
	desk_open(&d, VERDICT_SHOW_ALL);
	assert_int_equal(verdict_table_rows(&d.table, &row), d.c.nr);
	/* the headline stands first, noise last */
	assert_string_equal(d.e.row[row[0]].metric->name, "b.x.ops_per_sec");
	assert_string_equal(d.e.row[row[d.c.nr - 1]].metric->name, "m.noise");
	free(row);
	d.table.show = VERDICT_SHOW_EITHER;
	assert_int_equal(verdict_table_rows(&d.table, &row), d.c.nr - 1);
	free(row);
	desk_close(&d);
}

static void the_lab_is_told_as_well_as_it_is_known(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d, VERDICT_SHOW_EITHER);
	verdict_table_add(&d.table, &d.out);
	assert_contains(d.out.p, "not calibrated, so unknown.");
	str_reset(&d.out);
	d.table.lab.rate = 0.012;
	verdict_table_add(&d.table, &d.out);
	assert_contains(d.out.p, "lab: 1.2% of comparisons of a kernel with");
	str_reset(&d.out);
	d.table.lab = (struct verdict_lab){ 1, 40, NAN };
	verdict_table_add(&d.table, &d.out);
	assert_contains(d.out.p, "lab: 1 of 40 splits of the boots of one");
	desk_close(&d);
}

static void json_has_null_for_what_is_unknown(void **state)
{
	struct desk d;
	json_t *obj, *row;

	(void)state;
	desk_open(&d, VERDICT_SHOW_EITHER);
	obj = verdict_table_to_json(&d.table);
	assert_true(json_is_null(json_object_get(obj, "lab")));
	assert_true(json_is_null(json_object_get(obj, "said")));
	assert_string_equal(json_opt_str(obj, "method", ""), "boots");
	assert_int_equal(json_opt_int(obj, "tested", 0), 6);
	row = json_array_get(json_object_get(obj, "metrics"), 0);
	assert_string_equal(json_opt_str(row, "name", ""), "b.x.ops_per_sec");
	assert_true(json_is_null(json_object_get(row, "e")));
	assert_true(json_is_real(json_object_get(row, "q")));
	assert_true(json_opt_bool(row, "believed", false));
	assert_int_equal(json_array_size(json_object_get(row, "ci")), 2);
	json_decref(obj);
	d.table.lab = (struct verdict_lab){ 1, 40, NAN };
	obj = verdict_table_to_json(&d.table);
	assert_true(json_opt_num(json_object_get(obj, "lab"), "rate", 0) ==
		    0.025);
	json_decref(obj);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_line_is_wider_than_a_terminal),
		cmocka_unit_test(rows_follow_what_is_believed_and_marked),
		cmocka_unit_test(the_lab_is_told_as_well_as_it_is_known),
		cmocka_unit_test(json_has_null_for_what_is_unknown),
	};

	return RUN_TESTS(tests);
}
