// SPDX-License-Identifier: GPL-3.0-or-later
// Tables, durations and text for the terminal.
#include "cli/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/args.h"

#define SHA_SHOWN 12

void show_add_duration(struct str *out, long long seconds)
{
	if (seconds < 0)
		str_add(out, "-");
	else if (seconds < 60)
		str_addf(out, "%lld s", seconds);
	else if (seconds < 3600)
		str_addf(out, "%lld min %02lld s", seconds / 60, seconds % 60);
	else
		str_addf(out, "%lld h %02lld min", seconds / 3600,
			 seconds % 3600 / 60);
}

/* Characters, as far as columns go: UTF-8 continuation bytes don't count. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void show_cut(struct str *s, size_t max_width)
{
	struct str cut = STR_INIT;
	const char *p = s->p;
	size_t n = 0;

	if (!max_width || width_of(s->p) <= max_width)
		return;
	while (*p && n + 1 < max_width) {
		do
			str_addch(&cut, *p++);
		while (((unsigned char)*p & 0xc0) == 0x80);
		n++;
	}
	str_add(&cut, "…");
	str_release(s);
	*s = cut;
}

static void cell_text(struct str *out, const json_t *row,
		      const struct show_column *c)
{
	const json_t *v = json_object_get(row, c->key);
	char iso[CLOCK_ISO_BYTES];

	if (!v || json_is_null(v)) {
		str_add(out, "-");
	} else if (c->kind == SHOW_DURATION && json_is_number(v)) {
		show_add_duration(out, (long long)json_number_value(v));
	} else if (c->kind == SHOW_PROBABILITY && json_is_number(v)) {
		str_add_probability(out, json_number_value(v));
	} else if (c->kind == SHOW_TIME && json_is_number(v)) {
		clock_to_iso((long long)json_number_value(v), iso);
		str_add(out, iso);
	} else if (json_is_integer(v)) {
		str_addf(out, "%lld", (long long)json_integer_value(v));
	} else if (json_is_real(v)) {
		str_addf(out, "%.4g", json_real_value(v));
	} else if (json_is_string(v)) {
		str_add_term(out, json_string_value(v), false);
		if (c->kind == SHOW_SHA)
			out->p[out->len > SHA_SHOWN ? out->len = SHA_SHOWN
						    : out->len] = '\0';
	} else {
		json_add_text(out, v);
	}
	show_cut(out, c->max_width);
}

static void add_cell(struct str *line, const char *text, size_t width,
		     bool right)
{
	size_t pad = width - width_of(text);

	str_addf(line, "%s%*s", line->len ? "  " : "", right ? (int)pad : 0,
		 "");
	str_addf(line, "%s%*s", text, right ? 0 : (int)pad, "");
}

static void print_row(const struct str *cells, const size_t *width,
		      const struct show_column *columns, size_t nr)
{
	struct str line = STR_INIT;
	size_t k;

	for (k = 0; k < nr; k++)
		add_cell(&line, cells[k].p, width[k], columns[k].right);
	str_rtrim(&line);
	puts(line.p);
	str_release(&line);
}

void show_table(const json_t *rows, const struct show_column *columns,
		size_t nr, const char *nothing)
{
	size_t nr_rows = json_array_size(rows);
	struct str *cells = xcalloc((nr_rows + 1) * nr, sizeof(*cells));
	size_t width[SHOW_MAX_COLUMNS] = { 0 };
	size_t i;
	size_t k;

	if (!nr_rows) {
		puts(nothing);
		free(cells);
		return;
	}
	for (i = 0; i <= nr_rows; i++) {
		for (k = 0; k < nr; k++) {
			struct str *cell = &cells[i * nr + k];

			str_init(cell);
			if (i)
				cell_text(cell, json_array_get(rows, i - 1),
					  &columns[k]);
			else
				str_add(cell, columns[k].title);
			if (width_of(cell->p) > width[k])
				width[k] = width_of(cell->p);
		}
	}
	for (i = 0; i <= nr_rows; i++)
		print_row(&cells[i * nr], width, columns, nr);
	for (i = 0; i < (nr_rows + 1) * nr; i++)
		str_release(&cells[i]);
	free(cells);
}

void show_json(const json_t *value)
{
	struct str text = STR_INIT;

	json_add_text(&text, value);
	puts(text.p);
	str_release(&text);
}

void show_text(const char *text)
{
	struct str safe = STR_INIT;

	str_add_term(&safe, text, true);
	fputs(safe.p, stdout);
	if (safe.len && safe.p[safe.len - 1] != '\n')
		putchar('\n');
	str_release(&safe);
}

size_t show_columns(FILE *out)
{
	struct winsize w;

	if (!isatty(fileno(out)))
		return 0;
	if (!ioctl(fileno(out), TIOCGWINSZ, &w) && w.ws_col > 20)
		return w.ws_col;
	return 80;
}

void show_add_wrapped(struct str *out, const char *text, size_t indent,
		      size_t width)
{
	size_t at = indent;

	while (*text) {
		size_t len = strcspn(text, " ");
		struct str word = STR_INIT;
		size_t cols;

		str_addn(&word, text, len);
		cols = width_of(word.p);
		text += len + (text[len] == ' ');
		if (width && at > indent && at + 1 + cols > width) {
			str_addf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			str_addch(out, ' ');
			at++;
		}
		str_add(out, word.p);
		at += cols;
		str_release(&word);
	}
}

void show_sentence(FILE *out, const char *text, size_t indent)
{
	struct str safe = STR_INIT;
	struct str lines = STR_INIT;
	size_t width = show_columns(out);

	str_add_term(&safe, text, false);
	if (width)
		show_add_wrapped(&lines, safe.p, indent, width);
	else
		str_add(&lines, safe.p);
	if (lines.len)
		fprintf(out, "%s\n", lines.p);
	str_release(&safe);
	str_release(&lines);
}

void show_warnings(const json_t *sentences)
{
	const json_t *item;
	size_t i;

	if (args_common.quiet)
		return;
	json_array_foreach(sentences, i, item)
	{
		fputs("warning: ", stderr);
		show_sentence(stderr, json_string_value(item), 9);
	}
}

bool show_is_terminal(void)
{
	const char *term = getenv("TERM");

	if (!strcmp(args_common.color, "always"))
		return true;
	return strcmp(args_common.color, "never") != 0 && !getenv("NO_COLOR") &&
	       isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}
