// SPDX-License-Identifier: GPL-3.0-or-later
// Boot method kexec: the running kernel of the box loads the kernel under test
// and jumps into it. Over SSH only: the nearest to a bare-metal box.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/boot.h"
#include "runners/supervise.h"

#define FILE_MAX_BYTES ((size_t)1 << 30)
#define COPY_TIMEOUT_S 600
#define LOAD_TIMEOUT_S 120

/*
 * $1 folder, $2 extra parameters; with an initrd when one was copied there. The
 * extra ones are kept behind a mark so that they don't pile up boot after boot.
 */
static const char load[] =
	"cd -- \"$1\" || exit 1\n"
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"read -r line </proc/cmdline\n"
	"line=\"${line%% drover.extra=1*} drover.extra=1 $2\"\n"
	"set -- -s -l kernel --command-line=\"$line\"\n"
	"[ ! -s initrd ] || set -- \"$@\" --initrd=initrd\n"
	"kexec \"$@\" && rm -f kernel initrd\n";

/* Answer first, jump then: the connection must not hang in between. */
static const char jump[] =
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"sync\n"
	"(sleep 1; exec kexec -e) </dev/null >/dev/null 2>&1 &\n";

static int copy_file(struct boot *b, const char *from, const char *name,
		     struct err *err)
{
	char *to = file_join(b->remote->box->workdir, name);
	struct str data = STR_INIT;
	int ret;

	data.max_bytes = FILE_MAX_BYTES;
	ret = file_read(from, FILE_MAX_BYTES, &data, err);
	if (!ret)
		ret = remote_put(b->remote, to, data.p, data.len,
				 COPY_TIMEOUT_S, err);
	str_release(&data);
	free(to);
	return ret;
}

static int kexec_start(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	const struct lab_box *box = &spec->box;
	const char *const load_words[] = {
		"sh", "-c", load, "-", box->workdir, box->boot.cmdline, NULL
	};
	const char *const jump_words[] = { "sh", "-c", jump, NULL };
	int ret;

	ret = remote_connect(b->remote, spec->connect_timeout_s, NULL, NULL,
			     err);
	/* an older attempt must not lose its box under a running benchmark */
	if (!ret)
		ret = supervise_claim(b->remote, spec, err);
	if (!ret)
		ret = remote_boot_id(b->remote, b->old_boot_id, err);
	if (!ret)
		ret = copy_file(b, spec->kernel, "kernel", err);
	if (!ret && *box->boot.rootfs)
		ret = copy_file(b, box->boot.rootfs, "initrd", err);
	if (!ret)
		ret = remote_do(b->remote, load_words, NULL, NULL,
				LOAD_TIMEOUT_S, err);
	if (!ret)
		ret = remote_do(b->remote, jump_words, NULL, NULL,
				LOAD_TIMEOUT_S, err);
	remote_close(b->remote);
	b->deadline_ns = ssh_deadline(spec->boot_timeout_s);
	return ret == ERR_TIMEOUT ? err_recode(err, ERR_INFRA) : ret;
}

/* Nobody can see its console: switch it off and on, where a hook can do that,
 * so that the next attempt finds a box. */
static int kexec_explain(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	struct err ignored;

	if (spec->box.boot.power.nr)
		boot_hook(b, "power", &spec->box.boot.power, &ignored);
	return err_set(
		err, ERR_BOOT,
		"box %s: %s did not reach SSH within %.0f s after "
		"kexec%s",
		spec->box.name, boot_kernel_name(b), spec->boot_timeout_s,
		spec->box.boot.power.nr ? "; the box was power cycled"
					: "; the box needs a power cycle");
}

const struct boot_method boot_kexec = {
	.name = "kexec",
	.start = kexec_start,
	.explain = kexec_explain,
};
