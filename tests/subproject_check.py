#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Adds this project to another one with add_subdirectory, and looks at what that one gets: the
headers, C++20, and no flag, test or program of ours. usage: subproject_check.py"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PARENT = """cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
enable_testing()
add_subdirectory("%s" tilewright)
add_executable(parent parent.cpp)
target_link_libraries(parent PRIVATE tilewright_ladder)
""" % SOURCE
PROGRAM = """#include "ladder/ladder.h"
int main() { return tilewright::ladder::rungs(tilewright::ladder::Target::cpu_fast).empty(); }
"""


def run(*command, folder):
    result = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        (folder / "CMakeLists.txt").write_text(PARENT)
        (folder / "parent.cpp").write_text(PROGRAM)
        build = folder / "build"
        run("cmake", "-S", folder, "-B", build, "-G", "Ninja",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", folder=folder)
        run("ninja", "CMakeFiles/parent.dir/parent.cpp.o", folder=build)
        command = next(entry["command"] for entry in
                       json.loads((build / "compile_commands.json").read_text())
                       if entry["file"].endswith("parent.cpp"))
        ours = [flag for flag in command.split() if flag.startswith(("-W", "-f", "-D", "-O"))
                and not flag.startswith(("-DBOOST", "-fPI"))]
        if ours:
            sys.exit(f"flags of ours reach a parent: {ours}\n{command}")
        tests = run("ctest", "-N", folder=build)
        if "Total Tests: 0" not in tests:
            sys.exit(f"tests of ours reach a parent:\n{tests}")
        targets = run("ninja", "-t", "targets", "all", folder=build)
        if "tilewright_lab" in targets:
            sys.exit("a parent builds the command line")
        print("1 passed, 0 failed")
    finally:
        shutil.rmtree(folder)


main()
