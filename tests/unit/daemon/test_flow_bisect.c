// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/flow_bisect*.c and flow_prior.c over a database and a real
// repository, without a daemon: what is asked for, built ahead, left out.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "daemon/flow.h"
#include "daemon/flow_private.h"
#include "db/db_box.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"
#include "db/db_plan.h"
#include "db/db_repo.h"
#include "db/db_sample.h"

#define METRIC	"stress-ng.pipe.ops_per_sec"
#define NOW_S	1700000000
#define LAST	16 /* number of the newest commit */
#define PROFILE "perf-profile.self.cycles-pp."

/* A done comparison of commits 0 and LAST: 5 % slower, two boots a side. */
struct lab {
	struct daemon d;
	char dir[40];
	char *repo;
	char sha[LAST + 1][REPO_SHA_BYTES];
	long long repo_id, base, head, box, job, comparison;
	int nr_boots;
};

static void must(int rc, const struct err *err)
{
	if (rc)
		fail_msg("%d: %s", rc, err->text);
}

static void git(const struct lab *l, const char *const *args,
		const struct str *input, struct str *out)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin",
					   "GIT_CONFIG_NOSYSTEM=1",
					   "HOME=/nonexistent", NULL };
	const char *argv[16] = { "git", "-C", l->repo };
	struct spawn what = { .argv = argv, .env = env };
	struct err err = { 0 };
	int i;

	if (input) {
		what.input = input->p;
		what.input_len = input->len;
	}
	for (i = 0; args[i]; i++)
		argv[3 + i] = args[i];
	if (spawn_capture(&what, out, NULL, 60000, &err))
		fail_msg("git %s: %s", args[0], err.text);
}
#define GIT(l, in, out, ...) \
	git((l), (const char *const[]){ __VA_ARGS__, NULL }, (in), (out))

/* Commits 4, 8, 12 change what pipe_read lives in; 5 changes a document. */
static void add_change(struct str *out, int nr)
{
	const char *file = nr % 4 == 0 ? "pipe.c"
			   : nr == 5   ? "MAINTAINERS"
				       : "other.c";

	str_addf(out,
		 "commit refs/heads/main\ncommitter C <c@e.org> %d +0000\n"
		 "data 7\nsubject\nM 100644 inline %s\ndata <<END\n"
		 "int pipe_%s(void)\n{\n\treturn %d;\n}\nEND\n",
		 NOW_S + nr, file, nr % 4 ? "other" : "read", nr);
}

static void make_repo(struct lab *l)
{
	struct str text = STR_INIT;
	struct str shas = STR_INIT;
	int i;

	for (i = 0; i <= LAST; i++)
		add_change(&text, i);
	GIT(l, NULL, NULL, "init", "-q");
	GIT(l, NULL, NULL, "symbolic-ref", "HEAD", "refs/heads/main");
	GIT(l, &text, NULL, "fast-import", "--quiet");
	GIT(l, NULL, &shas, "rev-list", "--reverse", "HEAD");
	assert_int_equal(shas.len, (LAST + 1) * REPO_SHA_BYTES);
	for (i = 0; i <= LAST; i++)
		snprintf(l->sha[i], REPO_SHA_BYTES, "%.40s",
			 shas.p + i * REPO_SHA_BYTES);
	str_release(&shas);
	str_release(&text);
}

static long long add_commit(struct lab *l, int nr)
{
	struct db_commit c = { .repo_id = l->repo_id,
			       .sha = l->sha[nr],
			       .tree = l->sha[nr],
			       .subject = (char *)"subject",
			       .author_name = (char *)"A",
			       .author_email = (char *)"a@e.org" };
	struct err err = { 0 };
	long long id = 0;

	must(db_commit_put(l->d.db, &c, &id, &err), &err);
	return id;
}

/* The artifact of a commit, built with these bits. */
static long long build(struct lab *l, int nr, const char *build_id)
{
	struct db_artifact a = { .key = (char *)"k",
				 .kernel_path = (char *)"/nowhere/bzImage",
				 .build_id = (char *)build_id,
				 .seconds = 10 };
	struct err err = { 0 };
	struct repo *repo = repo_open(l->repo, &err);
	struct flow f;
	long long id = 0;

	must(repo ? 0 : err.code, &err);
	must(flow_open(&l->d, l->comparison, &f, &err), &err);
	must(flow_commit_id(&f, repo, l->sha[nr], &id, &err), &err);
	must(db_artifact_want(l->d.db, id, 0, &a.id, &err), &err);
	must(db_artifact_done(l->d.db, &a, &err), &err);
	flow_close(&f);
	repo_free(repo);
	return a.id;
}

