# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# What must hold beside the programs' own tests: documents, formatting, the ladder's rules.
# bash and python3 are looked for when a test runs, not here: building needs neither.
function(tilewright_check name)
  cmake_parse_arguments(check "SKIPPABLE" "TIMEOUT" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${check_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS check TIMEOUT ${check_TIMEOUT}
    ENVIRONMENT_MODIFICATION "TILEWRIGHT_TUNING=set:off")
  if(check_SKIPPABLE)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()

set(here ${CMAKE_CURRENT_SOURCE_DIR})
tilewright_check(docs TIMEOUT 300
  COMMAND python3 ${here}/docs_check.py $<TARGET_FILE:tilewright>)
tilewright_check(readme TIMEOUT 300 SKIPPABLE
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/results_table.py --check --program $<TARGET_FILE:tilewright>)
tilewright_check(format TIMEOUT 120 SKIPPABLE
  COMMAND bash ${here}/format_check.sh)
tilewright_check(subproject TIMEOUT 120
  COMMAND python3 ${here}/subproject_check.py)
tilewright_check(install TIMEOUT 300
  COMMAND python3 ${here}/install_check.py ${PROJECT_BINARY_DIR})
tilewright_check(diff_size TIMEOUT 60
  COMMAND python3 ${here}/diff_check.py $<TARGET_FILE:tilewright>)
tilewright_check(counts TIMEOUT 120
  COMMAND python3 ${here}/count_check.py $<TARGET_FILE:tilewright>)
tilewright_check(figures TIMEOUT 60
  COMMAND python3 ${here}/figures_check.py)
tilewright_check(report TIMEOUT 900 SKIPPABLE
  COMMAND python3 ${here}/report_check.py $<TARGET_FILE:tilewright>)
tilewright_check(wrong_tiles TIMEOUT 900
  COMMAND python3 ${here}/compile_fail_check.py ${CMAKE_CXX_COMPILER})
tilewright_check(add_kernel TIMEOUT 900
  COMMAND python3 ${here}/add_kernel_check.py ${PROJECT_BINARY_DIR})
set_tests_properties(add_kernel PROPERTIES PROCESSORS 2)
# Not under a sanitizer, with whose library the BLAS's programs would have to begin.
if(TARGET tilewright_blas AND NOT TILEWRIGHT_SANITIZE)
  tilewright_check(blas TIMEOUT 600 SKIPPABLE
    COMMAND python3 ${here}/blas_check.py $<TARGET_FILE:tilewright_blas>
      $<TARGET_FILE:tilewright_blas_fault>)
  set_tests_properties(blas PROPERTIES PROCESSORS 2)
endif()
