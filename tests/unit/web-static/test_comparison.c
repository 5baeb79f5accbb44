// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of comparison_data.c and comparison_table.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "web-static/comparison_table.h"
#include "web-static/page_comparison.h"

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* LKP's rule without its floors: each median outside the other's range. */
static bool rule_holds(int *a, int n, int *b, int m)
{
	qsort(a, (size_t)n, sizeof(int), by_value);
	qsort(b, (size_t)m, sizeof(int), by_value);
	return (a[n / 2] < b[0] || a[n / 2] > b[m - 1]) &&
	       (b[m / 2] < a[0] || b[m / 2] > a[n - 1]);
}

/* The share of all ways to deal n + m ranks to two sides. */
static double counted(int n, int m)
{
	int held = 0;
	int ways = 0;

	for (unsigned int set = 0; set < 1U << (n + m); set++) {
		int a[16];
		int b[16];
		int x = 0;
		int y = 0;

		if (__builtin_popcount(set) != n)
			continue;
		for (int i = 0; i < n + m; i++) {
			if (set >> i & 1)
				a[x++] = i;
			else
				b[y++] = i;
		}
		ways++;
		held += rule_holds(a, n, b, m);
	}
	return (double)held / ways;
}

static void chance_is_what_counting_every_order_gives(void **state)
{
	(void)state;
	for (int n = 3; n <= 7; n++)
		for (int m = 3; m <= 7; m++)
			assert_true(
				fabs(comparison_chance((size_t)n, (size_t)m) -
				     counted(n, m)) < 1e-12);
}

static void chance_is_unknown_where_the_rule_differs(void **state)
{
	(void)state;
	assert_true(isnan(comparison_chance(2, 10)));
	assert_true(isnan(comparison_chance(10, 2)));
	assert_true(isnan(comparison_chance(32, 10)));
}

/* A comparison of three metrics by hand: changed, unchanged, failing. */
static void fill(struct comparison_data *d, const char *metric)
{
	static const double base[] = { 100, 101, 99, 100 };
	static const double head[] = { 80, 81, 79, 80 };
	const struct matrix *side[2] = { &d->side[0], &d->side[1] };

	memset(d, 0, sizeof(*d));
	matrix_init(&d->side[0]);
	matrix_init(&d->side[1]);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(
			matrix_set(&d->side[0], metric, i, base[i], NULL), 0);
		assert_int_equal(
			matrix_set(&d->side[1], metric, i, head[i], NULL), 0);
		matrix_set(&d->side[0], "meminfo.same", i, 5000, NULL);
		matrix_set(&d->side[1], "meminfo.same", i, 5000, NULL);
		matrix_set(&d->side[1], "dmesg.BUG:at#f", i, 1, NULL);
	}
	d->path = "c/a..b/j/x/";
	d->info = json_pack("{s:s,s:s,s:s,s:f,s:{s:s,s:s},s:{s:s,s:s}}",
			    "verdict", "regression", "headline", metric, "path",
			    "stress-ng/x", "change_pct", -20.0, "base", "sha",
			    "aaaa", "subject", "b", "head", "sha", "bbbb",
			    "subject", "<i>");
	d->runs = json_array();
	assert_int_equal(
		compare_matrices(&d->cmp, side, 2, NULL, "stress-ng", NULL), 0);
	d->doubt = xcalloc(d->cmp.nr + 1, sizeof(d->doubt[0]));
	for (size_t i = 0; i < d->cmp.nr; i++)
		d->doubt[i] =
			(struct comparison_doubt){ -21.5, -18.5, 0.001, 0.002 };
}

