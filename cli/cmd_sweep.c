// SPDX-License-Identifier: GPL-3.0-or-later
// `drover sweep`: affinity by threads tables out of sample and profile files.
#include <stdio.h>
#include <string.h>

#include "analysis/sweep.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "report/sweep_table.h"

#define MAX_FILE_BYTES ((size_t)64 << 20)

static int add_samples(const char *path, struct str *out, struct err *err)
{
	struct sweep s = SWEEP_INIT;
	json_t *obj = json_read_file(path, MAX_FILE_BYTES, err);
	int rc;

	if (!obj)
		return err->code;
	rc = sweep_from_json(&s, obj, path, err);
	if (!rc)
		sweep_table_add(&s, out);
	json_decref(obj);
	sweep_release(&s);
	return rc;
}

static int add_profile(const char *path, struct str *out, struct err *err)
{
	struct sweep_profile p = SWEEP_PROFILE_INIT;
	json_t *obj = json_read_file(path, MAX_FILE_BYTES, err);
	int rc;

	if (!obj)
		return err->code;
	rc = sweep_profile_from_json(&p, obj, path, err);
	if (!rc)
		sweep_profile_table_add(&p, out);
	json_decref(obj);
	sweep_profile_release(&p);
	return rc;
}

/* All tables of one kind, a blank line between any two. */
static int add_tables(const struct arg_list *list,
		      int (*add)(const char *, struct str *, struct err *),
		      struct str *out, struct err *err)
{
	for (size_t i = 0; i < list->nr; i++) {
		int rc;

		if (out->len)
			str_addch(out, '\n');
		rc = add(list->v[i], out, err);
		if (rc)
			return rc;
	}
	return 0;
}

int cmd_sweep(int argc, char **argv)
{
	struct arg_list samples = { .nr = 0 };
	struct arg_list profiles = { .nr = 0 };
	const struct arg_spec spec[] = {
		{ "samples", 0, "FILE", "samples.json: scores of both kernels",
		  ARG_LIST, &samples },
		{ "profile", 0, "FILE",
		  "profile-FUNC.json: a function's share per NUMA node",
		  ARG_LIST, &profiles },
	};
	struct str out = STR_INIT;
	struct err err = { 0 };
	int rc;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &rc);

	if (at == ARGS_DONE)
		return rc;
	if (at < argc)
		return args_usage("sweep", "%s is too much", argv[at]);
	if (!samples.nr && !profiles.nr)
		return args_usage("sweep",
				  "needs --samples FILE or --profile FILE");
	rc = add_tables(&samples, add_samples, &out, &err);
	if (!rc)
		rc = add_tables(&profiles, add_profile, &out, &err);
	if (rc)
		fprintf(stderr, "drover sweep: %s\n", err.text);
	else
		fwrite(out.p, 1, out.len, stdout);
	str_release(&out);
	return err_exit_code(rc);
}
