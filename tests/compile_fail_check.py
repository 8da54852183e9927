#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that tile sizes which do not add up are refused by the compiler, in words.

  compile_fail_check.py [COMPILER]     default: c++

For each rung every size of its default configuration is made wrong in several ways. Each rule of
the rung, a static_assert, must have spoken then, and the untouched configuration must compile.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", f"-I{ROOT / 'src'}", "-DTILEWRIGHT_TARGET=cpu_fast",
         "-DTILEWRIGHT_COUNTED=0"]

# What all programs begin with is read once: most of the time goes there.
COMMON = """#include <array>
#include <bit>
#include "device/pack.h"
#include "device/partials.h"
"""

# A configuration is a sequence of ints, whatever they are called.
PROGRAM = """#include "{file}"
using namespace tilewright;
namespace rung = ladder::{name};
constexpr size_t kSizes = sizeof(TileConfig) / sizeof(int);
using Sizes = std::array<int, kSizes>;
constexpr TileConfig kRight = rung::kVariants[0].config;
template <size_t kAt, int kTimes, int kPlus, int kBy = 1>
constexpr TileConfig changed() {{
    Sizes sizes = std::bit_cast<Sizes>(kRight);
    sizes[kAt] = (sizes[kAt] * kTimes + kPlus) / kBy;
    return std::bit_cast<TileConfig>(sizes);
}}
template <TileConfig kTile>
void use() {{
    [[maybe_unused]] const auto run = &rung::run<kTile>;
}}
template <size_t kAt>
void use_wrong() {{
    if constexpr (std::bit_cast<Sizes>(kRight)[kAt] == 0) {{
        use<changed<kAt, 1, 1>()>();
    }} else if constexpr ({wrong} == 1) {{
        use<changed<kAt, 1, 1>()>();
        use<changed<kAt, 2, 0>()>();
        use<changed<kAt, 1, 0, 2>()>();
    }} else {{
        use<changed<kAt, 3, 0>()>();
        use<changed<kAt, 5, 0, 4>()>();
        use<changed<kAt, 1, 0, 4>()>();
    }}
}}
template <size_t... kAt>
void use_all_wrong(std::index_sequence<kAt...>) {{
    (use_wrong<kAt>(), ...);
}}
int main() {{
    use<kRight>();
#if {wrong}
    use_all_wrong(std::make_index_sequence<kSizes>());
#endif
}}
"""


def rules_in(text):
    """The sentences of the file's static_asserts, in one piece."""
    rules = []
    for body in re.findall(r"static_assert\((.*?)\);", text, re.DOTALL):
        rules.append("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body)))
    return rules


def compile_with(compiler, source, text):
    source.write_text(text, encoding="utf-8")
    common = source.with_name("common.h")
    if not common.exists():
        common.write_text(COMMON, encoding="utf-8")
        subprocess.run([compiler, *FLAGS, "-x", "c++-header", common, "-o", f"{common}.gch"],
                       check=True)
    done = subprocess.run([compiler, *FLAGS, "-fsyntax-only", "-include", common, source],
                          capture_output=True, text=True)
    return done.returncode, done.stderr


def check(compiler, file, source):
    """Faults of one rung, as sentences, and the number of its rules."""
    text = file.read_text(encoding="utf-8")
    name = file.stem.partition("_")[2]
    rules = rules_in(text)
    if not rules:
        return [f"{file.name}: no static_assert says which sizes fit together"], 0
    fill = {"file": file, "name": name}
    status, said = compile_with(compiler, source, PROGRAM.format(wrong=0, **fill))
    if status != 0:
        return [f"{file.name}: the default configuration does not compile:\n{said}"], len(rules)
    silent = rules
    for wrong in (1, 2):  # the second takes as long again, and few rungs need it
        if silent:
            _, said = compile_with(compiler, source, PROGRAM.format(wrong=wrong, **fill))
            refused = set(re.findall(r"static assertion failed: (.*)", said)) | set(
                re.findall(r'static_assert failed due to requirement [^"]*"(.*)"', said))
            silent = [rule for rule in silent if rule not in refused]
    return [f"{file.name}: no wrong size was refused with '{rule}'" for rule in silent], len(rules)


def main(compiler):
    faults, rules = [], 0
    files = sorted((ROOT / "src" / "ladder").glob("[0-9][0-9]_*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            found, count = check(compiler, file, pathlib.Path(folder, "wrong.cpp"))
            faults += found
            rules += count
            print(f"{file.name}: {count} rules{', ' + str(len(found)) + ' faults' if found else ''}")
    print("\n".join(faults + [f"{len(files)} rungs, {rules} rules, {len(faults)} faults"]))
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "c++"))
