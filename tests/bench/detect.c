// SPDX-License-Identifier: GPL-3.0-or-later
// make bench-detect: the statistics judged in simulated labs, as tables. Exits
// 1 when a gate is missed.
//
//   detect [--trials N] [--seed S] [--only TABLE]
//
// Tables: power, interval, screen, posterior.
#include <stdio.h>
#include <string.h>

#include "analysis/stat_fdr.h"
#include "analysis/stat_mannwhitney.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/unit/analysis/detect_sim.h"
#include "tests/unit/analysis/posterior_sim.h"

#define TRIALS	       20000
#define MAX_PAIRS      40
#define PLANNED	       4
#define SCREEN_METRICS 700
#define SCREEN_CHANGED 35
#define SCREEN_BOOTS   10

/* Gates: what the tables must show. */
#define GATE_FALSE     0.01
#define GATE_POWER_1   0.80
#define GATE_POWER_15  0.99
#define GATE_LOW       0.93
#define GATE_HIGH      0.97
#define GATE_POSTERIOR 0.03
#define GATE_WRONG     0.001

struct run {
	int trials;
	uint64_t seed;
	int missed;
};

/* One gate: prints its mark, and remembers a miss. */
static const char *gate(struct run *run, bool holds)
{
	run->missed += !holds;
	return holds ? "pass" : "MISSED";
}

/* --- false alarms and power --- */

static const char *power_gate(struct run *run, double d,
			      const struct sim_look *look, double found)
{
	double error = sqrt(found * (1 - found) / run->trials);

	if (d == 0)
		return gate(run, found <= GATE_FALSE);
	/* without a calibration there is no promise but the false alarms */
	if (!look->calibrated)
		return "";
	/* what is looked at less often is at the gate's edge: 80.05 % */
	if (d == 1)
		return gate(run,
			    found >= GATE_POWER_1 -
					     (look->daemon ? 2 * error : 0));
	if (d == 1.5)
		return gate(run, found >= GATE_POWER_15);
	return "";
}

static void power_table(struct run *run, const char *title,
			enum sim_noise noise, const struct sim_look *look)
{
	static const double effects[] = { 0, 0.5, 1, 1.5, 2, 3 };
	size_t i;

	printf("%s, %s noise\n", title, sim_noise_name(noise));
	printf("   d     E >= 100   pairs    interval    sequence\n");
	for (i = 0; i < ARRAY_SIZE(effects); i++) {
		double d = effects[i];
		struct sim_power p;

		sim_power(run->seed + i, d, noise, look, run->trials, &p);
		printf("  %3.1f   %7.2f %%  %6.1f   %8.2f %%  %7.2f %%  %s\n",
		       d, 100 * p.found, p.pairs, 100 * p.covered,
		       100 * p.sequence_covered,
		       noise == SIM_NORMAL || d == 0
			       ? power_gate(run, d, look, p.found)
			       : "");
	}
	printf("\n");
}

static void powers(struct run *run)
{
	const struct sim_look each = { true, false, 0, MAX_PAIRS };
	const struct sim_look daemon = { true, true, PLANNED, MAX_PAIRS };
	const struct sim_look blind = { false, true, PLANNED, MAX_PAIRS };

	printf("Pairs of boots, at most %d, A/A (d = 0) and a change of d "
	       "deviations of one run in a\nfresh boot; %d trials a line. The "
	       "intervals are those at the moment it stopped.\n\n",
	       MAX_PAIRS, run->trials);
	power_table(run, "calibrated by 20 boots, looked at after each pair",
		    SIM_NORMAL, &each);
	power_table(run, "calibrated, the comparison flow's looks", SIM_NORMAL,
		    &daemon);
	power_table(run, "not calibrated, the comparison flow's looks",
		    SIM_NORMAL, &blind);
	power_table(run, "calibrated, the comparison flow's looks", SIM_BIMODAL,
		    &daemon);
	power_table(run, "calibrated, the comparison flow's looks",
		    SIM_OUTLIERS, &daemon);
	power_table(run, "not calibrated, the comparison flow's looks",
		    SIM_OUTLIERS, &blind);
}

/* --- intervals --- */

static void interval_row(struct run *run, enum sim_interval kind,
			 enum sim_noise noise)
{
	static const size_t sizes[] = { 3, 5, 8, 10, 20, 40 };
	int trials = run->trials;
	bool holds = true;
	size_t i;

