// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/html.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define REPLACEMENT "\xef\xbf\xbd"

void html_lit(struct str *out, const char *markup)
{
	str_add(out, markup);
}

/*
 * Length of the well-formed UTF-8 sequence at @p (1..4) and its code point, or
 * 0 for a bad one. Overlong forms, surrogates and > U+10FFFF are bad.
 */
static size_t utf8_next(const unsigned char *p, size_t len, uint32_t *out_code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t need;
	uint32_t code;

	if (p[0] < 0x80) {
		*out_code = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	need = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (need > len)
		return 0;
	code = p[0] & (0xffU >> (need + 1));
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fU);
	}
	if (code < least[need] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	*out_code = code;
	return need;
}

/* Whether a code point may stand in a page as it is. */
static bool may_show(uint32_t code)
{
	if (code < 0x20)
		return code == '\n' || code == '\t';
	if (code >= 0x7f && code < 0xa0)
		return false;
	/* bidirectional marks, embeddings, overrides, isolates */
	if (code == 0x061c || code == 0x200e || code == 0x200f ||
	    (code >= 0x202a && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069))
		return false;
	if (code == 0x2028 || code == 0x2029 || code == 0xfeff)
		return false;
	return (code & 0xfffe) != 0xfffe && !(code >= 0xfdd0 && code <= 0xfdef);
}

static const char *entity_of(uint32_t code)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_escaped(struct str *out, const char *text, size_t len,
			bool is_attr)
{
	const unsigned char *p = (const unsigned char *)text;
	const char *entity;
	size_t plain = 0;
	uint32_t code = 0;

	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_next(p + i, len - i, &code);
		entity = n ? entity_of(code) : REPLACEMENT;
		if (n && !may_show(code))
			entity = REPLACEMENT;
		else if (n && is_attr && code < 0x20)
			entity = " ";
		if (!entity)
			continue;
		str_addn(out, text + plain, i - plain);
		str_add(out, entity);
		plain = i + (n ? n : 1);
	}
	str_addn(out, text + plain, len - plain);
}

void html_txtn(struct str *out, const char *text, size_t len)
{
	add_escaped(out, text, len, false);
}

void html_txt(struct str *out, const char *text)
{
	if (text)
		add_escaped(out, text, strlen(text), false);
}

static void vadd_escaped(struct str *out, bool is_attr, const char *fmt,
			 va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	add_escaped(out, text, strlen(text), is_attr);
}

void html_txtf(struct str *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vadd_escaped(out, false, fmt, ap);
	va_end(ap);
}

void html_attr(struct str *out, const char *name, const char *value)
{
	if (!value)
		return;
	str_addch(out, ' ');
	str_add(out, name);
	str_add(out, "=\"");
	add_escaped(out, value, strlen(value), true);
	str_addch(out, '"');
}

void html_attrf(struct str *out, const char *name, const char *fmt, ...)
{
	va_list ap;

	str_addch(out, ' ');
	str_add(out, name);
	str_add(out, "=\"");
	va_start(ap, fmt);
	vadd_escaped(out, true, fmt, ap);
	va_end(ap);
	str_addch(out, '"');
}

void html_url(struct str *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	static const char hex[] = "0123456789ABCDEF";

	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (strchr(plain, *p)) {
			str_addch(out, (char)*p);
			continue;
		}
		str_addch(out, '%');
		str_addch(out, hex[*p >> 4]);
		str_addch(out, hex[*p & 15]);
	}
}

void html_href(struct str *out, const char *up, const char *path)
{
	str_add(out, " href=\"");
	str_add(out, up);
	html_url(out, path);
	str_addch(out, '"');
}

void html_link(struct str *out, const char *up, const char *path,
	       const char *text)
{
	str_add(out, "<a");
	html_href(out, up, path);
	str_addch(out, '>');
	html_txt(out, text);
	str_add(out, "</a>");
}

void html_outlink(struct str *out, const char *address, const char *text)
{
	bool is_web = str_starts(address, "https://") ||
		      str_starts(address, "http://");

	if (is_web) {
		str_add(out, "<a rel=\"noreferrer\"");
		html_attr(out, "href", address);
		str_addch(out, '>');
	}
	html_txt(out, text);
	if (is_web)
		str_add(out, "</a>");
}

static void add_time(struct str *out, long long wall_s, int clock_bytes)
{
	char iso[CLOCK_ISO_BYTES];

	if (wall_s <= 0) {
		str_add(out, "–");
		return;
	}
	clock_to_iso(wall_s, iso);
	str_addf(out, "<time datetime=\"%s\">%.10s %.*s UTC</time>", iso, iso,
		 clock_bytes, iso + 11);
}

void html_time(struct str *out, long long wall_s)
{
	add_time(out, wall_s, (int)strlen("hh:mm"));
}

void html_time_s(struct str *out, long long wall_s)
{
	add_time(out, wall_s, (int)strlen("hh:mm:ss"));
}

void html_duration(struct str *out, double seconds)
{
	long long s = seconds < 0      ? 0
		      : seconds < 9e15 ? (long long)(seconds + 0.5)
				       : 0;

	if (s < 120)
		str_addf(out, "%lld s", s);
	else if (s < 3600)
		str_addf(out, "%lld min %lld s", s / 60, s % 60);
	else if (s < 48 * 3600LL)
		str_addf(out, "%lld h %lld min", s / 3600, s / 60 % 60);
	else
		str_addf(out, "%lld d %lld h", s / 86400, s / 3600 % 24);
}

void html_count(struct str *out, long long nr)
{
	char digits[32];
	size_t len;

	snprintf(digits, sizeof(digits), "%lld", nr);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		str_addch(out, digits[i]);
		if (digits[i] != '-' && i + 1 < len && (len - 1 - i) % 3 == 0)
			str_addch(out, ',');
	}
}
