#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From a planted regression to a mail in somebody's inbox: once, in the right
# thread, equal to what the artifact folder holds, with the server away at first.
set -u
here=$(dirname "$0")
. "$here/null-lab"
"$python" -c 'import aiosmtpd' 2>/dev/null || {
	echo '1..0 # SKIP python3-aiosmtpd is not installed'
	exit 0
}

# a port that is free now; the server comes later
LAB_PORT=$("$python" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
LAB_MAIL=true
lab_repo 3
lab_boxes 200 5
slow_from 3
export DROVER_MAIL_BACKOFF_FIRST=1s DROVER_MAIL_BACKOFF_MAX=2s
lab_start
smtpd=
trap '[ -z "$smtpd" ] || kill "$smtpd"; lab_cleanup' EXIT

"$drover" submit --quiet --wait --cc 'Dev <dev@example.org>' \
	--in-reply-to patch@example.org \
	-j "$dir/job.yaml" "$(sha 1)..$(sha 3)" >"$dir/out" 2>&1 || {
	sed 's/^/# /' "$dir/out"
	echo 'Bail out! the job was not done'
	exit 1
}
"$drover" report --json 1 >"$dir/report"
json "$dir/report" 'r["mail"]["state"] == "queued" and
	"part3: change number 3" in r["text"] and
	r["mail"]["subject"].startswith("[tiny:main] [part3]  ")'
ok $? 'the verdict queues a report about the culprit'
json "$dir/report" '"command:\n\n\tstress-ng --timeout 1 " in r["text"] and
	"  searched       '"$(sha 1 | cut -c1-12)..$(sha 3 | cut -c1-12)"' (head)\n"
	in r["text"] and "  in the table   " in r["text"]'
ok $? 'it says what was run, on which commits, how often'
json "$dir/report" '"Message-ID: <" + r["mail"]["message_id"] + ">" in
	r["mail"]["message"]'
ok $? 'the whole message can be looked at before'
i=0
until "$drover" log 1 | grep -q 'no connection' || [ $i -ge 200 ]; do
	i=$((i + 1))
	sleep 0.1
done
"$drover" log 1 | grep -q 'mail .* waits .* no connection'
ok $? 'a server that is away is said, and tried again'

mkdir "$dir/mx"
"$python" "$here/smtpd.py" "$dir/mx" port "$LAB_PORT" 2>"$dir/mx.log" &
smtpd=$!
i=0
until "$drover" report --json 1 >"$dir/report" &&
	json "$dir/report" 'r["mail"]["state"] == "sent"' >/dev/null ||
	[ $i -ge 300 ]; do
	i=$((i + 1))
	sleep 0.1
done
json "$dir/report" 'r["mail"]["state"] == "sent"'
ok $? 'it is sent once the server is there'
cat "$dir"/mx/*.rcpt | sort | tr '\n' ' ' |
	grep -qx 'dev@example.org list@example.org '
ok $? 'to each recipient once'

id=$("$python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["mail"]["message_id"])' "$dir/report")
"$python" - "$dir/mx/1.eml" "$id" "$dir/state/artifacts/reports/$id" <<'PY'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"),
                                   policy=email.policy.default)
assert m["Message-ID"] == "<" + sys.argv[2] + ">", m["Message-ID"]
assert m["In-Reply-To"] == "<patch@example.org>"
assert m["References"] == "<patch@example.org>"
text = open(sys.argv[3] + "/report.txt", encoding="utf-8").read()
assert m.get_content().replace("\r\n", "\n") == text
assert sys.argv[3] in text or sys.argv[2] in text
PY
ok $? 'what arrives is the report of the folder that bears its Message-ID'

lab_kill
lab_start
sleep 1
[ "$(ls "$dir/mx" | grep -c eml)" = 2 ]
ok $? 'a restart sends nothing again'
lab_stop
echo "1..$n"
