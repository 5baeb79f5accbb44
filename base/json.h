/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON through jansson, with the two things every reader of outside JSON needs:
 * a limit on size and depth, and errors that name the key.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Parse one JSON document. @name stands in errors ("task.json"). Duplicate
 * keys and trailing text are errors. The result is owned by the caller
 * (json_decref). NULL with ERR_DATA on failure.
 */
json_t *json_parse(const char *text, size_t len, const char *name,
		   struct err *err);

/* Read and parse a file of at most @max_bytes. NULL on failure. */
json_t *json_read_file(const char *path, size_t max_bytes, struct err *err);

/* Compact text with sorted keys: equal values give equal bytes. */
void json_add_text(struct str *out, const json_t *value);
/* The same, indented by two, with a newline at the end, for files people read.
 */
void json_add_pretty(struct str *out, const json_t *value);

/*
 * json_add_pretty into a file, atomically. ERR_LIMIT when that takes over
 * @max_bytes, or the 64 MiB of a str: nothing is written then. ERR_IO.
 */
int json_write_file_max(const char *path, const json_t *value, size_t max_bytes,
			struct err *err);
int json_write_file(const char *path, const json_t *value, struct err *err);

/*
 * Members of an object. The required forms return ERR_DATA naming the key when
 * it is missing or of another type; results are borrowed from @obj.
 */
int json_need_str(const json_t *obj, const char *key, const char **out,
		  struct err *err);
int json_need_int(const json_t *obj, const char *key, long long *out,
		  struct err *err);
int json_need_num(const json_t *obj, const char *key, double *out,
		  struct err *err);
int json_need_array(const json_t *obj, const char *key, json_t **out,
		    struct err *err);
int json_need_object(const json_t *obj, const char *key, json_t **out,
		     struct err *err);

/* Optional members: the given value when missing or of another type. */
const char *json_opt_str(const json_t *obj, const char *key, const char * or);
long long json_opt_int(const json_t *obj, const char *key, long long or);
double json_opt_num(const json_t *obj, const char *key, double or);
bool json_opt_bool(const json_t *obj, const char *key, bool or);

/* JSON has no NaN and no infinity: null stands for them. New reference. */
json_t *json_real_or_null(double value);

/*
 * A string value out of bytes that may not be UTF-8: bad bytes become U+FFFD.
 * New reference.
 */
json_t *json_text(const char *bytes, size_t len);

#endif
