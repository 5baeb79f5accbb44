// SPDX-License-Identifier: GPL-3.0-or-later
// drover completion: shell completion made from the command table.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/args.h"
#include "cli/cli.h"

static void add_names(struct str *out)
{
	const struct cli_command *c;

	for (c = cli_commands; c->name; c++)
		str_addf(out, "%s%s", out->len ? " " : "", c->name);
}

static void print_bash(void)
{
	struct str names = STR_INIT;

	add_names(&names);
	printf("_drover() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"
	       "\telif [ \"${cur#-}\" != \"$cur\" ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$(drover \"${COMP_WORDS[1]}\" "
	       "--help 2>/dev/null | grep -o -e '--[a-z-]*')\" -- \"$cur\"))\n"
	       "\telse\n"
	       "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	       "\tfi\n"
	       "}\n"
	       "complete -F _drover drover\n",
	       names.p);
	str_release(&names);
}

static void print_zsh(void)
{
	const struct cli_command *c;

	puts("#compdef drover\n"
	     "local -a commands\n"
	     "commands=(");
	for (c = cli_commands; c->name; c++)
		printf("\t'%s:%s'\n", c->name,
		       strchr(c->summary, '\'') ? "" : c->summary);
	puts(")\n"
	     "if (( CURRENT == 2 )); then\n"
	     "\t_describe command commands\n"
	     "else\n"
	     "\t_files\n"
	     "fi");
}

static void print_fish(void)
{
	const struct cli_command *c;

	for (c = cli_commands; c->name; c++)
		printf("complete -c drover -n __fish_use_subcommand -a %s "
		       "-d \"%s\"\n",
		       c->name, c->summary);
}

int cmd_completion(int argc, char **argv)
{
	static const struct {
		const char *shell;
		void (*print)(void);
	} shells[] = {
		{ "bash", print_bash },
		{ "zsh", print_zsh },
		{ "fish", print_fish },
	};
	int exit_code;
	size_t i;
	int at = args_parse(argc, argv, NULL, 0, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	for (i = 0; i < ARRAY_SIZE(shells) && argc - at == 1; i++) {
		if (!strcmp(shells[i].shell, argv[at])) {
			shells[i].print();
			return 0;
		}
	}
	return args_usage("completion", "takes bash, zsh or fish");
}
