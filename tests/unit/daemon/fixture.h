/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A daemon without a loop on a fresh database with the rows of
 * tests/unit/db/fixture.h, and flows that only remember what they were told.
 */
#ifndef TESTS_UNIT_DAEMON_FIXTURE_H
#define TESTS_UNIT_DAEMON_FIXTURE_H

#include "base/clock.h"
#include "daemon/daemon.h"
#include "daemon/flow.h"
#include "db/db_event.h"
#include "runners/task.h"
#include "tests/unit/db/fixture.h"

/* Plans whose end the flow was told; @flow_error: what it answers. */
static long long flow_told[64];
static int flow_nr_told;
static int flow_error;

int flow_comparison_start(struct daemon *d, long long comparison_id,
			  struct err *err)
{
	(void)d;
	(void)comparison_id;
	(void)err;
	return 0;
}

int flow_plan_ended(struct daemon *d, long long plan_id, struct err *err)
{
	struct db_stmt *q;

	flow_told[flow_nr_told++ % 64] = plan_id;
	if (!flow_error)
		return 0;
	/* what a flow wrote before its error must be undone */
	q = db_stmt(d->db, "INSERT INTO metric (name) VALUES ('half done')");
	assert_int_equal(db_run(q, NULL), 0);
	return err_set(err, flow_error, "the flow can't go on");
}

/* Artifacts whose build the flow was told. */
static int flow_nr_built;

int flow_kernel_built(struct daemon *d, long long artifact_id, struct err *err)
{
	(void)d;
	(void)artifact_id;
	(void)err;
	flow_nr_built++;
	return 0;
}

/* Reports that were asked for. */
static int flow_nr_reports;

int flow_job_report(struct daemon *d, long long job_id, struct err *err)
{
	(void)d;
	(void)job_id;
	(void)err;
	flow_nr_reports++;
	return 0;
}

int flow_resume(struct daemon *d, struct err *err)
{
	(void)d;
	(void)err;
	return 0;
}

json_t *flow_report(struct daemon *d, const json_t *request, struct err *err)
{
	(void)d;
	(void)request;
	err_set(err, ERR_NOTFOUND, "no report in this test");
	return NULL;
}

json_t *flow_bisect_op(struct daemon *d, const json_t *request, struct err *err)
{
	return flow_report(d, request, err);
}

int flow_bisect_job(struct daemon *d, const json_t *request, long long *out,
		    struct err *err)
{
	(void)d;
	(void)err;
	*out = json_opt_int(request, "job", 0);
	return 0;
}

struct lab_of_one {
	struct fixture f;
	struct daemon d;
};

static inline void set_path(char **at, const char *dir, const char *name)
{
	free(*at);
	*at = file_join(dir, name);
}

static inline void open_lab(struct lab_of_one *l)
{
	memset(l, 0, sizeof(*l));
	fixture_open(&l->f);
	fixture_fill(&l->f);
	config_init(&l->d.cfg);
	set_path(&l->d.cfg.state_dir, l->f.dir, "");
	set_path(&l->d.cfg.cache_dir, l->f.dir, "cache");
	set_path(&l->d.cfg.artifact_dir, l->f.dir, "artifacts");
	set_path(&l->d.cfg.libexec_dir, l->f.dir, "libexec");
	l->d.db = l->f.db;
	flow_nr_told = 0;
	flow_error = 0;
	flow_nr_built = 0;
	flow_nr_reports = 0;
	clock_set_fake(1000000000LL, 5000);
}

static inline void close_lab(struct lab_of_one *l)
{
	clock_set_fake(-1, -1);
	config_release(&l->d.cfg);
	fixture_close(&l->f);
}

/* A leased attempt with its task folder, as if a worker had taken it. */
static inline long long lease_attempt(struct lab_of_one *l, long long plan,
				      long long artifact, char **out_folder)
{
	struct db_attempt a = { .kind = (char *)(plan ? "run" : "build"),
				.plan_id = plan,
				.artifact_id = artifact,
				.box_id = plan ? l->f.box : 0,
				.started_s = 4000 };
	char token[33];
	static int nr;
	struct db_attempt got;
	char *tasks = file_join(l->f.dir, "tasks");
	json_t *spec = json_object();
	long long id = 0;

	snprintf(token, sizeof(token), "%032d", ++nr);
	a.token = token;
	assert_int_equal(db_attempt_add(l->f.db, &a, tasks, &id, NULL), 0);
	if (plan)
		db_plan_end(l->f.db, plan, "leased", "", "", NULL);
	else
		db_artifact_set_state(l->f.db, artifact, "building", NULL);
	assert_int_equal(db_attempt_get(l->f.db, id, &got, NULL), 0);
	assert_int_equal(task_create(got.folder, spec, NULL), 0);
	*out_folder = xstrdup(got.folder);
	db_attempt_release(&got);
	json_decref(spec);
	free(tasks);
	return id;
}

static inline void write_file(const char *dir, const char *name,
			      const char *text)
{
	char *path = file_join(dir, name);

	assert_int_equal(file_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(
		file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
	free(path);
}

/* First column of the first row as text, "" for none. */
static inline const char *sql_text(struct lab_of_one *l, const char *sql)
{
	static char text[512];
	struct db_stmt *q = db_stmt(l->f.db, sql);

	text[0] = '\0';
	if (db_step(q, NULL) > 0)
		snprintf(text, sizeof(text), "%s", db_col_text(q, 0));
	db_stmt_free(&q);
	return text;
}

static inline long long sql_int(struct lab_of_one *l, const char *sql)
{
	long long v = -1;

	db_get_int(db_stmt(l->f.db, sql), &v, NULL);
	return v;
}

#endif
