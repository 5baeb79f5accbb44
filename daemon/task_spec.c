// SPDX-License-Identifier: GPL-3.0-or-later
// Making task.json out of rows and settings.
#include "daemon/task_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "db/db_flow_bisect.h"
#include "db/db_plan.h"
#include "db/db_repo.h"
#include "jobs/job.h"
#include "jobs/monitor.h"

#define BUILD_NICE	 10
#define BUILD_AHEAD_NICE 19

static void set_int(json_t *o, const char *key, long long value)
{
	json_object_set_new(o, key, json_integer(value));
}

static void set_str(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

static void set_path(json_t *o, const char *key, const char *dir,
		     const char *name)
{
	char *path = file_join(dir, name);

	set_str(o, key, path);
	free(path);
}

static json_t *monitor_names(void)
{
	json_t *names = json_array();
	const struct monitor *m;
	size_t i;

	for (i = 0; (m = monitor_at(i)); i++)
		json_array_append_new(names, json_string(m->name));
	return names;
}

/* How long one run may take: what the job says, else the setting. */
static double run_timeout_s(const struct daemon *d, const json_t *job)
{
	double own = json_opt_num(job, "timeout_s", 0);

	return own > 0 ? own : d->cfg.run.timeout_s;
}

/* The row that a run task is about, as JSON members. */
static json_t *run_row(struct daemon *d, long long plan_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		d->db, "SELECT b.spec_json AS box_json, a.kernel_path AS "
		       "kernel, a.build_id, c.sha, s.job_json, p.nr_runs "
		       "FROM plan p JOIN box b ON b.id = p.box_id "
		       "JOIN git_commit c ON c.id = p.commit_id "
		       "JOIN comparison m ON m.id = p.comparison_id "
		       "JOIN series s ON s.id = m.series_id "
		       "LEFT JOIN artifact a ON a.id = p.artifact_id "
		       "WHERE p.id = ?");

	db_bind_int(q, plan_id);
	return db_row(q, err);
}

int task_spec_run(struct daemon *d, const struct db_attempt *a, json_t **out,
		  struct err *err)
{
	const struct config_run *run = &d->cfg.run;
	json_t *row = run_row(d, a->plan_id, err);
	const char *kernel;
	json_t *job;
	json_t *o;

	if (!row)
		return err ? err->code : ERR_IO;
	job = json_object_get(row, "job");
	kernel = json_opt_str(row, "kernel", "");
	o = json_object();
	set_str(o, "kind", "run");
	set_int(o, "attempt", a->id);
	set_str(o, "token", a->token);
	json_object_set(o, "box", json_object_get(row, "box"));
	if (*kernel) {
		set_str(o, "kernel", kernel);
		set_str(o, "build_id", json_opt_str(row, "build_id", ""));
	}
	set_str(o, "commit", json_opt_str(row, "sha", ""));
	json_object_set(o, "job", job);
	set_int(o, "runs", json_opt_int(row, "nr_runs", 1));
	json_object_set_new(o, "monitors", monitor_names());
	json_object_set_new(o, "timeout_s", json_real(run_timeout_s(d, job)));
	json_object_set_new(o, "boot_timeout_s",
			    json_real(run->boot_timeout_s));
	json_object_set_new(o, "connect_timeout_s",
			    json_real(run->ssh_connect_timeout_s));
	json_object_set_new(o, "lease_s", json_real(run->lease_s));
	json_decref(row);
	*out = o;
	return 0;
}

/* Lines of @text as an array; empty ones and the fingerprint are left out. */
static json_t *lines(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len && *text != '#')
			json_array_append_new(list, json_stringn(text, len));
		text += len + (text[len] == '\n');
	}
	return list;
}

/* CPUs are shared by the slots when the setting leaves it open. */
static long long make_jobs(const struct config_build *build)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long long jobs = build->jobs;

	if (!jobs)
		jobs = (cpus > 0 ? cpus : 1) / build->slots;
	return jobs > 0 ? jobs : 1;
}

