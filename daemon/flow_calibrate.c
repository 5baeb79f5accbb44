// SPDX-License-Identifier: GPL-3.0-or-later
// The calibration flow: the same kernel booted again and again on one box, with
// further code layouts of it in between.
#include "daemon/flow_calibrate.h"

#include <string.h>

#include "base/clock.h"
#include "db/db_calibration.h"
#include "db/db_flow.h"
#include "db/db_job.h"

bool flow_is_calibration(const struct flow *f)
{
	return json_opt_int(f->options, "calibrate", 0) > 0;
}

/* --- its boots --- */

static int want_boot(const struct flow *f, long long layout, struct err *err)
{
	struct flow_want want = { .commit_id = flow_int(f, "base_id"),
				  .box_id = flow_int(f, "box_id"),
				  .layout = layout,
				  .nr_runs = flow_runs_per_boot(f),
				  .uses_kernel = f->uses_kernel };

	return flow_want_boot(f, &want, err);
}

/* Boots of other layouts stand evenly between the others, so that a box that
 * moves doesn't look like a layout. */
static int add_boots(const struct flow *f, long long boots, long long layouts,
		     struct err *err)
{
	long long more = layouts * FLOW_LAYOUT_BOOTS;
	long long done = 0;
	long long i;
	int rc = 0;

	for (i = 0; !rc && i < boots; i++) {
		rc = want_boot(f, 0, err);
		while (!rc && done * boots < (i + 1) * more - more / 2 &&
		       done < more)
			rc = want_boot(f, 1 + done++ % layouts, err);
	}
	while (!rc && done < more)
		rc = want_boot(f, 1 + done++ % layouts, err);
	return rc;
}

/* Other code layouts mean other builds, and cost no instruction. */
static int may_vary_layout(const struct flow *f, bool *out, struct err *err)
{
	struct flow_box_kind kind = { 0 };
	int rc = flow_box_kind(json_object_get(f->row, "box_spec"), &kind, err);

	*out = kind.uses_kernel && !kind.simulated;
	return rc;
}

static int start(const struct flow *f, const json_t *row, struct err *err)
{
	long long boots = json_opt_int(row, "nr_boots", 0);
	long long layouts = json_opt_int(row, "nr_layouts", 0);
	bool varies = false;
	int rc = may_vary_layout(f, &varies, err);

	if (!varies)
		layouts = 0;
	if (!rc)
		rc = add_boots(f, boots, layouts, err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "running", "",
					     clock_wall_s(), err);
	if (rc)
		return rc;
	return daemon_event(f->d, f->job_id, "stage", err,
			    "calibrating box %s for %s: %lld boots of %.12s, "
			    "%lld run%s each%s",
			    flow_text(f, "box"), flow_text(f, "path"), boots,
			    flow_text(f, "base_sha"), flow_runs_per_boot(f),
			    flow_runs_per_boot(f) == 1 ? "" : "s",
			    layouts ? ", and some of other code layouts" : "");
}

/* --- its end --- */

int flow_calibrate_fail(const struct flow *f, const char *why, struct err *err)
{
	int rc = db_flow_cancel_queued(f->d->db, f->id, err);

	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "failed", why,
					     clock_wall_s(), err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "failed", err,
				  "calibration of box %s: %s",
				  flow_text(f, "box"), why);
	return rc;
}

/* A kernel that doesn't build never will: the rest is not waited for. */
static const char *hopeless(const struct flow_boots *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++) {
		if (!b->v[i].layout && !strcmp(b->v[i].state, "failed") &&
		    !strcmp(b->v[i].failure, "build"))
			return b->v[i].why;
	}
	return NULL;
}

static int look(const struct flow *f, const json_t *row, struct err *err)
{
	struct flow_boots boots;
	const char *why;
	int rc = flow_boots_load(f, 0, "", &boots, err);

	if (rc)
		return rc;
	why = hopeless(&boots);
	if (why)
		rc = flow_calibrate_fail(f, why, err);
	else if (!flow_boots_open(&boots))
		rc = flow_calibrate_evaluate(f, row, err);
	flow_boots_release(&boots);
	return rc;
}

int flow_calibrate_look(const struct flow *f, struct err *err)
{
	json_t *row = db_calibration_of(f->d->db, f->id, err);
	const char *state = flow_text(f, "state");
	int rc = 0;

	if (!row)
		return err ? err->code : ERR_NOTFOUND;
	if (!strcmp(state, "new"))
		rc = start(f, row, err);
	else if (!strcmp(state, "running"))
		rc = look(f, row, err);
	json_decref(row);
	return rc;
}
