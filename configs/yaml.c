// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * libyaml's events into a tree. A stack of open collections (at most
 * YAML_MAX_DEPTH) stands in for recursion, so hostile nesting is refused at the
 * event that exceeds it, before libyaml has read further.
 */
#include "configs/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* State of one parse: @open[0..depth-1] are the collections not yet ended. */
struct loader {
	yaml_parser_t parser;
	const char *name;
	const char *text;
	size_t len;
	struct yaml_file *file;
	struct yaml_node *open[YAML_MAX_DEPTH];
	struct yaml_node *key[YAML_MAX_DEPTH];
	size_t depth;
	size_t events;
};

struct yaml_node *yaml_node_new(enum yaml_kind kind, int line, int col)
{
	struct yaml_node *n = xcalloc(1, sizeof(*n));

	n->kind = kind;
	n->line = line;
	n->col = col;
	return n;
}

void yaml_node_free(struct yaml_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->nr; i++) {
		yaml_node_free(node->items[i]);
		if (node->keys)
			yaml_node_free(node->keys[i]);
	}
	free(node->items);
	free(node->keys);
	free(node->text);
	free(node);
}

struct yaml_node *yaml_node_copy(const struct yaml_node *node)
{
	struct yaml_node *n = yaml_node_new(node->kind, node->line, node->col);

	n->quoted = node->quoted;
	n->file = node->file;
	n->text = node->text ? xstrdup(node->text) : NULL;
	for (size_t i = 0; i < node->nr; i++)
		yaml_node_add(n,
			      node->keys ? yaml_node_copy(node->keys[i]) : NULL,
			      yaml_node_copy(node->items[i]));
	return n;
}

/* Room for one more pointer behind @nr; the capacity goes up in steps. */
static struct yaml_node **grow(struct yaml_node **v, size_t nr, size_t *alloc)
{
	if (nr < *alloc)
		return v;
	*alloc = *alloc * 2 + 4;
	return xreallocarray(v, *alloc, sizeof(void *));
}

void yaml_node_add(struct yaml_node *to, struct yaml_node *key,
		   struct yaml_node *value)
{
	size_t alloc = to->alloc;

	if (to->kind == YAML_MAP) {
		to->keys = grow(to->keys, to->nr, &alloc);
		to->keys[to->nr] = key;
	}
	to->items = grow(to->items, to->nr, &to->alloc);
	to->items[to->nr++] = value;
}

void yaml_map_set(struct yaml_node *map, struct yaml_node *key,
		  struct yaml_node *value)
{
	for (size_t i = 0; i < map->nr; i++)
		if (!strcmp(map->keys[i]->text, key->text)) {
			yaml_node_free(map->items[i]);
			map->items[i] = value;
			yaml_node_free(key);
			return;
		}
	yaml_node_add(map, key, value);
}

struct yaml_node *yaml_map_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < map->nr; i++)
		if (!strcmp(map->keys[i]->text, key))
			return map->items[i];
	return NULL;
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->quoted &&
	       (!*node->text || !strcmp(node->text, "~") ||
		!strcmp(node->text, "null") || !strcmp(node->text, "Null") ||
		!strcmp(node->text, "NULL"));
}

bool yaml_is_bool(const struct yaml_node *node, bool *out)
{
	static const char *const words[] = { "false", "true", "no",
					     "yes",   "off",  "on" };

	if (node->kind != YAML_SCALAR || node->quoted)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(node->text, words[i])) {
			*out = i % 2;
			return true;
		}
	return false;
}

static int fail_at(const struct loader *l, const yaml_mark_t *mark,
		   const char *what, struct err *err)
{
	return err_set(err, ERR_CONFIG, "%s:%zu:%zu: %s", l->name,
		       mark->line + 1, mark->column + 1, what);
}