static void store_boot(struct lab *l, long long plan_id, double value,
		       double share)
{
	struct db_attempt a = { .kind = (char *)"run",
				.plan_id = plan_id,
				.box_id = l->box,
				.started_s = NOW_S };
	struct db_boot boot = { .plan_id = plan_id,
				.booted_s = NOW_S,
				.boot_seconds = 1,
				.boot_id = "x",
				.build_id = "" };
	struct db_run run = { .seq = 1,
			      .started_s = NOW_S,
			      .seconds = 1,
			      .state = "done",
			      .why = "" };
	struct err err = { 0 };
	long long run_id = 0;
	char token[33];

	snprintf(token, sizeof(token), "token%d", ++l->nr_boots);
	a.token = token;
	must(db_attempt_add(l->d.db, &a, "t", &boot.attempt_id, &err), &err);
	must(db_boot_add(l->d.db, &boot, &run.boot_id, &err), &err);
	must(db_run_add(l->d.db, &run, &run_id, &err), &err);
	must(db_sample_add(l->d.db, run_id, METRIC, value, true, &err), &err);
	if (share > 0)
		must(db_sample_add(l->d.db, run_id, PROFILE "pipe_read", share,
				   false, &err),
		     &err);
	must(db_plan_end(l->d.db, plan_id, "done", "", "", &err), &err);
}

/* The comparison's own boots; @profiled: with pipe_read's share of cycles. */
static void measure_ends(struct lab *l, bool profiled)
{
	struct err err = { 0 };
	int i;

	for (i = 0; i < 8; i++) {
		struct db_plan p = { .job_id = l->job,
				     .comparison_id = l->comparison,
				     .commit_id = i % 2 ? l->head : l->base,
				     .box_id = l->box,
				     .nr_runs = 1 };
		long long id = 0;

		must(db_plan_add(l->d.db, &p, &id, &err), &err);
		store_boot(l, id, (i % 2 ? 950 : 1000) + i * 0.1,
			   profiled ? (i % 2 ? 9 : 2) : 0);
	}
}

static void add_comparison(struct lab *l)
{
	json_t *options = json_object();
	json_t *atomic =
		json_pack("{s:s, s:s, s:s}", "testcase", "stress-ng", "path",
			  "stress-ng/pipe", "workload", "stress-ng");
	struct db_job job = { .created_s = NOW_S,
			      .repo_id = l->repo_id,
			      .base_id = l->base,
			      .head_id = l->head,
			      .merge_base = (char *)"",
			      .name = (char *)"pipe",
			      .yaml = (char *)"suite: stress-ng\n",
			      .options = options };
	struct db_series series = { .repo_id = l->repo_id,
				    .testcase = "stress-ng",
				    .path = "stress-ng/pipe",
				    .tbox_group = "g",
				    .rootfs = "r",
				    .kconfig = "",
				    .compiler = "cc",
				    .job = atomic };
	struct db_comparison c = { .base_id = l->base,
				   .head_id = l->head,
				   .box_id = l->box };
	json_t *none = json_object();
	struct db_flow_verdict v = { .state = "done",
				     .verdict = "regression",
				     .headline = METRIC,
				     .direction = "higher",
				     .change_pct = -5,
				     .e_value = 1000,
				     .ci_low_pct = -6,
				     .ci_high_pct = -4,
				     .evidence = none,
				     .why = "slower" };
	struct err err = { 0 };

	must(db_job_add(l->d.db, &job, &l->job, &err), &err);
	must(db_series_put(l->d.db, &series, &c.series_id, &err), &err);
	c.job_id = l->job;
	must(db_comparison_add(l->d.db, &c, NOW_S, &l->comparison, &err), &err);
	must(db_flow_set_verdict(l->d.db, l->comparison, &v, &err), &err);
	json_decref(none);
	json_decref(options);
	json_decref(atomic);
}

static void add_box(struct lab *l)
{
	struct db_box box = { .name = (char *)"b1",
			      .tbox_group = (char *)"g",
			      .tags = (char *)"" };
	struct err err = { 0 };

	box.spec = json_pack("{s:s, s:s, s:{s:s, s:i, s:i}}", "name", "b1",
			     "backend", "null", "boot", "method", "qemu",
			     "cpus", 1, "icount", 2);
	must(db_box_put(l->d.db, &box, &l->box, &err), &err);
	json_decref(box.spec);
}

