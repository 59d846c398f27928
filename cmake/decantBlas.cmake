# decant_find_blas(NAME ...): OpenBLAS in its OpenMP build, as PkgConfig::NAME; the other arguments
# are those of pkg_check_modules. The build uses it, and so does the installed CMake package.
#
# Debian and Ubuntu can hold several builds of OpenBLAS side by side. A plain `pkg-config openblas`
# then names the one that the alternatives system prefers, which is the pthread build, and that one
# runs at half the speed beside our own threads. The OpenMP build keeps its .pc file in a folder of
# its own: where there is one, it comes first. The folder also goes into the run path of what is
# built and installed, because all builds share one SONAME.
function(decant_find_blas name)
  file(GLOB openmp /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp/pkgconfig)
  set(saved "$ENV{PKG_CONFIG_PATH}")
  if(openmp)
    set(ENV{PKG_CONFIG_PATH} "${openmp}:${saved}")
  endif()
  pkg_check_modules(${name} ${ARGN} IMPORTED_TARGET GLOBAL openblas)
  set(ENV{PKG_CONFIG_PATH} "${saved}")
endfunction()
