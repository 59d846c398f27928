# decant_find_blas(NAME ...): OpenBLAS in its pthread build, as PkgConfig::NAME; the other arguments
# are those of pkg_check_modules. The build uses it, and so does the installed CMake package.
#
# decant shares its work among threads of its own, and several of them call BLAS at once, each for a
# piece. Of the builds that Debian and Ubuntu offer side by side, the serial one is not safe for that
# (two calls may get the same buffer), and the OpenMP one would make threads of its own in each of
# ours. The pthread build is safe, and told once to use one thread (src/linalg/blas.c).
#
# A plain `pkg-config openblas` names the build that the alternatives system prefers. The pthread
# build keeps its .pc file in a folder of its own: where there is one, it comes first. The folder
# also goes into the run path of what is built and installed, because all builds share one SONAME.
function(decant_find_blas name)
  file(GLOB pthread ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread/pkgconfig)
  set(saved "$ENV{PKG_CONFIG_PATH}")
  if(pthread)
    set(ENV{PKG_CONFIG_PATH} "${pthread}:${saved}")
  endif()
  pkg_check_modules(${name} ${ARGN} IMPORTED_TARGET GLOBAL openblas)
  set(ENV{PKG_CONFIG_PATH} "${saved}")
endfunction()
