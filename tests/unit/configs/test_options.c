// SPDX-License-Identifier: GPL-3.0-or-later
/* Settings: sources in their order, origins, and a dump that reads back. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "configs/options.h"
#include "configs/options_table.h"

static char dir[] = "/tmp/drover-options-XXXXXX";

static void write_file(const char *name, const char *text, mode_t mode,
		       char **out_path)
{
	struct err err = { 0 };
	char *path = file_join(dir, name);

	assert_int_equal(
		file_write_atomic(path, text, strlen(text), mode, &err), 0);
	if (out_path)
		*out_path = path;
	else
		free(path);
}

static int setup(void **state)
{
	(void)state;
	unsetenv("DROVER_CONFIG");
	unsetenv("DROVER_STATE_DIR");
	unsetenv("DROVER_MAIL_PORT");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return 0;
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	struct err err = { 0 };

	(void)state;
	return file_remove_tree(dir, &err);
}

static void defaults_follow_the_fhs(void **state)
{
	struct err err = { 0 };
	struct config cfg;

	(void)state;
	assert_int_equal(config_load(&cfg, NULL, 0, &err), 0);
	assert_string_equal(cfg.state_dir, "/var/lib/drover");
	assert_string_equal(cfg.cache_dir, "/var/cache/drover");
	assert_string_equal(cfg.socket, "/run/drover/drover.sock");
	assert_string_equal(cfg.artifact_dir, "/var/lib/drover/artifacts");
	assert_string_equal(cfg.lab_file, "/etc/drover/lab.yaml");
	assert_int_equal(cfg.mail.port, 25);
	assert_true(cfg.build.timeout_s == 7200);
	assert_int_equal(cfg.build.ccache_max_bytes, 5LL << 30);
	config_release(&cfg);
}

static void a_state_dir_of_ones_own_carries_the_rest(void **state)
{
	static const char *const sets[] = { "state_dir=/tmp/x" };
	struct err err = { 0 };
	struct config cfg;

	(void)state;
	assert_int_equal(config_load(&cfg, sets, 1, &err), 0);
	assert_string_equal(cfg.cache_dir, "/tmp/x/cache");
	assert_string_equal(cfg.socket, "/tmp/x/drover.sock");
	assert_string_equal(cfg.pages_dir, "/tmp/x/pages");
	assert_string_equal(cfg.lab_file, "/tmp/x/lab.yaml");
	config_release(&cfg);
}

static const char *origin(const struct config *cfg, const char *key)
{
	return cfg->origins[fields_find(&options_table, key)];
}

static void the_last_source_wins_and_is_remembered(void **state)
{
	static const char *const sets[] = { "mail.port=3" };
	struct err err = { 0 };
	struct config cfg;
	char *path;

	(void)state;
	write_file("a.yaml", "mail:\n  host: filehost\n  port: 1\n", 0644,
		   &path);
	setenv("DROVER_CONFIG", path, 1);
	assert_int_equal(config_load(&cfg, NULL, 0, &err), 0);
	assert_int_equal(cfg.mail.port, 1);
	assert_string_equal(origin(&cfg, "mail.port"), path);
	config_release(&cfg);
	setenv("DROVER_MAIL_PORT", "2", 1);
	assert_int_equal(config_load(&cfg, NULL, 0, &err), 0);
	assert_int_equal(cfg.mail.port, 2);
	assert_string_equal(origin(&cfg, "mail.port"),
			    "environment DROVER_MAIL_PORT");
	assert_string_equal(cfg.mail.host, "filehost");
	config_release(&cfg);
	assert_int_equal(config_load(&cfg, sets, 1, &err), 0);
	assert_int_equal(cfg.mail.port, 3);
	assert_string_equal(origin(&cfg, "mail.port"), "flag --set");
	assert_string_equal(origin(&cfg, "mail.ascii"), "default");
	config_release(&cfg);
	free(path);
}

static void user_file_is_read_from_xdg(void **state)
{
	struct err err = { 0 };
	struct config cfg;
	char *sub = file_join(dir, "drover");

	(void)state;
	assert_int_equal(file_mkdirs(sub, 0755, &err), 0);
	write_file("drover/drover.yaml", "compare: {pairs: 7}\n", 0644, NULL);
	setenv("XDG_CONFIG_HOME", dir, 1);
	assert_int_equal(config_load(&cfg, NULL, 0, &err), 0);
	assert_int_equal(cfg.compare.pairs, 7);
	config_release(&cfg);
	free(sub);
}

static void a_missing_named_file_is_an_error(void **state)
{
	struct err err = { 0 };
	struct config cfg;

	(void)state;
	setenv("DROVER_CONFIG", "/nonexistent/x.yaml", 1);
	assert_int_equal(config_load(&cfg, NULL, 0, &err), ERR_NOTFOUND);
	assert_contains(err.text, "/nonexistent/x.yaml");
}

static const char full[] =
	"mail:\n  from: \"drover <d@example.org>\"\n"
	"  to: [a@example.org, \"b, \\\"x\\\" <b@example.org>\"]\n"
	"  backoff_first: 1.5s\n"
	"build: {ccache_max_size: 3MiB, timeout: 90m, cc: 'a: # b'}\n"
	"compare: {min_effect: 2.5%}\n"
	"repos:\n"
	"  - {name: linux, path: /l, subdirs: [mm, 'kernel/sched']}\n"
	"  - {name: two, path: ./t, kconfig: lab-slim}\n";

/* Expected: what `drover config` prints means what is in force. */
static void the_dump_reads_back_to_itself(void **state)
{
	for (int origins = 0; origins < 2; origins++) {
		struct err err = { 0 };
		struct config one, two;
		struct str a = STR_INIT, b = STR_INIT;

		config_init(&one);
		config_init(&two);
		if (config_apply_text(&one, full, strlen(full), "f", &err))
			fail_msg("%s", err.text);
		assert_string_equal(one.mail.to.v[1],
				    "b, \"x\" <b@example.org>");
		assert_int_equal(one.nr_repos, 2);
		config_dump(&one, origins, &a);
		if (config_apply_text(&two, a.p, a.len, "dump", &err))
			fail_msg("%s\n%s", err.text, a.p);
		str_reset(&a);
		config_dump(&one, false, &a);
		config_dump(&two, false, &b);
		assert_string_equal(a.p, b.p);
		assert_true(two.mail.backoff_first_s == 1.5);
		assert_string_equal(two.build.cc, "a: # b");
		config_release(&one);
		config_release(&two);
		str_release(&a);
		str_release(&b);
	}
	(void)state;
}

