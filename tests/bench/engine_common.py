# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simple bisection engines share: the line protocol and git's rule.

A range keeps, as git bisect does, the commits that may still be the first bad
one, and tests the one that has nearest to half of them in it. An engine adds
how a commit is judged. Commits that can't be built are passed over for the
next best. All runs are boots of the first box.
"""
import json
import math
import sys


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def measure(start, commit, times):
    """One run in each of so many boots; [] when it can't be built."""
    boot = {"commit": commit, "box": start["boxes"][0], "layout": 0, "runs": 1}
    say({"op": "run", "boots": [boot] * times})
    answer = json.loads(sys.stdin.readline())
    return [v for b in answer["boots"] for v in b.get("values", [])]


class Range:
    def __init__(self, start):
        self.ids = [c["id"] for c in start["commits"]]
        place = {c: i for i, c in enumerate(self.ids)}
        self.has = []               # ancestors and itself, as bits
        for i, c in enumerate(start["commits"]):  # parents come first
            bits = 1 << i
            for p in c["parents"]:
                bits |= self.has[place[p]]
            self.has.append(bits)
        self.left = self.has[place[start["bad"]]] & ~self.has[place[start["good"]]]
        self.skip = 1 << place[start["bad"]]     # is known

    def halving(self):
        """Place of the commit to test; None when nothing is left to tell."""
        nr, best, at = self.left.bit_count(), 0, None
        bits = self.left & ~self.skip
        while bits and nr > 1:
            i = (bits & -bits).bit_length() - 1
            bits &= bits - 1
            within = (self.has[i] & self.left).bit_count()
            if min(within, nr - within) > best:
                best, at = min(within, nr - within), i
        return at

    def learn(self, i, bad):
        self.left = self.left & self.has[i] if bad else self.left & ~self.has[i]
        self.skip |= 1 << i

    def verdict(self):
        left = [c for i, c in enumerate(self.ids) if self.left >> i & 1]
        if len(left) == 1:
            return {"op": "verdict", "verdict": "culprit", "commits": left}
        return {"op": "verdict", "verdict": "set", "commits": left}


def mean(values):
    return math.fsum(values) / len(values)


def bisect(start, times, judge_of):
    """
    Bisect with @times runs a commit. @judge_of(good, bad values, claim) is
    None where the ends don't differ, else a function: values -> bad or not.
    """
    good = measure(start, start["good"], times)
    bad = measure(start, start["bad"], times)
    judge = judge_of(good, bad, start["claim"]) if good and bad else None
    if not judge:
        return {"op": "verdict", "verdict": "not-reproduced"}
    r = Range(start)
    while True:
        i = r.halving()
        if i is None:
            return r.verdict()
        values = measure(start, r.ids[i], times)
        if values:
            r.learn(i, judge(values))
        else:
            r.skip |= 1 << i


def serve(times, judge_of):
    for line in sys.stdin:
        say(bisect(json.loads(line), times, judge_of))
