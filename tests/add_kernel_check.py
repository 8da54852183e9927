#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Proves docs/add-a-kernel.md: types its commands in a copy of the sources, and looks at what comes.

  add_kernel_check.py BUILD     the folder of a finished build, such as build/cpu

The copy is built in CPU mode. An object of BUILD is taken over where the very same command would make it
from the very same files: only what the new kernel changes is compiled.
"""
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "add-a-kernel.md"
RUNG, FILE, REGISTRY = "last_barrier", "src/ladder/99_last_barrier.cu", "src/ladder/ladder.def"

# The page's ./tw: builds what has changed, says what it runs, and runs it. All tests would be too much.
STAND_IN = """#!/usr/bin/env bash
set -euo pipefail
[[ $1 != test ]] || exit 0
cmake --build {build} --target tilewright >{build}/log 2>&1 || {{ tail -n 30 {build}/log; exit 1; }}
printf '== %s\\n' "$*"
exec {build}/tilewright "$@"
"""


class Fault(Exception):
    """A sentence for a person."""


def copy_sources(target):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:  # an unpacked archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        names = [name for name in names if name.split("/")[0] not in ("build", ".git")]
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return set(names)


def difference(copied, names):
    """Files of the copy that are not the original's."""
    now = {str(path.relative_to(copied)) for path in copied.rglob("*") if path.is_file()}
    changed = {name for name in names & now if not filecmp.cmp(ROOT / name, copied / name, False)}
    return (now - names) | changed | {name for name in names - now if (ROOT / name).is_file()}


def cache_of(build):
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+):\w+=(.*)$", text, re.MULTILINE))


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def what_build_has(build, target):
    """The commands that made BUILD's objects, and the files that each was made from."""
    if not shutil.which("ninja") or not (build / "build.ninja").exists():
        return {}
    files, name = {}, None
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith("    "):
            files[name].append(line.strip())
        elif ":" in line:
            name = line.partition(":")[0]
            files[name] = []
    commands = output_of("ninja", "-C", build, "-t", "commands", "tilewright").splitlines()
    objects = {}
    for command in commands:
        made = re.search(r" -o (\S+\.o) -c ", command)
        if made and made[1] in files:
            objects[made[1]] = {"command": command, "files": files[made[1]]}
    return {"root": str(ROOT), "build": str(build), "copy": str(target), "objects": objects}


def take_over(known, command):
    """Instead of compiling: true when BUILD's object is what the command would make."""
    made = command[command.index("-o") + 1] if "-o" in command else None
    before = known.get("objects", {}).get(made)
    if not before:
        return False
    here = os.getcwd()

    def original(text):
        return text.replace(here, known["build"]).replace(known["copy"], known["root"])

    if original(" ".join(command)) != before["command"]:
        return False
    for file in before["files"]:
        absolute = os.path.normpath(os.path.join(known["build"], file))
        if absolute.startswith(known["build"] + "/"):
            own = here + absolute[len(known["build"]):]
        elif absolute.startswith(known["root"] + "/"):
            own = known["copy"] + absolute[len(known["root"]):]
        else:
            continue  # the system's
        if not os.path.exists(own) or not filecmp.cmp(absolute, own, False):
            return False
    shutil.copyfile(os.path.join(known["build"], made), made)
    return True


def launch(known, command):
    """Stands before the compiler."""
    taken = take_over(json.loads(pathlib.Path(known).read_text(encoding="utf-8")), command)
    with open(known + ".log", "a", encoding="utf-8") as log:
        log.write("taken over\n" if taken else "compiled\n")
    if not taken:
        os.execvp(command[0], command)


