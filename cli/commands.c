// SPDX-License-Identifier: GPL-3.0-or-later
// The table of commands, in alphabetical order.
#include <string.h>

#include "cli/cli.h"

const struct cli_command cli_commands[] = {
	{ "bisect", "start|status|log|stop JOB | BASE..HEAD",
	  "find the commit that changed a comparison", cmd_bisect },
	{ "bisect-engine", "", "the bisection engine on stdin and stdout",
	  cmd_bisect_engine },
	{ "box", "add FILE|list|show NAME|drain NAME|resume NAME",
	  "the lab's test boxes", cmd_box },
	{ "calibrate", "BOX FILE | --list [BOX] | --show ID",
	  "boot one kernel again and again: how far a box can be trusted",
	  cmd_calibrate },
	{ "cancel", "JOB", "stop a job; what was measured stays", cmd_cancel },
	{ "compare", "JOB | BASE HEAD | --comparison ID | --matrix FILE ...",
	  "print the comparison of two or more commits", cmd_compare },
	{ "completion", "bash|zsh|fish", "print a shell completion script",
	  cmd_completion },
	{ "config", "[--show-origin|--example]", "print the configuration",
	  cmd_config },
	{ "job", "check|expand FILE", "check or expand a job file", cmd_job },
	{ "lab", "up|down|status", "the virtual NUMA lab on this machine",
	  cmd_lab },
	{ "log", "[-f] JOB", "what happened to a job", cmd_log },
	{ "ping", "", "ask whether the daemon is there", cmd_ping },
	{ "prio", "JOB N", "set a job's priority", cmd_prio },
	{ "queue", "[--all]", "list the jobs that wait and run", cmd_queue },
	{ "repo", "add NAME PATH|list", "the git repositories under test",
	  cmd_repo },
	{ "report", "JOB", "print a job's report, as it is mailed",
	  cmd_report },
	{ "retry", "JOB", "queue again what failed in a job", cmd_retry },
	{ "shutdown", "", "ask the daemon to drain and end", cmd_shutdown },
	{ "status", "JOB", "where a job stands", cmd_status },
	{ "submit", "BASE..HEAD -j FILE [--wait]",
	  "measure a pair of commits, bisect what changed", cmd_submit },
	{ "sweep", "--samples FILE | --profile FILE",
	  "print affinity by threads tables", cmd_sweep },
	{ "watch", "JOB", "follow a job until it ends", cmd_watch },
	{ NULL, NULL, NULL, NULL },
};

const struct cli_command *cli_command_find(const char *name)
{
	const struct cli_command *c;

	for (c = cli_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}
