// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The option table: one row per setting. Parsing, defaults, checks, `drover
 * config`, the example file, the reference page and the manual follow from it.
 */
#include "configs/options_table.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define OPT(k, t, member, d, ...)                                      \
	{                                                              \
		.key = (k), .type = FIELD_##t,                         \
		.offset = offsetof(struct config, member), .def = (d), \
		__VA_ARGS__                                            \
	}
#define REPO(k, t, member, d, ...)                                          \
	{                                                                   \
		.key = (k), .type = FIELD_##t,                              \
		.offset = offsetof(struct config_repo, member), .def = (d), \
		__VA_ARGS__                                                 \
	}
#define RANGE(lo, hi) .min = (lo), .max = (hi)

static const struct field rows[] = {
	OPT("state_dir", PATH, state_dir, "/var/lib/drover",
	    .help = "Database, task folders and whatever must survive a "
		    "restart."),
	OPT("cache_dir", PATH, cache_dir, "",
	    .help = "Git objects, build folders and ccache: may be deleted. "
		    "Empty: /var/cache/drover, or cache below a state_dir of "
		    "your own.",
	    .example = "/var/cache/drover"),
	OPT("socket", PATH, socket, "",
	    .help = "Where droverd listens and drover asks. Empty: "
		    "/run/drover/drover.sock, or drover.sock below a "
		    "state_dir of your own.",
	    .example = "/run/drover/drover.sock"),
	OPT("artifact_dir", PATH, artifact_dir, "",
	    .help = "Built kernels and what a report refers to. Empty: "
		    "artifacts below state_dir.",
	    .example = "/var/lib/drover/artifacts"),
	OPT("pages_dir", PATH, pages_dir, "",
	    .help = "The generated web pages. Empty: pages below state_dir.",
	    .example = "/var/lib/drover/pages"),
	OPT("libexec_dir", PATH, libexec_dir, "",
	    .help = "drover-build, drover-run and the other workers. Empty: "
		    "libexec beside the program, else below the install "
		    "prefix.",
	    .example = "/usr/local/libexec/drover"),
	OPT("lab_file", PATH, lab_file, "",
	    .help = "The test boxes. Empty: /etc/drover/lab.yaml, or lab.yaml "
		    "below a state_dir of your own.",
	    .example = "/etc/drover/lab.yaml"),

	OPT("mail.enabled", BOOL, mail.enabled, "false",
	    .help = "Send reports. When off they are written, shown and kept, "
		    "but stay here.",
	    .example = "true"),
	OPT("mail.from", STR, mail.from, "",
	    .help = "Sender address of reports.",
	    .example = "drover <drover@example.org>"),
	OPT("mail.host", STR, mail.host, "localhost", .help = "SMTP server.",
	    .example = "mail.example.org"),
	OPT("mail.port", INT, mail.port, "25", RANGE(1, 65535),
	    .help = "Its port: 25, 587 for starttls, 465 for tls."),
	OPT("mail.tls", WORD, mail.tls, "none", .choices = "none|starttls|tls",
	    .help = "Encryption towards the server.", .example = "starttls"),
	OPT("mail.user", STR, mail.user, "",
	    .help = "User name at the server; empty: none.",
	    .example = "drover"),
	OPT("mail.password_file", PATH, mail.password_file, "",
	    .help = "File (mode 0600) whose first line is the password.",
	    .example = "/etc/drover/mail.secret"),
	OPT("mail.to", LIST, mail.to, "", .help = "Who gets every report.",
	    .example = "kernel-perf@example.org"),
	OPT("mail.cc", LIST, mail.cc, "", .help = "Copies of every report.",
	    .example = "kernel-perf-archive@example.org"),
	OPT("mail.admin", LIST, mail.admin, "",
	    .help = "Who runs the lab: gets a mail when a box is put aside.",
	    .example = "lab-admin@example.org"),
	OPT("mail.ascii", BOOL, mail.ascii, "false",
	    .help = "Write +- for ±, so that mails are pure ASCII."),
	OPT("mail.public_url", STR, mail.public_url, "",
	    .help = "Address under which readers of a mail reach the "
		    "artifacts.",
	    .example = "https://drover.example.org/artifacts"),
	OPT("mail.backoff_first", DURATION, mail.backoff_first_s, "1m",
	    RANGE(0.001, 86400),
	    .help = "Wait after the first failed delivery; doubles each "
		    "time."),
	OPT("mail.backoff_max", DURATION, mail.backoff_max_s, "4h",
	    RANGE(0.001, 604800), .help = "Longest wait between deliveries."),

	OPT("build.slots", INT, build.slots, "1", RANGE(1, 64),
	    .help = "Kernels built at the same time; each slot keeps a work "
		    "tree and an output folder."),
	OPT("build.jobs", INT, build.jobs, "0", RANGE(0, 1024),
	    .help = "make -j of one build; 0: one per CPU."),
	OPT("build.ccache", BOOL, build.ccache, "true",
	    .help = "Compile through ccache where it is installed."),
	OPT("build.ccache_max_size", BYTES, build.ccache_max_bytes, "5GiB",
	    RANGE(0, 1e15), .help = "Size limit of that cache."),
	OPT("build.timeout", DURATION, build.timeout_s, "2h", RANGE(10, 604800),
	    .help = "Longest time for one kernel build."),
	OPT("build.cc", STR, build.cc, "gcc", .help = "C compiler for kernels.",
	    .example = "gcc-12"),

	OPT("run.timeout", DURATION, run.timeout_s, "30m", RANGE(1, 604800),
	    .help = "Longest time for one run of a job that doesn't say how "
		    "long it takes."),
	OPT("run.boot_timeout", DURATION, run.boot_timeout_s, "10m",
	    RANGE(1, 86400),
	    .help = "Longest time from power-on to an answering box."),
	OPT("run.ssh_connect_timeout", DURATION, run.ssh_connect_timeout_s,
	    "10s", RANGE(0.1, 3600),
	    .help = "Longest time for one connection attempt."),
	OPT("run.lease", DURATION, run.lease_s, "30s", RANGE(1, 86400),
	    .help = "A box kills its run when it hasn't heard from the worker "
		    "for so long."),
	OPT("run.retries", INT, run.retries, "3", RANGE(0, 100),
	    .help = "Repetitions of an attempt that failed for reasons of the "
		    "lab, before the box is put aside."),

	OPT("bisect.auto", BOOL, bisect.auto_start, "true",
	    .help = "Bisect a confirmed regression without being asked."),
	OPT("bisect.budget_runs", INT, bisect.budget_runs, "400",
	    RANGE(2, 100000), .help = "Runs that one bisection may use."),
	OPT("bisect.max_boots", INT, bisect.max_boots, "120", RANGE(2, 100000),
	    .help = "Boots that one bisection may use."),
	OPT("bisect.speculate", BOOL, bisect.speculate, "true",
	    .help = "Build the two likeliest next kernels of a bisection in "
		    "idle build slots while boots run; boots never wait for "
		    "them."),
	OPT("bisect.revert", BOOL, bisect.revert, "true",
	    .help = "Check an accused commit once more: measure head with the "
		    "commit reverted against head, in 4 to 12 pairs of boots. "
		    "The reverts are kept in the repository, as "
		    "refs/drover/revert/CULPRIT/HEAD."),

	OPT("compare.pairs", INT, compare.pairs, "4", RANGE(1, 1000),
	    .help = "Boots per side of a comparison, base and head in turn on "
		    "the same box."),
	OPT("compare.runs_per_boot", INT, compare.runs_per_boot, "2",
	    RANGE(1, 1000), .help = "Runs of the job in each boot."),
	OPT("compare.min_effect", PERCENT, compare.min_effect_pct, "1",
	    RANGE(0, 100),
	    .help = "Smallest change of the headline metric that counts as a "
		    "regression."),

	OPT("calibrate.boots", INT, calibrate.boots, "20", RANGE(8, 1000),
	    .help = "Boots of one kernel in a calibration of a box."),
	OPT("calibrate.max_age", DURATION, calibrate.max_age_s, "30d",
	    RANGE(60, 1e9),
	    .help = "A calibration older than this is stale: it is no longer "
		    "used, and no commit is accused on its box until the box "
		    "is calibrated again. A box that never was isn't "
		    "concerned."),
	OPT("calibrate.hour", INT, calibrate.hour, "-1", RANGE(-1, 23),
	    .help = "Hour of the day (UTC) from which, for six hours, boxes "
		    "without work are calibrated for the jobs lately measured "
		    "on them; -1: never. Real work goes first.",
	    .example = "1"),
	OPT("calibrate.every", DURATION, calibrate.every_s, "7d",
	    RANGE(60, 1e9),
	    .help = "How old a calibration must be to be done anew at that "
		    "hour."),

	OPT("keep.kernels", DURATION, keep.kernels_s, "30d", RANGE(0, 1e9),
	    .help = "A kernel that no job has used for so long is removed; who "
		    "wants it again has it built again. 0: kept for ever."),
	OPT("keep.logs", DURATION, keep.logs_s, "90d", RANGE(0, 1e9),
	    .help = "Logs and raw output of builds and runs are removed after "
		    "so long; samples, reports and mails stay. 0: kept for "
		    "ever."),

	OPT("web.base_url", STR, web_base_url, "",
	    .help = "Address of the pages as readers see it, for links in "
		    "mails and feeds.",
	    .example = "https://drover.example.org"),

	OPT("limits.max_frame", BYTES, limits.max_frame_bytes, "1MiB",
	    RANGE(4096, 67108864), .help = "Largest request on the socket."),
	OPT("limits.max_jobs_per_user", INT, limits.max_jobs_per_user, "1000",
	    RANGE(1, 1000000),
	    .help = "Unfinished jobs that one user may "
		    "have."),
};

static const struct field repo_rows[] = {
	REPO("name", STR, name, "", .help = "Short name, unique.",
	     .example = "linux"),
	REPO("path", PATH, path, "", .help = "Local clone.",
	     .example = "/var/cache/drover/git/linux.git"),
	REPO("url", STR, url, "",
	     .help = "Where to fetch from; shown in reports.",
	     .example = "https://git.example.org/linux.git"),
	REPO("branch", STR, branch, "master", .help = "The watched branch."),
	REPO("kconfig", STR, kconfig, "",
	     .help = "Kernel configuration fragment: a path, or lab-slim or "
		     "lab-full, which come with Drover.",
	     .example = "lab-slim"),
	REPO("targets", LIST, targets, "bzImage", .help = "make targets."),
	REPO("subdirs", LIST, subdirs, "",
	     .help = "Only commits that touch one of these; empty: all.",
	     .example = "kernel, mm, fs"),
};

const struct fields options_table = { rows, ARRAY_SIZE(rows), "option" };
const struct fields options_repo_table = { repo_rows, ARRAY_SIZE(repo_rows),
					   "key of a repository" };

void options_env_name(const char *key, char out[64])
{
	size_t n = 0;

	for (const char *p = "DROVER_"; *p; p++)
		out[n++] = *p;
	for (; *key && n < 63; key++)
		out[n++] = (char)(*key == '.' ? '_'
					      : toupper((unsigned char)*key));
	out[n] = '\0';
}
