#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of a case in the virtual lab, and the table of all cases.

usage: lab_table.py row DROVER DATABASE CASE JOB PLANTED > line of JSON
       lab_table.py table < lines of JSON

PLANTED is a commit or "none". The verdicts are what drover status prints; how
many boots and builds there were is counted in the record. A planted commit is
found when the bisection names it and nothing else; where none is, only
"no-change" is right. "table" exits 1 unless all are right.
"""
import json
import sqlite3
import subprocess
import sys


def judge(planted, verdict, bisect, commits):
    if bisect == "culprit" and commits != [planted]:
        return "WRONG"
    if planted == "none":
        return "yes" if verdict == "no-change" and not commits else "UNDECIDED"
    return "yes" if bisect == "culprit" else "MISSED"


def count(db, sql, *args):
    return db.execute(sql, args).fetchone()[0]


def row(drover, database, case, job, planted):
    status = json.loads(subprocess.run(
        [drover, "status", job, "--json"], check=True, capture_output=True,
        text=True).stdout)
    comparison = (status["comparisons"] or [{}])[0]
    bisect = (status["bisects"] or [{}])[0]
    commits = bisect.get("commits") or []
    db = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    seconds, repo = db.execute(
        "SELECT ended_s - created_s, repo_id FROM job WHERE id = ?",
        (job,)).fetchone()
    print(json.dumps({
        "case": case, "verdict": comparison.get("verdict") or
        comparison.get("state", "failed"), "bisect": bisect.get("verdict", ""),
        "change_pct": comparison.get("change_pct"),
        "right": judge(planted, comparison.get("verdict"),
                       bisect.get("verdict"), commits),
        "posterior": bisect.get("posterior"),
        "boots": count(db, "SELECT count(*) FROM boot b JOIN plan p ON p.id = "
                       "b.plan_id WHERE p.job_id = ?", job),
        "builds": count(db, "SELECT count(*) FROM attempt t JOIN artifact a ON "
                        "a.id = t.artifact_id WHERE t.kind = 'build' AND "
                        "t.state = 'done' AND a.repo_id = ?", repo),
        "minutes": (seconds or 0) / 60}))


def table(lines):
    form = "%-10s %-11s %-15s %8s  %-9s %6s %6s %8s"
    print(form % ("case", "verdict", "bisection", "change", "right?", "boots",
                  "builds", "minutes"))
    bad = 0
    for r in map(json.loads, lines):
        change = "" if r["change_pct"] is None else "%+.2f %%" % r["change_pct"]
        print(form % (r["case"], r["verdict"], r["bisect"] or "-", change,
                      r["right"], r["boots"], r["builds"],
                      "%.1f" % r["minutes"]))
        bad += r["right"] != "yes"
    return bool(bad)


def main():
    if len(sys.argv) == 7 and sys.argv[1] == "row":
        return row(*sys.argv[2:])
    if sys.argv[1:] == ["table"]:
        return table(sys.stdin)
    sys.stderr.write(__doc__)
    return 2


sys.exit(main())
