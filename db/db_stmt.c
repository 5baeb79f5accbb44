// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared statements: a cache by SQL text, values bound in order, columns.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "db/db.h"
#include "db/db_private.h"

#define ROWS_MAX 100000

/*
 * @next the number of the next '?' to bind, from 1. @failed: the first error,
 * code 0 for none. @in_cache: the next free one in its chain.
 */
struct db_stmt {
	struct db *db;
	sqlite3_stmt *raw;
	char *sql;
	int next;
	struct err failed;
	struct db_stmt *in_cache;
};

static void destroy(struct db_stmt *q)
{
	sqlite3_finalize(q->raw);
	free(q->sql);
	free(q);
}

static struct db_stmt *prepare(struct db *db, const char *sql)
{
	struct db_stmt *q = xcalloc(1, sizeof(*q));
	const char *tail = "";
	int rc;

	q->db = db;
	q->sql = xstrdup(sql);
	rc = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
				&q->raw, &tail);
	if (rc)
		db_fail(db, rc, sql, &q->failed);
	else if (!q->raw || *tail)
		err_set(&q->failed, ERR_DATA, "not one SQL statement: %s", sql);
	return q;
}

/* The chain that @sql belongs to (FNV-1a). */
static struct db_stmt **chain_of(struct db *db, const char *sql)
{
	unsigned int h = 2166136261U;

	for (; *sql; sql++)
		h = (h ^ (unsigned char)*sql) * 16777619U;
	return &db->cache[h % DB_CACHE_CHAINS];
}

/* Where @sql hangs in its chain, or the chain's end. */
static struct db_stmt **find(struct db *db, const char *sql)
{
	struct db_stmt **at = chain_of(db, sql);

	while (*at && strcmp((*at)->sql, sql) != 0)
		at = &(*at)->in_cache;
	return at;
}

struct db_stmt *db_stmt(struct db *db, const char *sql)
{
	struct db_stmt **at = find(db, sql);
	struct db_stmt *q = *at;

	if (q)
		*at = q->in_cache;
	else
		q = prepare(db, sql);
	q->in_cache = NULL;
	q->next = 1;
	return q;
}

void db_stmt_free(struct db_stmt **qp)
{
	struct db_stmt *q = *qp;
	struct db_stmt **at;

	if (!q)
		return;
	*qp = NULL;
	at = find(q->db, q->sql);
	if (!q->raw || *at) {
		destroy(q);
		return;
	}
	sqlite3_reset(q->raw);
	sqlite3_clear_bindings(q->raw);
	q->failed.code = 0;
	*at = q;
}

void db_stmt_clear(struct db *db)
{
	size_t i;

	for (i = 0; i < DB_CACHE_CHAINS; i++) {
		while (db->cache[i]) {
			struct db_stmt *q = db->cache[i];

			db->cache[i] = q->in_cache;
			destroy(q);
		}
	}
}

/* Remember a failed bind; db_step returns it. */
static void bound(struct db_stmt *q, int rc)
{
	q->next++;
	if (rc && !q->failed.code)
		db_fail(q->db, rc, q->sql, &q->failed);
}

void db_bind_int(struct db_stmt *q, long long value)
{
	if (q->raw)
		bound(q, sqlite3_bind_int64(q->raw, q->next, value));
}

void db_bind_null(struct db_stmt *q)
{
	if (q->raw)
		bound(q, sqlite3_bind_null(q->raw, q->next));
}

void db_bind_id(struct db_stmt *q, long long id)
{
	if (id)
		db_bind_int(q, id);
	else
		db_bind_null(q);
}

void db_bind_real(struct db_stmt *q, double value)
{
	if (!isfinite(value) && !q->failed.code)
		err_set(&q->failed, ERR_DATA,
			"a number that isn't finite for the database: %s",
			q->sql);
	else if (q->raw)
		bound(q, sqlite3_bind_double(q->raw, q->next, value));
}

void db_bind_text(struct db_stmt *q, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	json_t *good;

	if (!text) {
		db_bind_null(q);
		return;
	}
	if (!q->raw)
		return;
	if (str_is_utf8(text, len)) {
		bound(q, sqlite3_bind_text64(q->raw, q->next, text, len,
					     SQLITE_TRANSIENT, SQLITE_UTF8));
		return;
	}
	good = json_text(text, len);
	bound(q, sqlite3_bind_text64(q->raw, q->next, json_string_value(good),
				     json_string_length(good), SQLITE_TRANSIENT,
				     SQLITE_UTF8));
	json_decref(good);
}

