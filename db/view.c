// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/view.h"

#include <string.h>

#define MAX_COLUMNS   32
#define MAX_KEY_BYTES 32

struct column {
	char type;
	char key[MAX_KEY_BYTES];
};

static size_t columns_parse(const char *text, struct column *cols)
{
	size_t nr = 0;
	size_t len;

	while (*text && nr < MAX_COLUMNS) {
		cols[nr].type = *text;
		text += 2;
		len = strcspn(text, ",");
		if (len >= MAX_KEY_BYTES)
			len = MAX_KEY_BYTES - 1;
		memcpy(cols[nr].key, text, len);
		cols[nr].key[len] = '\0';
		text += strcspn(text, ",");
		text += strspn(text, ", ");
		nr++;
	}
	return nr;
}

static json_t *value_of(const struct db_stmt *q, int i, char type)
{
	const char *text;
	json_t *v = NULL;

	if (db_col_null(q, i))
		return json_null();
	switch (type) {
	case 'i':
		return json_integer(db_col_int(q, i));
	case 'b':
		return json_boolean(db_col_int(q, i));
	case 'r':
		/* NULL for what JSON has no number for */
		v = json_real(db_col_real(q, i));
		break;
	case 'j':
		v = db_col_json(q, i);
		break;
	default:
		text = db_col_text(q, i);
		v = json_text(text, strlen(text));
		break;
	}
	return v ? v : json_null();
}

static json_t *object_of(const struct db_stmt *q, const struct column *cols,
			 size_t nr)
{
	json_t *row = json_object();

	for (size_t i = 0; i < nr; i++)
		json_object_set_new(row, cols[i].key,
				    value_of(q, (int)i, cols[i].type));
	return row;
}

json_t *view_rows(struct db_stmt *q, const char *columns, struct err *err)
{
	struct column cols[MAX_COLUMNS];
	size_t nr = columns_parse(columns, cols);
	json_t *rows = json_array();
	int rc;

	while ((rc = db_step(q, err)) > 0) {
		if (json_array_size(rows) >= VIEW_MAX_ROWS) {
			rc = err_set(err, ERR_LIMIT,
				     "more than %d rows to show",
				     VIEW_MAX_ROWS);
			break;
		}
		json_array_append_new(rows, object_of(q, cols, nr));
	}
	db_stmt_free(&q);
	if (rc < 0) {
		json_decref(rows);
		return NULL;
	}
	return rows;
}

json_t *view_row(struct db_stmt *q, const char *columns, struct err *err)
{
	struct column cols[MAX_COLUMNS];
	size_t nr = columns_parse(columns, cols);
	json_t *row = NULL;
	int rc = db_step(q, err);

	if (rc > 0)
		row = object_of(q, cols, nr);
	else if (!rc)
		err_set(err, ERR_NOTFOUND, "no such row");
	db_stmt_free(&q);
	return row;
}

int view_put(json_t *obj, const char *key, json_t *value)
{
	if (!value)
		return -1;
	return json_object_set_new(obj, key, value);
}
