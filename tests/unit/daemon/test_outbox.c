// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/outbox.c: what an ended delivery does to its row.
#include "tests/unit/test.h"

#include "daemon/outbox.h"
#include "tests/unit/daemon/fixture.h"

static void add_mail(struct lab_of_one *l)
{
	struct db_stmt *q = db_stmt(
		l->f.db, "INSERT INTO outbox (message_id, job_id, subject, "
			 "body, headers_json, state, created_s) "
			 "VALUES ('m@example.org', ?, 's', 'b', '{}', "
			 "'queued', 4000)");

	db_bind_int(q, l->f.job);
	assert_int_equal(db_run(q, NULL), 0);
}

/* The folder of mail 1 as a worker that has ended left it. */
static char *make_folder(struct lab_of_one *l, const char *result)
{
	char *folder = xasprintf("%s/mail/1-0", l->f.dir);
	json_t *spec = json_object();

	assert_int_equal(task_create(folder, spec, NULL), 0);
	if (result)
		write_file(folder, "result.json", result);
	json_decref(spec);
	return folder;
}

static void the_end_of_a_delivery_decides_what_follows(void **state)
{
	static const struct {
		const char *result;
		const char *row; /* state, tries, next try, last error */
		const char *accepted;
	} rows[] = {
		{ "{\"status\":\"done\",\"accepted\":[\"a@example.org\"],"
		  "\"refused\":[]}",
		  "sent 1 0 ", "[\"a@example.org\"]" },
		{ "{\"status\":\"failed\",\"kind\":\"infra\",\"message\":"
		  "\"greylisted\",\"retry\":true,"
		  "\"accepted\":[\"a@example.org\"],\"refused\":[]}",
		  "queued 1 5060 greylisted", "[\"a@example.org\"]" },
		{ "{\"status\":\"failed\",\"kind\":\"config\",\"message\":"
		  "\"no sender\",\"retry\":false}",
		  "failed 1 0 no sender", "[]" },
		{ "{\"status\":\"done\",\"accepted\":[],\"refused\":["
		  "{\"rcpt\":\"x@example.org\",\"reply\":\"550\"}]}",
		  "failed 1 0 every recipient was refused", "[]" },
		{ NULL, "queued 1 5060 drover-mail died", "[]" },
	};
	struct lab_of_one l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char *folder;

		open_lab(&l);
		add_mail(&l);
		folder = make_folder(&l, rows[i].result);
		outbox_adopt(&l.d);
		assert_string_equal(
			sql_text(&l, "SELECT state || ' ' || tries || ' ' || "
				     "next_try_s || ' ' || last_error "
				     "FROM outbox"),
			rows[i].row);
		assert_string_equal(sql_text(&l, "SELECT accepted_json "
						 "FROM outbox"),
				    rows[i].accepted);
		assert_false(file_exists(folder));
		free(folder);
		close_lab(&l);
	}
}

static void who_has_the_mail_is_known_even_when_the_worker_died(void **state)
{
	struct lab_of_one l;
	char *folder;
	char *out;

	(void)state;
	open_lab(&l);
	add_mail(&l);
	folder = make_folder(&l, NULL);
	out = file_join(folder, "out");
	write_file(out, "accepted.json", "[\"a@example.org\"]");
	outbox_adopt(&l.d);
	assert_string_equal(sql_text(&l, "SELECT accepted_json FROM outbox"),
			    "[\"a@example.org\"]");
	assert_string_equal(sql_text(&l, "SELECT state FROM outbox"), "queued");
	free(out);
	free(folder);
	close_lab(&l);
}

static void the_bytes_that_went_out_are_kept(void **state)
{
	struct lab_of_one l;
	char *folder;
	char *out;
	char *kept;

	(void)state;
	open_lab(&l);
	add_mail(&l);
	folder = make_folder(&l, "{\"status\":\"done\",\"accepted\":[\"a\"]}");
	out = file_join(folder, "out");
	write_file(out, "message.eml", "Subject: s\r\n\r\nb\r\n");
	outbox_adopt(&l.d);
	kept = file_join(l.d.cfg.artifact_dir, "mail/1.eml");
	assert_true(file_exists(kept));
	free(kept);
	free(out);
	free(folder);
	close_lab(&l);
}

static void a_mail_is_given_up_after_five_days(void **state)
{
	struct lab_of_one l;
	char *folder;

	(void)state;
	open_lab(&l);
	add_mail(&l);
	clock_set_fake(1, 4000 + 5 * 86400 + 1);
	folder = make_folder(&l, NULL);
	outbox_adopt(&l.d);
	assert_string_equal(sql_text(&l, "SELECT state FROM outbox"), "failed");
	assert_contains(sql_text(&l, "SELECT text FROM event "
				     "ORDER BY id DESC"),
			"could not be delivered");
	free(folder);
	close_lab(&l);
}

static void pauses_double_up_to_the_setting(void **state)
{
	struct config_mail mail = { .backoff_first_s = 60,
				    .backoff_max_s = 14400 };

	(void)state;
	assert_true(outbox_backoff_s(&mail, 1) == 60);
	assert_true(outbox_backoff_s(&mail, 2) == 120);
	assert_true(outbox_backoff_s(&mail, 8) == 7680);
	assert_true(outbox_backoff_s(&mail, 9) == 14400);
	assert_true(outbox_backoff_s(&mail, 1000) == 14400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_a_delivery_decides_what_follows),
		cmocka_unit_test(
			who_has_the_mail_is_known_even_when_the_worker_died),
		cmocka_unit_test(the_bytes_that_went_out_are_kept),
		cmocka_unit_test(a_mail_is_given_up_after_five_days),
		cmocka_unit_test(pauses_double_up_to_the_setting),
	};

	return RUN_TESTS(tests);
}
