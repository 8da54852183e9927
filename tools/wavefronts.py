#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Joins what tools/wavefront_probe.cu printed with what Nsight Compute counted of the same launches:

    tools/wavefronts.py patterns.csv ncu.csv > results/<device>-<date>-wavefronts.csv

Wavefronts and conflicts are those of one request. How to make both files: docs/measuring.md."""
import csv
import sys

REQUESTS = 2 * 64 * 16 * 8  # of a launch: passes, rounds, unrolled accesses, warps
METRICS = ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum")


def launches(path):
    """The rows of ncu's raw CSV by column, among the lines of the program."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row["ID"]]  # the line of units has no ID
    if not rows:
        sys.exit(f"{path}: no launch")
    return rows


def per_request(text):
    return round(float(text.replace(",", "")) / REQUESTS)


def main(patterns_path, ncu_path):
    with open(patterns_path, encoding="utf-8", newline="") as file:
        patterns = list(csv.DictReader(file))
    counted = launches(ncu_path)
    if len(patterns) != len(counted):
        sys.exit(f"{len(patterns)} patterns, but {len(counted)} launches")
    print("pattern,width_bits,operation,active,clocks,wavefronts,conflicts,words")
    for pattern, launch in zip(patterns, counted):
        kind = {"load": "ld", "store": "st"}[pattern["operation"]]
        wavefronts, conflicts = (per_request(launch[metric.format(kind)]) for metric in METRICS)
        print(",".join([pattern["pattern"], pattern["width_bits"], pattern["operation"],
                        pattern["active"], pattern["clocks"], str(wavefronts), str(conflicts),
                        pattern["words"]]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: wavefronts.py PATTERNS NCU")
    main(*sys.argv[1:])