static void lab_open(struct lab *l, bool profiled)
{
	struct db_repo repo = { .name = (char *)"tree",
				.url = (char *)"",
				.branch = (char *)"",
				.kconfig = (char *)"" };
	struct err err = { 0 };
	char *path;

	memset(l, 0, sizeof(*l));
	snprintf(l->dir, sizeof(l->dir), "/tmp/drover-bisect-XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	l->repo = file_join(l->dir, "repo");
	must(file_mkdirs(l->repo, 0755, &err), &err);
	make_repo(l);
	config_init(&l->d.cfg);
	path = file_join(l->dir, "db");
	must(db_open(path, DB_WRITE, &l->d.db, &err), &err);
	free(path);
	must(db_begin(l->d.db, &err), &err);
	repo.path = l->repo;
	must(db_repo_put(l->d.db, &repo, &l->repo_id, &err), &err);
	l->base = add_commit(l, 0);
	l->head = add_commit(l, LAST);
	add_box(l);
	add_comparison(l);
	measure_ends(l, profiled);
	must(db_commit(l->d.db, &err), &err);
}

static void lab_close(struct lab *l)
{
	if (db_in_transaction(l->d.db))
		db_rollback(l->d.db);
	db_close(&l->d.db);
	config_release(&l->d.cfg);
	free(l->repo);
	file_remove_tree(l->dir, NULL);
}

/* The op; the reply's "bisect", or NULL with the error. New reference. */
static json_t *op(struct lab *l, const char *action, struct err *err)
{
	json_t *request = json_pack("{s:s, s:I}", "action", action,
				    "comparison", (json_int_t)l->comparison);
	json_t *reply = flow_bisect_op(&l->d, request, err);
	json_t *bisect = json_incref(json_object_get(reply, "bisect"));

	json_decref(request);
	json_decref(reply);
	return bisect;
}

static json_t *must_op(struct lab *l, const char *action)
{
	struct err err = { 0 };
	json_t *bisect = op(l, action, &err);

	must(bisect ? 0 : err.code, &err);
	return bisect;
}

static long long sql_int(struct lab *l, const char *sql)
{
	long long v = -1;

	db_get_int(db_stmt(l->d.db, sql), &v, NULL);
	return v;
}

static long long excluded(const json_t *bisect, const char *why)
{
	const json_t *range = json_object_get(bisect, "range");

	return json_opt_int(json_object_get(range, "excluded"), why, 0);
}

/* The step under way. */
static const json_t *open_step(const json_t *bisect)
{
	const json_t *steps = json_object_get(bisect, "steps");

	return json_array_get(steps, json_array_size(steps) - 1);
}

static void a_start_asks_and_names_what_to_build_meanwhile(void **state)
{
	const json_t *ask, *ahead;
	enum db_need need;
	struct err err = { 0 };
	json_t *bisect;
	long long id = 0;
	struct lab l;

	(void)state;
	lab_open(&l, false);
	bisect = must_op(&l, "start");
	/* the document can't have changed the kernel */
	assert_int_equal(excluded(bisect, "files"), 1);
	assert_int_equal(
		json_opt_int(json_object_get(bisect, "range"), "left", 0),
		LAST - 1);
	ask = json_object_get(open_step(bisect), "ask");
	assert_string_equal(json_opt_str(ask, "phase", ""), "search");
	ahead = json_object_get(ask, "speculate");
	assert_int_equal(json_array_size(ahead), 2);
	/* those are built once nothing is asked for */
	must(db_artifact_next_ahead(l.d.db, &id, &err), &err);
	assert_int_equal(
		id, json_opt_int(json_array_get(ahead, 0), "artifact", -1));
	must(db_artifact_need(l.d.db, id, &need, &err), &err);
	assert_int_equal(need, DB_NEED_AHEAD);
	must(db_artifact_need(l.d.db,
			      sql_int(&l, "SELECT artifact_id FROM plan WHERE "
					  "state = 'queued' LIMIT 1"),
			      &need, &err),
	     &err);
	assert_int_equal(need, DB_NEED_PLAN);
	json_decref(bisect);
	/* stopped, it wants nothing any more */
	json_decref(must_op(&l, "stop"));
	must(db_artifact_next_ahead(l.d.db, &id, &err), &err);
	assert_int_equal(id, 0);
	lab_close(&l);
}

static void nothing_is_built_ahead_where_that_is_off(void **state)
{
	struct err err = { 0 };
	json_t *bisect;
	long long id = 0;
	struct lab l;

	(void)state;
	lab_open(&l, false);
	l.d.cfg.bisect.speculate = false;
	bisect = must_op(&l, "start");
	must(db_artifact_next_ahead(l.d.db, &id, &err), &err);
	assert_int_equal(id, 0);
	json_decref(bisect);
	lab_close(&l);
}

/* Number of the commit that the open step asks about, head and base apart. */
static int asked_commit(struct lab *l, const json_t *bisect)
{
	const json_t *boots = json_object_get(
		json_object_get(open_step(bisect), "ask"), "boots");
	const json_t *boot;
	size_t i;
	int nr;

	json_array_foreach(boots, i, boot)
	{
		for (nr = 1; nr < LAST; nr++)
			if (!strcmp(l->sha[nr],
				    json_opt_str(boot, "commit", "")))
				return nr;
	}
	fail_msg("no commit is asked about");
	return 0;
}

static void known_bits_are_not_booted(void **state)
{
	struct err err = { 0 };
	json_t *bisect;
	long long built;
	struct lab l;
	int nr;

	(void)state;
	lab_open(&l, false);
	build(&l, 0, "aaaa");
	build(&l, LAST, "bbbb");
	bisect = must_op(&l, "start");
	nr = asked_commit(&l, bisect);
	json_decref(bisect);
	/* the midpoint is built into base's bits: on to the next one */
	built = build(&l, nr, "aaaa");
	must(db_begin(l.d.db, &err), &err);
	must(flow_kernel_built(&l.d, built, &err), &err);
	must(db_commit(l.d.db, &err), &err);
	assert_true(sql_int(&l,
			    "SELECT count(*) FROM plan WHERE "
			    "failure = 'same' AND state = 'cancelled'") >= 1);
	bisect = must_op(&l, "status");
	/* all up to it, the document among them before, is out */
	assert_int_equal(excluded(bisect, "same"), nr - (nr >= 5));
	assert_true(asked_commit(&l, bisect) > nr);
	json_decref(bisect);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM event WHERE text "
				     "LIKE '%is bit for bit that of%'"),
			 1);
	lab_close(&l);
}