	/* a bootstrap costs a thousand times what a formula does */
	if (kind >= SIM_BOOTSTRAP_T)
		trials /= 10;
	printf("  %-24s %-9s", sim_interval_name(kind), sim_noise_name(noise));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		double c = sim_coverage(run->seed + i, kind, sizes[i], noise,
					trials);

		if (isnan(c)) {
			printf("       -");
			continue;
		}
		printf("  %6.2f", 100 * c);
		/* the levels that ranks of so few can have: 100, 96.8 */
		if (kind == SIM_HODGES && sizes[i] < 8)
			continue;
		holds &= c >= GATE_LOW && c <= GATE_HIGH;
	}
	printf("  %s\n", noise == SIM_NORMAL ? gate(run, holds) : "");
}

static void intervals(struct run *run)
{
	int kind;

	printf("95 %% intervals: per cent that hold the truth, by boots a "
	       "side; %d trials, %d of a bootstrap.\n"
	       "- is refused, 100 unbounded; below 8 boots ranks can't have "
	       "any level, so no gate.\n\n",
	       run->trials, run->trials / 10);
	printf("  %-24s %-9s %7d %7d %7d %7d %7d %7d\n", "", "noise", 3, 5, 8,
	       10, 20, 40);
	for (kind = 0; kind < SIM_INTERVALS; kind++) {
		interval_row(run, (enum sim_interval)kind, SIM_NORMAL);
		interval_row(run, (enum sim_interval)kind, SIM_SKEWED);
		interval_row(run, (enum sim_interval)kind, SIM_BIMODAL);
	}
	printf("\n");
}

/* --- many metrics at once --- */

struct screen {
	double p[SCREEN_METRICS], u[SCREEN_METRICS];
	double q[SCREEN_METRICS];
};

/* One comparison; the first @changed metrics moved by 3 deviations. */
static void screen_draw(struct rand *r, int changed, struct screen *out)
{
	double a[SCREEN_BOOTS], b[SCREEN_BOOTS];
	int m, i;

	for (m = 0; m < SCREEN_METRICS; m++) {
		struct stat_mannwhitney u;

		for (i = 0; i < SCREEN_BOOTS; i++) {
			a[i] = rand_normal(r);
			b[i] = rand_normal(r) + (m < changed ? 3 : 0);
		}
		if (welch_p(a, SCREEN_BOOTS, b, SCREEN_BOOTS, &out->p[m],
			    NULL) ||
		    stat_mannwhitney(a, SCREEN_BOOTS, b, SCREEN_BOOTS, &u,
				     NULL))
			abort();
		out->u[m] = u.p;
	}
}

static void screen_count(const double *p, double *q, int changed,
			 double *out_found, double *out_false)
{
	int found = 0, wrong = 0;
	int m;

	stat_bh(p, SCREEN_METRICS, q);
	for (m = 0; m < SCREEN_METRICS; m++) {
		found += q[m] <= 0.05 && m < changed;
		wrong += q[m] <= 0.05 && m >= changed;
	}
	*out_found += changed ? (double)found / changed : 0;
	*out_false += found + wrong ? (double)wrong / (found + wrong) : 0;
}

static void screen_row(struct run *run, int changed)
{
	struct screen *s = xcalloc(1, sizeof(*s));
	int trials = run->trials / 100;
	double found[2] = { 0 }, wrong[2] = { 0 };
	struct rand r;
	int i, k;

	rand_seed(&r, run->seed);
	for (i = 0; i < trials; i++) {
		screen_draw(&r, changed, s);
		screen_count(s->p, s->q, changed, &found[0], &wrong[0]);
		screen_count(s->u, s->q, changed, &found[1], &wrong[1]);
	}
	for (k = 0; k < 2; k++)
		printf("  %4d       %-14s  %6.2f %%     %6.2f %%  %s\n",
		       changed, k ? "Mann-Whitney" : "Welch",
		       100 * found[k] / trials, 100 * wrong[k] / trials,
		       /* three deviations of a share of so few trials */
		       gate(run,
			    wrong[k] / trials <=
				    0.05 + 3 * sqrt(0.05 * 0.95 / trials)));
	free(s);
}

