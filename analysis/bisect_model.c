// SPDX-License-Identifier: GPL-3.0-or-later
// The posterior over every candidate and "none".
//
// A boot of commit X on box B measures level(B, time) + layout(build) +
// δ·[X has the culprit] + noise. Levels walk at random from boot to boot,
// layouts are a random effect of known size. Filtering out both (Kalman 1960;
// the same filter for the measurements and for every class's indicator, after
// de Jong 1991) leaves one plain regression per class of candidates, in which
// the effect δ and the noise are integrated out.
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* Variance of a level before anything is known, in units of s². */
#define DIFFUSE 1e6
/* Prior of "none" in a bisection that got past the detection. */
#define NONE_PRIOR 0.02
/* An effect of less than this share of the claim counts as none. */
#define LEAST_OF_CLAIM 0.25

/* Working storage of one fit; a column is y or one class's indicator. */
struct fit {
	int nr_cols; /* classes, then y */
	int n;	     /* boots */
	int boxes, dim;
	double rho; /* layout variance in units of s² */
	double q;   /* level variance per boot in units of s² */
	double *p;  /* dim × dim covariance of levels and layouts */
	double *ph;
	double *mean;  /* nr_cols × dim */
	double *white; /* nr_cols × n */
	char *has;     /* nr_classes × nr_builds: does the build show it? */
	int *seen;     /* boots of each box so far */
};

void bisect_model_split(struct bisect *b, int commit)
{
	int *from = xcalloc((size_t)b->nr_classes, sizeof(*from));
	int old = b->nr_classes;
	int c;

	b->nr_classes =
		history_split(b->history, commit, b->class_of, old, from);
	b->classes = xreallocarray(b->classes, (size_t)b->nr_classes,
				   sizeof(*b->classes));
	for (c = old; c < b->nr_classes; c++)
		b->classes[c] = b->classes[from[c - old]];
	for (c = 0; c < b->nr_classes; c++) {
		b->classes[c].weight = 0;
		b->classes[c].first = 0;
	}
	for (c = 1; c < b->nr; c++) {
		struct bisect_class *k = &b->classes[b->class_of[c]];

		k->weight += b->commits[c].weight;
		if (!k->first)
			k->first = c;
	}
	free(from);
}

static void fit_init(struct fit *f, const struct bisect *b)
{
	double tau = b->start.calibration.layout_sd;
	size_t dim;
	int c;
	size_t k;

	f->nr_cols = b->nr_classes + 1;
	f->n = (int)b->nr_obs;
	f->boxes = (int)b->start.nr_boxes;
	f->dim = f->boxes + (tau > 0 ? (int)b->nr_builds : 0);
	f->rho = tau * tau / b->s2;
	f->q = b->drift * b->drift;
	dim = (size_t)f->dim;
	f->p = xcalloc(dim * dim, sizeof(double));
	f->ph = xcalloc(dim, sizeof(double));
	f->mean = xcalloc((size_t)f->nr_cols * dim, sizeof(double));
	f->white =
		xcalloc((size_t)f->nr_cols * (size_t)f->n + 1, sizeof(double));
	f->has = xcalloc((size_t)b->nr_classes * b->nr_builds + 1, 1);
	f->seen = xcalloc((size_t)f->boxes, sizeof(int));
	for (c = 0; c < f->dim; c++)
		f->p[(size_t)c * dim + (size_t)c] =
			c < f->boxes ? DIFFUSE : f->rho;
	for (c = 0; c < b->nr_classes; c++)
		for (k = 0; k < b->nr_builds; k++)
			f->has[(size_t)c * b->nr_builds + k] =
				history_has(b->history, b->builds[k].commit,
					    b->classes[c].first)
					? 1
					: 0;
}

static void fit_release(struct fit *f)
{
	free(f->p);
	free(f->ph);
	free(f->mean);
	free(f->white);
	free(f->has);
	free(f->seen);
}

