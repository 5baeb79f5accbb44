/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows as JSON, for readers that show them (pages, exports): what a page prints
 * and what its .json says come from one object and so can't differ. The
 * queries by subject lie in view_<subject>.h; none of them writes.
 */
#ifndef DB_VIEW_H
#define DB_VIEW_H

#include "base/json.h"
#include "db/db.h"

#define VIEW_MAX_ROWS 1000000

/*
 * Run @q to its end and free it. @columns names its columns in order, each with
 * a letter for its type: "i id, t sha, r change_pct, b is_done, j evidence"
 * (integer, text, real, boolean, JSON text). SQL NULL becomes null; JSON text
 * that doesn't parse becomes null too. NULL @q is not allowed.
 * Returns an array of objects, new reference; NULL with what db_step says, or
 * ERR_LIMIT past VIEW_MAX_ROWS.
 */
json_t *view_rows(struct db_stmt *q, const char *columns, struct err *err);

/* The first row alone, new reference; NULL with ERR_NOTFOUND when none. */
json_t *view_row(struct db_stmt *q, const char *columns, struct err *err);

/*
 * Put @value (taken, also on failure) under @key of @obj. NULL passes on the
 * failure: returns -1 then, so that a chain of queries reads as a table.
 */
int view_put(json_t *obj, const char *key, json_t *value);

#endif
