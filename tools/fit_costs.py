#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Fits src/engine/costs.def and the constants of src/engine/cost.cpp to a sweep.

  engine_sweep <shapes >sweep.csv; tools/fit_costs.py sweep.csv

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
        self.exchanged = column("exchanged")
        self.share = self.exchanged / column("blocks")
        on_one = numpy.ceil(column("blocks") / MULTIPROCESSORS)
        self.rounds = numpy.floor(on_one / self.resident)
        self.rest = on_one - self.rounds * self.resident
        best = {}
        for shape, us in zip(self.shapes, self.us):
            best[shape] = min(us, best.get(shape, math.inf))
        self.slower = self.us / numpy.array([best[shape] for shape in self.shapes])
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
    costs, constants = numpy.ones((len(sweep.names), 4)), dict(CONSTANTS)
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
        slower = math.exp(numpy.mean(numpy.log(sweep.slower[list(chosen(sweep, costs, constants))])))
        best = min(best, (slower, number, costs.copy(), constants), key=lambda fitted: fitted[0])
    return best[2:]


def chosen(sweep, costs, constants):
    """The row that the model takes, of each shape's."""
    predicted, rows = sweep.predict(costs, constants), {}
    for i, shape in enumerate(sweep.shapes):
        if shape not in rows or predicted[i] < predicted[rows[shape]]:
            rows[shape] = i
    return rows.values()


def report(sweep, costs, constants, worst):
    predicted, best = sweep.predict(costs, constants), {}
    for i, shape in enumerate(sweep.shapes):
        if shape not in best or sweep.us[i] < sweep.us[best[shape]]:
            best[shape] = i
    name = lambda i: "/".join(sweep.names[sweep.variant[i]]) + f" parts={sweep.parts[i]}"
    ranked = sorted(chosen(sweep, costs, constants), key=lambda i: -sweep.slower[i])
    mean = math.exp(numpy.mean(numpy.log(sweep.slower[ranked])))
    print(f"# chosen kernels take {mean:.3f} times the best candidate's time in the mean; the worst:")
    for i in ranked[:worst]:
        shape = sweep.shapes[i]
        print(f"# {sweep.slower[i]:.2f} {' '.join(shape)}: {name(i)} {sweep.us[i]:.1f} us, "
              f"predicted {predicted[i]:.1f}; best {name(best[shape])} {sweep.us[best[shape]]:.1f} us")


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
