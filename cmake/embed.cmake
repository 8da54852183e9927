# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# Writes text files as C++ string literals, so that a copied binary still explains its rungs.
#   cmake "-DSOURCES=a.cu;b.cu" -DRESOURCES=resources.json -DSASS=sass.json \
#     -DOUTPUT=embedded.cpp -P embed.cmake
set(text "// Generated from the rungs' files.\n#include \"lab/lesson.h\"\n\n")
string(APPEND text "namespace tilewright::lab {\n\nstd::span<const EmbeddedFile> embedded_files() {\n")
string(APPEND text "    static constexpr EmbeddedFile files[] = {\n")
foreach(source IN LISTS SOURCES)
  get_filename_component(stem "${source}" NAME_WE)
  file(READ "${source}" content)
  string(APPEND text "        {\"${stem}\", R\"EMBEDDED(${content})EMBEDDED\"},\n")
endforeach()
string(APPEND text "    };\n    return files;\n}\n\n")
foreach(table IN ITEMS RESOURCES SASS)
  set(content "")
  if(${table} AND EXISTS "${${table}}")
    file(READ "${${table}}" content)
  endif()
  string(TOLOWER ${table} name)
  string(APPEND text "std::string_view embedded_${name}() {\n")
  string(APPEND text "    return R\"EMBEDDED(${content})EMBEDDED\";\n}\n\n")
endforeach()
string(APPEND text "}  // namespace tilewright::lab\n")
file(WRITE "${OUTPUT}" "${text}")
