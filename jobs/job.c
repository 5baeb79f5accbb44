// SPDX-License-Identifier: GPL-3.0-or-later
/* One atomic job: its parameters in order, its path, its JSON form. */
#include "jobs/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "jobs/workload.h"

/* LKP cuts each value so that a path stays a usable folder name. */
#define PATH_VALUE_MAX_CHARS 31
#define JOB_TEXT_MAX_BYTES   4096

void job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	job->suite = xstrdup("");
	job->testcase = xstrdup("");
	job->path = xstrdup("");
	job->workload = xstrdup("");
}

void job_release(struct job *job)
{
	for (size_t i = 0; i < job->nr_params; i++) {
		free(job->params[i].name);
		free(job->params[i].value);
	}
	free(job->params);
	free(job->suite);
	free(job->testcase);
	free(job->path);
	free(job->workload);
	memset(job, 0, sizeof(*job));
}

void job_list_add(struct job_list *list, struct job *job)
{
	VEC_GROW(list->v, list->nr + 1, list->alloc);
	list->v[list->nr++] = *job;
	memset(job, 0, sizeof(*job));
}

void job_list_release(struct job_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		job_release(&list->v[i]);
	free(list->v);
	memset(list, 0, sizeof(*list));
}

const char *job_param(const struct job *job, const char *name)
{
	for (size_t i = job->nr_params; i-- > 0;)
		if (!strcmp(job->params[i].name, name))
			return job->params[i].value;
	return NULL;
}

void job_add_param(struct job *job, const char *name, const char *value,
		   bool in_path)
{
	size_t i;

	VEC_GROW(job->params, job->nr_params + 1, job->alloc_params);
	for (i = job->nr_params; i > 0; i--) {
		if (strcmp(job->params[i - 1].name, name) <= 0)
			break;
		job->params[i] = job->params[i - 1];
	}
	job->params[i].name = xstrdup(name);
	job->params[i].value = xstrdup(value);
	job->params[i].in_path = in_path;
	job->nr_params++;
}

void job_drop_param(struct job *job, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < job->nr_params; i++) {
		if (!strcmp(job->params[i].name, name)) {
			free(job->params[i].name);
			free(job->params[i].value);
		} else {
			job->params[kept++] = job->params[i];
		}
	}
	job->nr_params = kept;
}

void job_set_param(struct job *job, const char *name, const char *value,
		   bool in_path)
{
	job_drop_param(job, name);
	job_add_param(job, name, value, in_path);
}

/* Up to 31 characters, each byte outside the safe alphabet a '_'. */
static void add_path_value(struct str *out, const char *value)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-+=:.%";
	size_t chars = 0;

	for (; *value && chars < PATH_VALUE_MAX_CHARS; value++) {
		/* the rest of a UTF-8 character belongs to its first byte */
		if (((unsigned char)*value & 0xc0) == 0x80)
			continue;
		if (strchr(safe, *value))
			str_addch(out, *value);
		else
			str_addch(out, '_');
		chars++;
	}
}

static void make_path(struct job *job)
{
	struct str s = STR_INIT;
	size_t start;

	str_addf(&s, "%s/", job->testcase);
	start = s.len;
	for (size_t i = 0; i < job->nr_params; i++) {
		if (!job->params[i].in_path)
			continue;
		add_path_value(&s, job->params[i].value);
		str_addch(&s, '-');
	}
	if (s.len == start)
		str_add(&s, "defaults");
	else
		s.p[--s.len] = '\0';
	free(job->path);
	job->path = str_detach(&s);
}

void job_finish(struct job *job)
{
	static const char *const keys[] = { "testtime", "runtime", "duration" };

	make_path(job);
	job->runtime_s = 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && job->runtime_s == 0; i++) {
		const char *text = job_param(job, keys[i]);
		double s;

		if (text && job_duration(text, &s) && s < 1e7)
			job->runtime_s = s;
	}
	/* stressors may take long to stop; half as much again and a minute */
	job->timeout_s = job->runtime_s > 0
				 ? (long long)ceil(job->runtime_s * 1.5) + 60
				 : 0;
}

