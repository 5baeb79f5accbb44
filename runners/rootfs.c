// SPDX-License-Identifier: GPL-3.0-or-later
// The initramfs: programs, their libraries as ldd names them, a small /etc.
#include "runners/rootfs.h"

#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/str.h"
#include "runners/cpio.h"

#define ARCHIVE_MAX_BYTES ((size_t)512 << 20)
#define FILE_MAX_BYTES	  ((size_t)256 << 20)
#define KEY_MAX_BYTES	  ((size_t)64 << 10)
#define LDD_TIMEOUT_MS	  20000

/* What a box can't do without, and the Debian package that has it. */
static const struct {
	const char *name;
	const char *package;
} required[] = {
	{ "busybox", "busybox-static" }, { "sshd", "openssh-server" },
	{ "stress-ng", "stress-ng" },	 { "sysbench", "sysbench" },
	{ "numactl", "numactl" },	 { "kexec", "kexec-tools" },
};

/* Taken along when this machine has them. */
static const char *const optional[] = { "numastat", "mpstat" };

static const char *const search[] = { "/usr/sbin", "/usr/bin", "/sbin",
				      "/bin" };

static const char *const dirs[] = {
	"dev",	   "etc",      "etc/ssh",   "proc",	   "root", "root/.ssh",
	"run",	   "run/sshd", "sys",	    "tmp",	   "usr",  "usr/bin",
	"usr/lib", "usr/sbin", "usr/lib64", "usr/libexec", "var",  "var/empty",
};

static const struct {
	const char *path;
	const char *target;
} links[] = {
	{ "bin", "usr/bin" },
	{ "sbin", "usr/sbin" },
	{ "lib", "usr/lib" },
	{ "lib64", "usr/lib64" },
};

static const struct {
	const char *path;
	unsigned int mode;
	const char *text;
} texts[] = {
	{ "etc/passwd", 0644,
	  "root:x:0:0:root:/root:/bin/sh\n"
	  "sshd:x:100:65534::/run/sshd:/bin/false\n"
	  "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n" },
	{ "etc/group", 0644, "root:x:0:\nnogroup:x:65534:\n" },
	{ "etc/shadow", 0600, "root:*:1::::::\n" },
	{ "etc/nsswitch.conf", 0644, "passwd: files\ngroup: files\n" },
	{ "etc/inittab", 0644,
	  "::respawn:/usr/sbin/sshd -D -e\n"
	  "::ctrlaltdel:/sbin/reboot\n" },
	/* a lab box is reached over loopback only, by one pinned key */
	{ "etc/ssh/sshd_config", 0600,
	  "HostKey /etc/ssh/ssh_host_ed25519_key\n"
	  "PermitRootLogin prohibit-password\n"
	  "PasswordAuthentication no\n"
	  "KbdInteractiveAuthentication no\n"
	  "UsePAM no\n"
	  "UseDNS no\n"
	  "PidFile none\n"
	  "PrintMotd no\n"
	  "PrintLastLog no\n"
	  "X11Forwarding no\n"
	  "AllowTcpForwarding no\n"
	  "AllowAgentForwarding no\n"
	  "MaxSessions 64\n" },
};

/* Paths on this machine, sorted and unique when added to the archive. */
struct paths {
	char **v;
	size_t nr;
	size_t alloc;
};

