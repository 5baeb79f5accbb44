// SPDX-License-Identifier: GPL-3.0-or-later
// drover bisect-engine: the bisection engine on stdin and stdout, one JSON
// object per line, for judges and for other people's runners.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/args.h"
#include "cli/cli.h"

#define MAX_LINE_BYTES ((size_t)256 << 20)

/* Take one message: a new start, or results for the bisection at hand. */
static int handle(struct bisect **b, const json_t *message, struct err *err)
{
	const char *op;
	int rc = json_need_str(message, "op", &op, err);

	if (rc)
		return rc;
	if (!strcmp(op, "start")) {
		bisect_free(*b);
		*b = bisect_from_start_json(message, err);
		return *b ? 0 : err->code;
	}
	if (strcmp(op, "result") != 0)
		return err_set(err, ERR_DATA,
			       "op \"%.40s\" is neither start nor result", op);
	if (!*b)
		return err_set(err, ERR_DATA, "a result before any start");
	return bisect_result_json(*b, json_object_get(message, "boots"), err);
}

static int answer(const struct bisect *b, struct err *err)
{
	struct str line = STR_INIT;
	json_t *out = bisect_answer_json(b);

	json_add_text(&line, out);
	str_addch(&line, '\n');
	json_decref(out);
	if (fwrite(line.p, 1, line.len, stdout) != line.len || fflush(stdout))
		err_errno(err, ERR_IO, "standard output");
	str_release(&line);
	return err->code;
}

static int serve_line(struct bisect **b, const char *line, size_t len,
		      struct err *err)
{
	json_t *message;
	int rc;

	if (len > MAX_LINE_BYTES)
		return err_set(err, ERR_LIMIT, "longer than %zu bytes",
			       MAX_LINE_BYTES);
	message = json_parse(line, len, "message", err);
	if (!message)
		return err->code;
	rc = handle(b, message, err);
	json_decref(message);
	return rc ? rc : answer(*b, err);
}

int cmd_bisect_engine(int argc, char **argv)
{
	struct err err = { 0 };
	struct bisect *b = NULL;
	char *line = NULL;
	size_t alloc = 0;
	long nr = 0;
	ssize_t len;
	int rc;
	int at = args_parse(argc, argv, NULL, 0, &rc);

	if (at == ARGS_DONE)
		return rc;
	if (at < argc)
		return args_usage(argv[0], "takes messages on standard input, "
					   "no argument");
	rc = 0;
	while (!rc && (len = getline(&line, &alloc, stdin)) > 0) {
		nr++;
		rc = serve_line(&b, line, (size_t)len, &err);
	}
	if (rc)
		fprintf(stderr, "drover: standard input line %ld: %s\n", nr,
			err.text);
	free(line);
	bisect_free(b);
	return err_exit_code(rc);
}
