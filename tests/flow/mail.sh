#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# drover-mail against a real SMTP server on loopback: what arrives is what was
# written, and nothing that a server does loses or doubles a mail.
set -u
here=$(dirname "$0")
worker=$DROVER_BUILD/libexec/drover-mail
python=/usr/bin/python3
"$python" -c 'import aiosmtpd' 2>/dev/null || {
	echo '1..0 # SKIP python3-aiosmtpd is not installed'
	exit 0
}
dir=$(mktemp -d)
pids=
cleanup() {
	for p in $pids; do kill "$p" 2>/dev/null; done
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
n=0
ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		cat "$dir"/t*/log 2>/dev/null | tail -5 | sed 's/^/# /'
	fi
}

serve() { # FOLDER ARG…: start a server, print its port
	mkdir -p "$1"
	"$python" "$here/smtpd.py" "$@" 2>"$1/log" &
	pids="$pids $!"
	i=0
	until [ -s "$1/port" ]; do
		i=$((i + 1))
		[ $i -lt 200 ] || { echo "Bail out! no mail server"; exit 1; }
		sleep 0.05
	done
}

# task DIR PORT TO [CHANGE]: write DIR/task.json; CHANGE is Python on "t"
task() {
	mkdir -p "$1"
	"$python" - "$1" "$2" "$3" "${4:-}" <<-'PY'
	import json, sys
	folder, port, to, change = sys.argv[1:]
	t = {
	    "kind": "mail",
	    "message_id": "202602010000.abcdef0-drover@lab.example.org",
	    "subject": "[tree:main]  0123456789:  pipe 9.7% regression ± é",
	    "body": "Hello,\n\n      1.00 ±  3%      +9.7%\n.\n..dots\n"
	            "trailing \n",
	    "headers": {"from": "Drover <drover@example.org>",
	                "to": to.split(), "cc": [],
	                "in_reply_to": "patch@example.org",
	                "references": ["cover@example.org",
	                               "patch@example.org"]},
	    "smtp": {"host": "127.0.0.1", "port": int(port), "tls": "none",
	             "user": "", "password_file": "", "timeout_s": 5},
	    "accepted": [], "ascii": False}
	exec(change)
	json.dump(t, open(folder + "/task.json", "w"))
	PY
}

# result DIR EXPRESSION: whether the Python expression on "r" holds
result() {
	"$python" - "$1" "$2" <<-'PY'
	import json, sys
	r = json.load(open(sys.argv[1] + "/result.json"))
	if not eval("(" + sys.argv[2] + ")"):
	    print("# result:", r)
	    sys.exit(1)
	PY
}
taken() { ls "$1" | grep -c '\.eml$'; }

serve "$dir/mx"
port=$(cat "$dir/mx/port")

task "$dir/t1" "$port" 'dev@example.org'
"$worker" "$dir/t1"
result "$dir/t1" \
	'r["status"]=="done" and r["accepted"]==["dev@example.org"] and not r["refused"]'
ok $? 'a mail is accepted'

"$python" - "$dir/mx/1.eml" "$dir/t1/out/message.eml" <<'PY'
import email, email.policy, re, sys
raw = open(sys.argv[1], "rb").read()
m = email.message_from_bytes(raw, policy=email.policy.default)
assert m["Message-ID"] == "<202602010000.abcdef0-drover@lab.example.org>"
assert m["Subject"] == "[tree:main]  0123456789:  pipe 9.7% regression ± é"
assert m["From"] == "Drover <drover@example.org>", m["From"]
assert m["In-Reply-To"] == "<patch@example.org>"
assert m["References"] == "<cover@example.org> <patch@example.org>"
assert m["Auto-Submitted"] == "auto-generated"
assert m["Date"].datetime is not None
assert not m.is_multipart() and m.get_content_type() == "text/plain"
assert m["Content-Transfer-Encoding"] == "quoted-printable"
body = m.get_content().replace("\r\n", "\n")
assert body == ("Hello,\n\n      1.00 ±  3%      +9.7%\n.\n..dots\n"
                "trailing \n"), repr(body)