static void screens(struct run *run)
{
	printf("%d metrics tested at once, %d boots a side, q = 0.05; %d "
	       "comparisons. False share:\nof what is believed; with nothing "
	       "changed, comparisons that believe anything.\n\n",
	       SCREEN_METRICS, SCREEN_BOOTS, run->trials / 100);
	printf("  changed    test             found        false share\n");
	screen_row(run, 0);
	screen_row(run, SCREEN_CHANGED);
	printf("\n");
}

/* --- the bisection's posterior --- */

static void posterior_print(struct run *run, const struct posterior_sim *s)
{
	int i;

	printf("  posterior   times    said      was\n");
	for (i = 0; i < POSTERIOR_BINS; i++) {
		const struct posterior_bin *bin = &s->bins[i];
		double said = bin->nr ? bin->said / bin->nr : 0;
		double was = bin->nr ? bin->was / bin->nr : 0;
		bool last = i == POSTERIOR_BINS - 1;

		printf("  %.2f-%.2f  %7d  %6.2f %%  %6.2f %%  %s\n",
		       0.5 + 0.05 * i, last ? 1.0 : 0.55 + 0.05 * i, bin->nr,
		       100 * said, 100 * was,
		       last ? ""
			    : gate(run, fabs(said - was) <= GATE_POSTERIOR));
	}
	printf("\n");
}

static void posteriors(struct run *run)
{
	static const struct world_plan plans[] = {
		{ .nr = 48, .delta = -0.03, .sd = 0.02 },
		{ .nr = 48, .delta = -0.03, .sd = 0.01 },
		{ .nr = 32, .delta = -0.03, .sd = 0.03 },
		{ .nr = 64, .delta = -0.02, .sd = 0.02, .drift = 0.001 },
	};
	struct posterior_sim all = { 0 };
	int trials = run->trials / 2;
	int i;

	printf("The posterior of the likeliest class of commits (those that no "
	       "measured one tells\napart) against the truth, after every round "
	       "of the search; %d bisections of 32 to\n64 commits, 1 to 3 "
	       "deviations.\n\n",
	       trials);
	for (i = 0; i < trials; i++)
		posterior_trial(&plans[(size_t)i % ARRAY_SIZE(plans)],
				run->seed * 1000003 + (uint64_t)i, &all);
	posterior_print(run, &all);
	printf("  right %.2f %%, wrong %.2f %%, refused %.2f %%; %.1f runs each  "
	       "%s\n\n",
	       100.0 * all.ok / trials, 100.0 * all.wrong / trials,
	       100.0 * all.refused / trials, (double)all.runs / trials,
	       gate(run, all.wrong <= GATE_WRONG * trials +
					      3 * sqrt(GATE_WRONG * trials)));
}

static const struct {
	const char *name;
	void (*print)(struct run *run);
} tables[] = {
	{ "power", powers },
	{ "interval", intervals },
	{ "screen", screens },
	{ "posterior", posteriors },
};

static int usage(const char *what)
{
	fprintf(stderr,
		"detect: %s\nusage: detect [--trials N] [--seed S] [--only "
		"power|interval|screen|posterior]\n",
		what);
	return 2;
}

int main(int argc, char **argv)
{
	struct run run = { .trials = TRIALS, .seed = 1 };
	const char *only = NULL;
	bool known = false;
	unsigned long long n;
	size_t i;

	for (i = 1; i + 1 < (size_t)argc; i += 2) {
		bool number = str_to_u64(argv[i + 1], &n);

		if (!strcmp(argv[i], "--only"))
			only = argv[i + 1];
		else if (!strcmp(argv[i], "--seed") && number)
			run.seed = n;
		else if (!strcmp(argv[i], "--trials") && number && n >= 100 &&
			 n <= 10000000)
			run.trials = (int)n;
		else
			return usage("an unknown option, or not a number of "
				     "100 or more trials");
	}
	if (i < (size_t)argc)
		return usage("an option without its value");
	printf("seed %llu\n\n", (unsigned long long)run.seed);
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (only && strcmp(only, tables[i].name) != 0)
			continue;
		known = true;
		tables[i].print(&run);
	}
	if (!known)
		return usage("no such table");
	if (run.missed)
		printf("%d gates MISSED\n", run.missed);
	else
		printf("all gates hold\n");
	return run.missed > 0;
}
