#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every culprit of a history with many merges, without noise.

usage: noise_free.py [--commits N] [--seed S] [--every K] -- ENGINE [ARG ...]
       noise_free.py --repo PATH GOOD BAD [--every K] -- ENGINE [ARG ...]

Makes a history shaped like git's own (topics of a few commits, begun long
before they are merged, some on top of others), or reads one, asks the engine
for each K-th commit as culprit, and prints how many it found and what it built
beyond the two ends, which a comparison has built before. Exit 1 when one was
not found, or the mean is above log2 N + 1.
"""
import argparse
import json
import math
import random
import subprocess
import sys

CHANGE = .05


def made(rng, nr):
    """[(id, parents)], parents first, from the good commit to the bad one."""
    out, main, topic = [("c0", [])], [0], 0

    def add(*parents):
        out.append(("c%d" % len(out), ["c%d" % p for p in parents]))
        return len(out) - 1

    while len(out) < nr - 10:
        tip = main[-1 - min(len(main) - 1, int(rng.expovariate(1 / 25)))]
        if topic and rng.random() < .2:
            tip = topic
        for _ in range(1 + min(6, int(rng.expovariate(1 / 2)))):
            tip = add(tip)
        if rng.random() < .1:
            tip = add(tip, main[-1])
        topic = tip
        main.append(add(main[-1], tip))
    while len(out) <= nr:
        main.append(add(main[-1]))
    return out


def read(repo, good, bad):
    def git(*args):
        return subprocess.run(["git", "-C", repo, *args], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    base = git("rev-parse", "--verify", good + "^{commit}").strip()
    lines = git("rev-list", "--topo-order", "--reverse", "--parents",
                "--ancestry-path", base + ".." + bad).splitlines()
    return [(base, [])] + [(w[0], w[1:]) for w in map(str.split, lines)]


def descendants(commits, culprit):
    has = {culprit}
    for c, parents in commits:
        if any(p in has for p in parents):
            has.add(c)
    return has


def bisect(p, start, commits, culprit):
    """Verdict and builds beyond the two ends."""
    bad, built = descendants(commits, culprit), set()

    def value(c):
        return 1 - CHANGE * (c in bad)
    p.stdin.write(start)
    while True:
        p.stdin.flush()
        line = p.stdout.readline()
        if not line:
            sys.exit("the engine ended: exit %s" % p.wait())
        answer = json.loads(line)
        if answer["op"] == "verdict":
            ends = {(commits[0][0], 0), (commits[-1][0], 0)}
            return answer.get("commits"), len(built - ends)
        for b in answer["boots"]:
            built.add((b["commit"], b["layout"]))
            b["values"] = [value(b["commit"])] * b["runs"]
        p.stdin.write(json.dumps({"op": "result", "boots": answer["boots"]}) + "\n")


def main():
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("--commits", type=int, default=1000)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--every", type=int, default=1)
    args.add_argument("--repo", nargs=3)
    a, engine = args.parse_args(sys.argv[1:cut]), sys.argv[cut + 1:]
    commits = read(*a.repo) if a.repo else made(random.Random(a.seed), a.commits)
    start = json.dumps({
        "op": "start", "good": commits[0][0], "bad": commits[-1][0],
        "claim": -CHANGE, "direction": "higher", "boxes": ["b0", "b1"],
        "commits": [{"id": c, "parents": ps} for c, ps in commits],
        "budget_runs": 1000, "cost": {"build": 10, "boot": 1, "run": 1},
        "calibration": {"dof": 20, "sd": .0001, "boot_share": .8, "layout_sd": 0}}) + "\n"
    p = subprocess.Popen(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    builds, lost = [], []
    for c, _ in commits[1::a.every]:
        named, nr = bisect(p, start, commits, c)
        builds.append(nr)
        if named != [c]:
            lost.append(c)
    p.stdin.close()
    nr, merges = len(commits) - 1, sum(len(ps) > 1 for _, ps in commits)
    mean, bound = sum(builds) / len(builds), math.log2(nr)
    print("%d commits, %d merges: %d culprits, %.2f %% right, builds %.2f (%d at most), "
          "log2 N = %.2f" % (nr, merges, len(builds),
                             100 * (1 - len(lost) / len(builds)), mean, max(builds), bound))
    return 1 if lost or mean > bound + 1 else 0


sys.exit(main())
