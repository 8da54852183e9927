#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks that the sources are formatted as .clang-format says, by clang-format 14: other versions
# differ in places. Exit status 77, skipped, where there is none; under CI that is a failure.
# format_check.sh --fix formats them instead.
set -uo pipefail
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." || exit 1

formatter=''
for candidate in clang-format-14 clang-format; do
    if [[ $("$candidate" --version 2>/dev/null) == *'version 14.'* ]]; then
        formatter=$candidate
        break
    fi
done
if [[ -z $formatter ]]; then
    printf 'no clang-format 14 (Debian and Ubuntu: apt-get install clang-format-14)\n'
    [[ -n ${CI:-} ]] && exit 1
    exit 77
fi

mapfile -d '' files < <(find src tests tools include examples -type f \
    \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' -o -name '*.cu' -o -name '*.def' \) \
    -print0 2>/dev/null | sort -z)
if ((${#files[@]} == 0)); then
    printf 'no sources found in %s\n' "$PWD"
    exit 1
fi
if [[ ${1:-} == --fix ]]; then
    exec "$formatter" -i "${files[@]}"
fi

# Not --dry-run -Werror: it takes a comment that is replaced by itself for a violation.
unformatted=()
for file in "${files[@]}"; do
    "$formatter" "$file" | cmp -s - "$file" || unformatted+=("$file")
done
printf '%d files, %d of them not formatted\n' "${#files[@]}" "${#unformatted[@]}"
for file in "${unformatted[@]}"; do
    printf '%s\n' "$file"
    diff -u "$file" <("$formatter" "$file") | sed -n '3,12p'
done
if ((${#unformatted[@]})); then
    printf 'tests/format_check.sh --fix formats them\n'
    exit 1
fi
