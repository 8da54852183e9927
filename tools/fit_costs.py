#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Fits src/engine/costs.def and the constants of src/engine/cost.cpp to a sweep.

  engine_sweep <shapes >sweep.csv; tools/fit_costs.py sweep.csv
  engine_sweep --compute fp16x3 tensor_tile <shapes | tail -n +2 >>sweep.csv    # and this mode's kernels

Prints the lines of costs.def, the constants, and where the fitted model would choose a kernel that is
slower than another. With --predict, what the model says goes into the sweep: a test compares it with
what cost.cpp says, so copy the costs and constants as they are printed. Needs numpy and scipy. The model is that of src/engine/cost.h.
"""
import argparse
import csv
import math

import numpy
from scipy.optimize import minimize

MULTIPROCESSORS = 132  # of the H200 that the sweep ran on
EXPOSED = 0.05
CONSTANTS = {"kAddStoreBytesPerUs": 6e5, "kLaunchUs": 1.0, "kMeetUs": 1.2, "kMeetBytesPerUs": 1.5e5,
             "kAddUs": 1.8, "kAddBytesPerUs": 4e6, "kBytesPerUs": 4.2e6}
PASS = {"kPassUs": 4.0, "kPassBytesPerUs": 1.6e6}  # where the sweep has kernels that convert operands first


class Sweep:
    def __init__(self, path):
        rows = [row for row in csv.DictReader(open(path)) if float(row["us"]) > 0]
        self.names = sorted({(row["kernel"], row["variant"]) for row in rows})
        self.variant = numpy.array([self.names.index((r["kernel"], r["variant"])) for r in rows])
        self.shapes = [tuple(row[c] for c in ("ta", "tb", "m", "n", "k", "batch")) for row in rows]
        self.parts = [int(row["parts"]) for row in rows]
        column = lambda name: numpy.array([float(row[name]) for row in rows])
        m, n, k, batch = (column(c) for c in ("m", "n", "k", "batch"))
        self.us, self.steps, self.sharing = column("us"), column("steps"), column("sharing")
        self.resident, self.meet = column("resident"), column("meet")
        self.bytes = 4 * batch * (m * k + k * n + m * n)
        self.result_bytes = 4 * batch * m * n
        self.prepared = numpy.array([float(row.get("prepared") or 0) for row in rows])
        self.exchanged = column("exchanged")
        self.share = self.exchanged / column("blocks")
        on_one = numpy.ceil(column("blocks") / MULTIPROCESSORS)
        self.rounds = numpy.floor(on_one / self.resident)
        self.rest = on_one - self.rounds * self.resident
        # A question is a shape and a compute mode, which is its kernel's own where that converts
        # operands and FP32 elsewhere; the kernels of FP32 answer each of them.
        mode = numpy.where(self.prepared > 0, [row["kernel"] for row in rows], "")
        self.answers = {}
        for i, question in enumerate(zip(self.shapes, mode)):
            self.answers.setdefault(question, []).append(i)
        for (shape, name), answers in self.answers.items():
            if name:
                answers += self.answers.get((shape, ""), [])
        self.best = {q: min(answers, key=lambda i: self.us[i]) for q, answers in self.answers.items()}
        self.slower = self.us / numpy.array([self.us[self.best[q]] for q in zip(self.shapes, mode)])
        # What is chosen matters; so do kernels that are close to each other for few shapes, which the
        # weights raise: one-stage tiles, large tiles whose parts are added up, very tall matrices.
        single = numpy.array([self.names[v][1].endswith("-1") for v in self.variant])
        large = numpy.array([self.names[v][0] == "large_tile" for v in self.variant])
        added = large & (self.sharing > 1) & (self.meet == 0)
        self.weight = (numpy.where(single & (self.slower < 1.15), 20, 1) / self.slower *
                       numpy.where(added & (self.slower < 1.6), 3, 1) *
                       numpy.where((m >= 20000) | (n >= 20000), 8, 1))

    def predict(self, costs, constants, rows=slice(None)):
        block_us, step_us, busy_block_us, busy_step_us = costs[self.variant[rows]].T
        block = block_us + self.steps[rows] * step_us
        share = busy_block_us + self.steps[rows] * busy_step_us
        c = constants
        us = (c["kLaunchUs"] +
              self.rounds[rows] * numpy.maximum(block, self.resident[rows] * share) +
              numpy.where(self.rest[rows] > 0, numpy.maximum(block, self.rest[rows] * share), 0))
        met = c["kMeetUs"] + self.share[rows] * self.sharing[rows] / c["kMeetBytesPerUs"]
        added = (c["kAddUs"] + self.exchanged[rows] / c["kAddBytesPerUs"] +
                 self.result_bytes[rows] / c["kAddStoreBytesPerUs"])
        us += numpy.where(self.sharing[rows] > 1, numpy.where(self.meet[rows] > 0, met, added), 0)
        if "kPassUs" in c:
            us += numpy.where(self.prepared[rows] > 0,
                              c["kPassUs"] + self.prepared[rows] / c["kPassBytesPerUs"], 0)
        read = c["kLaunchUs"] + block_us + self.bytes[rows] / c["kBytesPerUs"]
        return numpy.maximum(us, read) + EXPOSED * numpy.minimum(us, read)


def loss(errors, weights):
    """Huber's, of the logarithms: a few shapes that the model does not know must not bend it."""
    size = numpy.abs(errors)
    return float((weights * numpy.where(size < 0.25, errors**2, 0.5 * size - 0.0625)).sum() /
                 weights.sum())


