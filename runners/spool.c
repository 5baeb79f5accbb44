// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a run out of the supervisor's frames. All bytes are hostile.
#include "runners/spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_MONITORS 48
/* A file is read by two monitors at most; a box may name more for each. */
#define SPLIT_MAX_BYTES (2 * SPOOL_MON_MAX_BYTES)
#define MAX_LAST_BYTES	200

static struct spool_file *add_file(struct spool *spool, const char *name,
				   size_t max_bytes)
{
	struct spool_file *f;

	if (spool->nr == SPOOL_MAX_FILES)
		return NULL;
	f = &spool->v[spool->nr++];
	memset(f->name, 0, sizeof(f->name));
	strncpy(f->name, name, sizeof(f->name) - 1);
	str_init(&f->data);
	f->data.max_bytes = max_bytes;
	f->cut = false;
	return f;
}

const struct spool_file *spool_find(const struct spool *spool, const char *name)
{
	size_t i;

	for (i = 0; i < spool->nr; i++)
		if (!strcmp(spool->v[i].name, name))
			return &spool->v[i];
	return NULL;
}

void spool_release(struct spool *spool)
{
	size_t i;

	for (i = 0; i < spool->nr; i++)
		str_release(&spool->v[i].data);
	spool->nr = 0;
}

/* --- monitors ------------------------------------------------------------ */

/*
 * @to[i] is the file of monitors[i], NULL before its first byte; @on[i]: the
 * lines that follow belong to it; @ticked[i]: it has the current tick's line;
 * @room for all together.
 */
struct split {
	const char *const *monitors;
	size_t nr;
	struct spool *spool;
	struct spool_file *to[MAX_MONITORS];
	bool on[MAX_MONITORS];
	bool ticked[MAX_MONITORS];
	const char *tick;
	size_t tick_len;
	size_t room;
};

/* Whether the comma-separated list has @name. */
static bool list_has(const char *list, size_t len, const char *name)
{
	size_t name_len = strlen(name);
	const char *end = list + len;
	const char *comma;

	while (list < end) {
		comma = memchr(list, ',', (size_t)(end - list));
		if (!comma)
			comma = end;
		if ((size_t)(comma - list) == name_len &&
		    !memcmp(list, name, name_len))
			return true;
		list = comma + 1;
	}
	return false;
}

static void split_names(struct split *s, const char *list, size_t len)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		s->on[i] = list_has(list, len, s->monitors[i]);
}

static void split_tick(struct split *s, const char *line, size_t len)
{
	s->tick = line;
	s->tick_len = len;
	memset(s->on, 0, sizeof(s->on));
	memset(s->ticked, 0, sizeof(s->ticked));
}

static struct spool_file *split_file(struct split *s, size_t i)
{
	char name[sizeof(s->to[i]->name)] = "mon-";

	if (!s->to[i]) {
		strncat(name, s->monitors[i], sizeof(name) - 5);
		s->to[i] = add_file(s->spool, name, SPOOL_MON_MAX_BYTES);
	}
	return s->to[i];
}

static void split_content(struct split *s, const char *line, size_t len)
{
	struct spool_file *f;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		f = s->on[i] && s->tick ? split_file(s, i) : NULL;
		if (!f)
			continue;
		if (len + s->tick_len > s->room) {
			f->cut = true;
			continue;
		}
		s->room -= len;
		if (!s->ticked[i]) {
			s->room -= s->tick_len;
			str_addn(&f->data, s->tick, s->tick_len);
		}
		s->ticked[i] = true;
		str_addn(&f->data, line, len);
		f->cut |= f->data.cut;
	}
}

void spool_split(const char *text, size_t len, const char *const *monitors,
		 struct spool *spool)
{
	struct split s = { .monitors = monitors,
			   .spool = spool,
			   .room = SPLIT_MAX_BYTES };
	const char *end = text + len;
	const char *next;

	while (s.nr < MAX_MONITORS && monitors[s.nr])
		s.nr++;
	for (; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		len = (size_t)(next - text);
		if (len > 3 && text[0] == '@' && text[1] == ' ' &&
		    text[2] >= '0' && text[2] <= '9')
			split_tick(&s, text, len);
		else if (len > 3 && text[0] == '=' && text[1] == ' ')
			split_names(&s, text + 2, len - 3);
		else
			split_content(&s, text, len);
	}
}

/* --- kernel log ---------------------------------------------------------- */

const char *spool_new_dmesg(const char *text, const char *mark)
{
	size_t len = strcspn(mark, "\n");
	const char *after = text;
	const char *line;
	const char *end;

	if (!len)
		return text;
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if ((size_t)(end - line) == len && !memcmp(line, mark, len))
			after = *end ? end + 1 : end;
		end += *end != '\0';
	}
	return after;
}

