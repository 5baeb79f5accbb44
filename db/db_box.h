/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes of the lab, and the tries of workers at builds and boots. */
#ifndef DB_DB_BOX_H
#define DB_DB_BOX_H

#include "db/db.h"

/* A row of box; strings and @spec owned (db_box_release). */
struct db_box {
	long long id;
	long long infra_failures;
	char *name;
	char *tbox_group;
	char *tags; /* separated by blanks */
	char *state;
	char *why;
	json_t *spec;
};

void db_box_release(struct db_box *box);
/*
 * Insert a ready box, or update group, tags and spec of the one of that name,
 * whose state stays.
 */
int db_box_put(struct db *db, const struct db_box *box, long long *out_id,
	       struct err *err);
int db_box_get(struct db *db, long long id, struct db_box *out,
	       struct err *err);
/* ERR_NOTFOUND with the names there are. */
int db_box_find(struct db *db, const char *name, struct db_box *out,
		struct err *err);
int db_box_set_state(struct db *db, long long id, const char *state,
		     const char *why, struct err *err);
/* Hardware as the box says of itself. */
int db_box_set_hw(struct db *db, long long id, const json_t *hw,
		  struct err *err);
/* Failures in a row: one more, or none again. */
int db_box_infra(struct db *db, long long id, bool failed, struct err *err);

/* Ids of boxes, e.g. what a job is spread over. Owned: free @v. */
struct db_ids {
	long long *v;
	size_t nr;
	size_t alloc;
};

/*
 * Ready boxes by name: one whose name is @name; or those with the tag @tag; or,
 * both NULL, those of the tbox_group that has most ready boxes. Always of one
 * tbox_group, the least busy first. ERR_NOTFOUND says what there is.
 */
int db_box_choose(struct db *db, const char *name, const char *tag,
		  struct db_ids *out, struct err *err);
/* All ready boxes that no leased attempt holds. */
int db_box_free(struct db *db, struct db_ids *out, struct err *err);

/* A row of attempt; strings owned. @artifact_id (build) or @plan_id, @box_id
 * (run), else 0. */
struct db_attempt {
	long long id;
	long long artifact_id;
	long long plan_id;
	long long box_id;
	long long started_s;
	long long ended_s;
	char *kind; /* build, run */
	char *folder;
	char *token;
	char *state;
	char *failure;
	char *why;
};

void db_attempt_release(struct db_attempt *a);
/* Insert a leased one; its folder is @folder_of "/<id>-<token[0:8]>". */
int db_attempt_add(struct db *db, const struct db_attempt *a,
		   const char *folder_of, long long *out_id, struct err *err);
int db_attempt_get(struct db *db, long long id, struct db_attempt *out,
		   struct err *err);
/* End a leased attempt now. ERR_EXISTS when it has ended already. */
int db_attempt_end(struct db *db, long long id, const char *state,
		   const char *failure, const char *why, struct err *err);
/* All leased attempts, oldest first. */
int db_attempt_leased(struct db *db, struct db_ids *out, struct err *err);
/*
 * Median seconds of the last 50 done attempts of @kind ("build" or "run"), a
 * run's on @box_id when that is not 0; 0 when there are none.
 */
int db_attempt_median_s(struct db *db, const char *kind, long long box_id,
			double *out, struct err *err);

#endif
