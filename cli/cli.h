/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands of `drover`: one file per command, one row per command in
 * commands.c. Standard output carries data, standard error messages.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

/*
 * @run gets the command's own argv (argv[0] is its name) and returns the exit
 * code: 0 ok, 1 regression, 2 usage, 3 not found, 4 not allowed,
 * 5 infrastructure, 124 timeout.
 */
struct cli_command {
	const char *name;
	const char *synopsis; /* behind "drover NAME", for --help and the man
				 page */
	const char *summary;
	int (*run)(int argc, char **argv);
};

/* Ends with a row whose name is NULL. Static. */
extern const struct cli_command cli_commands[];

/* The row called @name, or NULL. */
const struct cli_command *cli_command_find(const char *name);

int cmd_bisect(int argc, char **argv);
int cmd_bisect_engine(int argc, char **argv);
int cmd_box(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_cancel(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_compare_matrix(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_job(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_ping(int argc, char **argv);
int cmd_prio(int argc, char **argv);
int cmd_queue(int argc, char **argv);
int cmd_repo(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_retry(int argc, char **argv);
int cmd_shutdown(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_submit(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_watch(int argc, char **argv);

#endif
