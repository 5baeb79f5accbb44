// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about a booted box: see box/probe.sh for what is asked.
#include "runners/probe.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"
#include "base/mem.h"
#include "jobs/workload.h"

#define PROBE_TIMEOUT_S	   60
#define PROBE_MAX_BYTES	   ((size_t)256 << 10)
#define NOTES_MAX_BYTES	   ((size_t)64 << 10)
#define MAX_INVARIANTS	   200
#define MAX_VALUE_BYTES	   1000
#define NOTE_GNU_BUILD_ID  3 /* elf.h: NT_GNU_BUILD_ID */
#define MAX_BUILD_ID_BYTES 31

static uint32_t note_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

bool probe_build_id(const void *notes, size_t len, struct str *out)
{
	const unsigned char *p = notes;
	uint32_t name_len;
	uint32_t id_len;
	uint32_t i;
	size_t need;

	for (; len >= 12; p += need, len -= need) {
		name_len = note_u32(p);
		id_len = note_u32(p + 4);
		if (name_len > len || id_len > len)
			return false;
		need = 12 + ((size_t)(name_len + 3) & ~(size_t)3) +
		       ((size_t)(id_len + 3) & ~(size_t)3);
		if (need > len)
			return false;
		if (note_u32(p + 8) != NOTE_GNU_BUILD_ID || name_len != 4 ||
		    memcmp(p + 12, "GNU", 4) != 0)
			continue;
		if (!id_len || id_len > MAX_BUILD_ID_BYTES)
			return false;
		for (i = 0; i < id_len; i++)
			str_addf(out, "%02x", p[16 + i]);
		return true;
	}
	return false;
}

/* --- what probe.sh says -------------------------------------------------- */

/* The value of "KEY=" at the start of a line, appended to @out. */
static bool find_value(const char *text, const char *key, struct str *out)
{
	size_t key_len = strlen(key);
	size_t len;

	for (; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		if (len <= key_len || text[key_len] != '=' ||
		    strncmp(text, key, key_len) != 0)
			continue;
		str_addn(out, text + key_len + 1, len - key_len - 1);
		return true;
	}
	return false;
}

bool probe_has(const char *text, const char *program)
{
	struct str key = STR_INIT;
	struct str path = STR_INIT;
	bool has;

	str_addf(&key, "need.%s", program);
	has = find_value(text, key.p, &path) && path.len;
	str_release(&key);
	str_release(&path);
	return has;
}

/* A fact as printable text, cut to @size. */
static void fact_text(const char *text, const char *key, char *out, size_t size)
{
	struct str value = STR_INIT;
	struct str clean = STR_INIT;

	out[0] = '\0';
	if (find_value(text, key, &value)) {
		clean.max_bytes = size - 1;
		str_add_term(&clean, value.p, false);
		memcpy(out, clean.p, clean.len + 1);
	}
	str_release(&value);
	str_release(&clean);
}

static double fact_number(const char *text, const char *key)
{
	char word[64];
	double value;

	fact_text(text, key, word, sizeof(word));
	return str_to_double(word, &value) ? value : -1;
}

static json_t *value_to_json(const char *value, size_t len)
{
	char number[32];
	long long n;

	while (len && value[len - 1] == ' ')
		len--;
	if (len < 16) {
		memcpy(number, value, len);
		number[len] = '\0';
		if (str_to_i64(number, &n))
			return json_integer(n);
	}
	return json_text(value, len < MAX_VALUE_BYTES ? len : MAX_VALUE_BYTES);
}

/* A key of ours: small letters and '_', so that no fact or need passes. */
static bool is_key(const char *key, size_t len)
{
	return len && len < 64 &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyz_") == len;
}

json_t *probe_invariants(const char *text)
{
	json_t *all = json_object();
	char key[64];
	size_t len;
	size_t key_len;

	for (; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		key_len = strcspn(text, "=\n");
		if (key_len == len || !is_key(text, key_len) ||
		    json_object_size(all) == MAX_INVARIANTS)
			continue;
		memcpy(key, text, key_len);
		key[key_len] = '\0';
		json_object_set_new(
			all, key,
			value_to_json(text + key_len + 1, len - key_len - 1));
	}
	return all;
}

