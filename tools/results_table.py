#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Generates the README's tables: the rungs, what was measured of them, and what is counted.

  tools/results_table.py            prints them
  tools/results_table.py --write    puts them into README.md, between their markers
  tools/results_table.py --check    exit status 1 when README.md says something else,
                                    77 when nothing was measured yet

The rungs come from `tilewright list`, times from results/*-ladder.json (of several files for one
device the newest), counts and bounds from `tilewright count`, and what to make of the times from
results/verdicts-*.json: for one device a sentence for each rung. What the library does is from the
newest results/*-referee.csv: a shape, both times and their ratio in each line; what compute modes do
is from results/*-referee-MODE-normal.csv.
"""
import argparse
import csv
import difflib
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE_SIZE = 4096
NOTHING_MEASURED = 77
ENVIRONMENT = ("device", "multiprocessors", "clocks", "power", "driver", "cuda", "cublas", "command",
               "date", "git_revision")


class Fault(Exception):
    """A sentence for a person."""


def find_program():
    built = sorted(ROOT.glob("build/*/tilewright"), key=lambda path: path.stat().st_mtime)
    if not built:
        raise Fault("no built program in build/*/tilewright: run ./tw list, or name one: --program")
    return built[-1]


def list_rungs(program):
    listed = subprocess.run([program, "list", "--format", "json"], capture_output=True, text=True)
    if listed.returncode != 0:
        raise Fault(f"{program} list: {listed.stderr.strip()}")
    return [rung for rung in json.loads(listed.stdout)["rungs"] if rung["kind"] != "baseline"]


def link(rung):
    stem = f"{rung['number']}_{rung['name']}"
    return f"[{rung['number']} {rung['name']}](src/ladder/{stem}.cu)"


def arithmetic(rung):
    """TF32 is not FP32: what is not FP32 says so wherever it stands."""
    return "" if rung["arithmetic"] == "fp32" else f" ({rung['arithmetic'].upper()})"


def rungs_table(rungs):
    lines = ["| rung | id | grown from | idea |", "|---|---|---|---|"]
    for rung in rungs:
        parent = rung["parent"] or "-"
        if rung["kind"] != "rung":
            parent += f" ({rung['kind']})"
        lines.append(f"| {link(rung)}{arithmetic(rung)} | {rung['id']} | {parent} | {rung['idea']} |")
    return lines


COUNT_SIZE, COUNT_GPU = 2048, "h200"
# As `count` labels them.
LIMITERS = {"ffma": "FFMA", "mma": "tensor cores", "issue": "instructions",
            "shared": "shared memory", "l1": "L1", "l2": "L2 to L1", "dram": "DRAM", "launch": "launch"}


def counts_table(program, rungs):
    shape = "x".join([str(COUNT_SIZE)] * 3)
    # The source texts' rungs: where blocks are no tiles, none stands for others, and counting takes
    # minutes.
    rungs = [rung for rung in rungs if re.fullmatch(r"[kv]\d+\w?", rung["id"])]
    counted = subprocess.run([program, "count", *[rung["id"] for rung in rungs], "--gpu", COUNT_GPU, "--shape", shape,
                              "--format", "json"], capture_output=True, text=True)
    if counted.returncode != 0:
        raise Fault(f"{program} count: {counted.stderr.strip()}")
    counts = {count["rung"]: count for count in json.loads(counted.stdout)["counts"]}
    lines = ["| rung | bytes moved for a result | words an FFMA | wavefronts an FFMA | instructions an FFMA "
             "| at most, GFLOP/s | measured | limited by |", "|---|" + "---:|" * 6 + "---|"]

    def cell(value, digits):
        return "-" if not value else f"{value:.{digits}f}"

    for rung in rungs:
        count = counts[rung["id"]]
        totals, bound, compiled = count["totals"], count["bound"], count["compiled"] or {}
        loop = compiled.get("main_loop")
        instructions = loop["instructions"] / loop["ffma"] if loop and loop["ffma"] else None
        lines.append(f"| {link(rung)}{arithmetic(rung)} | {cell(totals['global_bytes_per_result'], 0)} "
                     f"| {cell(totals['words_per_ffma'], 4)} | {cell(compiled.get('shared_wavefronts_per_ffma'), 3)} "
                     f"| {cell(instructions, 2)} | {cell(bound['gflops'], 0)} | {cell(bound['measured_gflops'], 0)} "
                     f"| {LIMITERS[bound['limiter']]} |")
    return lines


