// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The kernel's log of the run: each kind of trouble is one failure row. Names
 * carry the function, not the line, so that the same warning keeps its name
 * from one commit to the next.
 */
#include <string.h>

#include "base/mem.h"
#include "jobs/monitor.h"
#include "jobs/text.h"

#define MAX_LINES 200000

/* A line with @part is the row dmesg.@row. */
static const struct {
	const char *part;
	const char *row;
} patterns[] = {
	{ "Kernel panic - not syncing", "Kernel_panic-not_syncing" },
	{ "BUG: unable to handle", "BUG:unable_to_handle_kernel_access" },
	{ "BUG: kernel NULL pointer dereference",
	  "BUG:kernel_NULL_pointer_dereference" },
	{ "BUG: soft lockup", "BUG:soft_lockup" },
	{ "BUG: workqueue lockup", "BUG:workqueue_lockup" },
	{ "BUG: scheduling while atomic", "BUG:scheduling_while_atomic" },
	{ "BUG: sleeping function called", "BUG:sleeping_function_called" },
	{ "BUG: Bad page state", "BUG:Bad_page_state" },
	{ "BUG: KASAN", "BUG:KASAN" },
	{ "BUG: KFENCE", "BUG:KFENCE" },
	{ "BUG: KCSAN", "BUG:KCSAN" },
	{ "UBSAN:", "UBSAN" },
	{ "kernel BUG at ", "kernel_BUG_at" },
	{ "Oops: ", "Oops" },
	{ "general protection fault", "general_protection_fault" },
	{ "watchdog: BUG: hard LOCKUP", "BUG:hard_LOCKUP" },
	{ "rcu_sched detected stalls", "INFO:rcu_sched_detected_stalls" },
	{ "rcu_preempt detected stalls", "INFO:rcu_preempt_detected_stalls" },
	{ "self-detected stall on CPU", "INFO:rcu_self-detected_stall_on_CPU" },
	{ "blocked for more than", "INFO:task_blocked_for_more_than_seconds" },
	{ "possible circular locking dependency",
	  "WARNING:possible_circular_locking_dependency_detected" },
	{ "possible recursive locking",
	  "WARNING:possible_recursive_locking_detected" },
	{ "inconsistent lock state", "WARNING:inconsistent_lock_state" },
	{ "suspicious RCU usage", "WARNING:suspicious_RCU_usage" },
	{ "Out of memory: Killed process", "Out_of_memory" },
	{ "oom-kill:", "Out_of_memory" },
	{ "page allocation failure", "page_allocation_failure" },
	{ "I/O error, dev", "I/O_error" },
	{ "EXT4-fs error", "EXT4-fs_error" },
	{ "Machine check events logged", "Machine_check" },
	{ "mce: [Hardware Error]", "Machine_check" },
};

/* Without "[   12.345678] ", "<4>" and "[ T123]" in front. */
static struct text message(struct text line)
{
	struct text left;

	line = text_trim(line);
	for (;;) {
		char end = text_starts(line, "<") ? '>' : ']';

		if (end == ']' && !text_starts(line, "["))
			return line;
		if (!text_until(&line, end, &left))
			return line;
		line = text_trim(line);
	}
}

/*
 * "WARNING: CPU: 1 PID: 2 at mm/slub.c:12 kfree+0x10/0x20" and, since 6.19,
 * "WARNING: mm/slub.c:12 at kfree+0x10/0x20, CPU#1": "kfree", the first word
 * behind "at" that has an offset.
 */
static bool warning_function(struct text line, struct text *out)
{
	struct text word, name;
	bool at = false;

	if (!text_starts(line, "WARNING: "))
		return false;
	while (text_word(&line, &word)) {
		if (at && text_has(word, "+0x") &&
		    text_until(&word, '+', &name) && name.len) {
			*out = name;
			return true;
		}
		at = at || text_is(word, "at");
	}
	return false;
}

static void check_line(struct text line, struct metric_set *out)
{
	struct text function;

	line = message(line);
	if (warning_function(line, &function)) {
		metric_fail(out, "dmesg.WARNING:at#%.*s", TEXT_ARG(function));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (text_has(line, patterns[i].part)) {
			metric_fail(out, "dmesg.%s", patterns[i].row);
			return;
		}
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct text rest = { in->text, in->len }, line;
	unsigned lines = 0;

	(void)err;
	while (lines++ < MAX_LINES && text_line(&rest, &line))
		check_line(line, out);
	return 0;
}

static const char *const sources[] = { NULL };

const struct monitor monitor_dmesg = {
	.name = "dmesg",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
