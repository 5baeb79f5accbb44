// SPDX-License-Identifier: GPL-3.0-or-later
// `drover sweep`: affinity by threads tables out of sample and profile files.
#include <stdio.h>

#include "analysis/sweep.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "report/sweep_json.h"
#include "report/sweep_table.h"

#define MAX_FILE_BYTES ((size_t)64 << 20)

/* Where the tables go: both forms are filled, one is printed. */
struct output {
	struct str text;
	json_t *sweeps;
	json_t *profiles;
};

static int add_samples(const char *path, struct output *out, struct err *err)
{
	struct sweep s = SWEEP_INIT;
	json_t *obj = json_read_file(path, MAX_FILE_BYTES, err);
	int rc;

	if (!obj)
		return err->code;
	rc = sweep_from_json(&s, obj, path, err);
	if (!rc) {
		sweep_table_add(&s, &out->text);
		json_array_append_new(out->sweeps, sweep_to_json(&s));
	}
	json_decref(obj);
	sweep_release(&s);
	return rc;
}

static int add_profile(const char *path, struct output *out, struct err *err)
{
	struct sweep_profile p = SWEEP_PROFILE_INIT;
	json_t *obj = json_read_file(path, MAX_FILE_BYTES, err);
	int rc;

	if (!obj)
		return err->code;
	rc = sweep_profile_from_json(&p, obj, path, err);
	if (!rc) {
		sweep_profile_table_add(&p, &out->text);
		json_array_append_new(out->profiles, sweep_profile_to_json(&p));
	}
	json_decref(obj);
	sweep_profile_release(&p);
	return rc;
}

/* All tables of one kind, a blank line between any two. */
static int add_tables(const struct arg_list *list,
		      int (*add)(const char *, struct output *, struct err *),
		      struct output *out, struct err *err)
{
	for (size_t i = 0; i < list->nr; i++) {
		int rc;

		if (out->text.len)
			str_addch(&out->text, '\n');
		rc = add(list->v[i], out, err);
		if (rc)
			return rc;
	}
	return 0;
}

static void print(struct output *out)
{
	json_t *all;

	if (args_common.json) {
		all = json_object();
		json_object_set(all, "sweeps", out->sweeps);
		json_object_set(all, "profiles", out->profiles);
		str_reset(&out->text);
		json_add_pretty(&out->text, all);
		json_decref(all);
	}
	fwrite(out->text.p, 1, out->text.len, stdout);
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
	struct output out = { .text = STR_INIT };
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
	out.sweeps = json_array();
	out.profiles = json_array();
	rc = add_tables(&samples, add_samples, &out, &err);
	if (!rc)
		rc = add_tables(&profiles, add_profile, &out, &err);
	if (rc)
		fprintf(stderr, "drover sweep: %s\n", err.text);
	else
		print(&out);
	str_release(&out.text);
	json_decref(out.sweeps);
	json_decref(out.profiles);
	return err_exit_code(rc);
}