static void other_bits_are_booted(void **state)
{
	struct err err = { 0 };
	json_t *bisect;
	long long built;
	struct lab l;

	(void)state;
	lab_open(&l, false);
	build(&l, 0, "aaaa");
	build(&l, LAST, "bbbb");
	bisect = must_op(&l, "start");
	built = build(&l, asked_commit(&l, bisect), "cccc");
	must(db_begin(l.d.db, &err), &err);
	must(flow_kernel_built(&l.d, built, &err), &err);
	must(db_commit(l.d.db, &err), &err);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM plan WHERE "
				     "failure = 'same'"),
			 0);
	json_decref(bisect);
	lab_close(&l);
}

static void one_kernel_on_both_ends_is_refused(void **state)
{
	struct err err = { 0 };
	struct lab l;

	(void)state;
	lab_open(&l, false);
	build(&l, 0, "aaaa");
	build(&l, LAST, "aaaa");
	assert_null(op(&l, "start", &err));
	assert_contains(err.text, "built into the same kernel (build-id aaaa)");
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM bisect"), 0);
	lab_close(&l);
}

static void a_profile_raises_the_prior(void **state)
{
	static const bool rows[] = { true, false };
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		const json_t *list, *row;
		json_t *bisect;
		int raised = 0;
		double sum = 0;
		struct lab l;

		lab_open(&l, rows[i]);
		bisect = must_op(&l, "start");
		list = json_object_get(bisect, "candidates");
		json_array_foreach(list, k, row)
		{
			double prior = json_opt_num(row, "prior", 0);

			sum += prior;
			if (!json_object_get(row, "hot"))
				continue;
			assert_string_equal(json_opt_str(row, "hot", ""),
					    "pipe.c has pipe_read");
			/* 4, 8, 12 and 16 of the 15 that can matter */
			assert_true(prior > 2.99 / (11 + 4 * 3) &&
				    prior < 3.01 / (11 + 4 * 3));
			raised++;
		}
		assert_int_equal(raised, rows[i] ? 4 : 0);
		assert_true(sum > 0.999 && sum < 1.001);
		json_decref(bisect);
		lab_close(&l);
	}
}

