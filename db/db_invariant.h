/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a box was like when first seen, and boots that were rejected for it. */
#ifndef DB_DB_INVARIANT_H
#define DB_DB_INVARIANT_H

#include "db/db.h"

/*
 * What a boot of a plan is held against: {"box_id", "box", "seen" {}, "before"
 * {}}: its box as it was, and the boot before of the same kernel on it,
 * rejected or not; null when there was none. New reference; ERR_NOTFOUND.
 */
json_t *db_invariants_of(struct db *db, long long plan_id, struct err *err);

/* What a box is held against from now on; {}: its next boot says. */
int db_invariants_set(struct db *db, long long box_id, const json_t *seen,
		      struct err *err);

/* The invariants of a box as they are held now. New reference. */
json_t *db_invariants_get(struct db *db, long long box_id, struct err *err);

/* Store that an attempt's boot was rejected: box, commit and layout are taken
 * from its plan. */
int db_boot_reject(struct db *db, long long attempt_id,
		   const json_t *invariants, const char *why, long long now_s,
		   struct err *err);

#endif