/* Take boot @i into the filter; @dim: states that any boot so far touched. */
static void filter_boot(struct fit *f, const struct bisect *b, int i, int dim)
{
	const struct bisect_obs *o = &b->obs[i];
	size_t full = (size_t)f->dim;
	int a = o->box;
	int u = f->dim > f->boxes ? f->boxes + o->build : -1;
	double var;
	int c;
	int j;
	int k;

	if (f->seen[a]++)
		f->p[(size_t)a * full + (size_t)a] += f->q;
	for (j = 0; j < dim; j++)
		f->ph[j] = f->p[(size_t)j * full + (size_t)a] +
			   (u < 0 ? 0 : f->p[(size_t)j * full + (size_t)u]);
	var = f->ph[a] + (u < 0 ? 0 : f->ph[u]) + o->h / o->w;
	for (c = 0; c < f->nr_cols; c++) {
		double *m = f->mean + (size_t)c * full;
		double x = c == b->nr_classes
				   ? o->y
				   : f->has[(size_t)c * b->nr_builds +
					    (size_t)o->build];
		double e = x - m[a] - (u < 0 ? 0 : m[u]);

		f->white[(size_t)c * (size_t)f->n + (size_t)i] = e / sqrt(var);
		for (j = 0; j < dim; j++)
			m[j] += f->ph[j] / var * e;
	}
	for (j = 0; j < dim; j++)
		for (k = 0; k < dim; k++)
			f->p[(size_t)j * full + (size_t)k] -=
				f->ph[j] * f->ph[k] / var;
}

static void filter(struct fit *f, const struct bisect *b)
{
	int dim = f->boxes;
	int i;

	for (i = 0; i < f->n; i++) {
		if (f->dim > f->boxes && dim <= f->boxes + b->obs[i].build)
			dim = f->boxes + b->obs[i].build + 1;
		filter_boot(f, b, i, dim);
	}
}

/* Bounded sum of squares of y − @delta·x over the whitened boots. */
static double robust_rss(const struct bisect *b, const double *y,
			 const double *x, double delta)
{
	double s = sqrt(b->s2);
	double sum = 0;
	size_t i;

	for (i = 0; i < b->nr_obs; i++) {
		double u = (y[i] - (x ? delta * x[i] : 0)) / s;

		sum += 2 * bisect_robust_cost(u);
	}
	return b->s2 * sum;
}

/* Log likelihood up to a constant, noise integrated out. */
static double log_likelihood(const struct bisect *b, double rss)
{
	const struct bisect_calibration *c = &b->start.calibration;

	return -0.5 * (c->dof + (double)b->nr_obs) *
	       log1p(rss / (c->dof * c->sd * c->sd));
}

/* log Φ(x) */
static double log_below(double x)
{
	return gsl_sf_log_erfc(-x / M_SQRT2) - M_LN2;
}

/*
 * What is left of a class's likelihood when effects against the claim, or far
 * below it, count as none: log of the share that the effect's posterior has
 * above that, to the prior's. Without it, every class that the measurements
 * leave with next to no effect lives on beside "none".
 */
static double log_share(const struct bisect *b, const struct bisect_class *k,
			double kappa)
{
	double claim = fabs(b->claim);
	double effect = b->claim < 0 ? -k->delta : k->delta;
	double sd = sqrt(b->s2 / (k->sxx + kappa));

	return log_below((effect - LEAST_OF_CLAIM * claim) / sd) -
	       log_below(1 - LEAST_OF_CLAIM);
}

static void fit_class(const struct bisect *b, const struct fit *f, int c)
{
	struct bisect_class *k = &b->classes[c];
	const double *y = f->white + (size_t)b->nr_classes * (size_t)f->n;
	const double *x = f->white + (size_t)c * (size_t)f->n;
	double kappa = b->s2 / (b->claim * b->claim);
	double sxx = 0;
	double sxy = 0;
	double rss;
	int i;

	for (i = 0; i < f->n; i++) {
		sxx += x[i] * x[i];
		sxy += x[i] * y[i];
	}
	k->sxx = sxx;
	k->flat = sxx > 0 ? sxy / sxx : NAN;
	k->delta = (sxy + kappa * b->claim) / (sxx + kappa);
	rss = robust_rss(b, y, x, k->delta) +
	      kappa * (k->delta - b->claim) * (k->delta - b->claim);
	k->log_l = log_likelihood(b, rss) - 0.5 * log1p(sxx / kappa) +
		   log_share(b, k, kappa);
}