assert max(raw) < 128
assert not re.search(rb"(?<!\r)\n", raw) and max(map(len, raw.split())) < 998
assert raw == open(sys.argv[2], "rb").read()
PY
ok $? 'it arrives as it was written; out/message.eml has its very bytes'

task "$dir/t2" "$port" 'dev@example.org' 't["body"] = "a  b\n.\n" + "x" * 998'
"$worker" "$dir/t2"
"$python" - "$dir/mx/2.eml" <<'PY'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"),
                                   policy=email.policy.default)
assert m["Content-Transfer-Encoding"] == "7bit"
assert m.get_content() == "a  b\n.\n" + "x" * 998 + "\n"
PY
ok $? 'ASCII in lines of 998 bytes goes as 7bit'

task "$dir/t3" "$port" 'a@example.org bad@example.org c@example.org'
"$worker" "$dir/t3"
result "$dir/t3" 'r["status"]=="done" and
	r["accepted"]==["a@example.org","c@example.org"] and
	r["refused"]==[{"rcpt":"bad@example.org","reply":"550 5.1.1 no such user"}]'
ok $? 'one bad recipient is reported and does not lose the mail'
[ "$(cat "$dir/mx/3.rcpt" "$dir/mx/4.rcpt" | tr '\n' ' ')" = \
	'a@example.org c@example.org ' ]
ok $? 'each recipient has an envelope of its own'

task "$dir/t4" "$port" 'd@example.org later@example.org'
"$worker" "$dir/t4"
result "$dir/t4" 'r["status"]=="failed" and r["kind"]=="infra" and r["retry"]
	and r["accepted"]==["d@example.org"] and "greylisted" in r["message"]'
ok $? '4xx asks for another try and says who has the mail already'
before=$(taken "$dir/mx")
task "$dir/t5" "$port" 'd@example.org later@example.org' \
	't["accepted"]=["d@example.org"]'
"$worker" "$dir/t5"
result "$dir/t5" 'r["status"]=="done" and
	sorted(r["accepted"])==["d@example.org","later@example.org"]'
ok $? 'the next try succeeds'
[ "$(taken "$dir/mx")" = $((before + 1)) ]
ok $? 'and goes only to the recipient that was missing'

task "$dir/t6" "$port" 'drop@example.org e@example.org'
"$worker" "$dir/t6"
result "$dir/t6" 'r["status"]=="failed" and r["retry"] and
	r["accepted"]==["e@example.org"]'
ok $? 'a connection that breaks after DATA is tried again, for that one only'
task "$dir/t7" "$port" 'drop@example.org e@example.org' \
	't["accepted"]=["e@example.org"]'
"$worker" "$dir/t7"
last=$(taken "$dir/mx")
result "$dir/t7" 'r["status"]=="done"' &&
	grep -q 'Message-ID: <202602010000.abcdef0-drover@lab' "$dir/mx/$last.eml"
ok $? 'under the same Message-ID'

task "$dir/t8" "$port" 'spam@example.org'
"$worker" "$dir/t8"
result "$dir/t8" 'r["status"]=="done" and not r["accepted"] and
	"content refused" in r["refused"][0]["reply"]'
ok $? 'a message refused after DATA is refused for good'

task "$dir/t9" "$port" 'a@example.org b@example.org' \
	't["headers"]["from"]="nobody@example.org"'
"$worker" "$dir/t9"
result "$dir/t9" 'r["status"]=="failed" and r["retry"] and not r["refused"]
	and "mail.from" in r["message"] and "sender unknown" in r["message"]'
ok $? 'a refused sender is the operator'"'"'s matter, not the recipients'"'"

