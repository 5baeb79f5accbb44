/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files as the rest of the house needs them: read whole with a limit, written
 * so that a reader sees the old or the new content and a crash loses neither.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Append the whole file to @out. ERR_NOTFOUND, ERR_LIMIT (over @max_bytes),
 * ERR_IO. @out unchanged on error.
 */
int file_read(const char *path, size_t max_bytes, struct str *out,
	      struct err *err);

/*
 * Replace @path by @len bytes: temp file in the same folder, fsync, rename,
 * fsync of the folder. ERR_IO; the old file stays then.
 */
int file_write_atomic(const char *path, const void *data, size_t len,
		      mode_t mode, struct err *err);

/*
 * As file_write_atomic, but leaves a file that already has this content alone
 * (same inode, same mtime). *@out_changed (may be NULL) says which it was.
 */
int file_write_if_changed(const char *path, const void *data, size_t len,
			  mode_t mode, bool *out_changed, struct err *err);

/* Create @path and its parents where missing. ERR_IO. */
int file_mkdirs(const char *path, mode_t mode, struct err *err);

/* "@dir/@name" as a string owned by the caller. */
char *file_join(const char *dir, const char *name);

bool file_exists(const char *path);
bool file_is_dir(const char *path);

/*
 * Remove a folder tree without following symbolic links. Missing is fine.
 * ERR_IO when something could not be removed.
 */
int file_remove_tree(const char *path, struct err *err);

/* Copy one regular file, mode kept; atomic like file_write_atomic. */
int file_copy(const char *from, const char *to, struct err *err);

/*
 * Take an exclusive flock on @path (created when missing) without waiting.
 * Returns a descriptor that holds the lock until closed; ERR_BUSY, ERR_IO.
 */
int file_lock(const char *path, struct err *err);

/*
 * Whether another process holds the lock: 1 held, 0 free or no such file,
 * ERR_IO otherwise.
 */
int file_lock_held(const char *path, struct err *err);

/* Write all @len bytes to @fd despite short writes and EINTR. ERR_IO. */
int file_write_all(int fd, const void *data, size_t len, struct err *err);

#endif
