# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Writes a header with a digest of the engine's kernels: of their texts and all of ours that these
# include, but for CPU mode's. What was measured of kernels holds for these texts alone.
#   cmake -DROOT=src "-DKERNELS=a.cu;b.cu" -DOUTPUT=kernels_digest.h -P kernels_digest.cmake
cmake_minimum_required(VERSION 3.25)
set(texts "")
set(left ${KERNELS})
while(left)
  list(POP_FRONT left file)
  if(file IN_LIST texts OR file MATCHES "/device/cpu[^/]*$")
    continue()
  endif()
  list(APPEND texts "${file}")
  file(STRINGS "${file}" includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
    if(EXISTS "${ROOT}/${include}")
      list(APPEND left "${ROOT}/${include}")
    endif()
  endforeach()
endwhile()
# Whatever order they were found in, and wherever they lie.
list(SORT texts)
set(digests "")
foreach(file IN LISTS texts)
  file(SHA256 "${file}" digest)
  file(RELATIVE_PATH path "${ROOT}" "${file}")
  string(APPEND digests "${path} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING "${digest}" 0 12 digest)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define TILEWRIGHT_KERNELS_DIGEST \"@digest@\"\n" @ONLY)
