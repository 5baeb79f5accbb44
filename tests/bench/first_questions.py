#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Talk to a bisection engine until it asks for a commit inside the range.

usage: first_questions.py START.json TRANSCRIPT ENGINE [ARG ...]

Writes what was said to it, so that the same conversation can be repeated from
a file, and prints the commit it asked for first. The ends measure 1 and 0.9.
"""
import json
import subprocess
import sys


def main():
    start, transcript, *engine = sys.argv[1:]
    with open(start) as f:
        said = f.read()
    message = json.loads(said)
    level = {message["good"]: 1., message["bad"]: .9}
    p = subprocess.Popen(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True)
    line = said
    for step in range(1000):
        p.stdin.write(line)
        p.stdin.flush()
        answer = p.stdout.readline()
        if not answer:
            return p.wait() or 1    # the engine said why
        answer = json.loads(answer)
        if answer["op"] != "run":
            sys.stderr.write("no question, but %s\n" % answer)
            return 1
        inside = [b["commit"] for b in answer["boots"] if b["commit"] not in level]
        if inside:
            with open(transcript, "w") as f:
                f.write(said)
            print(inside[0])
            return 0
        boots = [dict(b, values=[level[b["commit"]] * (1 + .004 * ((step + i) % 3 - 1))
                                 for _ in range(b["runs"])])
                 for i, b in enumerate(answer["boots"])]
        line = json.dumps({"op": "result", "boots": boots}) + "\n"
        said += line
    return 1


sys.exit(main())
