// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about one comparison, from the database into the struct
// that report/ words.
#include "daemon/flow_paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "db/db_flow_bisect.h"
#include "report/lkp_table.h"

#define KIB 1024ULL

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

const char *flow_paper_verdict(const struct flow_paper *p)
{
	return flow_text(&p->f, "verdict");
}

bool flow_paper_changed(const struct flow_paper *p)
{
	const char *v = flow_paper_verdict(p);

	return !strcmp(v, "regression") || !strcmp(v, "improvement");
}

/* --- which commits --- */

static void set_side(struct flow_paper *p, int i, const char *sha,
		     const char *subject, long long id)
{
	snprintf(p->sha[i], sizeof(p->sha[i]), "%s", sha);
	free(p->subject[i]);
	p->subject[i] = xstrdup(subject);
	p->commit_id[i] = id;
}

static int set_commit(struct flow_paper *p, const struct repo *repo, int i,
		      const char *sha, struct err *err)
{
	struct repo_commit c = { 0 };
	long long id = 0;
	int rc = flow_commit_id(&p->f, repo, sha, &id, err);

	if (!rc)
		rc = repo_commit_read(repo, sha, &c, err);
	if (!rc)
		set_side(p, i, sha, c.subject, id);
	repo_commit_release(&c);
	return rc;
}

/* The culprit and its first parent. */
static int culprit_sides(struct flow_paper *p, const char *sha, struct err *err)
{
	struct repo *repo = repo_open(flow_text(&p->f, "repo_path"), err);
	struct repo_commit c = { 0 };
	int rc;

	if (!repo)
		return ERR_NOTFOUND;
	rc = repo_commit_read(repo, sha, &c, err);
	if (!rc && !c.parents.nr)
		rc = err_set(err, ERR_NOTFOUND, "%s has no parent", sha);
	if (!rc)
		rc = set_commit(p, repo, 0, c.parents.v[0], err);
	if (!rc)
		rc = set_commit(p, repo, 1, sha, err);
	repo_commit_release(&c);
	repo_free(repo);
	return rc;
}

static const char *bisect_verdict(const struct flow_paper *p)
{
	return json_opt_str(p->bisect, "verdict", "");
}

/* First of the commits that the bisection names, or NULL. */
static const char *named_commit(const struct flow_paper *p)
{
	return json_string_value(
		json_array_get(json_object_get(p->bisect, "commits"), 0));
}

static void choose_sides(struct flow_paper *p)
{
	const struct flow *f = &p->f;
	const char *sha = named_commit(p);

	set_side(p, 0, flow_text(f, "base_sha"), flow_text(f, "base_subject"),
		 flow_int(f, "base_id"));
	set_side(p, 1, flow_text(f, "head_sha"), flow_text(f, "head_subject"),
		 flow_int(f, "head_id"));
	p->culprit = sha && !strcmp(bisect_verdict(p), "culprit");
	/* a repository that is gone leaves the two ends to talk about */
	if (p->culprit && culprit_sides(p, sha, NULL))
		p->culprit = false;
}

static int load_samples(struct flow_paper *p, bool all, struct err *err)
{
	int rc;

	flow_side_release(&p->side[0]);
	flow_side_release(&p->side[1]);
	rc = flow_side_load(&p->f, p->commit_id[0], all, &p->side[0], err);
	if (!rc)
		rc = flow_side_load(&p->f, p->commit_id[1], all, &p->side[1],
				    err);
	return rc;
}

static int load_sides(struct flow_paper *p, struct err *err)
{
	const struct matrix *m[] = { &p->side[0].matrix, &p->side[1].matrix };
	const struct flow *f = &p->f;
	size_t runs[2];
	int rc;

	choose_sides(p);
	rc = load_samples(p, p->culprit, err);
	if (!rc && p->culprit && (!p->side[0].runs || !p->side[1].runs)) {
		/* the parent was never measured: show the two ends */
		set_side(p, 0, flow_text(f, "base_sha"),
			 flow_text(f, "base_subject"), flow_int(f, "base_id"));
		rc = load_samples(p, true, err);
	}
	if (rc)
		return rc;
	runs[0] = p->side[0].runs + p->side[0].failed;
	runs[1] = p->side[1].runs + p->side[1].failed;
	return compare_matrices(&p->cmp, m, 2, runs, flow_text(f, "testcase"),
				err);
}

