// SPDX-License-Identifier: GPL-3.0-or-later
// The flows' front: who looks at a comparison when, in which state.
#include "daemon/flow.h"

#include <string.h>

#include "base/clock.h"
#include "daemon/flow_calibrate.h"
#include "daemon/outcome.h"
#include "db/db_flow.h"
#include "db/db_job.h"
#include "db/db_plan.h"

static int look(const struct flow *f, struct err *err)
{
	const char *state = flow_text(f, "state");

	if (flow_is_calibration(f))
		return flow_calibrate_look(f, err);
	if (!strcmp(state, "new"))
		return flow_compare_start(f, err);
	if (!strcmp(state, "running"))
		return flow_compare_look(f, err);
	if (!strcmp(state, "bisecting"))
		return flow_bisect_look(f, err);
	return 0;
}

static int look_at(struct daemon *d, long long comparison_id, struct err *err)
{
	struct flow f;
	int rc = flow_open(d, comparison_id, &f, err);

	if (rc)
		return rc;
	rc = look(&f, err);
	flow_close(&f);
	return rc;
}

int flow_job_report(struct daemon *d, long long job_id, struct err *err)
{
	struct err why = { 0 };
	int rc = db_part_begin(d->db, err);
	int failed;

	if (rc)
		return rc;
	failed = flow_report_job(d, job_id, &why);
	rc = db_part_settle(d->db, failed, &why, err);
	if (rc || !failed)
		return rc;
	daemon_log("job %lld: its report can't be written: %s", job_id,
		   why.text);
	return daemon_event(d, job_id, "failed", err,
			    "the report can't be written and is not mailed: "
			    "%s; drover report %lld shows it",
			    why.text, job_id);
}

int flow_after_verdict(const struct flow *f, struct err *err)
{
	struct flow now;
	int rc = flow_open(f->d, f->id, &now, err);

	if (rc)
		return rc;
	if (!strcmp(flow_text(&now, "state"), "bisecting"))
		rc = flow_bisect_look(&now, err);
	else
		rc = flow_job_report(f->d, f->job_id, err);
	flow_close(&now);
	return rc;
}

int flow_comparison_start(struct daemon *d, long long comparison_id,
			  struct err *err)
{
	return look_at(d, comparison_id, err);
}

int flow_plan_ended(struct daemon *d, long long plan_id, struct err *err)
{
	struct db_plan plan;
	long long comparison_id;
	int rc = db_plan_get(d->db, plan_id, &plan, err);

	comparison_id = plan.comparison_id;
	db_plan_release(&plan);
	return rc ? rc : look_at(d, comparison_id, err);
}

static int resume_one(struct daemon *d, long long comparison_id,
		      struct err *err)
{
	struct db_comparison c = { 0 };
	struct err why = { 0 };
	int rc = db_part_begin(d->db, err);
	int failed;

	if (rc)
		return rc;
	failed = look_at(d, comparison_id, &why);
	rc = db_part_settle(d->db, failed, &why, err);
	/* what can't go on must not keep the daemon from starting */
	if (!rc && failed)
		rc = outcome_flow_failed(d, comparison_id, why.text, err);
	if (!rc)
		rc = db_comparison_get(d->db, comparison_id, &c, err);
	if (!rc)
		rc = outcome_job(d, c.job_id, err);
	db_comparison_release(&c);
	return rc;
}

int flow_resume(struct daemon *d, struct err *err)
{
	json_t *ids = db_flow_comparisons(d->db, 0, err);
	const json_t *row;
	size_t i;
	int rc = ids ? 0 : ERR_IO;

	json_array_foreach(ids, i, row)
	{
		rc = resume_one(d, json_opt_int(row, "id", 0), err);
		if (rc)
			break;
	}
	json_decref(ids);
	return rc;
}
