// SPDX-License-Identifier: GPL-3.0-or-later
// Growing byte string with a maximum, and the small text questions around it.
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char str_empty[1];

void str_init(struct str *s)
{
	*s = (struct str)STR_INIT;
}

void str_release(struct str *s)
{
	if (s->alloc)
		free(s->p);
	str_init(s);
}

void str_reset(struct str *s)
{
	s->len = 0;
	s->cut = false;
	if (s->alloc)
		s->p[0] = '\0';
}

static void grow_to(struct str *s, size_t need)
{
	if (!s->alloc)
		s->p = NULL;
	VEC_GROW(s->p, need, s->alloc);
}

void str_addn(struct str *s, const void *data, size_t len)
{
	if (len > s->max_bytes - s->len) {
		len = s->max_bytes - s->len;
		s->cut = true;
	}
	if (!len)
		return;
	if (s->len + len + 1 > s->alloc)
		grow_to(s, s->len + len + 1);
	memcpy(s->p + s->len, data, len);
	s->len += len;
	s->p[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addch(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	char small[512];
	char *big = NULL;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		str_addn(s, small, (size_t)n);
	} else if (n >= 0 && vasprintf(&big, fmt, again) >= 0) {
		str_addn(s, big, (size_t)n);
		free(big);
	} else {
		abort();
	}
	va_end(again);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

char *str_detach(struct str *s)
{
	char *p = s->alloc ? s->p : xstrdup("");

	str_init(s);
	return p;
}

void str_rtrim(struct str *s)
{
	while (s->len && strchr(" \t\r\n", s->p[s->len - 1]))
		s->p[--s->len] = '\0';
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t a = strlen(s);
	size_t b = strlen(suffix);

	return a >= b && !strcmp(s + a - b, suffix);
}

bool str_to_u64(const char *s, unsigned long long *out)
{
	unsigned long long v;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool str_to_i64(const char *s, long long *out)
{
	const char *digits = *s == '-' ? s + 1 : s;
	long long v;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool str_to_double(const char *s, double *out)
{
	double v;
	char *end;

	if (!strchr("+-.0123456789", *s) || !*s)
		return false;
	errno = 0;
	v = strtod(s, &end);
	if (*end || !isfinite(v) || strpbrk(s, "xXnN"))
		return false;
	*out = v;
	return true;
}

/* Levenshtein distance with one row; words are short. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[65];
	size_t la = strlen(a);
	size_t lb = strlen(b);
	size_t i;
	size_t j;

	if (la > 64 || lb > 64)
		return SIZE_MAX;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (j = 1; j <= lb; j++) {
			size_t up = row[j];
			size_t best = diag + (a[i - 1] != b[j - 1]);

			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diag = up;
		}
	}
	return row[lb];
}

const char *str_suggest(const char *word, const char *const *words, size_t nr)
{
	size_t limit = strlen(word) / 3 > 2 ? strlen(word) / 3 : 2;
	size_t best = limit + 1;
	const char *found = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		size_t d = edit_distance(word, words[i]);

		if (d < best && d < strlen(word)) {
			best = d;
			found = words[i];
		}
	}
	return found;
}

/*
 * Length of the well-formed UTF-8 sequence at @s, 0 when there is none.
 * Unicode 15, table 3-7: no surrogates, no overlong forms.
 */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	static const struct {
		unsigned char lo, hi, len, second_lo, second_hi;
	} forms[] = {
		{ 0x01, 0x7f, 1, 0, 0 },       { 0xc2, 0xdf, 2, 0x80, 0xbf },
		{ 0xe0, 0xe0, 3, 0xa0, 0xbf }, { 0xe1, 0xec, 3, 0x80, 0xbf },
		{ 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf },
		{ 0xf0, 0xf0, 4, 0x90, 0xbf }, { 0xf1, 0xf3, 4, 0x80, 0xbf },
		{ 0xf4, 0xf4, 4, 0x80, 0x8f },
	};
	size_t i;
	size_t k;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (s[0] < forms[i].lo || s[0] > forms[i].hi)
			continue;
		if (forms[i].len > left)
			return 0;
		for (k = 1; k < forms[i].len; k++) {
			unsigned char lo = k == 1 ? forms[i].second_lo : 0x80;
			unsigned char hi = k == 1 ? forms[i].second_hi : 0xbf;

			if (s[k] < lo || s[k] > hi)
				return 0;
		}
		return forms[i].len;
	}
	return 0;
}

/*
 * What makes a terminal, or a mail's reader, show something else: C1 controls
 * (U+0080..U+009F) do what ESC does; marks, embeddings, overrides and isolates
 * of direction (U+061C, U+200E, U+200F, U+202A..E, U+2066..9) turn the text.
 */
static bool is_trick(const unsigned char *p, size_t len)
{
	if (len == 2)
		return (p[0] == 0xc2 && p[1] < 0xa0) ||
		       (p[0] == 0xd8 && p[1] == 0x9c);
	if (len != 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80)
		return p[2] == 0x8e || p[2] == 0x8f ||
		       (p[2] >= 0xaa && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

void str_add_term(struct str *s, const char *text, bool keep_lines)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text);

	while (left) {
		size_t n = utf8_len(p, left);
		bool line = keep_lines && (*p == '\n' || *p == '\t');

		if (!line && (!n || is_trick(p, n) || *p < 0x20 || *p == 0x7f))
			str_addch(s, '?');
		else
			str_addn(s, p, n);
		p += n ? n : 1;
		left -= n ? n : 1;
	}
}

void str_add_probability(struct str *s, double p)
{
	static const double sure = 0.9995;

	if (p >= sure)
		str_add(s, ">99.9%");
	else if (p < 1.0 - sure)
		str_add(s, "<0.1%");
	else
		str_addf(s, "%.1f%%", 100.0 * p);
}

bool str_is_utf8(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	while (len) {
		size_t n = utf8_len(p, len);

		if (!n)
			return false;
		p += n;
		len -= n;
	}
	return true;
}