static void the_example_is_valid_and_changes_nothing(void **state)
{
	struct str ex = STR_INIT, a = STR_INIT, b = STR_INIT, on = STR_INIT;
	struct err err = { 0 };
	struct config cfg;

	(void)state;
	config_init(&cfg);
	config_dump(&cfg, false, &a);
	config_example(&ex);
	if (config_apply_text(&cfg, ex.p, ex.len, "example", &err))
		fail_msg("%s\n%s", err.text, ex.p);
	config_dump(&cfg, false, &b);
	assert_string_equal(a.p, b.p);
	/* and with the '#' in front of the examples gone it is valid too */
	for (const char *p = ex.p; *p; p++)
		if (*p != '#' || p[1] == ' ' || p[1] == '\'')
			str_addch(&on, *p);
	if (config_apply_text(&cfg, on.p, on.len, "example", &err))
		fail_msg("%s\n%s", err.text, on.p);
	assert_int_equal(cfg.nr_repos, 1);
	assert_true(cfg.mail.enabled);
	str_release(&ex);
	str_release(&a);
	str_release(&b);
	str_release(&on);
	config_release(&cfg);
}

static void each_option_is_in_the_reference_with_its_variable(void **state)
{
	struct str md = STR_INIT;

	(void)state;
	config_reference(&md);
	for (size_t i = 0; i < options_table.nr; i++) {
		char name[64], line[128];

		options_env_name(options_table.v[i].key, name);
		snprintf(line, sizeof(line), "### `%s`\n",
			 options_table.v[i].key);
		assert_contains(md.p, line);
		assert_contains(md.p, name);
	}
	assert_contains(md.p, "DROVER_RUN_SSH_CONNECT_TIMEOUT");
	str_release(&md);
}

static void json_has_value_and_origin(void **state)
{
	struct config cfg;
	json_t *j;

	(void)state;
	config_init(&cfg);
	j = config_to_json(&cfg);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(j, "mail.port"), "value")),
			 25);
	assert_non_null(json_object_get(j, "repos"));
	json_decref(j);
	config_release(&cfg);
}