int probe_parse(const char *text, struct run_facts *out, struct err *err)
{
	double cpus = fact_number(text, "fact.nr_cpus");
	double nodes = fact_number(text, "fact.nodes");
	double memory = fact_number(text, "fact.memory_kib");
	double uptime = fact_number(text, "fact.uptime");

	fact_text(text, "fact.boot_id", out->boot_id, sizeof(out->boot_id));
	if (!(cpus >= 1 && cpus <= 65536) || !(nodes >= 1 && nodes <= 4096) ||
	    !(memory >= 1 && memory < 1e15) || !(uptime >= 0) ||
	    !out->boot_id[0])
		return err_set(err, ERR_INFRA,
			       "what the box says of itself makes no sense "
			       "(CPUs, nodes, memory, uptime or boot_id)");
	out->nr_cpus = (unsigned)cpus;
	out->nr_nodes = (unsigned)nodes;
	out->memory_kib = (long long)memory;
	out->uptime_s = uptime;
	fact_text(text, "fact.model", out->model, sizeof(out->model));
	fact_text(text, "fact.kernel", out->kernel, sizeof(out->kernel));
	out->invariants = probe_invariants(text);
	return 0;
}

void run_facts_release(struct run_facts *facts)
{
	json_decref(facts->invariants);
	facts->invariants = NULL;
}

/* --- asking -------------------------------------------------------------- */

static int check_build(struct remote *r, const struct run_spec *spec,
		       struct run_facts *out, struct err *err)
{
	static const char *const cat[] = { "cat", "/sys/kernel/notes", NULL };
	struct str notes = STR_INIT;
	struct str id = STR_INIT;
	int ret;

	notes.max_bytes = NOTES_MAX_BYTES;
	ret = remote_exec(r, cat, NULL, &notes, PROBE_TIMEOUT_S, err);
	if (ret < 0)
		goto out;
	probe_build_id(notes.p, notes.len, &id);
	snprintf(out->build_id, sizeof(out->build_id), "%s", id.p);
	ret = 0;
	if (*spec->build_id && strcmp(id.p, spec->build_id) != 0)
		ret = err_set(err, ERR_BOOT,
			      "box %s runs build-id %s, not %s: another kernel "
			      "booted than the one under test; check how boot "
			      "method %s brings it there",
			      r->box->name, id.len ? id.p : "(none)",
			      spec->build_id,
			      lab_boot_to_str(r->box->boot.method));
out:
	str_release(&notes);
	str_release(&id);
	return ret;
}

static int check_needs(struct remote *r, const struct job *job,
		       const char *const needs[4], const char *text,
		       struct err *err)
{
	size_t i;

	for (i = 0; i < 4 && needs[i]; i++)
		if (!probe_has(text, needs[i]))
			return err_set(err, ERR_INFRA,
				       "box %s has no %s (needed by workload "
				       "%s); install it there",
				       r->box->name, needs[i], job->workload);
	return 0;
}

static void add_simulated(const struct lab_box *box, json_t *invariants)
{
	if (box->boot.method == LAB_BOOT_QEMU && box->boot.icount >= 0)
		json_object_set_new(invariants, "simulated",
				    json_string("instruction count"));
	else if (box->boot.method == LAB_BOOT_QEMU)
		json_object_set_new(invariants, "simulated",
				    json_string("emulation"));
}

int probe_box(struct remote *r, const struct run_spec *spec,
	      struct run_facts *out, struct err *err)
{
	const struct embed_file *script = embed_find(embed_runners, "probe.sh");
	const char *needs[4] = { NULL };
	const char *words[8] = { "sh", "-s", "--" };
	struct str text = STR_INIT;
	size_t i;
	int ret;

	workload_needs(&spec->job, needs);
	for (i = 0; i < 4 && needs[i]; i++)
		words[3 + i] = needs[i];
	text.max_bytes = PROBE_MAX_BYTES;
	ret = check_build(r, spec, out, err);
	if (!ret)
		ret = remote_do(r, words, (const char *)script->data, &text,
				PROBE_TIMEOUT_S, err);
	if (!ret) {
		ret = probe_parse(text.p, out, err);
		if (ret)
			err_wrap(err, "box %s", r->box->name);
	}
	if (!ret) {
		add_simulated(r->box, out->invariants);
		ret = check_needs(r, &spec->job, needs, text.p, err);
	}
	str_release(&text);
	return ret;
}

int probe_again(struct remote *r, json_t *invariants, struct err *err)
{
	const struct embed_file *script =
		embed_find(embed_runners, "recheck.sh");
	static const char *const words[] = { "sh", "-s", NULL };
	long long before = json_opt_int(invariants, "throttled", -1);
	struct str text = STR_INIT;
	json_t *now;
	int ret;

	if (before < 0)
		return 0;
	text.max_bytes = PROBE_MAX_BYTES;
	ret = remote_do(r, words, (const char *)script->data, &text,
			PROBE_TIMEOUT_S, err);
	if (!ret) {
		now = probe_invariants(text.p);
		json_object_set_new(
			invariants, "throttled_in_runs",
			json_integer(json_opt_int(now, "throttled", before) -
				     before));
		json_decref(now);
	}
	str_release(&text);
	return ret;
}
