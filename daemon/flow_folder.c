// SPDX-License-Identifier: GPL-3.0-or-later
// The artifact folder of a report: all that is needed to check it, and to
// measure again.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/flow_paper.h"
#include "db/db_plan.h"
#include "jobs/workload.h"
#include "report/compare_json.h"
#include "runners/quote.h"

#define FOLDER_MODE 0755
#define FILE_MODE   0644
#define SCRIPT_MODE 0755
#define LOG_LINES   2000

char *flow_folder_path(const struct daemon *d, const char *id)
{
	return xasprintf("%s/reports/%s", d->cfg.artifact_dir, id);
}

static int put(const char *dir, const char *name, const char *text, mode_t mode,
	       struct err *err)
{
	char *path = file_join(dir, name);
	int rc = file_write_if_changed(path, text, strlen(text), mode, NULL,
				       err);

	free(path);
	return rc;
}

static int put_json(const char *dir, const char *name, json_t *value,
		    struct err *err)
{
	struct str text = STR_INIT;
	int rc;

	json_add_pretty(&text, value);
	json_decref(value);
	rc = put(dir, name, text.p, FILE_MODE, err);
	str_release(&text);
	return rc;
}

static int put_side(const struct flow_paper *p, const char *dir, int i,
		    struct err *err)
{
	char *sub = file_join(dir, i ? "head" : "base");
	int rc = file_mkdirs(sub, FOLDER_MODE, err);

	if (!rc)
		rc = put_json(sub, "matrix.json",
			      matrix_to_json(&p->side[i].matrix), err);
	free(sub);
	return rc;
}

/* {"axes", "commits", "runs"} as axes_from_json reads it. */
static json_t *axes_json(const struct flow_paper *p)
{
	const struct axes *a = &p->axes;
	json_t *axes = json_object();
	json_t *commits = json_array();
	json_t *runs = json_array();
	size_t i;

	for (i = 0; i < a->nr; i++)
		json_object_set_new(
			axes, a->axis[i].key,
			json_text(a->axis[i].value, strlen(a->axis[i].value)));
	for (i = 0; i < a->nr_commits; i++) {
		const struct axes_commit *c = &a->commit[i];

		json_array_append_new(
			commits,
			json_pack("{s:s, s:s, s:o}", "id", p->sha[i], "abbrev",
				  c->abbrev, "subject",
				  json_text(c->subject, strlen(c->subject))));
		json_array_append_new(runs, json_integer((json_int_t)c->runs));
	}
	return json_pack("{s:o, s:o, s:o}", "axes", axes, "commits", commits,
			 "runs", runs);
}

/* The kernel configuration of the head's artifact, where one was built. */
static int put_config(const struct flow_paper *p, const char *dir,
		      struct err *err)
{
	struct db_artifact a = { 0 };
	char *from, *to, *slash;
	long long id = 0;
	int rc = 0;

	if (!p->f.uses_kernel)
		return 0;
	rc = db_artifact_want(p->f.d->db, p->commit_id[1], 0, &id, err);
	if (!rc)
		rc = db_artifact_get(p->f.d->db, id, &a, err);
	slash = a.kernel_path ? strrchr(a.kernel_path, '/') : NULL;
	if (!rc && slash) {
		*slash = '\0';
		from = file_join(a.kernel_path, "config");
		to = file_join(dir, "config");
		if (file_exists(from) && !file_exists(to))
			rc = file_copy(from, to, err);
		free(from);
		free(to);
	}
	db_artifact_release(&a);
	return rc;
}

static int put_log(const struct flow_paper *p, const char *dir, struct err *err)
{
	struct bisect *engine;
	struct str text = STR_INIT;
	int rc;

	if (!p->bisect)
		return 0;
	engine = bisect_from_json(json_object_get(p->bisect, "engine"), err);
	if (!engine)
		return 0;
	bisect_add_log(engine, LOG_LINES, &text);
	bisect_free(engine);
	rc = put(dir, "bisect.log", text.p, FILE_MODE, err);
	str_release(&text);
	return rc;
}

