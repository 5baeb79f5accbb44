// SPDX-License-Identifier: GPL-3.0-or-later
/* Splits a spool file at its "@ uptime" and "# path" lines. */
#include "jobs/ticks.h"

#include <string.h>

struct ticks ticks_of(const struct monitor_input *in)
{
	return (struct ticks){ .rest = { in->text, in->len } };
}

/* "@ 12.5": the uptime, false for any other line. */
static bool tick_line(struct text line, double *out)
{
	return text_starts(line, "@ ") &&
	       text_number(text_trim(text_skip(line, 2)), out) && *out >= 0;
}

static bool path_line(struct text line)
{
	return text_starts(line, "# /");
}

/* Everything up to the next header line, which stays in @rest. */
static struct text take_body(struct text *rest)
{
	struct text body = { rest->p, 0 };

	while (rest->len) {
		struct text after = *rest, line;
		double up;

		text_line(&after, &line);
		if (path_line(line) || tick_line(line, &up))
			break;
		*rest = after;
	}
	body.len = (size_t)(rest->p - body.p);
	return body;
}

bool ticks_next(struct ticks *t, struct tick_file *out)
{
	struct text line;
	double up;

	while (text_line(&t->rest, &line)) {
		if (tick_line(line, &up)) {
			if (!t->nr || up >= t->uptime_s)
				t->uptime_s = up;
			t->nr++;
			continue;
		}
		if (!path_line(line) || !t->nr)
			continue;
		out->tick = t->nr - 1;
		out->uptime_s = t->uptime_s;
		out->path = text_trim(text_skip(line, 2));
		out->body = take_body(&t->rest);
		return true;
	}
	return false;
}

long ticks_path_number(struct text path, const char *prefix)
{
	size_t n = strlen(prefix);
	long hit = -1;

	/* the last component that is the prefix and digits */
	while (path.len) {
		struct text part, digits;
		long v = 0;

		if (!text_until(&path, '/', &part)) {
			part = path;
			path.len = 0;
		}
		digits = text_skip(part, n);
		if (!text_starts(part, prefix) || !digits.len || digits.len > 6)
			continue;
		while (digits.len && *digits.p >= '0' && *digits.p <= '9') {
			v = v * 10 + (*digits.p - '0');
			digits = text_skip(digits, 1);
		}
		if (!digits.len)
			hit = v;
	}
	return hit;
}
