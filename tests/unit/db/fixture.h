/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fresh database in a folder of its own, and the rows most tests need. */
#ifndef TESTS_UNIT_DB_FIXTURE_H
#define TESTS_UNIT_DB_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "db/db.h"
#include "db/db_box.h"
#include "db/db_job.h"
#include "db/db_plan.h"
#include "db/db_repo.h"

/* Row ids that fixture_fill made; commits have the trees t1 and t2. */
struct fixture {
	char dir[64];
	char *path;
	struct db *db;
	long long repo;
	long long base;
	long long head;
	long long box;
	long long job;
	long long series;
	long long comparison;
};

static inline void fixture_open(struct fixture *f)
{
	struct err err = { 0 };

	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/drover-db-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->path = xasprintf("%s/drover.db", f->dir);
	if (db_open(f->path, DB_WRITE, &f->db, &err))
		fail_msg("%s", err.text);
}

static inline void fixture_close(struct fixture *f)
{
	db_close(&f->db);
	assert_int_equal(file_remove_tree(f->dir, NULL), 0);
	free(f->path);
}

static inline long long fixture_commit(struct fixture *f, char digit)
{
	char sha[41];
	char tree[41];
	struct db_commit c = { .repo_id = f->repo,
			       .sha = sha,
			       .tree = tree,
			       .subject = (char *)"subject",
			       .author_name = (char *)"A",
			       .author_email = (char *)"a@example.org" };
	long long id = 0;

	memset(sha, digit, 40);
	memset(tree, digit, 40);
	sha[40] = '\0';
	tree[40] = '\0';
	assert_int_equal(db_commit_put(f->db, &c, &id, NULL), 0);
	return id;
}

static inline long long fixture_box(struct fixture *f, const char *name,
				    const char *group, const char *tags)
{
	struct db_box box = { .name = (char *)name,
			      .tbox_group = (char *)group,
			      .tags = (char *)tags,
			      .spec = json_pack("{s:s}", "name", name) };
	long long id = 0;

	assert_int_equal(db_box_put(f->db, &box, &id, NULL), 0);
	json_decref(box.spec);
	return id;
}

static inline long long fixture_job(struct fixture *f, long long prio)
{
	json_t *options = json_object();
	struct db_job job = { .created_s = 1000,
			      .uid = 7,
			      .repo_id = f->repo,
			      .base_id = f->base,
			      .head_id = f->head,
			      .prio = prio,
			      .name = (char *)"job",
			      .yaml = (char *)"x: 1\n",
			      .options = options };
	long long id = 0;

	assert_int_equal(db_job_add(f->db, &job, &id, NULL), 0);
	json_decref(options);
	return id;
}

static inline long long fixture_comparison(struct fixture *f, long long job)
{
	struct db_comparison c = { .job_id = job,
				   .series_id = f->series,
				   .box_id = f->box,
				   .base_id = f->base,
				   .head_id = f->head };
	long long id = 0;

	assert_int_equal(db_comparison_add(f->db, &c, 1000, &id, NULL), 0);
	return id;
}

static inline long long fixture_plan(struct fixture *f, long long comparison,
				     long long commit, long long artifact)
{
	struct db_plan p = { .job_id = f->job,
			     .comparison_id = comparison,
			     .commit_id = commit,
			     .artifact_id = artifact,
			     .box_id = f->box,
			     .nr_runs = 2 };
	struct db_comparison c;
	long long id = 0;

	assert_int_equal(db_comparison_get(f->db, comparison, &c, NULL), 0);
	p.job_id = c.job_id;
	db_comparison_release(&c);
	assert_int_equal(db_plan_add(f->db, &p, &id, NULL), 0);
	return id;
}

static inline void fixture_fill(struct fixture *f)
{
	struct db_repo repo = { .name = (char *)"linux",
				.path = (char *)"/nowhere",
				.kconfig = (char *)"/k/slim.config" };
	struct db_series s = { .testcase = "bench",
			       .path = "bench/60s",
			       .tbox_group = "g",
			       .rootfs = "",
			       .kconfig = "",
			       .compiler = "" };
	json_t *job = json_pack("{s:s}", "workload", "stress-ng");

	assert_int_equal(db_repo_put(f->db, &repo, &f->repo, NULL), 0);
	f->base = fixture_commit(f, '1');
	f->head = fixture_commit(f, '2');
	f->box = fixture_box(f, "box-1", "g", "numa fast");
	f->job = fixture_job(f, 0);
	s.repo_id = f->repo;
	s.job = job;
	assert_int_equal(db_series_put(f->db, &s, &f->series, NULL), 0);
	f->comparison = fixture_comparison(f, f->job);
	json_decref(job);
}

#endif
