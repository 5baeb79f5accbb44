#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time two commands in turn and print how they compare.

usage: measure.py TITLE REPETITIONS OURS PEER

OURS and PEER are lines for sh; both must end with exit status 0. Within each
repetition they run one after the other, in alternating order, so that a load
that comes and goes hits both; the ratio is formed within the repetition. Wall
and processor time come from wait4; memory from one more run of each under
/usr/bin/time, whose own start is small.
"""
import os
import resource
import statistics
import subprocess
import sys
import time


def once(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    rc = subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL).returncode
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if rc:
        sys.exit("measure: exit %d: %s" % (rc, command))
    return wall, (after.ru_utime + after.ru_stime -
                  before.ru_utime - before.ru_stime)


def peak_kb(command):
    """Of the largest process of the command; None without /usr/bin/time."""
    if not os.access("/usr/bin/time", os.X_OK):
        return None
    done = subprocess.run(["/usr/bin/time", "-v", "sh", "-c", command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    for line in done.stderr.splitlines():
        if "Maximum resident set size" in line:
            return int(line.split(":")[1])
    return None


def spread(values, unit):
    return "%9.1f %s (%.1f to %.1f)" % (statistics.median(values), unit,
                                        min(values), max(values))


def line(name, samples, kb):
    wall = spread([1000 * s[0] for s in samples], "ms")
    cpu = 1000 * statistics.median(s[1] for s in samples)
    memory = "%7.1f MiB" % (kb / 1024) if kb else "   ? MiB"
    print("  %-5s %-38s %9.1f ms of processor %s" % (name, wall, cpu, memory))


def main():
    if len(sys.argv) != 5:
        sys.stderr.write(__doc__)
        return 2
    title, repetitions, commands = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    print("%s\n  ours: %s\n  peer: %s" % (title, *commands), flush=True)
    for c in commands:              # once unmeasured: files into the cache
        once(c)
    samples = ([], [])
    for i in range(repetitions):
        for which in (0, 1) if i % 2 else (1, 0):
            samples[which].append(once(commands[which]))
    kb = [peak_kb(c) for c in commands]
    line("ours", samples[0], kb[0])
    line("peer", samples[1], kb[1])
    ratios = [p[0] / o[0] for o, p in zip(*samples)]
    cpu = [p[1] / max(o[1], .001) for o, p in zip(*samples)]
    memory = "; memory %.1f" % (kb[1] / kb[0]) if all(kb) else ""
    print("  peer / ours: time %.1f (%.1f to %.1f); processor %.1f%s; "
          "%d repetitions\n" % (statistics.median(ratios), min(ratios),
                                max(ratios), statistics.median(cpu), memory,
                                repetitions), flush=True)
    return 0


sys.exit(main())
