// SPDX-License-Identifier: GPL-3.0-or-later
// drover-pages: make the static pages out of the database. Reads the database
// only; the same database gives the same tree, byte for byte; what did not
// change is not written; nothing is ever removed.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "web-static/page.h"
#include "web-static/site.h"

static const struct {
	const char *name;
	int (*make)(struct site *site, struct err *err);
} kinds[] = {
	{ "comparisons", page_comparison_make },
	{ "bisections", page_bisect_make },
	{ "regressions", page_regression_make },
	{ "jobs", page_job_make },
	{ "commits", page_commit_make },
	{ "boxes", page_box_make },
	{ "help", page_help_make },
	{ "feed", page_feed_make },
	/* last, so that it never links to what isn't there yet */
	{ "index", page_index_make },
};

static const char usage[] =
	"usage: drover-pages --db FILE --out DIR [--base-url URL] [--all]\n"
	"\n"
	"Make the static pages of the database FILE in the folder DIR.\n"
	"  --base-url URL  address of DIR as readers reach it, for the feed\n"
	"  --all           make every page, not only what changed\n"
	"  --verbose       say how many files were made and written\n";

static int make_pages(struct site *site, struct err *err)
{
	int rc = site_open(site, err);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !rc; i++) {
		rc = kinds[i].make(site, err);
		if (rc)
			err_wrap(err, "%s", kinds[i].name);
	}
	return rc ? rc : site_finish(site, err);
}

struct args {
	const char *db;
	const char *out;
	const char *base_url;
	bool all;
	bool verbose;
};

/* 0, 1 for --help, or ERR_USAGE. */
static int parse_args(int argc, char **argv, struct args *args)
{
	static const struct option options[] = {
		{ "db", required_argument, NULL, 'd' },
		{ "out", required_argument, NULL, 'o' },
		{ "base-url", required_argument, NULL, 'u' },
		{ "all", no_argument, NULL, 'a' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			args->db = optarg;
			break;
		case 'o':
			args->out = optarg;
			break;
		case 'u':
			args->base_url = optarg;
			break;
		case 'a':
			args->all = true;
			break;
		case 'v':
			args->verbose = true;
			break;
		case 'h':
			return 1;
		default:
			return ERR_USAGE;
		}
	}
	return args->db && args->out && optind == argc ? 0 : ERR_USAGE;
}

/* @url ending in '/', "" for none; owned by the caller. */
static char *with_slash(const char *url)
{
	struct str s = STR_INIT;

	str_add(&s, url);
	if (s.len && s.p[s.len - 1] != '/')
		str_addch(&s, '/');
	return str_detach(&s);
}

int main(int argc, char **argv)
{
	struct args args = { .base_url = "" };
	struct site site = { 0 };
	struct err err = { 0 };
	char *base_url;
	int rc = parse_args(argc, argv, &args);

	if (rc) {
		fputs(usage, rc > 0 ? stdout : stderr);
		return rc > 0 ? 0 : err_exit_code(rc);
	}
	base_url = with_slash(args.base_url);
	site.out_dir = args.out;
	site.base_url = base_url;
	site.all = args.all;
	rc = db_open(args.db, DB_READ, &site.db, &err);
	if (!rc)
		rc = make_pages(&site, &err);
	if (rc)
		fprintf(stderr, "drover-pages: %s\n", err.text);
	else if (args.verbose)
		fprintf(stderr, "drover-pages: %zu files made, %zu written\n",
			site.nr_made, site.nr_written);
	site_release(&site);
	db_close(&site.db);
	free(base_url);
	return err_exit_code(rc);
}
