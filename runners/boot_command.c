// SPDX-License-Identifier: GPL-3.0-or-later
// Boot method command: the operator's own programs install the kernel, reboot
// the box and, where given, switch its power.
#include "runners/boot.h"
#include "runners/supervise.h"

static int command_start(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	const struct lab_boot_spec *boot = &spec->box.boot;
	int ret;

	/* a box that is down is what the reboot hook may be there for */
	ret = remote_connect(b->remote, spec->connect_timeout_s, NULL, NULL,
			     err);
	if (!ret)
		ret = supervise_claim(b->remote, spec, err);
	if (!ret)
		ret = remote_boot_id(b->remote, b->old_boot_id, err);
	if (ret == ERR_TIMEOUT)
		ret = 0;
	remote_close(b->remote);
	if (!ret && boot->install.nr)
		ret = boot_hook(b, "install", &boot->install, err);
	if (!ret)
		ret = boot_hook(b, "reboot",
				boot->reboot.nr ? &boot->reboot : &boot->power,
				err);
	b->deadline_ns = ssh_deadline(spec->boot_timeout_s);
	return ret == ERR_TIMEOUT ? err_recode(err, ERR_INFRA) : ret;
}

/* The hooks worked, so the kernel is to blame; bring the box back for others.
 */
static int command_explain(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	struct err ignored;

	if (spec->box.boot.power.nr)
		boot_hook(b, "power", &spec->box.boot.power, &ignored);
	return err_set(
		err, ERR_BOOT,
		"box %s: %s did not reach SSH within %.0f s after its "
		"reboot hook%s",
		spec->box.name, boot_kernel_name(b), spec->boot_timeout_s,
		spec->box.boot.power.nr ? "; its power hook was run" : "");
}

const struct boot_method boot_command = {
	.name = "command",
	.start = command_start,
	.explain = command_explain,
};