static void mistakes_in_files_are_named_with_their_place(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "mail: {hots: x}\n", "f:1:8: there is no option "
				       "\"mail.hots\" (did you mean "
				       "mail.host?)" },
		{ "state_dir: var\n", "f:1:12: state_dir: \"var\" is not a "
				      "path" },
		{ "mail: {port: 0}\n", "f:1:14: mail.port: 0 is outside 1" },
		{ "mail: {tls: ssl}\n",
		  "mail.tls: \"ssl\" is not none, starttls or tls" },
		{ "mail: {ascii: perhaps}\n", "is not true or false" },
		{ "build: {timeout: 3 moons}\n", "is not a duration" },
		{ "build: {timeout: -5m}\n", "is not a duration" },
		{ "build: {ccache_max_size: 5XB}\n", "is not a size" },
		{ "compare: {pairs: 1e3}\n", "is not a whole number" },
		{ "compare: {min_effect: nan}\n", "is not a percentage" },
		{ "mail: {host: [a]}\n", "expected text" },
		{ "web: x\n", "there is no option \"web\"" },
		{ "a: 1\n---\nb: 1\n", "f:3:1: settings are one document" },
		{ "- a\n", "f:1:1: expected \"key: value\"" },
		{ "repos: x\n", "f:1:8: repos: expected a list" },
		{ "repos: [{name: A}]\n", "f:1:9: a repository needs a name" },
		{ "repos: [{name: a}, {name: a}]\n",
		  "f:1:20: there is a repository \"a\" already" },
		{ "repos: [{nam: a}]\n", "(did you mean name?)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		struct config cfg;

		config_init(&cfg);
		assert_int_equal(config_apply_text(&cfg, cases[i].text,
						   strlen(cases[i].text), "f",
						   &err),
				 ERR_CONFIG);
		assert_contains(err.text, cases[i].part);
		config_release(&cfg);
	}
}

static void flags_and_combinations_are_checked(void **state)
{
	static const struct {
		const char *sets[2], *part;
	} cases[] = {
		{ { "mail.hots=x", "mail.ascii=1" },
		  "flag --set: there is no option \"mail.hots\"" },
		{ { "novalue", "mail.ascii=1" }, "expected key=value" },
		{ { "repos=x", "mail.ascii=1" }, "in a file only" },
		{ { "mail.enabled=yes", "mail.ascii=1" }, "mail.from" },
		{ { "mail.to=a", "mail.ascii=1" }, "is no mail address" },
		{ { "mail.backoff_first=2h", "mail.backoff_max=1h" },
		  "longer than" },
		{ { "build.cc=a\nb", "mail.ascii=1" }, "control characters" },
		{ { "build.cc=\xc2\x85", "mail.ascii=1" }, "control" },
		{ { "build.cc=\xff", "mail.ascii=1" }, "control" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		struct config cfg;

		assert_int_equal(config_load(&cfg, cases[i].sets, 2, &err),
				 ERR_CONFIG);
		assert_contains(err.text, cases[i].part);
	}
}

static void a_secret_that_others_can_read_is_refused(void **state)
{
	struct err err = { 0 };
	struct config cfg;
	struct str set = STR_INIT;
	const char *sets[1];
	char *path;

	(void)state;
	write_file("secret", "hunter\n", 0640, &path);
	chmod(path, 0640);
	str_addf(&set, "mail.password_file=%s", path);
	sets[0] = set.p;
	assert_int_equal(config_load(&cfg, sets, 1, &err), ERR_DENIED);
	assert_contains(err.text, "chmod 600");
	chmod(path, 0600);
	assert_int_equal(config_load(&cfg, sets, 1, &err), 0);
	config_release(&cfg);
	str_release(&set);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(defaults_follow_the_fhs, setup),
		cmocka_unit_test_setup(a_state_dir_of_ones_own_carries_the_rest,
				       setup),
		cmocka_unit_test_setup(the_last_source_wins_and_is_remembered,
				       setup),
		cmocka_unit_test_setup(user_file_is_read_from_xdg, setup),
		cmocka_unit_test_setup(a_missing_named_file_is_an_error, setup),
		cmocka_unit_test(the_dump_reads_back_to_itself),
		cmocka_unit_test(the_example_is_valid_and_changes_nothing),
		cmocka_unit_test(
			each_option_is_in_the_reference_with_its_variable),
		cmocka_unit_test(json_has_value_and_origin),
		cmocka_unit_test(mistakes_in_files_are_named_with_their_place),
		cmocka_unit_test_setup(flags_and_combinations_are_checked,
				       setup),
		cmocka_unit_test_setup(a_secret_that_others_can_read_is_refused,
				       setup),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
