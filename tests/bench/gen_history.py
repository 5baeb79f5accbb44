#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A history as a git repository.

usage: gen_history.py REPO COMMITS SEED [--linear]

REPO is a bare repository, made by git fast-import, with a commit-graph and the
tags good and bad at its ends. A quarter of the steps along the main line merge
a branch of some commits that began up to twenty commits earlier.
"""
import os
import random
import subprocess
import sys


def history(rng, nr, linear):
    """Parents per commit, as places in the list; 0 is the good commit."""
    main, at = [0], 1
    yield ()
    while at < nr:
        if not linear and rng.random() < .25 and nr - at > 12:
            tip = main[max(0, len(main) - 1 - rng.randrange(20))]
            for _ in range(1 + min(9, int(rng.expovariate(1 / 6)))):
                yield (tip,)
                tip, at = at, at + 1
            yield (main[-1], tip)
        else:
            yield (main[-1],)
        main.append(at)
        at += 1
        del main[:-40]
    yield (main[-1],)


def commit(i, parents):
    ref = "tags/good" if i == 0 else "heads/main"
    return ("commit refs/%s\nmark :%d\ncommitter Bench <bench@example.org> %d +0000\n"
            "data 0\n%s" % (ref, i + 1, 10 ** 9 + i,
                            "".join("%s :%d\n" % ("merge" if k else "from", p + 1)
                                    for k, p in enumerate(parents))))


def main():
    repo, nr, seed = sys.argv[1], *map(int, sys.argv[2:4])
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repo], check=True)
    # fast-import gives its memory back to the system with every commit, which
    # is most of its time on a virtual machine
    env = dict(os.environ, MALLOC_TRIM_THRESHOLD_="1000000000",
               MALLOC_TOP_PAD_="67108864")
    p = subprocess.Popen(["git", "-C", repo, "fast-import", "--quiet", "--done"],
                         stdin=subprocess.PIPE, text=True, env=env)
    for i, parents in enumerate(history(random.Random(seed), nr, "--linear" in sys.argv)):
        p.stdin.write(commit(i, parents))
    p.stdin.write("done\n")
    p.stdin.close()
    if p.wait():
        sys.exit("git fast-import failed")
    subprocess.run(["git", "-C", repo, "tag", "bad", "main"], check=True)
    subprocess.run(["git", "-C", repo, "commit-graph", "write", "--reachable",
                    "--no-progress"], check=True)


main()
