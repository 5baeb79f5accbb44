// SPDX-License-Identifier: GPL-3.0-or-later
// drover(1): finds the command's row in the table and runs it.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/cli.h"

static void print_commands(FILE *out)
{
	const struct cli_command *c;

	fputs("usage: drover COMMAND [ARG ...]\n\n"
	      "Says which commit changed the kernel's performance, and how sure "
	      "it is.\n\ncommands:\n",
	      out);
	for (c = cli_commands; c->name; c++)
		fprintf(out, "  %-14s %s\n", c->name, c->summary);
	fputs("\n`drover COMMAND --help` tells more; `drover --version` the "
	      "version.\nexit codes: 0 ok, 1 regression, 2 usage, 3 not found, "
	      "4 not allowed,\n            5 infrastructure, 124 timeout\n",
	      out);
}

static int unknown_command(const char *name)
{
	const char *words[64];
	const char *near;
	size_t nr = 0;

	while (nr < ARRAY_SIZE(words) && cli_commands[nr].name) {
		words[nr] = cli_commands[nr].name;
		nr++;
	}
	near = str_suggest(name, words, nr);
	fprintf(stderr, "drover: no command called %s", name);
	if (near)
		fprintf(stderr, "; did you mean %s?", near);
	fputs(" (drover --help lists them)\n", stderr);
	return 2;
}

/* Buffered output that can't be written is an error, not a success. */
static int finish(int exit_code)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("drover: standard output");
		return exit_code ? exit_code : 5;
	}
	return exit_code;
}

int main(int argc, char **argv)
{
	const struct cli_command *c;

	signal(SIGPIPE, SIG_DFL);
	if (argc < 2) {
		print_commands(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_commands(stdout);
		return finish(0);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("drover " DROVER_VERSION);
		return finish(0);
	}
	c = cli_command_find(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return finish(c->run(argc - 1, argv + 1));
}
