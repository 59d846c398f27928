/* Hot loops that are not BLAS are compiled twice, for plain x86-64 and for AVX2, and the loader
 * picks one: a packaged build then runs at the speed of the machine. Sanitizers do not go with the
 * loader's early resolution, so there it is one copy. */
#ifndef DECANT_BASE_SIMD_H
#define DECANT_BASE_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__)
#define DECANT_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DECANT_CLONES
#endif

#endif
