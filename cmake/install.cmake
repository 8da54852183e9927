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
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tilewright_static EXPORT tilewright-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(kind shared static)
  install(EXPORT tilewright-${kind} NAMESPACE tilewright:: DESTINATION ${package}
    COMPONENT library)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tilewright
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

# What the archive leaves to those who link it: packages, their targets, and as words for a linker.
get_target_property(needs_boost tilewright_static TILEWRIGHT_NEEDS_BOOST)
set(static_packages "find_package(Threads QUIET)")
set(static_targets Threads::Threads)
set(private_libraries "-lstdc++ -lm -pthread")
if(needs_boost)
  string(APPEND static_packages "\n  find_package(Boost QUIET COMPONENTS context)")
  string(APPEND static_targets " Boost::context")
  string(PREPEND private_libraries "-lboost_context ")
endif()
if(TILEWRIGHT_CUDA)
  string(APPEND static_packages "\n  find_package(CUDAToolkit QUIET)")
  string(APPEND static_targets " CUDA::cudart_static")
  string(PREPEND private_libraries "-lcudart_static -lrt -ldl ")
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
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(${CMAKE_CURRENT_LIST_DIR}/tilewright.pc.in ${generated}/tilewright.pc @ONLY)
install(FILES ${generated}/tilewright.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(TILEWRIGHT_LAB)
  install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
