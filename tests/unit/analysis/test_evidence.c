// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/evidence*.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>

#include "analysis/evidence.h"
#include "base/mem.h"
#include "base/rand.h"
#include "tests/unit/analysis/compare_help.h"

#define BOOTS 10

/* A comparison of two matrices with what belongs to it. */
struct lab {
	struct matrix m[2];
	struct comparison c;
	struct evidence e;
	int boot[2][4 * BOOTS], pair[2][4 * BOOTS];
};

static void lab_open(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
}

static void lab_set(struct lab *lab, int side, const char *name, size_t run,
		    double value)
{
	assert_int_equal(matrix_set(&lab->m[side], name, run, value, NULL), 0);
}

/* Compare; @in says what is known beside the matrices. */
static void lab_judge(struct lab *lab, struct evidence_in *in)
{
	const struct matrix *const side[] = { &lab->m[0], &lab->m[1] };

	assert_int_equal(compare_matrices(&lab->c, side, 2, NULL, "b", NULL),
			 0);
	in->comparison = &lab->c;
	in->side = 1;
	in->base.matrix = &lab->m[0];
	in->head.matrix = &lab->m[1];
	in->base.nr = lab->m[0].runs;
	in->head.nr = lab->m[1].runs;
	if (!in->min_effect)
		in->min_effect = 0.01;
	evidence_compute(in, &lab->e);
}

static void lab_close(struct lab *lab)
{
	evidence_release(&lab->e);
	compare_release(&lab->c);
	matrix_release(&lab->m[0]);
	matrix_release(&lab->m[1]);
}

