// SPDX-License-Identifier: GPL-3.0-or-later
// Backend null: no box, results by the script of the lab file. For tests and
// crash campaigns of everything above: it keeps the promises of a real box
// (fencing token, no two runs at once) and writes a log that can prove it.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/sha256.h"
#include "runners/backend.h"
#include "runners/probe.h"

#define STEP_MS		20
#define LOCK_TIMEOUT_S	60
#define LIST_MAX_BYTES	((size_t)16 << 20)
#define TOKEN_MAX_BYTES ((size_t)4096)

/* @lock_fd is held while this attempt has the box, -1 without a log. */
struct null_box {
	int lock_fd;
	double boot_shift;
	bool slow;
};

static const struct lab_script *script_of(const struct run *run)
{
	return &run->spec->box.script;
}

static bool has_log(const struct run *run)
{
	return *script_of(run)->log != '\0';
}

/* --- numbers ------------------------------------------------------------- */

/* A standard normal number that depends on nothing but its arguments. */
static double normal_of(const struct run *run, const char *what, long long n)
{
	struct str key = STR_INIT;
	char hex[SHA256_HEX_BYTES];
	struct rand r;
	double value;

	str_addf(&key, "%lld %s %lld %s %lld", script_of(run)->seed,
		 run->spec->commit, run->spec->attempt, what, n);
	sha256_hex(key.p, key.len, hex);
	hex[16] = '\0';
	rand_seed(&r, strtoull(hex, NULL, 16));
	value = rand_normal(&r);
	str_release(&key);
	return value;
}

static bool is_prefix(const char *prefix, size_t len, const char *commit)
{
	return len >= 4 && !strncmp(prefix, commit, len);
}

/* Whether the commit is listed, in the script or in its file. */
static bool is_slow(const struct run *run)
{
	const struct lab_script *script = script_of(run);
	struct str text = STR_INIT;
	bool slow = false;
	const char *line;
	size_t len;
	size_t i;

	for (i = 0; i < script->slow.nr; i++)
		slow |= is_prefix(script->slow.v[i], strlen(script->slow.v[i]),
				  run->spec->commit);
	if (*script->slow_file)
		file_read(script->slow_file, LIST_MAX_BYTES, &text, NULL);
	for (line = text.p; *line; line += len + (line[len] != '\0')) {
		len = strcspn(line, "\n");
		slow |= is_prefix(line, len, run->spec->commit);
	}
	str_release(&text);
	return slow;
}

/* The metric that a report of this job would be about. */
static void add_metrics(struct run *run, int seq, struct run_sample *out)
{
	const struct lab_script *script = script_of(run);
	const struct null_box *box = run->priv;
	const struct job *job = &run->spec->job;
	const char *test = job_param(job, "test");
	double value = script->mean;
	long long i;

	if (box->slow)
		value *= 1 - script->slow_pct / 100;
	value += script->mean * script->drift_pct / 100 *
		 (double)run->spec->attempt;
	value += box->boot_shift + script->sd * normal_of(run, "run", seq);
	metric_add(&out->set, value, "%s%s%s.ops_per_sec",
		   *job->workload ? job->workload : job->testcase,
		   test ? "." : "", test ? test : "");
	for (i = 0; i < script->metrics; i++)
		metric_add(
			&out->set,
			1000 + 10 * normal_of(run, "more", seq * 100000LL + i),
			"null.metric_%05lld", i);
	metric_set_sort(&out->set);
}

/* --- the log ------------------------------------------------------------- */

/* One line, on disk when this returns: a checker reads it after a crash. */
static int log_event(struct run *run, const char *event, int seq,
		     struct err *err)
{
	const struct run_spec *spec = run->spec;
	struct str line = STR_INIT;
	json_t *j;
	int ret;
	int fd;

