// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's .config: merged fragments over allnoconfig, made only when the
// tree's Kconfig files, the fragments or the toolchain differ from last time.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/build.h"
#include "runners/git.h"

#define DIR_MODE	   0750
#define FILE_MODE	   0640
#define FRAGMENT_MAX_BYTES ((size_t)1 << 20)
#define CONFIG_MAX_BYTES   ((size_t)4 << 20)
#define LISTING_MAX_BYTES  ((size_t)64 << 20)
#define GIT_TIMEOUT_MS	   60000
#define REFUSED_SHOWN_MAX  20
#define NAME_MAX_BYTES	   200

int build_kconfig_read(struct build *b, struct err *err)
{
	size_t i;

	for (i = 0; i < b->spec.nr_kconfig; i++) {
		int rc = file_read(b->spec.kconfig[i], FRAGMENT_MAX_BYTES,
				   &b->kconfig_text, err);

		if (rc)
			return err_wrap(err, "kconfig fragment");
		str_addch(&b->kconfig_text, '\n');
	}
	sha256_hex(b->kconfig_text.p, b->kconfig_text.len, b->kconfig_sha256);
	return 0;
}

/* Files that decide what a fragment turns into. */
static bool is_kconfig_input(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return str_starts(name, "Kconfig") || str_starts(path, "scripts/");
}

/* A hash over names and blobs of the tree's Kconfig files, from the index. */
static int hash_kconfig_inputs(const struct build *b,
			       char out[SHA256_HEX_BYTES], struct err *err)
{
	const char *const args[] = { "ls-tree", "-r", b->spec.tree, NULL };
	struct git g = { .repo = b->spec.repo,
			 .args = args,
			 .timeout_ms = GIT_TIMEOUT_MS };
	struct str listing = STR_INIT;
	struct str kept = STR_INIT;
	char *save = NULL;
	char *line;
	int rc;

	listing.max_bytes = LISTING_MAX_BYTES;
	rc = git_output(&g, &listing, err);
	for (line = rc ? NULL : strtok_r(listing.p, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *tab = strchr(line, '\t');

		if (tab && is_kconfig_input(tab + 1))
			str_addf(&kept, "%s\n", line);
	}
	sha256_hex(kept.p, kept.len, out);
	str_release(&listing);
	str_release(&kept);
	return rc;
}

/* What the present .config was made from, and its own hash. */
static int make_stamp(const struct build *b, const char *config_path,
		      struct str *out, struct err *err)
{
	char inputs[SHA256_HEX_BYTES];
	char config[SHA256_HEX_BYTES] = "none";
	int rc;

	rc = hash_kconfig_inputs(b, inputs, err);
	if (rc)
		return rc;
	sha256_file(config_path, config, NULL);
	str_addf(out, "%s %s %s\n%s\n%s\n", b->kconfig_sha256, inputs, config,
		 b->toolchain, b->linker);
	return 0;
}

static bool stamp_is_current(const char *stamp_path, const struct str *stamp)
{
	struct str old = STR_INIT;
	bool same;

	same = !file_read(stamp_path, CONFIG_MAX_BYTES, &old, NULL) &&
	       !strcmp(old.p, stamp->p);
	str_release(&old);
	return same;
}

/*
 * Whether .config (with a newline in front) has this line of a fragment; "…=n"
 * is written in another way there.
 */
static bool config_has(const struct str *config, const char *line)
{
	size_t len = strlen(line);
	char *want = NULL;
	bool found;

	if (str_ends(line, "=n"))
		want = xasprintf("\n%.*s=", (int)(len - 2), line);
	else
		want = xasprintf("\n%s\n", line);
	found = strstr(config->p, want);
	if (str_ends(line, "=n"))
		found = !found;
	free(want);
	return found;
}

/* People wonder later why an option is missing: say it in the log. */
static void log_refused(struct build *b, const struct str *config)
{
	char *text = xstrdup(b->kconfig_text.p);
	unsigned int nr = 0;
	char *save = NULL;
	char *line;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!str_starts(line, "CONFIG_") || config_has(config, line))
			continue;
		if (nr++ < REFUSED_SHOWN_MAX)
			task_log(b->task, "kconfig: %.*s was not taken",
				 NAME_MAX_BYTES, line);
	}
	if (nr > REFUSED_SHOWN_MAX)
		task_log(b->task, "kconfig: and %u more",
			 nr - REFUSED_SHOWN_MAX);
	free(text);
}

static int read_config(struct build *b, const char *path, struct err *err)
{
	struct str config = STR_INIT;
	int rc;

	str_addch(&config, '\n');
	rc = file_read(path, CONFIG_MAX_BYTES, &config, err);
	if (!rc)
		b->debug_info = strstr(config.p, "\nCONFIG_DEBUG_INFO=y\n");
	str_release(&config);
	return rc;
}

/* Leave the merged fragment where make can read it, then run allnoconfig. */
static int make_config(struct build *b, const char *config_path,
		       struct err *err)
{
	const char *const targets[] = { "allnoconfig", NULL };
	char *merged = file_join(b->out, "drover.config");
	struct str config = STR_INIT;
	int rc;

	rc = file_write_if_changed(merged, b->kconfig_text.p,
				   b->kconfig_text.len, FILE_MODE, NULL, err);
	if (!rc)
		rc = build_make(b, "configure", targets, err);
	if (rc > 0)
		rc = build_failed(b, err);
	str_addch(&config, '\n');
	if (!rc)
		rc = file_read(config_path, CONFIG_MAX_BYTES, &config, err);
	if (!rc)
		log_refused(b, &config);
	str_release(&config);
	free(merged);
	return rc;
}

int build_configure(struct build *b, struct err *err)
{
	char *stamp_path = file_join(b->out, ".drover-stamp");
	char *config_path = file_join(b->out, ".config");
	struct str stamp = STR_INIT;
	int rc;

	rc = file_mkdirs(b->out, DIR_MODE, err);
	if (!rc)
		rc = make_stamp(b, config_path, &stamp, err);
	if (!rc && !stamp_is_current(stamp_path, &stamp)) {
		rc = make_config(b, config_path, err);
		str_reset(&stamp);
		if (!rc)
			rc = make_stamp(b, config_path, &stamp, err);
		if (!rc)
			rc = file_write_atomic(stamp_path, stamp.p, stamp.len,
					       FILE_MODE, err);
	}
	if (!rc)
		rc = read_config(b, config_path, err);
	str_release(&stamp);
	free(stamp_path);
	free(config_path);
	return rc;
}
