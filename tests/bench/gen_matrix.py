#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two matrices as a comparison finds them: base.json, head.json, axes.json.

usage: gen_matrix.py FOLDER METRICS RUNS SEED

The families and their shares are those of real reports: performance counters,
per-node and per-CPU rows, profiles, time, failures. One metric in ten moves;
one in twenty lacks values; a profile symbol in twenty is gone on one side; one
run in a side is incomplete.
"""
import json
import os
import random
import sys

FAMILIES = [  # name, share, size of a value, relative deviation
    ("perf-stat.i.event%d", 20, 1e9, .02),
    ("proc-vmstat.nr_thing%d", 20, 1e5, .05),
    ("numa-vmstat.node0.nr_thing%d", 15, 1e4, .10),
    ("interrupts.CPU%d.LOC:Local_timer_interrupts", 15, 1e5, .10),
    ("perf-profile.calltrace.cycles-pp.f%d.g.h", 8, 1., .15),
    ("perf-profile.children.cycles-pp.f%d", 8, 1., .15),
    ("sched_debug.cfs_rq:/.field%d.avg", 6, 10., .30),
    ("mpstat.cpu.all.state%d%%", 3, 20., .05),
    ("stress-ng.time.thing%d", 3, 1e3, .02),
    ("stress-ng.test%d.ops_per_sec", 1, 1e4, .02),
    ("dmesg.WARNING:at#function%d", 1, 0, 0),
]


def main():
    folder, metrics, runs, seed = sys.argv[1], *map(int, sys.argv[2:5])
    rng = random.Random(seed)
    total = sum(f[1] for f in FAMILIES)
    sides = ({}, {})
    for name, share, size, deviation in FAMILIES:
        for i in range(max(1, metrics * share // total)):
            level = size * 10 ** rng.uniform(-1.5, 1.5)
            moved = rng.choice([.5, .9, .97, 1.03, 1.1, 2]) \
                if rng.random() < .1 else 1
            for s, matrix in enumerate(sides):
                key = name % i
                if not size:
                    matrix[key] = [int(rng.random() < .3 * s) for _ in range(runs)]
                    continue
                if name.startswith("perf-profile") and rng.random() < .05:
                    continue
                mean = level * (moved if s else 1)
                row = [mean * rng.gauss(1, deviation) for _ in range(runs)]
                row = [int(v) for v in row] if size >= 1e4 else \
                    [round(v, 4) for v in row]
                holes = .2 if rng.random() < .05 else 0
                matrix[key] = [None if rng.random() < holes else v for v in row]
    for matrix in sides:
        bad = rng.randrange(runs)
        matrix["last_state.is_incomplete_run"] = [int(i == bad)
                                                  for i in range(runs)]
    os.makedirs(folder, exist_ok=True)
    for name, matrix in zip(("base", "head"), sides):
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump(matrix, f, indent=1, sort_keys=True)
    commits = [{"id": c * 40, "abbrev": c * 10, "subject": "commit " + c}
               for c in "ab"]
    with open(os.path.join(folder, "axes.json"), "w") as f:
        json.dump({"axes": {"testcase": "stress-ng", "test": "pipe",
                            "nr_threads": 64}, "commits": commits}, f)


main()
