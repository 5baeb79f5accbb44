// SPDX-License-Identifier: GPL-3.0-or-later
// Which commits of a range are likelier than others: those that touch a file in
// which a function lives whose share of the cycles moved between base and head.
// A hint and no more: three times the weight of the others, so that a wrong
// one costs a boot or two.
#include <string.h>

#include "analysis/profile.h"
#include "base/mem.h"
#include "daemon/flow_private.h"

#define RAISED		 3.0
#define COMMITS_MAX	 1000
#define FILES_MAX	 2000
#define SOURCE_MAX_BYTES ((size_t)1 << 20)

static int read_profile(const struct flow *f, struct profile *out,
			struct err *err)
{
	struct flow_side side[2] = { { .matrix = MATRIX_INIT },
				     { .matrix = MATRIX_INIT } };
	const struct matrix *m[] = { &side[0].matrix, &side[1].matrix };
	struct comparison c = COMPARISON_INIT;
	int rc;

	rc = flow_side_load(f, flow_int(f, "base_id"), false, &side[0], err);
	if (!rc)
		rc = flow_side_load(f, flow_int(f, "head_id"), false, &side[1],
				    err);
	if (!rc)
		rc = compare_matrices(&c, m, 2, NULL, flow_text(f, "testcase"),
				      err);
	if (!rc)
		profile_moved(&c, out);
	compare_release(&c);
	flow_side_release(&side[0]);
	flow_side_release(&side[1]);
	return rc;
}

/* Functions by file, as far as it was asked about; "" for none. */
struct homes {
	const struct flow *f;
	const struct repo *repo;
	const struct profile *profile;
	json_t *known;
};

static bool is_source(const char *path)
{
	return str_ends(path, ".c") || str_ends(path, ".h") ||
	       str_ends(path, ".S");
}

static const char *home_of(struct homes *h, const char *path)
{
	const char *known = json_opt_str(h->known, path, NULL);
	struct str text = STR_INIT;
	const char *name = NULL;

	if (known || !is_source(path) ||
	    json_object_size(h->known) >= FILES_MAX)
		return known ? known : "";
	/* what the head doesn't have any more, base may have had */
	if (!repo_read_file(h->repo, flow_text(h->f, "head_sha"), path,
			    SOURCE_MAX_BYTES, &text, NULL) ||
	    !repo_read_file(h->repo, flow_text(h->f, "base_sha"), path,
			    SOURCE_MAX_BYTES, &text, NULL))
		name = profile_find(h->profile, text.len ? text.p : "");
	json_object_set_new(h->known, path, json_string(name ? name : ""));
	str_release(&text);
	return json_opt_str(h->known, path, "");
}

static void raise_one(struct homes *h, struct bisect_commit *c, json_t *info)
{
	struct repo_files files = { 0 };
	size_t i;

	/* what a merge brought in has commits of its own */
	if (c->cannot_matter || c->commit.nr_parents != 1 ||
	    repo_changed_files(h->repo, c->commit.id, &files, NULL))
		return;
	for (i = 0; i < files.nr; i++) {
		const char *name = home_of(h, files.v[i]);
		char *hot;

		if (!*name)
			continue;
		hot = xasprintf("%s has %s", files.v[i], name);
		c->weight = RAISED;
		json_object_set_new(info, "weight", json_real(RAISED));
		json_object_set_new(info, "hot", json_text(hot, strlen(hot)));
		free(hot);
		break;
	}
	repo_files_release(&files);
}

int flow_prior_raise(const struct flow *f, const struct repo *repo,
		     struct flow_range *range, struct err *err)
{
	struct profile profile = { .nr = 0 };
	struct homes h = { f, repo, &profile, NULL };
	size_t i;
	int rc;

	if (!f->uses_kernel || range->nr > COMMITS_MAX)
		return 0;
	rc = read_profile(f, &profile, err);
	if (rc || !profile.nr)
		return rc;
	h.known = json_object();
	for (i = 1; i < range->nr; i++)
		raise_one(&h, &range->v[i], json_array_get(range->info, i));
	json_decref(h.known);
	return 0;
}