static void a_row_says_the_same_in_all_three_forms(void **state)
{
	struct comparison_data d;
	struct str html = STR_INIT;
	struct str csv = STR_INIT;
	size_t *row;
	size_t nr;
	json_t *json;

	(void)state;
	fill(&d, "stress-ng.x.ops_per_sec");
	nr = compare_order(&d.cmp, COMPARE_SHOW_ALL, &row);
	assert_int_equal(nr, 3);
	comparison_add_rows(&html, &d, row, nr, false);
	comparison_add_csv(&csv, &d, row, nr);
	json = comparison_rows_json(&d, row, nr);
	assert_contains(html.p, "<td class=\"n\" data-v=\"-20\"><span "
				"class=\"change worse\">▼ -20.0%</span>");
	assert_contains(html.p, "data-v=\"100\">100.00</td>");
	assert_contains(html.p, "-21.5 … -18.5%");
	assert_contains(csv.p, "stress-ng.x.ops_per_sec,number,0,4,100,");
	assert_contains(csv.p, "dmesg.BUG:at#f,failure,0,4,0,,4,4,,100,");
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json, 0), "name")),
			    "dmesg.BUG:at#f");
	assert_int_equal(json_array_size(json), 3);
	json_decref(json);
	free(row);
	str_release(&html);
	str_release(&csv);
	comparison_data_release(&d);
}

static void families_link_to_anchors_of_the_pages_with_all(void **state)
{
	struct comparison_data d;
	struct str families = STR_INIT;
	struct str rows = STR_INIT;
	size_t *row;
	size_t nr;

	(void)state;
	fill(&d, "stress-ng.x.ops_per_sec");
	nr = compare_order(&d.cmp, COMPARE_SHOW_ALL, &row);
	comparison_add_families(&families, &d, row, nr);
	comparison_add_failures(&rows, &d, row, nr, true);
	comparison_add_rows(&rows, &d, row, nr, true);
	assert_contains(families.p, "all/index.html#x-dmesg");
	assert_contains(rows.p, "id=\"x-dmesg\"");
	assert_contains(families.p, "all/index.html#f-meminfo");
	assert_contains(rows.p, "id=\"f-meminfo\"");
	free(row);
	str_release(&families);
	str_release(&rows);
	comparison_data_release(&d);
}

static void hostile_metric_names_stay_text(void **state)
{
	struct comparison_data d;
	struct str out = STR_INIT;

	(void)state;
	fill(&d, "stress-ng.<script>\".ops_per_sec");
	page_comparison_html(&out, &d);
	assert_null(strstr(out.p, "<script>\""));
	assert_contains(out.p, "stress-ng.&lt;script&gt;&quot;.ops_per_sec");
	assert_contains(out.p, "20.0% regression of stress-ng.&lt;script");
	str_release(&out);
	comparison_data_release(&d);
}

static void csv_fields_are_quoted_where_they_must(void **state)
{
	static const char *const rows[][2] = {
		{ "plain", "plain" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "a\nb", "\"a\nb\"" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		comparison_csv_field(&s, rows[i][0]);
		assert_string_equal(s.p, rows[i][1]);
		str_release(&s);
	}
}

static void verdicts_are_sentences(void **state)
{
	static const struct {
		const char *verdict;
		double change;
		const char *text;
	} rows[] = {
		{ "regression", -9.7, "9.7% regression of m" },
		{ "improvement", 4.2, "4.2% improvement of m" },
		{ "no-change", 0.1, "No change of m" },
		{ "undecided", 1, "Undecided whether m changed" },
		{ "", 0, "No verdict yet: the comparison is running" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;
		json_t *info =
			json_pack("{s:s,s:f,s:s,s:s}", "verdict",
				  rows[i].verdict, "change_pct", rows[i].change,
				  "headline", "m", "state", "running");

		page_comparison_say(&s, info);
		assert_string_equal(s.p, rows[i].text);
		json_decref(info);
		str_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chance_is_what_counting_every_order_gives),
		cmocka_unit_test(chance_is_unknown_where_the_rule_differs),
		cmocka_unit_test(a_row_says_the_same_in_all_three_forms),
		cmocka_unit_test(
			families_link_to_anchors_of_the_pages_with_all),
		cmocka_unit_test(hostile_metric_names_stay_text),
		cmocka_unit_test(csv_fields_are_quoted_where_they_must),
		cmocka_unit_test(verdicts_are_sentences),
	};

	return RUN_TESTS(tests);
}
