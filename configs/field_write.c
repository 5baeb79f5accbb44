// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Fields as text, YAML and JSON. What is written here, field.c reads back to
 * the same value: durations keep their seconds, bytes their exact number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "configs/field.h"
#include "configs/options.h"

static const void *at(const struct field *f, const void *base)
{
	return (const char *)base + f->offset;
}

static const char *choice_name(const char *choices, int i, size_t *out_len)
{
	while (i-- > 0)
		choices += strcspn(choices, "|") + 1;
	*out_len = strcspn(choices, "|");
	return choices;
}

/* The largest unit that leaves a whole number. */
static void text_duration(double s, struct str *out)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "m", 60 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (s > 0 && fmod(s, units[i].factor) == 0) {
			str_addf(out, "%.15g%s", s / units[i].factor,
				 units[i].suffix);
			return;
		}
	str_addf(out, "%.15gs", s);
}

static void text_bytes(long long n, struct str *out)
{
	static const char *const suffixes[] = { "", "KiB", "MiB", "GiB",
						"TiB" };
	size_t i = 0;

	while (n && n % 1024 == 0 && i + 1 < ARRAY_SIZE(suffixes)) {
		n /= 1024;
		i++;
	}
	str_addf(out, "%lld%s", n, suffixes[i]);
}

static void text_list(const struct config_list *list, struct str *out)
{
	for (size_t i = 0; i < list->nr; i++)
		str_addf(out, "%s%s", i ? ", " : "", list->v[i]);
}

void field_text(const struct field *f, const void *base, struct str *out)
{
	const void *p = at(f, base);
	const char *word;
	size_t len;

	switch (f->type) {
	case FIELD_STR:
	case FIELD_PATH:
	case FIELD_WORD:
		str_add(out, *(char *const *)p);
		break;
	case FIELD_CHOICE:
		word = choice_name(f->choices, *(const int *)p, &len);
		str_addn(out, word, len);
		break;
	case FIELD_BOOL:
		str_add(out, *(const bool *)p ? "true" : "false");
		break;
	case FIELD_INT:
		str_addf(out, "%lld", *(const long long *)p);
		break;
	case FIELD_BYTES:
		text_bytes(*(const long long *)p, out);
		break;
	case FIELD_DURATION:
		text_duration(*(const double *)p, out);
		break;
	case FIELD_LIST:
		text_list(p, out);
		break;
	default:
		str_addf(out, "%.15g", *(const double *)p);
	}
}

void field_quote(struct str *out, const char *text)
{
	str_addch(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			str_addch(out, '\\');
		str_addch(out, *text);
	}
	str_addch(out, '"');
}

void field_yaml(const struct field *f, const void *base, struct str *out)
{
	if (f->type == FIELD_LIST) {
		const struct config_list *list = at(f, base);

		str_addch(out, '[');
		for (size_t i = 0; i < list->nr; i++) {
			str_add(out, i ? ", " : "");
			field_quote(out, list->v[i]);
		}
		str_addch(out, ']');
	} else if (f->type == FIELD_STR || f->type == FIELD_PATH) {
		field_quote(out, *(char *const *)at(f, base));
	} else if (f->type == FIELD_WORD || f->type == FIELD_CHOICE) {
		struct str s = STR_INIT;

		/* "null" and "none" are words here, not YAML's nothing */
		field_text(f, base, &s);
		field_quote(out, s.p);
		str_release(&s);
	} else {
		field_text(f, base, out);
	}
}

json_t *field_json(const struct field *f, const void *base)
{
	const void *p = at(f, base);
	const struct config_list *list;
	struct str s = STR_INIT;
	json_t *j;

	switch (f->type) {
	case FIELD_BOOL:
		return json_boolean(*(const bool *)p);
	case FIELD_INT:
	case FIELD_BYTES:
		return json_integer(*(const long long *)p);
	case FIELD_NUM:
	case FIELD_PERCENT:
	case FIELD_DURATION:
		return json_real(*(const double *)p);
	case FIELD_LIST:
		list = p;
		j = json_array();
		for (size_t i = 0; i < list->nr; i++)
			json_array_append_new(
				j, json_text(list->v[i], strlen(list->v[i])));
		return j;
	default:
		field_text(f, base, &s);
		j = json_text(s.p, s.len);
		str_release(&s);
		return j;
	}
}

/* "mail." in front of "mail.host", nothing before "socket". */
static size_t group_len(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? (size_t)(dot - key) : 0;
}

