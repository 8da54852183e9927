#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests tw with stand-ins for all that it calls: nothing is installed, built or asked for.
# shellcheck disable=SC2016  # conditions are evaluated later
set -uo pipefail

script=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")/tw
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
passed=0 failed=0

# The stand-ins log their calls in $LOG and take their answers from the environment:
# INSTALLED (packages), UID_IS, SUDO_STATUS, UPDATE_STATUS, INSTALL_STATUS, CONFIGURE_STATUS,
# BUILD_STATUS, SMI (what nvidia-smi prints), PROGRAM_STATUS.
stand_in() {  # NAME, its body on stdin
    { printf '#!%s\nprintf "%%s\\n" "%s $*" >>"$LOG"\n' "$BASH" "$1"; cat; } >"$tools/$1"
    chmod +x "$tools/$1"
}

# new_machine [COMMAND...]: an empty checkout and a PATH without the tools, or with those named.
new_machine() {
    local name
    machine=$(mktemp -d -p "$work" 'a machine.XXXXXX')
    checkout="$machine/the checkout" tools=$machine/bin
    mkdir -p "$checkout" "$tools" "$machine/elsewhere"
    cp -- "$script" "$checkout/tw"
    : >"$checkout/CMakePresets.json"
    export LOG=$machine/log
    : >"$LOG"
    for name in bash env dirname readlink cat sed awk sort rm mkdir chmod timeout nproc flock sleep true; do
        ln -s "$(type -P "$name")" "$tools/$name"
    done
    # A test's, which only Debian has as packages: here already, so that all systems are alike.
    for name in chromium chromedriver; do ln -s "$(type -P true)" "$tools/$name"; done
    stand_in id <<<'echo "${UID_IS:-0}"'
    stand_in dpkg-query <<'END'
for package; do :; done
[[ " ${INSTALLED:-} " != *" $package "* ]] || printf installed
END
    stand_in apt-get <<'END'
for package; do
    case $package in
        update) exit "${UPDATE_STATUS:-0}" ;;
        cmake | c++ | g++ | ninja-build | git | python3) here+=("$package") ;;
    esac
done
[[ ${INSTALL_STATUS:-0} == 0 ]] || exit "$INSTALL_STATUS"
for package in "${here[@]}"; do
    case $package in g++) package=c++ ;; ninja-build) package=ninja ;; esac
    cat "${0%/*}/.$package" >"${0%/*}/$package"
    chmod +x "${0%/*}/$package"
done
END
    stand_in sudo <<'END'
[[ ${SUDO_STATUS:-1} == 0 ]] || { [[ $1 == -n ]] || sleep 60; exit 1; }
[[ $1 != -n ]] || shift
exec "$@"
END
    stand_in nvidia-smi <<<'[[ -n ${SMI:-} ]] && echo "$SMI"'
    stand_in cmake <<'END'
[[ $1 != -S ]] || checkout=$2
while (($#)); do
    case $1 in
        --preset) preset=$2 ;;
        --build) folder=$2 ;;
    esac
    shift
done
if [[ -n ${preset:-} ]]; then
    printf 'CUDACXX=%s\n' "${CUDACXX:-}" >>"$LOG"
    [[ ${CONFIGURE_STATUS:-0} == 0 ]] || { echo 'the reason of CMake'; exit 1; }
    folder=$checkout/build/$preset
    printf 'CMAKE_CXX_COMPILER:FILEPATH=%s\n' "${0%/*}/c++" >"$folder/CMakeCache.txt"
    : >"$folder/build.ninja"
    exit
fi
if [[ ${BUILD_STATUS:-0} == 0 && -e $folder/tilewright ]]; then
    printf '%s\n' '[0/2] Re-checking globbed directories...' 'ninja: no work to do.'
    exit
fi
echo 'a line of the build'
[[ ${BUILD_STATUS:-0} == 0 ]] || exit 1
cat >"$folder/tilewright" <<PROGRAM
#!$BASH
printf '<%s>' "\$@"
printf ' in %s\n' "\${PWD##*/}"
[[ ! -e /proc/self/fd/9 ]] || echo 'the lock is held'
exit \${PROGRAM_STATUS:-0}
PROGRAM
chmod +x "$folder/tilewright"
END
    for name in ctest ninja c++ git python3; do stand_in "$name" <<<':'; done
    mkdir -p "$machine/toolkit/bin"
    cp "$tools/git" "$machine/toolkit/bin/nvcc"
    for name in cmake ninja c++ git python3; do
        cp "$tools/$name" "$tools/.$name"
        [[ " $* " == *" $name "* ]] || rm "$tools/$name"
    done
}

all_tools='cmake ninja c++ git python3'
libraries='libcli11-dev libfmt-dev nlohmann-json3-dev libjs-chart.js libboost-context-dev libgtest-dev librapidcheck-dev'
# shellcheck disable=SC2086 # several words
ready_machine() { new_machine $all_tools; }

