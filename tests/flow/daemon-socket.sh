#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The socket by hand: frames, refusals with a reason, idempotent submission,
# roles, and clients that misbehave without costing others anything.
set -u
. "$(dirname "$0")/null-lab"

lab_repo 4
git -C "$dir/repo" branch side "$(sha 2)"
git -C "$dir/repo" checkout -q side
echo x >"$dir/repo/other" && git -C "$dir/repo" add -A && commit_as 'side: x'
git -C "$dir/repo" rev-parse HEAD >"$dir/side"
lab_boxes 10 5
echo 'limits: {max_jobs_per_user: 4, max_frame: 64KiB}' >>"$dir/drover.yaml"
lab_start

cat >"$dir/ask.py" <<'PY'
import json, os, socket, sys, time
SOCK = os.environ["DROVER_SOCKET"]
JOB = {"suite": "stress-ng", "testcase": "stress-ng", "workload": "stress-ng",
       "params": {"test": "pipe", "nr_threads": "1", "testtime": "1s"}}

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(SOCK)
    return s

def lines(s, nr=1):
    f = s.makefile("r")
    return [json.loads(f.readline()) for _ in range(nr)]

def ask(**request):
    s = connect()
    s.sendall(json.dumps(request).encode() + b"\n")
    reply = lines(s)[0]
    s.close()
    return reply

def submit(base, head, **more):
    request = {"op": "submit", "name": "t", "base": base, "head": head,
               "atomic": [JOB], "options": {"bisect": "never"}}
    request.update(more)
    return ask(**request)

SHAS = open(os.path.join(os.path.dirname(SOCK), "shas")).read().split()
PY
# try NAME: the Python on standard input must end without an exception
try() {
	{ cat "$dir/ask.py"; cat; } >"$dir/try.py"
	"$python" "$dir/try.py" 2>"$dir/try.err"
	rc=$?
	ok $rc "$1"
	[ $rc = 0 ] || sed 's/^/# /' "$dir/try.err"
}

try 'what is no request is refused, and the connection goes on' <<'PY'
s = connect()
s.sendall(b'nonsense\n[]\n{}\n{"op":1}\n{"op":"sbmit"}\n{"op":"x","op":"y"}\n'
          b'{"op":"\\u0000"}\n\xff\xfe\n{"op":"ping"}\n')
r = lines(s, 9)
assert [x["ok"] for x in r] == [False] * 8 + [True], r
assert "did you mean submit" in r[4]["error"], r[4]
assert r[0]["code"] == "data" and "1:" in r[0]["error"]
PY
try 'a frame may come in pieces, and several in one' <<'PY'
s = connect()
for c in b'{"op":"ping"}\n{"op":"pi':
    s.sendall(bytes([c]))
s.sendall(b'ng"}\n{"op":"ping"}\n')
assert all(x["ok"] for x in lines(s, 3))
PY
try 'a client that closes its side still gets the answer' <<'PY'
s = connect()
s.sendall(b'{"op":"ping"}\n{"op":"queue"}\n')
s.shutdown(socket.SHUT_WR)
assert all(x["ok"] for x in lines(s, 2))
PY
try 'a frame over the limit is refused' <<'PY'
s = connect()
try:
    s.sendall(b"x" * 300000)
except OSError:
    pass
r = lines(s)[0]
assert r["code"] == "limit" and "65536" in r["error"], r
PY
try 'a client that never reads its replies holds nobody up' <<'PY'
slow = connect()
slow.setblocking(False)
sent = 0
try:
    while sent < 8000000:
        sent += slow.send(b'{"op":"box_list"}\n' * 100)
except BlockingIOError:
    pass
begin = time.monotonic()
assert ask(op="ping")["ok"]
assert time.monotonic() - begin < 5
PY
try 'unknown commits, boxes and repositories are named' <<'PY'
r = submit("no-such-tag", SHAS[3])
assert r["code"] == "notfound" and "no-such-tag" in r["error"], r
r = submit(SHAS[0], SHAS[3], box="nul-a")
assert r["code"] == "notfound" and "null-a, null-b" in r["error"], r
r = submit(SHAS[0], SHAS[3], repo="tinny")
assert r["code"] == "notfound" and "there are: tiny" in r["error"], r
r = submit(SHAS[0], SHAS[3], tag="gpu")
assert "gpu" in r["error"], r
PY
try 'hostile revisions, options and jobs are refused' <<'PY'
for rev in ("--upload-pack=x", "$(touch /tmp/x)", "a b", "a\nb", "-x", "",
            ":/part", "HEAD@{-1}", "x" * 5000):
    r = submit(rev, SHAS[3])
    assert not r["ok"] and r["code"] in ("usage", "notfound"), (rev, r)
bad = [{"runs": 0}, {"runs": "2"}, {"pairs": 10**9}, {"bisect": "maybe"},
       {"cc": "a@example.org"}, {"cc": ["a\r\nBcc: x@example.org"]},
       {"cc": ["nobody"]}, {"in_reply_to": "x\ny"}, {"prio": 10**6}]