/* Turn the log likelihoods into posteriors, of classes and of commits. */
static void normalise(struct bisect *b, double none_log_l)
{
	double best = none_log_l;
	double sum;
	double *mass = xcalloc((size_t)b->nr * 2, sizeof(*mass));
	int c;

	for (c = 0; c < b->nr_classes; c++)
		if (b->classes[c].weight > 0)
			best = fmax(best, b->classes[c].log_l);
	b->none = NONE_PRIOR * exp(none_log_l - best);
	sum = b->none;
	for (c = 0; c < b->nr_classes; c++) {
		struct bisect_class *k = &b->classes[c];

		k->post = (1 - NONE_PRIOR) * k->weight / b->total_weight *
			  exp(k->log_l - best);
		sum += k->post;
	}
	b->none /= sum;
	for (c = 0; c < b->nr_classes; c++)
		b->classes[c].post /= sum;
	for (c = 1; c < b->nr; c++) {
		const struct bisect_class *k = &b->classes[b->class_of[c]];
		struct bisect_state *s = &b->commits[c];

		s->post = k->weight > 0 ? k->post * s->weight / k->weight : 0;
		/* what is next to impossible only costs time */
		mass[c] = s->post > 1e-12 ? s->post : 0;
	}
	history_mass(b->history, mass, mass + b->nr);
	for (c = 0; c < b->nr; c++)
		b->commits[c].bad = fmin(mass[b->nr + c], 1);
	free(mass);
}

int bisect_model_top(const struct bisect *b)
{
	int top = 0;
	int c;

	for (c = 1; c < b->nr_classes; c++)
		if (b->classes[c].post > b->classes[top].post)
			top = c;
	return top;
}

/* The noise, as the likeliest class sees it; outliers left out. */
static void update_noise(struct bisect *b, const struct fit *f)
{
	const struct bisect_calibration *cal = &b->start.calibration;
	int top = bisect_model_top(b);
	const double *y = f->white + (size_t)b->nr_classes * (size_t)f->n;
	const double *x = f->white + (size_t)top * (size_t)f->n;
	double delta = b->classes[top].delta;
	double ss = cal->dof * cal->sd * cal->sd;
	double dof = cal->dof - f->boxes;
	int i;

	for (i = 0; i < f->n; i++) {
		double e = y[i] - delta * x[i];

		if (b->obs[i].w < 0.5)
			continue;
		dof++;
		ss += e * e;
	}
	b->dof = fmax(dof, cal->dof);
	b->s2 = ss / b->dof;
	b->delta = delta;
	b->offset_var = 0;
	for (i = 0; i < f->boxes; i++)
		b->offset_var +=
			fmin(f->p[(size_t)i * (size_t)f->dim + (size_t)i], 1) /
			f->boxes;
}

static void fit_all(struct bisect *b)
{
	struct fit f;
	double rss;
	int c;

	fit_init(&f, b);
	filter(&f, b);
	for (c = 0; c < b->nr_classes; c++)
		fit_class(b, &f, c);
	rss = robust_rss(b, f.white + (size_t)b->nr_classes * (size_t)f.n, NULL,
			 0);
	normalise(b, log_likelihood(b, rss));
	update_noise(b, &f);
	fit_release(&f);
}

/* Median raw value of the good commit's boots on @box (-1: all); 0 if none. */
static double good_level(const struct bisect *b, int box, double *buf)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < b->nr_obs; i++)
		if (b->obs[i].commit == 0 && (box < 0 || b->obs[i].box == box))
			buf[n++] = b->obs[i].raw;
	if (!n)
		return 0;
	qsort(buf, n, sizeof(*buf), stat_compare);
	return buf[n / 2];
}

/* Make the measurements relative to the good level of their box. */
static void scale(struct bisect *b)
{
	double *buf = xcalloc(b->nr_obs + 1, sizeof(*buf));
	double level[BISECT_MAX_BOXES];
	double all = good_level(b, -1, buf);
	size_t i;

	if (all == 0)
		all = b->nr_obs ? fabs(b->obs[0].raw) : 1;
	if (all == 0)
		all = 1;
	for (i = 0; i < b->start.nr_boxes; i++) {
		level[i] = good_level(b, (int)i, buf);
		if (level[i] == 0)
			level[i] = all;
	}
	for (i = 0; i < b->nr_obs; i++)
		b->obs[i].y = b->obs[i].raw / fabs(level[b->obs[i].box]) - 1;
	free(buf);
}

void bisect_model_update(struct bisect *b)
{
	scale(b);
	b->drift = bisect_drift_step(b);
	fit_all(b);
	if (bisect_robust_weights(b))
		fit_all(b);
}