void db_bind_json(struct db_stmt *q, const json_t *value)
{
	struct str text = STR_INIT;

	if (value)
		json_add_text(&text, value);
	db_bind_text(q, value ? text.p : NULL);
	str_release(&text);
}

int db_step(struct db_stmt *q, struct err *err)
{
	int rc;

	if (q->failed.code) {
		if (err)
			*err = q->failed;
		return q->failed.code;
	}
	if (q->next - 1 != sqlite3_bind_parameter_count(q->raw))
		return err_set(err, ERR_DATA, "%d values bound of %d: %s",
			       q->next - 1,
			       sqlite3_bind_parameter_count(q->raw), q->sql);
	rc = sqlite3_step(q->raw);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return db_fail(q->db, rc, q->sql, err);
}

int db_run(struct db_stmt *q, struct err *err)
{
	int rc = db_step(q, err);

	if (rc > 0)
		rc = err_set(err, ERR_DATA, "rows where none were expected: %s",
			     q->sql);
	db_stmt_free(&q);
	return rc;
}

int db_insert(struct db_stmt *q, long long *out_id, struct err *err)
{
	struct db *db = q->db;
	int rc = db_run(q, err);

	if (!rc && out_id)
		*out_id = sqlite3_last_insert_rowid(db->handle);
	return rc;
}

int db_get_int(struct db_stmt *q, long long *out, struct err *err)
{
	int rc = db_step(q, err);

	if (rc > 0)
		*out = db_col_int(q, 0);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND, "no such row");
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_get_text(struct db_stmt *q, char **out, struct err *err)
{
	int rc = db_step(q, err);

	if (rc > 0)
		*out = db_col_dup(q, 0);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND, "no such row");
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

long long db_col_int(const struct db_stmt *q, int col)
{
	return sqlite3_column_int64(q->raw, col);
}

double db_col_real(const struct db_stmt *q, int col)
{
	return sqlite3_column_double(q->raw, col);
}

const char *db_col_text(const struct db_stmt *q, int col)
{
	const unsigned char *text = sqlite3_column_text(q->raw, col);

	return text ? (const char *)text : "";
}

bool db_col_null(const struct db_stmt *q, int col)
{
	return sqlite3_column_type(q->raw, col) == SQLITE_NULL;
}

char *db_col_dup(const struct db_stmt *q, int col)
{
	return xstrdup(db_col_text(q, col));
}

json_t *db_col_json(const struct db_stmt *q, int col)
{
	const char *text = db_col_text(q, col);

	return *text ? json_parse(text, strlen(text), "column", NULL) : NULL;
}

static bool is_json_name(const char *name, size_t len)
{
	return len > 5 && !strcmp(name + len - 5, "_json");
}

static json_t *column(const struct db_stmt *q, int col, bool is_json)
{
	json_t *v = NULL;

	switch (sqlite3_column_type(q->raw, col)) {
	case SQLITE_INTEGER:
		return json_integer(db_col_int(q, col));
	case SQLITE_FLOAT:
		return json_real(db_col_real(q, col));
	case SQLITE_NULL:
		return json_null();
	default:
		if (is_json)
			v = db_col_json(q, col);
		return v ? v : json_string(db_col_text(q, col));
	}
}

static json_t *row_object(const struct db_stmt *q)
{
	json_t *row = json_object();
	int nr = sqlite3_column_count(q->raw);
	int i;

	for (i = 0; i < nr; i++) {
		const char *name = sqlite3_column_name(q->raw, i);
		size_t len = strlen(name);
		bool is_json = is_json_name(name, len);

		json_object_setn_new(row, name, is_json ? len - 5 : len,
				     column(q, i, is_json));
	}
	return row;
}

json_t *db_rows(struct db_stmt *q, struct err *err)
{
	json_t *rows = json_array();
	int rc;

	while ((rc = db_step(q, err)) > 0) {
		if (json_array_size(rows) >= ROWS_MAX) {
			rc = err_set(err, ERR_LIMIT, "more than %d rows: %s",
				     ROWS_MAX, q->sql);
			break;
		}
		json_array_append_new(rows, row_object(q));
	}
	db_stmt_free(&q);
	if (rc < 0) {
		json_decref(rows);
		return NULL;
	}
	return rows;
}

json_t *db_row(struct db_stmt *q, struct err *err)
{
	json_t *row = NULL;
	int rc = db_step(q, err);

	if (rc > 0)
		row = row_object(q);
	else if (!rc)
		err_set(err, ERR_NOTFOUND, "no such row");
	db_stmt_free(&q);
	return row;
}
