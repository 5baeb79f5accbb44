// SPDX-License-Identifier: GPL-3.0-or-later
// JSON reading with limits and key-naming errors, writing with stable bytes.
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FILE_MODE 0640

json_t *json_parse(const char *text, size_t len, const char *name,
		   struct err *err)
{
	json_error_t e;
	json_t *v;

	v = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	if (!v)
		err_set(err, ERR_DATA, "%s:%d:%d: not valid JSON: %s", name,
			e.line, e.column, e.text);
	return v;
}

json_t *json_read_file(const char *path, size_t max_bytes, struct err *err)
{
	struct str text = STR_INIT;
	json_t *v = NULL;

	if (!file_read(path, max_bytes, &text, err))
		v = json_parse(text.p, text.len, path, err);
	str_release(&text);
	return v;
}

static int add_bytes(const char *buf, size_t len, void *out)
{
	str_addn(out, buf, len);
	return 0;
}

void json_add_text(struct str *out, const json_t *value)
{
	json_dump_callback(value, add_bytes, out,
			   JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

void json_add_pretty(struct str *out, const json_t *value)
{
	json_dump_callback(value, add_bytes, out,
			   JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	str_addch(out, '\n');
}

int json_write_file_max(const char *path, const json_t *value, size_t max_bytes,
			struct err *err)
{
	struct str text = STR_INIT;
	int rc;

	text.max_bytes = max_bytes;
	json_add_pretty(&text, value);
	if (text.cut)
		rc = err_set(err, ERR_LIMIT, "%s: larger than %zu bytes", path,
			     max_bytes);
	else
		rc = file_write_atomic(path, text.p, text.len, FILE_MODE, err);
	str_release(&text);
	return rc;
}

int json_write_file(const char *path, const json_t *value, struct err *err)
{
	return json_write_file_max(path, value, STR_MAX_DEFAULT_BYTES, err);
}

/* The member @key when @is says its type fits. */
static json_t *member(const json_t *obj, const char *key, bool fits,
		      const char *type, struct err *err)
{
	json_t *v = json_object_get(obj, key);

	if (v && fits)
		return v;
	err_set(err, ERR_DATA,
		v ? "\"%s\" is not %s" : "\"%s\" (%s) is missing", key, type);
	return NULL;
}

int json_need_str(const json_t *obj, const char *key, const char **out,
		  struct err *err)
{
	json_t *v = member(obj, key, json_is_string(json_object_get(obj, key)),
			   "a string", err);

	if (!v)
		return ERR_DATA;
	*out = json_string_value(v);
	return 0;
}

int json_need_int(const json_t *obj, const char *key, long long *out,
		  struct err *err)
{
	json_t *v = member(obj, key, json_is_integer(json_object_get(obj, key)),
			   "an integer", err);

	if (!v)
		return ERR_DATA;
	*out = json_integer_value(v);
	return 0;
}

int json_need_num(const json_t *obj, const char *key, double *out,
		  struct err *err)
{
	json_t *v = member(obj, key, json_is_number(json_object_get(obj, key)),
			   "a number", err);

	if (!v)
		return ERR_DATA;
	*out = json_number_value(v);
	return 0;
}

int json_need_array(const json_t *obj, const char *key, json_t **out,
		    struct err *err)
{
	json_t *v = member(obj, key, json_is_array(json_object_get(obj, key)),
			   "an array", err);

	if (!v)
		return ERR_DATA;
	*out = v;
	return 0;
}

int json_need_object(const json_t *obj, const char *key, json_t **out,
		     struct err *err)
{
	json_t *v = member(obj, key, json_is_object(json_object_get(obj, key)),
			   "an object", err);

	if (!v)
		return ERR_DATA;
	*out = v;
	return 0;
}

const char *json_opt_str(const json_t *obj, const char *key, const char * or)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_string(v) ? json_string_value(v) : or ;
}

long long json_opt_int(const json_t *obj, const char *key, long long or)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) ? json_integer_value(v) : or ;
}

double json_opt_num(const json_t *obj, const char *key, double or)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_number(v) ? json_number_value(v) : or ;
}

bool json_opt_bool(const json_t *obj, const char *key, bool or)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : or ;
}

json_t *json_real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *bytes, size_t len)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct str good = STR_INIT;
	json_t *v;
	size_t i = 0;

	if (str_is_utf8(bytes, len))
		return json_stringn(bytes, len);
	while (i < len) {
		size_t n = 4;

		while (n && (i + n > len || !str_is_utf8(bytes + i, n)))
			n--;
		if (n)
			str_addn(&good, bytes + i, n);
		else
			str_add(&good, replacement);
		i += n ? n : 1;
	}
	v = json_stringn(good.p, good.len);
	str_release(&good);
	return v;
}