void fields_write(const struct fields_writer *w, struct str *out)
{
	const char *group = "";
	size_t glen = 0;

	for (size_t i = 0; i < w->table->nr; i++) {
		const struct field *f = &w->table->v[i];
		size_t len = group_len(f->key);
		const char *note = w->note ? w->note(w->arg, i) : NULL;

		if (len && (len != glen || strncmp(group, f->key, len) != 0))
			str_addf(out, "%*s%.*s:\n", w->indent, "", (int)len,
				 f->key);
		group = f->key;
		glen = len;
		str_addf(out, "%*s%s: ", w->indent + (len ? 2 : 0), "",
			 f->key + (len ? len + 1 : 0));
		field_yaml(f, w->base, out);
		if (note)
			str_addf(out, " # %s", note);
		str_addch(out, '\n');
	}
}

/* The member object of @root for a dotted key, made when it is missing. */
static json_t *group_of(json_t *root, const char *key, size_t len)
{
	char *group;
	json_t *to;

	if (!len)
		return root;
	group = xstrndup(key, len);
	to = json_object_get(root, group);
	if (!to) {
		to = json_object();
		json_object_set_new(root, group, to);
	}
	free(group);
	return to;
}

json_t *fields_to_json(const struct fields *t, const void *base)
{
	json_t *root = json_object();

	for (size_t i = 0; i < t->nr; i++) {
		const struct field *f = &t->v[i];
		size_t len = group_len(f->key);

		json_object_set_new(group_of(root, f->key, len),
				    f->key + (len ? len + 1 : 0),
				    field_json(f, base));
	}
	return root;
}

/* A JSON value as the YAML node that would mean the same. */
static struct yaml_node *node_of(const json_t *json)
{
	struct yaml_node *n;
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_object(json)) {
		n = yaml_node_new(YAML_MAP, 0, 0);
		json_object_foreach((json_t *)json, key, v)
		{
			struct yaml_node *k = yaml_node_new(YAML_SCALAR, 0, 0);

			k->text = xstrdup(key);
			yaml_node_add(n, k, node_of(v));
		}
		return n;
	}
	if (json_is_array(json)) {
		n = yaml_node_new(YAML_SEQ, 0, 0);
		json_array_foreach(json, i, v)
			yaml_node_add(n, NULL, node_of(v));
		return n;
	}
	n = yaml_node_new(YAML_SCALAR, 0, 0);
	n->quoted = json_is_string(json);
	if (json_is_string(json))
		n->text = xstrdup(json_string_value(json));
	else if (json_is_integer(json))
		n->text =
			xasprintf("%lld", (long long)json_integer_value(json));
	else if (json_is_real(json))
		n->text = xasprintf("%.17g", json_real_value(json));
	else if (json_is_boolean(json))
		n->text = xstrdup(json_is_true(json) ? "true" : "false");
	else
		n->text = xstrdup("null");
	return n;
}

int fields_from_json(const struct fields *t, void *base, const json_t *json,
		     struct err *err)
{
	struct fields_reader r = { .table = t, .base = base, .file = t->what };
	struct yaml_node *n;
	int rc;

	if (!json_is_object(json))
		return err_set(err, ERR_DATA, "%s: expected an object",
			       t->what);
	n = node_of(json);
	rc = fields_read(&r, n, err);
	yaml_node_free(n);
	if (rc && err) {
		err->code = ERR_DATA;
		return ERR_DATA;
	}
	return rc ? ERR_DATA : 0;
}

void field_type_text(const struct field *f, struct str *out)
{
	static const char *const words[] = {
		[FIELD_STR] = "text without control characters",
		[FIELD_PATH] = "a path (/…, ./… or ~/…)",
		[FIELD_BOOL] = "true or false",
		[FIELD_INT] = "a whole number",
		[FIELD_NUM] = "a number",
		[FIELD_PERCENT] = "a percentage",
		[FIELD_DURATION] = "a duration (90s, 5m, 2h, 1d)",
		[FIELD_BYTES] = "a size (4096, 64KiB, 5GiB)",
		[FIELD_LIST] = "a list of texts",
	};
	const char *p = f->choices;

	if (f->type != FIELD_WORD && f->type != FIELD_CHOICE) {
		str_add(out, words[f->type]);
		return;
	}
	while (*p) {
		size_t n = strcspn(p, "|");

		str_addn(out, p, n);
		p += n + (p[n] == '|');
		if (*p)
			str_add(out, strchr(p, '|') ? ", " : " or ");
	}
}
