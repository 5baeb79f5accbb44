// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Fields out of text and YAML: parse by type, check the range, say what was
 * expected. Writing them is in field_write.c.
 */
#include "configs/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "configs/options.h"

#define FIELD_MAX_TEXT_BYTES 4096
#define FIELD_MAX_LIST	     1000

/* A suffix and what it multiplies by. */
struct unit {
	const char *suffix;
	double factor;
};

static const struct unit time_units[] = {
	{ "ms", 1e-3 }, { "s", 1 },	 { "", 1 },
	{ "m", 60 },	{ "min", 60 },	 { "h", 3600 },
	{ "d", 86400 }, { "w", 604800 }, { NULL, 0 },
};

static const struct unit byte_units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", 1024 },
	{ "KiB", 1024 },
	{ "k", 1024 },
	{ "M", 1048576 },
	{ "MiB", 1048576 },
	{ "G", 1073741824 },
	{ "GiB", 1073741824 },
	{ "T", 1099511627776 },
	{ "TiB", 1099511627776 },
	{ NULL, 0 },
};

static const struct unit percent_units[] = { { "", 1 },
					     { "%", 1 },
					     { NULL, 0 } };

static void *at(const struct field *f, void *base)
{
	return (char *)base + f->offset;
}

/* "12.5unit" by a table of units; false on anything else. */
static bool with_unit(const char *text, const struct unit *units, double *out)
{
	size_t len = strspn(text, "0123456789.");
	char number[32];
	double value;

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (!str_to_double(number, &value))
		return false;
	for (const struct unit *u = units; u->suffix; u++)
		if (!strcmp(text + len, u->suffix)) {
			*out = value * u->factor;
			return true;
		}
	return false;
}

/* Control characters and bad UTF-8 could not be written back. */
static bool clean_text(const char *s)
{
	size_t len = strlen(s);

	if (len > FIELD_MAX_TEXT_BYTES || !str_is_utf8(s, len))
		return false;
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			return false;
		if (*p == 0xc2 && p[1] < 0xa0)
			return false;
		/* U+FEFF, U+FFFE, U+FFFF: no YAML characters */
		if (*p == 0xef && ((p[1] == 0xbb && p[2] == 0xbf) ||
				   (p[1] == 0xbf && p[2] >= 0xbe)))
			return false;
	}
	return true;
}

/* Position of @word in "a|b|c", or -1. */
static int choice_find(const char *choices, const char *word)
{
	size_t len = strlen(word);

	for (int i = 0; *choices; i++) {
		size_t n = strcspn(choices, "|");

		if (n == len && !strncmp(choices, word, n))
			return i;
		choices += n + (choices[n] == '|');
	}
	return -1;
}

static int bool_find(const char *word)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off",   "on",   "0",  "1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(word, words[i]))
			return (int)(i % 2);
	return -1;
}

static int expected(const struct field *f, const char *where, const char *text,
		    struct err *err)
{
	struct str type = STR_INIT;
	int rc;

	field_type_text(f, &type);
	rc = err_set(err, ERR_CONFIG, "%s: %s: \"%.80s\" is not %s", where,
		     f->key, text, type.p);
	str_release(&type);
	return rc;
}

static bool in_range(const struct field *f, double v)
{
	return (f->min == 0 && f->max == 0) || (v >= f->min && v <= f->max);
}

/* The types that are numbers: @out in the field's unit. */
static bool parse_number(const struct field *f, const char *text, double *out)
{
	long long whole;

	switch (f->type) {
	case FIELD_INT:
		if (!str_to_i64(text, &whole))
			return false;
		*out = (double)whole;
		return true;
	case FIELD_DURATION:
		return with_unit(text, time_units, out);
	case FIELD_BYTES:
		return with_unit(text, byte_units, out) && *out < 9e15;
	case FIELD_PERCENT:
		return with_unit(text, percent_units, out);
	default:
		return str_to_double(text, out);
	}
}

static int set_number(const struct field *f, void *base, const char *text,
		      const char *where, struct err *err)
{
	double v;

	if (!parse_number(f, text, &v))
		return expected(f, where, text, err);
	if (!in_range(f, v))
		return err_set(err, ERR_CONFIG,
			       "%s: %s: %.80s is outside %.15g to %.15g", where,
			       f->key, text, f->min, f->max);
	if (f->type == FIELD_INT || f->type == FIELD_BYTES)
		*(long long *)at(f, base) = llround(v);
	else
		*(double *)at(f, base) = v;
	return 0;
}

