// SPDX-License-Identifier: GPL-3.0-or-later
// Reading the output of kbuild: steps and first errors.
#include "runners/build_log.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* "  CC      fs/pipe.o": the step's name in this many columns */
#define STEP_COLUMNS 10
#define RANK_LOCAL   4

/* How an error line is recognised, the more telling ones with higher rank. */
static const struct {
	const char *part;
	int rank;
} error_marks[] = {
	{ ": error: ", 3 },
	{ ": fatal error: ", 3 },
	{ ": Error: ", 3 },
	{ "undefined reference to", 3 },
	{ "multiple definition", 3 },
	{ "No rule to make target", 2 },
	{ "error:", 2 },
	{ "ld: ", 1 },
	{ "*** ", 1 },
};

/* Signs that this machine failed; they say nothing about the source. */
static const char *const local_marks[] = {
	"No space left on device",
	"Cannot allocate memory",
	"virtual memory exhausted",
	"Killed signal terminated program",
	"internal compiler error: Killed",
	"Input/output error",
	"Read-only file system",
	"Too many open files",
	"Disk quota exceeded",
};

static void take_step(struct build_log *log, const char *line)
{
	size_t len = strlen(line);

	if (len <= STEP_COLUMNS || strncmp(line, "  ", 2) != 0 ||
	    line[2] < 'A' || line[2] > 'Z')
		return;
	if (str_starts(line, "  CC ") || str_starts(line, "  AS "))
		log->nr_compiled++;
	len -= STEP_COLUMNS;
	if (len >= sizeof(log->target))
		len = sizeof(log->target) - 1;
	memcpy(log->target, line + STEP_COLUMNS, len);
	log->target[len] = '\0';
}

/* The compiler runs in the output folder, one below the source. */
static void take_error(struct build_log *log, const char *line, int rank)
{
	struct str clean = STR_INIT;

	while (str_starts(line, "../"))
		line += 3;
	clean.max_bytes = sizeof(log->error) - 1;
	str_add_term(&clean, line, false);
	str_rtrim(&clean);
	memcpy(log->error, clean.p, clean.len + 1);
	log->rank = rank;
	str_release(&clean);
}

/*
 * "   12 | code" and "      | ^~~~": the compiler shows the source, whose text
 * says nothing about this machine.
 */
static bool is_excerpt(const char *line)
{
	line += strspn(line, " ");
	line += strspn(line, "0123456789");
	line += strspn(line, " ");
	return *line == '|';
}

void build_log_line(struct build_log *log, const char *line)
{
	size_t i;

	if (is_excerpt(line))
		return;
	take_step(log, line);
	for (i = 0; i < ARRAY_SIZE(local_marks); i++) {
		if (log->is_local || !strstr(line, local_marks[i]))
			continue;
		log->is_local = true;
		take_error(log, line, RANK_LOCAL);
	}
	for (i = 0; i < ARRAY_SIZE(error_marks); i++)
		if (error_marks[i].rank > log->rank &&
		    strstr(line, error_marks[i].part))
			take_error(log, line, error_marks[i].rank);
}

int build_log_percent(const struct build_log *log, unsigned int expected)
{
	if (!expected || log->nr_compiled >= expected)
		return -1;
	return (int)(100UL * log->nr_compiled / expected);
}
