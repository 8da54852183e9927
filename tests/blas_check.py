#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the BLAS's own test programs, from Debian's libblas-test, with sgemm_ and cblas_sgemm of
libtilewright_blas.

  blas_check.py LIBRARY FAULTS     FAULTS: the library of blas_fault.cpp

Their exit status is 0 whatever happens, so that what they print is looked at, line by line; and they
would test whichever BLAS they find, so that the calls which came to us are counted. At the end
faults are planted, which must be seen. Exit status 77, skipped, where the programs are not
installed; under CI that is a failure. What they cannot see, blas_test.cpp looks at.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

# What every fault's report has one of.
COMPLAINTS = ("FATAL", "SUSPECT", "NOT DETECTED", "INSTEAD OF", "FAILED", "ABANDONED", "ERROR")
# Around the edges of all tiles of 16, 32 and 64. The programs know matrices up to 65, and take nine
# sizes at most. Their own input has more scalars.
LARGE = {"N": "0 1 7 16 31 33 63 64 65", "ALPHA": "0.0 -0.7", "BETA": "0.0 -1.3"}


class Tester:
    def __init__(self, program, own_input, routine, output, values=None):
        self.program, self.routine, self.output = program, routine, output
        with open(os.path.join(os.path.dirname(program), own_input), encoding="ascii") as file:
            self.input = file.read()
        # Other routines are another library's.
        self.input = re.sub(rf"(?m)^(?!{routine} )(\w+ +)T(?= PUT F)", r"\1F", self.input)
        for name, text in (values or {}).items():
            self.input = re.sub(rf"(?m)^\S+( +NUMBER OF VALUES OF {name})$",
                                rf"{len(text.split())}\1", self.input)
            self.input = re.sub(rf"(?m)^[^A-Z]+(?=VALUES OF {name}$)", text + "  ", self.input)

    def values(self, name):
        line = re.search(rf"(?m)^([^A-Z]+)VALUES OF {name}$", self.input)
        return [float(word) for word in line[1].split()]

    def calls(self):
        """All calls, and those in which there is something to do."""
        sizes, alphas, betas = map(self.values, ("N", "ALPHA", "BETA"))
        operations = 3 * 3
        at_work = sum(1 for k in sizes for alpha in alphas for beta in betas
                      if beta != 1 or (alpha != 0 and k != 0))
        return (len(sizes)**3 * operations * len(alphas) * len(betas),
                sum(1 for m in sizes for n in sizes if m and n) * operations * at_work)

    def run(self, preload, fault=""):
        """What it printed, and how many calls our library logged."""
        environment = dict(os.environ, LD_PRELOAD=":".join(preload), TILEWRIGHT_LOG="1",
                           TILEWRIGHT_DEVICE="gpu",  # which must not matter
                           TILEWRIGHT_TEST_FAULT=fault)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([self.program], input=self.input, capture_output=True, text=True,
                                  cwd=folder, env=environment, timeout=600)
            text = done.stdout
            if self.output and os.path.exists(os.path.join(folder, self.output)):
                with open(os.path.join(folder, self.output), encoding="ascii") as file:
                    text += file.read()
        said = done.stderr.splitlines()
        rest = [line for line in said if not line.startswith("tilewright dispatch ")]
        return "\n".join([text, *rest]), len(said) - len(rest)

    def faults(self, text, logged):
        calls, at_work = self.calls()
        layouts = [""] if self.routine == "SGEMM" else ["COLUMN-MAJOR ", "ROW-MAJOR    "]
        wanted = [f"{self.routine}  PASSED THE TESTS OF ERROR-EXITS"]
        wanted += [f"{self.routine}  PASSED THE {layout}COMPUTATIONAL TESTS ({calls:6d} CALLS)"
                   for layout in layouts]
        lines = [line.strip() for line in text.splitlines()]
        faults = [f"no line '{line}'" for line in wanted if line not in lines]
        faults += [line for line in lines
                   if any(word in line for word in COMPLAINTS) and line not in wanted]
        if logged != len(layouts) * at_work:
            faults.append(f"{logged} calls came to the library, not {len(layouts) * at_work}")
        return faults


def default_handlers(library):
    """A program without handlers of its own is stopped, with a sentence on stderr."""
    faults = []
    fortran = f"""
import ctypes
blas = ctypes.CDLL({library!r})
i = lambda v: ctypes.byref(ctypes.c_int(v))
f = ctypes.byref(ctypes.c_float(1))
blas.sgemm_(b"N", b"N", i(1), i(1), i(-1), f, f, i(1), f, i(1), f, f, i(1), 1, 1)
print("went on")"""
    c = f"""
import ctypes
blas = ctypes.CDLL({library!r})
f = ctypes.c_float(1)
x = ctypes.byref(f)
blas.cblas_sgemm(101, 111, 111, -1, 1, 1, f, x, 1, x, 1, f, x, 1)
print("went on")"""
    for program, sentence in (
            (fortran, "On entry to SGEMM  parameter number 5 had an illegal value"),
            (c, "Parameter 4 to routine cblas_sgemm was incorrect")):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              timeout=60)
        if done.returncode != 1 or done.stdout or sentence not in done.stderr:
            faults.append(f"not stopped with '{sentence}': {done.returncode}, {done.stdout!r}, "
                          f"{done.stderr!r}")
    return faults


def main(library, planted):
    faults = default_handlers(library)
    folders = [os.path.dirname(path) for path in glob.glob("/usr/lib/*/blas/xblat3s")]
    if not folders and not faults:
        print("no test programs of the BLAS (Debian and Ubuntu: apt-get install libblas-test)")
        return 1 if os.environ.get("CI") else 77
    fortran = Tester(f"{folders[0]}/xblat3s", "sblat3.in", "SGEMM", "sblat3.out")
    c = Tester(f"{folders[0]}/xscblat3", "sin3", "cblas_sgemm", None)
    large = Tester(fortran.program, "sblat3.in", "SGEMM", "sblat3.out", LARGE)
    for name, tester in (("sgemm_", fortran), ("cblas_sgemm", c), ("sgemm_, large", large)):
        start = time.monotonic()
        found = tester.faults(*tester.run([library]))
        print(f"{name}: {tester.calls()[0]} calls, {time.monotonic() - start:.1f} s")
        faults += [f"{name}: {fault}" for fault in found]

    for name, tester in (("sgemm_", fortran), ("cblas_sgemm", c)):
        for fault, sign in (("value", "HALF ACCURATE"), ("slack", "CHANGED INCORRECTLY"),
                            ("argument", "PASSED THE TESTS OF ERROR-EXITS")):
            seen = tester.faults(*tester.run([planted, library], fault))
            if not any(sign in line for line in seen):
                faults.append(f"{name}: the planted fault '{fault}' was not seen: {seen}")
        if not any("came to the library" in line for line in tester.faults(*tester.run([]))):
            faults.append(f"{name}: it was not seen that another library was tested")
        if seen := tester.faults(*tester.run([planted, library])):
            faults.append(f"{name}: without a fault, blas_fault.cpp has some: {seen}")
    print("\n".join(faults + [f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: blas_check.py LIBRARY FAULTS")
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
