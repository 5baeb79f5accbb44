// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * stress-ng: one stressor (or a class of them) per job. Results come twice, as
 * text and as YAML: the YAML has six decimals and arithmetic means, the text
 * (0.15: geometric means) has the units as words, after which LKP names its
 * metrics. So: names from the text, numbers from the YAML where there is one.
 * Checked with stress-ng 0.15.06 and the lines of later versions.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "configs/yaml.h"
#include "jobs/text.h"
#include "jobs/workload.h"

#define MAX_ROWS       2000
#define UNIT_MAX_BYTES 120

/* One number of a stressor: @unit as in a metric name. */
struct row {
	char stressor[48];
	char unit[UNIT_MAX_BYTES];
	double value;
};

struct rows {
	struct row *v;
	size_t nr;
	size_t alloc;
};

/* --- command line ----------------------------------------------------------
 */

/* Stressors that stress-ng runs with --pathological only. */
static const char *const pathological[] = {
	"bad-ioctl", "sysinval",   "cpu-online", "mlockmany",
	"oom-pipe",  "bind-mount", "watchdog",	 "smi",
};

/* Stressors that would otherwise be ended by the out-of-memory killer. */
static const char *const oom_avoid[] = {
	"bigheap",  "brk",     "loadavg",  "memthrash",
	"mmaphuge", "mmapcow", "mmapmany", "sockpair",
};

static bool listed(const char *const *words, size_t nr, const char *word)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static bool word_ok(const char *s)
{
	size_t len = strlen(s);

	return len && len < 40 && *s != '-' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/*
 * "verify: off" leaves out stress-ng's checks of its own results: with them
 * the pipe stressor spends a fifth of its time comparing bytes.
 */
static bool verifies(const struct job *job, bool *out)
{
	static const char *const on[] = { "on", "yes", "true", "1" };
	static const char *const off[] = { "off", "no", "false", "0" };
	const char *verify = job_param(job, "verify");

	*out = !verify || listed(on, ARRAY_SIZE(on), verify);
	return *out || listed(off, ARRAY_SIZE(off), verify);
}

static int check(const struct job *job, struct err *err)
{
	bool verify;
	const char *test = job_param(job, "test");
	const char *class = job_param(job, "class");
	const char *time = job_param(job, "testtime");
	double s;

	if (!test == !class)
		return err_set(err, ERR_CONFIG,
			       "%s: stress-ng needs a test or a class",
			       job->path);
	if (!word_ok(test ? test : class))
		return err_set(err, ERR_CONFIG,
			       "%s: \"%s\" is no name of a stressor", job->path,
			       test ? test : class);
	if (time && !job_duration(time, &s))
		return err_set(err, ERR_CONFIG,
			       "%s: testtime: \"%s\" is no duration (as 10, "
			       "10s, 5m, 1h)",
			       job->path, time);
	if (!verifies(job, &verify))
		return err_set(err, ERR_CONFIG,
			       "%s: verify: \"%s\" is neither on nor off",
			       job->path, job_param(job, "verify"));
	if (job_param(job, "advise"))
		return err_set(err, ERR_CONFIG,
			       "%s: stress-ng has no option for advise",
			       job->path);
	return workload_check_count(job, "nr_threads", err);
}

static void add_test(const struct job *job, const char *test, unsigned threads,
		     struct workload_argv *out)
{
	static const char *const per_test[] = { "method", "mode", "type" };

	if (listed(pathological, ARRAY_SIZE(pathological), test))
		workload_argv_add(out, "--pathological");
	if (listed(oom_avoid, ARRAY_SIZE(oom_avoid), test))
		workload_argv_add(out, "--oom-avoid");
	workload_argv_add(out, "--%s", test);
	workload_argv_add(out, "%u", threads);
	for (size_t i = 0; i < ARRAY_SIZE(per_test); i++) {
		const char *v = job_param(job, per_test[i]);

		if (!v)
			continue;
		workload_argv_add(out, "--%s-%s", test, per_test[i]);
		workload_argv_add(out, "%s", v);
	}
}

static void argv(const struct job *job, const struct workload_box *box,
		 struct workload_argv *out)
{
	static const char *const fixed[] = { "--metrics", "--no-rand-seed",
					     "--yaml", WORKLOAD_FILE };
	const char *time = job_param(job, "testtime");
	const char *test = job_param(job, "test");
	const char *sched = job_param(job, "sched");
	const char *hdd = job_param(job, "hdd_opts");
	unsigned threads = workload_threads(job, box);
	bool verify;
	double s = 1;

	/* stress-ng wants whole seconds; 0 would mean a day */
	if (!time || !job_duration(time, &s) || s < 1)
		s = 1;
	workload_argv_add(out, "stress-ng");
	workload_argv_add(out, "--timeout");
	workload_argv_add(out, "%.0f", ceil(s));
	workload_argv_add(out, "--times");
	verifies(job, &verify);
	if (verify)
		workload_argv_add(out, "--verify");
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		workload_argv_add(out, "%s", fixed[i]);
	if (sched) {
		workload_argv_add(out, "--sched");
		workload_argv_add(out, "%s", sched);
	}
	if (test) {
		add_test(job, test, threads, out);
	} else {
		workload_argv_add(out, "--sequential");
		workload_argv_add(out, "%u", threads);
		workload_argv_add(out, "--class");
		workload_argv_add(out, "%s", job_param(job, "class"));
	}
	if (hdd) {
		workload_argv_add(out, "--hdd-opts");
		workload_argv_add(out, "%s", hdd);
	}
}

/* --- output ----------------------------------------------------------------
 */

static struct row *add_row(struct rows *rows, struct text stressor,
			   double value)
{
	struct row *r;

	if (rows->nr >= MAX_ROWS || !stressor.len ||
	    stressor.len >= sizeof(r->stressor))
		return NULL;
	VEC_GROW(rows->v, rows->nr + 1, rows->alloc);
	r = &rows->v[rows->nr++];
	memset(r, 0, sizeof(*r));
	memcpy(r->stressor, stressor.p, stressor.len);
	r->value = value;
	return r;
}

/* "MB/sec (write)" as "MB/sec_write": words joined by '_', no brackets. */
static void unit_name(struct text words, char out[UNIT_MAX_BYTES])
{
	struct text w;
	size_t n = 0;

	while (text_word(&words, &w)) {
		if (n && n < UNIT_MAX_BYTES - 1)
			out[n++] = '_';
		for (size_t i = 0; i < w.len && n < UNIT_MAX_BYTES - 1; i++)
			if (!strchr("(),'\"", w.p[i]))
				out[n++] = w.p[i];
	}
	out[n] = '\0';
}

/* Without the final "(geometic mean of 2 instances)", true when it had one. */
static bool cut_mean(struct text *t)
{
	static const char *const words[] = {
		" (average",	   " (geometric mean", " (geometic mean",
		" (harmonic mean", " (total",	       " (maximum",
		" (minimum",
	};
	size_t at = t->len;

	while (at-- > 0)
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			struct text tail = text_skip(*t, at);

			if (text_starts(tail, words[i])) {
				t->len = at;
				return true;
			}
		}
	return false;
}

