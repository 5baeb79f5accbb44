#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bisection by a t-test: a commit is bad when it differs from good, p < .05.

usage: engine_ttest.py [RUNS]

RUNS a commit, default 10; Welch's two-sided test, and the difference must have
the sign of the claimed change. The ends must differ so too, else it refuses.
"""
import math
import sys

from engine_common import mean, serve


def beta_fraction(a, b, x):
    """Continued fraction of the incomplete beta function (Lentz's way)."""
    tiny = 1e-300
    c, d = 1., 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    h = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / ((1 + step * d) or tiny)
            c = (1 + step / c) or tiny
            h *= d * c
        if abs(d * c - 1) < 1e-12:
            break
    return h


def beta_share(a, b, x):
    """Regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) +
                     a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def welch_p(a, b):
    ma, mb = mean(a), mean(b)
    va = sum((v - ma) ** 2 for v in a) / (len(a) - 1) / len(a)
    vb = sum((v - mb) ** 2 for v in b) / (len(b) - 1) / len(b)
    if va + vb == 0:
        return float(ma == mb)
    t2 = (ma - mb) ** 2 / (va + vb)
    df = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    return beta_share(df / 2, .5, df / (df + t2))


def judge_of(good, bad, claim):
    def judge(values):
        return (mean(values) - mean(good)) * claim > 0 and \
            welch_p(values, good) < .05
    return judge if judge(bad) else None


if __name__ == "__main__":
    RUNS = sys.argv[1] if len(sys.argv) == 2 else "10"
    if len(sys.argv) > 2 or not RUNS.isdigit() or int(RUNS) < 2:
        sys.exit(__doc__)
    serve(int(RUNS), judge_of)
