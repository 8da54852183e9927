# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# What tests of the command line share: a folder to work in, and words for what must hold. To be
# sourced with the program as the first argument, or none for build/cpu's.
program=$(readlink -f -- "${1:-$(dirname -- "$0")/../build/cpu/tilewright}")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work" || exit 1
unset DEVICE NO_COLOR
export TILEWRIGHT_TUNING=off  # what somebody has tuned on this machine
passed=0 failed=0

check() {  # WHAT, then a command that succeeds when it holds
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  command: %s (status %s)\n' "$what" "$ran" "$status"
        sed 's/^/  out: /' out | head -n 5
        sed 's/^/  err: /' err | head -n 5
    fi
}

run() {  # ARGUMENTS...: leaves $status, out and err
    ran="tilewright $*"
    "$program" "$@" >out 2>err
    status=$?
}

exits() {  # STATUS ARGUMENTS...
    local wanted=$1
    shift
    run "$@"
    check "exit status $wanted" test "$status" = "$wanted"
}

refuses() {  # TEXT ARGUMENTS...: usage, with this text on stderr and nothing on stdout
    local text=$1
    shift
    exits 2 "$@"
    check "says '$text'" grep -qF -- "$text" err
    check "nothing on stdout" test ! -s out
}

json() {  # EXPRESSION about `d`, the parsed stdout
    python3 -c 'import json, sys
d = json.load(open(sys.argv[2]), parse_constant=lambda name: sys.exit("not JSON: " + name))
sys.exit(0 if eval(sys.argv[1]) else 1)' "$1" "${2:-out}"
}

silent() { test ! -s err; }
lines_fit() { awk 'length > 80 { exit 1 }' out; }