/*
 * Behind "stress-ng: metrc: [pid] ": a row of the big table (stressor and six
 * or eight numbers) or "stressor value unit… (geometic mean of N instances)".
 */
static void text_row(struct text line, struct rows *rows)
{
	struct text stressor, w, rest;
	double n[8];
	size_t nr = 0;
	struct row *r;

	line = text_trim(line);
	rest = line;
	if (!text_word(&rest, &stressor))
		return;
	if (cut_mean(&rest)) {
		if (!text_word(&rest, &w) || !text_number(w, &n[0]))
			return;
		r = add_row(rows, stressor, n[0]);
		if (r)
			unit_name(rest, r->unit);
		return;
	}
	while (nr < 8 && text_word(&rest, &w) && text_number(w, &n[nr]))
		nr++;
	if ((nr != 6 && nr != 8) || text_trim(rest).len)
		return;
	r = add_row(rows, stressor, n[0]);
	if (r)
		memcpy(r->unit, "ops", 4);
	r = add_row(rows, stressor, n[4]);
	if (r)
		memcpy(r->unit, "ops_per_sec", 12);
}

static void read_text(struct text all, struct rows *rows)
{
	struct text line, word;

	while (text_line(&all, &line)) {
		if (!text_word(&line, &word) || !text_is(word, "stress-ng:") ||
		    !text_word(&line, &word))
			continue;
		if (!text_is(word, "metrc:") && !text_is(word, "info:"))
			continue;
		/* "[123]" or "[ 123]" */
		if (!text_until(&line, ']', &word))
			continue;
		text_row(line, rows);
	}
}

static struct text span(const char *s)
{
	return (struct text){ s, strlen(s) };
}

/* Keys of the YAML that the text has in its table as well, or that vary. */
static const char *yaml_unit(const char *key)
{
	static const char *const skip[] = {
		"stressor",	   "bogo-ops-per-second-usr-sys-time",
		"wall-clock-time", "user-time",
		"system-time",	   "cpu-usage-per-instance",
		"max-rss",
	};

	if (!strcmp(key, "bogo-ops"))
		return "ops";
	if (!strcmp(key, "bogo-ops-per-second-real-time"))
		return "ops_per_sec";
	return listed(skip, ARRAY_SIZE(skip), key) ? NULL : key;
}