def fit_variant(sweep, costs, constants, variant, starts):
    rows = numpy.where(sweep.variant == variant)[0]

    def objective(logs):
        costs[variant] = numpy.exp(logs)
        block_us, step_us, busy_block_us, busy_step_us = costs[variant]
        if min(costs[variant]) < 1e-5:
            return 100
        penalty = max(0, math.log(busy_step_us / step_us)) + max(0, math.log(busy_block_us / block_us))
        errors = numpy.log(sweep.predict(costs, constants, rows) / sweep.us[rows])
        return loss(errors, sweep.weight[rows]) + penalty

    fits = [minimize(objective, numpy.log(s), method="Nelder-Mead", options={"maxiter": 500, "xatol": 2e-3, "fatol": 1e-7})
            for s in starts]
    costs[variant] = numpy.exp(min(fits, key=lambda fit: fit.fun).x)


def fit(sweep, rounds=6):
    """Variants and constants in turn; of all rounds the one whose choices are best."""
    costs = numpy.ones((len(sweep.names), 4))
    constants = CONSTANTS | (PASS if sweep.prepared.any() else {})
    best = (math.inf,)
    starts = [[1.0, step, 0.1, step * busy] for step in (0.1, 0.4, 1.5, 6.0) for busy in (0.2, 0.7)]
    for number in range(rounds):
        for variant in range(len(sweep.names)):
            fit_variant(sweep, costs, constants, variant, starts if number == 0 else [list(costs[variant])] + starts)

        def objective(logs):
            errors = numpy.log(sweep.predict(costs, dict(zip(constants, numpy.exp(logs)))) / sweep.us)
            return loss(errors, sweep.weight)

        found = minimize(objective, numpy.log(list(constants.values())), method="Nelder-Mead",
                         options={"maxiter": 300})
        constants = dict(zip(constants, numpy.exp(found.x)))
        slower = math.exp(numpy.mean(numpy.log(slowness(sweep, chosen(sweep, costs, constants)))))
        best = min(best, (slower, number, costs.copy(), constants), key=lambda fitted: fitted[0])
    return best[2:]


def chosen(sweep, costs, constants):
    """The row that the model takes, for each question."""
    predicted = sweep.predict(costs, constants)
    return {q: min(answers, key=lambda i: predicted[i]) for q, answers in sweep.answers.items()}


def slowness(sweep, rows):
    """Of what was taken, in times of the best answer."""
    return numpy.array([sweep.us[i] / sweep.us[sweep.best[q]] for q, i in rows.items()])


def report(sweep, costs, constants, worst):
    predicted, rows = sweep.predict(costs, constants), chosen(sweep, costs, constants)
    name = lambda i: "/".join(sweep.names[sweep.variant[i]]) + f" parts={sweep.parts[i]}"
    slower = slowness(sweep, rows)
    print(f"# chosen kernels take {math.exp(numpy.mean(numpy.log(slower))):.3f} times the best "
          "candidate's time in the mean; the worst:")
    for times, (question, i) in sorted(zip(slower, rows.items()), key=lambda row: -row[0])[:worst]:
        best, (shape, mode) = sweep.best[question], question
        print(f"# {times:.2f} {' '.join(shape)}{mode and ' with ' + mode}: {name(i)} {sweep.us[i]:.1f} us, "
              f"predicted {predicted[i]:.1f}; best {name(best)} {sweep.us[best]:.1f} us")


def write_predictions(path, predicted):
    with open(path) as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    with open(path, "w") as file:
        writer = csv.DictWriter(file, reader.fieldnames, lineterminator="\n")
        writer.writeheader()
        predictions = iter(predicted)  # of rows that were measured
        for row in rows:
            said = {"predicted_us": f"{next(predictions):.3f}"} if float(row["us"]) > 0 else {}
            writer.writerow(row | said)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("sweep", help="what engine_sweep printed")
    arguments.add_argument("--worst", type=int, default=10, help="shapes to show (default 10)")
    arguments.add_argument("--predict", action="store_true", help="write predicted_us into the sweep")
    options = arguments.parse_args()
    sweep = Sweep(options.sweep)
    with numpy.errstate(all="ignore"):
        costs, constants = fit(sweep)
    # Whoever copies the numbers gets what is printed; so do the predictions.
    costs = numpy.array([[float(f"{x:.{d}f}") for x, d in zip(row, (3, 4, 4, 4))] for row in costs])
    constants = {name: float(f"{value:.3g}") for name, value in constants.items()}
    if options.predict:
        write_predictions(options.sweep, sweep.predict(costs, constants))
    for (kernel, variant), row in zip(sweep.names, costs):
        print(f'{{.kernel = "{kernel}", .variant = "{variant}", .block_us = {row[0]:.3f}, '
              f".step_us = {row[1]:.4f}, .busy_block_us = {row[2]:.4f}, .busy_step_us = {row[3]:.4f}}},")
    for constant, value in constants.items():
        print(f"# {constant} = {value:.3g}")
    report(sweep, costs, constants, options.worst)


if __name__ == "__main__":
    main()
