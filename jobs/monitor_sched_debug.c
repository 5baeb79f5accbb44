// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /sys/kernel/debug/sched/debug (/proc/sched_debug before 5.13): the fields of
 * each CPU's run queues become average, minimum, maximum and deviation over
 * CPUs at each tick, and then the mean over ticks. Root run queues only: those
 * of groups come and go.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

#define FIELD_NAME_BYTES 64
#define MAX_FIELDS	 400
#define MAX_CPUS	 4096

/* Running statistics over CPUs of one field ("cfs_rq:/.load"). */
struct field {
	char name[FIELD_NAME_BYTES];
	unsigned nr;
	double sum;
	double squares;
	double min;
	double max;
};

struct fields {
	struct field *v;
	size_t nr;
};

static struct field *field_of(struct fields *all, const char *section,
			      struct text key)
{
	char name[FIELD_NAME_BYTES];
	size_t n = strlen(section);

	if (n + 1 + key.len >= sizeof(name))
		return NULL;
	memcpy(name, section, n);
	name[n] = '.';
	memcpy(name + n + 1, key.p, key.len);
	name[n + 1 + key.len] = '\0';
	if (strlen(name) != n + 1 + key.len)
		return NULL;
	for (size_t i = 0; i < all->nr; i++)
		if (!strcmp(all->v[i].name, name))
			return &all->v[i];
	if (all->nr == MAX_FIELDS)
		return NULL;
	memset(&all->v[all->nr], 0, sizeof(struct field));
	memcpy(all->v[all->nr].name, name, sizeof(name));
	return &all->v[all->nr++];
}

static void add_value(struct field *f, double v)
{
	if (f->nr >= MAX_CPUS)
		return;
	if (!f->nr || v < f->min)
		f->min = v;
	if (!f->nr || v > f->max)
		f->max = v;
	f->nr++;
	f->sum += v;
	f->squares += v * v;
}

/* "cfs_rq[3]:/" gives "cfs_rq:/"; false for a group's run queue. */
static bool queue_section(struct text line, const char **out)
{
	static const struct {
		const char *start;
		const char *section;
	} kinds[] = { { "cfs_rq[", "cfs_rq:/" },
		      { "rt_rq[", "rt_rq:/" },
		      { "dl_rq[", "dl_rq" } };
	struct text left;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!text_starts(line, kinds[i].start))
			continue;
		*out = NULL;
		/* the root has the path "/", or none in kernels without groups
		 */
		if (text_until(&line, ']', &left) &&
		    (text_is(text_trim(line), ":/") ||
		     text_is(text_trim(line), ":")))
			*out = kinds[i].section;
		return true;
	}
	return false;
}

/* A line that begins a section: *@section is its name, NULL for one to skip. */
static bool section_line(struct text line, const char **section)
{
	if (text_starts(line, "cpu#")) {
		*section = "cpu";
		return true;
	}
	if (queue_section(line, section))
		return true;
	if (text_starts(line, "runnable tasks") ||
	    text_starts(line, "sysctl_sched")) {
		*section = NULL;
		return true;
	}
	return false;
}

static void sample(struct series_set *set, struct fields *fields,
		   struct text body)
{
	const char *section = "";
	struct text line, key;
	double v;

	fields->nr = 0;
	while (text_line(&body, &line)) {
		struct field *f;

		if (section_line(line, &section) || !section)
			continue;
		if (!text_until(&line, ':', &key) ||
		    !text_leading_number(text_trim(line), &v))
			continue;
		key = text_trim(key);
		if (!*section) {
			series_add(set, SERIES_MEAN, v, "sched_debug.%.*s",
				   TEXT_ARG(key));
			continue;
		}
		if (text_starts(key, "."))
			key = text_skip(key, 1);
		f = field_of(fields, section, key);
		if (f)
			add_value(f, v);
	}
}

static void end_tick(struct series_set *set, const struct fields *fields)
{
	for (size_t i = 0; i < fields->nr; i++) {
		const struct field *f = &fields->v[i];
		double avg = f->sum / f->nr;
		double var = f->squares / f->nr - avg * avg;

		series_add(set, SERIES_MEAN, avg, "sched_debug.%s.avg",
			   f->name);
		series_add(set, SERIES_MEAN, f->max, "sched_debug.%s.max",
			   f->name);
		series_add(set, SERIES_MEAN, f->min, "sched_debug.%s.min",
			   f->name);
		series_add(set, SERIES_MEAN, var > 0 ? sqrt(var) : 0,
			   "sched_debug.%s.stddev", f->name);
	}
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct fields fields = { .nr = 0 };
	struct ticks t = ticks_of(in);
	struct tick_file f;

	fields.v = xcalloc(MAX_FIELDS, sizeof(struct field));
	while (ticks_next(&t, &f)) {
		sample(set, &fields, f.body);
		end_tick(set, &fields);
	}
	free(fields.v);
	return monitor_finish(set, in, "sched_debug", out, err);
}

static const char *const sources[] = { "/sys/kernel/debug/sched/debug",
				       "/proc/sched_debug", NULL };

const struct monitor monitor_sched_debug = {
	.name = "sched_debug",
	.sources = sources,
	.interval_s = 60,
	.parse = parse,
};
