// SPDX-License-Identifier: GPL-3.0-or-later
// drover config: the settings in force, an example file, the reference page.
#include <stdio.h>

#include "base/err.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "configs/options.h"

static void print_text(void (*make)(struct str *out))
{
	struct str s = STR_INIT;

	make(&s);
	fputs(s.p, stdout);
	str_release(&s);
}

static int dump(const struct arg_list *sets, bool origins)
{
	struct str s = STR_INIT;
	struct err err = { 0 };
	struct config cfg;
	json_t *json;

	if (config_load(&cfg, sets->v, sets->nr, &err)) {
		fprintf(stderr, "drover config: %s\n", err.text);
		return err_exit_code(err.code);
	}
	if (args_common.json) {
		json = config_to_json(&cfg);
		show_json(json);
		json_decref(json);
	} else {
		config_dump(&cfg, origins, &s);
		fputs(s.p, stdout);
	}
	str_release(&s);
	config_release(&cfg);
	return 0;
}

int cmd_config(int argc, char **argv)
{
	bool origins = false, example = false, reference = false;
	struct arg_list sets = { .nr = 0 };
	const struct arg_spec spec[] = {
		{ "show-origin", 0, NULL, "say where each value comes from",
		  ARG_FLAG, &origins },
		{ "example", 0, NULL, "print a commented example file",
		  ARG_FLAG, &example },
		{ "reference", 0, NULL, "print the reference page (markdown)",
		  ARG_FLAG, &reference },
		{ "set", 0, "KEY=VALUE", "set an option", ARG_LIST, &sets },
	};
	int exit_code;
	int at = args_parse(argc, argv, spec, 4, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (at != argc)
		return args_usage("config", "unexpected \"%s\"", argv[at]);
	if (example)
		print_text(config_example);
	if (reference)
		print_text(config_reference);
	return example || reference ? 0 : dump(&sets, origins);
}
