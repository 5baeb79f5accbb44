// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a build's task.json, and the name of what it makes.
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "runners/build.h"
#include "runners/repo.h"

#define KEY_VERSION    "drover artifact 1"
#define JOBS_MAX       1024
#define TIMEOUT_MAX_S  (7 * 86400.0)
#define DEFAULT_TIME_S 7200.0
#define NICE_MAX       19

static int need_hash(const json_t *json, const char *key, const char **out,
		     struct err *err)
{
	int rc = json_need_str(json, key, out, err);

	if (!rc && !repo_is_sha(*out))
		rc = err_set(err, ERR_DATA, "\"%s\": \"%s\" is not a full hash",
			     key, *out);
	return rc;
}

/* Paths go to programs as arguments: absolute ones can't look like options. */
static int need_path(const json_t *json, const char *key, const char **out,
		     struct err *err)
{
	int rc = json_need_str(json, key, out, err);

	if (!rc && **out != '/')
		rc = err_set(err, ERR_DATA,
			     "\"%s\": \"%s\" is not an absolute path", key,
			     *out);
	return rc;
}

static int parse_kconfig(const json_t *json, struct build_spec *out,
			 struct err *err)
{
	json_t *list;
	json_t *item;
	size_t i;
	int rc = json_need_array(json, "kconfig", &list, err);

	if (rc)
		return rc;
	if (!json_array_size(list) || json_array_size(list) > BUILD_KCONFIG_MAX)
		return err_set(err, ERR_DATA,
			       "\"kconfig\": 1 to %d fragments are needed",
			       BUILD_KCONFIG_MAX);
	json_array_foreach(list, i, item)
	{
		out->kconfig[i] = json_string_value(item);
		if (!out->kconfig[i] || out->kconfig[i][0] != '/')
			return err_set(err, ERR_DATA,
				       "\"kconfig\"[%zu] is not an absolute "
				       "path",
				       i);
	}
	out->nr_kconfig = json_array_size(list);
	return 0;
}

static int parse_range(const json_t *json, const char *key, long long max,
		       int *out, struct err *err)
{
	long long v = json_opt_int(json, key, 0);

	if (v < 0 || v > max)
		return err_set(err, ERR_RANGE, "\"%s\": %lld is not in 0..%lld",
			       key, v, max);
	*out = (int)v;
	return 0;
}

/* The compiler's name ends up in a make variable that a shell splits. */
static int check_cc(const char *cc, struct err *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-";

	if (!*cc || *cc == '-' || cc[strspn(cc, plain)])
		return err_set(err, ERR_DATA,
			       "\"cc\": \"%s\" is not the name of a compiler",
			       cc);
	return 0;
}

static int parse_optional(const json_t *json, struct build_spec *out,
			  struct err *err)
{
	int rc;

	out->ccache = json_opt_bool(json, "ccache", false);
	out->ccache_dir = json_opt_str(json, "ccache_dir", "");
	out->ccache_max_bytes = json_opt_int(json, "ccache_max_bytes", 0);
	out->cc = json_opt_str(json, "cc", "gcc");
	out->timeout_s = json_opt_num(json, "timeout_s", DEFAULT_TIME_S);
	if (!(out->timeout_s > 0) || out->timeout_s > TIMEOUT_MAX_S)
		return err_set(err, ERR_RANGE,
			       "\"timeout_s\": %g is not in 1..%g",
			       out->timeout_s, TIMEOUT_MAX_S);
	if (out->ccache && *out->ccache_dir != '/')
		return err_set(err, ERR_DATA,
			       "\"ccache_dir\" is not an absolute path");
	rc = parse_range(json, "layout", BUILD_LAYOUT_MAX, &out->layout, err);
	if (!rc)
		rc = parse_range(json, "jobs", JOBS_MAX, &out->jobs, err);
	if (!rc)
		rc = parse_range(json, "nice", NICE_MAX, &out->nice, err);
	return rc ? rc : check_cc(out->cc, err);
}

int build_spec_parse(const json_t *json, struct build_spec *out,
		     struct err *err)
{
	struct build_spec s = { 0 };
	int rc;

	rc = need_path(json, "repo", &s.repo, err);
	if (!rc)
		rc = need_hash(json, "commit", &s.commit, err);
	if (!rc)
		rc = need_hash(json, "tree", &s.tree, err);
	if (!rc)
		rc = need_path(json, "slot_dir", &s.slot_dir, err);
	if (!rc)
		rc = need_path(json, "artifact_dir", &s.artifact_dir, err);
	if (!rc)
		rc = parse_kconfig(json, &s, err);
	if (!rc)
		rc = parse_optional(json, &s, err);
	if (rc)
		return err_wrap(err, "task.json");
	*out = s;
	return 0;
}

void build_key(const char *tree, const char *kconfig_sha256,
	       const char *toolchain, int layout, char out[SHA256_HEX_BYTES])
{
	struct str text = STR_INIT;

	str_addf(&text, "%s\n%s\n%s\n%s\n%d\n", KEY_VERSION, tree,
		 kconfig_sha256, toolchain, layout);
	sha256_hex(text.p, text.len, out);
	str_release(&text);
}

const char *build_layout_flags(int layout)
{
	/* other places for the same code: what moves with them is layout */
	static const char *const flags[] = {
		"",
		"-falign-functions=64",
		"-falign-functions=32",
		"-falign-functions=64 -falign-loops=32",
		"-falign-functions=128",
	};

	_Static_assert(ARRAY_SIZE(flags) == BUILD_LAYOUT_MAX + 1,
		       "one row for each layout");
	return layout < 0 || layout > BUILD_LAYOUT_MAX ? NULL : flags[layout];
}
