// SPDX-License-Identifier: GPL-3.0-or-later
// The list of source files behind a kernel, out of kbuild's .cmd files.
#include "runners/build_sources.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define CMD_MAX_BYTES  ((size_t)4 << 20)
#define LIST_MAX_BYTES ((size_t)16 << 20)
#define FILES_MAX      200000
/* what may stand around a path in a make rule or a shell command */
#define DELIMITERS " \t\n\\\"'`();:,|&<>="

static void add(struct build_sources *s, char *path)
{
	if (s->nr >= FILES_MAX) {
		free(path);
		return;
	}
	VEC_GROW(s->v, s->nr + 1, s->alloc);
	s->v[s->nr++] = path;
}

/*
 * "a/b/../c" as "a/c"; NULL for what leaves the tree or names nothing. Owned
 * by the caller.
 */
static char *normal_path(const char *path)
{
	struct str out = STR_INIT;
	bool outside = false;

	while (*path && !outside) {
		size_t len = strcspn(path, "/");
		const char *slash;

		if (len == 2 && !strncmp(path, "..", 2)) {
			outside = !out.len;
			slash = outside ? NULL : strrchr(out.p, '/');
			out.len = slash ? (size_t)(slash - out.p) : 0;
			if (out.alloc)
				out.p[out.len] = '\0';
		} else if (len && !(len == 1 && *path == '.')) {
			if (out.len)
				str_addch(&out, '/');
			str_addn(&out, path, len);
		}
		path += len;
		path += *path == '/';
	}
	if (!outside && out.len)
		return str_detach(&out);
	str_release(&out);
	return NULL;
}

void build_sources_add_cmd(struct build_sources *s, char *text)
{
	char *save = NULL;
	char *word;

	for (word = strtok_r(text, DELIMITERS, &save); word;
	     word = strtok_r(NULL, DELIMITERS, &save)) {
		char *path;

		/* the output folder is one below the top of the tree */
		if (strncmp(word, "../", 3) != 0 || strpbrk(word, "*$%"))
			continue;
		path = normal_path(word + 3);
		if (path)
			add(s, path);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void build_sources_sort(struct build_sources *s)
{
	size_t n = 0;
	size_t i;

	if (s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), by_text);
	for (i = 0; i < s->nr; i++)
		if (n && !strcmp(s->v[n - 1], s->v[i]))
			free(s->v[i]);
		else
			s->v[n++] = s->v[i];
	s->nr = n;
}

static int add_cmd_file(struct build_sources *s, const char *path,
			struct err *err)
{
	struct str text = STR_INIT;
	int rc = file_read(path, CMD_MAX_BYTES, &text, err);

	if (!rc)
		build_sources_add_cmd(s, text.p);
	str_release(&text);
	return rc;
}

int build_sources_collect(const char *out_dir, struct build_sources *out,
			  struct err *err)
{
	struct build_sources s = { NULL, 0, 0 };
	char *top = xstrdup(out_dir);
	char *roots[] = { top, NULL };
	FTS *walk;
	FTSENT *e;
	int rc = 0;

	/* physical: the output folder links to the source tree */
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	if (!walk)
		rc = err_errno(err, ERR_IO, "%s", out_dir);
	while (!rc && (e = fts_read(walk))) {
		if (e->fts_info != FTS_D && str_ends(e->fts_name, ".cmd"))
			rc = add_cmd_file(&s, e->fts_path, err);
		/* 1000 objects make neighbours look alike: keep it small */
		if (s.nr > FILES_MAX / 2)
			build_sources_sort(&s);
	}
	if (walk)
		fts_close(walk);
	free(top);
	build_sources_sort(&s);
	if (rc)
		build_sources_release(&s);
	else
		*out = s;
	return rc;
}

void build_sources_format(const struct build_sources *s, struct str *out)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		str_addf(out, "%s\n", s->v[i]);
}

int build_sources_read(const char *path, struct build_sources *out,
		       struct err *err)
{
	struct build_sources s = { NULL, 0, 0 };
	struct str text = STR_INIT;
	char *save = NULL;
	char *line;
	int rc;

	rc = file_read(path, LIST_MAX_BYTES, &text, err);
	if (!rc) {
		for (line = strtok_r(text.p, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			add(&s, xstrdup(line));
		build_sources_sort(&s);
		*out = s;
	}
	str_release(&text);
	return rc;
}

void build_sources_release(struct build_sources *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct build_sources){ NULL, 0, 0 };
}

/* Programs that make the kernel: each of their sources may change its bits. */
static bool is_tool(const char *path)
{
	return str_starts(path, "scripts/") || str_starts(path, "tools/") ||
	       str_starts(path, "usr/") || strstr(path, "/tools/") ||
	       strstr(path, "/boot/");
}

static bool is_document(const char *path)
{
	static const char *const ends[] = { ".rst", ".txt", ".md" };
	size_t i;

	if (str_starts(path, "Documentation/") || !strcmp(path, "MAINTAINERS"))
		return true;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (str_ends(path, ends[i]))
			return true;
	return false;
}

bool build_sources_matter(const struct build_sources *s, const char *path)
{
	bool code = str_ends(path, ".c") || str_ends(path, ".h") ||
		    str_ends(path, ".S");

	if (s->nr && bsearch(&path, s->v, s->nr, sizeof(*s->v), by_text))
		return true;
	if (is_tool(path))
		return true;
	return !code && !is_document(path);
}
