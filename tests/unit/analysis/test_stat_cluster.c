// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_cluster.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>

#include "analysis/stat_cluster.h"
#include "base/mem.h"
#include "base/rand.h"

#define BOOTS 12

struct lab {
	double value[8][BOOTS];
	struct stat_cluster_metric m[8];
	int side[BOOTS];
	size_t head[8];
};

/*
 * 0: throughput, 1: its inverse, 2: a metric that the change moves as well but
 * with noise of its own, 3: one with the throughput's noise and some more.
 */
static void lab_fill(struct lab *lab)
{
	static const char *const names[] = { "b.ops_per_sec", "b.time", "m.x",
					     "m.y" };
	struct rand r;
	size_t i;

	rand_seed(&r, 21);
	for (i = 0; i < BOOTS; i++) {
		double noise = 0.01 * rand_normal(&r);

		lab->side[i] = i >= BOOTS / 2;
		lab->value[0][i] = 100 * (1 - 0.3 * lab->side[i]) * (1 + noise);
		lab->value[1][i] = 1 / lab->value[0][i];
		lab->value[2][i] = 100 * (1 - 0.3 * lab->side[i]) *
				   (1 + 0.01 * rand_normal(&r));
		lab->value[3][i] = 50 + 50 * noise + 0.5 * rand_normal(&r);
	}
	for (i = 0; i < 4; i++)
		lab->m[i] =
			(struct stat_cluster_metric){ names[i], lab->value[i],
						      4 - (int)i };
}

static void equal_noise_makes_one_of_two(void **state)
{
	struct lab lab;

	(void)state;
	lab_fill(&lab);
	assert_int_equal(stat_cluster(lab.m, 4, lab.side, BOOTS, lab.head), 3);
	/* the better rank speaks for both */
	assert_int_equal(lab.head[0], 1);
	assert_int_equal(lab.head[1], 1);
	/* a change in common is not enough, nor is a share of the noise */
	assert_int_equal(lab.head[2], 2);
	assert_int_equal(lab.head[3], 3);
}

static void known_names_need_no_noise(void **state)
{
	static const char *const names[] = {
		"stress-ng.pipe.ops",
		"stress-ng.pipe.ops_per_sec",
		"perf-stat.i.cycles",
		"perf-stat.ps.cycles",
		"b.time.elapsed_time",
		"b.time.elapsed_time.max",
		"stress-ng.pipe.ops_per_sec_usr",
		"perf-stat.i.ipc",
	};
	struct lab lab;
	size_t i;

	(void)state;
	lab_fill(&lab);
	for (i = 0; i < 8; i++) {
		size_t k;

		for (k = 0; k < BOOTS; k++)
			lab.value[i][k] = k == 3 ? NAN : 5;
		lab.m[i] = (struct stat_cluster_metric){ names[i], lab.value[i],
							 0 };
	}
	lab.m[1].rank = -1;
	assert_int_equal(stat_cluster(lab.m, 8, lab.side, BOOTS, lab.head), 5);
	assert_int_equal(lab.head[0], 1);
	assert_int_equal(lab.head[3], 2);
	assert_int_equal(lab.head[5], 4);
	assert_int_equal(lab.head[6], 6);
	assert_int_equal(lab.head[7], 7);
}

static void few_boots_correlate_by_accident(void **state)
{
	struct lab lab;

	(void)state;
	lab_fill(&lab);
	/* three points, two sides: everything is on a line */
	lab.side[1] = 1;
	lab.side[2] = 1;
	assert_int_equal(stat_cluster(lab.m, 4, lab.side, 3, lab.head), 4);
	assert_int_equal(stat_cluster(lab.m, 0, lab.side, 3, lab.head), 0);
}

static void many_metrics_of_their_own_stay_alone(void **state)
{
	static double v[300][10];
	static char names[300][16];
	static struct stat_cluster_metric m[300];
	static size_t head[300];
	const int side[10] = { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1 };
	struct rand r;
	size_t i, k;

	(void)state;
	rand_seed(&r, 22);
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 10; k++)
			v[i][k] = rand_normal(&r);
		(void)snprintf(names[i], sizeof(names[i]), "m.%zu", i);
		m[i] = (struct stat_cluster_metric){ names[i], v[i], 0 };
	}
	assert_int_equal(stat_cluster(m, 300, side, 10, head), 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_noise_makes_one_of_two),
		cmocka_unit_test(known_names_need_no_noise),
		cmocka_unit_test(few_boots_correlate_by_accident),
		cmocka_unit_test(many_metrics_of_their_own_stay_alone),
	};

	return RUN_TESTS(tests);
}
