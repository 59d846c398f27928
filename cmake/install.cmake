# What `cmake --install` puts where: libraries, headers, pkg-config file, CMake package, manual page,
# completion and documentation. Nothing here knows the prefix: the installed tree can be moved.
include(CMakePackageConfigHelpers)

set(DECANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/decant)

# The static library leaves its own libraries to whoever links it. These are the names that
# decantConfig.cmake gives them.
target_link_libraries(decant_static INTERFACE
  $<INSTALL_INTERFACE:$<LINK_ONLY:Threads::Threads>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:ZLIB::ZLIB>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::DECANT_OPENBLAS>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::DECANT_JANSSON>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::DECANT_XXHASH>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:m>>)
set(DECANT_ARPACK_TARGET "")
if(ARPACK_FOUND)
  set(DECANT_ARPACK_TARGET PkgConfig::DECANT_ARPACK)
  target_link_libraries(decant_static INTERFACE
    $<INSTALL_INTERFACE:$<LINK_ONLY:${DECANT_ARPACK_TARGET}>>)
endif()
if(DECANT_TEXT)
  target_link_libraries(decant_static INTERFACE
    $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::DECANT_UTF8PROC>>
    $<INSTALL_INTERFACE:$<LINK_ONLY:stemmer>>)
endif()
foreach(format PNG JPEG ZSTD LZMA HDF5)
  if(DECANT_${format})
    target_link_libraries(decant_static INTERFACE
      $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::DECANT_${format}>>)
  endif()
endforeach()
if(DECANT_BZIP2)
  target_link_libraries(decant_static INTERFACE $<INSTALL_INTERFACE:$<LINK_ONLY:BZip2::BZip2>>)
endif()

# All builds of OpenBLAS share a SONAME: the run path names the folder of the one we were built with.
set_target_properties(decant PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS decant EXPORT decantTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS decant_static EXPORT decantStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/decant ${PROJECT_BINARY_DIR}/include/decant
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

if(TARGET decant_program)
  file(RELATIVE_PATH decant_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(decant_program PROPERTIES
    INSTALL_RPATH "$ORIGIN/${decant_bin_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS decant_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET decant_mpi)
  set_target_properties(decant_mpi PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS decant_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_BINARY_DIR}/decant.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/cli/completion.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME decant OPTIONAL)
install(FILES README.md CHANGELOG.md LICENSE docs/architecture.md docs/format.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# pkg-config: the prefix is found from where the .pc file lies. OpenBLAS stands there by its flags
# and not as a required module: Debian's openblas.pc asks every --static user for a Fortran library
# that only a wholly static OpenBLAS needs, and may name another build than ours.
# The other libraries stand there by their flags, too: pkg-config would give the compiler flags of
# required modules to users of the shared library, who need none of them.
string(REPLACE ";" " " DECANT_BLAS_FLAGS "${BLAS_LDFLAGS};${ARPACK_LDFLAGS}")
set(pc_flags ${JANSSON_LDFLAGS} ${XXHASH_LDFLAGS})
if(DECANT_TEXT)
  list(APPEND pc_flags ${UTF8PROC_LDFLAGS} -lstemmer)
endif()
if(DECANT_BZIP2)
  list(APPEND pc_flags -lbz2)
endif()
foreach(format PNG JPEG ZSTD LZMA HDF5)
  if(DECANT_${format})
    list(APPEND pc_flags ${${format}_LDFLAGS})
  endif()
endforeach()
list(REMOVE_DUPLICATES pc_flags)
string(REPLACE ";" " " DECANT_PC_FLAGS ";${pc_flags}")
file(RELATIVE_PATH DECANT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DECANT_PC_PREFIX "${DECANT_PC_PREFIX}")
configure_file(cmake/decant.pc.in decant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/decant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(decant): decant::decant, and decant::decant_static where its libraries are found.
configure_package_config_file(cmake/decantConfig.cmake.in decantConfig.cmake
  INSTALL_DESTINATION ${DECANT_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Until 1.0 a new minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/decantConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/decantConfig.cmake
  ${PROJECT_BINARY_DIR}/decantConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/decantBlas.cmake
  DESTINATION ${DECANT_CMAKE_DIR})
install(EXPORT decantTargets NAMESPACE decant:: DESTINATION ${DECANT_CMAKE_DIR})
install(EXPORT decantStaticTargets NAMESPACE decant:: DESTINATION ${DECANT_CMAKE_DIR})
