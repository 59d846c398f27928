/* Hot loops outside of products are compiled for plain x86-64, AVX2 and AVX-512; the loader picks
 * one. A release build stays portable and still uses 8 or 16 float lanes where the machine has
 * them. */
#ifndef DECANT_BASE_SIMD_H
#define DECANT_BASE_SIMD_H

/* Not with sanitizers: their runtime is not initialised when the loader selects a version. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(DECANT_SANITIZED)
#define DECANT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DECANT_CLONES
#endif

#endif
