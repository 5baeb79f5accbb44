// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Expansion by substitution: find the first list under a dimension, put each
 * of its values in its place in turn, and go on with the tree so changed; a
 * tree without such a list is one job. What a dimension is follows from the
 * programs that the document names.
 */
#include "jobs/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "jobs/programs.h"
#include "jobs/workload.h"

#define MAX_PROGRAMS 64
/* options of all jobs of a document together: bounds the memory */
#define MAX_ALL_PARAMS 500000

/* @used: benchmarks, setups and daemons of the document, in file order. */
struct sweep {
	struct yaml_node *doc;
	struct job_list *out;
	const struct program *used[MAX_PROGRAMS];
	size_t nr_used;
	size_t dims;
	size_t params;
};

static bool is_monitor(const char *key)
{
	const struct program *p = program_find(key);

	return p && p->kind == PROGRAM_MONITOR;
}

static bool is_program(const char *key)
{
	const struct program *p = program_find(key);

	return p && p->kind != PROGRAM_MONITOR;
}

/* An option of a program in the document, or one that every job may have. */
static bool is_option(const struct sweep *s, const char *key)
{
	for (size_t i = 0; i < s->nr_used; i++)
		if (program_has_option(s->used[i], key))
			return true;
	return program_common_option(key);
}

static bool is_dimension(const struct sweep *s, const char *key)
{
	return is_program(key) || is_option(s, key) || program_axis_key(key);
}

static int at(const struct yaml_node *n, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int at(const struct yaml_node *n, struct err *err, const char *fmt, ...)
{
	struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	err_set(err, ERR_CONFIG, "%s:%d:%d: %s", n->file ? n->file : "job",
		n->line, n->col, s.p);
	str_release(&s);
	return ERR_CONFIG;
}

static void find_programs(struct sweep *s, const struct yaml_node *map)
{
	for (size_t i = 0; i < map->nr; i++) {
		const struct program *p = program_find(map->keys[i]->text);

		if (p && p->kind != PROGRAM_MONITOR &&
		    s->nr_used < MAX_PROGRAMS)
			s->used[s->nr_used++] = p;
		if (map->items[i]->kind == YAML_MAP)
			find_programs(s, map->items[i]);
	}
}

/* The first list under a dimension, as the place that holds it, or NULL. */
static struct yaml_node **find_list(const struct sweep *s,
				    struct yaml_node *map)
{
	for (size_t i = 0; i < map->nr; i++) {
		struct yaml_node **hit = NULL;

		if (map->items[i]->kind == YAML_SEQ &&
		    is_dimension(s, map->keys[i]->text))
			return &map->items[i];
		if (map->items[i]->kind == YAML_MAP)
			hit = find_list(s, map->items[i]);
		if (hit)
			return hit;
	}
	return NULL;
}

/* A list that doesn't expand, as one value: its items joined by commas. */
static int join_list(const struct yaml_node *list, struct str *out,
		     struct err *err)
{
	for (size_t i = 0; list->items && i < list->nr; i++) {
		const struct yaml_node *n = list->items[i];

		if (n->kind != YAML_SCALAR)
			return at(n, err, "expected plain text in the list");
		str_addf(out, "%s%s", i ? "," : "", n->text);
	}
	return 0;
}

/* One key of the tree into the job. @monitor: the block's name, or NULL. */
static int take_value(const struct sweep *s, const struct yaml_node *key,
		      const struct yaml_node *v, const char *monitor,
		      struct job *job, struct err *err)
{
	bool in_path =
		!monitor && (is_program(key->text) || is_option(s, key->text));
	struct str text = STR_INIT;
	char *name = NULL;
	bool b;
	int rc = 0;

	if (v->text && strstr(v->text, "{{"))
		return at(v, err,
			  "templates ({{…}}) are not evaluated: write the "
			  "value itself");
	if (job->nr_params >= JOB_MAX_PARAMS)
		return at(key, err, "more than %d options in one job",
			  JOB_MAX_PARAMS);
	if (!v->text)
		rc = join_list(v, &text, err);
	else if (yaml_is_bool(v, &b))
		str_add(&text, b ? "true" : "false");
	else
		str_add(&text, v->text);
	/* an option that is off is no part of the path */
	if (v->kind == YAML_SCALAR && yaml_is_bool(v, &b) && !b)
		in_path = false;
	if (!rc) {
		name = monitor ? xasprintf("%s.%s", monitor, key->text)
			       : xstrdup(key->text);
		job_add_param(job, name, text.p, in_path);
	}
	free(name);
	str_release(&text);
	return rc;
}

static int take_map(const struct sweep *s, const struct yaml_node *map,
		    const char *monitor, struct job *job, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; map->items && i < map->nr && !rc; i++) {
		const struct yaml_node *k = map->keys[i], *v = map->items[i];

		if (v->kind == YAML_MAP)
			rc = take_map(s, v,
				      is_monitor(k->text) ? k->text : monitor,
				      job, err);
		else if (!yaml_is_null(v))
			rc = take_value(s, k, v, monitor, job, err);
	}
	return rc;
}

