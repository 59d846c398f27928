/* Hot loops outside BLAS are compiled twice, for plain x86-64 and for AVX2; the loader picks one.
 * A release build stays portable and still uses 8 float lanes where the machine has them. */
#ifndef DECANT_BASE_SIMD_H
#define DECANT_BASE_SIMD_H

/* Not with sanitizers: their runtime is not initialised when the loader selects a version. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(DECANT_SANITIZED)
#define DECANT_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DECANT_CLONES
#endif

#endif