/* A kernel that no boot waits for takes nothing from those that one does. */
static int build_nice(struct daemon *d, long long artifact_id, long long *out,
		      struct err *err)
{
	enum db_need need = DB_NEED_PLAN;
	int rc = db_artifact_need(d->db, artifact_id, &need, err);

	*out = need == DB_NEED_PLAN ? BUILD_NICE : BUILD_AHEAD_NICE;
	return rc;
}

static void set_build(struct daemon *d, json_t *o, int slot, long long nice)
{
	const struct config_build *build = &d->cfg.build;
	char *dir = xasprintf("%s/build/slot-%d", d->cfg.cache_dir, slot);

	set_str(o, "slot_dir", dir);
	set_str(o, "artifact_dir", d->cfg.artifact_dir);
	set_int(o, "jobs", make_jobs(build));
	set_str(o, "cc", build->cc);
	json_object_set_new(o, "ccache", json_boolean(build->ccache));
	set_path(o, "ccache_dir", d->cfg.cache_dir, "ccache");
	set_int(o, "ccache_max_bytes", build->ccache_max_bytes);
	json_object_set_new(o, "timeout_s", json_real(build->timeout_s));
	set_int(o, "nice", nice);
	free(dir);
}

int task_spec_build(struct daemon *d, const struct db_attempt *a, int slot,
		    json_t **out, struct err *err)
{
	struct db_artifact art = { 0 };
	struct db_commit commit = { 0 };
	struct db_repo repo = { 0 };
	long long nice = 0;
	json_t *o;
	int rc;

	rc = build_nice(d, a->artifact_id, &nice, err);
	if (!rc)
		rc = db_artifact_get(d->db, a->artifact_id, &art, err);
	if (!rc)
		rc = db_commit_get(d->db, art.commit_id, &commit, err);
	if (!rc)
		rc = db_repo_get(d->db, art.repo_id, &repo, err);
	if (!rc) {
		o = json_object();
		set_str(o, "kind", "build");
		set_int(o, "attempt", a->id);
		set_str(o, "token", a->token);
		set_str(o, "repo", repo.path);
		set_str(o, "commit", commit.sha);
		set_str(o, "tree", art.tree);
		json_object_set_new(o, "kconfig", lines(art.kconfig));
		set_int(o, "layout", art.layout);
		set_build(d, o, slot, nice);
		*out = o;
	}
	db_artifact_release(&art);
	db_commit_release(&commit);
	db_repo_release(&repo);
	return rc;
}

json_t *task_spec_mail(struct daemon *d, const struct db_outbox *m)
{
	const struct config_mail *mail = &d->cfg.mail;
	json_t *smtp = json_object();
	json_t *o = json_object();

	set_str(smtp, "host", mail->host);
	set_int(smtp, "port", mail->port);
	set_str(smtp, "tls", mail->tls);
	set_str(smtp, "user", mail->user);
	set_str(smtp, "password_file", mail->password_file);
	set_str(o, "kind", "mail");
	set_str(o, "message_id", m->message_id);
	set_str(o, "subject", m->subject);
	set_str(o, "body", m->body);
	json_object_set(o, "headers", m->headers);
	json_object_set_new(o, "smtp", smtp);
	json_object_set(o, "accepted", m->accepted);
	json_object_set(o, "refused", m->refused);
	set_int(o, "created_s", m->created_s);
	json_object_set_new(o, "ascii", json_boolean(mail->ascii));
	return o;
}

int task_spec_slot(const json_t *spec)
{
	const char *dir = json_opt_str(spec, "slot_dir", "");
	const char *name = strrchr(dir, '/');
	long long slot;

	if (!name || !str_starts(name, "/slot-") ||
	    !str_to_i64(name + strlen("/slot-"), &slot) || slot < 0 ||
	    slot > 1000)
		return -1;
	return (int)slot;
}
