// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/site.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/file.h"
#include "base/mem.h"
#include "db/view_comparison.h"
#include "db/view_index.h"

#define STAMPS_FILE	 ".drover-pages.json"
#define STAMPS_MAX_BYTES ((size_t)256 << 20)
#define SLUG_MAX	 80
#define PAGE_MODE	 0644
#define DIR_MODE	 0755
#define LOCK_TRIES	 600
#define LOCK_PAUSE_MS	 100

void site_slug(struct str *out, const char *text, size_t max)
{
	size_t start = out->len;

	for (; *text && out->len - start < max; text++) {
		bool plain = isalnum((unsigned char)*text) || *text == '_' ||
			     *text == '.' || *text == '-';
		char c = '-';

		if (plain)
			c = *text;
		if (out->len == start && (c == '-' || c == '.'))
			continue;
		if (c == '-' && out->p[out->len - 1] == '-')
			continue;
		str_addch(out, c);
	}
	while (out->len > start && out->p[out->len - 1] == '-')
		out->p[--out->len] = '\0';
	if (out->len == start)
		str_add(out, "x");
}

static int by_plain_then_id(const void *a, const void *b)
{
	const struct site_comparison *x = *(void *const *)a;
	const struct site_comparison *y = *(void *const *)b;
	int order = strcmp(x->plain, y->plain);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* The first of equal paths keeps it; the others get "~id", which no slug has.
 */
static void give_paths(struct site_comparison *c, size_t nr)
{
	struct site_comparison **order =
		xcalloc(nr + 1, sizeof(struct site_comparison *));

	for (size_t i = 0; i < nr; i++)
		order[i] = &c[i];
	qsort(order, nr, sizeof(struct site_comparison *), by_plain_then_id);
	for (size_t i = 0; i < nr; i++) {
		bool again = i && !strcmp(order[i]->plain, order[i - 1]->plain);

		order[i]->path = again ? xasprintf("%s~%lld/", order[i]->plain,
						   order[i]->id)
				       : xasprintf("%s/", order[i]->plain);
	}
	free(order);
}

static int load_comparisons(struct site *site, struct err *err)
{
	json_t *rows = view_comparison_list(site->db, err);
	struct str path = STR_INIT;
	size_t i;
	json_t *row;

	if (!rows)
		return err->code;
	site->comparison =
		xcalloc(json_array_size(rows) + 1, sizeof(site->comparison[0]));
	json_array_foreach(rows, i, row)
	{
		struct site_comparison *c = &site->comparison[i];

		str_reset(&path);
		str_addf(&path, "c/%.12s..%.12s/",
			 json_opt_str(row, "base_sha", ""),
			 json_opt_str(row, "head_sha", ""));
		site_slug(&path, json_opt_str(row, "path", ""), SLUG_MAX);
		str_addch(&path, '/');
		site_slug(&path, json_opt_str(row, "tbox_group", ""), SLUG_MAX);
		c->id = json_opt_int(row, "id", 0);
		c->plain = xstrdup(path.p);
		c->stamp = xstrdup(json_opt_str(row, "stamp", ""));
		site->nr_comparisons++;
	}
	give_paths(site->comparison, site->nr_comparisons);
	str_release(&path);
	json_decref(rows);
	return 0;
}

static json_t *read_stamps(const struct site *site)
{
	char *path = file_join(site->out_dir, STAMPS_FILE);
	json_t *stamps = NULL;

	/* a missing or damaged file only means that everything is made */
	if (file_exists(path))
		stamps = json_read_file(path, STAMPS_MAX_BYTES, NULL);
	free(path);
	return json_is_object(stamps) ? stamps : json_object();
}

/* Two at a time would each write over what the other knows. */
static int lock_folder(struct site *site, struct err *err)
{
	int fd = open(site->out_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int tries = 0;

	if (fd < 0)
		return err_errno(err, ERR_IO, "%s", site->out_dir);
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || ++tries == LOCK_TRIES) {
			close(fd);
			return err_set(err, ERR_BUSY,
				       "%s: another drover-pages is at work",
				       site->out_dir);
		}
		clock_sleep_ms(LOCK_PAUSE_MS);
	}
	site->lock = fd;
	return 0;
}

int site_open(struct site *site, struct err *err)
{
	int rc;

	rc = file_mkdirs(site->out_dir, DIR_MODE, err);
	if (!rc)
		rc = lock_folder(site, err);
	if (rc)
		return rc;
	site->stamps = read_stamps(site);
	if (strcmp(json_opt_str(site->stamps, "", ""), DROVER_VERSION) != 0)
		site->all = true;
	site->new_stamps = json_pack("{s:s}", "", DROVER_VERSION);
	rc = view_newest_s(site->db, &site->newest_s, err);
	if (!rc)
		rc = view_metric_names(site->db, &site->metric_names,
				       &site->nr_metric_names, err);
	if (!rc)
		rc = load_comparisons(site, err);
	return rc;
}

