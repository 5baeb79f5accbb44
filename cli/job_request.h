/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `submit` and `calibrate` send: a job file, expanded and checked. */
#ifndef CLI_JOB_REQUEST_H
#define CLI_JOB_REQUEST_H

#include "base/err.h"
#include "base/json.h"

/*
 * Op submit with "name", "yaml" and "atomic" from a job file; new reference.
 * NULL with @err naming the file: it can't be read, or one of its jobs can't be
 * run.
 */
json_t *job_request(const char *path, struct err *err);

#endif
