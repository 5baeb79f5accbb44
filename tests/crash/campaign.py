#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The crash campaign's client, killer and checker.

One thread submits jobs and notes each acknowledgement; the main thread starts
droverd, kills it with SIGKILL after a random time and starts it again. At the
end the acknowledgements, the boxes' own logs and the database are joined:
whatever doesn't fit together is a violation.
"""
import argparse
import atexit
import collections
import glob
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

READY_LIMIT_S = 2.0
END_LIMIT_S = 600


class Client:
    """Requests over the socket; a broken connection is the caller's matter."""

    def __init__(self, path, timeout=20):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(timeout)
        self.sock.connect(path)
        self.file = self.sock.makefile("rw", encoding="utf-8")

    def ask(self, **request):
        self.file.write(json.dumps(request) + "\n")
        self.file.flush()
        line = self.file.readline()
        if not line:
            raise ConnectionError("closed")
        return json.loads(line)

    def close(self):
        self.file.close()
        self.sock.close()


def ask(path, **request):
    client = Client(path)
    try:
        return client.ask(**request)
    finally:
        client.close()


class Submitter(threading.Thread):
    """Submits the jobs one after the other until each is acknowledged."""

    def __init__(self, args, shas):
        super().__init__(daemon=True)
        self.args = args
        self.shas = shas
        self.acks = {}
        self.refused = []
        self.again = 0
        self.go_on = threading.Event()
        self.rng = random.Random(args.seed + 1)

    def request(self, i):
        base = self.rng.randrange(len(self.shas) - 1)
        head = self.rng.randrange(base + 1, len(self.shas))
        return {
            "op": "submit", "name": "crash-%d" % i, "yaml": "",
            "base": self.shas[base], "head": self.shas[head],
            "client_key": "crash-%d-%d" % (self.args.seed, i),
            "atomic": [{
                "suite": "stress-ng", "testcase": "stress-ng",
                "workload": "stress-ng",
                "params": {"test": "pipe", "nr_threads": "1",
                           "testtime": "1s"}}],
            "options": {"pairs": 1, "runs": 2, "bisect": "never"},
        }

    def submit(self, i):
        request = self.request(i)
        while True:
            try:
                reply = ask(self.args.socket, **request)
            except (OSError, ValueError):
                self.again += 1
                time.sleep(0.02)
                continue
            if reply.get("ok"):
                self.acks[i] = reply["job"]
            else:
                self.refused.append(reply)
            return

    def run(self):
        for i in range(self.args.jobs):
            self.submit(i)
            time.sleep(self.rng.random() * self.args.pause)


class Daemon:
    """droverd under test: started, killed, started again."""

    def __init__(self, args):
        self.args = args
        self.log = open(os.path.join(args.dir, "droverd.log"), "ab")
        self.starts = []
        self.proc = None

    def start(self):
        begin = time.monotonic()
        self.proc = subprocess.Popen(
            [self.args.droverd, "--config",
             os.path.join(self.args.dir, "drover.yaml")],
            stderr=self.log, stdin=subprocess.DEVNULL)
        while True:
            try:
                if ask(self.args.socket, op="ping").get("ok"):
                    break
            except (OSError, ValueError):
                pass
            if self.proc.poll() is not None:
                sys.exit("droverd ended by itself with status %d, see %s" %
                         (self.proc.returncode, self.log.name))
            if time.monotonic() - begin > 30:
                sys.exit("droverd does not answer within 30 s")
            time.sleep(0.005)
        self.starts.append(time.monotonic() - begin)

    def kill(self):
        self.proc.send_signal(signal.SIGKILL)
        self.proc.wait()

    def forget(self):
        """Whatever happens, no daemon stays behind."""
        if self.proc and self.proc.poll() is None:
            self.kill()

    def stop(self):
        begin = time.monotonic()
        self.proc.send_signal(signal.SIGTERM)
        self.proc.wait(30)
        return time.monotonic() - begin


def wait_for_end(args, daemon):
    """Until no job is open: how long that took."""
    begin = time.monotonic()
    while True:
        jobs = ask(args.socket, op="queue")["jobs"]
        if not jobs:
            return time.monotonic() - begin
        if time.monotonic() - begin > END_LIMIT_S:
            daemon.stop()
            sys.exit("%d jobs are still open after %d s, e.g. %s" %
                     (len(jobs), END_LIMIT_S, jobs[0]))
        time.sleep(0.5)


def read_logs(args):
    """What each box says it did: (box, attempt) -> list of events."""
    seen = collections.OrderedDict()
    for path in sorted(glob.glob(os.path.join(args.dir, "box-*.log"))):
        with open(path, encoding="utf-8") as f:
            for line in f:
                e = json.loads(line)
                seen.setdefault((e["box"], e["attempt"]), []).append(e)
    return seen


def spans_of(logs):
    """(box, start_ns, end_ns, attempt) of every run; end None: no end seen."""
    spans = []
    for (box, attempt), events in logs.items():
        open_at = {}
        for e in events:
            if e["event"] == "start":
                open_at[e["seq"]] = e["mono_ns"]
            elif e["event"] == "end" and e["seq"] in open_at:
                spans.append((box, open_at.pop(e["seq"]), e["mono_ns"],
                              attempt))
        for at in open_at.values():
            spans.append((box, at, None, attempt))
    return sorted(spans, key=lambda s: (s[0], s[1]))


def count_overlaps(spans):
    bad = 0
    last = {}
    for box, start, end, attempt in spans:
        before = last.get(box)
        if before and before[1] > start and before[2] != attempt:
            bad += 1
        if end is not None:
            last[box] = (start, max(end, before[1] if before else 0), attempt)
    return bad


