/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files of the tree a build read, taken from kbuild's .cmd files: a
 * commit that touches none of them can't have changed the kernel.
 */
#ifndef RUNNERS_BUILD_SOURCES_H
#define RUNNERS_BUILD_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Paths relative to the top of the tree, sorted, unique. Owned. */
struct build_sources {
	char **v;
	size_t nr;
	size_t alloc;
};

/*
 * Add the tree's files that one .cmd file names. @text is changed. Pure. The
 * list is neither sorted nor unique until build_sources_sort.
 */
void build_sources_add_cmd(struct build_sources *s, char *text);
void build_sources_sort(struct build_sources *s);

/* Collect from all .cmd files below @out_dir. ERR_IO. */
int build_sources_collect(const char *out_dir, struct build_sources *out,
			  struct err *err);

/* One path per line, as in an artifact's "sources" file, and back. */
void build_sources_format(const struct build_sources *s, struct str *out);
int build_sources_read(const char *path, struct build_sources *out,
		       struct err *err);
void build_sources_release(struct build_sources *s);

/*
 * Whether a change of @path may change the kernel that was built from these
 * sources. Only C, assembler and header files outside the list, and
 * documentation, are sure not to; for a commit ask with the lists of both
 * ends of the range, since a file may have come into the build between them.
 */
bool build_sources_matter(const struct build_sources *s, const char *path);

#endif
