// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/report_mail.c, report_sure.c and report_words.c.
#include "tests/unit/test.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/report_mail.h"
#include "report/wrap.h"

static const struct report_param params[] = {
	{ "nr_threads", "100%" },
	{ "testtime", "60s" },
};

static const struct report_other others[] = {
	{ "stress-ng: stress-ng.tee.ops_per_sec 3.1% improvement",
	  "64 threads 2 sockets Some CPU with 128G memory", params, 2 },
};

static const struct report_still still[] = {
	{ "linus/master", "1111111111111111111111111111111111111111" },
};

static const char *const log_lines[] = {
	"01 base", "02", "03", "04", "05", "06",
	"07",	   "08", "09", "10", "11", "12 culprit",
};

static const char *const differed[] = {
	"The CPU clock was 2% lower in the head's boots (2.31 against 2.36 "
	"GHz), which can explain a part of the difference.",
};

static const char *const caveats[] = {
	"The box is a virtual machine with simulated time, so the size of the "
	"effect is not that of real hardware.",
};

static const struct report_table further[] = {
	{ "lab-epyc", "256 threads 2 sockets Other CPU with 512G memory",
	  "FURTHER TABLE\n" },
};

static const struct report_commit left[] = {
	{ "2d02fa8cc21a93da35cfba462bf9ab87db2f3f1d", "sched: one", 0.62 },
	{ "3d02fa8cc21a93da35cfba462bf9ab87db2f3f1d", "sched: two", 0.31 },
};

static struct report_mail sample(enum report_kind kind)
{
	struct report_mail mail = {
		.kind = kind,
		.commit = { "2d02fa8cc21a93da35cfba462bf9ab87db2f3f1d",
			    "sched/pelt: Relax the sync", NAN },
		.base = { "95246d1ec80b8d19d882cd8eb7ad094e63b41bb8",
			  "sched/pelt: The one before", NAN },
		.tree = "mainline",
		.tree_url = "https://git.example.org/linux.git",
		.branch = "master",
		.metric = "stress-ng.pipeherd.ops_per_sec",
		.meaning = "Bogo operations per second",
		.change = -9.66,
		.direction = 1,
		.testcase = "stress-ng",
		.config = "x86_64-lab",
		.compiler = "gcc-12",
		.machine = "224 threads 2 sockets Some CPU with 512G memory",
		.param = params,
		.nr_params = 2,
		.reported_by = "drover <drover@example.org>",
		.closes = "https://lists.example.org/r/1",
		.materials = "https://lab.example.org/1",
		.tables = "HEADLINE TABLE\n",
		.confidence = { .posterior = 0.99999,
				.candidates = 1024,
				.e_value = 3.2e5,
				.e_needed = 100,
				.effect_pct = -9.7,
				.ci_lo_pct = -10.3,
				.ci_hi_pct = -9.1,
				.boots = { 8, 9 },
				.runs = { 24, 27 },
				.builds = 13,
				.layout = REPORT_LAYOUT_HOLDS,
				.aa_boots = 20,
				.aa_alarms = 1,
				.aa_trials = 240,
				.aa_days = 3.4,
				.aa_sd_pct = 1.021 },
		.contact = "lab@example.org",
		.lab = "Drover",
		.lab_url = "https://lab.example.org/",
	};

	return mail;
}

/* The body as a string owned by the caller. */
static char *body_of(const struct report_mail *mail)
{
	struct str out = STR_INIT;

	report_mail(mail, &out);
	return str_detach(&out);
}

static char *subject_of(const struct report_mail *mail)
{
	struct str out = STR_INIT;

	report_subject(mail, &out);
	return str_detach(&out);
}

/* Expected output lives in tests/data/report/mail. */
static void assert_golden(const char *name, const char *got)
{
	char *path = xasprintf("tests/data/report/mail/%s", name);
	struct str want = STR_INIT;
	struct err err = { 0 };

	if (file_read(path, 1 << 20, &want, &err))
		fail_msg("%s", err.text);
	assert_string_equal(got, want.p);
	str_release(&want);
	free(path);
}

