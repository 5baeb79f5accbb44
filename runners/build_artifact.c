// SPDX-License-Identifier: GPL-3.0-or-later
// Artifacts: a folder per key, complete before it gets its name.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "configs/kconfig_lint.h"
#include "runners/build.h"
#include "runners/build_sources.h"
#include "runners/kernel_image.h"

#define DIR_MODE	 0750
#define FILE_MODE	 0640
#define META_MAX_BYTES	 ((size_t)1 << 20)
#define CONFIG_MAX_BYTES ((size_t)4 << 20)
#define ZSTD_LEVEL	 6
#define KERNEL_IN_OUT	 "arch/x86/boot/bzImage"
#define KERNEL_NAME	 "bzImage"
#define CONFIG_NAME	 "config"
#define SOURCES_NAME	 "sources"
#define LOG_NAME	 "build.log.zst"
#define META_NAME	 "meta.json"

static int write_log(const struct build *b, const char *dir, struct err *err)
{
	char *path = file_join(dir, LOG_NAME);
	size_t bound = ZSTD_compressBound(b->text.len);
	void *packed = xmalloc(bound);
	size_t n = ZSTD_compress(packed, bound, b->text.p, b->text.len,
				 ZSTD_LEVEL);
	int rc;

	if (ZSTD_isError(n))
		rc = err_set(err, ERR_IO, "%s: %s", path, ZSTD_getErrorName(n));
	else
		rc = file_write_atomic(path, packed, n, FILE_MODE, err);
	free(packed);
	free(path);
	return rc;
}

static int write_sources(const struct build *b, const char *dir,
			 struct err *err)
{
	char *path = file_join(dir, SOURCES_NAME);
	struct build_sources sources = { NULL, 0, 0 };
	struct str text = STR_INIT;
	int rc;

	rc = build_sources_collect(b->out, &sources, err);
	if (!rc) {
		build_sources_format(&sources, &text);
		rc = file_write_atomic(path, text.p, text.len, FILE_MODE, err);
	}
	build_sources_release(&sources);
	str_release(&text);
	free(path);
	return rc;
}

/* Copy OUT/@from to @dir/@to and note its hash in @sums. */
static int take_file(const struct build *b, const char *from, const char *dir,
		     const char *to, json_t *sums, struct err *err)
{
	char *source = file_join(b->out, from);
	char *target = file_join(dir, to);
	char sum[SHA256_HEX_BYTES];
	int rc;

	rc = file_copy(source, target, err);
	if (!rc)
		rc = sha256_file(target, sum, err);
	if (!rc)
		json_object_set_new(sums, to, json_string(sum));
	free(source);
	free(target);
	return rc;
}

/* Everything a later reader may ask; takes @sums. New reference. */
static json_t *make_meta(const struct build *b, const char *build_id,
			 json_t *sums)
{
	double seconds = (double)(clock_mono_ns() - b->start_ns) / 1e9;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:i, s:o}",
			 "artifact", b->key, "build_id", build_id, "tree",
			 b->spec.tree, "kconfig_sha256", b->kconfig_sha256,
			 "toolchain", b->toolchain, "linker", b->linker,
			 "layout", b->spec.layout, "seconds", seconds,
			 "objects_compiled", (int)b->log.nr_compiled, "sha256",
			 sums);
}

static int write_meta(const struct build *b, const char *dir, json_t *sums,
		      struct err *err)
{
	char *vmlinux = file_join(b->out, "vmlinux");
	char *path = file_join(dir, META_NAME);
	char build_id[BUILD_ID_HEX_BYTES];
	json_t *meta;
	int rc;

	rc = build_id_of_elf(vmlinux, build_id, err);
	if (!rc) {
		meta = make_meta(b, build_id, json_incref(sums));
		rc = json_write_file(path, meta, err);
		json_decref(meta);
	}
	free(vmlinux);
	free(path);
	return rc;
}

static int fill_folder(const struct build *b, const char *dir, struct err *err)
{
	json_t *sums = json_object();
	int rc;

	rc = kernel_image_check(b->out, KERNEL_IN_OUT, err);
	if (!rc)
		rc = take_file(b, KERNEL_IN_OUT, dir, KERNEL_NAME, sums, err);
	if (!rc)
		rc = take_file(b, ".config", dir, CONFIG_NAME, sums, err);
	if (!rc)
		rc = take_file(b, "System.map", dir, "System.map", sums, err);
	if (!rc)
		rc = write_log(b, dir, err);
	if (!rc)
		rc = write_sources(b, dir, err);
	if (!rc)
		rc = write_meta(b, dir, sums, err);
	json_decref(sums);
	return rc;
}

