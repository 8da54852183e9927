#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the library of a finished build, moves it, and builds the examples against it elsewhere.

  install_check.py BUILD     the folder of a build that has made the library, such as build/cpu
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
NO_GPU = 77  # examples/cuda's exit status
# What may be there wherever programs of C++ run. libdl, librt and libpthread are the C library's.
EVERYWHERE = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "libdl.so.2",
              "librt.so.1", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
              "libasan.so.8", "libubsan.so.1"}

faults = []
checked = 0


def expect(truth, sentence):
    global checked
    checked += 1
    if not truth:
        faults.append(sentence)


def run(*command, environment=(), statuses=(0,)):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          env={**os.environ, **dict(environment)})
    if done.returncode not in statuses:
        raise RuntimeError(f"{shlex.join(map(str, command))} ended with status {done.returncode}:\n"
                           f"{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def settings(build):
    """The cache of a build."""
    text = (build / "CMakeCache.txt").read_text()
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))


def install(build, folder):
    """Into one folder, then moved to another, whose name has spaces."""
    first, last = folder / "first", folder / "moved to here"
    run("cmake", "--install", build, "--component", "library", "--prefix", first)
    first.rename(last)
    return last


def check_texts(prefix, build):
    """All is there, and no text says where it was made."""
    names = {path.name for path in prefix.rglob("*")}
    for name in ("tilewright.h", "tilewright.hpp", "LICENSE", "tilewright.pc", "libtilewright.a",
                 "libtilewright.so", "tilewright-config.cmake", "tilewright-config-version.cmake"):
        expect(name in names, f"{name} is not installed")
    for path in prefix.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h", ".hpp"):
            text = path.read_text()
            for place in (ROOT, build, prefix.parent):
                expect(str(place) not in text, f"{path.relative_to(prefix)} mentions {place}")


def check_symbols(library):
    listed = run("nm", "-D", "--defined-only", library).split()[2::3]
    others = [name for name in listed if not name.startswith("tilewright_")]
    expect(not others, f"exported beside the C interface: {', '.join(others[:5])}")
    header = (ROOT / "include/tilewright/tilewright.h").read_text()
    declared = set(re.findall(r"\b(tilewright_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    declared.add("tilewright_create_in_cpu_mode")  # src/engine/host.h: for libtilewright_blas alone
    expect(declared == set(listed), f"declared or exported alone: {declared ^ set(listed)}")
    dynamic = run("readelf", "-d", library)
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    expect(needed <= EVERYWHERE, f"needs {needed - EVERYWHERE}")
    expect("RPATH" not in dynamic and "RUNPATH" not in dynamic, "has a path of libraries")


def product_is_right(output):
    return re.search(r"ran \w+/\S+", output) and "\n0 of" in "\n" + output


def check_example(name, prefix, folder, *options):
    """Through find_package."""
    build = folder / f"{name} {len(list(folder.iterdir()))}"
    run("cmake", "-S", ROOT / "examples" / name, "-B", build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    run("cmake", "--build", build)
    output = run(build / "sgemm", statuses=(0, NO_GPU) if name == "cuda" else (0,))
    expect(product_is_right(output) or output == "no GPU\n", f"{name} {options}: {output}")


def check_pkg_config(prefix, folder, flags):
    environment = {"PKG_CONFIG_PATH": next(prefix.rglob("tilewright.pc")).parent}
    ask = ["pkg-config", "tilewright"]
    words = shlex.split(run(*ask, "--cflags", "--libs", environment=environment))
    library = next(prefix.rglob("libtilewright.so")).parent
    program = folder / "from pkg-config"
    for compiler, standard, name in (("cc", "-std=c11", "c"), ("c++", "-std=c++17", "cpp")):
        run(compiler, standard, *WARNINGS, *flags, ROOT / "examples" / name / f"sgemm.{name}",
            "-o", program, *words, f"-Wl,-rpath,{library}")
        output = run(program)
        expect(product_is_right(output), f"{name} through pkg-config: {output}")
    version = run(*ask, "--modversion", environment=environment).strip()
    major, minor, patch = map(int, version.split("."))
    expect(f"tilewright {major * 10000 + minor * 100 + patch} ran" in output,
           f"the package is of version {version}, and the library says: {output}")


def check_versions(prefix, folder):
    """A package of another minor version is not taken, nor one without a component that is asked for."""
    major, minor = re.search(r"project\(\w+ VERSION (\d+)\.(\d+)",
                             (ROOT / "CMakeLists.txt").read_text()).groups()
    asked = [(f"{major}.{minor}", True), (f"{major}.{int(minor) - 1}", False),
             (f"{int(major) + 1}.0", False), ("COMPONENTS shared", True), ("COMPONENTS none", False)]
    tried = [f"try({'YES' if found else 'NO'} {arguments})" for arguments, found in asked]
    source = folder / "versions"
    source.mkdir()
    (source / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.16)
project(client LANGUAGES C)
function(try found)
  find_package(tilewright ${ARGN} QUIET)
  if((${found} AND NOT tilewright_FOUND) OR (tilewright_FOUND AND NOT ${found}))
    message(SEND_ERROR "find_package(tilewright ${ARGN}) finds: ${tilewright_FOUND}")
  endif()
endfunction()
""" + "\n".join(tried) + "\n")
    run("cmake", "-S", source, "-B", source / "build", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    cache = settings(build)
    folder = pathlib.Path(tempfile.mkdtemp())
    flags, options = [], []
    if cache.get("TILEWRIGHT_SANITIZE") == "ON":
        flags = ["-fsanitize=address,undefined"]
        options = [f"-DCMAKE_{language}_FLAGS={flags[0]}" for language in ("C", "CXX")]
    try:
        prefix = install(build, folder)
        check_texts(prefix, build)
        check_symbols(next(prefix.rglob("libtilewright.so")))
        check_versions(prefix, folder)
        examples = ["c", "cpp"]
        if cache["TILEWRIGHT_CUDA"] == "ON":
            examples.append("cuda")
            nvcc = pathlib.Path(cache["CMAKE_CUDA_COMPILER"]).resolve()
            options.append(f"-DCUDAToolkit_ROOT={nvcc.parent.parent}")
        for name in examples:
            for target in ("tilewright::tilewright", "tilewright::tilewright_static"):
                check_example(name, prefix, folder, f"-DTILEWRIGHT={target}", *options)
        if shutil.which("pkg-config"):
            check_pkg_config(prefix, folder, flags)
        elif os.environ.get("CI"):
            expect(False, "there is no pkg-config")
    except RuntimeError as error:
        faults.append(str(error))
    finally:
        shutil.rmtree(folder)
    print("\n".join([*faults, f"{checked - len(faults)} passed, {len(faults)} failed"]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: install_check.py BUILD")
    sys.exit(main())