static void another_metric_and_two_revisions_can_be_asked_for(void **state)
{
	static const struct {
		const char *metric, *why;
	} rows[] = {
		{ "no.such_metric", "no change of \"no.such_metric\"" },
		{ PROFILE "pipe_read", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct err err = { 0 };
		json_t *request, *reply;
		struct lab l;

		lab_open(&l, true);
		request = json_pack("{s:s, s:s, s:s, s:s}", "action", "start",
				    "base", l.sha[0], "head", "HEAD", "metric",
				    rows[i].metric);
		reply = flow_bisect_op(&l.d, request, &err);
		if (rows[i].why) {
			assert_null(reply);
			assert_contains(err.text, rows[i].why);
		} else {
			must(reply ? 0 : err.code, &err);
			assert_string_equal(
				json_opt_str(json_object_get(reply, "bisect"),
					     "metric", ""),
				rows[i].metric);
		}
		json_decref(reply);
		json_decref(request);
		lab_close(&l);
	}
}

static void commits_that_were_never_compared_are_told_so(void **state)
{
	struct err err = { 0 };
	json_t *request;
	struct lab l;

	(void)state;
	lab_open(&l, false);
	request = json_pack("{s:s, s:s, s:s}", "action", "start", "base",
			    l.sha[1], "head", "HEAD");
	assert_null(flow_bisect_op(&l.d, request, &err));
	assert_contains(err.text, "have not been compared: measure them first");
	json_decref(request);
	lab_close(&l);
}

/*
 * Expected: git's trouble leaves the verdict, and says why it isn't bisected.
 * Buggy: it was taken for the database's; the comparison failed.
 */
static void a_git_that_does_not_run_costs_no_verdict(void **state)
{
	char *path = xstrdup(getenv("PATH"));
	struct err err = { 0 };
	struct lab l;

	(void)state;
	lab_open(&l, false);
	must(db_begin(l.d.db, &err), &err);
	must(db_comparison_set_state(l.d.db, l.comparison, "running", "", 1,
				     &err),
	     &err);
	setenv("PATH", "/nonexistent", 1);
	must(flow_plan_ended(&l.d, 8, &err), &err);
	setenv("PATH", path, 1);
	must(db_commit(l.d.db, &err), &err);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM comparison WHERE "
				     "state = 'done' AND verdict = "
				     "'regression' AND why LIKE "
				     "'%; not bisected: %'"),
			 1);
	free(path);
	lab_close(&l);
}

/*
 * Expected: a bisection that a new kernel brings to its end ends once. Buggy:
 * two commits of one tree in its last step ended it twice, the second time as
 * if it were still going on.
 */
static void a_kernel_of_two_commits_ends_a_bisection_once(void **state)
{
	struct err err = { 0 };
	json_t *bisect;
	long long built;
	struct db_stmt *q;
	struct lab l;

	(void)state;
	lab_open(&l, false);
	build(&l, 0, "aaaa");
	build(&l, LAST, "bbbb");
	bisect = must_op(&l, "start");
	built = build(&l, asked_commit(&l, bisect), "aaaa");
	json_decref(bisect);
	q = db_stmt(l.d.db,
		    "INSERT INTO plan (job_id, comparison_id, step_id, seq, "
		    "commit_id, artifact_id, box_id, nr_runs, state) "
		    "SELECT job_id, comparison_id, step_id, seq + 1, ?, "
		    "artifact_id, box_id, 1, 'queued' FROM plan WHERE "
		    "artifact_id = ? LIMIT 1");
	db_bind_int(q, l.head);
	db_bind_int(q, built);
	must(db_run(q, &err), &err);
	/* no further step may be asked for */
	l.d.cfg.bisect.max_boots = 1;
	q = db_stmt(l.d.db, "UPDATE plan SET state = 'done' WHERE state = "
			    "'queued' AND artifact_id IS NOT ?");
	db_bind_int(q, built);
	must(db_run(q, &err), &err);
	must(db_begin(l.d.db, &err), &err);
	must(flow_kernel_built(&l.d, built, &err), &err);
	must(db_commit(l.d.db, &err), &err);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM bisect WHERE "
				     "state = 'done'"),
			 1);
	assert_int_equal(sql_int(&l, "SELECT count(*) FROM event WHERE text "
				     "LIKE 'inconclusive%'"),
			 1);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_start_asks_and_names_what_to_build_meanwhile),
		cmocka_unit_test(nothing_is_built_ahead_where_that_is_off),
		cmocka_unit_test(known_bits_are_not_booted),
		cmocka_unit_test(other_bits_are_booted),
		cmocka_unit_test(one_kernel_on_both_ends_is_refused),
		cmocka_unit_test(a_profile_raises_the_prior),
		cmocka_unit_test(
			another_metric_and_two_revisions_can_be_asked_for),
		cmocka_unit_test(commits_that_were_never_compared_are_told_so),
		cmocka_unit_test(a_git_that_does_not_run_costs_no_verdict),
		cmocka_unit_test(a_kernel_of_two_commits_ends_a_bisection_once),
	};

	return RUN_TESTS(tests);
}