# tw [NAME=VALUE...] [--] ARGS: runs tw there; sets status, out and err.
tw() {
    local variables=(PATH="$tools" HOME="$machine" LOG="$LOG")
    while [[ ${1:-} == [A-Z]*=* ]]; do variables+=("$1"); shift; done
    out=$(cd "$machine/elsewhere" && env -i "${variables[@]}" "$BASH" "$checkout/tw" "$@" \
        2>"$machine/err" </dev/null)
    status=$?
    err=$(<"$machine/err")
}

# expect NAME CONDITION...: one test; conditions are those of [[, each evaluated.
expect() {
    local name=$1 condition
    shift
    for condition; do
        if ! eval "[[ $condition ]]"; then
            printf 'FAILED: %s: %s\n  status: %s\n  stdout: %s\n  stderr: %s\n  calls:\n%s\n' \
                "$name" "$condition" "$status" "$out" "$err" "$(sed 's/^/    /' "$LOG")"
            failed=$((failed + 1))
            return
        fi
    done
    passed=$((passed + 1))
}
# shellcheck disable=SC2034 # the conditions read it
calls() { log=$(grep -E "^($1) " "$LOG"); }

# --- help -------------------------------------------------------------------------------------
new_machine
for arguments in '' --help -h help; do
    # shellcheck disable=SC2086 # none or one word
    tw $arguments
    expect "help by '$arguments' builds nothing" '$status == 0' '$out == *"tw ladder"*"tw test"*"tw clean"*' \
        '! -s $LOG' '! -e $checkout/build'
done
tw --no-instal ladder
expect 'an unknown first option installs nothing' '$status == 2' '$err == *--no-instal*' '! -s $LOG'

# --- packages ---------------------------------------------------------------------------------
new_machine
tw ladder
calls apt-get
expect 'a new machine: packages are installed, with reasons' '$status == 0' \
    '$log == *" update"*" install "*cmake*ninja-build*g++*git*libfmt-dev*librapidcheck-dev' \
    '$log != *python3*' '$err == *"libfmt-dev"*"formats text"*' '$log == *Lock::Timeout*'
expect 'a new machine: then the program runs' '$out == "<ladder> in elsewhere"'

new_machine
tw test
calls apt-get
expect 'test needs five packages more' '$status == 0' '$log == *" clang-format-14 libblas-test pkgconf poppler-utils python3"'

ready_machine
tw INSTALLED="${libraries/libfmt-dev/}" UPDATE_STATUS=100 ladder
calls apt-get
expect 'only what is missing is installed, from old lists too' '$status == 0' '$log == *"--no-install-recommends libfmt-dev"'

new_machine
tw INSTALL_STATUS=100 ladder
expect 'apt-get fails: what is missing is said' '$status == 2' '$err == *"by hand: apt-get install cmake"*' '-z $out'

new_machine ninja c++ git
tw --no-install ladder
expect '--no-install names what is missing' '$status == 2' '$err == *"apt-get install cmake libcli11-dev"*' \
    '$err != *ninja*' '$err != *python3*' '-z $(grep -E "^(apt-get|sudo|cmake) " "$LOG")'

ready_machine
rm "$tools/dpkg-query" "$tools/apt-get"
tw --no-install ladder
expect 'no dpkg, all there by another way' '$status == 0' '$out == "<ladder> in elsewhere"' '$err != *missing*'

ready_machine
tw CONFIGURE_STATUS=1 --no-install ladder
expect 'CMake does not find a library' '$status == 2' '$err == *"the reason of CMake"*libfmt-dev*' '$err != *" git"*'

new_machine
rm "$tools/apt-get"
tw ladder
expect 'no apt-get' '$status == 2' '$err == *"no apt-get here; install them by hand: "*libfmt-dev*'

new_machine
SECONDS=0
tw UID_IS=1000 ladder
expect 'no root, sudo wants a password, no terminal' '$status == 2' '$SECONDS -lt 30' \
    '$err == *"needs root, or sudo"*"apt-get install cmake"*' '-z $(grep "^apt-get " "$LOG")'

new_machine
tw UID_IS=1000 SUDO_STATUS=0 ladder
calls sudo
expect 'no root, sudo wants no password' '$status == 0' '$log == *"sudo -n env DEBIAN_FRONTEND=noninteractive apt-get "*install*'

# --- which build ------------------------------------------------------------------------------
gpu='GPU 0: a GPU'
ready_machine
here="INSTALLED=$libraries clang-format-14 libblas-test pkgconf"
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
    tw "$here" CUDA_HOME="$machine/toolkit" ladder
    calls cmake
    expect 'nvcc but no GPU: ladder is CPU mode' '$status == 0' '$log == *"--preset cpu"*"--target tilewright"*' '$log != *cuda*'
fi
tw "$here" CUDA_HOME="$machine/toolkit" test -R 'two words'
calls 'cmake|ctest'
expect 'nvcc but no GPU: test is CUDA, arguments go to ctest' '$status == 0' \
    '$log == *"--preset cuda"*"--target all"*"ctest --preset cuda "*"-R two words"'

