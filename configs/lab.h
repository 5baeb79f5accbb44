/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lab file: which test boxes there are, how to reach each and how a kernel
 * gets onto it. A box also travels as JSON, into the database and task.json.
 */
#ifndef CONFIGS_LAB_H
#define CONFIGS_LAB_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "configs/options.h"

#define LAB_MAX_BOXES 2000

/* ssh: a real or virtual machine; null: scripted results, for tests. */
enum lab_backend { LAB_SSH, LAB_NULL };

/*
 * none: benchmark the running kernel; qemu: the worker starts and ends the
 * machine with the kernel under test; kexec: over SSH; command: hooks.
 */
enum lab_boot {
	LAB_BOOT_NONE,
	LAB_BOOT_QEMU,
	LAB_BOOT_KEXEC,
	LAB_BOOT_COMMAND
};

/*
 * Boot parameters. @icount: the fixed instruction-count shift, -1 for none.
 * @install, @reboot, @power: argument vectors of the command method, empty
 * when not given; {kernel}, {box}, {address} stand for values.
 */
struct lab_boot_spec {
	enum lab_boot method;
	char *cmdline; /* extra kernel parameters, "" for none */
	char *rootfs;  /* initramfs or image on this machine */
	char *kernel;  /* kernel for calibration boots, "" for none */
	char *qemu;    /* QEMU program */
	long long nodes;
	long long cpus;	      /* in all, in equal shares; 1 with icount */
	long long memory_mib; /* per node */
	long long icount;
	struct config_list install;
	struct config_list reboot;
	struct config_list power;
};

/*
 * Script of a null box: every run gives @mean with deviation @sd (and @metrics
 * more metrics); -1 in @fail_at, @hang_at means never, n the n-th run of a
 * boot, from 0. @fail_kind is an err_code word such as infra, bench or boot.
 * @fail_times: so many failures, then none; 0 for ever (counted in @log).
 * @slow, and the lines of @slow_file: commits (hex prefixes) whose kernels lose
 * @slow_pct percent. @drift_pct: what the box gains with every attempt, percent
 * of the mean. @says_file: lines KEY=VALUE that the box says of itself at a
 * boot (runners/box/probe.sh), read anew each time. @log: a file that gets a
 * JSON line at the start and the end of each run, on disk before the run goes
 * on; "" for none.
 */
struct lab_script {
	double mean;
	double sd;
	double boot_sd; /* deviation between boots */
	double drift_pct;
	double slow_pct;
	long long seed;
	long long metrics;
	long long fail_at;
	long long hang_at;
	long long sleep_ms;
	long long fail_times;
	char *fail_kind;
	struct config_list slow;
	char *slow_file;
	char *says_file;
	char *log;
};

/* One test box. Strings are never NULL, "" where nothing was given. */
struct lab_box {
	char *name;	  /* [a-z0-9][a-z0-9._-]*, unique */
	char *tbox_group; /* boxes whose results may be compared; default name
			   */
	struct config_list tags;
	enum lab_backend backend;
	char *address;	/* default 127.0.0.1 for qemu boxes */
	long long port; /* 0: a free one, for qemu boxes */
	char *user;
	char *host_key; /* "ssh-ed25519 AAAA…" */
	char *identity; /* private key file */
	char *workdir;	/* folder on the box, default /tmp/drover */
	char *description;
	struct lab_boot_spec boot;
	struct lab_script script;
};

struct lab {
	struct lab_box *boxes;
	size_t nr;
	size_t alloc;
};

/*
 * Read a lab file ("boxes:" with a list). @out is initialised here, owned by
 * the caller (lab_release), also after an error. ERR_CONFIG with
 * file:line:col and a suggestion; ERR_NOTFOUND, ERR_LIMIT, ERR_IO.
 */
int lab_read(const char *path, struct lab *out, struct err *err);
/* The same from text; @name stands in errors. */
int lab_parse(const char *text, size_t len, const char *name, struct lab *out,
	      struct err *err);
void lab_release(struct lab *lab);

/* The box called @name, borrowed, or NULL. */
const struct lab_box *lab_find(const struct lab *lab, const char *name);

/* One box alone: everything at its default; release frees the strings. */
void lab_box_init(struct lab_box *box);
void lab_box_release(struct lab_box *box);

/* A box as JSON with the keys of the lab file; new reference. */
json_t *lab_box_to_json(const struct lab_box *box);
/* And back; unknown keys are ERR_DATA. @out is initialised here. */
int lab_box_from_json(const json_t *json, struct lab_box *out, struct err *err);

/* Words for the enumerations: "ssh", "null"; "none", "qemu", … */
const char *lab_backend_to_str(enum lab_backend backend);
const char *lab_boot_to_str(enum lab_boot method);

#endif