def load(path):
    """One file as written by `tilewright ladder --output`; only complete and right ones pass."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        environment, rows = data["environment"], data["results"]
        missing = [key for key in ENVIRONMENT if key not in environment]
        wrong = [row for row in rows if row["status"] != "ok"]
        cubes = [row for row in rows if row["gflops"] and len(set(row["shape"])) == 1]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Fault(f"{path.name}: not a result of tilewright: {error!r}") from error
    if missing:
        raise Fault(f"{path.name}: the environment lacks {', '.join(missing)}")
    if environment.get("mode") != "gpu":
        raise Fault(f"{path.name}: not measured on a GPU")
    for row in wrong:
        shape = "x".join(map(str, row["shape"]))
        raise Fault(f"{path.name}: {row['rung']} {shape}: {row['status']}: {row['reason']}")
    if not cubes:
        raise Fault(f"{path.name}: no square shape was measured")
    return environment, cubes


def newest_of_each_device(folder):
    found = {}
    for path in sorted(folder.glob("*-ladder.json")):
        environment, rows = load(path)
        date, device = environment["date"], environment["device"]
        if device not in found or found[device][1]["date"] <= date:
            found[device] = (path, environment, rows)
    return [found[device] for device in sorted(found)]


def verdicts_on(folder, device):
    """What was made of the times on this device; nothing where nobody has said anything."""
    for path in folder.glob("verdicts-*.json"):
        said = json.loads(path.read_text(encoding="utf-8"))
        if said["device"] == device:
            return said["rungs"]
    return {}


def rate(value):
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def percent(value):
    return "-" if value is None else f"{value:.1f}"


class Measured:
    """One file's rows, by rung and size."""

    def __init__(self, rungs, rows, verdicts):
        self.by = {}
        self.verdicts = verdicts
        for row in rows:
            self.by.setdefault((row["rung"], row["shape"][0]), row)
        known = {rung["id"]: rung for rung in rungs}
        self.ids = list(dict.fromkeys(row["rung"] for row in rows))
        self.labels = {row["rung"]: row["name"] for row in rows}
        self.labels.update((each, link(known[each]) + arithmetic(known[each]))
                           for each in self.ids if each in known)
        self.marks = {each: arithmetic(known[each]) for each in self.ids if each in known}
        self.labels.update({"k0": "cuBLAS"})
        self.parents = {each: known[each]["parent"] for each in self.ids if each in known}
        self.sizes = sorted({size for _, size in self.by})
        self.size = TABLE_SIZE if TABLE_SIZE in self.sizes else self.sizes[-1]

    def gflops(self, rung, size):
        row = self.by.get((rung, size))
        return row["gflops"] if row else None

    def factor(self, rung):
        parent = self.parents.get(rung)
        if self.marks.get(rung) != self.marks.get(parent):
            return "-"
        own, parents = self.gflops(rung, self.size), self.gflops(parent, self.size)
        return f"{own / parents:.2f}" if own and parents else "-"

    def verdict(self, rung):
        if rung in self.parents and rung not in self.verdicts:
            raise Fault(f"results/verdicts-*.json has no sentence on {rung}")
        return self.verdicts.get(rung, "-")

    def rate_table(self):
        verdict = " did the idea pay, and why |" if self.verdicts else ""
        lines = [f"| size {self.size} | id | GFLOP/s | x parent | parent | % of cuBLAS | % of peak |{verdict}",
                 "|---|---|---:|---:|---|---:|---:|" + ("---|" if verdict else "")]
        for rung in self.ids:
            row = self.by.get((rung, self.size))
            if row:
                cells = [self.labels[rung], rung, rate(row["gflops"]), self.factor(rung),
                         self.parents.get(rung) or "-", percent(row["percent_of_cublas"]),
                         percent(row["percent_of_peak"])]
                if verdict:
                    cells.append(self.verdict(rung))
                lines.append(f"| {' | '.join(cells)} |")
        return lines

    def sweep_table(self):
        lines = ["| GFLOP/s | " + " | ".join(map(str, self.sizes)) + " |",
                 "|---|" + "---:|" * len(self.sizes)]
        for rung in self.ids:
            cells = [rate(self.gflops(rung, size)) for size in self.sizes]
            name = "cuBLAS" if rung == "k0" else rung + self.marks.get(rung, "")
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines


