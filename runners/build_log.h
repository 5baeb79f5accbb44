/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What make and the compiler said, line by line: how far the build is, and the
 * first thing that went wrong. Pure: no files, no clock.
 */
#ifndef RUNNERS_BUILD_LOG_H
#define RUNNERS_BUILD_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define BUILD_LOG_WORDS_MAX 400

/*
 * @nr_compiled objects for the kernel so far (host tools don't count);
 * @target the object of the last step; @error the first error, "" for none;
 * @rank how telling that error is (a compiler's position beats make's
 * summary); @is_local the machine failed (disk, memory), not the source: then
 * @error is the line that says so.
 */
struct build_log {
	unsigned int nr_compiled;
	char target[128];
	char error[BUILD_LOG_WORDS_MAX];
	int rank;
	bool is_local;
};

/* Take one line, without its newline; any bytes. Zero-initialise @log. */
void build_log_line(struct build_log *log, const char *line);

/*
 * Percent of @expected objects done, 0..99, or −1 when @expected is 0 or
 * passed: an incremental build doesn't say how much it will do.
 */
int build_log_percent(const struct build_log *log, unsigned int expected);

#endif
