/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One error convention for the whole house: a function returns 0 or a negative
 * enum err_code, and its last parameter takes a sentence for a human.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * What kind of thing went wrong. The kind decides what the caller does (retry,
 * refuse, give up) and the exit code of a command; the sentence is for people.
 */
enum err_code {
	ERR_USAGE = -1,	   /* the command line or request is wrong */
	ERR_CONFIG = -2,   /* a configuration or job file is wrong */
	ERR_DATA = -3,	   /* outside data that makes no sense */
	ERR_RANGE = -4,	   /* a value outside its documented range */
	ERR_NOTFOUND = -5, /* no such commit, box, job, file */
	ERR_DENIED = -6,   /* not allowed */
	ERR_IO = -7,	   /* the local machine failed: disk, pipe, fork */
	ERR_INFRA = -8,	  /* a box or server failed; says nothing of a kernel */
	ERR_TIMEOUT = -9, /* a deadline passed */
	ERR_EXISTS = -10, /* there already */
	ERR_LIMIT = -11,  /* larger than we accept */
	ERR_BUSY = -12,	  /* held by someone else right now */
	ERR_BUILD = -13,  /* the kernel under test doesn't build */
	ERR_BOOT = -14,	  /* the kernel under test doesn't boot */
	ERR_BENCH = -15,  /* the benchmark failed on a healthy box */
};

/* @code is 0 until something failed; @text is one line, always terminated. */
struct err {
	int code;
	char text[1024];
};

/*
 * Say what failed: returns @code, so that `return err_set(err, …)` is the
 * usual form. Control characters that the arguments bring along are replaced by
 * '?', since the sentence ends up on terminals. @err may be NULL.
 */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, with ": <strerror(errno)>" behind the sentence. */
int err_errno(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Put context in front of a sentence that is there: "box spr-01: …".
 * Returns the code that @err holds. @err must hold an error.
 */
int err_wrap(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Keep the sentence of @err (may be NULL), change the kind. Returns @code.
 */
int err_recode(struct err *err, int code);

/*
 * Process exit code for an error: 2 usage/config/data/range, 3 not found,
 * 4 not allowed, 5 infrastructure and local failures, 124 timeout; 0 for 0.
 */
int err_exit_code(int code);

/* Stable lower-case word for a code ("infra", "timeout", …), for JSON. */
const char *err_code_to_str(int code);

/* The code of a word, or ERR_DATA for an unknown one. */
int err_code_from_str(const char *word);

#endif
