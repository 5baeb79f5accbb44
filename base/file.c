// SPDX-License-Identifier: GPL-3.0-or-later
// Whole-file reading with limits, atomic writing, locks, tree removal.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int file_read(const char *path, size_t max_bytes, struct str *out,
	      struct err *err)
{
	size_t start = out->len;
	char buf[65536];
	int rc = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
				 "%s", path);
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = err_errno(err, ERR_IO, "%s", path);
			break;
		}
		if (out->len - start + (size_t)n > max_bytes) {
			rc = err_set(err, ERR_LIMIT,
				     "%s: larger than %zu bytes", path,
				     max_bytes);
			break;
		}
		str_addn(out, buf, (size_t)n);
	}
	close(fd);
	if (rc && out->alloc) {
		out->len = start;
		out->p[start] = '\0';
	}
	return rc;
}

int file_write_all(int fd, const void *data, size_t len, struct err *err)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, ERR_IO, "write");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A rename is durable once the folder itself is on disk. */
static int sync_folder_of(const char *path, struct err *err)
{
	char *copy = xstrdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || fsync(fd))
		rc = err_errno(err, ERR_IO, "fsync of the folder of %s", path);
	if (fd >= 0)
		close(fd);
	free(copy);
	return rc;
}

int file_write_atomic(const char *path, const void *data, size_t len,
		      mode_t mode, struct err *err)
{
	char *tmp = xasprintf("%s.tmp-XXXXXX", path);
	int rc = 0;
	int fd;

	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		rc = err_errno(err, ERR_IO, "%s", tmp);
		free(tmp);
		return rc;
	}
	rc = file_write_all(fd, data, len, err);
	if (rc)
		err_wrap(err, "%s", path);
	else if (fchmod(fd, mode) || fsync(fd))
		rc = err_errno(err, ERR_IO, "%s", tmp);
	close(fd);
	if (!rc && rename(tmp, path))
		rc = err_errno(err, ERR_IO, "rename to %s", path);
	if (rc)
		unlink(tmp);
	else
		rc = sync_folder_of(path, err);
	free(tmp);
	return rc;
}

int file_write_if_changed(const char *path, const void *data, size_t len,
			  mode_t mode, bool *out_changed, struct err *err)
{
	struct str old = STR_INIT;
	bool same;

	same = !file_read(path, len + 1, &old, NULL) && old.len == len &&
	       !memcmp(old.p, data, len);
	str_release(&old);
	if (out_changed)
		*out_changed = !same;
	return same ? 0 : file_write_atomic(path, data, len, mode, err);
}

int file_mkdirs(const char *path, mode_t mode, struct err *err)
{
	char *copy = xstrdup(path);
	char *p = copy;
	int rc = 0;

	do {
		p = strchr(p + 1, '/');
		if (p)
			*p = '\0';
		if (mkdir(copy, mode) && errno != EEXIST) {
			rc = err_errno(err, ERR_IO, "mkdir %s", copy);
			break;
		}
		if (p)
			*p = '/';
	} while (p);
	if (!rc && !file_is_dir(path))
		rc = err_set(err, ERR_IO, "%s: not a folder", path);
	free(copy);
	return rc;
}

char *file_join(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int remove_at(int parent, const char *name);

static int remove_children(int fd)
{
	struct dirent *entry;
	int failed = 0;
	DIR *dir;

	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			failed |= remove_at(dirfd(dir), entry->d_name);
	closedir(dir);
	return failed;
}

static int remove_at(int parent, const char *name)
{
	int failed;
	int fd;

	if (!unlinkat(parent, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	fd = openat(parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	failed = remove_children(fd);
	return unlinkat(parent, name, AT_REMOVEDIR) ? -1 : failed;
}

int file_remove_tree(const char *path, struct err *err)
{
	if (remove_at(AT_FDCWD, path))
		return err_errno(err, ERR_IO, "remove %s", path);
	return 0;
}

int file_copy(const char *from, const char *to, struct err *err)
{
	struct str data = STR_INIT;
	struct stat st;
	int rc;

	if (stat(from, &st))
		return err_errno(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
				 "%s", from);
	data.max_bytes = (size_t)4 << 30;
	rc = file_read(from, data.max_bytes - 1, &data, err);
	if (!rc)
		rc = file_write_atomic(to, data.p, data.len, st.st_mode & 0777,
				       err);
	str_release(&data);
	return rc;
}

int file_lock(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(err, ERR_IO, "%s", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int code = errno == EWOULDBLOCK ? ERR_BUSY : ERR_IO;

		err_errno(err, code, "lock %s", path);
		close(fd);
		return code;
	}
	return fd;
}

int file_lock_held(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int held = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_errno(err, ERR_IO, "%s", path);
	if (flock(fd, LOCK_EX | LOCK_NB))
		held = errno == EWOULDBLOCK
			       ? 1
			       : err_errno(err, ERR_IO, "lock %s", path);
	close(fd);
	return held;
}
