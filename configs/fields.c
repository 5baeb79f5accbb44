// SPDX-License-Identifier: GPL-3.0-or-later
/* All fields of a struct together: defaults, release, look-up, a YAML map. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "configs/field.h"
#include "configs/options.h"

static void *at(const struct field *f, void *base)
{
	return (char *)base + f->offset;
}

void config_list_release(struct config_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->v[i]);
	free(list->v);
	memset(list, 0, sizeof(*list));
}

void config_list_add(struct config_list *list, char *item)
{
	if (list->nr == list->alloc) {
		list->alloc = list->alloc * 2 + 4;
		list->v = xreallocarray(list->v, list->alloc, sizeof(char *));
	}
	list->v[list->nr++] = item;
}

void fields_init(const struct fields *t, void *base)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct field *f = &t->v[i];
		struct err err = { 0 };

		if (f->type == FIELD_LIST)
			memset(at(f, base), 0, sizeof(struct config_list));
		else if (f->type <= FIELD_WORD)
			*(char **)at(f, base) = NULL;
		/* a default that its own check refuses is our bug */
		if (field_set(f, base, f->def, f->key, &err))
			abort();
	}
}

void fields_release(const struct fields *t, void *base)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct field *f = &t->v[i];

		if (f->type == FIELD_LIST) {
			config_list_release(at(f, base));
		} else if (f->type <= FIELD_WORD) {
			free(*(char **)at(f, base));
			*(char **)at(f, base) = NULL;
		}
	}
}

long fields_find(const struct fields *t, const char *key)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->v[i].key, key))
			return (long)i;
	return -1;
}

void fields_hint(const struct fields *t, const char *key, char out[128])
{
	const char **keys = xcalloc(t->nr, sizeof(char *));
	struct str s = STR_INIT;
	const char *near;

	for (size_t i = 0; i < t->nr; i++)
		keys[i] = t->v[i].key;
	near = str_suggest(key, keys, t->nr);
	s.max_bytes = 127;
	if (near)
		str_addf(&s, " (did you mean %s?)", near);
	memcpy(out, s.p, s.len + 1);
	str_release(&s);
	free(keys);
}

static bool is_group(const struct fields *t, const char *prefix)
{
	size_t len = strlen(prefix);

	for (size_t i = 0; i < t->nr; i++)
		if (!strncmp(t->v[i].key, prefix, len) &&
		    t->v[i].key[len] == '.')
			return true;
	return false;
}

static int read_map(const struct fields_reader *r, const char *prefix,
		    const struct yaml_node *map, struct err *err);

static int read_pair(const struct fields_reader *r, const char *key,
		     const struct yaml_node *k, const struct yaml_node *v,
		     struct err *err)
{
	long row = fields_find(r->table, key);
	char hint[128];
	int rc = 0;

	if (row >= 0) {
		rc = field_set_node(&r->table->v[row], r->base, v, r->file,
				    err);
		if (!rc && r->seen)
			r->seen(r->arg, (size_t)row);
		return rc;
	}
	if (is_group(r->table, key) && v->kind == YAML_MAP)
		return read_map(r, key, v, err);
	if (is_group(r->table, key) && yaml_is_null(v))
		return 0;
	if (r->other)
		rc = r->other(r->arg, key, v, err);
	if (rc)
		return rc < 0 ? rc : 0;
	fields_hint(r->table, key, hint);
	return err_set(err, ERR_CONFIG, "%s:%d:%d: there is no %s \"%.80s\"%s",
		       r->file, k->line, k->col, r->table->what, key, hint);
}

static int read_map(const struct fields_reader *r, const char *prefix,
		    const struct yaml_node *map, struct err *err)
{
	for (size_t i = 0; i < map->nr; i++) {
		const struct yaml_node *k = map->keys[i];
		char *key = *prefix ? xasprintf("%s.%s", prefix, k->text)
				    : xstrdup(k->text);
		int rc = read_pair(r, key, k, map->items[i], err);

		free(key);
		if (rc)
			return rc;
	}
	return 0;
}

int fields_read(const struct fields_reader *r, const struct yaml_node *map,
		struct err *err)
{
	if (map->kind == YAML_SCALAR && yaml_is_null(map))
		return 0;
	if (map->kind != YAML_MAP)
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: expected \"key: value\" lines",
			       r->file, map->line, map->col);
	return read_map(r, "", map, err);
}
