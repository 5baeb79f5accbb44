// SPDX-License-Identifier: GPL-3.0-or-later
// drover-lab up|status|down: the virtual lab, by hand and for the demo.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "runners/vlab.h"

#define BOXES_DEFAULT 2

/* Options of the command line; strings are borrowed from argv. */
struct options {
	const char *dir;
	const char *kernel;
	unsigned long long boxes;
};

static void usage(FILE *out)
{
	fputs("usage: drover-lab COMMAND --dir DIR [options]\n"
	      "\n"
	      "Prepare and watch a lab of virtual NUMA boxes (QEMU).\n"
	      "\n"
	      "  up       make keys, initramfs and DIR/lab.yaml where missing\n"
	      "           --boxes N       how many boxes (default 2)\n"
	      "           --kernel FILE   boot this bzImage once as a check\n"
	      "  status   show the files and the boxes that run\n"
	      "  down     stop the boxes that run\n"
	      "\n"
	      "A box runs only while a task uses it: its worker starts it with\n"
	      "the kernel under test and ends it.\n"
	      "\n"
	      "example: drover-lab up --dir ~/.local/state/drover\n",
	      out);
}

static int check_kernel(const struct vlab *v, const struct options *o,
			struct err *err)
{
	double seconds = 0;
	int rc;

	if (!o->kernel)
		return 0;
	rc = vlab_check_boot(v, o->kernel, &seconds, err);
	if (!rc)
		printf("check    %s boots to SSH in %.1f s\n", o->kernel,
		       seconds);
	return rc;
}

static int cmd_up(const struct vlab *v, const struct options *o,
		  struct err *err)
{
	int rc = vlab_prepare(v, (size_t)o->boxes, err);

	if (rc)
		return rc;
	printf("boxes    %s\nrootfs   %s\nkey      %s\n", v->lab_file,
	       v->rootfs, v->identity);
	return check_kernel(v, o, err);
}

static void show_file(const char *word, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		printf("%-8s %s is not there: run drover-lab up\n", word, path);
	else
		printf("%-8s %s (%lld KiB)\n", word, path,
		       (long long)st.st_size / 1024);
}

static int for_running(const struct vlab *v, bool stop, struct err *err)
{
	struct qemu boxes[VLAB_BOXES_MAX];
	int nr = vlab_running(v->dir, boxes, VLAB_BOXES_MAX, err);
	int i;

	for (i = 0; i < nr; i++) {
		printf("%s pid %ld, port %d, %s\n",
		       stop ? "stopped " : "running ", (long)boxes[i].pid,
		       boxes[i].ssh_port, boxes[i].console);
		if (stop)
			qemu_stop(&boxes[i]);
		qemu_release(&boxes[i]);
	}
	if (!nr)
		puts("running  none");
	return nr < 0 ? nr : 0;
}

static int cmd_status(const struct vlab *v, const struct options *o,
		      struct err *err)
{
	(void)o;
	show_file("boxes", v->lab_file);
	show_file("rootfs", v->rootfs);
	show_file("key", v->identity);
	return for_running(v, false, err);
}

static int cmd_down(const struct vlab *v, const struct options *o,
		    struct err *err)
{
	(void)o;
	return for_running(v, true, err);
}

static const struct {
	const char *name;
	int (*run)(const struct vlab *, const struct options *, struct err *);
} commands[] = {
	{ "up", cmd_up },
	{ "status", cmd_status },
	{ "down", cmd_down },
};

static int parse(int argc, char **argv, struct options *o, struct err *err)
{
	static const struct option longs[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "boxes", required_argument, NULL, 'b' },
		{ "kernel", required_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'd')
			o->dir = optarg;
		else if (c == 'k')
			o->kernel = optarg;
		else if (c != 'b')
			return err_set(err, ERR_USAGE,
				       "%s: unknown or without a value",
				       argv[optind - 1]);
		else if (!str_to_u64(optarg, &o->boxes))
			return err_set(err, ERR_USAGE,
				       "--boxes: \"%s\" is not a number",
				       optarg);
	}
	if (optind < argc)
		return err_set(err, ERR_USAGE, "%s: not expected here",
			       argv[optind]);
	if (!o->dir)
		return err_set(err, ERR_USAGE, "--dir is missing");
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .boxes = BOXES_DEFAULT };
	struct vlab v = { NULL };
	size_t i = 0;
	int rc;

	while (i < ARRAY_SIZE(commands) &&
	       strcmp(commands[i].name, argv[1]) != 0)
		i++;
	if (i == ARRAY_SIZE(commands))
		return err_set(err, ERR_USAGE,
			       "there is no command \"%s\": up, status or down",
			       argv[1]);
	rc = parse(argc - 1, argv + 1, &o, err);
	if (!rc)
		rc = vlab_open(o.dir, &v, err);
	if (!rc)
		rc = commands[i].run(&v, &o, err);
	vlab_release(&v);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int rc;

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	rc = run(argc, argv, &err);
	if (rc)
		fprintf(stderr, "drover-lab: %s\n", err.text);
	return err_exit_code(rc);
}
