#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that what `tilewright count` says of the ladder adds up, and that results/counts.json, which
reports show, says the same. Claims say what each rung counts.

  count_check.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "results" / "counts.json"
# Of those where one block stands for others; counting all of them takes minutes.
RECOUNTED = ["k1", "k3", "k6", "k10", "v2", "v5x", "serpentine", "tf32_wgmma"]
PRODUCTS = 256**3 // 32  # FFMAs of a warp


def counts(program, *words):
    done = subprocess.run([program, "count", *words, "--format", "json"], capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"count_check: count {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def main(program):
    text = counts(program, "k*", "--gpu", "h200")
    by_rung = {count["rung"]: count for count in text["counts"]}
    faults = []

    def equal(what, got, want):
        if got != want:
            faults.append(f"{what}: {got}, not {want}")

    equal("k10: 32-bit loads", by_rung["k10"]["totals"]["shared_load_requests_32"], 0)
    for rung, count in by_rung.items():
        equal(f"{rung}: FFMA", count["totals"]["ffma"], PRODUCTS)
        equal(f"{rung}: shape", count["shape"], [256, 256, 256])
        for operation in ("global_load", "global_store", "shared_load", "shared_store"):
            sites = [site for site in count["sites"] if site["operation"] == operation]
            equal(f"{rung}: sum of {operation}", sum(site["requests"] for site in sites),
                  count["totals"][operation + "_requests"])
        for site in count["sites"]:
            if not site["source"] or not site["file"].startswith("src/ladder/"):
                faults.append(f"{rung}: {site['file']}:{site['line']} has no text")
        bound = count["bound"]
        if not bound["measured_gflops"] <= bound["gflops"] <= bound["roofline"]["ceiling_gflops"]:
            faults.append(f"{rung}: {bound['measured_gflops']} measured, at most {bound['gflops']}")
        equal(f"{rung}: limiter", bound["terms_us"][bound["limiter"]],
              max(us or 0 for us in bound["terms_us"].values()))
    recorded = {count["rung"]: count for count in json.loads(RECORDED.read_text(encoding="utf-8"))["counts"]}
    shape = "x".join(map(str, recorded["k1"]["shape"]))
    for count in counts(program, *RECOUNTED, "--shape", shape)["counts"]:
        rung = count["rung"]
        equal(f"{rung} in counts.json, which ./tw count all --shape {shape} --output results/counts.json writes",
              recorded.get(rung, {}).get("totals"), count["totals"])
    print("\n".join(faults + [f"{len(by_rung)} rungs, {len(faults)} faults"]))
    return 1 if faults or len(by_rung) < 10 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: count_check.py PROGRAM")
    sys.exit(main(sys.argv[1]))
