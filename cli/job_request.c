// SPDX-License-Identifier: GPL-3.0-or-later
// From a job file to op submit.
#include "cli/job_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "jobs/job.h"

#define YAML_MAX_BYTES ((size_t)256 << 10)

/* "jobs/stress-ng/pipe.yaml" → "pipe"; owned by the caller. */
static char *job_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = xstrdup(slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';
	return name;
}

/* The file's jobs as JSON; NULL with @err set when one of them can't be run. */
static json_t *atomic_jobs(const char *path, struct err *err)
{
	struct job_list list = { 0 };
	json_t *array = json_array();
	size_t i;
	int rc;

	rc = job_file_expand(path, &list, err);
	for (i = 0; i < list.nr && !rc; i++) {
		rc = job_check_runnable(&list.v[i], err);
		if (rc)
			err_wrap(err, "%s", path);
		else
			json_array_append_new(array, job_to_json(&list.v[i]));
	}
	job_list_release(&list);
	if (!rc)
		return array;
	json_decref(array);
	return NULL;
}

json_t *job_request(const char *path, struct err *err)
{
	json_t *atomic = atomic_jobs(path, err);
	struct str yaml = STR_INIT;
	char *name = job_name(path);
	json_t *r = NULL;

	if (atomic && !file_read(path, YAML_MAX_BYTES, &yaml, err)) {
		r = json_pack("{s:s, s:O}", "op", "submit", "atomic", atomic);
		json_object_set_new(r, "name", json_string(name));
		json_object_set_new(r, "yaml", json_text(yaml.p, yaml.len));
	}
	json_decref(atomic);
	str_release(&yaml);
	free(name);
	return r;
}
