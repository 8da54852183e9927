# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Writes the report's page, the charting library and what CPU mode counted as C++ string literals.
#   cmake -DFOLDER=src/lab/report -DCHARTS=chart.min.js -DCOUNTS=counts.json \
#     -DOUTPUT=embedded_report.cpp -P embed_report.cmake
# The script is one text in an order that does not matter but for start.js, which comes last.
file(GLOB scripts ${FOLDER}/*.js)
list(SORT scripts)
list(REMOVE_ITEM scripts ${FOLDER}/start.js)
list(APPEND scripts ${FOLDER}/start.js)
set(script "")
foreach(file IN LISTS scripts)
  file(READ ${file} content)
  string(APPEND script "${content}")
endforeach()
file(READ ${FOLDER}/page.html html)
file(READ ${FOLDER}/page.css style)
file(READ ${CHARTS} charts)
file(READ ${COUNTS} counts)
string(REGEX REPLACE "\n *" "" counts "${counts}")

set(text "// Generated from src/lab/report, results/counts.json and Chart.js.\n")
string(APPEND text "#include \"lab/report/counts.h\"\n#include \"lab/report/page.h\"\n\n")
string(APPEND text "namespace tilewright::lab::report {\n\nPageParts embedded_page() {\n    return {\n")
foreach(part IN ITEMS html style script charts)
  string(APPEND text "        R\"EMBEDDED(${${part}})EMBEDDED\",\n")
endforeach()
string(APPEND text "    };\n}\n\nstd::string_view embedded_counts() {\n")
string(APPEND text "    return R\"EMBEDDED(${counts})EMBEDDED\";\n}\n\n")
string(APPEND text "}  // namespace tilewright::lab::report\n")
file(WRITE "${OUTPUT}" "${text}")
