#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A box that never stops talking holds no worker: neither its limits nor a
# request to stop depend on the box falling silent.
set -u
# shellcheck source=tests/flow/lib/ssh-box
. "${0%/*}/lib/ssh-box"

# The box's shell is replaced where it would run the supervisor.
mkdir "$tmp/evil"
cat >"$tmp/evil/sh" <<EOF
#!/bin/sh
case "\$*" in
*supervisor.sh\ run\ *) read -r how <$tmp/how; exec /bin/sh $tmp/evil/\$how ;;
esac
exec /bin/sh "\$@"
EOF
cat >"$tmp/evil/lines" <<'EOF'
echo started
exec yes ok
EOF
# standard error without end, until it is told to stop
cat >"$tmp/evil/errors" <<EOF
echo started
yes 'no end of it' >&2 &
flood=\$!
: >$tmp/flowing
while read -r word && [ "\$word" != stop ]; do :; done
kill "\$flood"
echo 'done 143 stopped 1 2'
EOF
chmod +x "$tmp/evil/sh"
start_box host "$tmp/evil:$tmp/bin:/usr/bin:/bin"
echo good >"$tmp/mode"

# ends PID SECONDS: it does; killed otherwise
ends() {
	for _ in $(seq $(($2 * 10))); do
		kill -0 "$1" 2>/dev/null || { wait "$1"; return 0; }
		sleep 0.1
	done
	kill -9 "$1"
	wait "$1" 2>/dev/null
	return 1
}

# Expected: the run is given up.
# Buggy: each line put off the look at the clock, for ever.
echo lines >"$tmp/how"
task lines
"$run" "$tmp/lines" &
ends $! 20
ok $? "lines without end don't hold the worker"
has lines '.status == "failed" and .kind == "infra" and
	(.message | contains("lines that nobody asked for"))'
ok $? "they are said to be what went wrong"

# SIGTERM ends the run as usual.
echo errors >"$tmp/how"
task errors '.timeout_s = 600'
"$run" "$tmp/errors" &
worker=$!
wait_for test -e "$tmp/flowing"
sleep 1
kill -TERM "$worker"
ends "$worker" 20
ok $? "a flood on standard error doesn't keep SIGTERM off"
has errors '.status == "failed" and .kind == "infra" and
	(.message | contains("run 0 was stopped"))'
ok $? "the box was told to stop, and said so"
echo "1..$n"
