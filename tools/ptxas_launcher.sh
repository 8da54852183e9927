#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Stands before nvcc: keeps what ptxas says of registers and memory beside the object file, as
# OBJECT.ptxas, and passes on the rest.
object=
for argument; do
    [ "$last" = -o ] && object=$argument
    last=$argument
done
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
"$@" 2>"$report"
status=$?
info='^ptxas info|^ *[0-9]+ bytes (stack frame|gmem)'
[ -n "$object" ] && grep -E "$info" "$report" >"$object.ptxas"
grep -vE "$info" "$report" >&2
exit $status