static void a_culprit_mail_has_all_parts_in_order(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *body;

	(void)state;
	mail.still = still;
	mail.nr_still = 1;
	mail.other = others;
	mail.nr_others = 1;
	mail.further = further;
	mail.nr_further = 1;
	mail.bisect_log = log_lines;
	mail.nr_bisect_log = ARRAY_SIZE(log_lines);
	mail.differed = differed;
	mail.nr_differed = 1;
	mail.caveats = caveats;
	mail.nr_caveats = 1;
	mail.regzbot = "v6.1..v6.2";
	mail.command = "stress-ng --timeout 60 --pipeherd 224";
	mail.confidence.range[0] = "0000000000010000000000000000000000000000";
	mail.confidence.range[1] = "0000000000020000000000000000000000000000";
	mail.confidence.table_runs[0] = 12;
	mail.confidence.table_boots[0] = 4;
	mail.confidence.table_runs[1] = mail.confidence.table_boots[1] = 1;
	body = body_of(&mail);
	assert_golden("culprit.txt", body);
	free(body);
}

static void each_kind_says_what_it_can_claim(void **state)
{
	static const struct {
		enum report_kind kind;
		const char *says;
		int tags;
	} rows[] = {
		{ REPORT_COMPARISON, "nothing was bisected", 1 },
		{ REPORT_RANGE_ONLY, "no commit is accused", 0 },
		{ REPORT_NOT_REPRODUCED, "could not reproduce a 9.7%", 0 },
		{ REPORT_LAYOUT, "author has nothing to fix", 0 },
		{ REPORT_INCONCLUSIVE, "No single commit", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_mail mail = sample(rows[i].kind);
		char *body = body_of(&mail);

		for (char *p = body; (p = strchr(p, '\n'));)
			*p = ' ';
		assert_contains(body, rows[i].says);
		assert_int_equal(strstr(body, "| Reported-by:") != NULL,
				 rows[i].tags);
		assert_int_equal(strstr(body, "#regzbot") != NULL, 0);
		free(body);
	}
}

static void a_range_names_both_ends_and_the_price(void **state)
{
	struct report_mail mail = sample(REPORT_RANGE_ONLY);
	char *body;

	(void)state;
	mail.confidence.runs_needed = 5021.4;
	mail.confidence.runs_budget = 600;
	mail.confidence.posterior = 0;
	body = body_of(&mail);
	assert_contains(body,
			"base:   95246d1ec80b8d19d882cd8eb7ad094e63b41bb8");
	assert_contains(body,
			"commit: 2d02fa8cc21a93da35cfba462bf9ab87db2f3f1d");
	assert_contains(body, "about 5021");
	assert_contains(body, "the budget is 600");
	assert_null(strstr(body, "probability"));
	free(body);
}

/* Expected: why. Buggy: "Only the range is known. So no commit is accused." */
static void a_range_without_a_price_names_the_budget(void **state)
{
	struct report_mail mail = sample(REPORT_RANGE_ONLY);
	char *text;

	(void)state;
	mail.confidence.runs_budget = 400;
	text = body_of(&mail);
	assert_contains(text, "more than the 400\nruns that a search may use.");
	free(text);
}

static void a_patch_is_answered_in_its_thread(void **state)
{
	struct report_mail mail = sample(REPORT_PATCH);
	char *text;

	(void)state;
	mail.patch_url = "https://git.example.org/drover/patch-1";
	mail.patch_base = "v6.2";
	mail.patch_link = "https://lists.example.org/r/2";
	mail.patch_subject = "[PATCH v2] sched: fix the sync";
	mail.change = 10.5;
	mail.tested_by = "drover <drover@example.org>";
	text = subject_of(&mail);
	assert_string_equal(text, "Re: [PATCH v2] sched: fix the sync");
	free(text);
	mail.patch_subject = "Re: [PATCH v2] sched: fix the sync";
	text = subject_of(&mail);
	assert_string_equal(text, "Re: [PATCH v2] sched: fix the sync");
	free(text);
	text = body_of(&mail);
	assert_golden("patch.txt", text);
	free(text);
}

static void subjects_name_tree_subsystem_commit_and_change(void **state)
{
	static const struct {
		enum report_kind kind;
		const char *want;
	} rows[] = {
		{ REPORT_CULPRIT,
		  "[mainline:master] [sched/pelt]  2d02fa8cc2:  "
		  "stress-ng.pipeherd.ops_per_sec 9.7% regression" },
		{ REPORT_RANGE_ONLY,
		  "[mainline:master] [sched/pelt]  95246d1ec8..2d02fa8cc2:  "
		  "stress-ng.pipeherd.ops_per_sec 9.7% regression" },
		{ REPORT_NOT_REPRODUCED,
		  "[mainline:master] [sched/pelt]  95246d1ec8..2d02fa8cc2:  "
		  "stress-ng.pipeherd.ops_per_sec 9.7% regression not "
		  "reproduced" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_mail mail = sample(rows[i].kind);
		char *text = subject_of(&mail);

		assert_string_equal(text, rows[i].want);
		free(text);
	}
}

/*
 * Expected: the subsystem of what is reverted, and no sentence.
 * Buggy: [Revert "mm], and as many words as stand before the first colon.
 */
static void subsystems_are_short_and_seen_through_a_revert(void **state)
{
	static const struct {
		const char *subject;
		const char *want; /* NULL: none */
	} rows[] = {
		{ "Revert \"mm: move it\"", "] [mm]  2d" },
		{ "Reapply \"Revert \"net/tls: x\"\"", "] [net/tls]  2d" },
		{ "Revert \"\"", NULL },
		{ "Make the following work on all machines again: foo", NULL },
		{ "Linux 6.7-rc1", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_mail mail = sample(REPORT_CULPRIT);
		char *text;

		mail.commit.subject = rows[i].subject;
		text = subject_of(&mail);
		assert_contains(text, rows[i].want ? rows[i].want : "]  2d");
		free(text);
	}
}

/*
 * Expected: short. Buggy: 103 digits, when the base was 0 (its percentage is
 * of 1e-100, as LKP has it).
 */
static void a_change_from_nothing_is_short(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.change = 8.1e102;
	text = subject_of(&mail);
	assert_contains(text, " 8.1e+102% improvement");
	free(text);
	text = body_of(&mail);
	assert_contains(text, "noticed an 8.1e+102% improvement of");
	free(text);
	mail.change = 99999.94;
	text = subject_of(&mail);
	assert_contains(text, " 99999.9% improvement");
	free(text);
}

/*
 * Expected: the interval is of the base, in per cent, whatever the table shows.
 * Buggy: a quarter more of 2 % idle was "+25.0 points".
 */
static void the_effect_is_relative_also_of_percentages(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.metric = "mpstat.cpu.all.idle%";
	mail.absolute = true;
	mail.change = 0.5;
	mail.confidence.effect_pct = 25;
	mail.confidence.ci_lo_pct = 20;
	mail.confidence.ci_hi_pct = 30;
	text = body_of(&mail);
	assert_contains(text, "drover noticed a 0.5 points ");
	assert_contains(text, "  effect         +25.0%, 95% interval +20.0% to "
			      "+30.0% of the base\n");
	free(text);
}

static void a_path_is_not_promised_to_readers(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.materials = "/var/lib/drover/artifacts/reports/x";
	text = body_of(&mail);
	assert_contains(text, "kept by the lab in:\n/var/lib");
	free(text);
}

static void a_hostile_subject_stays_one_line(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.commit.subject = "evil\r\nBcc: x@example.org: \033[2J";
	mail.tree = "a\nb";
	text = subject_of(&mail);
	assert_null(strpbrk(text, "\r\n\033"));
	free(text);
	text = body_of(&mail);
	assert_null(strstr(text, "\nBcc:"));
	assert_null(strpbrk(text, "\r\033"));
	free(text);
}

static void no_change_is_said_and_nobody_is_asked_for_tags(void **state)
{
	struct report_mail mail = sample(REPORT_COMPARISON);
	char *text;

	(void)state;
	mail.unchanged = true;
	text = body_of(&mail);
	assert_contains(text, "drover noticed no change of "
			      "stress-ng.pipeherd.ops_per_sec on:");
	assert_null(strstr(text, "Reported-by"));
	assert_null(strstr(text, "sensitivity"));
	free(text);
	mail.confidence.detectable_pct = 0.84;
	text = body_of(&mail);
	assert_contains(text, "  sensitivity    a change of 0.8% would have "
			      "been seen in 4 of 5 tries\n");
	free(text);
	mail.confidence.detectable_pct = INFINITY;
	text = body_of(&mail);
	assert_contains(text, "sensitivity    so few boots could not have");
	free(text);
	text = subject_of(&mail);
	assert_contains(text, "ops_per_sec no change");
	free(text);
}

static void an_improvement_asks_for_no_tags(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.change = 8.04;
	text = body_of(&mail);
	assert_contains(text, "noticed an 8.0% improvement of");
	assert_null(strstr(text, "Reported-by"));
	free(text);
}

static void certainty_is_never_claimed(void **state)
{
	static const struct {
		double p;
		const char *text;
	} rows[] = {
		{ 1.0, ">99.9%" },   { 0.99951, ">99.9%" }, { 0.9994, "99.9%" },
		{ 0.95, "95.0%" },   { 0.0001, "<0.1%" },   { 0, "<0.1%" },
		{ 0.00051, "0.1%" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str out = STR_INIT;

		str_add_probability(&out, rows[i].p);
		assert_string_equal(out.p, rows[i].text);
		str_release(&out);
	}
}

static void a_revert_on_head_has_its_line(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text = body_of(&mail);

	(void)state;
	assert_null(strstr(text, "revert on head"));
	free(text);
	mail.confidence.revert =
		"+9.6%, 95% interval +9.1% to +10.2%, E = 2.4e+05: gives it "
		"back\a";
	text = body_of(&mail);
	assert_contains(text,
			"  revert on head +9.6%, 95% interval +9.1% to +10.2%, "
			"E = 2.4e+05: gives it\n"
			"                 back?\n");
	free(text);
}

static void an_uncalibrated_box_says_so(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.confidence.aa_trials = 0;
	text = body_of(&mail);
	assert_contains(text, "false alarms   not calibrated");
	free(text);
	mail.confidence.aa_stale = true;
	text = body_of(&mail);
	assert_contains(text, "false alarms   no longer calibrated");
	free(text);
}

static void candidates_left_are_listed_with_their_share(void **state)
{
	struct report_mail mail = sample(REPORT_INCONCLUSIVE);
	char *text;

	(void)state;
	mail.left = left;
	mail.nr_left = 2;
	text = body_of(&mail);
	assert_contains(text, "  62.0%  2d02fa8cc21a (\"sched: one\")\n"
			      "  31.0%  3d02fa8cc21a (\"sched: two\")\n");
	free(text);
}

static void ascii_mails_hold_no_other_byte(void **state)
{
	struct report_mail mail = sample(REPORT_CULPRIT);
	char *text;

	(void)state;
	mail.ascii = true;
	mail.tables = "      5.49 \xc2\xb1  2%      -0.5        4.94 \xc2\xb1"
		      "  4%  x\n";
	text = body_of(&mail);
	assert_contains(text, "      5.49+-  2%      -0.5        4.94+-  4%  "
			      "x\n");
	for (const char *p = text; *p; p++)
		assert_true((unsigned char)*p < 0x80);
	free(text);
}

static int is_prose(const char *line, size_t len)
{
	static const char *const fixed[] = { "commit:", "base:", "[",
					     "|",	"+",	 "-",
					     "*",	"http",	 "\t" };

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (len >= strlen(fixed[i]) &&
		    !strncmp(line, fixed[i], strlen(fixed[i])))
			return 0;
	}
	return 1;
}

static void prose_fits_into_75_columns(void **state)
{
	(void)state;
	for (int kind = REPORT_CULPRIT; kind <= REPORT_INCONCLUSIVE; kind++) {
		struct report_mail mail = sample((enum report_kind)kind);
		char *text;

		mail.metric = "phoronix-test-suite.a-very-long-name.of-a-test."
			      "with_parameters.operations_per_sec";
		mail.differed = differed;
		mail.nr_differed = 1;
		mail.caveats = caveats;
		mail.nr_caveats = 1;
		text = body_of(&mail);
		for (char *p = text; *p;) {
			size_t len = strcspn(p, "\n");
			size_t words = strcspn(p, " \n");

			if (is_prose(p, len) && words < len &&
			    wrap_columns(p, len) > 75 && words < 75)
				fail_msg("too wide: %.*s", (int)len, p);
			p += len + (p[len] == '\n');
		}
		free(text);
	}
}

static void ids_are_time_commit_and_host(void **state)
{
	struct str out = STR_INIT;

	(void)state;
	report_add_id(&out, 1767225599, "2d02fa8cc21a93da35cf",
		      "lab-1.example.org>\r\n");
	assert_string_equal(out.p,
			    "202512312359.2d02fa8-drover@lab-1.example.org");
	str_release(&out);
}

static void machines_are_described_as_far_as_known(void **state)
{
	static const struct {
		struct report_machine machine;
		const char *text;
	} rows[] = {
		{ { 224, 2, 2, "Some CPU 8480+", "Sapphire Rapids",
		    540431955284ULL },
		  "224 threads 2 sockets Some CPU 8480+ (Sapphire Rapids) with "
		  "503G memory" },
		{ { 4, 2, 0, NULL, NULL, 1ULL << 29 },
		  "4 threads 2 sockets with 512M memory" },
		{ { 0, 0, 0, "Some CPU", NULL, 0 }, "Some CPU" },
		{ { 1, 0, 2, "Some CPU", NULL, 1ULL << 30 },
		  "1 thread 2 nodes Some CPU with 1G memory" },
		{ { 0, 0, 0, NULL, NULL, 0 }, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str out = STR_INIT;

		report_add_machine(&out, &rows[i].machine);
		assert_string_equal(out.p, rows[i].text);
		str_release(&out);
	}
}

static void verdicts_are_one_sentence(void **state)
{
	static const char *const wants[] = {
		[REPORT_CULPRIT] = "9.7% regression comes from 2d02fa8cc21a "
				   "(\"sched/pelt: Relax the sync\"), "
				   "probability >99.9%.",
		[REPORT_COMPARISON] = "9.7% regression between 95246d1ec80b "
				      "(\"sched/pelt: The one before\") and "
				      "2d02fa8cc21a",
		[REPORT_PATCH] = "9.7% regression between",
		[REPORT_RANGE_ONLY] = "lies in 95246d1ec80b..2d02fa8cc21a",
		[REPORT_NOT_REPRODUCED] = "did not reproduce.",
		[REPORT_LAYOUT] = "gone under a second code layout",
		[REPORT_INCONCLUSIVE] = "0 commits are left.",
	};

	(void)state;
	for (int kind = REPORT_CULPRIT; kind <= REPORT_INCONCLUSIVE; kind++) {
		struct report_mail mail = sample((enum report_kind)kind);
		struct str out = STR_INIT;

		report_verdict(&mail, &out);
		assert_contains(out.p, wants[kind]);
		assert_null(strchr(out.p, '\n'));
		str_release(&out);
	}
}

static void the_headline_comes_out_of_a_comparison(void **state)
{
	struct compare_side side[2] = {
		{ .n = 3 }, { .n = 3, .change = -9.7, .changed = true }
	};
	struct compare_metric metric = {
		.name = (char *)"stress-ng.pipe.ops_per_sec", .side = side
	};
	struct report_mail mail = { .kind = REPORT_COMPARISON };

	(void)state;
	report_set_headline(&mail, &metric, 1);
	assert_string_equal(mail.metric, "stress-ng.pipe.ops_per_sec");
	assert_contains(mail.meaning, "Bogo operations");
	assert_int_equal(mail.direction, 1);
	assert_false(mail.unchanged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_culprit_mail_has_all_parts_in_order),
		cmocka_unit_test(each_kind_says_what_it_can_claim),
		cmocka_unit_test(a_range_names_both_ends_and_the_price),
		cmocka_unit_test(a_range_without_a_price_names_the_budget),
		cmocka_unit_test(a_patch_is_answered_in_its_thread),
		cmocka_unit_test(
			subjects_name_tree_subsystem_commit_and_change),
		cmocka_unit_test(
			subsystems_are_short_and_seen_through_a_revert),
		cmocka_unit_test(a_change_from_nothing_is_short),
		cmocka_unit_test(the_effect_is_relative_also_of_percentages),
		cmocka_unit_test(a_path_is_not_promised_to_readers),
		cmocka_unit_test(a_hostile_subject_stays_one_line),
		cmocka_unit_test(
			no_change_is_said_and_nobody_is_asked_for_tags),
		cmocka_unit_test(an_improvement_asks_for_no_tags),
		cmocka_unit_test(certainty_is_never_claimed),
		cmocka_unit_test(a_revert_on_head_has_its_line),
		cmocka_unit_test(an_uncalibrated_box_says_so),
		cmocka_unit_test(candidates_left_are_listed_with_their_share),
		cmocka_unit_test(ascii_mails_hold_no_other_byte),
		cmocka_unit_test(prose_fits_into_75_columns),
		cmocka_unit_test(ids_are_time_commit_and_host),
		cmocka_unit_test(machines_are_described_as_far_as_known),
		cmocka_unit_test(verdicts_are_one_sentence),
		cmocka_unit_test(the_headline_comes_out_of_a_comparison),
	};

	return RUN_TESTS(tests);
}
