// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A job file with its includes as documents: `<<: file.yaml` brings in another
 * file of the same set, `<<: {file: F, key: value}` the same with overrides.
 * What the including file says itself wins over what it includes; documents
 * behind --- overlay the first one, so an included file of three documents
 * makes three. Code in templates (ERB) is refused, never run.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "configs/yaml.h"
#include "jobs/job.h"
#include "jobs/sweep.h"

#define MAX_INCLUDE_DEPTH 8
#define MAX_FILES	  64
#define MAX_SIBLINGS	  2000

/* Trees of one load, and the files whose names their nodes borrow. */
struct loader {
	struct yaml_file *files[MAX_FILES];
	size_t nr_files;
};

/* Documents, complete but for what overlays them; owned. */
struct docs {
	struct yaml_node **v;
	size_t nr;
};

static void docs_add(struct docs *d, struct yaml_node *node)
{
	d->v = xreallocarray(d->v, d->nr + 1, sizeof(void *));
	d->v[d->nr++] = node;
}

static void docs_release(struct docs *d)
{
	for (size_t i = 0; i < d->nr; i++)
		yaml_node_free(d->v[i]);
	free(d->v);
	memset(d, 0, sizeof(*d));
}

/* The @i-th pair of @from into @to, in the place of one of its key. */
static void put(struct yaml_node *to, const struct yaml_node *from, size_t i)
{
	yaml_map_set(to, yaml_node_copy(from->keys[i]),
		     yaml_node_copy(from->items[i]));
}

/* Replace *@node by itself with @over laid on top. */
static void overlay(struct yaml_node **node, const struct yaml_node *over)
{
	struct yaml_node *n = sweep_overlay(*node, over);

	yaml_node_free(*node);
	*node = n;
}

static int refuse_code(const char *text, size_t len, const char *name,
		       struct err *err)
{
	const char *hit = memmem(text, len, "<%", 2);
	int line = 1, col = 1;

	if (!hit)
		return 0;
	for (const char *p = text; p < hit; p++, col++)
		if (*p == '\n') {
			line++;
			col = 0;
		}
	return err_set(err, ERR_CONFIG,
		       "%s:%d:%d: code in a template (<%% … %%>) is never "
		       "evaluated: write the values themselves",
		       name, line, col);
}

static int read_yaml(struct loader *l, const char *path, struct yaml_file **out,
		     struct err *err)
{
	struct str text = STR_INIT;
	struct yaml_file *f;
	int rc;

	if (l->nr_files == MAX_FILES)
		return err_set(err, ERR_LIMIT, "%s: more than %d files", path,
			       MAX_FILES);
	rc = file_read(path, YAML_MAX_BYTES, &text, err);
	if (!rc)
		rc = refuse_code(text.p, text.len, path, err);
	if (!rc) {
		f = xcalloc(1, sizeof(*f));
		l->files[l->nr_files++] = f;
		rc = yaml_parse(text.p, text.len, path, f, err);
		*out = f;
	}
	str_release(&text);
	return rc;
}

static int not_plain(const struct yaml_node *n, const char *what,
		     struct err *err)
{
	return err_set(err, ERR_CONFIG, "%s:%d:%d: %s", n->file, n->line,
		       n->col, what);
}

/* "@dir/name", when there is such a file; else NULL. */
static char *try_file(const char *dir, const char *name)
{
	char *path = file_join(dir, name);

	if (file_exists(path) && !file_is_dir(path))
		return path;
	free(path);
	return NULL;
}