def shapes_table(folder, device):
    """What is not square: the fastest variant of each rung that comes near cuBLAS, by *-shapes.json."""
    found = []
    for path in folder.glob("*-shapes.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["environment"]["device"] == device:
            found.append((data["environment"]["date"], path, data))
    if not found:
        return []
    _, path, data = max(found, key=lambda each: each[0])
    lines = ["| M x N x K | cuBLAS, us | fastest variants of the rungs, us (x cuBLAS) |", "|---|---:|---|"]
    for shape in dict.fromkeys(tuple(row["shape"]) for row in data["results"]):
        rows = [row for row in data["results"] if tuple(row["shape"]) == shape and row["status"] == "ok"]
        opponent = next(row["median_us"] for row in rows if row["rung"] == "k0")
        best = {}
        for row in sorted(rows, key=lambda row: row["median_us"]):
            if row["rung"] != "k0":
                best.setdefault(row["rung"], row)
        cells = [f"{row['rung']}{'' if row['variant'] == 'default' else '/' + row['variant']} "
                 f"{row['median_us']:.1f} ({opponent / row['median_us']:.2f})" for row in list(best.values())[:3]]
        lines.append(f"| {' x '.join(map(str, shape))} | {opponent:.1f} | {', '.join(cells)} |")
    return lines + ["", f"From [{path.name}](results/{path.name}), revision {data['environment']['git_revision']}.", ""]


def span(values, unit):
    values = [value for value in values if value]
    if not values:
        return f"unknown {unit}"
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def conditions(environment, measured):
    """Where the numbers come from, in two sentences."""
    rows = [row for (_, size), row in measured.by.items() if size == measured.size]
    cublas = environment["cublas"]
    opponent = f"{cublas['version']} ({cublas['math_mode']})" if cublas["version"] else "not found"
    limit = environment["power"]["limit_watts"]
    memory = sorted({row["memory"] for row in measured.by.values()})
    graphs = sorted({size for (_, size), row in measured.by.items() if row["launch"] == "graph"})
    text = (f"{environment['device']}, {environment['date'][:10]}: {environment['multiprocessors']} "
            f"SMs at up to {environment['clocks']['sm_max_mhz']} MHz, "
            f"power limit {'unknown' if limit is None else f'{limit:.0f} W'}, "
            f"driver {environment['driver']}, CUDA {environment['cuda']}, cuBLAS {opponent}. "
            f"At {measured.size}: {span([row['sm_mhz'] for row in rows], 'MHz')}, "
            f"{span([row['watts'] for row in rows], 'W')}, {' or '.join(memory)} operands.")
    if graphs:
        text += f" Calls under 100 us are made in a CUDA graph (here up to size {graphs[-1]})."
    return text


def results_section(folder, rungs):
    lines = []
    for path, environment, rows in newest_of_each_device(folder):
        measured = Measured(rungs, rows, verdicts_on(folder, environment["device"]))
        lines += [conditions(environment, measured), "", *measured.rate_table(), "",
                  *measured.sweep_table(), "",
                  f"From [{path.name}](results/{path.name}), revision {environment['git_revision']}, "
                  f"by `{environment['command']}`.", "",
                  *shapes_table(folder, environment["device"])]
    return lines[:-1] or ["Nothing is recorded in `results/` yet."]


GROUPS = {
    "large squares, all transposes": lambda m, n, k, words: m == n == k and m % 4096 == 0,
    "squares from 768 to 6144": lambda m, n, k, words: m == n == k and m >= 768,
    "small squares in a CUDA graph": lambda m, n, k, words: "graph" in words,
    "odd sizes, leading dimensions": lambda m, n, k, words: True,
    "skinny: a side of 128 at most": lambda m, n, k, words: min(m, n) <= 128 and k <= 32768,
    "long k, small result": lambda m, n, k, words: max(m, n) <= 512 and k >= 16384,
    "layers of networks": lambda m, n, k, words: max(m, n) >= 1536,
    "batches": lambda m, n, k, words: "batch" in words,
}


def group_of(shape):
    words = re.split("[ =]", shape)
    m, n, k = map(int, words[3:6])
    odd = "slack" in words or any(size % 8 for size in (m, n, k)) and min(m, n) > 128 and n != 512
    for name in ("batches", "small squares in a CUDA graph"):
        if GROUPS[name](m, n, k, words):
            return name
    if odd:
        return "odd sizes, leading dimensions"
    return next(name for name in GROUPS if GROUPS[name](m, n, k, words) and not name.startswith("odd"))


def library_section(folder):
    """Times of the library and of cuBLAS, in turns in one process, by groups of shapes."""
    files = sorted(folder.glob("*-referee.csv"))
    if not files:
        return ["Nothing is recorded in `results/` yet."]
    rows = list(csv.DictReader(files[-1].open(encoding="utf-8")))
    mean = lambda ratios: math.exp(sum(map(math.log, ratios)) / len(ratios))
    groups = {name: [row for row in rows if group_of(row["shape"]) == name] for name in GROUPS}
    lines = ["| shapes | number | x cuBLAS, geometric mean | least | most |", "|---|---:|---:|---:|---:|"]
    for name, members in [*groups.items(), ("all", rows)]:
        ratios = {row["shape"]: float(row["ratio"]) for row in members}
        ends = [min(ratios, key=ratios.get), max(ratios, key=ratios.get)]
        cells = [f"{ratios[shape]:.2f} ({shape.removeprefix('row ')})" for shape in ends]
        lines.append(f"| {name} | {len(members)} | {mean(list(ratios.values())):.2f} | {' | '.join(cells)} |")
    wrong = sum(row["status"] != "right" for row in rows)
    return lines + ["", f"From [{files[-1].name}](results/{files[-1].name}): "
                    f"{len(rows) - wrong} of {len(rows)} results are right."]


MODES = {"fp16x3": "FP16X3", "bf16x6": "BF16X6", "bf16x9": "BF16X9", "tf32": "TF32"}


def modes_section(folder):
    """Compute modes beside cuBLAS's FP32, on normal data: squares and what else every mode was given."""
    measured = {}
    for mode in MODES:
        for path in sorted(folder.glob(f"*-referee-{mode}-normal.csv")):
            measured[mode] = {row["shape"].removeprefix("row ").removeprefix("N N "): row
                              for row in csv.DictReader(path.open(encoding="utf-8"))
                              if row["shape"].startswith("row N N ")}
    if "fp16x3" not in measured:
        return ["Nothing is recorded in `results/` yet."]
    lines = ["| M N K | cuBLAS FP32, TFLOP/s | " + " | ".join(MODES[mode] + " | x" for mode in measured) +
             " | error of FP16X3, of cuBLAS's |", "|---|" + "---:|" * (2 + 2 * len(measured))]
    for shape, row in measured["fp16x3"].items():
        m, n, k = map(int, shape.split()[:3])
        if min(m, n, k) < 512 or not shape.replace(" ", "").isdigit():
            continue
        cells = [f"{float(row['cublas_tflops']):.1f}"]
        for mode in measured:
            cells += [f"{float(measured[mode][shape]['ours_tflops']):.0f}", f"{float(measured[mode][shape]['ratio']):.2f}"]
        error = float(row["ours_error"]) / float(row["cublas_error"])
        name = str(m) if m == n == k else f"{m} x {n} x {k}"
        lines.append(f"| {name} | {' | '.join(cells)} | {error:.2f} |")
    return lines


def replace(text, name, lines):
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(start) != 1 or text.count(end) != 1 or text.find(start) > text.find(end):
        raise Fault(f"the README needs one {start} and after it one {end}")
    before, rest = text.split(start)
    return before + "\n".join([start, *lines, end]) + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="compare with the README")
    what.add_argument("--write", action="store_true", help="update the README")
    parser.add_argument("--program", help="the tilewright to ask (default: the last one built)")
    parser.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results")
    arguments = parser.parse_args()

    program = arguments.program or find_program()
    rungs = list_rungs(program)
    tables = {"rungs": rungs_table(rungs), "results": results_section(arguments.results, rungs),
              "counts": counts_table(program, rungs), "library": library_section(arguments.results),
              "modes": modes_section(arguments.results)}
    if not arguments.check and not arguments.write:
        print("\n\n".join("\n".join(lines) for lines in tables.values()))
        return 0
    before = arguments.readme.read_text(encoding="utf-8")
    after = before
    for name, lines in tables.items():
        after = replace(after, name, lines)
    if arguments.write:
        arguments.readme.write_text(after, encoding="utf-8")
        return 0
    if before != after:
        print("the README does not say what results/ and the rungs say; "
              "tools/results_table.py --write puts it right:")
        print("\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), "README.md",
                                             "generated", lineterm="")))
        return 1
    if not list(arguments.results.glob("*-ladder.json")):
        print("skipped: no results/*-ladder.json to compare the README with (its rungs are right)")
        return NOTHING_MEASURED
    print("README.md agrees with results/ and with the rungs")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Fault as fault:
        sys.exit(f"results_table: {fault}")
