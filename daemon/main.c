// SPDX-License-Identifier: GPL-3.0-or-later
// droverd: command line, settings, then the daemon.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "daemon/daemon.h"

static const char help[] =
	"usage: droverd [--config FILE] [--set KEY=VALUE]...\n"
	"\n"
	"Drover's daemon: takes jobs over its socket, gives boots to boxes and\n"
	"builds to slots, stores what they measured. Runs in the foreground.\n"
	"\n"
	"  -c, --config FILE    settings (default: /etc/drover/drover.yaml)\n"
	"  -s, --set KEY=VALUE  one setting, over the file's\n"
	"      --foreground     the default; here for service files\n"
	"      --check-config   read the settings, say what is wrong, end\n"
	"  -V, --version\n"
	"  -h, --help\n";

/* What the command line says. @sets point into argv. */
struct args {
	const char **sets;
	size_t nr_sets;
	bool check;
};

/* -1 to go on, else the exit status. */
static int read_args(int argc, char **argv, struct args *out)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "set", required_argument, NULL, 's' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "check-config", no_argument, NULL, 'k' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	out->sets = xcalloc((size_t)argc, sizeof(*out->sets));
	while ((c = getopt_long(argc, argv, "c:s:Vh", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			setenv("DROVER_CONFIG", optarg, 1);
			break;
		case 's':
			out->sets[out->nr_sets++] = optarg;
			break;
		case 'f':
			break;
		case 'k':
			out->check = true;
			break;
		case 'V':
			puts("droverd " DROVER_VERSION);
			return 0;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs("droverd --help shows the options\n", stderr);
			return 2;
		}
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "droverd: \"%s\" is too much\n", argv[optind]);
	return 2;
}

static int serve(const struct args *args)
{
	struct daemon d = { .sets = args->sets, .nr_sets = args->nr_sets };
	struct err err = { 0 };
	int rc = config_load(&d.cfg, args->sets, args->nr_sets, &err);

	if (rc) {
		daemon_log("%s", err.text);
		return err_exit_code(rc);
	}
	if (args->check) {
		puts("the settings are good");
	} else {
		rc = daemon_start(&d, &err);
		if (rc) {
			daemon_log("can't start: %s", err.text);
		} else {
			daemon_run(&d);
			daemon_finish(&d);
		}
	}
	config_release(&d.cfg);
	return err_exit_code(rc);
}

int main(int argc, char **argv)
{
	struct args args = { 0 };
	int status = read_args(argc, argv, &args);

	umask(0027);
	if (status < 0)
		status = serve(&args);
	free(args.sets);
	return status;
}
