// SPDX-License-Identifier: GPL-3.0-or-later
// Op calibrations: what is known of boxes. They are begun by op submit.
#include <string.h>

#include "daemon/flow_calibrate.h"
#include "daemon/ops.h"
#include "db/db_box.h"
#include "db/db_calibration.h"

/* Under way, ended without a result, or what it is worth now. */
static const char *state_of(const struct daemon *d, const json_t *row,
			    struct str *why)
{
	const char *state = json_opt_str(row, "state", "");

	if (!strcmp(state, "new"))
		return "queued";
	if (!strcmp(state, "failed"))
		return "no result";
	if (strcmp(state, "done") != 0)
		return state;
	if (!json_opt_int(row, "newest", 0))
		return "old";
	return flow_calibrated_to_str(flow_calibration_judge(
		d, row, json_opt_str(row, "box", ""), why));
}

/* Replace what only the judgement needs by the judgement. */
static void judge(const struct daemon *d, json_t *row)
{
	static const char *const inner[] = { "newest", "kconfig",
					     "repo_kconfig", "invariants",
					     "box_invariants" };
	struct str why = STR_INIT;
	size_t i;

	json_object_set_new(row, "state", json_string(state_of(d, row, &why)));
	if (why.len)
		json_object_set_new(row, "why", json_text(why.p, why.len));
	for (i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		json_object_del(row, inner[i]);
	str_release(&why);
}

json_t *op_calibration_rows(struct daemon *d, long long box_id, long long id,
			    struct err *err)
{
	json_t *rows = db_calibration_list(d->db, box_id, id, err);
	json_t *row;
	size_t i = 0;

	while ((row = json_array_get(rows, i))) {
		judge(d, row);
		if (!id && !strcmp(json_opt_str(row, "state", ""), "old"))
			json_array_remove(rows, i);
		else
			i++;
	}
	return rows;
}

static json_t *show_one(struct daemon *d, long long id, struct err *err)
{
	json_t *rows = op_calibration_rows(d, 0, id, err);
	json_t *row = json_array_get(rows, 0);
	json_t *metrics = row ? db_calibration_metrics(d->db, id, err) : NULL;
	json_t *reply = NULL;

	if (metrics) {
		json_object_set_new(row, "metrics", metrics);
		reply = json_pack("{s:O}", "calibration", row);
	} else if (rows && !row) {
		err_set(err, ERR_NOTFOUND,
			"no calibration %lld (drover calibrate --list)", id);
	}
	json_decref(rows);
	return reply;
}

json_t *op_calibrations(struct client *c, const json_t *request,
			struct err *err)
{
	const char *name = json_opt_str(request, "box", "");
	long long id = json_opt_int(request, "id", 0);
	struct db_box box = { 0 };
	json_t *rows;

	if (id)
		return show_one(c->d, id, err);
	if (*name && db_box_find(c->d->db, name, &box, err))
		return NULL;
	rows = op_calibration_rows(c->d, box.id, 0, err);
	db_box_release(&box);
	return rows ? json_pack("{s:o}", "calibrations", rows) : NULL;
}