for way in CUDACXX=toolkit/bin/nvcc CUDA_HOME=toolkit CUDA_PATH=toolkit; do
    ready_machine
    tw "$here" SMI="$gpu" "${way%=*}=$machine/${way#*=}" ladder
    expect "nvcc by ${way%=*}" '$status == 0' '-d $checkout/build/cuda' \
        '$(<"$LOG") == *"CUDACXX=$machine/toolkit/bin/nvcc"*'
done
ready_machine
cp "$machine/toolkit/bin/nvcc" "$tools"
tw "$here" SMI="$gpu" ladder
expect 'nvcc on PATH' '$status == 0' '-d $checkout/build/cuda' '$(<"$LOG") == *"CUDACXX=$tools/nvcc"*'

ready_machine
tw "$here" SMI="$gpu" CUDA_HOME="$machine/toolkit" TW_NO_CUDA=1 ladder
expect 'TW_NO_CUDA=1' '$status == 0' '-d $checkout/build/cpu' '! -e $checkout/build/cuda' '$err != *GPU*'
tw "$here" TW_NO_CUDA=1 TW_PRESET=asan test
expect 'TW_PRESET' '$status == 0' '-d $checkout/build/asan' '$(<"$LOG") == *"ctest --preset asan"*'
tw "$here" TW_NO_CUDA=1 TW_PRESET=cuda test
expect 'a preset that needs nvcc, without it' '$status == 2' '$err == *"preset cuda needs nvcc"*CUDA_HOME*' '! -e $checkout/build/cuda'
if ! compgen -G '/usr/local/cuda*/bin/nvcc' >/dev/null; then
    tw "$here" SMI="$gpu" ladder
    expect 'a GPU but no nvcc' '$status == 0' '$err == *"a GPU but no nvcc"*' '-d $checkout/build/cpu' '! -e $checkout/build/cuda'
fi

# --- the second run, and when the first is not trusted ----------------------------------------
cpu=("$here" TW_NO_CUDA=1)
configured='$status == 0 && $(<"$LOG") == *"cmake -S"*'
untouched='$status == 0 && $(<"$LOG") != *"cmake -S"*'
again() { : >"$LOG"; tw "${cpu[@]}" "$@"; }
ready_machine
again ladder
expect 'the first run: all that is said goes to stderr' "$configured" '$out == "<ladder> in elsewhere"' '$err == *"a line of the build"*'
again ladder
expect 'the second run: no packages, no configure, no word' "$untouched" '-z $err' '-z $(grep -E "^(apt-get|dpkg-query|sudo) " "$LOG")'
again test
expect 'test after ladder looks at its packages' "$configured" '$(<"$LOG") == *dpkg-query*clang-format-14*' '$(<"$LOG") != *--fresh*'
again test
expect 'the second test does not' "$untouched" '$(<"$LOG") != *dpkg-query*'
again ladder
expect 'ladder after test' "$untouched"
flock "$checkout/build/.lock" sleep 1 &
sleep 0.3
again ladder
expect 'two at once' "$untouched" '$err == *"waiting for another tw"*' '$out == "<ladder> in elsewhere"'
touch -d '+1 minute' "$checkout/CMakePresets.json"
again ladder
expect 'the presets changed' "$configured" '$(<"$LOG") != *--fresh*'
touch -d '-1 minute' "$checkout/CMakePresets.json"
rm "$checkout/build/cpu/build.ninja"
again ladder
expect 'build.ninja is gone' "$configured"
cp "$tools/c++" "$tools/g++-9"
sed -i 's/c++$/g++-0/' "$checkout/build/cpu/CMakeCache.txt"
again ladder
expect 'the compiler is gone' "$configured"
again CXX=g++-9 ladder
expect 'another compiler is asked for' "$configured" '$(<"$LOG") == *--fresh*'
mv "$checkout" "$machine/moved"
checkout=$machine/moved
again ladder
expect 'the checkout moved' "$configured" '$(<"$LOG") == *--fresh*'
again CONFIGURE_STATUS=1 TW_PRESET=asan ladder
expect 'a configure that fails' '$status == 1' '$err == *"the reason of CMake"*"could not configure"*'
again TW_PRESET=asan ladder
expect 'and is not trusted afterwards' '$status == 0' '$(<"$LOG") == *"--preset asan"*'
again BUILD_STATUS=1 list
expect 'a build that fails' '$status == 1' '$err == *"a line of the build"*"failed"*' '-z $out'

# --- forwarding -------------------------------------------------------------------------------
again PROGRAM_STATUS=3 bench 'two  words' '' '*' --sizes 1,2
expect 'arguments and exit status' '$status == 3' '$out == "<bench><two  words><><*><--sizes><1,2> in elsewhere"'
again --version
expect '--version is the version of the program' '$status == 0' '$out == "<--version> in elsewhere"'
ln -s "$checkout/tw" "$machine/elsewhere/link"
out=$(cd "$machine/elsewhere" && env -i "${cpu[@]}" PATH="$tools" LOG="$LOG" ./link list)
expect 'through a symbolic link' '$out == "<list> in elsewhere"'
tw clean
expect 'clean' '$status == 0' '! -e $checkout/build' '-e $checkout/tw'

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
