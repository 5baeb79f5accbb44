// SPDX-License-Identifier: GPL-3.0-or-later
// The table of boot methods, and what they share: waiting for the new boot.
#include "runners/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/ssh.h"

#define HOOK_TIMEOUT_MS 600000
#define HOOK_MAX_WORDS	64
#define POLL_MS		500

static const struct boot_method *const rows[] = {
	[LAB_BOOT_NONE] = &boot_none,
	[LAB_BOOT_QEMU] = &boot_qemu,
	[LAB_BOOT_KEXEC] = &boot_kexec,
	[LAB_BOOT_COMMAND] = &boot_command,
};

/* The running kernel is what is measured: nothing to start, nothing to end. */
static int start_none(struct boot *b, struct err *err)
{
	(void)b;
	(void)err;
	return 0;
}

const struct boot_method boot_none = {
	.name = "none",
	.start = start_none,
};

const struct boot_method *boot_find(enum lab_boot method)
{
	return rows[method];
}

const char *boot_kernel_name(const struct boot *b)
{
	static char name[32];

	snprintf(name, sizeof(name), "kernel %.12s", b->run->spec->commit);
	return name;
}

/* It answers as before: the kernel under test never had its turn. */
static int not_rebooted(const struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;

	return err_set(err, ERR_INFRA,
		       "box %s still answers in its old boot %.0f s after it "
		       "was told to reboot; check how boot method %s does that "
		       "in the lab file",
		       spec->box.name, spec->boot_timeout_s, b->method->name);
}

/*
 * Connect until the box answers in another boot than the old one. A box that
 * is going down may still answer for a while.
 */
static int wait_boot(struct boot *b, struct err *err)
{
	double left_s;
	char id[40];
	int ret;

	for (;;) {
		left_s = (double)(b->deadline_ns - clock_mono_ns()) / 1e9;
		if (b->old_boot_id[0] && (left_s <= 0 || task_stopped()))
			return not_rebooted(b, err);
		ret = remote_connect(b->remote, left_s > 1 ? left_s : 1,
				     b->method->gone, b, err);
		if (ret || !b->old_boot_id[0])
			return ret;
		ret = remote_boot_id(b->remote, id, err);
		if (!ret && strcmp(id, b->old_boot_id) != 0)
			return 0;
		remote_close(b->remote);
		clock_sleep_ms(POLL_MS);
	}
}

int boot_start(struct boot *b, struct run *run, struct remote *remote,
	       struct err *err)
{
	const struct run_spec *spec = run->spec;
	bool boots = spec->box.boot.method != LAB_BOOT_NONE;
	int ret;

	memset(b, 0, sizeof(*b));
	b->method = boot_find(spec->box.boot.method);
	b->run = run;
	b->remote = remote;
	if (boots && !*spec->kernel)
		return err_set(err, ERR_DATA,
			       "box %s boots by %s, but the task names no "
			       "kernel",
			       spec->box.name, b->method->name);
	run_progress(run, boots ? "booting" : "preparing", spec->box.name);
	b->deadline_ns = ssh_deadline(boots ? spec->boot_timeout_s
					    : spec->connect_timeout_s);
	ret = b->method->start(b, err);
	if (!ret)
		ret = wait_boot(b, err);
	if (ret && task_stopped())
		return err_set(err, ERR_INFRA, "stopped while booting");
	if (ret != ERR_TIMEOUT)
		return ret;
	if (b->method->explain)
		return b->method->explain(b, err);
	return err_recode(err, ERR_INFRA);
}

void boot_stop(struct boot *b)
{
	if (b->method && b->method->stop)
		b->method->stop(b);
	free(b->dir);
	b->dir = NULL;
}

bool boot_crashed(struct boot *b, struct str *log)
{
	return b->method->crashed && b->method->crashed(b, log);
}

/* --- hooks --------------------------------------------------------------- */

static char *fill_word(const struct boot *b, const char *word)
{
	const struct run_spec *spec = b->run->spec;
	const char *const map[][2] = {
		{ "{kernel}", spec->kernel },
		{ "{box}", spec->box.name },
		{ "{address}", spec->box.address },
	};
	struct str out = STR_INIT;
	size_t i;

	while (*word) {
		for (i = 0; i < ARRAY_SIZE(map); i++)
			if (str_starts(word, map[i][0]))
				break;
		if (i < ARRAY_SIZE(map)) {
			str_add(&out, map[i][1]);
			word += strlen(map[i][0]);
		} else {
			str_addch(&out, *word++);
		}
	}
	return str_detach(&out);
}

int boot_hook(struct boot *b, const char *what,
	      const struct config_list *template, struct err *err)
{
	char *argv[HOOK_MAX_WORDS + 1] = { NULL };
	struct str out = STR_INIT;
	size_t i;
	int ret;

	for (i = 0; i < template->nr && i < HOOK_MAX_WORDS; i++)
		argv[i] = fill_word(b, template->v[i]);
	ret = spawn_output((const char *const *)argv, NULL, HOOK_TIMEOUT_MS,
			   &out, err);
	if (ret)
		err_wrap(err, "box %s: %s hook", b->remote->box->name, what);
	for (i = 0; i < HOOK_MAX_WORDS; i++)
		free(argv[i]);
	str_release(&out);
	return ret ? err_recode(err, ERR_INFRA) : 0;
}
