#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that each step of the ladder can be read in one go: the lines it adds to its parent.

  diff_check.py PROGRAM     the built tilewright, which counts them: see `tilewright diff`
"""
import json
import re
import subprocess
import sys

WISHED, MOST = 40, 60


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"diff_check: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def changes(program, parent, rung):
    last = output_of(program, "diff", parent, rung).rstrip().split("\n")[-1]
    counted = re.fullmatch(r"(\d+) lines? added, (\d+) removed", last)
    if not counted:
        sys.exit(f"diff_check: 'tilewright diff {parent} {rung}' ends with '{last}'")
    return int(counted[1]), int(counted[2])


def main(program):
    rungs = json.loads(output_of(program, "list", "--format", "json"))["rungs"]
    steps = [rung for rung in rungs if rung["parent"]]
    too_long = 0
    print(f"{'step':<18} added removed")
    for rung in steps:
        added, removed = changes(program, rung["parent"], rung["id"])
        remark = "  too long" if added > MOST else "  longer than wished" if added > WISHED else ""
        too_long += added > MOST
        print(f"{rung['parent'] + ' -> ' + rung['id']:<18} {added:>5} {removed:>7}{remark}")
    if not steps:
        sys.exit("diff_check: no rung has a parent")
    print(f"{len(steps)} steps; {too_long} add more than {MOST} lines")
    return 1 if too_long else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: diff_check.py PROGRAM")
    sys.exit(main(sys.argv[1]))