/* As run on the box. */
void flow_folder_add_command(const struct flow_paper *p, struct str *out)
{
	const json_t *hw = json_object_get(p->f.row, "box_hw");
	struct workload_box box = {
		.nr_cpus = (unsigned)json_opt_int(hw, "nr_cpus", 1),
		.nr_nodes = (unsigned)json_opt_int(hw, "nodes", 1),
	};
	struct workload_argv argv = { 0 };
	struct err err = { 0 };
	struct job job;

	if (!job_from_json(json_object_get(p->f.row, "job"), &job, &err) &&
	    !workload_command(&job, &box, &argv, &err))
		quote_add_argv(out, (const char *const *)argv.v);
	workload_argv_release(&argv);
	job_release(&job);
}

static void add_kernels(const struct flow_paper *p, struct str *out)
{
	static const char *const names[] = { "base", "head" };
	int i;

	str_add(out, "# 1. The two kernels: each in a folder of its own, with "
		     "the file \"config\"\n# that lies beside this script.\n");
	str_add(out, "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
		     "tree=${1:?usage: reproduce KERNEL-TREE}\n");
	for (i = 0; i < 2; i++)
		str_addf(out,
			 "git -C \"$tree\" worktree add --detach "
			 "\"$PWD/%s\" %s\n"
			 "cp \"$here/config\" %s/.config\n"
			 "make -C %s olddefconfig && make -C %s -j\"$(nproc)\" "
			 "bzImage\n",
			 names[i], p->sha[i], names[i], names[i], names[i]);
}

void flow_folder_script(const struct flow_paper *p, const char *id,
			struct str *out)
{
	int i;

	str_add(out, "#!/bin/sh\n");
	str_addf(out, "# Measure again what report %s is about.\nset -eu\n",
		 id);
	for (i = 0; i < 2; i++) {
		str_addf(out, "# %s: ", i ? "head" : "base");
		flow_add_commit(out, p->sha[i], p->subject[i]);
		str_addch(out, '\n');
	}
	if (p->f.uses_kernel)
		add_kernels(p, out);
	str_addf(out,
		 "# %s Boot base and head in turns, each a few times; in each "
		 "boot run this in an\n# empty folder and compare the means of "
		 "the boots:\n",
		 p->f.uses_kernel ? "2." : "1.");
	str_add(out, "cat <<'END'\n");
	if (p->command.len)
		str_addf(out, "\t%s\n", p->command.p);
	else
		str_add(out, "# the job can't be written as one command\n");
	str_add(out, "END\n");
}

static int put_all(const struct flow_paper *p, const char *dir, const char *id,
		   const char *text, struct err *err)
{
	struct str script = STR_INIT;
	int rc;

	flow_folder_script(p, id, &script);
	rc = put(dir, "report.txt", text, FILE_MODE, err);
	if (!rc)
		rc = put_side(p, dir, 0, err);
	if (!rc)
		rc = put_side(p, dir, 1, err);
	if (!rc)
		rc = put_json(dir, "axes.json", axes_json(p), err);
	if (!rc)
		rc = put_json(
			dir, "compare.json",
			compare_to_json(&p->axes, &p->cmp, COMPARE_SHOW_ALL),
			err);
	if (!rc)
		rc = put(dir, "job.yaml", flow_text(&p->f, "yaml"), FILE_MODE,
			 err);
	if (!rc)
		rc = put_config(p, dir, err);
	if (!rc)
		rc = put(dir, "reproduce", script.p, SCRIPT_MODE, err);
	if (!rc)
		rc = put_log(p, dir, err);
	str_release(&script);
	return rc;
}

int flow_folder_write(const struct flow_paper *p, const char *id,
		      const char *text, char **out_path, struct err *err)
{
	char *dir = flow_folder_path(p->f.d, id);
	int rc = file_mkdirs(dir, FOLDER_MODE, err);

	if (!rc)
		rc = put_all(p, dir, id, text, err);
	if (rc)
		free(dir);
	else
		*out_path = dir;
	return rc;
}
