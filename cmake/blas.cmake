# OpenBLAS in its OpenMP build, as PkgConfig::OPENBLAS.
#
# Debian and Ubuntu can hold several builds of OpenBLAS side by side. A plain `pkg-config openblas`
# then names the one that the alternatives system prefers, which is the pthread build, and that one
# runs at half the speed beside our own threads. The OpenMP build keeps its .pc file in a folder of
# its own: where there is one, it comes first. The folder also goes into the run path of what is
# built and installed, because all builds share one SONAME.
file(GLOB DECANT_OPENMP_BLAS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp/pkgconfig)
set(decant_saved_path "$ENV{PKG_CONFIG_PATH}")
if(DECANT_OPENMP_BLAS)
  set(ENV{PKG_CONFIG_PATH} "${DECANT_OPENMP_BLAS}:$ENV{PKG_CONFIG_PATH}")
endif()
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
set(ENV{PKG_CONFIG_PATH} "${decant_saved_path}")
message(STATUS "OpenBLAS: ${OPENBLAS_LINK_LIBRARIES}")