void spool_last_line(const struct str *text, struct str *out)
{
	const char *end = text->p + text->len;
	struct str line = STR_INIT;
	const char *start;
	size_t i;

	while (end > text->p && strchr(" \t\r\n", end[-1]))
		end--;
	start = end;
	while (start > text->p && start[-1] != '\n')
		start--;
	if (end - start > MAX_LAST_BYTES)
		end = start + MAX_LAST_BYTES;
	str_addn(&line, start, (size_t)(end - start));
	for (i = 0; i < line.len; i++)
		if (!line.p[i])
			line.p[i] = '?';
	str_add_term(out, line.p, false);
	str_release(&line);
}

/* --- frames -------------------------------------------------------------- */

/* Where the frames stand, and the pieces that become other files. */
struct frames {
	const char *p;
	size_t left;
	const char *mon;
	size_t mon_len;
	bool mon_cut;
	struct str before;
	struct str after;
};

struct frame {
	char name[32];
	const char *data;
	size_t len;
	bool cut;
};

/* "NAME BYTES CUT" in the line of @len bytes at @p. */
static bool frame_header(const char *p, size_t len, struct frame *f)
{
	char line[96];
	unsigned long long bytes;
	char *size;
	char *cut;

	if (len >= sizeof(line))
		return false;
	memcpy(line, p, len);
	line[len] = '\0';
	size = strchr(line, ' ');
	cut = size ? strchr(size + 1, ' ') : NULL;
	if (!cut || (size_t)(size - line) >= sizeof(f->name))
		return false;
	*size++ = '\0';
	*cut++ = '\0';
	if (!str_to_u64(size, &bytes) || bytes > SPOOL_MON_MAX_BYTES)
		return false;
	memcpy(f->name, line, strlen(line) + 1);
	f->len = (size_t)bytes;
	f->cut = *cut == '1';
	return true;
}

/* The next frame: 1, 0 at "end", ERR_DATA. */
static int next_frame(struct frames *in, struct frame *out, struct err *err)
{
	const char *nl = memchr(in->p, '\n', in->left);
	size_t len = nl ? (size_t)(nl - in->p) : 0;

	if (nl && len == 3 && !memcmp(in->p, "end", 3))
		return 0;
	if (!nl || len < 6 || memcmp(in->p, "file ", 5) != 0 ||
	    !frame_header(in->p + 5, len - 5, out))
		return err_set(err, ERR_DATA,
			       "the files of the run came back broken");
	in->p += len + 1;
	in->left -= len + 1;
	if (out->len > in->left)
		return err_set(err, ERR_DATA,
			       "the files of the run came back cut off in %s",
			       out->name);
	out->data = in->p;
	in->p += out->len;
	in->left -= out->len;
	return 1;
}

/* Names on the box and what they are called here. */
static const char *const kept[][2] = {
	{ "stdout", "stdout" },
	{ "stderr", "stderr" },
	{ "workload.yaml", "workload.yaml" },
	{ "time.raw", "time" },
	{ "nodes", "nodes" },
};

static void take_frame(struct frames *in, const struct frame *f,
		       struct spool *out)
{
	struct spool_file *file;
	size_t i;

	if (!strcmp(f->name, "mon")) {
		in->mon = f->data;
		in->mon_len = f->len;
		in->mon_cut = f->cut;
	} else if (!strcmp(f->name, "dmesg.last")) {
		str_addn(&in->before, f->data, f->len);
	} else if (!strcmp(f->name, "dmesg.end")) {
		str_addn(&in->after, f->data, f->len);
	}
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		if (strcmp(f->name, kept[i][0]) != 0 ||
		    spool_find(out, kept[i][1]))
			continue;
		file = add_file(out, kept[i][1], SPOOL_FILE_MAX_BYTES);
		if (!file)
			return;
		str_addn(&file->data, f->data, f->len);
		file->cut = f->cut || file->data.cut;
	}
}

static void make_dmesg(struct frames *in, struct spool *out)
{
	struct spool_file *file = add_file(out, "dmesg", SPOOL_FILE_MAX_BYTES);

	if (file)
		str_add(&file->data,
			spool_new_dmesg(in->after.p, in->before.p));
}

int spool_parse(const char *text, size_t len, const char *const *monitors,
		struct spool *out, struct err *err)
{
	struct frames in = {
		.p = text, .left = len, .before = STR_INIT, .after = STR_INIT
	};
	struct frame f = { 0 };
	size_t i;
	int ret;

	out->nr = 0;
	in.before.max_bytes = in.after.max_bytes = SPOOL_FILE_MAX_BYTES;
	while ((ret = next_frame(&in, &f, err)) > 0)
		take_frame(&in, &f, out);
	if (!ret) {
		make_dmesg(&in, out);
		spool_split(in.mon, in.mon_len, monitors, out);
	}
	for (i = 0; in.mon_cut && i < out->nr; i++)
		if (str_starts(out->v[i].name, "mon-"))
			out->v[i].cut = true;
	str_release(&in.before);
	str_release(&in.after);
	return ret;
}
