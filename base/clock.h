/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two clocks told apart: wall time (UTC, stored and shown, may jump) and
 * monotonic time (deadlines and durations). Tests put a fake in their place.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#define CLOCK_ISO_BYTES 21 /* "2026-01-31T23:59:59Z" and its NUL */

long long clock_mono_ns(void);
/* Seconds since 1970-01-01 UTC. */
long long clock_wall_s(void);
void clock_sleep_ms(long ms);

/* UTC ISO 8601 text of @wall_s into @out. */
void clock_to_iso(long long wall_s, char out[CLOCK_ISO_BYTES]);

/*
 * From now on clock_mono_ns() is @mono_ns and clock_wall_s() @wall_s, until
 * changed; clock_sleep_ms() advances both. For tests. Negative: real again.
 */
void clock_set_fake(long long mono_ns, long long wall_s);

#endif
