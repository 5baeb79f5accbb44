// SPDX-License-Identifier: GPL-3.0-or-later
// The git program with a clean environment and no hooks.
#include "runners/git.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/spawn.h"

#define MAX_ARGS	 64
#define MAX_ENV		 24
#define ERRORS_MAX_BYTES 8192

static const char *const prefix[] = {
	"git",
	"--no-pager",
	"--no-replace-objects",
	"-c",
	"safe.directory=*",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"core.autocrlf=false",
	"-c",
	"advice.detachedHead=false",
};

static const char *const base_env[] = {
	"HOME=/nonexistent",
	"LANG=C.UTF-8",
	"TZ=UTC",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_LAZY_FETCH=1",
	/* no system call for every line of a list */
	"GIT_FLUSH=0",
	"GIT_AUTHOR_NAME=drover",
	"GIT_AUTHOR_EMAIL=drover@localhost",
	"GIT_COMMITTER_NAME=drover",
	"GIT_COMMITTER_EMAIL=drover@localhost",
};

int git_run(const struct git *g, struct str *out, struct str *errout,
	    struct err *err)
{
	const char *argv[MAX_ARGS + 1];
	const char *env[MAX_ENV + 1];
	/* what a killed worker leaves behind must not write on */
	struct spawn what = { .argv = argv,
			      .env = env,
			      .input = g->input,
			      .input_len = g->input ? strlen(g->input) : 0,
			      .death_signal = SIGKILL };
	const char *path = getenv("PATH");
	char *path_var = xasprintf("PATH=%s", path ? path : "/usr/bin:/bin");
	size_t n = 0;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(prefix); i++)
		argv[n++] = prefix[i];
	argv[n++] = "-C";
	argv[n++] = g->repo;
	for (i = 0; g->args[i] && n < MAX_ARGS; i++)
		argv[n++] = g->args[i];
	argv[n] = NULL;
	n = 0;
	env[n++] = path_var;
	for (i = 0; i < ARRAY_SIZE(base_env); i++)
		env[n++] = base_env[i];
	for (i = 0; g->env && g->env[i] && n < MAX_ENV; i++)
		env[n++] = g->env[i];
	env[n] = NULL;
	rc = spawn_capture(&what, out, errout, g->timeout_ms, err);
	free(path_var);
	return rc;
}

const char *git_complaint(struct str *errout)
{
	static const char *const words[] = { "fatal: ", "error: " };
	const char *text = errout->p;
	char *end = strchr(errout->p, '\n');
	size_t i;

	if (end)
		*end = '\0';
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts(text, words[i]))
			text += strlen(words[i]);
	return text;
}

int git_output(const struct git *g, struct str *out, struct err *err)
{
	struct str errout = STR_INIT;
	int rc;

	errout.max_bytes = ERRORS_MAX_BYTES;
	rc = git_run(g, out, &errout, err);
	if (rc > 0)
		rc = err_set(err, ERR_IO, "git %s in %s: %s", g->args[0],
			     g->repo, git_complaint(&errout));
	str_release(&errout);
	return rc;
}
