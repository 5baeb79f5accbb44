// SPDX-License-Identifier: GPL-3.0-or-later
// Wall and monotonic time, and a fake of both for tests.
#include "base/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static bool faked;
static long long fake_mono_ns;
static long long fake_wall_ns;

long long clock_mono_ns(void)
{
	struct timespec ts;

	if (faked)
		return fake_mono_ns;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

long long clock_wall_s(void)
{
	return faked ? fake_wall_ns / 1000000000LL : (long long)time(NULL);
}

void clock_sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	if (faked) {
		fake_mono_ns += ms * 1000000LL;
		fake_wall_ns += ms * 1000000LL;
		return;
	}
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void clock_to_iso(long long wall_s, char out[CLOCK_ISO_BYTES])
{
	time_t t = (time_t)wall_s;
	struct tm tm;

	gmtime_r(&t, &tm);
	if (!strftime(out, CLOCK_ISO_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = '\0';
}

void clock_set_fake(long long mono_ns, long long wall_s)
{
	faked = mono_ns >= 0;
	fake_mono_ns = mono_ns;
	fake_wall_ns = wall_s * 1000000000LL;
}
