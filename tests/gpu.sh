#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests on a GPU: gpu.sh [FOLDER [DEVICE]]
#   FOLDER   where the built programs are, here or in tests/ below (default: build/h200, build/cuda,
#            or the folder of this script)
#   DEVICE   the GPU's number (default 0); cpu tries the script itself, in CPU mode
# Needs bash and the programs alone: both can be copied to a machine without sources.
#
# Environment: COMPUTE_SANITIZER names the tool if it is not on PATH or in a CUDA toolkit;
# REQUIRE_SANITIZER=1 makes its absence a failure; RC_PARAMS as RapidCheck takes them.
set -uo pipefail

here=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
folder=${1:-}
device=${2:-0}
if [[ -z $folder ]]; then
    for folder in "$here/../build/h200" "$here/../build/cuda" "$here"; do
        [[ ! -x $folder/tilewright ]] || break
    done
fi
program=$folder/tilewright
if [[ ! -x $program ]]; then
    printf 'gpu.sh: no program %s: build it, or name its folder\n' "$program" >&2
    exit 2
fi
if ! "$program" verify k1 --device "$device" --shape 1x1x1 --quiet >/dev/null; then
    printf 'gpu.sh: nothing runs on device %s\n' "$device" >&2
    exit 2
fi
"$program" --version
"$program" devices

passed=0 failed=0 skipped=0
output=$(mktemp)
trap 'rm -f -- "$output"' EXIT

# step NAME COMMAND...: one pass or fail.
step() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$output" 2>&1; then
        passed=$((passed + 1))
        printf 'ok      %s (%d s)\n' "$name" $((SECONDS - start))
    else
        failed=$((failed + 1))
        printf 'FAILED  %s (status %d): %s\n' "$name" $? "$*"
        tail -n 40 "$output" | sed 's/^/        /'
    fi
}

skip() {
    skipped=$((skipped + 1))
    printf 'skipped %s\n' "$*"
}

# number_in PATTERN: the number in the first such line of what a test program printed.
number_in() {
    local number
    number=$(sed -nE "s/$1/\1/p" "$output" | head -n 1)
    printf '%d' "${number:-0}"
}

# A program of GoogleTests: as many passes and failures as it has tests.
test_program() {
    local name=${1##*/} start=$SECONDS status good bad away
    "$1" >"$output" 2>&1
    status=$?
    good=$(number_in '^\[  PASSED  \] ([0-9]+) tests?\.')
    bad=$(number_in '^\[  FAILED  \] ([0-9]+) tests?, listed below:')
    away=$(number_in '^\[  SKIPPED \] ([0-9]+) tests?, listed below:')
    # A program that crashes says nothing of its tests, and one without tests proves nothing.
    if ((bad == 0 && (status != 0 || good + away == 0))); then bad=1; fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + away))
    if ((bad)); then
        printf 'FAILED  %s (status %d): %d passed, %d failed, %d skipped\n' \
            "$name" "$status" "$good" "$bad" "$away"
        grep -A 12 -E 'Failure$|^\[  FAILED  \]' "$output" | head -n 60 | sed 's/^/        /'
        ((status < 128)) || tail -n 5 "$output" | sed 's/^/        /'
    else
        printf 'ok      %s: %d passed, %d skipped (%d s)\n' "$name" "$good" "$away" \
            $((SECONDS - start))
    fi
}

find_sanitizer() {
    local candidate
    for candidate in "${COMPUTE_SANITIZER:-}" compute-sanitizer \
        "${CUDA_HOME:+$CUDA_HOME/bin/compute-sanitizer}" /usr/local/cuda*/bin/compute-sanitizer; do
        if [[ -n $candidate ]] && type -P "$candidate"; then return; fi
    done
}

# Edges on all sides of every tile size, single rows and columns, no product, whole tiles.
shapes=()
for shape in 1x1x1 3x5x0 1x65x17 129x1x9 31x33x32 65x63x33 129x130x35 128x256x16 136x72x40; do
    shapes+=(--shape "$shape")
done
unaligned=(--shape 129x131x35 --shape 128x128x32 --lda 39 --ldb 133 --ldc 137 --offset '1,2,3'
    --alpha 0.5 --beta 3)
# Matrices that end where their memory ends: what reads on is found out.
exact=(--shape 72x104x40 --shape 136x136x40 --min-time 0 --hot)

# sanitize TOOL NAME ARGUMENTS...: `tilewright ARGUMENTS` under a tool of compute-sanitizer.
sanitize() {
    local tool=$1 name=$2
    shift 2
    step "$tool $name" "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 5 \
        "$program" "$@" --device "$device" --quiet
}

# --- the test programs
export TILEWRIGHT_TUNING=off  # what somebody has tuned on this machine is not tested
export TILEWRIGHT_TEST_DEVICE=$device
# Handles of the library belong to the first GPU, unless CUDA_VISIBLE_DEVICES says otherwise.
if [[ $device == cpu ]]; then export TILEWRIGHT_DEVICE=cpu; fi
export RC_PARAMS=${RC_PARAMS:-seed=1 max_success=50}
programs=0
for test in "$folder"/*_test "$folder"/tests/*_test; do
    [[ -f $test && -x $test ]] || continue
    programs=$((programs + 1))
    test_program "$test"
done
((programs)) || skip "test programs: there are none in $folder or $folder/tests"

# --- every variant of every rung
step 'verify' "$program" verify --variant all --device "$device" --quiet
step 'verify, engine' "$program" verify engine --variant all --device "$device" --quiet
step 'verify, unaligned' "$program" verify --variant all "${unaligned[@]}" --device "$device" --quiet

# --- compute-sanitizer, on our kernels alone: all in one process, as each start takes seconds
mapfile -t rungs < <("$program" list --format csv | awk -F, 'NR > 1 && $4 != "baseline" { print $1 }')
sanitizer=$(find_sanitizer) || true
if [[ $device == cpu ]]; then
    skip 'compute-sanitizer: CPU mode'
elif ((${#rungs[@]} == 0)); then
    step 'tilewright list names no rung' false
elif [[ -z $sanitizer ]]; then
    if [[ ${REQUIRE_SANITIZER:-0} != 0 ]]; then
        step 'compute-sanitizer was not found' false
    else
        skip 'compute-sanitizer: not on PATH, in CUDA_HOME or /usr/local/cuda*'
    fi
else
    for tool in memcheck racecheck; do
        sanitize "$tool" 'edges' verify "${rungs[@]}" --variant all "${shapes[@]}"
        sanitize "$tool" 'unaligned' verify "${rungs[@]}" --variant all "${unaligned[@]}"
    done
    sanitize memcheck 'exact' bench "${rungs[@]}" "${exact[@]}"
fi

if ((skipped)); then printf '%d skipped, reasons above\n' "$skipped"; fi
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
