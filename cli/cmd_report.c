// SPDX-License-Identifier: GPL-3.0-or-later
// drover report: a job's report as it is mailed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/job_arg.h"
#include "cli/show.h"

/* The headers of a queued mail as they go out; of another what is known. */
static void show_headers(const json_t *mail)
{
	const char *message = json_opt_str(mail, "message", "");
	const char *end = strstr(message, "\n\n");
	char *headers;

	if (end) {
		headers = xstrndup(message, (size_t)(end - message));
		show_text(headers);
		free(headers);
		return;
	}
	printf("Message-ID: ");
	show_text(json_opt_str(mail, "message_id", "none"));
	printf("Subject: ");
	show_text(json_opt_str(mail, "subject", ""));
}

static void show_mail(const json_t *mail)
{
	const char *why = json_opt_str(mail, "why", "");
	struct str state = STR_INIT;

	show_headers(mail);
	str_add(&state, json_opt_str(mail, "state", "not queued"));
	if (*why)
		str_addf(&state, " (tries: %lld): %s",
			 json_opt_int(mail, "tries", 0), why);
	printf("State: ");
	show_text(state.p);
	putchar('\n');
	str_release(&state);
}

int cmd_report(int argc, char **argv)
{
	bool preview = false;
	const struct arg_spec spec[] = {
		{ "mail-preview", 0, NULL, "with the mail's headers", ARG_FLAG,
		  &preview },
	};
	struct err err = { 0 };
	long long job;
	json_t *reply;
	int exit_code = job_arg_parse(argc, argv, spec, ARRAY_SIZE(spec), &job);

	if (job < 0)
		return exit_code;
	reply = client_ask(
		json_pack("{s:s, s:I}", "op", "report", "job", (json_int_t)job),
		&err);
	if (!reply)
		return client_fail("report", &err);
	if (args_common.json) {
		show_json(reply);
	} else {
		if (preview)
			show_mail(json_object_get(reply, "mail"));
		show_text(json_opt_str(reply, "text", ""));
	}
	json_decref(reply);
	return 0;
}