task "$dir/t10" "$port" 'hang@example.org b@example.org' \
	't["smtp"]["timeout_s"]=1'
"$worker" "$dir/t10"
result "$dir/t10" 'r["status"]=="failed" and r["retry"] and
	r["accepted"]==["b@example.org"]'
ok $? 'a server that stalls is given up in time'

task "$dir/t11" 1 'a@example.org'
"$worker" "$dir/t11"
result "$dir/t11" 'r["status"]=="failed" and r["kind"]=="infra" and r["retry"]
	and r["message"].startswith("mail server 127.0.0.1:1: no connection")'
ok $? 'a server that is away: a clear sentence and another try'

before=$(taken "$dir/mx")
for evil in 'x@example.org>\r\nRCPT TO:<y@example.org' 'a b@example.org' \
	'x@example.org\u0000y' '<script>@example.org' 'x@exa mple.org'; do
	task "$dir/t12" "$port" '' "t['headers']['to']=['$evil']"
	"$worker" "$dir/t12"
	result "$dir/t12" 'r["status"]=="failed" and not r.get("retry")' ||
		[ ! -e "$dir/t12/result.json" ] || touch "$dir/injected"
	rm -rf "$dir/t12"
done 2>/dev/null
[ ! -e "$dir/injected" ] && [ "$(taken "$dir/mx")" = "$before" ]
ok $? 'malformed addresses never reach the server'

serve "$dir/strict" strict
task "$dir/t13" "$(cat "$dir/strict/port")" 'dev@example.org'
"$worker" "$dir/t13"
result "$dir/t13" 'r["status"]=="done" and r["accepted"]'
ok $? 'a server without 8BITMIME takes it'

printf 'right word\n' >"$dir/pw" && chmod 600 "$dir/pw"
login='t["smtp"].update(user="me", password_file="'$dir'/pw")'
task "$dir/t14" "$port" 'dev@example.org' "$login"
"$worker" "$dir/t14"
result "$dir/t14" 'r["status"]=="done" and r["accepted"]'
ok $? 'login with a password file'
printf 'wrong word\n' >"$dir/pw"
task "$dir/t15" "$port" 'dev@example.org' "$login"
"$worker" "$dir/t15"
result "$dir/t15" 'r["status"]=="failed" and "login" in r["message"]' &&
	! grep -rq 'wrong word\|right word' "$dir/t14" "$dir/t15"
ok $? 'a refused login says so; no password in log or result'
chmod 644 "$dir/pw"
task "$dir/t16" "$port" 'dev@example.org' "$login"
"$worker" "$dir/t16"
result "$dir/t16" 'r["kind"]=="denied" and r["retry"] is False and
	"chmod 600" in r["message"]'
ok $? 'a password file that others can read is refused'

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
	-addext 'subjectAltName=IP:127.0.0.1' -keyout "$dir/key" \
	-out "$dir/cert" 2>/dev/null
serve "$dir/tls" tls "$dir/cert" "$dir/key"
tlsport=$(cat "$dir/tls/port")
task "$dir/t17" "$tlsport" 'dev@example.org' \
	't["smtp"].update(tls="starttls", ca_file="'"$dir"'/cert")'
"$worker" "$dir/t17"
result "$dir/t17" 'r["status"]=="done" and r["accepted"]'
ok $? 'STARTTLS'
task "$dir/t18" "$tlsport" 'dev@example.org' 't["smtp"]["tls"]="starttls"'
"$worker" "$dir/t18"
result "$dir/t18" 'r["retry"] and "not trusted" in r["message"]'
ok $? 'a certificate that nobody vouches for is not trusted'
task "$dir/t19" "$port" 'dev@example.org' 't["smtp"]["tls"]="starttls"'
"$worker" "$dir/t19"
result "$dir/t19" 'r["retry"] and "STARTTLS" in r["message"]'
ok $? 'no STARTTLS where it is demanded: nothing is sent'
echo "1..$n"
