/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a start takes over from the settings: boxes and repositories. */
#ifndef DAEMON_SETUP_H
#define DAEMON_SETUP_H

#include "daemon/daemon.h"
#include "db/db_box.h"
#include "db/db_repo.h"

/* Boxes of cfg.lab_file (when it is there) and cfg.repos into the database. */
int setup_from_config(struct daemon *d, struct err *err);

/* Insert or update a box from an entry of a lab file, checked first. */
int setup_box(struct daemon *d, const json_t *spec, long long *out_id,
	      struct err *err);

/*
 * Bring repo.kconfig up to date: fragment files under their full paths, and a
 * line "#<fingerprint>" of their content and the compiler. Kernels built from
 * other fragments or by another compiler are other artifacts.
 * ERR_CONFIG names a fragment that can't be read.
 */
int setup_refresh_repo(struct daemon *d, struct db_repo *repo, struct err *err);

/*
 * "gcc-12": how people call the compiler of kernels. Asked once a minute; the
 * plain name when it doesn't say its version. Owned by the caller.
 */
char *setup_compiler_name(struct daemon *d);
/* The same from @cc, a command, and what its --version @said. */
char *setup_compiler_label(const char *cc, const char *said);

/* "lab-slim" for ".../lab-slim.config\n#...": how people call the kconfig of a
 * repository. "" when it has none. Owned by the caller. */
char *setup_kconfig_name(const char *kconfig);

#endif
