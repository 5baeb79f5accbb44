// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about one comparison, as the struct that report/ words.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_paper.h"

#define LEFT_MAX 50

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static const char *bisect_verdict(const struct flow_paper *p)
{
	return json_opt_str(p->bisect, "verdict", "");
}

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

static void from_range(struct flow_paper *p)
{
	struct report_confidence *c = &p->mail.confidence;
	const json_t *start = json_object_get(p->bisect, "start");

	c->candidates = json_array_size(json_object_get(start, "commits"));
	c->candidates -= c->candidates > 0;
	c->candidates = (size_t)json_opt_int(start, "nr_commits",
					     (long long)c->candidates);
	c->runs_budget = (double)json_opt_int(start, "budget_runs", 0);
	c->range[0] = or_null(flow_text(&p->f, "base_sha"));
	c->range[1] = or_null(flow_text(&p->f, "head_sha"));
}

/* What a search measured is said in place of what the comparison did. */
static void from_bisect(struct flow_paper *p, const json_t *e)
{
	struct report_confidence *c = &p->mail.confidence;
	static const char *const sides[] = { "before", "after" };
	size_t i;

	c->posterior = json_opt_num(p->bisect, "posterior", NAN);
	c->e_value = json_opt_num(e, "e_value", c->e_value);
	c->effect_pct = 100 * json_opt_num(e, "delta", c->effect_pct / 100);
	c->ci_lo_pct = 100 * json_opt_num(e, "delta_lo", NAN);
	c->ci_hi_pct = 100 * json_opt_num(e, "delta_hi", NAN);
	for (i = 0; i < 2; i++) {
		const json_t *side = json_object_get(e, sides[i]);

		c->table_boots[i] = c->boots[i];
		c->table_runs[i] = c->runs[i];
		c->boots[i] = (size_t)json_opt_int(side, "boots", 0);
		c->runs[i] = (size_t)json_opt_int(side, "runs", 0);
	}
	if (p->f.uses_kernel)
		c->builds = (size_t)json_opt_int(e, "builds", 0);
	c->revert =
		or_null(json_opt_str(json_object_get(e, "revert"), "say", ""));
	if (json_is_number(json_object_get(e, "layout_delta")) &&
	    p->f.uses_kernel && !json_opt_bool(e, "simulated", false))
		c->layout = REPORT_LAYOUT_HOLDS;
	if (p->mail.kind == REPORT_LAYOUT)
		c->layout = REPORT_LAYOUT_GONE;
}

/* As it was when the verdict was found. */
static void from_calibration(struct flow_paper *p, const json_t *k)
{
	struct report_confidence *c = &p->mail.confidence;
	long long then_s = json_opt_int(k, "at_s", 0);
	long long now_s = json_opt_int(p->f.row, "created_s", then_s);

	c->aa_boots = (size_t)json_opt_int(k, "boots", 0);
	c->aa_trials = (size_t)json_opt_int(k, "aa_trials", 0);
	c->aa_alarms = (size_t)json_opt_int(k, "aa_alarms", 0);
	c->aa_sd_pct = json_opt_num(k, "sd_pct", 0);
	c->aa_days = now_s > then_s ? (double)(now_s - then_s) / 86400 : 0;
	c->aa_stale = *json_opt_str(k, "why", "") != '\0';
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
	c->detectable_pct = json_opt_num(e, "detectable_pct", 0);
	for (i = 0; i < 2; i++) {
		c->boots[i] = p->side[i].boots;
		c->runs[i] = p->side[i].runs;
	}
	from_calibration(p, json_object_get(e, "calibration"));
	if (p->mail.kind == REPORT_COMPARISON || !json_object_size(found))
		return;
	from_range(p);
	/* one that was too dear to begin with measured nothing */
	if (json_opt_int(found, "boots", 0) > 0)
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
		p->left[p->mail.nr_left++] = (struct report_commit){
			sha, flow_subject(&p->f, p->bisect, sha),
			json_opt_num(c, "posterior", NAN)
		};
	}
	p->mail.left = p->left;
}

/* --- caveats --- */

static void add_caveat(struct flow_paper *p, char *text)
{
	if (p->mail.nr_caveats < FLOW_PAPER_CAVEATS)
		p->caveat[p->mail.nr_caveats++] = text;
	else
		free(text);
}

/* A second change in the range: the culprit isn't all there is. */
static void add_rest(struct flow_paper *p)
{
	const json_t *e = json_object_get(p->bisect, "evidence");
	const json_t *rest = json_object_get(e, "rest_delta");

	if (json_is_number(rest))
		add_caveat(p, xasprintf("The culprit doesn't explain all of "
					"the change over the range: %+.1f%% "
					"come from another of its commits, "
					"which was not searched for.",
					100 * json_number_value(rest)));
}

static void add_revert_caveat(struct flow_paper *p)
{
	const json_t *found = json_object_get(p->bisect, "evidence");
	const json_t *revert = json_object_get(found, "revert");

	if (!strcmp(json_opt_str(revert, "outcome", ""), "not-back"))
		add_caveat(p, xstrdup("With this commit reverted the head is "
				      "not what it was before: the commit "
				      "alone may not explain the change."));
}

static void add_caveats(struct flow_paper *p)
{
	const json_t *e = json_object_get(p->f.row, "evidence");
	const char *merge_base = flow_text(&p->f, "merge_base");
	const char *stale =
		json_opt_str(json_object_get(e, "calibration"), "why", "");
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
	if (*stale)
		add_caveat(p, xasprintf("The noise of the test machine was "
					"estimated from these boots alone, and "
					"no commit is accused: %s.",
					stale));
	add_rest(p);
	add_revert_caveat(p);
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
	flow_folder_add_command(p, &p->command);
	m->command = or_null(p->command.p);
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

int flow_paper_words(struct flow_paper *p, struct err *err)
{
	add_words(p);
	add_headline(p);
	add_params(p);
	add_confidence(p);
	add_log(p);
	add_left(p);
	add_caveats(p);
	return add_differed(p, err);
}
