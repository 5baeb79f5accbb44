#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A history as a git repository and as the bisection engine's start message.

usage: gen_history.py REPO START.json COMMITS SEED [--linear]

REPO (a bare repository, made by git fast-import) and START.json hold the same
commits under the same names. A quarter of the steps along the main line merge
a branch of some commits that began up to twenty commits earlier.
"""
import json
import os
import random
import subprocess
import sys


def history(rng, nr, linear):
    """Parents per commit, as places in the list; 0 is the good commit."""
    parents, main = [[]], [0]
    while len(parents) < nr:
        if not linear and rng.random() < .25 and nr - len(parents) > 12:
            tip = main[max(0, len(main) - 1 - rng.randrange(20))]
            for _ in range(1 + min(9, int(rng.expovariate(1 / 6)))):
                parents.append([tip])
                tip = len(parents) - 1
            parents.append([main[-1], tip])
        else:
            parents.append([main[-1]])
        main.append(len(parents) - 1)
    return parents + [[main[-1]]]


def stream(parents):
    for i, ps in enumerate(parents):
        yield "commit refs/heads/main\nmark :%d\n" % (i + 1)
        yield "committer Bench <bench@example.org> %d +0000\n" % (10 ** 9 + i)
        yield "data 0\n"
        yield "".join("%s :%d\n" % ("merge" if k else "from", p + 1)
                      for k, p in enumerate(ps))
    yield "done\n"


def main():
    repo, start, nr, seed = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5])
    parents = history(random.Random(seed), nr, "--linear" in sys.argv)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repo], check=True)
    marks = os.path.abspath(os.path.join(repo, "marks"))
    # fast-import gives its memory back to the system with every commit, which
    # is most of its time on a virtual machine
    env = dict(os.environ, MALLOC_TRIM_THRESHOLD_="1000000000",
               MALLOC_TOP_PAD_="67108864")
    subprocess.run(["git", "-C", repo, "fast-import", "--quiet", "--done",
                    "--export-marks=" + marks], check=True, text=True,
                   env=env, input="".join(stream(parents)))
    subprocess.run(["git", "-C", repo, "commit-graph", "write", "--reachable",
                    "--no-progress"], check=True)
    ids = [None] * len(parents)
    with open(marks) as f:
        for mark, sha in map(str.split, f):
            ids[int(mark[1:]) - 1] = sha
    subprocess.run(["git", "-C", repo, "tag", "good", ids[0]], check=True)
    subprocess.run(["git", "-C", repo, "tag", "bad", ids[-1]], check=True)
    message = {
        "op": "start", "good": ids[0], "bad": ids[-1], "claim": -.1,
        "commits": [{"id": c, "parents": [ids[p] for p in ps]}
                    for c, ps in zip(ids, parents)],
        "direction": "higher", "boxes": ["b0", "b1"], "budget_runs": 1000,
        "calibration": {"dof": 20, "sd": .02, "boot_share": .8, "layout_sd": 0.},
        "cost": {"build": 10, "boot": 1, "run": 1}}
    with open(start, "w") as f:
        json.dump(message, f)
        f.write("\n")


main()
