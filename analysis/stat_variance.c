// SPDX-License-Identifier: GPL-3.0-or-later
// Variance components of builds, boots and runs by unbalanced nested ANOVA.
#include "analysis/stat_variance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * Sums of squares on the way: @run, @boot, @build; @n2: sum of n_ij²; @n2_i:
 * the sum over builds of (sum over boots of n_ij²) / n_i; @ni2: sum of n_i².
 */
struct sums {
	double run, boot, build;
	double n, n2, n2_i, ni2;
	size_t boots, builds;
};

/* A group of runs that stand next to each other. */
struct group {
	const struct stat_run *v;
	size_t nr;
};

static int compare_runs(const void *a, const void *b)
{
	const struct stat_run *x = a;
	const struct stat_run *y = b;

	if (x->build != y->build)
		return x->build < y->build ? -1 : 1;
	return (x->boot > y->boot) - (x->boot < y->boot);
}

static double mean_of(const struct group *g)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < g->nr; i++)
		sum += g->v[i].value;
	return sum / (double)g->nr;
}

/* The runs at the head of @v that share the build, and the boot too. */
static struct group take(const struct stat_run *v, size_t nr, int same_boot)
{
	struct group g = { v, 1 };

	while (g.nr < nr && v[g.nr].build == v->build &&
	       (!same_boot || v[g.nr].boot == v->boot))
		g.nr++;
	return g;
}

static void add_boot(const struct group *g, double build_mean, struct sums *s)
{
	double mean = mean_of(g);
	size_t i;

	for (i = 0; i < g->nr; i++)
		s->run += (g->v[i].value - mean) * (g->v[i].value - mean);
	s->boot += (double)g->nr * (mean - build_mean) * (mean - build_mean);
	s->n2 += (double)g->nr * (double)g->nr;
	s->boots++;
}

static void add_build(const struct group *g, double grand_mean, struct sums *s)
{
	double n = (double)g->nr;
	double mean = mean_of(g);
	double n2 = s->n2;
	size_t i;

	for (i = 0; i < g->nr;) {
		struct group boot = take(g->v + i, g->nr - i, 1);

		add_boot(&boot, mean, s);
		i += boot.nr;
	}
	s->build += n * (mean - grand_mean) * (mean - grand_mean);
	s->n2_i += (s->n2 - n2) / n;
	s->ni2 += n * n;
	s->builds++;
}

/* One run in a fresh boot: boot and run together, from the mean squares. */
static void set_fresh(double ms_run, double ms_boot, double k,
		      struct stat_variance *out)
{
	double share = isnan(ms_run) ? 0 : 1 - 1 / k;
	double from_boot = isnan(ms_run) ? ms_boot : ms_boot / k;
	double from_run = share > 0 ? share * ms_run : 0;
	double sq = from_boot * from_boot / out->boot_dof;

	if (share > 0)
		sq += from_run * from_run / out->run_dof;
	out->fresh = from_boot + from_run;
	out->fresh_dof = sq > 0 ? out->fresh * out->fresh / sq : out->boot_dof;
	/* boots that differ less than their runs do: the runs are what is known
	 */
	if (!isnan(ms_run) && out->fresh < ms_run) {
		out->fresh = ms_run;
		out->fresh_dof = out->run_dof;
	}
}

static void solve(const struct sums *s, struct stat_variance *out)
{
	double ms_run = out->run_dof > 0 ? s->run / out->run_dof : NAN;
	double ms_boot = out->boot_dof > 0 ? s->boot / out->boot_dof : NAN;
	double ms_build = out->build_dof > 0 ? s->build / out->build_dof : NAN;
	double k1 = out->boot_dof > 0 ? (s->n - s->n2_i) / out->boot_dof : NAN;
	double k2 = (s->n2_i - s->n2 / s->n) / out->build_dof;
	double k3 = (s->n - s->ni2 / s->n) / out->build_dof;
	double run = isnan(ms_run) ? 0 : ms_run;

	out->run = ms_run;
	out->boot = out->build = out->fresh = NAN;
	out->fresh_dof = 0;
	if (!isnan(ms_boot)) {
		out->boot = fmax((ms_boot - run) / k1, 0);
		set_fresh(ms_run, ms_boot, k1, out);
	}
	/* without two boots of a build, boots and builds can't be told apart */
	if (!isnan(ms_build) && !isnan(out->boot))
		out->build = fmax((ms_build - run - k2 * out->boot) / k3, 0);
}

static int check(const struct stat_run *v, size_t nr, struct err *err)
{
	size_t i;

	if (nr > STAT_VARIANCE_MAX_RUNS)
		return err_set(err, ERR_LIMIT,
			       "variance components of %zu runs; at most %zu",
			       nr, STAT_VARIANCE_MAX_RUNS);
	for (i = 0; i < nr; i++) {
		if (!isfinite(v[i].value))
			return err_set(err, ERR_DATA,
				       "variance components: the value of run "
				       "%zu is not finite",
				       i + 1);
	}
	return 0;
}

int stat_variance_nested(const struct stat_run *v, size_t nr,
			 struct stat_variance *out, struct err *err)
{
	struct stat_run *sorted;
	struct sums s = { .n = (double)nr };
	struct stat_variance r = { .runs = nr };
	int rc = check(v, nr, err);
	size_t i;

	if (rc)
		return rc;
	sorted = xcalloc(nr ? nr : 1, sizeof(*sorted));
	if (nr)
		memcpy(sorted, v, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare_runs);
	if (nr)
		r.mean = mean_of(&(struct group){ sorted, nr });
	for (i = 0; i < nr;) {
		struct group build = take(sorted + i, nr - i, 0);

		add_build(&build, r.mean, &s);
		i += build.nr;
	}
	free(sorted);
	if (s.boots < 2)
		return err_set(err, ERR_RANGE,
			       "variance components need two or more boots, "
			       "not %zu",
			       s.boots);
	r.boots = s.boots;
	r.builds = s.builds;
	r.run_dof = (double)(nr - s.boots);
	r.boot_dof = (double)(s.boots - s.builds);
	r.build_dof = (double)(s.builds - 1);
	solve(&s, &r);
	*out = r;
	return 0;
}
