// SPDX-License-Identifier: GPL-3.0-or-later
// Preparing a virtual lab: keys, initramfs, lab file; one boot as a check.
#include "runners/vlab.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/rootfs.h"

#define DIR_MODE	0750
#define KEY_DIR_MODE	0700
#define FILE_MODE	0640
#define KEY_MAX_BYTES	4096
#define KEYGEN_MS	20000
#define ICOUNT_SHIFT	2
#define MEMORY_MIB	512
#define NODES		2
#define BOOT_TIMEOUT_MS 180000
#define STATE_DEPTH_MAX 6

int vlab_open(const char *dir, struct vlab *out, struct err *err)
{
	char *lab_dir = file_join(dir, "lab");
	int rc;

	rc = file_mkdirs(dir, DIR_MODE, err);
	if (!rc)
		rc = file_mkdirs(lab_dir, KEY_DIR_MODE, err);
	free(lab_dir);
	if (rc)
		return rc;
	out->dir = realpath(dir, NULL);
	if (!out->dir)
		return err_errno(err, ERR_IO, "%s", dir);
	out->lab_file = file_join(out->dir, "lab.yaml");
	out->identity = file_join(out->dir, "lab/id_ed25519");
	out->host_key = file_join(out->dir, "lab/ssh_host_ed25519_key");
	out->rootfs = file_join(out->dir, "lab/rootfs.cpio");
	return 0;
}

void vlab_release(struct vlab *v)
{
	free(v->dir);
	free(v->lab_file);
	free(v->identity);
	free(v->host_key);
	free(v->rootfs);
	memset(v, 0, sizeof(*v));
}

static int make_key(const char *path, const char *comment, struct err *err)
{
	const char *const argv[] = { "ssh-keygen", "-q", "-t", "ed25519",
				     "-N",	   "",	 "-C", comment,
				     "-f",	   path, NULL };
	struct str out = STR_INIT;
	int rc = 0;

	if (!file_exists(path))
		rc = spawn_output(argv, NULL, KEYGEN_MS, &out, err);
	str_release(&out);
	return rc;
}

/* "ssh-ed25519 AAAA…" of a key, without its comment; owned by the caller. */
static char *public_key(const char *private_path, struct err *err)
{
	char *path = xasprintf("%s.pub", private_path);
	struct str text = STR_INIT;
	char *key = NULL;
	char *blank;

	if (!file_read(path, KEY_MAX_BYTES, &text, err)) {
		str_rtrim(&text);
		blank = strchr(text.p, ' ');
		blank = blank ? strchr(blank + 1, ' ') : NULL;
		if (blank)
			*blank = '\0';
		key = xstrdup(text.p);
	}
	str_release(&text);
	free(path);
	return key;
}

/* A string of JSON is one of YAML, whatever is in the path. */
static void add_quoted(struct str *out, const char *key, const char *path)
{
	json_t *v = json_text(path, strlen(path));

	str_addf(out, "%s: ", key);
	json_add_text(out, v);
	str_addch(out, '\n');
	json_decref(v);
}

static void add_box(const struct vlab *v, const char *host_key, size_t i,
		    struct str *out)
{
	str_addf(out, "  - name: vm%zu\n", i);
	str_addf(out,
		 "    tbox_group: vm\n"
		 "    tags: [virtual, deterministic]\n"
		 "    description: %d nodes, 1 CPU, instruction-count "
		 "time\n",
		 NODES);
	str_addf(out,
		 "    port: 0\n"
		 "    user: root\n"
		 "    host_key: %s\n",
		 host_key);
	add_quoted(out, "    identity", v->identity);
	str_add(out, "    boot:\n"
		     "      method: qemu\n");
	add_quoted(out, "      rootfs", v->rootfs);
	str_addf(out,
		 "      nodes: %d\n"
		 "      cpus: 1\n"
		 "      memory_mib: %d\n"
		 "      icount: %d\n",
		 NODES, MEMORY_MIB, ICOUNT_SHIFT);
}

static int write_lab_file(const struct vlab *v, size_t nr, struct err *err)
{
	struct str text = STR_INIT;
	char *host_key;
	size_t i;
	int rc;

	if (file_exists(v->lab_file))
		return 0;
	host_key = public_key(v->host_key, err);
	if (!host_key)
		return err->code;
	str_add(&text,
		"# The boxes of the virtual lab, made by drover-lab up.\n"
		"# Edit it as you like: it is not written again.\n"
		"boxes:\n");
	for (i = 0; i < nr; i++)
		add_box(v, host_key, i, &text);
	rc = file_write_atomic(v->lab_file, text.p, text.len, FILE_MODE, err);
	free(host_key);
	str_release(&text);
	return rc;
}

int vlab_prepare(const struct vlab *v, size_t nr, struct err *err)
{
	struct rootfs rootfs = { .out = v->rootfs, .host_key = v->host_key };
	char *client_key;
	int rc;

	if (nr < 1 || nr > VLAB_BOXES_MAX)
		return err_set(err, ERR_RANGE, "%zu boxes are not in 1..%d", nr,
			       VLAB_BOXES_MAX);
	rc = make_key(v->identity, "drover lab client", err);
	if (!rc)
		rc = make_key(v->host_key, "drover lab boxes", err);
	if (rc)
		return rc;
	client_key = public_key(v->identity, err);
	if (!client_key)
		return err->code;
	rootfs.authorized_key = client_key;
	rc = rootfs_build(&rootfs, err);
	free(client_key);
	return rc ? rc : write_lab_file(v, nr, err);
}

int vlab_check_boot(const struct vlab *v, const char *kernel,
		    double *out_seconds, struct err *err)
{
	char *state_dir = file_join(v->dir, "lab/check");
	struct qemu_box box = { .name = "check",
				.state_dir = state_dir,
				.kernel = kernel,
				.initrd = v->rootfs,
				.memory_mib = MEMORY_MIB,
				.nodes = NODES,
				.icount_shift = ICOUNT_SHIFT };
	long long start_ns = clock_mono_ns();
	struct qemu q = { .pidfd = -1 };
	int rc;

	rc = qemu_start(&box, &q, err);
	if (!rc)
		rc = qemu_wait_ssh(&q, "check", BOOT_TIMEOUT_MS, err);
	if (!rc)
		*out_seconds = (double)(clock_mono_ns() - start_ns) / 1e9;
	qemu_stop(&q);
	free(state_dir);
	return rc;
}

/* A folder with the pid file of a box in it. */
static int add_running(const char *pid_path, struct qemu *out)
{
	char *dir = xstrndup(pid_path, strlen(pid_path) - strlen("/pid"));
	int rc = qemu_attach(dir, out, NULL);

	free(dir);
	return rc;
}

int vlab_running(const char *dir, struct qemu *out, size_t max, struct err *err)
{
	char *top = xstrdup(dir);
	char *roots[] = { top, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;
	size_t nr = 0;

	while (walk && nr < max && (e = fts_read(walk))) {
		/* work trees of build slots are deep and hold no boxes */
		if (e->fts_info == FTS_D && (e->fts_level > STATE_DEPTH_MAX ||
					     !strcmp(e->fts_name, "src")))
			fts_set(walk, e, FTS_SKIP);
		else if (e->fts_info == FTS_F && !strcmp(e->fts_name, "pid") &&
			 !add_running(e->fts_path, &out[nr]))
			nr++;
	}
	free(top);
	if (!walk)
		return err_errno(err, ERR_IO, "%s", dir);
	fts_close(walk);
	return (int)nr;
}
