/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A struct described by a table of its fields: what settings, repositories and
 * boxes share. A row gives key, type, place in the struct, default, range and
 * words for people; reading text, YAML and JSON, checking and writing back are
 * done here once.
 */
#ifndef CONFIGS_FIELD_H
#define CONFIGS_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "configs/yaml.h"

/* What a field holds, and the C type at its offset. */
enum field_type {
	FIELD_STR,	/* char *, any text without control characters */
	FIELD_PATH,	/* char *, absolute or with ~/ or ./ in front, or "" */
	FIELD_WORD,	/* char *, one of @choices */
	FIELD_CHOICE,	/* enum (int) by position in @choices */
	FIELD_BOOL,	/* bool */
	FIELD_INT,	/* long long */
	FIELD_NUM,	/* double */
	FIELD_PERCENT,	/* double in percent, "5" or "5%" */
	FIELD_DURATION, /* double in seconds, "90", "90s", "5m", "1h", "2d" */
	FIELD_BYTES,	/* long long, "4096", "64KiB", "5G" (powers of 1024) */
	FIELD_LIST,	/* struct config_list */
};

/* @min, @max apply when one of them isn't 0. @choices: "a|b|c". */
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	const char *def;
	double min;
	double max;
	const char *choices;
	const char *help;
	const char *example; /* NULL: the default */
};

/* @what names a row in errors: "option", "key of a box". */
struct fields {
	const struct field *v;
	size_t nr;
	const char *what;
};

/* Set all fields of @base (uninitialised memory) to their defaults. */
void fields_init(const struct fields *t, void *base);
void fields_release(const struct fields *t, void *base);

/* Position of the row for @key, or -1. */
long fields_find(const struct fields *t, const char *key);

/* " (did you mean x?)" for an unknown key, or ""; for err_set's "%s". */
void fields_hint(const struct fields *t, const char *key, char out[128]);

/*
 * Set one field from text. @where stands in front of an error, e.g.
 * "x.yaml:3:9". ERR_CONFIG; the old value stays then.
 */
int field_set(const struct field *f, void *base, const char *text,
	      const char *where, struct err *err);

/* Set one field from a YAML value of @file: scalar, or list for lists. */
int field_set_node(const struct field *f, void *base,
		   const struct yaml_node *node, const char *file,
		   struct err *err);

/*
 * Reads a map whose nested maps are dotted keys (mail: {host: x} is
 * "mail.host"). @seen (may be NULL) is told of each row that was set. @other
 * (may be NULL) gets keys that no row has: 1 taken, 0 unknown, negative error.
 */
struct fields_reader {
	const struct fields *table;
	void *base;
	const char *file;
	void (*seen)(void *arg, size_t row);
	int (*other)(void *arg, const char *key, const struct yaml_node *node,
		     struct err *err);
	void *arg;
};

int fields_read(const struct fields_reader *r, const struct yaml_node *map,
		struct err *err);

/*
 * Write the fields of @base as YAML map lines, @indent blanks before each;
 * the first line's blanks are left out when @first is set (for "- "). @note
 * (may be NULL) gives a comment for a row.
 */
struct fields_writer {
	const struct fields *table;
	const void *base;
	int indent;
	const char *(*note)(void *arg, size_t row);
	void *arg;
};

void fields_write(const struct fields_writer *w, struct str *out);

/* The value as text that field_set reads back to the same value. */
void field_text(const struct field *f, const void *base, struct str *out);
/* The value as YAML: quoted where it is a string. */
void field_yaml(const struct field *f, const void *base, struct str *out);
/* The value as JSON; new reference. */
json_t *field_json(const struct field *f, const void *base);

/* One object with a member per row (dotted keys nested); new reference. */
json_t *fields_to_json(const struct fields *t, const void *base);
/* And back over the defaults. ERR_DATA for unknown keys and bad values. */
int fields_from_json(const struct fields *t, void *base, const json_t *json,
		     struct err *err);

/* Words for the reference page: "text", "duration", "a, b or c". */
void field_type_text(const struct field *f, struct str *out);

/* Append @text as a YAML double-quoted scalar. */
void field_quote(struct str *out, const char *text);

#endif
