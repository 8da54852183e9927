# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Writes the version and git revision as a header. Runs at each build; the file changes, and what
# includes it is rebuilt, only when they do.
#   cmake -DSOURCE=... -DVERSION=... -DOUTPUT=... -P revision.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(revision unknown)
# Not the repository around an unpacked archive.
if(top STREQUAL SOURCE)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(revision ${described})
  endif()
endif()
set(text "#define TILEWRIGHT_VERSION \"${VERSION}\"\n#define TILEWRIGHT_REVISION \"${revision}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
