#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One table out of what the simulated lab printed for several engines.

usage: bisect_table.py FILE

FILE has lines "ENGINE|PASS WORLD ok N (…) wrong N (…) … runs N … builds N …".
Exit 1 when the first engine accused a wrong commit, or was right in less than
97 % of the trials of a world that holds a culprit.
"""
import re
import sys

LINE = re.compile(r"(.+)\|\S+ (\S+) +ok ([\d.]+) .* wrong ([\d.]+) .* "
                  r"refused ([\d.]+) +runs ([\d.]+) .* builds ([\d.]+) ")
WORLDS = {"strong": "-9.7 %, noise 2 %", "clear": "-3 %, noise 1 %",
          "usual": "-3 %, noise 2 %", "nothing": "none, noise 2 %",
          "merges": "-3 %, noise 2 %, merges"}
MIN_RIGHT = 97


def main():
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__)
        return 2
    table = {}
    with open(sys.argv[1]) as f:
        for m in filter(None, map(LINE.match, f)):
            engine, world, *numbers = m.groups()
            table.setdefault(world, []).append((engine, *map(float, numbers)))
    bad = []
    print("%-8s %-24s %-16s %7s %7s %7s %6s %6s" % (
        "world", "change, one run's noise", "method", "right %", "wrong %",
        "refused", "runs", "builds"))
    for world, rows in table.items():
        for i, (engine, right, wrong, refused, runs, builds) in enumerate(rows):
            nothing = world == "nothing"    # to refuse is right there
            print("%-8s %-24s %-16s %7.1f %7.1f %7.1f %6.1f %6.1f" % (
                "" if i else world, "" if i else WORLDS.get(world, ""), engine,
                refused if nothing else right, wrong, refused, runs, builds))
            if not i and (wrong or not nothing and right < MIN_RIGHT):
                bad.append("%s in world %s: right %.1f %%, wrong %.1f %%" % (
                    engine, world, right, wrong))
    print("\nruns and builds: mean of a trial; where nothing changed, refusing "
          "is right")
    for text in bad:
        print("NOT GOOD ENOUGH: " + text)
    return bool(bad)


sys.exit(main())
