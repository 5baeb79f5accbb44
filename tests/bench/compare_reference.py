#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer of `drover compare --matrix`: the same comparison, written plainly.

usage: compare_reference.py BASE.json HEAD.json AXES.json [--all]

Prints the table byte for byte as Drover does, written from the description of
the format, not from Drover's code. (Drover also computes a t-test per row,
which the text doesn't show; this doesn't.)
"""
import json
import math
import re
import sys
from fnmatch import fnmatchcase

TIMES = ["*.time.*", "*.timestamp:*", "*.bootstage:*"]
FAILURES = ["dmesg.*", "kmsg.*", "last_state.*", "stderr.*", "*.fail"]
EVENTS = {"perf-profile", "perf-sched", "latency_stats", "interrupts",
          "softirqs", "slabinfo", "ftrace", "lock_stat"}
PERFORMANCE = ["perf-stat.*", "proc-vmstat.*", "vmstat.cpu.*", "vmstat.io.*",
               "vmstat.swap.*", "vmstat.system.*", "iostat.*", "turbostat.*",
               "boot-*", "*.time.*", "perf-c2c.HITM.total"]
FLOORS = [("*.time.elapsed_time*", 10, False), ("*.time.system_time", 10, False),
          ("*.time.user_time", 10, False),
          ("*.time.*context_switches", 1000, False),
          ("*.time.*page_faults", 1000, False), ("*vmstat.*nr_*", 100, False),
          ("proc-vmstat.*", 1000, True), ("*meminfo.*", 1000, True),
          ("interrupts.*", 10000, True), ("softirqs.*", 10000, True),
          ("perf-c2c.HITM.total", 3000, False), ("iostat.*", 1, True)]
PER_CPU = re.compile(r"\.cpu[0-9]+(\.|$)", re.I)


def any_of(name, globs):
    return any(fnmatchcase(name, g) for g in globs)


class Row:
    def __init__(self, name, sides, own):
        self.name, self.family = name, name.split(".")[0]
        self.own = self.family == own
        self.failure = any_of(name, FAILURES) and not any_of(name, TIMES)
        self.profile = name.startswith("perf-profile")
        self.absolute = self.profile or name.endswith("%")
        self.sides = sides          # two lists of values; failures: 0 or more
        if self.failure:
            self.fails = [sum(v > 0 for v in s) for s in sides]
            self.avg = [f / len(s) if s else 0. for f, s in zip(self.fails, sides)]
            self.change = 100 * (self.avg[1] - self.avg[0])
            return
        self.avg = [sum(s) / len(s) if s else 0. for s in sides]
        diff = self.avg[1] - self.avg[0]
        if not all(sides):
            self.change = None
        elif self.absolute:
            self.change = diff
        else:
            self.change = 100 * diff / (self.avg[0] or 1e-100)

    def changed(self):
        if self.failure:
            return (self.fails[0] == 0) != (self.fails[1] == 0)
        if not all(self.sides) or max(map(len, self.sides)) < 3 or \
                not self.profile and PER_CPU.search(self.name):
            return False
        (al, am, ah), (bl, bm, bh) = map(ranks, self.sides)
        if not (bl > am and bm > ah or al > bm and am > bh):
            return False
        if self.profile:
            return max(self.avg) > .05 + 1e-9 and abs(self.change) >= .05 - 1e-9
        ratio = max(am, bm) / min(am, bm) if min(am, bm) > 0 else math.inf
        if ratio <= (1.01 if self.own or any_of(self.name, PERFORMANCE) else 1.05):
            return False
        top = max(ah, bh)
        return all(top > low or top == low and not above
                   for glob, low, above in FLOORS if fnmatchcase(self.name, glob))

    def text(self):
        if self.failure:
            a, b = ("%11s:%-4d" % (f or "", len(s))
                    for f, s in zip(self.fails, self.sides))
            return "%s%10.0f%% %s  %s" % (a, self.change, b, self.name)
        if self.change is None:
            change = " " * 12
        elif self.absolute:
            change = "%+10.1f  " % self.change
        else:
            change = ("%+10.1f%% " if abs(self.change) < 1e5 else
                      "%+10.2g%% ") % self.change
        a, b = (value(s, m) for s, m in zip(self.sides, self.avg))
        return a + change + b + "  " + self.name

    def order(self, family_rows):
        first = 0 if self.failure else 1 if self.own else 2
        kind = self.name.split(".")[1] if self.profile else ""
        change = (self.change or 0) if self.profile else 0
        return first, family_rows, self.family, kind, change, self.name


def ranks(values):
    v = sorted(values)
    margin = min(3, len(v) >> 5)
    v = v[margin:len(v) - margin]
    return v[0], v[len(v) // 2], v[-1]


def value(values, avg):
    if not values:
        return "%10s%6s" % ("-", "")
    text = "%10.2f" % avg if abs(avg) < 1000 else \
        "%10d" % avg if abs(avg) <= 1e8 else "%10.4g" % avg
    if len(values) < 2:
        return text + " " * 6
    sd = math.sqrt(sum((x - avg) ** 2 for x in values) / len(values))
    pct = 100 * sd / avg if avg else sd
    return text + (" ±%3.0f%%" % math.trunc(pct) if pct > 2 else " " * 6)


def side(matrix, name, runs, broken, failure):
    row = matrix.get(name)
    if failure:
        row = row or []
        return [row[i] or 0 if i < len(row) else 0 for i in range(runs)]
    if row is None and name.split(".")[0] in EVENTS and \
            name.split(".")[0] in matrix["families"]:
        row = []
    elif row is None:
        return []
    row = row + [None] * (runs - len(row))
    if name.split(".")[0] in EVENTS:
        row = [0. if v is None else v for v in row]
    return [float(v) for v, b in zip(row, broken) if not b and v is not None]


def rows_of(files, own):
    names, per_side = set(), []
    for path in files:
        with open(path) as f:
            m = json.load(f)
        runs = max((len(v) for v in m.values()), default=0)
        broken = m.get("last_state.is_incomplete_run") or []
        broken = (broken + [0] * runs)[:runs]
        per_side.append((m, runs, broken))
        names |= set(m)
        m["families"] = {name.split(".")[0] for name in m}
    for name in sorted(names):
        failure = any_of(name, FAILURES) and not any_of(name, TIMES)
        yield Row(name, [side(m, name, runs, broken, failure)
                         for m, runs, broken in per_side], own)


def main():
    show_all = "--all" in sys.argv
    base, head, axes_file = [a for a in sys.argv[1:] if a != "--all"]
    with open(axes_file) as f:
        axes = json.load(f)
    testcase = axes["axes"].get("testcase", "")
    rows = list(rows_of([base, head], testcase))
    if not show_all:
        nr, rows = len(rows), [r for r in rows if r.changed()]
        if not rows:
            print("0 of %d metrics changed (--all shows them)" % nr)
            return
    count = {}
    for r in rows:
        key = r.family, r.failure
        count[key] = count.get(key, 0) + 1
    rows.sort(key=lambda r: r.order(count[r.family, r.failure]))
    items = sorted(axes["axes"].items(), key=lambda kv: "%s=%s" % kv)
    out = ["=" * 89, "/".join(k for k, _ in items) + ":",
           "  " + "/".join(str(v) for _, v in items), "", "commit: "]
    out += ['  %s ("%s")' % (c["abbrev"], c["subject"]) for c in axes["commits"]]
    a, b = (c["id"] for c in axes["commits"])
    out += ["", "%16.16s %27.27s " % (a, b), "-" * 16 + " " + "-" * 27 + " "]
    failures = [r.text() for r in rows if r.failure]
    numbers = [r.text() for r in rows if not r.failure]
    if failures:
        out += ["       fail:runs  %reproduction    fail:runs",
                "           |             |             |    "] + failures
    if numbers:
        out += ["         %stddev     %change         %stddev",
                "             \\          |                \\  "] + numbers
    sys.stdout.write("\n".join(out) + "\n\n")


main()
