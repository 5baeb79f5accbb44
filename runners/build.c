// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel build from its task to its result, step by step.
#include "runners/build.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"

#define DIR_MODE	  0750
#define FILE_MODE	  0640
#define TOOL_TIMEOUT_MS	  30000
#define VERSION_MAX_BYTES 65536
#define COUNT_MAX_BYTES	  64
#define SLOT_WAIT_S	  60
#define SLOT_PAUSE_MS	  200
#define LOG_TAIL_BYTES	  ((size_t)256 << 10)

/* The first line of what `@tool --version` prints; owned by the caller. */
static char *version_of(const char *tool, struct err *err)
{
	const char *const argv[] = { tool, "--version", NULL };
	struct str out = STR_INIT;

	out.max_bytes = VERSION_MAX_BYTES;
	if (spawn_output(argv, NULL, TOOL_TIMEOUT_MS, &out, err)) {
		str_release(&out);
		return NULL;
	}
	if (out.len)
		out.p[strcspn(out.p, "\n")] = '\0';
	return str_detach(&out);
}

static bool program_runs(const char *tool)
{
	char *version = version_of(tool, NULL);

	free(version);
	return version != NULL;
}

/* What must be known before the artifact has a name. */
static int identify(struct build *b, struct err *err)
{
	char *toolchain;
	int rc;

	b->toolchain = version_of(b->spec.cc, err);
	if (!b->toolchain)
		return err->code = ERR_INFRA;
	b->linker = version_of("ld", err);
	if (!b->linker)
		return err->code = ERR_INFRA;
	rc = build_kconfig_read(b, err);
	if (rc)
		return rc;
	toolchain = xasprintf("%s; %s", b->toolchain, b->linker);
	build_key(b->spec.tree, b->kconfig_sha256, toolchain, b->spec.layout,
		  b->key);
	free(toolchain);
	return 0;
}

static void name_folders(struct build *b)
{
	b->src = file_join(b->spec.slot_dir, "src");
	/* per kconfig and layout: changing either would rebuild everything */
	b->out_name = xasprintf(BUILD_OUT_PREFIX "%.8s-%d", b->kconfig_sha256,
				b->spec.layout);
	b->out = file_join(b->src, b->out_name);
}

/* One build per slot; the daemon sees to it, a leftover may still be ending. */
static int lock_slot(const struct build *b, struct err *err)
{
	char *path = file_join(b->spec.slot_dir, "lock");
	long long end_ns = clock_mono_ns() + SLOT_WAIT_S * 1000000000LL;
	int rc = file_mkdirs(b->spec.slot_dir, DIR_MODE, err);

	while (!rc) {
		rc = file_lock(path, err);
		if (rc != ERR_BUSY || clock_mono_ns() > end_ns ||
		    task_stopped())
			break;
		rc = 0;
		clock_sleep_ms(SLOT_PAUSE_MS);
	}
	if (rc == ERR_BUSY)
		rc = err_set(err, ERR_INFRA, "build slot %s is in use",
			     b->spec.slot_dir);
	free(path);
	return rc;
}

/* How many objects a build from nothing compiled here last time. */
static void read_expected(struct build *b)
{
	char *path = file_join(b->spec.slot_dir, b->out_name);
	char *vmlinux = file_join(b->out, "vmlinux");
	struct str text = STR_INIT;
	unsigned long long n = 0;

	/* with a kernel there already the rest is incremental */
	if (!file_exists(vmlinux) &&
	    !file_read(path, COUNT_MAX_BYTES, &text, NULL)) {
		str_rtrim(&text);
		if (str_to_u64(text.p, &n) && n < 1000000)
			b->expected = (unsigned int)n;
	}
	str_release(&text);
	free(vmlinux);
	free(path);
}

static void keep_expected(const struct build *b, bool from_nothing)
{
	char *path = file_join(b->spec.slot_dir, b->out_name);
	char *text = xasprintf("%u\n", b->log.nr_compiled);

	if (from_nothing)
		file_write_atomic(path, text, strlen(text), FILE_MODE, NULL);
	free(text);
	free(path);
}

static int make_kernel(struct build *b, struct err *err)
{
	const char *const targets[] = { "bzImage", NULL };
	char *vmlinux = file_join(b->out, "vmlinux");
	bool from_nothing = !file_exists(vmlinux);
	int rc;

	free(vmlinux);
	read_expected(b);
	rc = build_make(b, "compile", targets, err);
	if (!rc)
		keep_expected(b, from_nothing);
	return rc;
}

/*
 * A compiler that points at a line is believed. Anything else, such as a
 * missing rule after a header went away, may be a remnant of the last commit in
 * this slot: then the same is tried from nothing before the commit is blamed.
 */
static int compile(struct build *b, struct err *err)
{
	int rc = make_kernel(b, err);

	if (rc > 0 && b->log.rank < 3 && !b->log.is_local) {
		task_log(b->task, "make failed (%s): once more from nothing",
			 b->log.error);
		memset(&b->log, 0, sizeof(b->log));
		rc = file_remove_tree(b->out, err);
		if (!rc)
			rc = build_configure(b, err);
		if (!rc)
			rc = make_kernel(b, err);
	}
	return rc > 0 ? build_failed(b, err) : rc;
}

/* A failed build has no artifact: its log stays in the task. */
static void keep_log(struct build *b)
{
	char *path = task_out_path(b->task, "build.log");
	size_t skip =
		b->text.len > LOG_TAIL_BYTES ? b->text.len - LOG_TAIL_BYTES : 0;

	file_write_atomic(path, b->text.p + skip, b->text.len - skip, FILE_MODE,
			  NULL);
	free(path);
}

static int build_in_slot(struct build *b, struct err *err)
{
	int lock_fd = lock_slot(b, err);
	int rc;

	if (lock_fd < 0)
		return lock_fd;
	build_tidy(b);
	rc = build_checkout(b, err);
	if (!rc)
		rc = build_configure(b, err);
	if (!rc)
		rc = compile(b, err);
	if (!rc)
		rc = build_artifact_store(b, err);
	if (rc)
		keep_log(b);
	close(lock_fd);
	return rc;
}

static void build_release(struct build *b)
{
	str_release(&b->kconfig_text);
	str_release(&b->text);
	free(b->toolchain);
	free(b->linker);
	free(b->src);
	free(b->out_name);
	free(b->out);
}

/* The artifact, made when it isn't there yet. */
static int find_or_build(struct build *b, json_t **payload, struct err *err)
{
	bool cached = true;
	int rc;

	*payload = build_artifact_find(b, NULL);
	if (!*payload) {
		cached = false;
		rc = build_in_slot(b, err);
		if (rc)
			return rc;
		*payload = build_artifact_find(b, err);
	}
	if (!*payload)
		return err->code;
	json_object_set_new(*payload, "cached", json_boolean(cached));
	task_log(b->task, "%.12s: artifact %s, %s", b->spec.commit, b->key,
		 cached ? "there already" : "built");
	return 0;
}

int build_run(struct task *t, json_t **payload, struct err *err)
{
	struct build b = { .task = t, .start_ns = clock_mono_ns() };
	int rc;

	str_init(&b.kconfig_text);
	str_init(&b.text);
	rc = build_spec_parse(t->spec, &b.spec, err);
	if (!rc)
		rc = identify(&b, err);
	if (!rc) {
		name_folders(&b);
		b.have_ccache = b.spec.ccache && program_runs("ccache");
		if (b.spec.ccache && !b.have_ccache)
			task_log(t, "ccache is not installed: building "
				    "without it");
		rc = find_or_build(&b, payload, err);
	}
	build_release(&b);
	return rc;
}
