/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What on disk nothing needs any more: kernels and folders of attempts. */
#ifndef DB_DB_KEEP_H
#define DB_DB_KEEP_H

#include "db/db.h"

/*
 * Keys of at most @max built kernels that were last built or booted before
 * @before_s and that no unfinished job has a plan for: [{"key"}], new
 * reference; NULL on error. A key may stand for several artifacts.
 */
json_t *db_keep_idle_kernels(struct db *db, long long before_s, size_t max,
			     struct err *err);

/* The files of this key are gone: who wants such a kernel has it built. */
int db_keep_kernel_gone(struct db *db, const char *key, struct err *err);

/* Whether a worker builds at this moment. */
int db_keep_is_building(struct db *db, bool *out, struct err *err);

/*
 * At most @max attempts above @after_id that ended before @before_s, in order;
 * those of unfinished jobs are left out. [{"id"}], new reference; NULL on
 * error.
 */
json_t *db_keep_old_attempts(struct db *db, long long after_id,
			     long long before_s, size_t max, struct err *err);

#endif
