#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrices of this case: 8 boots a side with 2 runs in each.

    cd tests/data/report/verdict && ./make-matrices.py

Throughput falls by 5 %, with noise of 0.4 % between boots and 0.1 % inside; its
operations and the time say the same; a monitor follows; two are noise; one
differs by one boot only; one has few different values; a long name; a failure.
"""
import json
import random

random.seed(8)
BOOTS, RUNS = 8, 2


def side(head):
    m = {}

    def put(name, value):
        m.setdefault(name, []).append(value)

    for boot in range(BOOTS):
        level = 1e6 * (1 - .05 * head) * (1 + .004 * random.gauss(0, 1))
        cs = 2e5 * (1 + .12 * head) * (1 + .02 * random.gauss(0, 1))
        noise = [random.gauss(0, 1) for _ in range(4)]
        for _ in range(RUNS):
            v = round(level * (1 + .001 * random.gauss(0, 1)), 2)
            put("stress-ng.pipe.ops_per_sec", v)
            put("stress-ng.pipe.ops", round(60 * v))
            put("stress-ng.time.elapsed_time", round(6e7 / v, 4))
            put("vmstat.system.cs", round(cs, 1))
            put("vmstat.system.in", round(3e4 * (1 + .01 * noise[0]), 1))
            put("mpstat.cpu.all.usr%", round(7 + .2 * noise[1] - head, 3))
            put("meminfo.Active", 150000 if boot != 5 else 150000 + 30000 * head)
            put("vmstat.procs.r", 4 + (boot % 3 == 0))
            put("perf-profile.calltrace.cycles-pp.copy_page_from_iter.pipe_write."
                "vfs_write.ksys_write.do_syscall_64.entry_SYSCALL_64_after_hwframe",
                round(3 + 2 * head + .1 * noise[2], 2))
            put("meminfo.MemTotal", 8000000)
            put("dmesg.WARNING:at#f", 1 if head and boot % 4 else 0)
    return m


for name, head in (("base", 0), ("head", 1)):
    with open(name + ".json", "w") as f:
        f.write("{\n" + ",\n".join('%s: %s' % (json.dumps(k), json.dumps(v))
                                   for k, v in sorted(side(head).items()))
                + "\n}\n")
