#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bisections under a killer.

The same bisections are run twice, side by side: by a droverd that is killed
with SIGKILL at random times and started again, and by one that is left alone.
Each must name the same commit, and no boot may have been run twice.
"""
import argparse
import atexit
import collections
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import campaign


class Histories:
    """One branch per bisection: its commits, its culprit, what is broken."""

    def __init__(self, args, rng):
        self.repo = os.path.join(args.dir, "repo")
        self.makefile = os.path.join(args.dir, "Makefile.toy")
        self.rng = rng
        self.branches = []
        self.slow = set()
        self.git("init", "-q", self.repo, cwd=args.dir)
        for nr in range(args.branches):
            self.add_branch(nr, args.commits)
        with open(os.path.join(args.dir, "slow"), "w",
                  encoding="utf-8") as f:
            f.writelines(sha + "\n" for sha in sorted(self.slow))

    def git(self, *words, cwd=None, text=""):
        return subprocess.run(
            ["git", *words], cwd=cwd or self.repo, check=True, text=True,
            input=text, capture_output=True).stdout

    @staticmethod
    def commit(ref, k, files):
        out = ["commit refs/heads/%s" % ref,
               "committer C <c@example.org> %d +0000" % (1700000000 + k),
               "data <<END", "%s: change %d" % (ref, k), "END"]
        for path, text in files:
            out += ["M 100644 inline %s" % path, "data <<END",
                    text.rstrip("\n"), "END"]
        return "\n".join(out) + "\n"

    def add_branch(self, nr, commits):
        """Every fourth branch has a stretch that doesn't build."""
        ref = "branch%d" % nr
        culprit = self.rng.randrange(2, commits - 2)
        broken = range(0)
        if nr % 4 == 3:
            start = self.rng.randrange(1, commits - 5)
            broken = range(start, start + 3)
        with open(self.makefile, encoding="utf-8") as f:
            makefile = f.read()
        text = self.commit(ref, 0, [
            ("Makefile", makefile), ("hook", ":"),
            ("core.c", "int main(void) { return %d; }" % (nr * 1000))])
        for k in range(1, commits):
            value = "oops" if k in broken else str(nr * 1000 + k)
            if k % 3:
                text += self.commit(ref, k, [
                    ("core.c", "int main(void) { return %s; }" % value)])
            else:
                text += self.commit(ref, k, [("drivers/d%d.c" % k, str(k))])
        self.git("fast-import", "--quiet", text=text)
        shas = self.git("rev-list", "--reverse", ref).split()
        # a commit that touches nothing compiled is no culprit
        culprit += culprit % 3 == 0
        self.branches.append({"shas": shas, "culprit": shas[culprit],
                              "broken": [shas[k] for k in broken]})
        self.slow.update(shas[culprit:])


def submit(args, branch, nr):
    request = {
        "op": "submit", "name": "bisect-%d" % nr, "yaml": "",
        "base": branch["shas"][0], "head": branch["shas"][-1],
        "client_key": "bisect-%d" % nr,
        "atomic": [{
            "suite": "stress-ng", "testcase": "stress-ng",
            "workload": "stress-ng",
            "params": {"test": "pipe", "nr_threads": "1", "testtime": "1s"}}],
        "options": {"pairs": 2, "runs": 2, "bisect": "auto"},
    }
    reply = campaign.ask(args.socket, **request)
    if not reply.get("ok"):
        sys.exit("refused: %s" % reply.get("error"))
    return reply["job"]


def lab(args, name):
    """A folder with settings of its own; the repository is shared."""
    mine = argparse.Namespace(**vars(args))
    mine.dir = os.path.join(args.dir, name)
    mine.socket = os.path.join(mine.dir, "sock")
    os.mkdir(mine.dir)
    boxes = "".join(
        "  - name: null-%d\n    tbox_group: herd\n    backend: 'null'\n"
        "    boot: {method: qemu, cpus: 1, icount: 2}\n"
        "    script: {mean: 100000, sd: 100, boot_sd: 100, slow_pct: 20,\n"
        "      slow_file: %s/slow, metrics: 2, seed: %d, sleep_ms: %d,\n"
        "      log: %s/box-%d.log}\n" % (i, args.dir, i, args.sleep_ms,
                                         mine.dir, i)
        for i in range(args.boxes))
    with open(os.path.join(mine.dir, "lab.yaml"), "w", encoding="utf-8") as f:
        f.write("boxes:\n" + boxes)
    with open(os.path.join(mine.dir, "drover.yaml"), "w",
              encoding="utf-8") as f:
        f.write("state_dir: {d}/state\nsocket: {d}/sock\n"
                "lab_file: {d}/lab.yaml\nlibexec_dir: {t}/libexec\n"
                "mail: {{enabled: false}}\n"
                "bisect: {{budget_runs: 2000, max_boots: 200}}\n"
                "build: {{ccache: false, slots: 2}}\nrepos:\n"
                "  - {{name: r, path: {t}/repo, kconfig: {t}/kconfig}}\n"
                .format(d=mine.dir, t=args.dir))
    return mine


def open_jobs(mine):
    return len(campaign.ask(mine.socket, op="queue")["jobs"])


def run(args, killed, calm, branches, rng):
    """Bisections without end until the last kill; returns the daemon that was
    killed and how many there were."""
    daemon, other = campaign.Daemon(killed), campaign.Daemon(calm)
    for d in (daemon, other):
        atexit.register(d.forget)
        d.start()
    nr = 0
    for _ in range(args.kills):
        while open_jobs(killed) < 2 and nr < len(branches):
            submit(killed, branches[nr], nr)
            submit(calm, branches[nr], nr)
            nr += 1
        time.sleep(rng.uniform(0, args.pause))
        daemon.kill()
        daemon.start()
    for mine, d in ((killed, daemon), (calm, other)):
        campaign.wait_for_end(mine, d)
        d.stop()
    return daemon, nr


