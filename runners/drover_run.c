// SPDX-License-Identifier: GPL-3.0-or-later
// drover-run TASKDIR: one boot of one kernel on one box, and its runs.
#include "runners/run.h"
#include "runners/task.h"

int main(int argc, char **argv)
{
	return task_main(argc, argv, run_task);
}
