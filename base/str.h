/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing byte string with a maximum. Every text in Drover that is put
 * together from parts goes through it, so that nothing grows without a limit.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define STR_MAX_DEFAULT_BYTES ((size_t)64 << 20)

/*
 * @p is always terminated once anything was added, and points to "" before.
 * Past @max_bytes additions are cut and @cut is set; nothing fails.
 */
struct str {
	char *p;
	size_t len;
	size_t alloc;
	size_t max_bytes;
	bool cut;
};

extern char str_empty[1];
#define STR_INIT                                              \
	{                                                     \
		str_empty, 0, 0, STR_MAX_DEFAULT_BYTES, false \
	}

void str_init(struct str *s);
void str_release(struct str *s);
/* Length 0, memory kept. */
void str_reset(struct str *s);
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const void *data, size_t len);
void str_addch(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void str_vaddf(struct str *s, const char *fmt, va_list ap);
/* The text as a string owned by the caller; @s is empty again. */
char *str_detach(struct str *s);
/* Drop white space at the end. */
void str_rtrim(struct str *s);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

/*
 * The whole of @s as a number; false on anything else (blanks, a sign for the
 * unsigned one, trailing text, overflow, NaN, infinity). @out untouched then.
 */
bool str_to_u64(const char *s, unsigned long long *out);
bool str_to_i64(const char *s, long long *out);
bool str_to_double(const char *s, double *out);

/*
 * The nearest of @nr candidates within edit distance max(2, len/3), or NULL.
 * For "did you mean …?". Borrowed from @words.
 */
const char *str_suggest(const char *word, const char *const *words, size_t nr);

/*
 * Append @text with control characters, ESC, marks that turn its direction and
 * bad UTF-8 replaced by '?' (newline and TAB too unless @keep_lines): safe to
 * print on a terminal.
 */
void str_add_term(struct str *s, const char *text, bool keep_lines);

/*
 * A probability in 0..1 as people may read it: "97.5%", and ">99.9%" or
 * "<0.1%" at the ends, since nothing measured is ever certain.
 */
void str_add_probability(struct str *s, double p);

/* Whether @len bytes are well-formed UTF-8 without NUL. */
bool str_is_utf8(const char *s, size_t len);

#endif