for o in bad:
    r = submit(SHAS[0], SHAS[3], options=o)
    assert not r["ok"] and r["code"] in ("range", "data"), (o, r)
for atomic in ([], [{}], "x", [dict(JOB, workload="rm")], [1]):
    r = submit(SHAS[0], SHAS[3], atomic=atomic)
    assert not r["ok"], (atomic, r)
r = submit(SHAS[0], SHAS[3], name="x\x1b[31m")
assert r["code"] == "data", r
assert ask(op="queue", all=True)["jobs"] == []
PY
try 'a dry run stores nothing but says what it would do' <<'PY'
r = submit("main~3", "main", options={"dry_run": True})
assert r["ok"] and r["dry_run"] and r["base"] == SHAS[0], r
assert len(r["comparisons"]) == 1
assert ask(op="queue", all=True)["jobs"] == []
PY
try 'a base that is no ancestor is compared, with the merge base named' <<'PY'
side = open(os.path.join(os.path.dirname(SOCK), "side")).read().strip()
r = submit(SHAS[3], side)
assert r["ok"] and "no ancestor" in r["note"] and SHAS[1][:12] in r["note"], r
PY
try 'the same key again is the same job' <<'PY'
a = submit(SHAS[0], SHAS[3], client_key="k1")
b = submit(SHAS[0], SHAS[3], client_key="k1")
c = submit(SHAS[0], SHAS[3], client_key="k2")
assert a["job"] == b["job"] != c["job"], (a, b, c)
assert a["comparisons"] == b["comparisons"]
PY
try 'a watcher gets every event from the start and then the end' <<'PY'
s = connect()
s.settimeout(120)
s.sendall(b'{"op":"watch","job":1,"from_event":0}\n')
ids, end, kinds = [], None, []
for line in s.makefile("r"):
    f = json.loads(line)
    if "event" in f:
        ids.append(f["event"]["id"])
        kinds.append(f["event"]["kind"])
    if "end" in f:
        end = f["end"]
        break
assert end["state"] == "done" and end["verdict"], end
assert ids == sorted(set(ids)) and kinds[0] == "submitted", (ids, kinds)
log = ask(op="log", job=1)["events"]
assert [e["id"] for e in log][:len(ids)] == ids
r = ask(op="log", job=1, from_event=ids[0], limit=1)["events"]
assert [e["id"] for e in r] == ids[1:2]
PY
try 'compare gives both matrices and the boots behind them' <<'PY'
r = ask(op="compare", job=1)
m = r["matrices"]
assert [x["commit"] for x in m] == [r["comparison"]["base_sha"],
                                    r["comparison"]["head_sha"]]
v = m[0]["values"]["stress-ng.pipe.ops_per_sec"]
assert len(v) == len(m[0]["boots"]) == r["axes"]["runs"][0] > 0
assert m[0]["boots"][:4] == [0, 0, 1, 1], m[0]["boots"]
# boots are counted as they end, on two boxes; a pair is one boot of each side
for side in m:
    pair_of = dict(zip(side["boots"], side["pairs"]))
    assert side["pairs"] == [pair_of[b] for b in side["boots"]], side["pairs"]
    assert sorted(pair_of.values()) == [0, 1, 2, 3], side["pairs"]
assert r["axes"]["axes"]["testcase"] == "stress-ng"
again = ask(op="compare", base=m[0]["commit"][:12], head=m[1]["commit"][:12])
assert again["comparison"]["id"] == r["comparison"]["id"]
assert ask(op="compare", base="zz", head="yy")["code"] == "data"
PY
try 'one user may have so many open jobs and no more' <<'PY'
seen = [submit(SHAS[0], SHAS[3], options={"pairs": 50, "runs": 50})
        for _ in range(6)]
refused = [r for r in seen if not r["ok"]]
assert refused and refused[0]["code"] == "limit", seen
assert "max_jobs_per_user" in refused[0]["error"]
for r in seen:
    if r["ok"]:
        assert ask(op="cancel", job=r["job"])["ok"]
PY
try 'changing a job that has ended is refused' <<'PY'
assert ask(op="cancel", job=1)["code"] == "exists"
assert ask(op="retry", job=1)["code"] == "notfound"
assert ask(op="cancel", job=999)["code"] == "notfound"
assert ask(op="status")["code"] == "data"
PY
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$dir" && chmod 666 "$DROVER_SOCKET"
	try 'a user who is no admin may submit, but not run the lab' <<'PY'
os.setgid(65534)
os.setuid(65534)
assert ask(op="ping")["ok"]
for op in ("box_add", "box_drain", "box_undrain", "repo_add", "shutdown"):
    r = ask(op=op, box="null-a")
    assert r["code"] == "denied" and "admin" in r["error"], r
assert ask(op="cancel", job=2)["code"] == "denied"
assert ask(op="prio", job=2, prio=9)["code"] == "denied"
r = submit(SHAS[0], SHAS[3])
assert r["ok"] and ask(op="cancel", job=r["job"])["ok"], r
PY
else
	n=$((n + 1))
	echo "ok $n - roles of other users # SKIP needs root"
fi
echo "1..$n"
