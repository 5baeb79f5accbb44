// SPDX-License-Identifier: GPL-3.0-or-later
/* Spans of hostile bytes: never past the end, never a terminator assumed. */
#include "jobs/text.h"

#include <string.h>

#include "base/str.h"

#define NUMBER_MAX_BYTES 40

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool text_until(struct text *rest, char c, struct text *out)
{
	const char *hit = rest->len ? memchr(rest->p, c, rest->len) : NULL;

	if (!hit)
		return false;
	out->p = rest->p;
	out->len = (size_t)(hit - rest->p);
	rest->len -= out->len + 1;
	rest->p = hit + 1;
	return true;
}

bool text_line(struct text *rest, struct text *out)
{
	if (!rest->len)
		return false;
	if (text_until(rest, '\n', out))
		return true;
	*out = *rest;
	rest->p += rest->len;
	rest->len = 0;
	return true;
}

bool text_word(struct text *rest, struct text *out)
{
	size_t n = 0;

	while (rest->len && is_blank(*rest->p))
		*rest = text_skip(*rest, 1);
	while (n < rest->len && !is_blank(rest->p[n]))
		n++;
	out->p = rest->p;
	out->len = n;
	*rest = text_skip(*rest, n);
	return n > 0;
}

struct text text_trim(struct text t)
{
	while (t.len && is_blank(t.p[t.len - 1]))
		t.len--;
	while (t.len && is_blank(*t.p))
		t = text_skip(t, 1);
	return t;
}

bool text_is(struct text t, const char *word)
{
	return strlen(word) == t.len && !memcmp(t.p, word, t.len);
}

bool text_starts(struct text t, const char *prefix)
{
	size_t n = strlen(prefix);

	return n <= t.len && !memcmp(t.p, prefix, n);
}

bool text_has(struct text t, const char *part)
{
	return t.len && memmem(t.p, t.len, part, strlen(part));
}

struct text text_skip(struct text t, size_t n)
{
	if (n > t.len)
		n = t.len;
	t.p += n;
	t.len -= n;
	return t;
}

bool text_number(struct text t, double *out)
{
	char buf[NUMBER_MAX_BYTES + 1];

	if (!t.len || t.len > NUMBER_MAX_BYTES)
		return false;
	/* no hexadecimal, no "nan": digits, a sign, a point, an exponent */
	for (size_t i = 0; i < t.len; i++)
		if (!t.p[i] || !strchr("0123456789.+-eE", t.p[i]))
			return false;
	memcpy(buf, t.p, t.len);
	buf[t.len] = '\0';
	return str_to_double(buf[0] == '+' ? buf + 1 : buf, out);
}

bool text_leading_number(struct text t, double *out)
{
	size_t n = 0;

	if (t.len && (*t.p == '-' || *t.p == '+'))
		n++;
	while (n < t.len && t.p[n] && strchr("0123456789.", t.p[n]))
		n++;
	t.len = n;
	return text_number(t, out);
}