/* suite, testcase, category name the job; they are no options of it. */
static int take_names(struct sweep *s, struct job *job, struct err *err)
{
	static const char *const keys[] = { "suite", "testcase", "category" };
	const char *text[3] = { "", "", "" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct yaml_node *n = yaml_map_get(s->doc, keys[i]);

		if (n && n->kind != YAML_SCALAR)
			return at(n, err, "%s: expected one name", keys[i]);
		if (n)
			text[i] = n->text;
		job_drop_param(job, keys[i]);
	}
	if (!*text[1])
		text[1] = text[0];
	for (size_t i = 0; i < s->nr_used && !*text[1]; i++)
		if (s->used[i]->kind == PROGRAM_RUN)
			text[1] = s->used[i]->name;
	if (!*text[1])
		return at(s->doc, err, "a job needs a testcase");
	free(job->testcase);
	free(job->suite);
	job->testcase = xstrdup(text[1]);
	job->suite = xstrdup(*text[0] ? text[0] : text[1]);
	return 0;
}

static int emit(struct sweep *s, struct err *err)
{
	struct job job;
	int rc;

	if (s->out->nr >= JOB_MAX_JOBS || s->params > MAX_ALL_PARAMS)
		return err_set(
			err, ERR_LIMIT, "%s: the sweep has more than %d jobs",
			s->doc->file ? s->doc->file : "job", JOB_MAX_JOBS);
	job_init(&job);
	rc = take_map(s, s->doc, NULL, &job, err);
	if (!rc)
		rc = take_names(s, &job, err);
	if (rc) {
		job_release(&job);
		return rc;
	}
	for (size_t i = 0; i < s->nr_used && !*job.workload; i++)
		if (workload_find(s->used[i]->name)) {
			free(job.workload);
			job.workload = xstrdup(s->used[i]->name);
		}
	job_finish(&job);
	s->params += job.nr_params;
	job_list_add(s->out, &job);
	return 0;
}

static int expand(struct sweep *s, struct err *err)
{
	struct yaml_node **place = find_list(s, s->doc);
	struct yaml_node *list;
	int rc = 0;

	if (!place)
		return emit(s, err);
	list = *place;
	if (++s->dims > SWEEP_MAX_DIMENSIONS)
		return err_set(err, ERR_LIMIT,
			       "%s:%d:%d: more than %d lists in one job",
			       list->file ? list->file : "job", list->line,
			       list->col, SWEEP_MAX_DIMENSIONS);
	for (size_t i = 0; i < list->nr && !rc; i++) {
		if (list->items[i]->kind == YAML_SEQ) {
			rc = at(list->items[i], err, "a list inside a list");
			break;
		}
		*place = list->items[i];
		rc = expand(s, err);
	}
	*place = list;
	s->dims--;
	return rc;
}

/* A key that nothing knows: most likely a typing mistake. */
static int unknown(const struct sweep *s, const struct yaml_node *key,
		   const char *what, struct err *err)
{
	char near[64];

	program_suggest(s->used, s->nr_used, key->text, near);
	if (*near)
		return at(key, err,
			  "there is no %s \"%.80s\" (did you mean "
			  "%s?)",
			  what, key->text, near);
	return at(key, err, "there is no %s \"%.80s\"", what, key->text);
}

/*
 * Only for benchmarks that Drover runs itself: there a parameter that nobody
 * reads would silently measure something else.
 */
static int check_keys(const struct sweep *s, const struct yaml_node *map,
		      const struct program *block, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < map->nr && !rc; i++) {
		const struct yaml_node *k = map->keys[i];
		const struct program *p = program_find(k->text);
		bool is_map = map->items[i]->kind == YAML_MAP;

		if (p && p->kind == PROGRAM_MONITOR)
			continue;
		if (block && !program_has_option(block, k->text) && !is_map)
			rc = unknown(s, k, "option", err);
		else if (!block && !p && !is_option(s, k->text) &&
			 !program_header_key(k->text) &&
			 !program_axis_key(k->text))
			rc = unknown(s, k, "option or program", err);
		if (!rc && is_map)
			rc = check_keys(s, map->items[i], p ? p : block, err);
	}
	return rc;
}

int sweep_expand(struct yaml_node *doc, struct job_list *out, struct err *err)
{
	struct sweep s = { .doc = doc, .out = out };
	bool ours = false;
	int rc = 0;

	if (doc->kind != YAML_MAP)
		return at(doc, err, "expected \"key: value\" lines");
	find_programs(&s, doc);
	for (size_t i = 0; i < s.nr_used; i++)
		ours = ours || workload_find(s.used[i]->name);
	if (ours)
		rc = check_keys(&s, doc, NULL, err);
	return rc ? rc : expand(&s, err);
}

struct yaml_node *sweep_overlay(const struct yaml_node *base,
				const struct yaml_node *over)
{
	struct yaml_node *n = yaml_node_copy(base);

	for (size_t i = 0; i < over->nr; i++)
		yaml_map_set(n, yaml_node_copy(over->keys[i]),
			     yaml_node_copy(over->items[i]));
	return n;
}
