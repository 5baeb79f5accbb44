// SPDX-License-Identifier: GPL-3.0-or-later
// What earlier builds left in a slot: remains of one that was killed, and
// output folders of kconfigs and layouts that nobody has built for long.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/build.h"

/* All layouts of two kconfigs: 0.2 to some GB each. */
#define OUTS_KEPT (2 * (BUILD_LAYOUT_MAX + 1))

/* An output folder; @path owned. */
struct out {
	char *path;
	struct timespec used;
};

struct outs {
	struct out *v;
	size_t nr;
	size_t alloc;
};

static int newest_first(const void *a, const void *b)
{
	const struct out *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	return (x->used.tv_nsec < y->used.tv_nsec) -
	       (x->used.tv_nsec > y->used.tv_nsec);
}

/* Takes @path. */
static void add_out(struct outs *all, char *path)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISDIR(st.st_mode)) {
		free(path);
		return;
	}
	VEC_GROW(all->v, all->nr + 1, all->alloc);
	all->v[all->nr++] = (struct out){ path, st.st_mtim };
}

/* All of the slot but the one of this build. */
static void list_outs(const struct build *b, struct outs *all)
{
	DIR *dir = opendir(b->src);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (str_starts(entry->d_name, BUILD_OUT_PREFIX) &&
		    strcmp(entry->d_name, b->out_name) != 0)
			add_out(all, file_join(b->src, entry->d_name));
	if (dir)
		closedir(dir);
}

static void drop_old_outs(struct build *b)
{
	struct outs all = { NULL, 0, 0 };
	struct err err = { 0 };
	size_t i;

	/* the folder's own time says when it was last used */
	if (utimensat(AT_FDCWD, b->out, NULL, 0))
		errno = 0; /* there is none yet */
	list_outs(b, &all);
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), newest_first);
	for (i = 0; i < all.nr; i++) {
		if (i >= OUTS_KEPT - 1) {
			task_log(b->task, "%s: not used for long, removed",
				 all.v[i].path);
			if (file_remove_tree(all.v[i].path, &err))
				task_log(b->task, "%s", err.text);
		}
		free(all.v[i].path);
	}
	free(all.v);
}

void build_tidy(struct build *b)
{
	char *tmp = file_join(b->spec.slot_dir, "tmp");

	/* compilers that were killed leave their temporary files */
	file_remove_tree(tmp, NULL);
	free(tmp);
	drop_old_outs(b);
}
