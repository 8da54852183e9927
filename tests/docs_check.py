#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the documents name exists, and that what they say can be typed.

  docs_check.py PROGRAM     the built tilewright

Links lead to files and headings, inline code that looks like a path is one, variables occur in the
sources; commands have the verbs, options and rungs that the programs know, and those that need no
GPU and little time are run.
"""
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
             *sorted((ROOT / "docs").glob("*.md"))]
RUN_BY_ANOTHER_TEST = ["docs/add-a-kernel.md"]  # add_kernel_check.py
OWN_VERBS = ["test", "clean"]  # tw's, beside the program's
FILE_ENDING = re.compile(r"\w\.(md|cpp|cu|h|def|json|py|sh|txt|cmake)$")
PLACEHOLDER = re.compile(r"^[A-Z]+$|[<>]|\.\.\.")
MOST_PRODUCTS = 128 ** 3  # what CPU mode multiplies in passing
SECONDS = 120

faults = []
has_run = set()
checked = {"links": 0, "paths": 0, "commands": 0, "run": 0}


class Place:
    def __init__(self, document, line):
        self.document, self.line = document, line

    def fault(self, sentence):
        faults.append(f"{self.document.relative_to(ROOT)}:{self.line}: {sentence}")


@functools.cache
def tracked_files():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return [str(path) for path in found if path.parts[0] not in ("build", ".git")]


@functools.cache
def source_text():
    texts = []
    for name in tracked_files():
        if not name.endswith(".md") and name != "tests/docs_check.py":
            texts.append((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    return "\n".join(texts)


class Document:
    """Its lines, taken apart: prose, and fenced blocks of shell commands."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.prose, self.commands, self.headings = [], [], []
        language = None
        for number, line in enumerate(self.text.split("\n"), 1):
            fence = re.match(r"^ *```(\w*)", line)
            if fence:
                language = None if language is not None else fence[1]
            elif language == "sh":
                self.commands.append((Place(path, number), line))
            elif language is None and not line.startswith("    "):
                self.prose.append((Place(path, number), line))
                if line.startswith("#"):
                    self.headings.append(anchor(line))
        if language is not None:
            Place(path, number).fault("a code block is not closed")
        self.made = set(re.findall(r"\bcp \S+ (\S+)", self.text))
        self.made |= {pathlib.Path(name).name for name in self.made}
        self.rungs = re.findall(r"RUNG\((\w+)\)", self.text)


def anchor(heading):
    """As GitHub makes one of a heading."""
    words = heading.lstrip("#").strip().lower()
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words)
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


@functools.cache
def headings_of(path):
    return Document(path).headings


def check_link(place, target):
    if re.match(r"^(https?|mailto):", target):
        return
    checked["links"] += 1
    name, _, part = target.partition("#")
    path = (place.document.parent / name).resolve() if name else place.document
    if not path.exists():
        place.fault(f"the link '{target}' leads nowhere")
    elif part and part not in headings_of(path):
        place.fault(f"{path.name} has no heading for '#{part}'")


def exists(name, document):
    if name.startswith("build/"):
        return True  # made by building
    if "*" in name or "?" in name:
        return any(ROOT.glob(name))
    return any((folder / name).exists() for folder in (ROOT, ROOT / "src", document.path.parent))


def check_code(place, code, document):
    """Inline code: a path, an environment variable, a command, or none of our business."""
    words = code.split()
    if len(words) > 1 or code == "./tw":
        if words[0] in ("./tw", "tilewright", "cmake", "ctest"):
            check_command(place, code, document)
        return
    if re.match(r"^(TW|TILEWRIGHT)_[A-Z_]+$", code) and code not in source_text():
        place.fault(f"no source knows the variable {code}")
    if code.startswith(("-", "/")) or PLACEHOLDER.search(code) or "(" in code or code in document.made:
        return
    first = code.split("/")[0]
    if "/" in code and ((ROOT / first).exists() or FILE_ENDING.search(code)):
        checked["paths"] += 1
        if not exists(code, document):
            place.fault(f"there is no '{code}'")
    elif FILE_ENDING.search(code) and "*" not in code:
        checked["paths"] += 1
        if not any(pathlib.Path(name).name == code for name in tracked_files()):
            place.fault(f"there is no file '{code}'")


@functools.cache
def help_of(program, verb=None):
    shown = subprocess.run([program, *([verb] if verb else []), "--help"], capture_output=True,
                           text=True)
    return shown.stdout if shown.returncode == 0 else ""


@functools.cache
def verbs(program):
    listed = help_of(program).partition("Subcommands:")[2]
    return re.findall(r"^  (\w+)  ", listed, re.MULTILINE)


@functools.cache
def takes_value(program, verb):
    """The verb's options, long and short, and whether each is followed by a value."""
    listed = help_of(program, verb).partition("Options:")[2]
    found = re.findall(r"^  (?:(-\w),)?(--[\w-]+)(?: ([A-Z]+)\b)?", listed, re.MULTILINE)
    return {name: bool(value) for short, long, value in found for name in (short, long) if name}


@functools.cache
def is_rung(program, word):
    # cuBLAS takes part on a GPU only.
    return word in ("k0", "cublas", "library") or any(
        subprocess.run([program, "list", *options, word], capture_output=True).returncode == 0
        for options in ([], ["--engine"]))


