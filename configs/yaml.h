/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML as a plain tree that remembers where each value stood, read with limits:
 * the only file that sees libyaml. Its event interface is used since its tree
 * loader takes 46 s for 100 kB of '['. No aliases, anchors or tags; duplicate
 * keys are errors (but "<<", which job files repeat to include several files).
 */
#ifndef CONFIGS_YAML_H
#define CONFIGS_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define YAML_MAX_BYTES	((size_t)256 << 10)
#define YAML_MAX_EVENTS 10000
#define YAML_MAX_DEPTH	32
#define YAML_MAX_DOCS	256

enum yaml_kind { YAML_SCALAR, YAML_SEQ, YAML_MAP };

/*
 * One value. @file is the name of its yaml_file, borrowed from it (NULL for
 * nodes made by hand); @line and @col count from 1. Scalar: @text is UTF-8
 * without NUL bytes ("" for nothing), @quoted tells "null" from null. Sequence
 * and map:
 * @nr values in file order in @items; a map has its keys in @keys.
 */
struct yaml_node {
	enum yaml_kind kind;
	const char *file;
	int line;
	int col;
	bool quoted;
	char *text;
	struct yaml_node **items;
	struct yaml_node **keys;
	size_t nr;
	size_t alloc;
};

/* The documents of one file; @name is what errors call it. */
struct yaml_file {
	char *name;
	struct yaml_node **docs;
	size_t nr;
	size_t alloc;
};

/*
 * Parse @len bytes of text. An empty text has no documents; an empty document
 * is a null scalar. @out is initialised here and owned by the caller
 * (yaml_file_release), also after an error.
 * Returns 0; ERR_CONFIG with "name:line:col: …"; ERR_LIMIT past a limit.
 */
int yaml_parse(const char *text, size_t len, const char *name,
	       struct yaml_file *out, struct err *err);

/* Read and parse a file. Also ERR_NOTFOUND, ERR_IO. */
int yaml_read(const char *path, struct yaml_file *out, struct err *err);

void yaml_file_release(struct yaml_file *file);

/* A node of the heap; yaml_node_free frees the whole tree, NULL is fine. */
struct yaml_node *yaml_node_new(enum yaml_kind kind, int line, int col);
void yaml_node_free(struct yaml_node *node);
struct yaml_node *yaml_node_copy(const struct yaml_node *node);

/* Append to a sequence or map; takes @key and @value. @key NULL: sequence. */
void yaml_node_add(struct yaml_node *to, struct yaml_node *key,
		   struct yaml_node *value);

/* Put @value under @key, in the place of one that is there; takes both. */
void yaml_map_set(struct yaml_node *map, struct yaml_node *key,
		  struct yaml_node *value);

/* The value under @key, borrowed; NULL when @map is no map or has none. */
struct yaml_node *yaml_map_get(const struct yaml_node *map, const char *key);

/* Unquoted "", "~" or "null" in any of its YAML spellings. */
bool yaml_is_null(const struct yaml_node *node);

/*
 * An unquoted YAML 1.1 boolean (true, yes, on, false, no, off): 1 and *@out
 * set, else 0.
 */
bool yaml_is_bool(const struct yaml_node *node, bool *out);

#endif
