#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a box sends while the other stream is being read is not waited for: a
# library in front of libssh2 makes the second look at standard error so late
# that the whole answer has come by then.
set -u
# shellcheck source=tests/flow/lib/ssh-box
. "${0%/*}/lib/ssh-box"
cc=$(command -v cc || command -v gcc) || { echo "1..0 # SKIP no cc"; exit 0; }
cat >"$tmp/late.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libssh2.h>
#include <unistd.h>

static int looks; /* at standard error, since the end of the input */

int libssh2_channel_send_eof(LIBSSH2_CHANNEL *channel)
{
	int (*send_eof)(LIBSSH2_CHANNEL *) =
		dlsym(RTLD_NEXT, "libssh2_channel_send_eof");

	looks = 0;
	return send_eof(channel);
}

/* The first look is in time, at the second all of the answer is there. */
ssize_t libssh2_channel_read_ex(LIBSSH2_CHANNEL *channel, int stream, char *buf,
				size_t len)
{
	ssize_t (*read_ex)(LIBSSH2_CHANNEL *, int, char *, size_t) =
		dlsym(RTLD_NEXT, "libssh2_channel_read_ex");

	if (stream && looks++ == 1)
		usleep(300000);
	return read_ex(channel, stream, buf, len);
}
C
"$cc" -shared -fPIC -o "$tmp/late.so" "$tmp/late.c" -ldl || {
	echo "1..0 # SKIP no libssh2.h here"
	exit 0
}
start_box host "$tmp/bin:/usr/bin:/bin"
echo good >"$tmp/mode"
task late '.runs = 2 | .timeout_s = 120'
# a lost answer takes five minutes
LD_PRELOAD=$tmp/late.so \
	ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
	timeout 120 "$run" "$tmp/late" >"$tmp/why" 2>&1
ok $? "answers that come between two reads are taken"
has late '.status == "done" and (.runs | length) == 2 and
	(.runs[1].metrics | length) > 50'
ok $? "and nothing of them is missing"
echo "1..$n"