static void paths_release(struct paths *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		free(p->v[i]);
	free(p->v);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Add @path with its folder resolved (/lib is usr/lib) but its own name kept:
 * programs and libraries are asked for by that name.
 */
static void paths_add(struct paths *p, const char *path)
{
	char *copy = xstrdup(path);
	char *copy2 = xstrdup(path);
	char *dir = realpath(dirname(copy), NULL);

	VEC_GROW(p->v, p->nr + 1, p->alloc);
	p->v[p->nr++] = xasprintf("%s/%s", dir ? dir : "", basename(copy2));
	free(dir);
	free(copy);
	free(copy2);
}

static void paths_sort(struct paths *p)
{
	size_t i;
	size_t n = 0;

	if (p->nr)
		qsort(p->v, p->nr, sizeof(*p->v), by_text);
	for (i = 0; i < p->nr; i++)
		if (n && !strcmp(p->v[n - 1], p->v[i]))
			free(p->v[i]);
		else
			p->v[n++] = p->v[i];
	p->nr = n;
}

/* Absolute path of a program, owned by the caller, or NULL. */
static char *find_program(const char *name)
{
	size_t i;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	for (i = 0; i < ARRAY_SIZE(search); i++) {
		char *path = file_join(search[i], name);

		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Lines are "name => /path (0x…)" or "/path (0x…)". */
static void add_libraries(struct paths *p, char *ldd_text)
{
	char *save = NULL;
	char *line;

	for (line = strtok_r(ldd_text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *path = strchr(line, '/');
		char *end = strstr(line, " (0x");

		if (!path || !end || path > end)
			continue;
		*end = '\0';
		paths_add(p, path);
	}
}

static void add_with_libraries(struct paths *p, const char *path)
{
	const char *const argv[] = { "ldd", path, NULL };
	struct str text = STR_INIT;

	paths_add(p, path);
	/* a static program makes ldd fail, and needs no library */
	if (!spawn_output(argv, NULL, LDD_TIMEOUT_MS, &text, NULL))
		add_libraries(p, text.p);
	str_release(&text);
}

static int collect(struct paths *p, const char *const *more, struct err *err)
{
	char *path;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(required); i++) {
		path = find_program(required[i].name);
		if (!path)
			return err_set(err, ERR_NOTFOUND,
				       "%s is not installed here; run "
				       "tools/install-deps or apt-get install "
				       "%s",
				       required[i].name, required[i].package);
		add_with_libraries(p, path);
		free(path);
	}
	for (i = 0; more && more[i]; i++) {
		path = find_program(more[i]);
		if (!path)
			return err_set(err, ERR_NOTFOUND,
				       "%s is not installed here", more[i]);
		add_with_libraries(p, path);
		free(path);
	}
	for (i = 0; i < ARRAY_SIZE(optional); i++) {
		path = find_program(optional[i]);
		if (path)
			add_with_libraries(p, path);
		free(path);
	}
	paths_sort(p);
	return 0;
}

static bool is_fixed_dir(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!strcmp(dirs[i], path))
			return true;
	return false;
}

/* The folders above @path that aren't there yet; @last is the path before. */
static void add_parents(struct cpio *c, const char *path, const char *last)
{
	const char *slash;

	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t len = (size_t)(slash - path);
		char *dir = xstrndup(path, len);

		/* sorted: siblings follow each other */
		if (!is_fixed_dir(dir) && strncmp(last, path, len + 1) != 0)
			cpio_add_dir(c, dir, 0755);
		free(dir);
	}
}

static int add_host_files(struct cpio *c, const struct paths *p,
			  struct err *err)
{
	const char *last = "";
	size_t i;
	int rc = 0;

	for (i = 0; i < p->nr && !rc; i++) {
		const char *path = p->v[i] + 1;
		struct str data = STR_INIT;

		data.max_bytes = FILE_MAX_BYTES;
		rc = file_read(p->v[i], FILE_MAX_BYTES, &data, err);
		if (!rc) {
			add_parents(c, path, last);
			cpio_add_file(c, path, 0755, data.p, data.len);
		}
		str_release(&data);
		last = path;
	}
	return rc;
}

static bool has_program(const struct paths *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		const char *slash = strrchr(p->v[i], '/');

		if (slash && !strcmp(slash + 1, name))
			return true;
	}
	return false;
}

/* Every busybox command that no real program stands for. */
static int add_applets(struct cpio *c, const struct paths *p, struct err *err)
{
	const char *const argv[] = { "busybox", "--list", NULL };
	struct str list = STR_INIT;
	char *save = NULL;
	char *name;
	int rc;

	rc = spawn_output(argv, NULL, LDD_TIMEOUT_MS, &list, err);
	for (name = rc ? NULL : strtok_r(list.p, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save)) {
		char *path = xasprintf("usr/bin/%s", name);

		if (!has_program(p, name))
			cpio_add_link(c, path, "busybox");
		free(path);
	}
	str_release(&list);
	return rc;
}

static void add_skeleton(struct cpio *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		bool secret = !strcmp(dirs[i], "root") ||
			      !strcmp(dirs[i], "root/.ssh");

		cpio_add_dir(c, dirs[i], secret ? 0700 : 0755);
	}
	for (i = 0; i < ARRAY_SIZE(links); i++)
		cpio_add_link(c, links[i].path, links[i].target);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		cpio_add_file(c, texts[i].path, texts[i].mode, texts[i].text,
			      strlen(texts[i].text));
	cpio_add_char(c, "dev/console", 0600, 5, 1);
}

static int add_keys(struct cpio *c, const struct rootfs *r, struct err *err)
{
	struct str key = STR_INIT;
	char *line = xasprintf("%s\n", r->authorized_key);
	int rc;

	rc = file_read(r->host_key, KEY_MAX_BYTES, &key, err);
	if (!rc) {
		cpio_add_file(c, "etc/ssh/ssh_host_ed25519_key", 0600, key.p,
			      key.len);
		cpio_add_file(c, "root/.ssh/authorized_keys", 0600, line,
			      strlen(line));
	}
	free(line);
	str_release(&key);
	return rc;
}

int rootfs_build(const struct rootfs *r, struct err *err)
{
	const struct embed_file *init = embed_find(embed_runners, "init");
	struct paths p = { NULL, 0, 0 };
	struct cpio c;
	int rc;

	cpio_init(&c, ARCHIVE_MAX_BYTES);
	rc = collect(&p, r->programs, err);
	if (rc)
		goto out;
	add_skeleton(&c);
	cpio_add_file(&c, "init", 0755, init->data, init->len);
	rc = add_keys(&c, r, err);
	if (!rc)
		rc = add_host_files(&c, &p, err);
	if (!rc)
		rc = add_applets(&c, &p, err);
	if (!rc)
		rc = cpio_end(&c, err);
	/* not compressed: an emulated CPU would unpack it for seconds */
	if (!rc)
		rc = file_write_if_changed(r->out, c.bytes.p, c.bytes.len, 0600,
					   NULL, err);
out:
	cpio_release(&c);
	paths_release(&p);
	return rc;
}