class Checks:
    def __init__(self):
        self.failed = 0

    def row(self, what, value, good=None):
        word = "" if good is None else ("ok" if good else "VIOLATION")
        if good is False:
            self.failed += 1
        print("%-52s %14s  %s" % (what, value, word))


def count(db, sql, *values):
    return db.execute(sql, values).fetchone()[0]


def check(args, submitter, daemon, took):
    c = Checks()
    db = sqlite3.connect(os.path.join(args.dir, "state", "drover.db"))
    logs = read_logs(args)
    spans = spans_of(logs)
    jobs = dict(db.execute("SELECT client_key, id FROM job"))
    states = dict(db.execute("SELECT id, state FROM job"))
    keys = {"crash-%d-%d" % (args.seed, i): job
            for i, job in submitter.acks.items()}
    lost = sum(jobs.get(k) != job for k, job in keys.items())
    attempts = count(db, "SELECT count(*) FROM attempt")
    repeated = count(db, "SELECT count(*) FROM attempt "
                         "WHERE state IN ('lost', 'infra')")
    with open(daemon.log.name, encoding="utf-8", errors="replace") as f:
        adopted = len(re.findall("is adopted", f.read()))

    c.row("daemon killed with SIGKILL", args.kills)
    c.row("jobs acknowledged", len(keys), len(keys) == args.jobs)
    c.row("submissions repeated after a broken connection", submitter.again)
    c.row("submissions refused", len(submitter.refused),
          not submitter.refused)
    for reply in submitter.refused[:3]:
        print("    %s" % reply.get("error"))
    c.row("acknowledged jobs lost", lost, lost == 0)
    c.row("jobs nobody was told of", len(set(jobs) - set(keys)),
          not set(jobs) - set(keys))
    bad = sum(s != "done" for s in states.values())
    c.row("jobs that did not end as done", bad, bad == 0)
    two = count(db, "SELECT count(*) FROM (SELECT plan_id FROM attempt WHERE "
                    "state = 'done' AND plan_id NOT NULL GROUP BY plan_id "
                    "HAVING count(*) > 1)")
    two += count(db, "SELECT count(*) FROM (SELECT plan_id FROM boot "
                     "GROUP BY plan_id HAVING count(*) > 1)")
    c.row("boots with two accepted results", two, two == 0)
    unknown = sum(1 for box, attempt in logs if not count(
        db, "SELECT count(*) FROM attempt a JOIN box b ON b.id = a.box_id "
            "WHERE a.id = ? AND b.name = ?", attempt, box))
    c.row("attempts that a box saw and the database did not", unknown,
          unknown == 0)
    invented = sum(1 for attempt, box, nr in db.execute(
        "SELECT b.attempt_id, x.name, count(r.id) FROM boot b "
        "JOIN box x ON x.id = b.box_id JOIN run r ON r.boot_id = b.id "
        "GROUP BY b.id") if nr != sum(
            e["event"] == "end" for e in logs.get((box, attempt), [])))
    c.row("boots whose runs differ from the box's log", invented,
          invented == 0)
    overlaps = count_overlaps(spans)
    c.row("overlapping runs on a box", overlaps, overlaps == 0)
    c.row("runs that the boxes logged", len(spans))
    left = count(db, "SELECT count(*) FROM attempt WHERE state = 'leased'")
    c.row("attempts still leased", left, left == 0)
    folders = len(os.listdir(os.path.join(args.dir, "state", "tasks")))
    c.row("task folders left over", folders, folders == 0)
    c.row("attempts in all", attempts)
    c.row("workers adopted by a new daemon", adopted)
    c.row("attempts lost or repeated", repeated,
          repeated <= attempts / 100)
    words = db.execute("PRAGMA integrity_check").fetchone()[0]
    c.row("integrity_check", words, words == "ok")
    broken = len(db.execute("PRAGMA foreign_key_check").fetchall())
    c.row("rows that refer to nothing", broken, broken == 0)
    starts = sorted(daemon.starts)
    middle = starts[len(starts) // 2]
    c.row("start until it served, median, s", "%.3f" % middle,
          middle <= READY_LIMIT_S)
    c.row("start until it served, slowest, s", "%.3f" % starts[-1])
    c.row("end after SIGTERM, s", "%.3f" % took["stop"], took["stop"] <= 5)
    c.row("campaign, s", "%.0f" % took["all"])
    db.close()
    return c.failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dir", required=True)
    p.add_argument("--droverd", required=True)
    p.add_argument("--jobs", type=int, default=300)
    p.add_argument("--kills", type=int, default=100)
    p.add_argument("--boxes", type=int, default=6)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--pause", type=float, default=0.5,
                   help="longest pause between two submissions, s")
    args = p.parse_args()
    args.socket = os.path.join(args.dir, "sock")
    shas = subprocess.run(
        ["git", "-C", os.path.join(args.dir, "repo"), "rev-list", "--reverse",
         "HEAD"], check=True, capture_output=True, text=True).stdout.split()
    rng = random.Random(args.seed)
    begin = time.monotonic()
    daemon = Daemon(args)
    atexit.register(daemon.forget)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    submitter = Submitter(args, shas)
    daemon.start()
    submitter.start()
    for _ in range(args.kills):
        time.sleep(rng.uniform(0.05, 1.2))
        daemon.kill()
        daemon.start()
    submitter.join()
    wait_for_end(args, daemon)
    stop_s = daemon.stop()
    failed = check(args, submitter, daemon,
                   {"stop": stop_s, "all": time.monotonic() - begin})
    print("crash campaign: %s" %
          ("%d violations" % failed if failed else "no violation"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
