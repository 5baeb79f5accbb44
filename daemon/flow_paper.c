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

#define LEFT_MAX 50
#define KIB	 1024ULL

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

/* --- which commits -------------------------------------------------------- */

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

/* --- axes and table ------------------------------------------------------- */

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

/* --- the mail's struct ---------------------------------------------------- */

static enum report_kind kind_of(const struct flow_paper *p)
{
	static const struct {
		const char *verdict;
		enum report_kind kind;
	} rows[] = {
		{ "culprit", REPORT_CULPRIT },
		{ "set", REPORT_INCONCLUSIVE },
		{ "inconclusive", REPORT_INCONCLUSIVE },
		{ "range-only", REPORT_RANGE_ONLY },
		{ "not-reproduced", REPORT_NOT_REPRODUCED },
		{ "layout-sensitive", REPORT_LAYOUT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!strcmp(bisect_verdict(p), rows[i].verdict))
			return rows[i].kind;
	}
	return REPORT_COMPARISON;
}

static void add_headline(struct flow_paper *p)
{
	const struct compare_metric *m =
		compare_find(&p->cmp, flow_text(&p->f, "headline"));
	struct report_mail *mail = &p->mail;

	if (m) {
		report_set_headline(mail, m, 1);
	} else {
		const char *name = flow_text(&p->f, "headline");

		mail->metric = *name ? name : flow_text(&p->f, "testcase");
		mail->change = json_opt_num(p->f.row, "change_pct", 0);
		mail->direction =
			strcmp(flow_text(&p->f, "direction"), "lower") ? 1 : -1;
	}
	mail->unchanged =
		!flow_paper_changed(p) && mail->kind != REPORT_NOT_REPRODUCED;
}

static void add_params(struct flow_paper *p)
{
	size_t i;

	p->params = xcalloc(p->axes.nr + 1, sizeof(*p->params));
	for (i = 0; i < p->axes.nr; i++) {
		static const char *const said[] = { "tbox_group", "testcase",
						    "rootfs", "kconfig",
						    "compiler" };
		const struct axis *a = &p->axes.axis[i];
		size_t j = 0;

		while (j < ARRAY_SIZE(said) && strcmp(said[j], a->key) != 0)
			j++;
		if (j == ARRAY_SIZE(said))
			p->params[p->mail.nr_params++] =
				(struct report_param){ a->key, a->value };
	}
	p->mail.param = p->params;
}

static void from_bisect(struct flow_paper *p, const json_t *e)
{
	struct report_confidence *c = &p->mail.confidence;
	static const char *const sides[] = { "before", "after" };
	const json_t *start = json_object_get(p->bisect, "start");
	size_t i;

	c->posterior = json_opt_num(p->bisect, "posterior", NAN);
	c->candidates = json_array_size(json_object_get(start, "commits"));
	c->candidates -= c->candidates > 0;
	c->e_value = json_opt_num(e, "e_value", c->e_value);
	c->effect_pct = 100 * json_opt_num(e, "delta", c->effect_pct / 100);
	c->ci_lo_pct = 100 * json_opt_num(e, "delta_lo", NAN);
	c->ci_hi_pct = 100 * json_opt_num(e, "delta_hi", NAN);
	for (i = 0; i < 2; i++) {
		const json_t *side = json_object_get(e, sides[i]);

		c->boots[i] = (size_t)json_opt_int(side, "boots", 0);
		c->runs[i] = (size_t)json_opt_int(side, "runs", 0);
	}
	if (p->f.uses_kernel)
		c->builds = (size_t)json_opt_int(e, "builds", 0);
	c->runs_budget = (double)json_opt_int(start, "budget_runs", 0);
	if (json_is_number(json_object_get(e, "layout_delta")) &&
	    p->f.uses_kernel && !json_opt_bool(e, "simulated", false))
		c->layout = REPORT_LAYOUT_HOLDS;
	if (p->mail.kind == REPORT_LAYOUT)
		c->layout = REPORT_LAYOUT_GONE;
}

static void add_confidence(struct flow_paper *p)
{
	const json_t *e = json_object_get(p->f.row, "evidence");
	struct report_confidence *c = &p->mail.confidence;
	const json_t *found = json_object_get(p->bisect, "evidence");
	size_t i;

	c->posterior = NAN;
	c->e_value = json_opt_num(p->f.row, "e_value", 0);
	c->e_needed = json_opt_num(e, "e_needed", 100);
	c->effect_pct = json_opt_num(p->f.row, "change_pct", NAN);
	c->ci_lo_pct = json_opt_num(p->f.row, "ci_low_pct", NAN);
	c->ci_hi_pct = json_opt_num(p->f.row, "ci_high_pct", NAN);
	for (i = 0; i < 2; i++) {
		c->boots[i] = p->side[i].boots;
		c->runs[i] = p->side[i].runs;
	}
	if (p->mail.kind != REPORT_COMPARISON && json_object_size(found))
		from_bisect(p, found);
}

static void add_log(struct flow_paper *p)
{
	const json_t *lines =
		json_object_get(json_object_get(p->bisect, "evidence"), "log");
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		if (p->mail.nr_bisect_log < FLOW_PAPER_LOG)
			p->log[p->mail.nr_bisect_log++] =
				json_string_value(line);
	}
	p->mail.bisect_log = p->log;
}

