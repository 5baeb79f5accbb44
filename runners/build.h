/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a commit to a kernel artifact. Equal tree, kconfig, toolchain and layout
 * give one artifact, built once: its name is a hash of those four.
 *
 * A build slot is a folder with a work tree of its own (only files that differ
 * are touched, so make has little to do for a neighbouring commit) and its
 * output folder inside the work tree, so that no absolute path reaches a
 * compiler and equal sources give equal bits in every slot.
 */
#ifndef RUNNERS_BUILD_H
#define RUNNERS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/str.h"
#include "runners/build_log.h"
#include "runners/task.h"

#define BUILD_KCONFIG_MAX  8
#define BUILD_ID_HEX_BYTES 129 /* up to 64 bytes as hex, and a NUL */
#define BUILD_LAYOUT_MAX   4
#define BUILD_OUT_PREFIX   "drover-out-"

/*
 * What task.json asks for; strings are borrowed from it.
 * @commit, @tree full hashes; @kconfig fragment files, the later one wins;
 * @layout 0 the usual code layout, 1..BUILD_LAYOUT_MAX others; @jobs 0: one
 * per CPU; @cc the compiler; @ccache_dir used when @ccache.
 */
struct build_spec {
	const char *repo;
	const char *commit;
	const char *tree;
	const char *kconfig[BUILD_KCONFIG_MAX];
	size_t nr_kconfig;
	int layout;
	const char *slot_dir;
	const char *artifact_dir;
	int jobs;
	const char *cc;
	bool ccache;
	const char *ccache_dir;
	long long ccache_max_bytes;
	double timeout_s;
	int nice;
};

/*
 * One build under way. Owned texts: @kconfig_text the merged fragments,
 * @toolchain first line of the compiler's --version, @linker of ld's, @src the
 * work tree, @out_name its output folder below it, @out the same, absolute.
 * @expected objects that a build from nothing compiles, 0 unknown.
 */
struct build {
	struct build_spec spec;
	struct task *task;
	struct str kconfig_text;
	char kconfig_sha256[SHA256_HEX_BYTES];
	char key[SHA256_HEX_BYTES];
	char *toolchain;
	char *linker;
	char *src;
	char *out_name;
	char *out;
	bool have_ccache;
	bool debug_info;
	unsigned int expected;
	long long start_ns;
	struct build_log log;
	struct str text; /* what make printed, cut at a maximum */
};

/* The whole of drover-build, as task_main() calls it. */
int build_run(struct task *t, json_t **payload, struct err *err);

/* --- steps, one file each --------------------------------------------------
 */

/* Read task.json's content. ERR_DATA, ERR_RANGE name the key. */
int build_spec_parse(const json_t *json, struct build_spec *out,
		     struct err *err);

/*
 * The name of the artifact: a hash of what decides its content.
 * Source: the four parts in this order, one per line.
 */
void build_key(const char *tree, const char *kconfig_sha256,
	       const char *toolchain, int layout, char out[SHA256_HEX_BYTES]);

/*
 * Remove what earlier builds left in the slot: temporary files of killed ones,
 * and all output folders but the ten used last. Failures don't matter.
 */
void build_tidy(struct build *b);

/* Make the slot's work tree equal to the commit's tree. ERR_IO, ERR_NOTFOUND.
 */
int build_checkout(struct build *b, struct err *err);

/* Read and join the fragments. ERR_NOTFOUND, ERR_LIMIT. */
int build_kconfig_read(struct build *b, struct err *err);
/*
 * Write .config, unless it is the one that this tree, kconfig and toolchain
 * give already. Settings of a fragment that Kconfig refused are logged.
 * ERR_BUILD, ERR_INFRA, ERR_TIMEOUT.
 */
int build_configure(struct build *b, struct err *err);

/*
 * Run make with @targets (ended by NULL) and the build's fixed environment;
 * output goes into b->text and b->log, progress into the task. Returns make's
 * exit status, ERR_TIMEOUT, ERR_INFRA (told to stop, machine failed), ERR_IO.
 */
int build_make(struct build *b, const char *stage, const char *const *targets,
	       struct err *err);
/* The error of a make that ended with a status: ERR_BUILD or ERR_INFRA. */
int build_failed(const struct build *b, struct err *err);

/* Extra compiler flags of a layout: "" for 0; NULL: there is no such layout. */
const char *build_layout_flags(int layout);

/*
 * Put kernel, config, log, list of sources and meta.json into the artifact
 * folder, complete before it gets its name. ERR_IO, ERR_DATA (no build-id),
 * ERR_INFRA (the image holds another kernel).
 */
int build_artifact_store(struct build *b, struct err *err);
/*
 * The result's payload from a stored artifact, or NULL with ERR_NOTFOUND when
 * there is none under b->key (one that is damaged is removed). New reference.
 */
json_t *build_artifact_find(const struct build *b, struct err *err);

/*
 * The GNU build-id of an ELF file as lower-case hex. ERR_NOTFOUND, ERR_DATA.
 * Source: elf(5), note type NT_GNU_BUILD_ID.
 */
int build_id_of_elf(const char *path, char out[BUILD_ID_HEX_BYTES],
		    struct err *err);
/* The same from bytes of a note section, such as /sys/kernel/notes. */
int build_id_of_notes(const void *notes, size_t len,
		      char out[BUILD_ID_HEX_BYTES], struct err *err);

#endif
