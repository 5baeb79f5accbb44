#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What people see: on a terminal of 80 columns nothing is wider, progress is one
# line for each boot, and off a terminal a sentence stays on its line.
LAB_SLEEP_MS=100
. "${0%/*}/lib/bad-input"

lab_repo 12
lab_boxes 200 5
slow_from 8
lab_start

# tty COMMAND…: what it writes to a terminal of 80 columns
tty() {
	"$python" - "$@" <<-'PY'
	import fcntl, os, pty, struct, sys, termios
	pid, fd = pty.fork()
	if not pid:
	    os.environ["TERM"] = "xterm"
	    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
	    os.execv(sys.argv[1], sys.argv[1:])
	out = b""
	while True:
	    try:
	        got = os.read(fd, 65536)
	    except OSError:
	        break
	    if not got:
	        break
	    out += got
	os.waitpid(pid, 0)
	sys.stdout.write(out.decode().replace("\r\n", "\n"))
	PY
}
# lines that stay: what was erased again is gone
stays() { sed 's/.*\r\x1b\[K//'; }
# wide: lines of more than 80 columns; a path alone can't be broken
wide() { "$python" -c 'import sys
for line in sys.stdin:
    if len(line.rstrip("\n")) > 80 and " " in line.strip():
        print(line, end="")'; }

tty "$drover" submit --wait -j "$dir/job.yaml" "$(sha 1)..$(sha 12)" >"$dir/raw"
stays <"$dir/raw" >"$dir/seen"
is '--wait: nothing that stays is wider than 80 columns' \
	"$(wide <"$dir/seen")" ''
is '--wait: one line for each boot' \
	"$(grep -c '  boot [0-9]* (' "$dir/seen")" \
	"$(sql 'SELECT count(*) FROM boot')"
is '--wait: no step inside a boot stays' \
	"$(grep -c 'running: run\|running run' "$dir/seen")" 0
like '--wait: but it is in the status line' "$(cat "$dir/raw")" 'running run '
is '--wait: the last line is the end' "$(tail -n 1 "$dir/seen")" \
	'job 1: done: regression'
is '--wait: the status line is cut to the terminal' "$(tr '\r' '\n' \
	<"$dir/raw" | sed 's/\x1b\[K//g' | wide)" ''

for c in 'queue --all' 'status 1' 'log 1' 'bisect status 1' 'bisect log 1' \
	'box list' 'box show null-a' 'repo list'; do
	# shellcheck disable=SC2086
	tty "$drover" $c >"$dir/seen"
	is "$c fits 80 columns" "$(wide <"$dir/seen")" ''
	is "$c leaves no blank at the end of a line" \
		"$(grep -c ' $' "$dir/seen")" 0
	[ -s "$dir/seen" ]
	ok "$c says something" $?
done

is 'queue --all says what came out of a job' \
	"$("$drover" queue --all | awk '$1 == 1 { print $5, $6 }')" \
	'done regression'
is 'status names the job, its commits and its boots, and no time when it is over' \
	"$("$drover" status 1 | sed -n 1,2p)" \
	"job 1 (done): job, $(sha 1 | cut -c1-12)..$(sha 12 | cut -c1-12)
boots: $(sql 'SELECT count(*) FROM boot') done, 0 running, 0 queued, 0 failed"
is 'status gives each reason once' \
	"$("$drover" status 1 | grep -c 'first bad commit')" 1
is 'off a terminal a sentence is one line' \
	"$("$drover" log 1 | grep -vc '^2[0-9-]*T[0-9:]*Z  [^ ]')" 0
is 'a box that is drained is one line' "$("$drover" box drain null-b)" \
	'box null-b: drained'
lab_stop
plan_done
