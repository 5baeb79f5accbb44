// SPDX-License-Identifier: GPL-3.0-or-later
// drover-build TASK-FOLDER: build one kernel, leave its artifact and result.
#include "runners/build.h"
#include "runners/task.h"

int main(int argc, char **argv)
{
	return task_main(argc, argv, build_run);
}
