/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs on a box and what it is: build-id of the kernel, hardware, what
 * must not differ between boots, and whether the benchmark is there.
 */
#ifndef RUNNERS_PROBE_H
#define RUNNERS_PROBE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "runners/remote.h"
#include "runners/run.h"

/*
 * The GNU build-id out of ELF notes (/sys/kernel/notes) as lower-case hex,
 * appended to @out. False when there is none. The bytes may be anything.
 */
bool probe_build_id(const void *notes, size_t len, struct str *out);

/*
 * Parse the output of box/probe.sh into @out, whose invariants it creates
 * (run_facts_release). A line without '=' is ignored; at most 200 values of
 * 1,000 bytes are kept. ERR_INFRA when a fact is missing or makes no sense.
 */
int probe_parse(const char *text, struct run_facts *out, struct err *err);

/*
 * The lines "key=value" of @text whose keys are of small letters and '_', as an
 * object; whole numbers as such. With the limits above. New reference.
 */
json_t *probe_invariants(const char *text);

/* The value of "need.@program=" in that output: whether it is there. */
bool probe_has(const char *text, const char *program);

/*
 * Ask a connected box: fills @out but the times. ERR_BOOT: it runs another
 * build than spec->build_id (when that is given); ERR_INFRA: it lacks a program
 * of the job, or doesn't answer sensibly.
 */
int probe_box(struct remote *r, const struct run_spec *spec,
	      struct run_facts *out, struct err *err);

/*
 * Ask again after the runs what may have happened during them, and add it to
 * the invariants: throttled_in_runs. Does nothing on a box without such a
 * counter. ERR_INFRA, ERR_TIMEOUT, ERR_IO as remote_do().
 */
int probe_again(struct remote *r, json_t *invariants, struct err *err);

void run_facts_release(struct run_facts *facts);

#endif
