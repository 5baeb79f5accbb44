// SPDX-License-Identifier: GPL-3.0-or-later
// The commit-graph's chunks: fan-out, hashes, parents and levels, octopus
// edges. Read into memory, since a mapped file that shrinks would kill us.
#include "runners/repo_graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define SIGNATURE    0x43475048 /* CGPH */
#define CHUNK_FANOUT 0x4f494446 /* OIDF */
#define CHUNK_OIDS   0x4f49444c /* OIDL */
#define CHUNK_DATA   0x43444154 /* CDAT */
#define CHUNK_EDGES  0x45444745 /* EDGE */

#define HEADER_BYTES 8
#define ENTRY_BYTES  12 /* of the table of chunks */
#define FANOUT_BYTES 1024
#define DATA_BYTES   36 /* tree, two parents, level and date */

#define NO_PARENT 0x70000000u
#define MORE	  0x80000000u /* the rest of the number is a place in EDGE */
#define NR_MAX	  0x6fffffffu

#define CHAIN_MAX_BYTES 8192

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const unsigned char *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

static int damaged(const char *path, const char *what, struct err *err)
{
	return err_set(err, ERR_DATA, "%s: %s", path, what);
}

static int read_at(int fd, uint64_t from, void *out, size_t len)
{
	unsigned char *p = out;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ERR_IO;
		p += n;
		from += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* One chunk of @len bytes into memory of its own. */
static int read_chunk(int fd, uint64_t from, uint64_t len, unsigned char **out)
{
	if (*out || !len || len > REPO_GRAPH_MAX_BYTES)
		return ERR_DATA;
	*out = xmalloc(len);
	return read_at(fd, from, *out, len);
}

/* The chunks that matter; *@out_len: bytes of each. */
static int read_chunks(int fd, int nr, struct repo_graph_layer *l,
		       uint64_t out_len[4])
{
	static const uint32_t ids[4] = { CHUNK_FANOUT, CHUNK_OIDS, CHUNK_DATA,
					 CHUNK_EDGES };
	unsigned char **into[4] = { &l->fanout, &l->oids, &l->data, &l->edges };
	unsigned char table[256 * ENTRY_BYTES] = { 0 };
	int rc = read_at(fd, HEADER_BYTES, table,
			 (size_t)(nr + 1) * ENTRY_BYTES);
	int i;
	int k;

	for (i = 0; i < nr && !rc; i++) {
		const unsigned char *entry = table + (size_t)i * ENTRY_BYTES;
		uint64_t from = be64(entry + 4);
		uint64_t to = be64(entry + ENTRY_BYTES + 4);

		for (k = 0; k < 4 && !rc; k++) {
			if (be32(entry) != ids[k])
				continue;
			out_len[k] = to - from;
			rc = from > to
				     ? ERR_DATA
				     : read_chunk(fd, from, to - from, into[k]);
		}
	}
	return rc;
}

/* Whether the chunks' sizes fit each other, and the fan-out grows. */
static bool check_layer(struct repo_graph_layer *l, const uint64_t len[4])
{
	uint32_t last = 0;
	int i;

	if (len[0] != FANOUT_BYTES || !l->oids || !l->data)
		return false;
	for (i = 0; i < 256; i++) {
		uint32_t n = be32(l->fanout + (ptrdiff_t)i * 4);

		if (n < last)
			return false;
		last = n;
	}
	l->nr = last;
	l->nr_edges = (size_t)len[3] / 4;
	return last <= NR_MAX &&
	       len[1] == (uint64_t)last * REPO_GRAPH_RAW_BYTES &&
	       len[2] == (uint64_t)last * DATA_BYTES;
}

/* 1, 0 (a form that isn't for us), or an error. */
static int read_layer(int fd, const char *path, struct repo_graph_layer *l,
		      struct err *err)
{
	uint64_t len[4] = { 0, 0, 0, 0 };
	unsigned char head[HEADER_BYTES];
	int rc = read_at(fd, 0, head, sizeof(head));

	if (rc || be32(head) != SIGNATURE)
		return damaged(path, "not a commit-graph", err);
	/* version 1, hashes by SHA-1 */
	if (head[4] != 1 || head[5] != 1 || head[6] == 255)
		return 0;
	rc = read_chunks(fd, head[6], l, len);
	if (rc == ERR_IO)
		return damaged(path, "shorter than its chunks", err);
	if (rc || !check_layer(l, len))
		return damaged(path, "its chunks contradict each other", err);
	return 1;
}

static int add_layer(struct repo_graph *g, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct repo_graph_layer *l = &g->v[g->nr_layers];
	int rc;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_errno(err, ERR_IO, "%s", path);
	g->nr_layers++;
	rc = read_layer(fd, path, l, err);
	close(fd);
	if (rc <= 0)
		return rc;
	l->first = g->nr;
	g->nr += l->nr;
	return g->nr > NR_MAX ? damaged(path, "too many commits", err) : 1;
}

/* The files that "commit-graph-chain" lists, the lowest first. */
static int add_chain(struct repo_graph *g, const char *dir, struct err *err)
{
	char *path = file_join(dir, "objects/info/commit-graphs/"
				    "commit-graph-chain");
	struct str text = STR_INIT;
	char *save = NULL;
	char *line;
	int rc = file_read(path, CHAIN_MAX_BYTES, &text, NULL) ? 0 : 1;

	free(path);
	for (line = rc ? strtok_r(text.p, "\n", &save) : NULL; line && rc > 0;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strspn(line, "0123456789abcdef") != strlen(line) ||
		    g->nr_layers == REPO_GRAPH_MAX_LAYERS) {
			rc = 0;
			break;
		}
		path = xasprintf("%s/objects/info/commit-graphs/graph-%s.graph",
				 dir, line);
		rc = add_layer(g, path, err);
		free(path);
	}
	str_release(&text);
	return rc && !g->nr_layers ? 0 : rc;
}

