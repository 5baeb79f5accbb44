// SPDX-License-Identifier: GPL-3.0-or-later
// Checking and storing what a run worker measured.
#include "daemon/ingest_run.h"

#include <string.h>

#include "analysis/kpi.h"
#include "db/db_sample.h"
#include "jobs/metric.h"

#define RUNS_MAX     1000
#define BOOT_ID_MAX  64
#define BUILD_ID_MAX 128

/*
 * What the rows are checked against. @benchmark: whose headlines go to the
 * trends, @build_id: of the artifact, "" for none.
 */
struct context {
	struct daemon *d;
	const struct db_attempt *a;
	const char *benchmark;
	const char *build_id;
	long long boot_row;
};

static json_t *read_context(struct daemon *d, long long plan_id,
			    struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT s.testcase, "
		       "json_extract(s.job_json, '$.workload') AS workload, "
		       "a.build_id FROM plan p "
		       "JOIN comparison c ON c.id = p.comparison_id "
		       "JOIN series s ON s.id = c.series_id "
		       "LEFT JOIN artifact a ON a.id = p.artifact_id "
		       "WHERE p.id = ?");

	db_bind_int(q, plan_id);
	return db_row(q, err);
}

static int store_boot(struct context *c, const json_t *boot, struct err *err)
{
	struct db_boot row = {
		.attempt_id = c->a->id,
		.plan_id = c->a->plan_id,
		.boot_id = json_opt_str(boot, "boot_id", ""),
		.build_id = json_opt_str(boot, "build_id", ""),
		.booted_s = json_opt_int(boot, "booted_s", 0),
		.boot_seconds = json_opt_num(boot, "boot_seconds", 0),
		.invariants = json_object_get(boot, "invariants"),
	};

	if (!*row.boot_id || strlen(row.boot_id) > BOOT_ID_MAX)
		return err_set(err, ERR_DATA,
			       "result.json: boot_id is missing "
			       "or too long");
	if (strlen(row.build_id) > BUILD_ID_MAX)
		return err_set(err, ERR_DATA,
			       "result.json: build_id is too "
			       "long");
	if (*c->build_id && strcmp(c->build_id, row.build_id) != 0)
		return err_set(err, ERR_DATA,
			       "the box ran build-id %.40s, but %.40s was to "
			       "be measured",
			       row.build_id, c->build_id);
	return db_boot_add(c->d->db, &row, &c->boot_row, err);
}

static int store_metrics(const struct context *c, long long run_row,
			 const json_t *metrics, struct err *err)
{
	const char *name;
	json_t *value;
	int rc;

	if (json_object_size(metrics) > METRIC_MAX)
		return err_set(err, ERR_DATA,
			       "result.json: %zu metrics in one run",
			       json_object_size(metrics));
	json_object_foreach((json_t *)metrics, name, value)
	{
		bool kpi = kpi_rank(name, c->benchmark) != KPI_NONE;

		if (!json_is_number(value) ||
		    strlen(name) > METRIC_NAME_MAX_BYTES || !*name)
			return err_set(err, ERR_DATA,
				       "result.json: metric \"%.60s\" is no "
				       "number or has no proper name",
				       name);
		rc = db_sample_add(c->d->db, run_row, name,
				   json_number_value(value), kpi, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int store_failures(const struct context *c, long long run_row,
			  const json_t *failures, struct err *err)
{
	const json_t *name;
	size_t i;
	int rc;

	json_array_foreach(failures, i, name)
	{
		const char *text = json_string_value(name);

		if (i >= METRIC_MAX_FAILURES)
			break;
		if (!text || !*text || strlen(text) > METRIC_NAME_MAX_BYTES)
			continue;
		rc = db_failure_add(c->d->db, run_row, text, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int store_run(const struct context *c, const json_t *run, bool *out_good,
		     struct err *err)
{
	struct db_run row = {
		.boot_id = c->boot_row,
		.state = json_opt_str(run, "status", ""),
		.why = json_opt_str(run, "why", ""),
		.started_s = json_opt_int(run, "started_s", 0),
		.seconds = json_opt_num(run, "seconds", 0),
	};
	bool good = !strcmp(row.state, "done");
	long long id = 0;
	int rc;

	rc = json_need_int(run, "seq", &row.seq, err);
	if (rc)
		return rc;
	if (!good && strcmp(row.state, "failed") != 0)
		return err_set(err, ERR_DATA,
			       "result.json: run status \"%.20s\"", row.state);
	if (row.seconds < 0)
		return err_set(err, ERR_DATA, "result.json: negative seconds");
	rc = db_run_add(c->d->db, &row, &id, err);
	if (!rc && good)
		rc = store_metrics(c, id, json_object_get(run, "metrics"), err);
	if (!rc)
		rc = store_failures(c, id, json_object_get(run, "failures"),
				    err);
	if (!rc)
		*out_good = good;
	return rc;
}

static int store_all(struct context *c, const json_t *result, int *out_good,
		     struct err *err)
{
	const json_t *hw = json_object_get(result, "hw");
	json_t *boot;
	json_t *runs;
	json_t *run;
	size_t i;
	int rc;

	rc = json_need_object(result, "boot", &boot, err);
	if (!rc)
		rc = json_need_array(result, "runs", &runs, err);
	if (!rc && json_array_size(runs) > RUNS_MAX)
		rc = err_set(err, ERR_DATA, "result.json: more than %d runs",
			     RUNS_MAX);
	if (!rc)
		rc = store_boot(c, boot, err);
	if (!rc && json_is_object(hw))
		rc = db_box_set_hw(c->d->db, c->a->box_id, hw, err);
	if (rc)
		return rc;
	json_array_foreach(runs, i, run)
	{
		bool good = false;

		rc = store_run(c, run, &good, err);
		if (rc)
			return rc;
		*out_good += good;
	}
	return 0;
}

int ingest_run_rows(struct daemon *d, const struct db_attempt *a,
		    const json_t *result, int *out_good, struct err *err)
{
	json_t *row = read_context(d, a->plan_id, err);
	struct context c = { .d = d, .a = a };
	int good = 0;
	int rc;

	if (!row)
		return err ? err->code : ERR_IO;
	c.benchmark = json_opt_str(row, "workload", "");
	if (!*c.benchmark)
		c.benchmark = json_opt_str(row, "testcase", "");
	c.build_id = json_opt_str(row, "build_id", "");
	rc = store_all(&c, result, &good, err);
	json_decref(row);
	if (!rc)
		*out_good = good;
	return rc;
}