def database(mine):
    return sqlite3.connect(os.path.join(mine.dir, "state", "drover.db"))


def verdicts(mine):
    """client key -> (verdict, commits) of its bisection."""
    out = {}
    for key, verdict, commits in database(mine).execute(
            "SELECT j.client_key, b.verdict, b.commits_json FROM job j "
            "JOIN comparison c ON c.job_id = j.id "
            "LEFT JOIN bisect b ON b.comparison_id = c.id"):
        out[key] = (verdict, sorted(json.loads(commits or "[]")))
    return out


def is_right(branch, verdict, commits):
    if branch["culprit"] in branch["broken"] or verdict == "set":
        return branch["culprit"] in commits
    return verdict == "culprit" and commits == [branch["culprit"]]


def started_twice(db, logs):
    """Boots of which the boxes saw more than one begin."""
    plans = dict(db.execute("SELECT id, plan_id FROM attempt "
                            "WHERE plan_id NOT NULL"))
    begun = collections.Counter(
        plans.get(attempt) for (_, attempt), events in logs.items()
        if any(e["event"] == "start" for e in events))
    return sum(n - 1 for n in begun.values() if n > 1)


def steps_that_differ(db):
    """Steps whose boots are not those that were asked for, each once."""
    bad = 0
    for step, ask in db.execute("SELECT id, ask_json FROM bisect_step"):
        asked = [(b["commit"], b["layout"]) for b in json.loads(ask)["boots"]]
        # what head was merged into is measured as head
        planned = [r[0] for r in db.execute(
            "SELECT seq FROM plan WHERE step_id = ? ORDER BY seq", (step,))]
        bad += len(planned) != len(asked) or \
            len(set(planned)) != len(planned)
    return bad


def check(args, killed, calm, branches, daemon, began):
    c = campaign.Checks()
    db = database(killed)
    logs = campaign.read_logs(killed)
    mine, theirs = verdicts(killed), verdicts(calm)
    differ = [k for k in mine if mine[k] != theirs.get(k)]
    wrong = [k for k, v in mine.items()
             if not is_right(branches[int(k.split("-")[1])], *v)]

    c.row("daemon killed with SIGKILL", args.kills)
    c.row("bisections", len(mine), len(mine) == len(branches))
    c.row("steps", campaign.count(db, "SELECT count(*) FROM bisect_step"))
    c.row("verdicts that differ from those of a calm daemon", len(differ),
          not differ)
    for key in differ:
        print("    %s: %s, calm %s" % (key, mine[key], theirs.get(key)))
    c.row("verdicts that are wrong", len(wrong), not wrong)
    for key in wrong:
        print("    %s: %s" % (key, mine[key]))
    twice = started_twice(db, logs)
    c.row("boots begun more than once", twice, twice == 0)
    twice = campaign.count(db, "SELECT count(*) FROM (SELECT plan_id "
                               "FROM boot GROUP BY plan_id "
                               "HAVING count(*) > 1)")
    c.row("boots with two accepted results", twice, twice == 0)
    odd = steps_that_differ(db)
    c.row("steps whose boots are not the ones asked for", odd, odd == 0)
    twice = campaign.count(db, "SELECT count(*) FROM (SELECT artifact_id FROM "
                               "attempt WHERE kind = 'build' AND state IN "
                               "('done', 'failed') GROUP BY artifact_id "
                               "HAVING count(*) > 1)")
    c.row("kernels built more than once", twice, twice == 0)
    open_steps = campaign.count(db, "SELECT count(*) FROM bisect WHERE state "
                                    "= 'running'")
    c.row("bisections still open", open_steps, open_steps == 0)
    overlaps = campaign.count_overlaps(campaign.spans_of(logs))
    c.row("overlapping runs on a box", overlaps, overlaps == 0)
    c.row("boots", campaign.count(db, "SELECT count(*) FROM boot"))
    c.row("of a calm daemon", campaign.count(
        database(calm), "SELECT count(*) FROM boot"))
    c.row("builds ahead that were dropped", campaign.count(
        db, "SELECT count(*) FROM attempt WHERE kind = 'build' "
            "AND state = 'cancelled'"))
    words = db.execute("PRAGMA integrity_check").fetchone()[0]
    c.row("integrity_check", words, words == "ok")
    starts = sorted(daemon.starts)
    c.row("start until it served, slowest, s", "%.3f" % starts[-1])
    c.row("campaign, s", "%.0f" % (time.monotonic() - began))
    return c.failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dir", required=True)
    p.add_argument("--droverd", required=True)
    p.add_argument("--kills", type=int, default=200)
    p.add_argument("--branches", type=int, default=24)
    p.add_argument("--commits", type=int, default=30)
    p.add_argument("--boxes", type=int, default=3)
    p.add_argument("--sleep-ms", type=int, default=80)
    p.add_argument("--pause", type=float, default=0.7,
                   help="longest time between two kills, s")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rng = random.Random(args.seed)
    began = time.monotonic()
    branches = Histories(args, rng).branches
    killed = lab(args, "killed")
    calm = lab(args, "calm")
    daemon, nr = run(args, killed, calm, branches, rng)
    failed = check(args, killed, calm, branches[:nr], daemon, began)
    print("bisections under a killer: %s" %
          ("%d violations" % failed if failed else "no violation"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