static const struct evidence_row *row_of(const struct lab *lab,
					 const char *name)
{
	size_t i;

	for (i = 0; i < lab->e.nr; i++) {
		if (!strcmp(lab->e.row[i].metric->name, name))
			return &lab->e.row[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

/* Throughput that falls by @change with noise of 1 %, its operations, and a
 * monitor that noise alone moves. */
static void fill_usual(struct lab *lab, struct rand *r, size_t boots,
		       size_t runs, double change)
{
	size_t i, k;
	int s;

	for (s = 0; s < 2; s++) {
		for (i = 0; i < boots; i++) {
			double level = 1000 * (1 - s * change) *
				       (1 + 0.01 * rand_normal(r));

			for (k = 0; k < runs; k++) {
				double v = level * (1 + 0.001 * rand_normal(r));
				size_t run = i * runs + k;

				lab->boot[s][run] = (int)i;
				lab->pair[s][run] = (int)i;
				lab_set(lab, s, "b.x.ops_per_sec", run, v);
				lab_set(lab, s, "b.x.ops", run, 60 * v);
				lab_set(lab, s, "vmstat.system.cs", run,
					500 + 5 * rand_normal(r));
				lab_set(lab, s, "meminfo.MemTotal", run, 8e6);
			}
		}
	}
}

static void boots_that_are_no_pairs_are_judged_by_welch(void **state)
{
	struct evidence_in in = { .side = 1 };
	const struct evidence_row *row;
	struct lab lab;
	struct rand r;

	(void)state;
	rand_seed(&r, 31);
	lab_open(&lab);
	fill_usual(&lab, &r, BOOTS, 1, 0.05);
	lab_judge(&lab, &in);
	row = row_of(&lab, "b.x.ops_per_sec");
	assert_int_equal(row->test, EVIDENCE_WELCH);
	assert_int_equal(row->family, EVIDENCE_HEADLINES);
	assert_true(row->believed && row->q <= 0.01 && isnan(row->e_value));
	assert_true(row->lo < -0.05 && -0.05 < row->hi && row->hi < 0);
	assert_true(row->detectable > 0.01 && row->detectable < 0.04);
	assert_int_equal(row->boots[0], BOOTS);
	assert_false(row_of(&lab, "vmstat.system.cs")->believed);
	assert_int_equal(row_of(&lab, "meminfo.MemTotal")->test, EVIDENCE_SAME);
	assert_int_equal(lab.e.tested[EVIDENCE_HEADLINES], 1);
	assert_int_equal(lab.e.tested[EVIDENCE_OTHERS], 2);
	assert_int_equal(lab.e.believed[EVIDENCE_OTHERS], 1);
	/* operations say what operations per second say */
	assert_int_equal(lab.e.clusters, 1);
	assert_string_equal(
		lab.e.row[row_of(&lab, "b.x.ops")->headline].metric->name,
		"b.x.ops_per_sec");
	assert_true(fabs(lab.e.false_expected - 0.06) < 1e-9);
	assert_true(evidence_is_regression(&lab.e));
	lab_close(&lab);
}

static void pairs_are_judged_by_an_e_process(void **state)
{
	struct evidence_in in = { .side = 1, .planned = 6 };
	const struct evidence_row *row;
	struct lab lab;
	struct rand r;

	(void)state;
	rand_seed(&r, 32);
	lab_open(&lab);
	fill_usual(&lab, &r, 8, 2, -0.06);
	in.base.boot = lab.boot[0];
	in.head.boot = lab.boot[1];
	in.base.pair = lab.pair[0];
	in.head.pair = lab.pair[1];
	lab_judge(&lab, &in);
	assert_true(lab.e.paired);
	row = row_of(&lab, "b.x.ops_per_sec");
	assert_int_equal(row->test, EVIDENCE_PAIRS);
	assert_true(row->believed && row->e_value >= 100 && isnan(row->p));
	assert_true(row->effect > 0.04 && row->effect < 0.08);
	assert_int_equal(row->boots[0], 8);
	assert_int_equal(row->runs[0], 16);
	assert_false(row->calibrated);
	/* more of it is better */
	assert_false(evidence_is_regression(&lab.e));
	lab_close(&lab);
}

/* Sixteen runs in two boots are two boots. */
static void runs_of_one_boot_are_no_evidence(void **state)
{
	struct evidence_in in = { .side = 1 };
	struct lab lab;
	size_t run;

	(void)state;
	lab_open(&lab);
	for (run = 0; run < 16; run++) {
		double boot = run < 8 ? 0 : 3;

		lab.boot[0][run] = lab.boot[1][run] = (int)(run / 8);
		lab_set(&lab, 0, "b.x.ops_per_sec", run,
			100 + boot + 0.01 * (double)(run % 5));
		lab_set(&lab, 1, "b.x.ops_per_sec", run,
			104 + boot + 0.01 * (double)(run % 7));
	}
	in.base.boot = lab.boot[0];
	in.head.boot = lab.boot[1];
	lab_judge(&lab, &in);
	assert_int_equal(row_of(&lab, "b.x.ops_per_sec")->boots[1], 2);
	assert_false(row_of(&lab, "b.x.ops_per_sec")->believed);
	lab_close(&lab);
	/* the same numbers as boots of their own would be */
	lab_open(&lab);
	for (run = 0; run < 16; run++) {
		lab_set(&lab, 0, "b.x.ops_per_sec", run,
			100 + 0.01 * (double)run);
		lab_set(&lab, 1, "b.x.ops_per_sec", run,
			104 + 0.01 * (double)run);
	}
	in = (struct evidence_in){ .side = 1 };
	lab_judge(&lab, &in);
	assert_true(row_of(&lab, "b.x.ops_per_sec")->believed);
	lab_close(&lab);
}

/*
 * Counts that are all 5 in one kernel and all 6 in the other: Welch would be
 * sure of it with two boots, since there is no noise at all.
 */
static void few_different_values_are_judged_by_ranks(void **state)
{
	struct evidence_in in = { .side = 1 };
	const struct evidence_row *row;
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab);
	for (i = 0; i < 3; i++) {
		lab_set(&lab, 0, "m.count", i, 5);
		lab_set(&lab, 1, "m.count", i, 6);
	}
	lab_judge(&lab, &in);
	row = row_of(&lab, "m.count");
	assert_int_equal(row->test, EVIDENCE_RANKS);
	assert_true(fabs(row->p - 0.1) < 1e-9 && !row->believed);
	assert_true(isinf(row->lo) && isinf(row->detectable));
	assert_true(fabs(row->effect - 0.2) < 1e-9);
	lab_close(&lab);
}

/* The same in pairs: four of them say no more than four coins do. */
static void few_different_pairs_say_what_their_signs_do(void **state)
{
	struct evidence_in in = { .side = 1 };
	const struct evidence_row *row;
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab);
	for (i = 0; i < 4; i++) {
		lab.boot[0][i] = lab.pair[0][i] = (int)i;
		lab_set(&lab, 0, "m.count", i, 5);
		lab_set(&lab, 1, "m.count", i, 6);
	}
	in.base.boot = in.head.boot = lab.boot[0];
	in.base.pair = in.head.pair = lab.pair[0];
	lab_judge(&lab, &in);
	row = row_of(&lab, "m.count");
	assert_true(row->e_value == 8);
	assert_false(row->believed);
	lab_close(&lab);
}

static void one_outlier_does_not_hide_a_change(void **state)
{
	struct evidence_in in = { .side = 1 };
	const struct evidence_row *row;
	struct lab lab;
	struct rand r;

	(void)state;
	rand_seed(&r, 33);
	lab_open(&lab);
	fill_usual(&lab, &r, BOOTS, 1, 0.06);
	lab_set(&lab, 1, "b.x.ops_per_sec", 4, 9000);
	lab_judge(&lab, &in);
	row = row_of(&lab, "b.x.ops_per_sec");
	assert_int_equal(row->test, EVIDENCE_RANKS);
	assert_true(row->believed && row->effect < -0.03);
	lab_close(&lab);
}

static void a_calibration_makes_few_pairs_enough(void **state)
{
	const struct evidence_calibration known = { "b.x.ops_per_sec", 0.01,
						    0.9, 30 };
	struct evidence_in in = { .side = 1, .planned = 4 };
	double e[2];
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct lab lab;
		struct rand r;

		rand_seed(&r, 35);
		lab_open(&lab);
		fill_usual(&lab, &r, 4, 1, 0.05);
		in.base.boot = in.head.boot = lab.boot[0];
		in.base.pair = in.head.pair = lab.pair[0];
		in.calibration = &known;
		in.nr_calibrations = (size_t)i;
		lab_judge(&lab, &in);
		e[i] = row_of(&lab, "b.x.ops_per_sec")->e_value;
		assert_int_equal(row_of(&lab, "b.x.ops_per_sec")->calibrated,
				 i);
		lab_close(&lab);
	}
	assert_true(e[1] > 10 * e[0] && e[1] > 100);
}