/* One entry of "metrics:". */
static void yaml_entry(const struct yaml_node *map, struct rows *rows)
{
	const struct yaml_node *name = yaml_map_get(map, "stressor");

	if (!name || name->kind != YAML_SCALAR)
		return;
	for (size_t i = 0; i < map->nr; i++) {
		const char *unit = yaml_unit(map->keys[i]->text);
		const struct yaml_node *v = map->items[i];
		struct row *r;
		double value;

		if (!unit || v->kind != YAML_SCALAR ||
		    !text_number(span(v->text), &value))
			continue;
		r = add_row(rows, span(name->text), value);
		if (!r)
			return;
		unit_name(span(unit), r->unit);
		for (char *p = r->unit; *p; p++)
			if (*p == '-')
				*p = '_';
	}
}

/* A YAML file that was cut short is no YAML: then the text has to do. */
static void read_yaml(struct text file, struct rows *rows)
{
	struct yaml_file f;
	struct err err = { 0 };

	if (!file.len)
		return;
	if (!yaml_parse(file.p, file.len, WORKLOAD_FILE, &f, &err) && f.nr) {
		const struct yaml_node *list =
			yaml_map_get(f.docs[0], "metrics");

		for (size_t i = 0; list && i < list->nr; i++)
			yaml_entry(list->items[i], rows);
	}
	yaml_file_release(&f);
}

/* Letters and digits only, so that "links created/removed" finds itself. */
static bool same_unit(const char *a, const char *b)
{
	for (;;) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static const struct row *find_row(const struct rows *rows, const struct row *r)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->v[i].stressor, r->stressor) &&
		    same_unit(rows->v[i].unit, r->unit))
			return &rows->v[i];
	return NULL;
}

/* Numbers of the YAML under the names of the text, then what one has alone. */
static void merge(const struct rows *text, const struct rows *yaml,
		  struct metric_set *out)
{
	for (size_t i = 0; i < text->nr; i++) {
		const struct row *t = &text->v[i];
		const struct row *y = find_row(yaml, t);

		metric_add(out, y ? y->value : t->value, "stress-ng.%s.%s",
			   t->stressor, t->unit);
	}
	for (size_t i = 0; i < yaml->nr; i++)
		if (!find_row(text, &yaml->v[i]))
			metric_add(out, yaml->v[i].value, "stress-ng.%s.%s",
				   yaml->v[i].stressor, yaml->v[i].unit);
}

/* A stressor that did nothing (or could not start) is a failure row. */
static size_t count_ops(const struct rows *ops, struct metric_set *out)
{
	size_t good = 0;

	for (size_t i = 0; i < ops->nr; i++) {
		if (strcmp(ops->v[i].unit, "ops") != 0)
			continue;
		if (ops->v[i].value > 0)
			good++;
		else
			metric_fail(out, "stress-ng.%s.fail",
				    ops->v[i].stressor);
	}
	return good;
}

/*
 * Rows of stressors that failed by @ops are no measurements. @ops may be @rows
 * itself: the row looked at is still there.
 */
static void drop_failed(struct rows *rows, const struct rows *ops)
{
	bool *keep = xcalloc(rows->nr + 1, sizeof(*keep));
	size_t kept = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		struct row key = rows->v[i];
		const struct row *r;

		memcpy(key.unit, "ops", 4);
		r = find_row(ops, &key);
		keep[i] = !r || r->value > 0;
	}
	for (size_t i = 0; i < rows->nr; i++)
		if (keep[i])
			rows->v[kept++] = rows->v[i];
	rows->nr = kept;
	free(keep);
}

static int parse(const struct job *job, const struct workload_output *in,
		 struct metric_set *out, struct err *err)
{
	struct rows text = { 0 }, yaml = { 0 };
	size_t good;

	read_text((struct text){ in->out, in->out_len }, &text);
	read_text((struct text){ in->err, in->err_len }, &text);
	read_yaml((struct text){ in->file, in->file_len }, &yaml);
	good = count_ops(text.nr ? &text : &yaml, out);
	drop_failed(&yaml, text.nr ? &text : &yaml);
	drop_failed(&text, &text);
	merge(&text, &yaml, out);
	free(text.v);
	free(yaml.v);
	if (good)
		return 0;
	return err_set(err, ERR_BENCH,
		       "%s: stress-ng printed no result for any stressor",
		       job->path);
}

const struct workload workload_stress_ng = {
	.name = "stress-ng",
	.binary = "stress-ng",
	.check = check,
	.argv = argv,
	.parse = parse,
};
