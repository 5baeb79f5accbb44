#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A mail server that is away: the report waits, says why and until when, and
# goes out exactly once when the server is back, whatever the daemon did
# meanwhile.
. "${0%/*}/lib/bad-input"
"$python" -c 'import aiosmtpd' 2>/dev/null ||
	skip_all 'python3-aiosmtpd is not installed'

# a port that is free now; the server comes later
LAB_PORT=$("$python" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
LAB_MAIL=true
lab_repo 2
lab_boxes 200 5
slow_from 2
export DROVER_MAIL_BACKOFF_FIRST=1s DROVER_MAIL_BACKOFF_MAX=1s
lab_start
smtpd=
tap_cleanup() {
	[ -z "$smtpd" ] || kill "$smtpd" 2>/dev/null
	lab_cleanup
	rm -rf "$tmp"
}
run_job --no-bisect "$(sha 1)..$(sha 2)"
is 'a job with a regression is done' "$rc: $(sed -n '$p' "$dir/out")" \
	'0: job 1: done: regression'
away="mail server 127.0.0.1:$LAB_PORT: no connection; check that it runs, and \
mail.host and mail.port: Failed to connect to 127.0.0.1 port $LAB_PORT after \
0 ms: Couldn't connect to server"
until_ok 30 sql_is_1 "SELECT tries >= 2 FROM outbox"
ok 'its mail is tried again' $?
id=$(sql 'SELECT message_id FROM outbox')
like 'the sentence is in the log' "$("$drover" log 1 |
	sed 's/after [0-9]* ms/after 0 ms/')" "mail <$id> waits 1 s: $away"
"$drover" report --mail-preview 1 >"$dir/out"
is 'the report says that it waits, and why' "$(sed -n 's/after [0-9]* ms/after 0 ms/
	s/tries: [0-9]*/tries: N/
	/^State:/p' "$dir/out")" "State: queued (tries: N): $away"
lab_kill
lab_start
is 'a killed daemon loses no mail' \
	"$(sql "SELECT count(*), state FROM outbox")" '1|queued'
whole 1

mkdir "$dir/mx"
"$python" "${0%/*}/smtpd.py" "$dir/mx" port "$LAB_PORT" 2>"$dir/mx.log" &
smtpd=$!
until_ok 30 sql_is_1 "SELECT state = 'sent' FROM outbox"
ok 'it is sent when the server is back' $?
logged 'and that is said' 1 "mail <$id> sent to 1 recipient"
lab_kill
lab_start
sleep 2
is 'once, also when the daemon is killed again' \
	"$(ls "$dir/mx" | grep -c eml): $(cat "$dir"/mx/*.rcpt)" \
	'1: list@example.org'
like 'under its Message-ID' "$(cat "$dir/mx/1.eml")" "Message-ID: <$id>"
lab_stop
plan_done
