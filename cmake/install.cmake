# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` makes: component `library` is the library with its headers and packages,
# component `program` the command line. Nothing in there says where it lies, so that it may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
set(generated ${PROJECT_BINARY_DIR}/package)

# Apart, because a program that links the shared library needs none of what the archive needs.
install(TARGETS tilewright_library EXPORT tilewright-shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(TARGETS tilewright_static EXPORT tilewright-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
foreach(kind shared static)
  install(EXPORT tilewright-${kind} NAMESPACE tilewright:: DESTINATION ${package}
    COMPONENT library)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tilewright
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

set(static_needs "")
if(TILEWRIGHT_CUDA)
  set(static_needs CUDA::cudart_static)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tilewright-config.cmake.in
  ${generated}/tilewright-config.cmake INSTALL_DESTINATION ${package}
  NO_SET_AND_CHECK_MACRO)
# As the soname: until 1.0 a minor version may break programs.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${generated}/tilewright-config-version.cmake
  COMPATIBILITY ${compatibility})
install(FILES ${generated}/tilewright-config.cmake ${generated}/tilewright-config-version.cmake
  DESTINATION ${package} COMPONENT library)

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(private_libraries "-lboost_context -lstdc++ -lm -pthread")
if(TILEWRIGHT_CUDA)
  string(PREPEND private_libraries "-lcudart_static -lrt -ldl ")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/tilewright.pc.in ${generated}/tilewright.pc @ONLY)
install(FILES ${generated}/tilewright.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(TILEWRIGHT_LAB)
  install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
