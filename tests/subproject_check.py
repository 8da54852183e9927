#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Adds this project to another one with add_subdirectory, and looks at what that one gets: the
library under the name of the installed package, and no flag, test, program or target name of ours.
usage: subproject_check.py"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# With targets of its own that are called as our program, and as what is typed to build and test.
PARENT = """cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C CXX)
enable_testing()
add_subdirectory("%s" library)
add_executable(tilewright parent.cpp)
target_link_libraries(tilewright PRIVATE tilewright::tilewright)
add_executable(with_archive "%s/examples/c/sgemm.c")
target_link_libraries(with_archive PRIVATE tilewright::tilewright_static)
add_custom_target(docs)
install(TARGETS tilewright)
""" % (SOURCE, SOURCE)
PROGRAM = """#include "tilewright/tilewright.hpp"
int main() {
    const tilewright::Handle handle;
    return handle.pointer_mode() == tilewright::PointerMode::device;
}
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
        # Linking would compile the library again: install_check.py does that with the finished one.
        run("ninja", "CMakeFiles/tilewright.dir/parent.cpp.o", folder=build)
        command = next(entry["command"] for entry in
                       json.loads((build / "compile_commands.json").read_text())
                       if entry["file"].endswith("parent.cpp"))
        ours = [flag for flag in command.split()
                if flag.startswith(("-W", "-f", "-D", "-O", "-m", "-std"))]
        if ours:
            sys.exit(f"flags of ours reach a parent: {ours}\n{command}")
        seen = [word for word in command.split() if word.startswith("-I")]
        if seen != [f"-I{SOURCE}/include"]:
            sys.exit(f"a parent sees other folders than include: {seen}")
        tests = run("ctest", "-N", folder=build)
        if "Total Tests: 0" not in tests:
            sys.exit(f"tests of ours reach a parent:\n{tests}")
        targets = run("ninja", "-t", "targets", "all", folder=build)
        for name in ("tilewright_lab", "tilewright_reference"):
            if name in targets:
                sys.exit(f"a parent builds {name}")
        if "tilewright-shared" in (build / "library/cmake_install.cmake").read_text():
            sys.exit("a parent installs our package")
        print("1 passed, 0 failed")
    finally:
        shutil.rmtree(folder)


main()
