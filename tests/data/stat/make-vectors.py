#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden vectors for the statistics in analysis/stat_*.c.

    tests/data/stat/make-vectors.py > tests/data/stat/vectors.h

Needs Debian's python3-scipy and python3-numpy (made with scipy 1.10.1, numpy
1.24.2). The numbers come from scipy where it has the statistic, else from the
definition, by enumeration or dense linear algebra, never from the formula that
the C code uses. The tests themselves need neither.
"""
import itertools
import math

import numpy as np
from scipy import optimize, stats
from scipy.stats._resampling import _bca_interval

rng = np.random.default_rng(20240229)
MAX = 40


def num(x):
    if math.isinf(x):
        return "-INFINITY" if x < 0 else "INFINITY"
    if math.isnan(x):
        return "NAN"
    return repr(float(x))


def array(v):
    return "{ " + ", ".join(num(x) for x in v) + " }"


def table(name, fields, rows):
    print("static const struct {")
    for f in fields:
        print("\t%s;" % f)
    print("} %s[] = {" % name)
    for r in rows:
        print("\t{ " + ",\n\t  ".join(r) + " },")
    print("};\n")


def deal(values, take, statistic):
    """The statistic of every way to pick `take` of the values."""
    n = len(values)
    for pick in itertools.combinations(range(n), take):
        yield statistic([values[i] for i in pick])


# --- two samples -----------------------------------------------------------

def mw_row(a, b, p, exact):
    u = stats.mannwhitneyu(b, a, method="asymptotic").statistic
    return ["%d" % len(a), array(a), "%d" % len(b), array(b), num(u), num(p),
            "%d" % exact]


rows = []
for na, nb, shift in ((3, 3, 5), (4, 5, .7), (8, 6, 1), (10, 10, .8),
                      (15, 15, 1), (2, 20, .5)):
    a = np.round(rng.normal(100, 1, na), 6)
    b = np.round(rng.normal(100 + shift, 1, nb), 6)
    p = stats.mannwhitneyu(b, a, alternative="two-sided", method="exact").pvalue
    rows.append(mw_row(a, b, p, 1))
for na, nb, shift in ((4, 5, 0), (6, 6, 1), (5, 8, 1), (3, 9, 2), (7, 7, 0)):
    a = rng.integers(0, 4, na).astype(float)
    b = rng.integers(shift, 4 + shift, nb).astype(float)
    ranks = stats.rankdata(np.concatenate([a, b]))
    middle = nb * (na + nb + 1) / 2
    seen = abs(ranks[na:].sum() - middle)
    all_ = [abs(s - middle) for s in deal(ranks, nb, sum)]
    p = sum(s >= seen - 1e-9 for s in all_) / len(all_)
    rows.append(mw_row(a, b, p, 1))
for na, nb, shift, digits in ((20, 20, .5, 6), (16, 18, .3, 0),
                              (40, 40, .4, 1), (20, 30, 0, 0)):
    a = np.round(rng.normal(100, 1, na), digits)
    b = np.round(rng.normal(100 + shift, 1, nb), digits)
    p = stats.mannwhitneyu(b, a, alternative="two-sided",
                           method="asymptotic").pvalue
    rows.append(mw_row(a, b, p, 0))

print("/* SPDX-License-Identifier: GPL-3.0-or-later */")
print("/* Made by tests/data/stat/make-vectors.py; see there. */")
print("#ifndef TESTS_DATA_STAT_VECTORS_H\n#define TESTS_DATA_STAT_VECTORS_H\n")
print("#include <math.h>\n#include <stddef.h>\n")
TWO = ["size_t na", "double a[%d]" % MAX, "size_t nb", "double b[%d]" % MAX]
table("mannwhitney_vectors", TWO + ["double u, p", "int exact"], rows)


def cut_of(na, nb):
    if na + nb > 30:
        sd = math.sqrt(na * nb * (na + nb + 1) / 12)
        k = math.floor(na * nb / 2 + .5 - stats.norm.isf(.025) * sd)
        return max(k, 0)
    # how many deals of the ranks have U at or below k - 1
    counts = np.zeros(na * nb + 1)
    table_ = {(0, 0): 1}
    for r in range(1, na + nb + 1):
        new = dict(table_)
        for (k, s), ways in table_.items():
            if k < nb:
                new[k + 1, s + r] = new.get((k + 1, s + r), 0) + ways
        table_ = new
    for (k, s), ways in table_.items():
        if k == nb:
            counts[s - nb * (nb + 1) // 2] += ways
    tail = np.cumsum(counts) / counts.sum()
    return int(sum(tail <= .025 + 1e-15))


rows = []
for na, nb, digits in ((3, 3, 6), (3, 5, 6), (4, 4, 6), (5, 5, 0), (10, 8, 6),
                       (12, 18, 6), (20, 20, 6), (25, 35, 0)):
    a = np.round(rng.normal(100, 1, na), digits)
    b = np.round(rng.normal(101, 2, nb), digits)
    d = np.sort(np.subtract.outer(b, a).ravel())
    k = cut_of(na, nb)
    lo, hi = (d[k - 1], d[na * nb - k]) if k else (-math.inf, math.inf)
    rows.append(["%d" % na, array(a), "%d" % nb, array(b), num(np.median(d)),
                 num(lo), num(hi)])
table("hodges_vectors", TWO + ["double shift, lo, hi"], rows)

rows = []
for na, nb, level, mb, sa, sb in ((3, 3, 100, 95, 1, 2), (5, 8, 10, 40, 1, 3),
                                  (10, 10, 1, 1.01, .02, .01),
                                  (4, 20, 7, 7, .5, .1), (3, 3, 1, 2, 1, 1)):
    a = np.round(rng.normal(level, sa, na), 6)
    b = np.round(rng.normal(mb, sb, nb), 6)
    va, vb = a.var(ddof=1) / na, b.var(ddof=1) / nb
    r = b.mean() / a.mean()
    x = r * r * va
    df = (x + vb) ** 2 / (x * x / (na - 1) + vb * vb / (nb - 1))
    t = stats.t.isf(.025, df)
    # all ratios that a t-test of b - ratio * a does not reject
    f = lambda q: (b.mean() - q * a.mean()) ** 2 - t * t * (vb + q * q * va)
    if t * t * va >= a.mean() ** 2:
        lo, hi = -math.inf, math.inf
    else:
        step = abs(r) + 1
        left, right = r - step, r + step
        while f(left) < 0:
            left -= step
        while f(right) < 0:
            right += step
        lo = optimize.brentq(f, left, r, xtol=1e-14) - 1
        hi = optimize.brentq(f, r, right, xtol=1e-14) - 1
    rows.append(["%d" % na, array(a), "%d" % nb, array(b), num(r - 1), num(lo),
                 num(hi)])
table("ratio_vectors", TWO + ["double change, lo, hi"], rows)

rows = []
for fa, na, fb, nb in ((0, 3, 3, 3), (1, 10, 8, 10), (0, 6, 2, 6), (5, 5, 5, 5),
                       (2, 40, 9, 35), (0, 4, 0, 9), (100, 1000, 150, 900),
                       (3, 7, 2, 9)):
    p = stats.fisher_exact([[fa, na - fa], [fb, nb - fb]]).pvalue
    rows.append(["%d" % fa, "%d" % na, "%d" % fb, "%d" % nb, num(p)])
table("fisher_vectors", ["size_t fails_a, runs_a, fails_b, runs_b", "double p"],
      rows)

# --- many tests --------------------------------------------------------------


def by_definition(p):
    """The smallest level at which the step-up procedure rejects each test."""
    m = len(p)
    order = np.sort(p)
    levels = sorted(min(order[k] * m / (k + 1), 1) for k in range(m))
    q = np.ones(m)
    for level in reversed(levels):
        k = [i + 1 for i in range(m) if order[i] <= level * (i + 1) / m + 1e-15]
        if k:
            q[p <= order[max(k) - 1]] = level
    return q


rows = []
for m in (1, 5, 12, 40):
    p = np.round(rng.uniform(0, 1, m) ** 4, 6)
    if m > 5:
        p[3] = p[4]
    e = 1 / np.maximum(np.round(rng.uniform(0, 1, m) ** 3, 6), 1e-6)
    e = np.round(e, 4)
    rows.append(["%d" % m, array(p), array(by_definition(p)), array(e),
                 array(by_definition(1 / e))])
table("fdr_vectors", ["size_t nr"] + ["double %s[%d]" % (x, MAX) for x in
                                      ("p", "bh", "e", "ebh")], rows)

# --- variance components -----------------------------------------------------


def projection(groups):
    z = np.equal.outer(groups, np.unique(groups)).astype(float)
    return z @ np.diag(1 / z.sum(axis=0)) @ z.T, z @ z.T


def components(build, boot, y):
    """Mean squares against their expectations, both by dense matrices."""
    n = len(y)
    code = np.array([b * 1000 + c for b, c in zip(build, boot)])
    p0 = np.full((n, n), 1 / n)
    p1, v1 = projection(np.array(build))
    p2, v2 = projection(code)
    forms = (np.eye(n) - p2, p2 - p1, p1 - p0)
    dof = [np.trace(f) for f in forms]
    ss = [y @ f @ y for f in forms]
    expect = [[np.trace(f), np.trace(f @ v2), np.trace(f @ v1)] for f in forms]
    out = [math.nan] * 3
    if dof[0] > .5:
        out[0] = ss[0] / expect[0][0]
    run = 0 if math.isnan(out[0]) else out[0]
    if dof[1] > .5:
        out[1] = max((ss[1] - run * expect[1][0]) / expect[1][1], 0)
    if dof[2] > .5 and not math.isnan(out[1]):
        out[2] = max((ss[2] - run * expect[2][0] - out[1] * expect[2][1])
                     / expect[2][2], 0)
    return out + [round(d) for d in dof]


rows = []
for design in ([[3, 3, 3], [3, 3, 3], [3, 3, 3]], [[1, 4, 2], [3], [2, 2, 5, 1]],
               [[2, 3, 1, 4]], [[1, 1, 1], [1, 1]], [[1], [1], [1]],
               [[5, 5], [5, 5], [5, 5], [5, 5]]):
    build, boot, y = [], [], []
    for i, boots in enumerate(design):
        layout = rng.normal(0, 2)
        for j, runs in enumerate(boots):
            b = rng.normal(0, 1)
            for _ in range(runs):
                build.append(i)
                boot.append(j)
                y.append(round(100 + layout + b + rng.normal(0, .5), 6))
    run, bt, bd, d0, d1, d2 = components(build, boot, np.array(y))
    rows.append(["%d" % len(y), array(build), array(boot), array(y), num(run),
                 num(bt), num(bd), array([d0, d1, d2])])
table("variance_vectors", ["size_t nr"] + ["double %s[%d]" % (x, MAX) for x in
                                           ("build", "boot", "value")] +
      ["double run, boot_var, build_var", "double dof[3]"], rows)

# --- BCa ---------------------------------------------------------------------

rows = []
for n, statistic in ((8, np.mean), (20, np.median), (30, np.mean),
                     (12, lambda x, axis: np.std(x, axis=axis, ddof=1))):
    x = np.round(rng.lognormal(0, .7, n), 6)
    rep = statistic(rng.choice(x, (2000, n)), axis=-1)
    lo, hi = _bca_interval((x,), statistic, axis=-1, alpha=.025,
                           theta_hat_b=rep, batch=None)[:2]
    theta = statistic(x, axis=-1)
    below = ((rep < theta).mean() + (rep <= theta).mean()) / 2
    jack = [statistic(np.delete(x, i), axis=-1) for i in range(n)]
    rows.append(["%d" % n, array(jack), num(below), num(float(lo)),
                 num(float(hi))])
table("bca_vectors", ["size_t nr", "double jack[%d]" % MAX,
                      "double below, lo, hi"], rows)
print("#endif")