void site_release(struct site *site)
{
	if (site->lock > 0)
		close(site->lock);
	site->lock = 0;
	for (size_t i = 0; i < site->nr_comparisons; i++) {
		free(site->comparison[i].path);
		free(site->comparison[i].plain);
		free(site->comparison[i].stamp);
	}
	free(site->comparison);
	for (size_t i = 0; i < site->nr_metric_names; i++)
		free(site->metric_names[i]);
	free(site->metric_names);
	json_decref(site->stamps);
	json_decref(site->new_stamps);
	site->stamps = NULL;
	site->new_stamps = NULL;
	site->comparison = NULL;
	site->metric_names = NULL;
	site->nr_comparisons = 0;
	site->nr_metric_names = 0;
}

const char *site_comparison_path(const struct site *site, long long id)
{
	size_t lo = 0;
	size_t hi = site->nr_comparisons;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (site->comparison[mid].id == id)
			return site->comparison[mid].path;
		if (site->comparison[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return "";
}

bool site_wants(struct site *site, const char *path, const char *stamp)
{
	const char *before = json_opt_str(site->stamps, path, NULL);
	char *full;
	bool there;

	json_object_set_new(site->new_stamps, path,
			    json_text(stamp, strlen(stamp)));
	if (site->all || !before || strcmp(before, stamp) != 0)
		return true;
	full = xasprintf("%s/%sindex.html", site->out_dir, path);
	there = file_exists(full);
	free(full);
	return !there;
}

/* Whether the file holds exactly @content. */
static bool same_content(const char *path, const struct str *content)
{
	struct str old = STR_INIT;
	struct stat st;
	bool same;

	if (stat(path, &st) || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size != content->len)
		return false;
	same = !file_read(path, content->len, &old, NULL) &&
	       old.len == content->len && !memcmp(old.p, content->p, old.len);
	str_release(&old);
	return same;
}

/*
 * Temp file and rename, without the fsync of file_write_atomic: thousands of
 * pages can be made again, so one syncfs in site_finish, before the stamps are
 * written, is enough.
 */
static int replace_file(const char *path, const struct str *content,
			struct err *err)
{
	char *temp = xasprintf("%s.new", path);
	int fd = open(temp,
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      PAGE_MODE);
	int rc = 0;

	if (fd < 0)
		rc = err_errno(err, ERR_IO, "%s", temp);
	if (!rc)
		rc = file_write_all(fd, content->p, content->len, err);
	if (fd >= 0 && close(fd) && !rc)
		rc = err_errno(err, ERR_IO, "%s", temp);
	if (!rc && rename(temp, path))
		rc = err_errno(err, ERR_IO, "rename to %s", path);
	if (rc && fd >= 0)
		unlink(temp);
	free(temp);
	return rc;
}

int site_put(struct site *site, const char *path, const struct str *content,
	     struct err *err)
{
	char *full = file_join(site->out_dir, path);
	char *slash;
	int rc = 0;

	site->nr_made++;
	if (content->cut)
		rc = err_set(err, ERR_LIMIT, "%s: page over %zu bytes", path,
			     content->max_bytes);
	if (!rc && !same_content(full, content)) {
		slash = strrchr(full, '/');
		*slash = '\0';
		rc = file_mkdirs(full, DIR_MODE, err);
		*slash = '/';
		if (!rc)
			rc = replace_file(full, content, err);
		site->nr_written += !rc;
	}
	free(full);
	return rc;
}

int site_put_page(struct site *site, const char *path, const struct str *html,
		  const json_t *json, const struct str *csv, struct err *err)
{
	struct str text = STR_INIT;
	char *name = xasprintf("%sindex.html", path);
	int rc = site_put(site, name, html, err);

	free(name);
	if (!rc) {
		name = xasprintf("%sindex.json", path);
		json_add_text(&text, json);
		str_addch(&text, '\n');
		rc = site_put(site, name, &text, err);
		free(name);
	}
	if (!rc && csv) {
		name = xasprintf("%sindex.csv", path);
		rc = site_put(site, name, csv, err);
		free(name);
	}
	str_release(&text);
	return rc;
}

static int put_assets(struct site *site, struct err *err)
{
	const struct embed_file *f;
	int rc = 0;

	for (f = embed_web_static; f->name && !rc; f++) {
		struct str content = STR_INIT;
		char *path = xasprintf("assets/%s", f->name);

		str_addn(&content, f->data, f->len);
		rc = site_put(site, path, &content, err);
		str_release(&content);
		free(path);
	}
	return rc;
}

static int sync_tree(const struct site *site, struct err *err)
{
	int fd = open(site->out_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || syncfs(fd))
		rc = err_errno(err, ERR_IO, "%s: sync", site->out_dir);
	if (fd >= 0)
		close(fd);
	return rc;
}

int site_finish(struct site *site, struct err *err)
{
	struct str text = STR_INIT;
	int rc = put_assets(site, err);

	if (!rc && site->nr_written)
		rc = sync_tree(site, err);
	if (!rc) {
		json_add_pretty(&text, site->new_stamps);
		rc = site_put(site, STAMPS_FILE, &text, err);
	}
	str_release(&text);
	return rc;
}