def split(place, line):
    """The words of a command, without comment, redirection and what follows a pipe."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError as error:
        place.fault(f"'{line}' is no shell command: {error}")
        return [], False
    end = next((i for i, word in enumerate(words) if re.match(r"^[<>|&;]+$", word)), len(words))
    whole = end == len(words)
    words = words[:end]
    while words and re.match(r"^\w+=", words[0]):
        words.pop(0)
    return words, whole


def check_options(place, words, verb, document):
    """Options and rungs of one of the program's verbs. Returns the words that stand alone."""
    known = takes_value(PROGRAM, verb)
    alone, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or re.match(r"^-[\d.]", word):
            alone.append(word)
            continue
        name, equals, _ = word.partition("=")
        if name not in known:
            place.fault(f"'{verb}' has no option {name}")
        elif known[name] and not equals:
            if not rest:
                place.fault(f"'{verb}': {name} needs a value")
            rest = rest[1:]
    if verb in ("dispatch", "report"):  # a product's words, which run() tries; files
        return alone
    for word in alone:
        if PLACEHOLDER.search(word) or word in document.rungs:
            continue
        if verb == "devices" or not is_rung(PROGRAM, word):
            place.fault(f"'{verb}': '{word}' is no rung")
    return alone


def check_own_verb(place, words):
    """A verb of tw itself. What follows `test` is ctest's."""
    script = (ROOT / "tw").read_text(encoding="utf-8")
    if not re.search(rf"^ *{words[0]}\)", script, re.MULTILINE):
        place.fault(f"tw knows no '{words[0]}'")
    for word in words[1:]:
        if word.startswith("-") and word not in help_of("ctest"):
            place.fault(f"'{words[0]}': ctest has no option {word}")


def check_tilewright(place, words, document):
    script = words[0] == "./tw"
    words = words[1:]
    if script and words[:1] == ["--no-install"]:
        words = words[1:]
    if not words or words[0] in ("--help", "--version"):
        return
    if script and words[0] in OWN_VERBS:
        check_own_verb(place, words)
    elif words[0] in verbs(PROGRAM):
        check_options(place, words[1:], words[0], document)
    elif not PLACEHOLDER.search(words[0]):
        place.fault(f"there is no verb '{words[0]}'")


@functools.cache
def presets():
    text = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    return {each["name"] for each in text["configurePresets"]}


def check_cmake(place, words):
    for i, word in enumerate(words):
        if word == "--preset" and words[i + 1:] and words[i + 1] not in presets():
            place.fault(f"there is no preset '{words[i + 1]}'")
        option = re.match(r"-D(\w+)", word)
        if option and not option[1].startswith("CMAKE_") and option[1] not in source_text():
            place.fault(f"CMake knows no option {option[1]}")
        folder = re.match(r"^build/(\w+)$", word)
        if folder and folder[1] not in presets():
            place.fault(f"no preset builds in '{word}'")


def check_command(place, line, document):
    words, whole = split(place, line)
    if not words:
        return [], False
    if words[0] == "sudo":
        words = words[1:]
    checked["commands"] += 1
    if re.match(r"^(build/\w+/)?tilewright$", words[0]) or words[0] == "./tw":
        check_tilewright(place, words, document)
    elif words[0] in ("cmake", "ctest"):
        check_cmake(place, words)
    elif "/" in words[0] and not (ROOT / words[0]).exists():
        place.fault(f"there is no '{words[0]}'")
    return words, whole


def value_of(words, option):
    return [words[i + 1] for i, word in enumerate(words[:-1]) if word == option]


def products(words):
    """Multiply-adds of the largest shape a command asks for; None when it names none."""
    sizes = [int(size) ** 3 for text in value_of(words, "--sizes")
             for size in re.findall(r"\d+", text)]
    shapes = [shape.lower().split("x") for shape in value_of(words, "--shape")]
    volumes = sizes + [int(m) * int(n) * int(k) for m, n, k in shapes]
    return max(volumes) if volumes else None


def is_cheap(words):
    """Needs no GPU, nothing large, and is one of the program's verbs."""
    if words[0] != "./tw" or not words[1:] or words[1] not in verbs(PROGRAM):
        return False
    if any(device != "cpu" for device in value_of(words, "--device")):
        return False
    if any(PLACEHOLDER.search(word) for word in words[1:]):
        return False
    if words[1] == "report":  # its files come from a GPU
        return False
    volume = products(words)
    if words[1] == "bench":
        return volume is not None and volume <= MOST_PRODUCTS
    return volume is None or volume <= MOST_PRODUCTS


def run(place, words):
    if tuple(words) in has_run:
        return
    has_run.add(tuple(words))
    checked["run"] += 1
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in value_of(words, "--output")]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run([PROGRAM, *words[1:]], capture_output=True, text=True, cwd=folder,
                                  timeout=SECONDS, env={**os.environ, "DEVICE": "cpu",
                                                        "TILEWRIGHT_TUNING": "tuning.tsv"})
        except subprocess.TimeoutExpired:
            place.fault(f"'{shlex.join(words)}' took more than {SECONDS} s")
            return
        if done.returncode != 0:
            place.fault(f"'{shlex.join(words)}' ended with status {done.returncode}: "
                        f"{(done.stderr or done.stdout).strip()[:300]}")
        for file in files:
            if not file.exists():
                place.fault(f"'{shlex.join(words)}' wrote no {file.name}")


def check_document(path):
    document = Document(path)
    for place, line in document.prose:
        codes = re.findall(r"`([^`]+)`", line)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            check_link(place, target)
        for code in codes:
            check_code(place, code, document)
    runnable = str(path.relative_to(ROOT)) not in RUN_BY_ANOTHER_TEST
    for place, line in document.commands:
        words, whole = check_command(place, line, document)
        if words and whole and runnable and is_cheap(words):
            run(place, words)


def main():
    for path in DOCUMENTS:
        if path.exists():
            check_document(path)
        else:
            faults.append(f"{path.relative_to(ROOT)} is missing")
    print("\n".join(faults + [", ".join(f"{count} {what}" for what, count in checked.items())]))
    if not checked["run"]:
        sys.exit("docs_check: no command was found to run")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: docs_check.py PROGRAM")
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(main())