/* --- axes and table --- */

static char *value_text(const json_t *value)
{
	struct str s = STR_INIT;

	if (json_is_string(value))
		return xstrdup(json_string_value(value));
	json_add_text(&s, value);
	return str_detach(&s);
}

static void add_axis(struct axes *a, const char *key, const char *value)
{
	/* a parameter may bear the name of an axis: the first one stays */
	if (*value)
		axes_add(a, key, value, NULL);
}

static void add_axes(struct flow_paper *p)
{
	static const char *const keys[] = { "tbox_group", "testcase", "rootfs",
					    "compiler" };
	json_t *params =
		json_object_get(json_object_get(p->f.row, "job"), "params");
	const char *key;
	json_t *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		add_axis(&p->axes, keys[i], flow_text(&p->f, keys[i]));
	add_axis(&p->axes, "kconfig", p->config.p);
	json_object_foreach(params, key, value)
	{
		char *text = value_text(value);

		add_axis(&p->axes, key, text);
		free(text);
	}
	for (i = 0; i < 2; i++)
		axes_add_commit(&p->axes, p->sha[i], p->subject[i],
				p->side[i].runs + p->side[i].failed, NULL);
}

static void add_table(struct flow_paper *p)
{
	struct lkp_table table = { .axes = &p->axes,
				   .comparison = &p->cmp,
				   .show = COMPARE_SHOW_CHANGED,
				   .ascii = p->f.d->cfg.mail.ascii };

	if (!lkp_table_add(&table, &p->table))
		str_addf(&p->table, "0 of %zu metrics changed\n\n", p->cmp.nr);
}

/* kconfig fragments by their names: "lab-slim+debug". */
static void add_config(struct flow_paper *p)
{
	char *copy = xstrdup(flow_text(&p->f, "kconfig"));
	char *rest = copy;
	char *word;

	while ((word = strsep(&rest, "\n"))) {
		char *slash = strrchr(word, '/');

		if (*word)
			str_addf(&p->config, "%s%s", p->config.len ? "+" : "",
				 slash ? slash + 1 : word);
	}
	free(copy);
}

static void add_machine(struct flow_paper *p)
{
	const json_t *hw = json_object_get(p->f.row, "box_hw");
	const json_t *spec = json_object_get(p->f.row, "box_spec");
	struct report_machine m = {
		.threads = (unsigned)json_opt_int(hw, "nr_cpus", 0),
		.sockets = (unsigned)json_opt_int(hw, "sockets", 0),
		.nodes = (unsigned)json_opt_int(hw, "nodes", 0),
		.model = or_null(json_opt_str(hw, "model", "")),
		.memory_bytes =
			(unsigned long long)json_opt_int(hw, "memory_kib", 0) *
			KIB,
	};

	report_add_machine(&p->machine, &m);
	if (!p->machine.len)
		str_add_term(&p->machine,
			     json_opt_str(spec, "description",
					  flow_text(&p->f, "box")),
			     false);
}

int flow_paper_open(struct daemon *d, long long comparison_id,
		    struct flow_paper *out, struct err *err)
{
	struct flow_paper p = { .cmp = COMPARISON_INIT, .axes = AXES_INIT };
	int rc;

	*out = p;
	str_init(&out->table);
	str_init(&out->machine);
	str_init(&out->command);
	str_init(&out->config);
	rc = flow_open(d, comparison_id, &out->f, err);
	if (rc)
		return rc;
	out->bisect = db_bisect_of(d->db, comparison_id, NULL);
	rc = load_sides(out, err);
	if (!rc) {
		add_config(out);
		add_machine(out);
		add_axes(out);
		add_table(out);
		rc = flow_paper_words(out, err);
	}
	return rc;
}

void flow_paper_close(struct flow_paper *p)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		free(p->subject[i]);
		flow_side_release(&p->side[i]);
	}
	for (i = 0; i < FLOW_PAPER_CAVEATS; i++)
		free(p->caveat[i]);
	compare_release(&p->cmp);
	axes_release(&p->axes);
	str_release(&p->table);
	str_release(&p->machine);
	str_release(&p->command);
	str_release(&p->config);
	json_decref(p->differ);
	free(p->differed);
	free(p->params);
	free(p->left);
	json_decref(p->bisect);
	flow_close(&p->f);
}
