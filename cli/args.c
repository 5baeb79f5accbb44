// SPDX-License-Identifier: GPL-3.0-or-later
// Command line options from a table, over getopt_long.
#include "cli/args.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/cli.h"

#define OPTION_MAX  64
#define FIRST_CODE  256
#define HELP_COLUMN 26

struct arg_common args_common = { false, false, "auto", NULL };

static const struct arg_spec common_spec[] = {
	{ "json", 0, NULL, "print JSON", ARG_FLAG, &args_common.json },
	{ "quiet", 'q', NULL, "no progress and no remarks", ARG_FLAG,
	  &args_common.quiet },
	{ "color", 0, "WHEN", "auto, always or never", ARG_TEXT,
	  &args_common.color },
	{ "socket", 0, "PATH", "the daemon's socket", ARG_TEXT,
	  &args_common.socket },
};

/* Own options first, then the common ones. */
static const struct arg_spec *spec_at(const struct arg_spec *spec, size_t nr,
				      size_t i)
{
	return i < nr ? &spec[i] : &common_spec[i - nr];
}

static void print_option(const struct arg_spec *s)
{
	struct str left = STR_INIT;

	str_add(&left, "  ");
	if (s->letter)
		str_addf(&left, "-%c, ", s->letter);
	str_addf(&left, "--%s%s%s", s->name, s->value_name ? " " : "",
		 s->value_name ? s->value_name : "");
	if (left.len >= HELP_COLUMN)
		printf("%s\n%*s%s\n", left.p, HELP_COLUMN, "", s->help);
	else
		printf("%-*s%s\n", HELP_COLUMN, left.p, s->help);
	str_release(&left);
}

static void print_help(const char *name, const struct arg_spec *spec, size_t nr)
{
	const struct cli_command *c = cli_command_find(name);
	size_t i;

	printf("usage: drover %s %s\n\n%s\n", name, c ? c->synopsis : "",
	       c ? c->summary : "");
	if (nr)
		puts("\noptions:");
	for (i = 0; i < nr; i++)
		print_option(&spec[i]);
	puts("\ncommon options:");
	for (i = 0; i < ARRAY_SIZE(common_spec); i++)
		print_option(&common_spec[i]);
	puts("  -h, --help              this text");
}

int args_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "drover %s: ", command);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (drover %s --help)\n", command);
	return 2;
}

int args_end(int argc, char **argv, int at)
{
	return at < argc ? args_usage(argv[0], "%s is too much", argv[at]) : 0;
}

/* @letter: a short one, which may stand in the middle of others; else 0. */
static int bad_option(const char *command, const char *given, int letter,
		      const struct option *longs, size_t nr)
{
	const char *words[OPTION_MAX];
	const char *near;
	size_t i;

	if (letter >= FIRST_CODE || letter == 'h')
		return args_usage(command, "%.*s takes no value",
				  (int)strcspn(given, "="), given);
	if (letter)
		return args_usage(command, "unknown option -%c", letter);
	for (i = 0; i < nr; i++)
		words[i] = longs[i].name;
	near = str_starts(given, "--") ? str_suggest(given + 2, words, nr)
				       : NULL;
	if (near)
		return args_usage(command,
				  "unknown option %s; did you mean --%s?",
				  given, near);
	return args_usage(command, "unknown option %s", given);
}

static int store(const char *command, const struct arg_spec *s,
		 const char *value)
{
	struct arg_list *list = s->target;

	switch (s->type) {
	case ARG_FLAG:
		*(bool *)s->target = true;
		return 0;
	case ARG_TEXT:
		*(const char **)s->target = value;
		return 0;
	case ARG_INT:
		if (str_to_i64(value, s->target))
			return 0;
		return args_usage(command, "--%s takes a whole number, not %s",
				  s->name, value);
	case ARG_LIST:
		if (list->nr == ARG_LIST_MAX)
			return args_usage(command, "more than %d --%s",
					  ARG_LIST_MAX, s->name);
		list->v[list->nr++] = value;
		return 0;
	}
	return 0;
}

/* Fill getopt's tables; returns the number of long options. */
static size_t fill_tables(const struct arg_spec *spec, size_t nr,
			  struct option *longs, char *shorts)
{
	size_t total = nr + ARRAY_SIZE(common_spec);
	char *p = shorts;
	size_t i;

	*p++ = ':'; /* we print the errors */
	for (i = 0; i < total; i++) {
		const struct arg_spec *s = spec_at(spec, nr, i);

		longs[i] = (struct option){ s->name,
					    s->type == ARG_FLAG
						    ? no_argument
						    : required_argument,
					    NULL, FIRST_CODE + (int)i };
		if (s->letter)
			*p++ = s->letter;
		if (s->letter && s->type != ARG_FLAG)
			*p++ = ':';
	}
	longs[total] = (struct option){ "help", no_argument, NULL, 'h' };
	longs[total + 1] = (struct option){ NULL, 0, NULL, 0 };
	*p++ = 'h';
	*p = '\0';
	return total + 1;
}

static const struct arg_spec *find_spec(const struct arg_spec *spec, size_t nr,
					int code)
{
	size_t total = nr + ARRAY_SIZE(common_spec);
	size_t i;

	if (code >= FIRST_CODE)
		return spec_at(spec, nr, (size_t)(code - FIRST_CODE));
	for (i = 0; i < total; i++)
		if (spec_at(spec, nr, i)->letter == code)
			return spec_at(spec, nr, i);
	return NULL;
}

static bool color_is_valid(void)
{
	return !strcmp(args_common.color, "auto") ||
	       !strcmp(args_common.color, "always") ||
	       !strcmp(args_common.color, "never");
}

int args_parse(int argc, char **argv, const struct arg_spec *spec, size_t nr,
	       int *out_exit)
{
	struct option longs[OPTION_MAX];
	char shorts[2 * OPTION_MAX];
	size_t nr_longs = fill_tables(spec, nr, longs, shorts);
	int code;

	optind = 0; /* commands may be parsed more than once in a process */
	opterr = 0;
	while (optind <= argc) {
		code = getopt_long(argc, argv, shorts, longs, NULL);
		if (code == -1)
			break;
		*out_exit = 0;
		if (code == 'h')
			print_help(argv[0], spec, nr);
		else if (code == '?')
			*out_exit = bad_option(argv[0], argv[optind - 1],
					       optopt, longs, nr_longs);
		else if (code == ':')
			*out_exit = args_usage(argv[0], "%s needs a value",
					       argv[optind - 1]);
		else
			*out_exit = store(argv[0], find_spec(spec, nr, code),
					  optarg);
		if (code == 'h' || *out_exit)
			return ARGS_DONE;
	}
	if (!color_is_valid()) {
		*out_exit =
			args_usage(argv[0], "--color is auto, always or never");
		return ARGS_DONE;
	}
	return optind;
}

int args_range(const char *command, const char *range, char **out_base,
	       char **out_head)
{
	const char *dots = strstr(range, "..");

	if (!dots || dots == range || !dots[2] || dots[2] == '.')
		return args_usage(command,
				  "\"%s\" is not BASE..HEAD (two revisions "
				  "with two dots between them)",
				  range);
	*out_base = xstrndup(range, (size_t)(dots - range));
	*out_head = xstrdup(dots + 2);
	return 0;
}