/* The line and column of a byte: libyaml's reader knows only the offset. */
static yaml_mark_t mark_of(const struct loader *l, size_t offset)
{
	yaml_mark_t mark = { .index = offset };
	size_t i;

	for (i = 0; i < offset && i < l->len; i++) {
		if (l->text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if (((unsigned char)l->text[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

static int fail_syntax(const struct loader *l, struct err *err)
{
	const yaml_parser_t *p = &l->parser;
	const char *what = p->problem ? p->problem : "no YAML";

	if (p->error == YAML_READER_ERROR) {
		yaml_mark_t at = mark_of(l, p->problem_offset);

		return fail_at(l, &at, what, err);
	}
	return fail_at(l, &p->problem_mark, what, err);
}

/* Hang @node into the innermost open collection, or make it a document. */
static int attach(struct loader *l, struct yaml_node *node,
		  const yaml_mark_t *mark, struct err *err)
{
	struct yaml_file *f = l->file;
	struct yaml_node *top = l->depth ? l->open[l->depth - 1] : NULL;

	node->file = f->name;
	if (!top) {
		if (f->nr == YAML_MAX_DOCS) {
			yaml_node_free(node);
			return err_set(err, ERR_LIMIT,
				       "%s: more than %d documents", l->name,
				       YAML_MAX_DOCS);
		}
		f->docs = grow(f->docs, f->nr, &f->alloc);
		f->docs[f->nr++] = node;
		return 0;
	}
	if (top->kind == YAML_MAP && !l->key[l->depth - 1]) {
		if (node->kind != YAML_SCALAR) {
			yaml_node_free(node);
			return fail_at(l, mark, "a key must be plain text",
				       err);
		}
		l->key[l->depth - 1] = node;
		return 0;
	}
	yaml_node_add(top, l->key[l->depth - 1], node);
	l->key[l->depth - 1] = NULL;
	return 0;
}

static int add_scalar(struct loader *l, const yaml_event_t *ev, struct err *err)
{
	const char *text = (const char *)ev->data.scalar.value;
	struct yaml_node *n;

	if (ev->data.scalar.anchor)
		return fail_at(l, &ev->start_mark,
			       "anchors (&name) are not accepted", err);
	if (ev->data.scalar.tag)
		return fail_at(l, &ev->start_mark,
			       "tags (!name) are not accepted", err);
	if (strlen(text) != ev->data.scalar.length)
		return fail_at(l, &ev->start_mark, "a NUL byte in a value",
			       err);
	n = yaml_node_new(YAML_SCALAR, (int)ev->start_mark.line + 1,
			  (int)ev->start_mark.column + 1);
	n->text = xstrdup(text);
	n->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return attach(l, n, &ev->start_mark, err);
}

static int open_node(struct loader *l, const yaml_event_t *ev, struct err *err)
{
	bool map = ev->type == YAML_MAPPING_START_EVENT;
	struct yaml_node *n;
	int rc;

	if (map ? ev->data.mapping_start.anchor
		: ev->data.sequence_start.anchor)
		return fail_at(l, &ev->start_mark,
			       "anchors (&name) are not accepted", err);
	if (map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag)
		return fail_at(l, &ev->start_mark,
			       "tags (!name) are not accepted", err);
	if (l->depth == YAML_MAX_DEPTH)
		return err_set(err, ERR_LIMIT,
			       "%s:%zu:%zu: nested deeper than %d levels",
			       l->name, ev->start_mark.line + 1,
			       ev->start_mark.column + 1, YAML_MAX_DEPTH);
	n = yaml_node_new(map ? YAML_MAP : YAML_SEQ,
			  (int)ev->start_mark.line + 1,
			  (int)ev->start_mark.column + 1);
	rc = attach(l, n, &ev->start_mark, err);
	if (rc)
		return rc;
	l->open[l->depth] = n;
	l->key[l->depth++] = NULL;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct yaml_node *const *x = a, *const *y = b;
	int c = strcmp((*x)->text, (*y)->text);

	if (c)
		return c;
	return (*x)->line != (*y)->line ? (*x)->line - (*y)->line
					: (*x)->col - (*y)->col;
}

/* Sorted once per map: comparing each pair would be quadratic in the file. */
static int check_keys(const struct loader *l, const struct yaml_node *map,
		      struct err *err)
{
	struct yaml_node **keys;
	int rc = 0;

	if (map->nr < 2)
		return 0;
	keys = xmalloc(map->nr * sizeof(void *));
	memcpy(keys, map->keys, map->nr * sizeof(void *));
	qsort(keys, map->nr, sizeof(void *), by_key);
	for (size_t i = 1; i < map->nr && !rc; i++)
		if (!strcmp(keys[i - 1]->text, keys[i]->text) &&
		    strcmp(keys[i]->text, "<<") != 0)
			rc = err_set(err, ERR_CONFIG,
				     "%s:%d:%d: key \"%s\" is there already, "
				     "in line %d",
				     l->name, keys[i]->line, keys[i]->col,
				     keys[i]->text, keys[i - 1]->line);
	free(keys);
	return rc;
}

static int handle(struct loader *l, const yaml_event_t *ev, struct err *err)
{
	switch (ev->type) {
	case YAML_ALIAS_EVENT:
		return fail_at(l, &ev->start_mark,
			       "aliases (*name) are not accepted", err);
	case YAML_SCALAR_EVENT:
		return add_scalar(l, ev, err);
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return open_node(l, ev, err);
	case YAML_MAPPING_END_EVENT:
		return check_keys(l, l->open[--l->depth], err);
	case YAML_SEQUENCE_END_EVENT:
		l->depth--;
		return 0;
	default:
		return 0;
	}
}

static int load(struct loader *l, struct err *err)
{
	bool end = false;

	while (!end) {
		yaml_event_t ev;
		int rc;

		if (!yaml_parser_parse(&l->parser, &ev))
			return fail_syntax(l, err);
		if (++l->events > YAML_MAX_EVENTS)
			rc = err_set(err, ERR_LIMIT,
				     "%s: more than %d YAML events", l->name,
				     YAML_MAX_EVENTS);
		else
			rc = handle(l, &ev, err);
		end = ev.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&ev);
		if (rc)
			return rc;
	}
	return 0;
}

int yaml_parse(const char *text, size_t len, const char *name,
	       struct yaml_file *out, struct err *err)
{
	struct loader l = {
		.name = name, .text = text, .len = len, .file = out
	};
	int rc;

	memset(out, 0, sizeof(*out));
	out->name = xstrdup(name);
	if (len > YAML_MAX_BYTES)
		return err_set(err, ERR_LIMIT, "%s: larger than %zu KiB", name,
			       YAML_MAX_BYTES >> 10);
	if (!yaml_parser_initialize(&l.parser))
		return err_set(err, ERR_IO, "%s: no memory", name);
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text,
				     len);
	rc = load(&l, err);
	/* keys whose value never came belong to nobody yet */
	for (size_t i = 0; i < l.depth; i++)
		yaml_node_free(l.key[i]);
	yaml_parser_delete(&l.parser);
	return rc;
}

int yaml_read(const char *path, struct yaml_file *out, struct err *err)
{
	struct str text = STR_INIT;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = file_read(path, YAML_MAX_BYTES, &text, err);
	if (!rc)
		rc = yaml_parse(text.p, text.len, path, out, err);
	str_release(&text);
	return rc;
}

void yaml_file_release(struct yaml_file *file)
{
	for (size_t i = 0; i < file->nr; i++)
		yaml_node_free(file->docs[i]);
	free(file->docs);
	free(file->name);
	memset(file, 0, sizeof(*file));
}
