// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of the check by a revert: what their boots brought is stored as it is,
// the engine doesn't see it.
#include <string.h>

#include "daemon/flow_revert.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"

bool flow_revert_is_step(const json_t *step)
{
	const json_t *ask = json_object_get(step, "ask");

	return !strcmp(json_opt_str(ask, "phase", ""), FLOW_REVERT_PHASE);
}

static json_t *result_json(const json_t *ask, const struct flow_boot *boot)
{
	enum bisect_status status = flow_boot_status(boot);
	json_t *values = json_array();
	size_t i;

	for (i = 0; status == BISECT_OK && i < boot->nr; i++)
		json_array_append_new(values, json_real(boot->values[i]));
	return json_pack("{s:s, s:s, s:i, s:s, s:o, s:s}", "commit",
			 json_opt_str(ask, "commit", ""), "box", boot->box,
			 "layout", 0, "status", bisect_status_to_str(status),
			 "values", values, "why", boot->why);
}

static int end_step(const struct flow_bisect *b, const json_t *step,
		    const json_t *result, const char *note, struct err *err)
{
	json_t *posterior = flow_bisect_posterior(b);
	int rc = db_step_end(b->f->d->db, json_opt_int(step, "id", 0), result,
			     posterior, note, err);

	json_decref(posterior);
	return rc ? rc
		  : daemon_event(b->f->d, b->f->job_id, "bisect", err, "%s",
				 note);
}

int flow_revert_take(const struct flow_bisect *b, const json_t *step,
		     const struct flow_boots *boots, struct err *err)
{
	const json_t *ask = json_object_get(step, "ask");
	json_t *result = json_array();
	struct str note = STR_INIT;
	size_t nr = 0;
	size_t i;
	int rc;

	for (i = 0; i < boots->nr; i++) {
		const json_t *boot =
			json_array_get(json_object_get(ask, "boots"), i);

		json_array_append_new(result, result_json(boot, &boots->v[i]));
		nr += flow_boot_status(&boots->v[i]) == BISECT_OK;
	}
	str_addf(&note, "revert of %.*s on head: %zu of %zu boots measured",
		 FLOW_SHA_SHOWN, json_opt_str(ask, "culprit", ""), nr,
		 boots->nr);
	rc = end_step(b, step, result, note.p, err);
	str_release(&note);
	json_decref(result);
	return rc;
}

int flow_revert_stop(const struct flow_bisect *b, struct err *err)
{
	struct err e = { 0 };
	json_t *step = db_step_open(b->f->d->db, b->id, &e);
	json_t *none = json_array();
	int rc = 0;

	if (!step && e.code != ERR_NOTFOUND)
		rc = err_set(err, e.code, "%s", e.text);
	if (step && flow_revert_is_step(step)) {
		rc = db_flow_cancel_queued(b->f->d->db, b->f->id, err);
		if (!rc)
			rc = end_step(b, step, none, "revert: stopped by hand",
				      err);
		rc = rc ? rc : 1;
	}
	json_decref(none);
	json_decref(step);
	return rc;
}
