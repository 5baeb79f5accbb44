/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Git's commit-graph file, read as it stands on disk: the ancestry of a million
 * commits in a fraction of the time that walking the objects takes, or that the
 * git program takes to print it. Whoever can't use it asks git.
 * Source: gitformat-commit-graph(5).
 */
#ifndef RUNNERS_REPO_GRAPH_H
#define RUNNERS_REPO_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define REPO_GRAPH_MAX_LAYERS 64
#define REPO_GRAPH_MAX_BYTES  ((size_t)1 << 30) /* of one chunk */
#define REPO_GRAPH_RAW_BYTES  20		/* of a hash */

/* One file of a chain; owned by the struct it is in. */
struct repo_graph_layer {
	uint32_t nr, first; /* commits in it, and in the files below */
	unsigned char *fanout;
	unsigned char *oids;
	unsigned char *data;
	unsigned char *edges; /* of octopus merges; may be NULL */
	size_t nr_edges;
};

struct repo_graph {
	struct repo_graph_layer v[REPO_GRAPH_MAX_LAYERS];
	int nr_layers;
	uint32_t nr;
};

/*
 * Read the graph of the repository whose common folder is @dir (".git" or a
 * bare repository). 1: @out is to be released. 0: there is none that holds for
 * this repository (no file, grafts, a shallow clone, SHA-256, an older form).
 * ERR_DATA: it contradicts itself; ERR_IO.
 */
int repo_graph_open(const char *dir, struct repo_graph *out, struct err *err);
void repo_graph_release(struct repo_graph *g);

/* Number of a commit (40 hex digits), or -1 when the graph lacks it. */
long repo_graph_find(const struct repo_graph *g, const char *sha);
/* The raw hash; borrowed. */
const unsigned char *repo_graph_oid(const struct repo_graph *g, uint32_t pos);
/* Topological level: above that of every parent. 0: not known. */
uint32_t repo_graph_level(const struct repo_graph *g, uint32_t pos);
/*
 * Parents of a commit: how many, the first @max of them in @out. ERR_DATA when
 * the graph is damaged.
 */
int repo_graph_parents(const struct repo_graph *g, uint32_t pos, uint32_t *out,
		       int max);

#endif