def configure(finished, copied, built, known):
    cache = cache_of(finished)
    keep = [f"-D{name}={cache[name]}" for name in
            ("CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_BUILD_TYPE", "TILEWRIGHT_CPU_FMA",
             "TILEWRIGHT_SANITIZE", "TILEWRIGHT_STATIC") if name in cache]
    launcher = ";".join([sys.executable, str(pathlib.Path(__file__).resolve()), "--launch", str(known)])
    done = subprocess.run(["cmake", "-S", copied, "-B", built, "-G", "Ninja", "-DTILEWRIGHT_TESTS=OFF",
                           "-DTILEWRIGHT_CUDA=OFF", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", *keep],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Fault(f"the copy cannot be configured:\n{done.stdout}{done.stderr}")
    known.write_text(json.dumps(what_build_has(finished, copied)), encoding="utf-8")


def commands_of_page():
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = "".join(blocks)
    if RUNG not in commands or f"RUNG({RUNG})" not in commands:
        raise Fault(f"{PAGE.name} does not add '{RUNG}' any more: this test has to follow it")
    return commands.replace("./tw ", '"$TW" ')


def type_page(copied, stand_in):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands_of_page()], cwd=copied,
                          capture_output=True, text=True,
                          env={**os.environ, "TW": str(stand_in), "DEVICE": "cpu"})
    print(done.stdout)
    if done.returncode != 0:
        raise Fault(f"a command of {PAGE.name} failed with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def expect(output, command, pattern):
    part = re.search(rf"^== {command}.*?(?=^== |\Z)", output, re.DOTALL | re.MULTILINE)
    if not part:
        raise Fault(f"{PAGE.name} does not run '{command}'")
    if not re.search(pattern, part[0], re.MULTILINE):
        raise Fault(f"'{command}' does not say '{pattern}'")


def check_output(output):
    expect(output, "list", rf"^99 +99 {RUNG} +k3 ")
    expect(output, "explain", rf"^99 {RUNG} \({RUNG}\)")
    expect(output, "explain", r"^barriers/block +15 +15  ok$")
    expect(output, "diff", r"^\+ +if \(t \+ 1 < tiles_k\) __syncthreads\(\);")
    expect(output, "diff", r"^1 lines? added, 1 removed")
    expect(output, "verify", rf"^{RUNG} .* ok$")
    expect(output, "ladder", r"^k3 .* 16$")
    expect(output, "ladder", rf"^{RUNG} .* 15$")
    expect(output, "bench", rf"^{RUNG} +64 ")


def check_mistake(copied, stand_in):
    """A barrier left out is found, with its place; the result may be right."""
    file = copied / FILE
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("        __syncthreads();\n", "", 1), encoding="utf-8")
    done = subprocess.run([stand_in, "check", RUNG], cwd=copied, capture_output=True, text=True)
    print(done.stdout)
    if done.returncode != 1:
        raise Fault(f"'check' ends with {done.returncode} though a barrier is missing\n{done.stderr}")
    expect(done.stdout, "check", rf"^{RUNG} {re.escape(FILE)}:\d+:\d+: error\n    race, read after write: ")
    expect(done.stdout, "check", r"__syncthreads\(\)")


def main(finished):
    with tempfile.TemporaryDirectory() as folder:
        copied, built = pathlib.Path(folder, "copy"), pathlib.Path(folder, "build")
        copied.mkdir()
        stand_in = pathlib.Path(folder, "tw")
        stand_in.write_text(STAND_IN.format(build=built), encoding="utf-8")
        stand_in.chmod(0o755)
        names = copy_sources(copied)
        known = pathlib.Path(folder, "known.json")
        configure(finished, copied, built, known)
        check_output(type_page(copied, stand_in))
        check_mistake(copied, stand_in)
        edited = difference(copied, names)
        if edited != {FILE, REGISTRY}:
            raise Fault(f"adding a kernel edited {', '.join(sorted(edited))}")
        how = pathlib.Path(str(known) + ".log").read_text(encoding="utf-8").split("\n")
        print(f"{how.count('compiled')} objects compiled, {how.count('taken over')} taken over")
    print(f"{RUNG} was added by one file and one line")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 2:
        try:
            main(pathlib.Path(sys.argv[1]).resolve())
        except Fault as fault:
            sys.exit(f"add_kernel_check: {fault}")
    else:
        sys.exit("usage: add_kernel_check.py BUILD")
