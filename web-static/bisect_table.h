/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drawing and the tables of a bisection's page. Pure. */
#ifndef WEB_STATIC_BISECT_TABLE_H
#define WEB_STATIC_BISECT_TABLE_H

#include "base/json.h"
#include "base/str.h"

/* The first commit that the verdict names, "" when it names none. Borrowed. */
const char *bisect_first_commit(const json_t *b);

/* A bar per candidate; @b: the bisection, @list: bisect_describe.h's
 * "candidates". */
void bisect_add_bars(struct str *out, const json_t *b, const json_t *list);

/* The candidates that were tested or are at all likely, and a word on the
 * others. */
void bisect_add_candidates(struct str *out, const json_t *b,
			   const json_t *list);

/* Rows of @told's "log": all (@phase NULL) or those of one phase. */
void bisect_add_log_table(struct str *out, const json_t *told,
			  const char *phase, const char *caption);

#endif
