// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/scheduler.c, and of what the loop and the ops ask the
// database: never for a whole table.
#include "tests/unit/test.h"

#include "daemon/calibrate_idle.h"
#include "daemon/keep.h"
#include "daemon/ops.h"
#include "daemon/scheduler.h"
#include "daemon/worker.h"
#include "db/db_calibration.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "tests/unit/daemon/fixture.h"
#include "tests/unit/db/no_scan.h"

static void ask(struct lab_of_one *l, const char *line)
{
	struct client c = { .d = &l->d, .uid = 7, .role = ROLE_ADMIN };
	json_t *reply;

	str_init(&c.in);
	str_init(&c.watch_text);
	reply = server_answer(&c, line, strlen(line));
	if (!json_opt_bool(reply, "ok", false))
		fail_msg("%s: %s", line, json_opt_str(reply, "error", ""));
	str_release(&c.watch_text);
	json_decref(reply);
}

/* One turn of the loop with a boot, a build and a bisection waiting. */
static void run_loop(struct lab_of_one *l)
{
	scheduler_run(&l->d);
	worker_poll(&l->d);
	keep_tidy(&l->d);
	worker_forget(&l->d);
}

static void ask_ops(struct lab_of_one *l)
{
	ask(l, "{\"op\":\"queue\"}");
	ask(l, "{\"op\":\"queue\",\"all\":true}");
	ask(l, "{\"op\":\"status\",\"job\":1}");
	ask(l, "{\"op\":\"log\",\"job\":1}");
	ask(l, "{\"op\":\"prio\",\"job\":1,\"prio\":2}");
	ask(l, "{\"op\":\"box_list\"}");
	ask(l, "{\"op\":\"cancel\",\"job\":1}");
}

/* What the flows ask; there are no rows, the plan is the same. */
static void ask_flows(struct db *db)
{
	struct db_outbox mail;
	struct db_ids ids;
	long long n;
	double s;
	bool yes;

	json_decref(db_flow_context(db, 1, NULL));
	json_decref(db_flow_comparisons(db, 0, NULL));
	json_decref(db_flow_comparisons(db, 1, NULL));
	json_decref(db_flow_plans(db, 1, 0, NULL));
	json_decref(db_flow_values(db, 1, 0, "m", NULL));
	json_decref(db_flow_invariants(db, 1, 1, NULL));
	json_decref(db_flow_runs(db, 1, 1, true, NULL));
	json_decref(db_flow_costs(db, 1, 1, NULL));
	json_decref(db_flow_mail_of(db, 1, NULL));
	json_decref(db_bisect_of(db, 1, NULL));
	json_decref(db_steps(db, 1, NULL));
	json_decref(db_step_open(db, 1, NULL));
	json_decref(db_bisect_cost(db, 1, NULL));
	json_decref(db_ahead_jobs(db, 1, NULL));
	json_decref(db_steps_waiting(db, 1, NULL));
	json_decref(db_kernels_built(db, 1, NULL));
	json_decref(db_calibration_due(db, 1, 1, NULL));
	json_decref(db_calibration_for(db, 1, 1, "m", NULL));
	json_decref(db_calibration_runs(db, 1, NULL));
	db_artifact_next_ahead(db, &n, NULL);
	db_plan_add_try(db, 1, &n, NULL);
	db_plan_clear_tries(db, 1, NULL);
	db_attempt_median_s(db, "run", 1, &s, NULL);
	db_attempt_median_s(db, "run", 0, &s, NULL);
	db_attempt_median_s(db, "build", 0, &s, NULL);
	db_outbox_due(db, 1, 1, &mail, NULL);
	db_outbox_release(&mail);
	db_box_choose(db, NULL, NULL, &ids, NULL);
	free(ids.v);
	db_job_retry(db, 1, &n, NULL);
	db_job_by_key(db, "k", &n, NULL);
	yes = db_in_transaction(db);
	assert_false(yes);
}

/*
 * Expected: what the loop and the ops ask is found by an index. Buggy: the
 * boots of a job, the bisections of a comparison and the steps under way were
 * found by reading all there ever were, some of it once a second.
 */
static void no_question_reads_a_whole_table(void **state)
{
	struct lab_of_one l;
	long long artifact;

	(void)state;
	open_lab(&l);
	assert_int_equal(db_artifact_want(l.f.db, l.f.base, 0, &artifact, NULL),
			 0);
	fixture_plan(&l.f, l.f.comparison, l.f.base, artifact);
	fixture_plan(&l.f, l.f.comparison, l.f.head, 0);
	run_loop(&l);
	ask_ops(&l);
	ask_flows(l.f.db);
	assert_no_scans(l.f.db);
	close_lab(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_question_reads_a_whole_table),
	};

	return RUN_TESTS(tests);
}