/* The file in a folder of @dir, the first in the order of names. */
static char *try_siblings(const char *dir, const char *name)
{
	struct dirent **list;
	char *hit = NULL;
	int n = scandir(dir, &list, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *sub = file_join(dir, list[i]->d_name);

		if (!hit && i < MAX_SIBLINGS && list[i]->d_name[0] != '.' &&
		    file_is_dir(sub))
			hit = try_file(sub, name);
		free(sub);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return hit;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/")
			     : xstrndup(path, (size_t)(slash - path));
}

/* Beside the including file, in the folder above and in the folders there. */
static char *find_include(const char *from, const char *name)
{
	char *dir = folder_of(from);
	char *up = file_join(dir, "..");
	char *hit = try_file(dir, name);

	if (!hit)
		hit = try_file(up, name);
	if (!hit)
		hit = try_siblings(dir, name);
	if (!hit)
		hit = try_siblings(up, name);
	free(dir);
	free(up);
	return hit;
}

static int load_docs(struct loader *l, const char *path, int depth,
		     struct docs *out, struct err *err);

/* The included documents with the include's own overrides. */
static int load_include(struct loader *l, const struct yaml_node *v, int depth,
			struct docs *out, struct err *err)
{
	const struct yaml_node *file = v;
	const char *base;
	char *path;
	int rc;

	if (v->kind == YAML_MAP)
		file = yaml_map_get(v, "file");
	if (!file || file->kind != YAML_SCALAR || !*file->text)
		return not_plain(v, "<<: expected a file name or {file: …}",
				 err);
	base = strrchr(file->text, '/');
	base = base ? base + 1 : file->text;
	if (!str_ends(base, ".yaml") && !str_ends(base, ".yml"))
		return not_plain(file, "<<: expected the name of a .yaml file",
				 err);
	if (depth == MAX_INCLUDE_DEPTH)
		return not_plain(file,
				 "<<: includes too deep (does the file "
				 "include itself?)",
				 err);
	path = find_include(v->file, base);
	if (!path)
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: there is no job file \"%.80s\" "
			       "beside this one or in a folder next to it",
			       v->file, file->line, file->col, base);
	rc = load_docs(l, path, depth + 1, out, err);
	for (size_t i = 0; i < out->nr && !rc && v->kind == YAML_MAP; i++)
		for (size_t k = 0; k < v->nr; k++)
			if (v->items[k] != file)
				put(out->v[i], v, k);
	free(path);
	return rc;
}

/*
 * Resolve the includes of one document: the first documents of the included
 * files make up @out_base, further ones are appended to @more.
 */
static int resolve(struct loader *l, const struct yaml_node *doc, int depth,
		   struct yaml_node **out_base, struct docs *more,
		   struct err *err)
{
	struct yaml_node *own = yaml_node_new(YAML_MAP, doc->line, doc->col);
	struct yaml_node *base = yaml_node_new(YAML_MAP, doc->line, doc->col);
	int rc = 0;

	own->file = base->file = doc->file;
	for (size_t i = 0; i < doc->nr && !rc; i++) {
		struct docs in = { 0 };

		if (strcmp(doc->keys[i]->text, "<<") != 0) {
			put(own, doc, i);
			put(base, doc, i);
			continue;
		}
		rc = load_include(l, doc->items[i], depth, &in, err);
		if (!rc && in.nr)
			overlay(&base, in.v[0]);
		for (size_t k = 1; k < in.nr && !rc; k++)
			docs_add(more, yaml_node_copy(in.v[k]));
		docs_release(&in);
	}
	overlay(&base, own);
	for (size_t k = 0; k < more->nr; k++)
		overlay(&more->v[k], own);
	yaml_node_free(own);
	*out_base = base;
	return rc;
}

/* All documents of a file; those behind the first are overlays only. */
static int load_docs(struct loader *l, const char *path, int depth,
		     struct docs *out, struct err *err)
{
	struct yaml_file *f = NULL;
	int rc = read_yaml(l, path, &f, err);

	for (size_t i = 0; f && !rc && i < f->nr; i++) {
		const struct yaml_node *doc = f->docs[i];
		struct docs more = { 0 };
		struct yaml_node *base;

		if (yaml_is_null(doc))
			continue;
		if (doc->kind != YAML_MAP)
			return not_plain(doc, "expected \"key: value\" lines",
					 err);
		rc = resolve(l, doc, depth, &base, &more, err);
		docs_add(out, base);
		for (size_t k = 0; k < more.nr && !rc; k++)
			docs_add(out, yaml_node_copy(more.v[k]));
		docs_release(&more);
	}
	return rc;
}

static int expand_docs(const struct docs *docs, struct job_list *list,
		       struct err *err)
{
	int rc = docs->nr ? sweep_expand(docs->v[0], list, err) : 0;

	for (size_t i = 1; i < docs->nr && !rc; i++) {
		struct yaml_node *doc = sweep_overlay(docs->v[0], docs->v[i]);

		rc = sweep_expand(doc, list, err);
		yaml_node_free(doc);
	}
	return rc;
}

int job_file_expand(const char *path, struct job_list *out, struct err *err)
{
	struct loader l = { .nr_files = 0 };
	struct job_list list = { 0 };
	struct docs docs = { 0 };
	int rc = load_docs(&l, path, 0, &docs, err);

	if (!rc && !docs.nr)
		rc = err_set(err, ERR_CONFIG, "%s:1:1: an empty job file",
			     path);
	if (!rc)
		rc = expand_docs(&docs, &list, err);
	if (!rc)
		for (size_t i = 0; i < list.nr; i++)
			job_list_add(out, &list.v[i]);
	if (!rc)
		list.nr = 0;
	job_list_release(&list);
	docs_release(&docs);
	for (size_t i = 0; i < l.nr_files; i++) {
		yaml_file_release(l.files[i]);
		free(l.files[i]);
	}
	return rc;
}