/*
 * Named after the slot, which we hold: what a killed build left there is
 * replaced by the slot's next one. Owned by the caller.
 */
static char *new_folder(const struct build *b)
{
	char host[HOST_NAME_MAX + 1] = "";
	char sum[SHA256_HEX_BYTES];
	struct str slot = STR_INIT;

	/* folders of slots may be called alike on two machines */
	gethostname(host, sizeof(host) - 1);
	str_addf(&slot, "%s\n%s", host, b->spec.slot_dir);
	sha256_hex(slot.p, slot.len, sum);
	str_release(&slot);
	return xasprintf("%s/.new-%.16s", b->spec.artifact_dir, sum);
}

int build_artifact_store(struct build *b, struct err *err)
{
	char *final = file_join(b->spec.artifact_dir, b->key);
	char *dir = new_folder(b);
	int rc;

	task_progress(b->task, "store", "%s", b->key);
	rc = file_remove_tree(dir, err);
	if (!rc)
		rc = file_mkdirs(dir, DIR_MODE, err);
	if (!rc)
		rc = fill_folder(b, dir, err);
	/* another slot may have been faster with the same bits: keep its */
	if (!rc && rename(dir, final) && errno != EEXIST && errno != ENOTEMPTY)
		rc = err_errno(err, ERR_IO, "rename to %s", final);
	file_remove_tree(dir, NULL);
	free(dir);
	free(final);
	return rc;
}

/* Whether the files of an artifact are the ones its meta.json speaks of. */
static bool is_sound(const char *dir, const json_t *meta)
{
	const json_t *sums = json_object_get(meta, "sha256");
	const char *want = json_opt_str(sums, KERNEL_NAME, "");
	char *kernel = file_join(dir, KERNEL_NAME);
	char sum[SHA256_HEX_BYTES] = "";
	bool ok;

	ok = *json_opt_str(meta, "build_id", "") &&
	     !sha256_file(kernel, sum, NULL) && !strcmp(sum, want);
	free(kernel);
	return ok;
}

/* What the .config, as Kconfig made it, does to a measurement. */
static json_t *lint_config(const char *dir)
{
	char *path = file_join(dir, CONFIG_NAME);
	json_t *warnings = json_array();
	struct str text = STR_INIT;

	if (!file_read(path, CONFIG_MAX_BYTES, &text, NULL))
		kconfig_lint(text.p, text.len, warnings);
	str_release(&text);
	free(path);
	return warnings;
}

/* The payload of result.json; @meta is borrowed. New reference. */
static json_t *make_payload(const char *dir, const json_t *meta)
{
	static const char *const kept[] = {
		"artifact",  "build_id", "kconfig_sha256",
		"toolchain", "seconds",	 "objects_compiled"
	};
	json_t *payload = json_object();
	char *kernel = file_join(dir, KERNEL_NAME);
	char *sources = file_join(dir, SOURCES_NAME);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kept); i++)
		json_object_set(payload, kept[i],
				json_object_get(meta, kept[i]));
	json_object_set_new(payload, "kernel", json_string(kernel));
	json_object_set_new(payload, "sources", json_string(sources));
	json_object_set_new(payload, "warnings", lint_config(dir));
	free(kernel);
	free(sources);
	return payload;
}

json_t *build_artifact_find(const struct build *b, struct err *err)
{
	char *dir = file_join(b->spec.artifact_dir, b->key);
	char *path = file_join(dir, META_NAME);
	json_t *payload = NULL;
	json_t *meta = NULL;

	if (file_exists(path))
		meta = json_read_file(path, META_MAX_BYTES, NULL);
	if (meta && is_sound(dir, meta))
		payload = make_payload(dir, meta);
	else if (file_exists(dir)) {
		task_log(b->task, "artifact %s is damaged: building it again",
			 b->key);
		file_remove_tree(dir, NULL);
	}
	if (!payload)
		err_set(err, ERR_NOTFOUND, "no artifact %s", b->key);
	json_decref(meta);
	free(path);
	free(dir);
	return payload;
}
