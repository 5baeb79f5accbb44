// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The option table for people: the settings in force, the commented example
 * file, the reference page.
 */
#include <stdlib.h>
#include <string.h>

#include "configs/options.h"
#include "configs/options_table.h"

static const char *origin_of(void *arg, size_t row)
{
	return ((char *const *)arg)[row];
}

void config_dump(const struct config *cfg, bool origins, struct str *out)
{
	struct fields_writer w = { .table = &options_table,
				   .base = cfg,
				   .note = origins ? origin_of : NULL,
				   .arg = cfg->origins };

	fields_write(&w, out);
	str_add(out, cfg->nr_repos ? "repos:" : "repos: []");
	if (origins)
		str_addf(out, " # %s", cfg->origins[options_table.nr]);
	str_addch(out, '\n');
	for (size_t i = 0; i < cfg->nr_repos; i++) {
		struct fields_writer r = { .table = &options_repo_table,
					   .base = &cfg->repos[i],
					   .indent = 4 };
		size_t start = out->len;

		fields_write(&r, out);
		if (!out->cut)
			memcpy(out->p + start, "  - ", 4);
	}
}

json_t *config_to_json(const struct config *cfg)
{
	json_t *root = json_object();
	json_t *repos = json_array();

	for (size_t i = 0; i < options_table.nr; i++)
		json_object_set_new(
			root, options_table.v[i].key,
			json_pack("{s:o,s:s}", "value",
				  field_json(&options_table.v[i], cfg),
				  "origin", cfg->origins[i]));
	for (size_t i = 0; i < cfg->nr_repos; i++)
		json_array_append_new(repos, fields_to_json(&options_repo_table,
							    &cfg->repos[i]));
	json_object_set_new(root, "repos",
			    json_pack("{s:o,s:s}", "value", repos, "origin",
				      cfg->origins[options_table.nr]));
	return root;
}

/* @text as comment lines of at most 76 columns. */
static void comment(struct str *out, int indent, const char *text)
{
	size_t col = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!col || col + 1 + n > 76) {
			str_addf(out, "%s%*s# ", col ? "\n" : "", indent, "");
			col = (size_t)indent + 2;
		} else {
			str_addch(out, ' ');
			col++;
		}
		str_addn(out, text, n);
		col += n;
		text += n + (text[n] == ' ');
	}
	str_addch(out, '\n');
}

/* The example of a row as YAML: read through its own type, so it is valid. */
static void example_value(const struct field *f, struct str *out)
{
	const char *text = f->example ? f->example : f->def;
	union {
		struct config cfg;
		struct config_repo repo;
	} u;
	struct fields one = { f, 1, "" };
	struct err err = { 0 };

	memset(&u, 0, sizeof(u));
	fields_init(&one, &u);
	if (field_set(f, &u, text, f->key, &err))
		abort();
	field_yaml(f, &u, out);
	fields_release(&one, &u);
}

static void example_rows(struct str *out, const struct fields *t, int indent,
			 const char *mark)
{
	const char *group = "";
	size_t glen = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct field *f = &t->v[i];
		const char *dot = strchr(f->key, '.');
		size_t len = dot ? (size_t)(dot - f->key) : 0;

		if (len && (len != glen || strncmp(group, f->key, len) != 0))
			str_addf(out, "\n%.*s:\n", (int)len, f->key);
		else if (i && !len && !indent)
			str_addch(out, '\n');
		group = f->key;
		glen = len;
		comment(out, indent + (len ? 2 : 0), f->help);
		str_addf(out, "%*s%s%s: ", indent + (len ? 2 : 0), "", mark,
			 dot ? dot + 1 : f->key);
		example_value(f, out);
		str_addch(out, '\n');
	}
}

void config_example(struct str *out)
{
	str_add(out,
		"# Settings of Drover. Read from /etc/drover/drover.yaml, then "
		"from\n# $XDG_CONFIG_HOME/drover/drover.yaml (or only from "
		"$DROVER_CONFIG), then\n# from DROVER_* variables, then from "
		"--set key=value; the last one wins.\n# What a '#' without a "
		"blank hides is an example or the default.\n\n");
	example_rows(out, &options_table, 0, "#");
	str_add(out, "\n# The watched source trees.\nrepos:\n#-\n");
	example_rows(out, &options_repo_table, 4, "#");
}

static void reference_row(struct str *out, const struct field *f, bool env)
{
	char name[64];

	str_addf(out, "### `%s`\n\n%s\n\n- type: ", f->key, f->help);
	field_type_text(f, out);
	if (f->min != 0 || f->max != 0)
		str_addf(out, ", %.15g to %.15g", f->min, f->max);
	if (f->type == FIELD_DURATION && f->max != 0)
		str_add(out, " seconds");
	if (*f->def)
		str_addf(out, "\n- default: `%s`\n", f->def);
	else
		str_add(out, "\n- default: empty\n");
	if (f->example)
		str_addf(out, "- example: `%s`\n", f->example);
	if (env) {
		options_env_name(f->key, name);
		str_addf(out, "- environment: `%s`\n", name);
	}
	str_addch(out, '\n');
}

void config_reference(struct str *out)
{
	str_add(out, "# Options\n\nMade by `drover config --reference` from "
		     "`configs/options_table.c`.\nNested keys are written "
		     "with a dot here and on the command line\n(`--set "
		     "mail.host=…`), as maps in the file.\n\n");
	for (size_t i = 0; i < options_table.nr; i++)
		reference_row(out, &options_table.v[i], true);
	str_add(out, "## Entries of `repos`\n\n");
	for (size_t i = 0; i < options_repo_table.nr; i++)
		reference_row(out, &options_repo_table.v[i], false);
}
