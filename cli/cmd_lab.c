// SPDX-License-Identifier: GPL-3.0-or-later
// drover lab: hands over to drover-lab, which knows QEMU.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "configs/options.h"

int cmd_lab(int argc, char **argv)
{
	struct err err = { 0 };
	struct config cfg;
	char *program;

	(void)argc;
	if (config_load(&cfg, NULL, 0, &err))
		return client_fail("lab", &err);
	program = file_join(cfg.libexec_dir, "drover-lab");
	config_release(&cfg);
	argv[0] = program;
	execv(program, argv);
	fprintf(stderr, "drover lab: can't run %s: %s\n", program,
		strerror(errno));
	free(program);
	return 5;
}