int job_check_runnable(const struct job *job, struct err *err)
{
	for (size_t i = 0; i < job->nr_params; i++)
		if (strchr(job->params[i].value, '$'))
			return err_set(err, ERR_CONFIG,
				       "%s: %s: shell expressions are not "
				       "evaluated: write the value itself",
				       job->path, job->params[i].name);
	return workload_check(job, err);
}

bool job_duration(const char *text, double *out_s)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = { { "", 1 },
		      { "s", 1 },
		      { "m", 60 },
		      { "h", 3600 },
		      { "d", 86400 } };
	size_t len = strspn(text, "0123456789.");
	char number[24];
	double v;

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (!str_to_double(number, &v))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text + len, units[i].suffix)) {
			*out_s = v * units[i].factor;
			return true;
		}
	return false;
}

static json_t *text_of(const char *s)
{
	return json_text(s, strlen(s));
}

json_t *job_to_json(const struct job *job)
{
	json_t *params = json_object(), *settings = json_object();

	for (size_t i = 0; i < job->nr_params; i++) {
		const struct job_param *p = &job->params[i];

		json_object_set_new(p->in_path ? params : settings, p->name,
				    text_of(p->value));
	}
	return json_pack("{s:o,s:o,s:o,s:o,s:f,s:I,s:o,s:o}", "suite",
			 text_of(job->suite), "testcase",
			 text_of(job->testcase), "path", text_of(job->path),
			 "workload", text_of(job->workload), "runtime_s",
			 job->runtime_s, "timeout_s",
			 (json_int_t)job->timeout_s, "params", params,
			 "settings", settings);
}

static int read_params(struct job *job, const json_t *map, bool in_path,
		       struct err *err)
{
	const char *key;
	json_t *v;

	if (json_object_size(map) > JOB_MAX_PARAMS)
		return err_set(err, ERR_DATA, "job: more than %d parameters",
			       JOB_MAX_PARAMS);
	json_object_foreach((json_t *)map, key, v)
	{
		const char *text = json_string_value(v);

		if (!text || strlen(text) > JOB_TEXT_MAX_BYTES ||
		    strlen(key) > JOB_TEXT_MAX_BYTES)
			return err_set(err, ERR_DATA,
				       "job: parameter %.80s: expected a text",
				       key);
		job_add_param(job, key, text, in_path);
	}
	return 0;
}

static void replace(char **p, const char *text)
{
	free(*p);
	*p = xstrdup(text);
}

static int read_job(const json_t *json, struct job *job, struct err *err)
{
	const json_t *settings = json_object_get(json, "settings");
	const char *testcase, *path;
	json_t *params;
	int rc = json_need_str(json, "testcase", &testcase, err);

	if (!rc)
		rc = json_need_object(json, "params", &params, err);
	if (!rc)
		rc = read_params(job, params, true, err);
	if (!rc && json_is_object(settings))
		rc = read_params(job, settings, false, err);
	if (rc)
		return rc;
	if (!*testcase || strlen(testcase) > 200 || strchr(testcase, '/'))
		return err_set(err, ERR_DATA, "job: bad testcase");
	replace(&job->testcase, testcase);
	replace(&job->suite, json_opt_str(json, "suite", testcase));
	replace(&job->workload, json_opt_str(json, "workload", ""));
	job_finish(job);
	/* a name that was used twice is in the path twice, not in params */
	path = json_opt_str(json, "path", "");
	if (*path && strlen(path) <= JOB_TEXT_MAX_BYTES)
		replace(&job->path, path);
	job->runtime_s = json_opt_num(json, "runtime_s", job->runtime_s);
	job->timeout_s = json_opt_int(json, "timeout_s", job->timeout_s);
	return 0;
}

int job_from_json(const json_t *json, struct job *out, struct err *err)
{
	int rc;

	job_init(out);
	rc = read_job(json, out, err);
	if (rc)
		job_release(out);
	return rc;
}
