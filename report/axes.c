// SPDX-License-Identifier: GPL-3.0-or-later
// Shared axes and compared commits: built up by hand or read from axes.json.
#include "report/axes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define ABBREV_DIGITS 10

void axes_release(struct axes *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		free(a->axis[i].key);
		free(a->axis[i].value);
	}
	for (size_t i = 0; i < a->nr_commits; i++) {
		free(a->commit[i].id);
		free(a->commit[i].abbrev);
		free(a->commit[i].subject);
	}
	free(a->axis);
	free(a->commit);
	memset(a, 0, sizeof(*a));
}

/* Order of "key=value" without building the strings. */
static int cmp_axis(const struct axis *a, const char *key, const char *value)
{
	char *left = xasprintf("%s=%s", a->key, a->value);
	char *right = xasprintf("%s=%s", key, value);
	int cmp = strcmp(left, right);

	free(left);
	free(right);
	return cmp;
}

int axes_add(struct axes *a, const char *key, const char *value,
	     struct err *err)
{
	size_t at = 0;

	if (a->nr >= AXES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d axes", AXES_MAX);
	if (axes_get(a, key, NULL))
		return err_set(err, ERR_EXISTS, "axis \"%s\" is there twice",
			       key);
	while (at < a->nr && cmp_axis(&a->axis[at], key, value) < 0)
		at++;
	a->axis = xreallocarray(a->axis, a->nr + 1, sizeof(*a->axis));
	memmove(&a->axis[at + 1], &a->axis[at],
		(a->nr - at) * sizeof(*a->axis));
	a->axis[at].key = xstrdup(key);
	a->axis[at].value = xstrdup(value);
	a->nr++;
	return 0;
}

static struct axes_commit *next_commit(struct axes *a, struct err *err)
{
	struct axes_commit *c;

	if (a->nr_commits >= AXES_MAX_COMMITS) {
		err_set(err, ERR_LIMIT, "more than %d commits",
			AXES_MAX_COMMITS);
		return NULL;
	}
	a->commit =
		xreallocarray(a->commit, a->nr_commits + 1, sizeof(*a->commit));
	c = &a->commit[a->nr_commits++];
	memset(c, 0, sizeof(*c));
	return c;
}

int axes_add_commit(struct axes *a, const char *sha, const char *subject,
		    size_t runs, struct err *err)
{
	struct axes_commit *c = next_commit(a, err);

	if (!c)
		return ERR_LIMIT;
	c->id = xstrdup(sha);
	c->abbrev = xstrndup(sha, ABBREV_DIGITS);
	c->subject = xstrdup(subject);
	c->runs = runs;
	return 0;
}

const char *axes_get(const struct axes *a, const char *key, const char * or)
{
	for (size_t i = 0; i < a->nr; i++) {
		if (!strcmp(a->axis[i].key, key))
			return a->axis[i].value;
	}
	return or ;
}

static int add_json_axis(struct axes *a, const char *key, const json_t *value,
			 struct err *err)
{
	struct str text = STR_INIT;
	int rc;

	if (json_is_object(value) || json_is_array(value))
		return err_set(err, ERR_DATA,
			       "axis \"%s\" is neither a string nor a number",
			       key);
	if (json_is_string(value))
		str_add(&text, json_string_value(value));
	else
		json_add_text(&text, value);
	rc = axes_add(a, key, text.p, err);
	str_release(&text);
	return rc;
}

static int add_json_commit(struct axes *a, const json_t *obj, size_t runs,
			   struct err *err)
{
	struct axes_commit *c;
	const char *id;
	const char *abbrev;
	int rc;

	rc = json_need_str(obj, "id", &id, err);
	if (rc)
		return rc;
	rc = axes_add_commit(a, id, json_opt_str(obj, "subject", ""), runs,
			     err);
	abbrev = json_opt_str(obj, "abbrev", NULL);
	if (rc || !abbrev)
		return rc;
	c = &a->commit[a->nr_commits - 1];
	free(c->abbrev);
	c->abbrev = xstrdup(abbrev);
	return 0;
}

/* "runs" is one number for all commits, or one per commit. */
static size_t runs_of(const json_t *obj, size_t i)
{
	const json_t *runs = json_object_get(obj, "runs");
	json_int_t nr;

	if (json_is_array(runs))
		runs = json_array_get(runs, i);
	nr = json_integer_value(runs);
	return nr > 0 ? (size_t)nr : 0;
}

int axes_from_json(struct axes *a, const json_t *obj, const char *name,
		   struct err *err)
{
	json_t *list;
	json_t *v;
	const char *key;
	size_t i;

	if (json_need_object(obj, "axes", &list, err))
		return err_wrap(err, "%s", name);
	json_object_foreach(list, key, v)
	{
		if (add_json_axis(a, key, v, err))
			return err_wrap(err, "%s", name);
	}
	if (json_need_array(obj, "commits", &list, err))
		return err_wrap(err, "%s", name);
	json_array_foreach(list, i, v)
	{
		if (add_json_commit(a, v, runs_of(obj, i), err))
			return err_wrap(err, "%s: commit %zu", name, i + 1);
	}
	return 0;
}
