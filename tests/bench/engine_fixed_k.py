#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bisection as by hand: K runs a commit, nearer to good or to bad?

usage: engine_fixed_k.py K

The ends must differ by half of the claimed change, else it refuses.
"""
import sys

from engine_common import mean, serve


def judge_of(good, bad, claim):
    g, b = mean(good), mean(bad)
    if (b - g) / claim < .5 * g:
        return None
    return lambda values: abs(mean(values) - b) < abs(mean(values) - g)


if len(sys.argv) != 2 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
    sys.exit(__doc__)
serve(int(sys.argv[1]), judge_of)
