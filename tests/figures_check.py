#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the README's figures are there, described, and of the newest results."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
sys.path.insert(0, str(ROOT / "tools"))
import results_table  # noqa: E402  (found by the line above)


def hash_of(path):
    """FNV-1a of 64 bits, as report writes it."""
    value = 0xcbf29ce484222325
    for byte in path.read_bytes():
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{value:016x}"


def main():
    faults = []
    listed = json.loads((FIGURES / "figures.json").read_text(encoding="utf-8"))
    newest = [path.name for path, _, _ in results_table.newest_of_each_device(ROOT / "results")]
    if sorted(listed["results"]) != sorted(newest):
        faults.append(f"docs/figures shows {listed['results']}, and the newest are {newest}: "
                      f"./tw report {' '.join('results/' + name for name in newest)} --png docs/figures")
    for name, wanted in listed["hashes"].items():
        if (ROOT / "results" / name).is_file() and hash_of(ROOT / "results" / name) != wanted:
            faults.append(f"results/{name} has changed since docs/figures was drawn from it")
    if sorted(listed["hashes"]) != sorted(listed["results"]):
        faults.append("docs/figures/figures.json does not say which content each of its results had")
    names = [figure["file"] for figure in listed["figures"]]
    for name in names:
        path = FIGURES / name
        if not path.is_file() or path.read_bytes()[:8] != b"\x89PNG\r\n\x1a\n":
            faults.append(f"docs/figures/{name} is no picture")
    shown = re.findall(r"!\[([^]]*)\]\(docs/figures/([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    for text, name in shown:
        if name not in names:
            faults.append(f"README.md shows {name}, which docs/figures/figures.json does not list")
        if len(text) < 40:
            faults.append(f"README.md does not say what {name} shows")
    if len(shown) < 2:
        faults.append("README.md shows fewer than two figures")
    for path in FIGURES.glob("*.png"):
        if path.name not in names:
            faults.append(f"docs/figures/{path.name} is not in figures.json")
    print("\n".join(faults + [f"{len(names)} figures, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