static void failures_are_judged_by_their_rates(void **state)
{
	struct evidence_in in = { .side = 1 };
	const struct evidence_row *row;
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab);
	for (i = 0; i < 6; i++) {
		lab_set(&lab, 0, "b.x.ops_per_sec", i, 100);
		lab_set(&lab, 1, "b.x.ops_per_sec", i, 100);
		lab_set(&lab, 1, "dmesg.BUG:at#f", i, 1);
		lab_set(&lab, 1, "last_state.x", i, 0);
	}
	lab_judge(&lab, &in);
	row = row_of(&lab, "dmesg.BUG:at#f");
	assert_int_equal(row->test, EVIDENCE_FISHER);
	assert_true(row->believed && row->effect == 1);
	assert_true(fabs(row->p - 2 / 924.0) < 1e-9);
	assert_int_equal(row_of(&lab, "last_state.x")->test, EVIDENCE_SAME);
	assert_true(evidence_is_regression(&lab.e));
	lab_close(&lab);
}

/* A boot that was tried again has two entries; the last one counts. */
static void pairs_need_both_boots(void **state)
{
	static const int base_pair[] = { 0, 1, 2, 2 };
	static const int head_pair[] = { 0, 2, 3, 4 };
	static const int boot[] = { 0, 1, 2, 3 };
	struct evidence_in in = { .side = 1 };
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab);
	for (i = 0; i < 4; i++) {
		lab_set(&lab, 0, "m.x", i, 100 + (double)i);
		lab_set(&lab, 1, "m.x", i, 110.5 + 3 * (double)i);
	}
	in.base.boot = in.head.boot = boot;
	in.base.pair = base_pair;
	in.head.pair = head_pair;
	lab_judge(&lab, &in);
	/* (100, 110.5) and (103, 113.5) */
	assert_true(fabs(row_of(&lab, "m.x")->effect - 10.5 / 101.5) < 1e-9);
	lab_close(&lab);
}

/* Equal kernels: hardly any comparison believes anything. */
static void equal_kernels_are_believed_to_be_equal(void **state)
{
	struct rand r;
	int headlines = 0, others = 0;
	int t;

	(void)state;
	rand_seed(&r, 36);
	for (t = 0; t < 200; t++) {
		struct evidence_in in = { .side = 1, .planned = 6 };
		struct lab lab;
		char name[16];
		size_t i;
		int m;

		lab_open(&lab);
		fill_usual(&lab, &r, 6, 1, 0);
		for (i = 0; i < 12; i++)
			for (m = 0; m < 40; m++) {
				(void)snprintf(name, sizeof(name), "m.%d", m);
				lab_set(&lab, i % 2, name, i / 2,
					100 + rand_normal(&r));
			}
		in.base.boot = in.head.boot = lab.boot[0];
		if (t % 2)
			in.base.pair = in.head.pair = lab.pair[0];
		lab_judge(&lab, &in);
		headlines += lab.e.believed[EVIDENCE_HEADLINES] > 0;
		others += lab.e.believed[EVIDENCE_OTHERS] > 0;
		lab_close(&lab);
	}
	assert_true(headlines <= 6);
	assert_true(others <= 20);
}

static void the_rule_marks_by_accident_what_can_be_counted(void **state)
{
	(void)state;
	/* 3 against 3: 4 of the 20 orders; 6 against 6: 20 of 924 */
	assert_true(fabs(evidence_rule_chance(3, 3) - 0.2) < 1e-9);
	assert_true(fabs(evidence_rule_chance(6, 6) - 20 / 924.0) < 1e-9);
	assert_true(evidence_rule_chance(0, 3) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots_that_are_no_pairs_are_judged_by_welch),
		cmocka_unit_test(pairs_are_judged_by_an_e_process),
		cmocka_unit_test(runs_of_one_boot_are_no_evidence),
		cmocka_unit_test(few_different_values_are_judged_by_ranks),
		cmocka_unit_test(few_different_pairs_say_what_their_signs_do),
		cmocka_unit_test(one_outlier_does_not_hide_a_change),
		cmocka_unit_test(a_calibration_makes_few_pairs_enough),
		cmocka_unit_test(failures_are_judged_by_their_rates),
		cmocka_unit_test(pairs_need_both_boots),
		cmocka_unit_test(equal_kernels_are_believed_to_be_equal),
		cmocka_unit_test(
			the_rule_marks_by_accident_what_can_be_counted),
	};

	return RUN_TESTS(tests);
}
