// SPDX-License-Identifier: GPL-3.0-or-later
// What a stored calibration is worth to a comparison or bisection of now.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/invariant.h"
#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_calibrate.h"
#include "db/db_calibration.h"

#define DAY_S 86400LL

const char *flow_calibrated_to_str(enum flow_calibrated state)
{
	switch (state) {
	case FLOW_CALIBRATED_OK:
		return "ok";
	case FLOW_CALIBRATED_STALE:
		return "stale";
	case FLOW_CALIBRATED_FAILED:
		return "failed";
	case FLOW_CALIBRATED_NONE:
		break;
	}
	return "none";
}

static bool is_old(const struct daemon *d, const json_t *row, const char *box,
		   struct str *why)
{
	long long age_s = clock_wall_s() - json_opt_int(row, "at_s", 0);
	double max_s = d->cfg.calibrate.max_age_s;

	if ((double)age_s <= max_s)
		return false;
	str_addf(why,
		 "the calibration of box %s is %lld days old "
		 "(calibrate.max_age is %.0f)",
		 box, age_s / DAY_S, max_s / DAY_S);
	return true;
}

/* Another machine behind the name, or another kernel configuration. */
static bool is_of_another(const json_t *row, const char *box, struct str *why)
{
	const char *then = json_opt_str(row, "kconfig", "");
	struct str what = STR_INIT;
	bool other = false;

	if (!invariant_same_box(json_object_get(row, "invariants"),
				json_object_get(row, "box_invariants"),
				&what)) {
		str_addf(why,
			 "box %s is no longer the one that was calibrated: %s",
			 box, what.p);
		other = true;
	} else if (*then &&
		   strcmp(then, json_opt_str(row, "repo_kconfig", "")) != 0) {
		str_addf(why,
			 "box %s was calibrated with another kernel "
			 "configuration or compiler",
			 box);
		other = true;
	}
	str_release(&what);
	return other;
}

static void add_way_out(const char *box, struct str *why)
{
	str_addf(why, "; drover calibrate %s JOB does it anew", box);
}

enum flow_calibrated flow_calibration_judge(const struct daemon *d,
					    const json_t *row, const char *box,
					    struct str *why)
{
	if (!json_is_integer(json_object_get(row, "at_s")))
		return FLOW_CALIBRATED_NONE;
	if (strcmp(json_opt_str(row, "verdict", ""), "ok") != 0) {
		str_addf(why, "box %s failed its calibration: %s", box,
			 json_opt_str(row, "why", ""));
		add_way_out(box, why);
		return FLOW_CALIBRATED_FAILED;
	}
	if (is_of_another(row, box, why) || is_old(d, row, box, why)) {
		add_way_out(box, why);
		return FLOW_CALIBRATED_STALE;
	}
	return FLOW_CALIBRATED_OK;
}

static const char *box_name(const struct flow *f, long long box_id,
			    char name[256])
{
	struct db_stmt *q =
		db_stmt(f->d->db, "SELECT name FROM box WHERE id = ?");

	db_bind_int(q, box_id);
	*name = '\0';
	if (db_step(q, NULL) > 0)
		snprintf(name, 256, "%s", db_col_text(q, 0));
	db_stmt_free(&q);
	return name;
}

static void read_numbers(const json_t *row, struct flow_calibration *c)
{
	double drift = json_opt_num(row, "drift_ratio", 0);

	c->id = json_opt_int(row, "id", 0);
	c->at_s = json_opt_int(row, "at_s", 0);
	c->boots = json_opt_int(row, "boots", 0);
	c->aa_trials = json_opt_int(row, "aa_trials", 0);
	c->aa_alarms = json_opt_int(row, "aa_alarms", 0);
	c->sd = json_opt_num(row, "sd_ratio", 0);
	c->dof = json_opt_num(row, "dof", 1);
	c->boot_share = json_opt_num(row, "boot_share", 1);
	c->layout_sd = json_opt_num(row, "layout_sd_ratio", NAN);
	/* so few boots don't prove that a box stands still */
	if (drift > 0)
		c->drift_sd = drift;
}

/* No calibration of the series: one under another kernel configuration? */
static int look_elsewhere(const struct flow *f, long long box_id,
			  const char *box, struct flow_calibration *c,
			  struct err *err)
{
	long long at_s = 0;
	int rc = db_calibration_elsewhere(f->d->db, flow_int(f, "series_id"),
					  box_id, &at_s, err);

	if (!rc && at_s) {
		c->state = FLOW_CALIBRATED_STALE;
		c->at_s = at_s;
		c->why = xasprintf(
			"box %s was calibrated for this job with another "
			"kernel configuration, compiler or root file system; "
			"drover calibrate %s JOB does it anew",
			box, box);
	}
	return rc;
}

int flow_calibration_get(const struct flow *f, long long box_id,
			 const char *metric, struct flow_calibration *out,
			 struct err *err)
{
	struct flow_calibration c = { .drift_sd = -1, .layout_sd = NAN };
	struct str why = STR_INIT;
	struct err e = { 0 };
	char box[256];
	json_t *row;
	int rc = 0;

	*out = c;
	box_name(f, box_id, box);
	row = db_calibration_for(f->d->db, flow_int(f, "series_id"), box_id,
				 metric, &e);
	if (!row && e.code != ERR_NOTFOUND)
		return err_set(err, e.code, "%s", e.text);
	if (row) {
		c.state = flow_calibration_judge(f->d, row, box, &why);
		read_numbers(row, &c);
		/* a metric that it doesn't know is as good as none */
		if (c.state == FLOW_CALIBRATED_OK && !(c.sd > 0))
			c.state = FLOW_CALIBRATED_NONE;
		else if (c.state != FLOW_CALIBRATED_OK)
			c.why = str_detach(&why);
	} else {
		rc = look_elsewhere(f, box_id, box, &c, err);
	}
	str_release(&why);
	json_decref(row);
	*out = c;
	return rc;
}

void flow_calibration_release(struct flow_calibration *c)
{
	free(c->why);
	c->why = NULL;
}

json_t *flow_calibration_json(const struct flow_calibration *c)
{
	json_t *o =
		json_pack("{s:s}", "state", flow_calibrated_to_str(c->state));

	if (c->at_s)
		json_object_set_new(o, "at_s", json_integer(c->at_s));
	if (c->why)
		json_object_set_new(o, "why",
				    json_text(c->why, strlen(c->why)));
	if (c->state == FLOW_CALIBRATED_OK)
		json_object_update_new(
			o, json_pack("{s:I, s:I, s:I, s:f, s:I}", "boots",
				     (json_int_t)c->boots, "aa_trials",
				     (json_int_t)c->aa_trials, "aa_alarms",
				     (json_int_t)c->aa_alarms, "sd_pct",
				     100 * c->sd, "id", (json_int_t)c->id));
	return o;
}

int flow_calibration_forbids(const struct flow *f, const json_t *boxes,
			     char **out, struct err *err)
{
	const json_t *box;
	size_t i;
	int rc = 0;

	*out = NULL;
	json_array_foreach(boxes, i, box)
	{
		struct flow_calibration c;

		rc = flow_calibration_get(f, json_opt_int(box, "id", 0),
					  flow_text(f, "headline"), &c, err);
		if (!rc && c.why)
			*out = xstrdup(c.why);
		flow_calibration_release(&c);
		if (rc || *out)
			break;
	}
	return rc;
}