static const char *subject_of(const struct flow_paper *p, const char *sha)
{
	const json_t *commits =
		json_object_get(json_object_get(p->bisect, "start"), "commits");
	const json_t *c;
	size_t i;

	json_array_foreach(commits, i, c)
	{
		if (!strcmp(json_opt_str(c, "sha", ""), sha))
			return json_opt_str(c, "subject", "");
	}
	return "";
}

static void add_left(struct flow_paper *p)
{
	const json_t *e = json_object_get(p->bisect, "evidence");
	const json_t *list =
		json_object_get(json_object_get(e, "posterior"), "candidates");
	size_t nr = (size_t)json_opt_int(e, "candidates_left", 0);
	const json_t *c;
	size_t i;

	if (p->mail.kind != REPORT_INCONCLUSIVE)
		return;
	p->left = xcalloc(LEFT_MAX, sizeof(*p->left));
	json_array_foreach(list, i, c)
	{
		const char *sha = json_opt_str(c, "sha", "");

		if (i >= nr || i >= LEFT_MAX)
			break;
		p->left[p->mail.nr_left++] =
			(struct report_commit){ sha, subject_of(p, sha),
						json_opt_num(c, "posterior",
							     NAN) };
	}
	p->mail.left = p->left;
}

/* --- caveats -------------------------------------------------------------- */

static void add_caveat(struct flow_paper *p, char *text)
{
	if (p->mail.nr_caveats < FLOW_PAPER_CAVEATS)
		p->caveat[p->mail.nr_caveats++] = text;
	else
		free(text);
}

static void add_caveats(struct flow_paper *p)
{
	const json_t *e = json_object_get(p->f.row, "evidence");
	const char *merge_base = flow_text(&p->f, "merge_base");
	struct flow_box_kind kind = { 0 };
	const json_t *name;
	size_t i;

	if (!flow_box_kind(json_object_get(p->f.row, "box_spec"), &kind,
			   NULL) &&
	    kind.simulated)
		add_caveat(p, xstrdup("The test machine is simulated and its "
				      "time is counted in instructions: it "
				      "sees extra work and extra context "
				      "switches, never caches, NUMA latency "
				      "or contention. Code layout can't matter "
				      "there and was not varied."));
	if (*merge_base)
		add_caveat(p, xasprintf("The base is no ancestor of the head "
					"(their merge base is %.12s): the "
					"change may come from either side.",
					merge_base));
	json_array_foreach(json_object_get(e, "new_failures"), i, name)
		add_caveat(p, xasprintf("New in all runs of the head: %s.",
					json_string_value(name)));
	p->mail.caveats = (const char *const *)p->caveat;
}

static int add_differed(struct flow_paper *p, struct err *err)
{
	const json_t *line;
	size_t i;

	p->differ = flow_invariants_differ(&p->f, p->commit_id[0],
					   p->commit_id[1], err);
	if (!p->differ)
		return ERR_IO;
	p->differed =
		xcalloc(json_array_size(p->differ) + 1, sizeof(*p->differed));
	json_array_foreach(p->differ, i, line)
		p->differed[p->mail.nr_differed++] = json_string_value(line);
	p->mail.differed = p->differed;
	p->mail.invariants_checked = p->side[0].boots && p->side[1].boots;
	return 0;
}

static void add_words(struct flow_paper *p)
{
	const struct config *cfg = &p->f.d->cfg;
	struct report_mail *m = &p->mail;

	m->kind = kind_of(p);
	m->commit = (struct report_commit){ p->sha[1], p->subject[1], NAN };
	m->base = (struct report_commit){ p->sha[0], p->subject[0], NAN };
	m->tree = or_null(flow_text(&p->f, "repo"));
	m->tree_url = or_null(flow_text(&p->f, "repo_url"));
	m->branch = or_null(flow_text(&p->f, "repo_branch"));
	m->testcase = flow_text(&p->f, "testcase");
	m->config = or_null(p->config.p);
	m->compiler = or_null(flow_text(&p->f, "compiler"));
	m->machine = or_null(p->machine.p);
	m->tables = p->table.p;
	m->ascii = cfg->mail.ascii;
	if (*cfg->mail.from) {
		m->reported_by = cfg->mail.from;
		m->contact = cfg->mail.from;
	}
	m->lab_url = or_null(cfg->web_base_url);
	/* an accusation needs the culprit itself on the table */
	if (m->kind == REPORT_CULPRIT && !p->culprit)
		m->kind = REPORT_INCONCLUSIVE;
}

int flow_paper_open(struct daemon *d, long long comparison_id,
		    struct flow_paper *out, struct err *err)
{
	struct flow_paper p = { .cmp = COMPARISON_INIT, .axes = AXES_INIT };
	int rc;

	*out = p;
	str_init(&out->table);
	str_init(&out->machine);
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
		add_words(out);
		add_headline(out);
		add_params(out);
		add_confidence(out);
		add_log(out);
		add_left(out);
		add_caveats(out);
		rc = add_differed(out, err);
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
	str_release(&p->config);
	json_decref(p->differ);
	free(p->differed);
	free(p->params);
	free(p->left);
	json_decref(p->bisect);
	flow_close(&p->f);
}
