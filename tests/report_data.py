# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Results files that nobody measured, for the report's tests: every panel has data, and some of it is odd."""
import json
import math

MULTIPROCESSORS, PEAK, CUBLAS = 132, 66908.16, "k0"
ODD = "</script><img src=x onerror=alert(1)><!-- \u2028 \"quoted\" \\ \u00fc\u4e2d"

ENVIRONMENT = {
    "device": "NVIDIA H200", "mode": "gpu", "compute_capability": "9.0", "multiprocessors": MULTIPROCESSORS,
    "workers": None, "clocks": {"sm_max_mhz": 1980, "memory_mhz": 3201}, "power": {"limit_watts": 700.0},
    "peak_gflops": PEAK, "tf32_peak_gflops": 535265.28, "driver": "580.0", "cuda": "13.0",
    "cublas": {"version": "13.1.0", "math_mode": "CUBLAS_PEDANTIC_MATH", "missing": None, "unset_variables": []},
    "host": {"processor": "planted", "system": ODD}, "version": "0.0.0", "git_revision": "0123456789ab",
    "command": "tilewright bench planted", "date": "2026-01-31T00:00:00Z"}


def row(rung, shape, gflops, variant="default", **more):
    m, n, k = shape
    us = 2 * m * n * k * more.get("batch", 1) / gflops / 1e3
    return {"rung": rung, "name": rung, "variant": variant, "shape": list(shape), "alpha": 1.0, "beta": 0.0,
            "lda": k, "ldb": n, "ldc": n, "dist": "uniform", "seed": 1, "arithmetic": "fp32", "memory": "cold",
            "launch": "stream", "samples": 30, "median_us": us, "min_us": us * 0.99, "spread_us": us * 0.004,
            "gflops": gflops, "percent_of_cublas": 100.0, "percent_of_peak": gflops / PEAK * 100, "sm_mhz": 1980,
            "watts": 650.0, "throttling": "", "max_error": 2e-7, "bound": 3e-6, "status": "ok", "reason": "",
            "joules": 1.5, **more}  # joules: a field that report does not know


def cube(rung, size, gflops, variant="default", **more):
    return row(rung, (size, size, size), gflops, variant, **more)


def in_waves(size, m, n, most):
    """A rate that falls where a wave of tiles is nearly empty, and at small sizes."""
    tiles = math.ceil(size / m) * math.ceil(size / n)
    full = tiles / MULTIPROCESSORS / math.ceil(tiles / MULTIPROCESSORS)
    return most * full * (size / (math.ceil(size / m) * m)) * (1 - 0.3 * math.exp(-size / 700))


def failed(rung, size, status, reason):
    return {**cube(rung, size, 1.0), "median_us": None, "min_us": None, "spread_us": None, "gflops": None,
            "percent_of_cublas": None, "percent_of_peak": None, "samples": 0, "max_error": None,
            "status": status, "reason": reason}


def everything():
    rows = []
    for size in range(128, 4097, 128):
        rows += [cube(CUBLAS, size, in_waves(size, 256, 128, 51000)),
                 cube("large_tile", size, in_waves(size, 128, 128, 55000), "128x256"),
                 cube("large_tile", size, in_waves(size, 64, 256, 50000), "64x256"),
                 cube("k10", size, in_waves(size, 128, 128, 44000))]
    ladder = {"k1": 500, "k2": 6100, "k3": 8800, "k4": 17000, "k5": 27000, "k6": 33000, "v1": 17000,
              "copy_engine": 54000}
    for size in (256, 1024, 4096):
        rows += [cube(rung, size, in_waves(size, 64, 64, most)) for rung, most in ladder.items()]
        rows += [cube("k9", size, 30000 + 700 * index, name) for index, name in
                 enumerate(("a6000", "a100", "128x128x8-8x8", "64x128x16-8x8", "not-in-this-build"))]
    rows += [cube("library", size, in_waves(size, 128, 128, 52000), kernel="large_tile/128x256") for size in range(128, 4097, 128)]
    rows += [cube("library", 4096, 210000, arithmetic="fp16x3", percent_of_cublas=400.0),
             cube("k0_tf32", 4096, 380000, arithmetic="tf32"),
             cube("k10", 4096, 31000, sustained=True, throttling="power cap"),
             cube("k6", 1024, 20000, memory="hot")]
    modes = {"tensor_tile": ("fp16x3", 200000, 3e-8), "bf16x6_tile": ("bf16x6", 114000, 3e-8),
             "bf16x9_tile": ("bf16x9", 80000, 2e-7), "tf32_tile": ("tf32", 500000, 1e-5)}
    for rung, (arithmetic, gflops, error) in modes.items():
        rows.append(cube(rung, 4096, gflops, "x", arithmetic=arithmetic, max_error=error, percent_of_cublas=None))
    for shape in ((1, 4096, 4096), (32, 4096, 4096), (64, 64, 65536), (4096, 1024, 2048)):
        rows += [row(CUBLAS, shape, 1000), row("tile", shape, 1300, "32x32", percent_of_cublas=130.0),
                 row("gemv", shape, 500, "strip", percent_of_cublas=50.0)]
    rows += [cube(CUBLAS, 64, 3000, batch=64), cube("tile", 64, 4500, "64x64", batch=64, percent_of_cublas=150.0)]
    rows += [failed("k7", 4096, "wrong", ODD), failed("k8", 4096, "not_run", "too little memory"),
             cube(ODD, 4096, 1234.0, ODD)]
    return {"environment": ENVIRONMENT, "results": rows}


def tuned():
    """As `tilewright tune k9 --output` writes it: one that is not compiled in, a tie, and one that crashed."""
    def candidate(name, variant, gflops, **more):
        us = None if gflops is None else 2 * 4096**3 / gflops / 1e3
        return {"name": name, "kernel": "k9", "variant": variant, "parts": 1, **more,
                "outcome": "ok" if gflops else "failed", "reason": None if gflops else "the process ended by signal 11",
                "samples": 20 if gflops else 0, "median_us": us, "min_us": us, "spread_us": us and us * 0.004,
                "gflops": gflops, "cold": True, "graph": False, "stage": 1, "tied": name == "a100", "compile_ms": None}
    candidates = [candidate("128x64x16-8x8-u1-b2", "", 37000,
                            config=[128, 64, 16, 8, 8, 0, 128, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 1]),
                  candidate("a100", "a100", 36900), candidate("a6000", "a6000", 30000), candidate("crashed", "", None)]
    return {"environment": ENVIRONMENT, "tuning": [
        {"subject": "k9", "problem": "4096x4096x4096", "compute": "fp32", "m": 4096, "n": 4096, "k": 4096, "batch": 1,
         "measured": True, "complete": True, "candidates": candidates, "best": candidates[0]["name"],
         "configurations": 4, "illegal": []}]}


def one_of_each(rungs):
    """A row a rung, as few as a page may have."""
    return {"environment": ENVIRONMENT, "results": [
        cube(rung, 1024, 1000.0 + index, max_error=0.0, percent_of_cublas=None,
             arithmetic=rung.split("_")[0] if rung.startswith("tf32") else "fp32") for index, rung in enumerate(rungs)]}


def rows_of_many(count):
    """As many rows as asked for, of kernels that there are."""
    rungs = ["k1", "k2", "k3", "k4", "k5", "k6", "k9", "k10", "v1", "v2", "stream_k", "copy_engine"]
    return {"environment": ENVIRONMENT, "results": [
        cube(rungs[index % len(rungs)], 128 * (1 + index // len(rungs)), 1000.0 + index) for index in range(count)]}


def write(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