/* "a, b,c" as three items. */
static int set_list(const struct field *f, void *base, const char *text,
		    const char *where, struct err *err)
{
	struct config_list list = { 0 };

	if (!clean_text(text))
		return expected(f, where, text, err);
	while (*text) {
		size_t len;

		text += strspn(text, " ,");
		len = strcspn(text, ",");
		if (len && list.nr < FIELD_MAX_LIST) {
			size_t cut = len;

			while (cut && text[cut - 1] == ' ')
				cut--;
			config_list_add(&list, xstrndup(text, cut));
		}
		text += len;
	}
	config_list_release(at(f, base));
	*(struct config_list *)at(f, base) = list;
	return 0;
}

static int set_string(const struct field *f, void *base, const char *text,
		      const char *where, struct err *err)
{
	char **p = at(f, base);
	char *old = *p;

	if (!clean_text(text))
		return expected(f, where, text, err);
	if (f->type == FIELD_WORD && choice_find(f->choices, text) < 0)
		return expected(f, where, text, err);
	if (f->type == FIELD_PATH && *text && *text != '/' && *text != '.' &&
	    strncmp(text, "~/", 2) != 0)
		return expected(f, where, text, err);
	if (f->type == FIELD_PATH && !strncmp(text, "~/", 2) && getenv("HOME"))
		*p = xasprintf("%s%s", getenv("HOME"), text + 1);
	else
		*p = xstrdup(text);
	free(old);
	return 0;
}

int field_set(const struct field *f, void *base, const char *text,
	      const char *where, struct err *err)
{
	int i;

	switch (f->type) {
	case FIELD_STR:
	case FIELD_PATH:
	case FIELD_WORD:
		return set_string(f, base, text, where, err);
	case FIELD_LIST:
		return set_list(f, base, text, where, err);
	case FIELD_BOOL:
		i = bool_find(text);
		if (i < 0)
			return expected(f, where, text, err);
		*(bool *)at(f, base) = i;
		return 0;
	case FIELD_CHOICE:
		i = choice_find(f->choices, text);
		if (i < 0)
			return expected(f, where, text, err);
		*(int *)at(f, base) = i;
		return 0;
	default:
		return set_number(f, base, text, where, err);
	}
}

/* A YAML list: each item is taken as it is, commas too. */
static int set_list_node(const struct field *f, void *base,
			 const struct yaml_node *node, const char *file,
			 struct err *err)
{
	struct config_list list = { 0 };

	if (node->nr > FIELD_MAX_LIST)
		return err_set(err, ERR_LIMIT,
			       "%s:%d:%d: %s: more than %d "
			       "items",
			       file, node->line, node->col, f->key,
			       FIELD_MAX_LIST);
	for (size_t i = 0; i < node->nr; i++) {
		const struct yaml_node *n = node->items[i];

		if (n->kind != YAML_SCALAR || !clean_text(n->text)) {
			config_list_release(&list);
			return err_set(err, ERR_CONFIG,
				       "%s:%d:%d: %s: expected plain text in "
				       "the list",
				       file, n->line, n->col, f->key);
		}
		config_list_add(&list, xstrdup(n->text));
	}
	config_list_release(at(f, base));
	*(struct config_list *)at(f, base) = list;
	return 0;
}

int field_set_node(const struct field *f, void *base,
		   const struct yaml_node *node, const char *file,
		   struct err *err)
{
	char where[512];
	struct str s = STR_INIT;
	int rc;

	if (node->kind == YAML_SEQ && f->type == FIELD_LIST)
		return set_list_node(f, base, node, file, err);
	if (node->kind != YAML_SCALAR) {
		field_type_text(f, &s);
		rc = err_set(err, ERR_CONFIG,
			     "%s:%d:%d: %s: expected %s, not "
			     "a %s",
			     file, node->line, node->col, f->key, s.p,
			     node->kind == YAML_SEQ ? "list" : "map");
		str_release(&s);
		return rc;
	}
	s.max_bytes = sizeof(where) - 1;
	str_addf(&s, "%.400s:%d:%d", file, node->line, node->col);
	memcpy(where, s.p, s.len + 1);
	str_release(&s);
	/* an empty value means: as if the line were not there */
	if (yaml_is_null(node))
		return field_set(f, base, f->def, where, err);
	return field_set(f, base, node->text, where, err);
}
