/* 8 x 8 numbers, rows to columns, in AVX registers; for kernel_avx2.c and kernel_avx512.c. */
#ifndef DECANT_LINALG_TRANSPOSE_AVX2_H
#define DECANT_LINALG_TRANSPOSE_AVX2_H

#include <immintrin.h>
#include <stddef.h>

#include "linalg/kernel.h"

#define TRANSPOSES

/* Rows of out are DECANT__PANEL apart. */
static inline void transpose_8x8(const float *x, size_t stride, float *out) {
    __m256 r[8], s[8];
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(x + i * stride);
#pragma GCC unroll 4
    for (size_t i = 0; i < 8; i += 2) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + i * DECANT__PANEL, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(out + (i + 4) * DECANT__PANEL,
                         _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

#endif