/* Git doesn't believe the graph where the history was cut or patched. */
static bool is_altered(const char *dir)
{
	static const char *const files[] = { "shallow", "info/grafts" };
	bool altered = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = file_join(dir, files[i]);

		altered |= file_exists(path);
		free(path);
	}
	return altered;
}

int repo_graph_open(const char *dir, struct repo_graph *out, struct err *err)
{
	struct repo_graph g = { .nr = 0 };
	char *path;
	int rc;

	if (is_altered(dir))
		return 0;
	path = file_join(dir, "objects/info/commit-graph");
	rc = file_exists(path) ? add_layer(&g, path, err)
			       : add_chain(&g, dir, err);
	free(path);
	if (rc > 0)
		*out = g;
	else
		repo_graph_release(&g);
	return rc;
}

void repo_graph_release(struct repo_graph *g)
{
	int i;

	for (i = 0; i < g->nr_layers; i++) {
		free(g->v[i].fanout);
		free(g->v[i].oids);
		free(g->v[i].data);
		free(g->v[i].edges);
	}
	memset(g, 0, sizeof(*g));
}

static int nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Place of @raw in one file, or -1. */
static long find_in(const struct repo_graph_layer *l, const unsigned char *raw)
{
	uint32_t lo =
		raw[0] ? be32(l->fanout + (ptrdiff_t)(raw[0] - 1) * 4) : 0;
	uint32_t hi = be32(l->fanout + (ptrdiff_t)raw[0] * 4);

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int c = memcmp(raw,
			       l->oids + (size_t)mid * REPO_GRAPH_RAW_BYTES,
			       REPO_GRAPH_RAW_BYTES);

		if (!c)
			return mid;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

long repo_graph_find(const struct repo_graph *g, const char *sha)
{
	unsigned char raw[REPO_GRAPH_RAW_BYTES];
	int i;

	for (i = 0; i < REPO_GRAPH_RAW_BYTES; i++, sha += 2)
		raw[i] = (unsigned char)(nibble(sha[0]) << 4 | nibble(sha[1]));
	for (i = 0; i < g->nr_layers; i++) {
		long pos = find_in(&g->v[i], raw);

		if (pos >= 0)
			return pos + g->v[i].first;
	}
	return -1;
}

/* The file that commit @pos stands in; *@pos becomes its place there. */
static const struct repo_graph_layer *layer_of(const struct repo_graph *g,
					       uint32_t *pos)
{
	const struct repo_graph_layer *l = &g->v[g->nr_layers - 1];

	while (*pos < l->first)
		l--;
	*pos -= l->first;
	return l;
}

const unsigned char *repo_graph_oid(const struct repo_graph *g, uint32_t pos)
{
	const struct repo_graph_layer *l = layer_of(g, &pos);

	return l->oids + (size_t)pos * REPO_GRAPH_RAW_BYTES;
}

static const unsigned char *data_of(const struct repo_graph_layer *l,
				    uint32_t pos)
{
	return l->data + (size_t)pos * DATA_BYTES + REPO_GRAPH_RAW_BYTES;
}

uint32_t repo_graph_level(const struct repo_graph *g, uint32_t pos)
{
	const struct repo_graph_layer *l = layer_of(g, &pos);

	return be32(data_of(l, pos) + 8) >> 2;
}

/* The second and further parents of an octopus merge. */
static int more_parents(const struct repo_graph *g,
			const struct repo_graph_layer *l, size_t at,
			uint32_t *out, int max)
{
	int nr = 1;
	uint32_t p;

	do {
		if (at >= l->nr_edges)
			return ERR_DATA;
		p = be32(l->edges + 4 * at++);
		if ((p & ~MORE) >= g->nr)
			return ERR_DATA;
		if (nr < max)
			out[nr] = p & ~MORE;
		nr++;
	} while (!(p & MORE));
	return nr;
}

int repo_graph_parents(const struct repo_graph *g, uint32_t pos, uint32_t *out,
		       int max)
{
	const struct repo_graph_layer *l = layer_of(g, &pos);
	uint32_t first = be32(data_of(l, pos));
	uint32_t second = be32(data_of(l, pos) + 4);

	if (first == NO_PARENT)
		return 0;
	if (first >= g->nr || max < 2)
		return ERR_DATA;
	out[0] = first;
	if (second == NO_PARENT)
		return 1;
	if (second & MORE)
		return more_parents(g, l, second & ~MORE, out, max);
	if (second >= g->nr)
		return ERR_DATA;
	out[1] = second;
	return 2;
}
