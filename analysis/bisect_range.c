// SPDX-License-Identifier: GPL-3.0-or-later
// The commits of a record as one text. A record is written after every step and
// read before it; as JSON objects 50,000 commits are most of its bytes, and
// nearly all of its time.
//
// A line per commit, in the order of the history: its id, then for each parent
// how many lines above it stands, "wWEIGHT" where the prior isn't 1, "idle"
// where the commit can't matter.
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

#define TEXT_MAX_BYTES ((size_t)512 << 20)

/* An id that a line can hold. */
static bool is_word(const char *id)
{
	const unsigned char *p = (const unsigned char *)id;

	while (*p > ' ')
		p++;
	return p > (const unsigned char *)id && !*p;
}

static void add_line(const struct bisect *b, int pos, struct str *out)
{
	double weight = b->commits[pos].weight;
	const int *parents;
	int nr = history_parents(b->history, pos, &parents);
	int i;

	str_add(out, history_id(b->history, pos));
	for (i = 0; i < nr; i++) {
		/* no format to parse for the usual case */
		if (parents[i] == pos - 1)
			str_addn(out, " 1", 2);
		else
			str_addf(out, " %d", pos - parents[i]);
	}
	if (pos && weight <= 0)
		str_add(out, " idle");
	else if (pos && weight != 1)
		str_addf(out, " w%.17g", weight);
	str_addch(out, '\n');
}

json_t *bisect_range_to_json(const struct bisect *b)
{
	struct str text = STR_INIT;
	json_t *out = NULL;
	int pos;

	text.max_bytes = TEXT_MAX_BYTES;
	for (pos = 0; pos < b->nr; pos++) {
		if (!is_word(history_id(b->history, pos)))
			break;
		add_line(b, pos, &text);
	}
	if (pos == b->nr && !text.cut)
		out = json_stringn(text.p, text.len);
	str_release(&text);
	return out;
}

/* The next word of the line at *@at, NULL at its end; the text is cut. */
static char *next_word(char **at)
{
	char *word = *at;

	if (!*word || *word == '\n')
		return NULL;
	*at = word + strcspn(word, " \n");
	if (**at == ' ')
		*(*at)++ = '\0';
	return word;
}

/* What stands behind the id in line @i. */
static int read_word(struct bisect_range *r, size_t i, const char *word,
		     const char **parents)
{
	struct bisect_commit *c = &r->v[i];
	unsigned long long back;

	if (!strcmp(word, "idle")) {
		c->cannot_matter = true;
		return 0;
	}
	if (*word == 'w')
		return str_to_double(word + 1, &c->weight) && c->weight > 0
			       ? 0
			       : ERR_DATA;
	if (!str_to_u64(word, &back) || !back || back > i)
		return ERR_DATA;
	parents[c->commit.nr_parents++] = r->v[i - back].commit.id;
	return 0;
}

/* One line; the newline becomes the end of its last word. */
static int read_line(struct bisect_range *r, char **at, const char **parents)
{
	struct bisect_commit *c = &r->v[r->nr];
	char *id = *at;
	char *end = *at + strcspn(*at, "\n");
	char *word;
	int rc = 0;

	if (!*end)
		return ERR_DATA;
	*end = '\0';
	if (!next_word(at))
		return ERR_DATA;
	c->commit.id = id;
	c->commit.parents = parents;
	while (!rc && (word = next_word(at)))
		rc = read_word(r, r->nr, word, parents);
	r->nr += !rc;
	*at = end + 1;
	return rc;
}

int bisect_range_parse(const char *text, struct bisect_range *out,
		       struct err *err)
{
	struct bisect_range r = { .text = xstrdup(text) };
	size_t lines = 0;
	size_t words = 0;
	size_t n = 0;
	const char *p;
	char *at;

	for (p = text; *p; p++) {
		lines += *p == '\n';
		words += *p == ' ';
	}
	r.v = xcalloc(lines + 1, sizeof(*r.v));
	r.parents = xcalloc(words + 1, sizeof(*r.parents));
	for (at = r.text; *at;) {
		if (read_line(&r, &at, r.parents + n)) {
			bisect_range_release(&r);
			return err_set(err, ERR_DATA,
				       "bisect: line %zu of \"range\" is no "
				       "commit",
				       r.nr + 1);
		}
		n += r.v[r.nr - 1].commit.nr_parents;
	}
	*out = r;
	return 0;
}

void bisect_range_release(struct bisect_range *r)
{
	free(r->text);
	free(r->v);
	free(r->parents);
	r->text = NULL;
	r->v = NULL;
	r->parents = NULL;
}