	if (!has_log(run))
		return 0;
	j = json_object();
	json_object_set_new(j, "event", json_string(event));
	json_object_set_new(j, "box", json_string(spec->box.name));
	json_object_set_new(j, "job", json_string(spec->job.path));
	json_object_set_new(j, "commit", json_string(spec->commit));
	json_object_set_new(j, "attempt", json_integer(spec->attempt));
	json_object_set_new(j, "token", json_string(spec->token));
	json_object_set_new(j, "seq", json_integer(seq));
	json_object_set_new(j, "pid", json_integer(getpid()));
	json_object_set_new(j, "mono_ns", json_integer(clock_mono_ns()));
	json_add_text(&line, j);
	json_decref(j);
	str_addch(&line, '\n');
	fd = open(spec->box.script.log,
		  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		ret = err_errno(err, ERR_IO, "%s", spec->box.script.log);
	else
		ret = file_write_all(fd, line.p, line.len, err);
	if (!ret && fsync(fd))
		ret = err_errno(err, ERR_IO, "%s", spec->box.script.log);
	if (fd >= 0)
		close(fd);
	str_release(&line);
	return ret;
}

static long long count_failures(struct run *run)
{
	struct str text = STR_INIT;
	const char *at;
	long long nr = 0;

	file_read(script_of(run)->log, LIST_MAX_BYTES, &text, NULL);
	for (at = text.p; (at = strstr(at, "\"event\":\"fail\"")); at++)
		nr++;
	str_release(&text);
	return nr;
}

/* --- fencing ------------------------------------------------------------- */

static char *side_file(const struct run *run, const char *suffix)
{
	return xasprintf("%s.%s", script_of(run)->log, suffix);
}

/* Attempt and token that have the box, from the token file. */
static bool read_token(const struct run *run, long long *attempt,
		       char token[65])
{
	char *path = side_file(run, "token");
	struct str text = STR_INIT;
	char *blank = NULL;
	bool ok = false;

	if (!file_read(path, TOKEN_MAX_BYTES, &text, NULL))
		blank = strchr(text.p, ' ');
	if (blank) {
		str_rtrim(&text);
		*blank++ = '\0';
		ok = str_to_i64(text.p, attempt) && strlen(blank) <= 64;
	}
	if (ok)
		memcpy(token, blank, strlen(blank) + 1);
	str_release(&text);
	free(path);
	return ok;
}

static bool is_current(const struct run *run)
{
	long long attempt;
	char token[65];

	return !has_log(run) || (read_token(run, &attempt, token) &&
				 !strcmp(token, run->spec->token));
}

static int write_token(const struct run *run, struct err *err)
{
	char *path = side_file(run, "token");
	struct str text = STR_INIT;
	int ret;

	str_addf(&text, "%lld %s\n", run->spec->attempt, run->spec->token);
	ret = file_write_atomic(path, text.p, text.len, 0644, err);
	str_release(&text);
	free(path);
	return ret;
}

/* Wait until the attempt before has seen that its token is old, and ended. */
static int take_lock(struct run *run, const char *path, struct err *err)
{
	struct null_box *box = run->priv;
	long long end_ns = clock_mono_ns() + LOCK_TIMEOUT_S * 1000000000LL;
	int fd;

	while ((fd = file_lock(path, err)) == ERR_BUSY) {
		if (clock_mono_ns() > end_ns || task_stopped())
			return err_set(err, ERR_INFRA,
				       "box %s: an older attempt doesn't end",
				       run->spec->box.name);
		clock_sleep_ms(STEP_MS);
	}
	if (fd < 0)
		return fd;
	box->lock_fd = fd;
	return 0;
}

static int claim(struct run *run, struct err *err)
{
	char *lock = side_file(run, "lock");
	long long attempt = 0;
	char token[65];
	int ret = 0;

	if (file_lock_held(lock, NULL) == 1 &&
	    read_token(run, &attempt, token) && attempt > run->spec->attempt)
		ret = err_set(
			err, ERR_INFRA,
			"box %s: can't be taken: attempt %lld runs, which "
			"is newer than %lld",
			run->spec->box.name, attempt, run->spec->attempt);
	if (!ret)
		ret = write_token(run, err);
	if (!ret)
		ret = take_lock(run, lock, err);
	free(lock);
	return ret;
}

/* --- the backend --------------------------------------------------------- */

static int scripted_failure(struct run *run, int seq, struct err *err)
{
	const struct lab_script *script = script_of(run);
	int code = err_code_from_str(script->fail_kind);

	if (script->fail_at != seq)
		return 0;
	if (script->fail_times && has_log(run) &&
	    count_failures(run) >= script->fail_times)
		return 0;
	if (log_event(run, "fail", seq, err))
		return ERR_IO;
	if (code == ERR_BOOT)
		return err_set(err, code,
			       "box %s: kernel %.12s did not reach SSH "
			       "(scripted)",
			       run->spec->box.name, run->spec->commit);
	return err_set(err, code, "box %s: run %d failed (scripted %s)",
		       run->spec->box.name, seq, script->fail_kind);
}

/* What the script wants it to say, and that it is none. */
static json_t *null_invariants(const struct run *run)
{
	const char *path = script_of(run)->says_file;
	struct str text = STR_INIT;
	json_t *said;

	if (*path)
		file_read(path, LIST_MAX_BYTES, &text, NULL);
	said = probe_invariants(text.p);
	json_object_set_new(said, "simulated", json_string("null box"));
	str_release(&text);
	return said;
}

static void fill_facts(const struct run *run, struct run_facts *out)
{
	const struct run_spec *spec = run->spec;

	snprintf(out->boot_id, sizeof(out->boot_id), "null-%lld-%.8s",
		 spec->attempt, spec->token);
	snprintf(out->build_id, sizeof(out->build_id), "%s", spec->build_id);
	snprintf(out->model, sizeof(out->model), "null box");
	snprintf(out->kernel, sizeof(out->kernel), "%.12s", spec->commit);
	out->booted_s = clock_wall_s();
	out->nr_cpus =
		(unsigned)(spec->box.boot.cpus > 0 ? spec->box.boot.cpus : 1);
	out->nr_nodes =
		(unsigned)(spec->box.boot.nodes > 0 ? spec->box.boot.nodes : 1);
	out->memory_kib = spec->box.boot.memory_mib * 1024;
	out->invariants = null_invariants(run);
}

static int null_open(struct run *run, struct run_facts *out, struct err *err)
{
	struct null_box *box = xcalloc(1, sizeof(*box));
	int ret = 0;

	run->priv = box;
	box->lock_fd = -1;
	run_progress(run, "booting", run->spec->box.name);
	if (has_log(run))
		ret = claim(run, err);
	if (!ret && !strcmp(script_of(run)->fail_kind, "boot") &&
	    script_of(run)->fail_at >= 0)
		ret = scripted_failure(run, (int)script_of(run)->fail_at, err);
	if (ret)
		return ret;
	box->slow = is_slow(run);
	box->boot_shift = script_of(run)->boot_sd * normal_of(run, "boot", 0);
	fill_facts(run, out);
	return 0;
}

/* Sleep as the script wants it, ready to be stopped, fenced or timed out. */
static int spend_time(struct run *run, int seq, struct err *err)
{
	const struct lab_script *script = script_of(run);
	bool hangs = script->hang_at == seq;
	double limit_ms = run->spec->timeout_s * 1000;
	long long ms;

	for (ms = 0; hangs || ms < script->sleep_ms; ms += STEP_MS) {
		if (task_stopped())
			return err_set(err, ERR_INFRA, "stopped in run %d",
				       seq);
		if (!is_current(run))
			return err_set(err, ERR_INFRA,
				       "box %s: run %d was ended by a newer "
				       "attempt",
				       run->spec->box.name, seq);
		if ((double)ms >= limit_ms)
			return err_set(err, ERR_TIMEOUT,
				       "box %s: %s did not end within %.0f s "
				       "(run %d) and was killed; raise "
				       "timeout_s if it needs longer",
				       run->spec->box.name,
				       run->spec->job.testcase,
				       run->spec->timeout_s, seq);
		clock_sleep_ms(STEP_MS);
	}
	return 0;
}

static int null_exec(struct run *run, int seq, struct run_sample *out,
		     struct err *err)
{
	struct err why = { 0 };
	int ret;
	int ended;

	out->started_s = clock_wall_s();
	out->seconds = (double)script_of(run)->sleep_ms / 1000;
	ret = log_event(run, "start", seq, err);
	if (ret)
		return ret;
	ret = spend_time(run, seq, err);
	if (!ret && strcmp(script_of(run)->fail_kind, "boot") != 0)
		ret = scripted_failure(run, seq, &why);
	ended = log_event(run, "end", seq, err);
	if (ret == ERR_BENCH) {
		out->failed = true;
		memcpy(out->why, why.text, sizeof(out->why));
		metric_fail(&out->set, "last_state.exit_fail");
		return ended;
	}
	if (why.code)
		return err_set(err, why.code, "%s", why.text);
	if (!ret && !ended)
		add_metrics(run, seq, out);
	return ret ? ret : ended;
}

static void null_close(struct run *run)
{
	struct null_box *box = run->priv;

	if (!box)
		return;
	if (box->lock_fd >= 0)
		close(box->lock_fd);
	free(box);
	run->priv = NULL;
}

const struct backend backend_null = {
	.name = "null",
	.open = null_open,
	.exec = null_exec,
	.close = null_close,
};
