/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a run happens, as a table. A new backend: one file backend_x.c with a
 * `const struct backend`, a row in backend.c, a word in configs/lab.h.
 */
#ifndef RUNNERS_BACKEND_H
#define RUNNERS_BACKEND_H

#include "base/err.h"
#include "configs/lab.h"
#include "runners/run.h"

/*
 * @open boots and probes the box and fills @out; @exec does run number @seq and
 * fills @out (zeroed, its set initialised); @again (may be NULL) adds to the
 * boot's invariants what came about during the runs; @close ends what @open
 * began, also after a failed @open. @exec's error ends the attempt:
 * infrastructure; a benchmark that failed is a sample with .failed and returns
 * 0.
 */
struct backend {
	const char *name;
	int (*open)(struct run *run, struct run_facts *out, struct err *err);
	int (*exec)(struct run *run, int seq, struct run_sample *out,
		    struct err *err);
	int (*again)(struct run *run, struct run_facts *facts, struct err *err);
	void (*close)(struct run *run);
};

/* The row for a box; never NULL. */
const struct backend *backend_find(enum lab_backend backend);

extern const struct backend backend_ssh;
extern const struct backend backend_null;

#endif
