/* AVX-512: 8 x 48 sums in 24 of 32 registers. Compiled with those instructions on. */
#include "linalg/kernel.h"

#if defined(__AVX512F__)
#include "linalg/transpose_avx2.h"

#define LANES 16
#define BLOCK_ROWS 8
#define BLOCK_PANELS 3
#define KERNEL_NAME "avx512"
#define KERNEL_GET decant__kernel_avx512
#define KERNEL_USABLE                                                       \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx2") && \
     __builtin_cpu_supports("fma"))

typedef __m512 vec;

static inline vec v_load(const float *x) { return _mm512_loadu_ps(x); }
static inline void v_store(float *x, vec v) { _mm512_storeu_ps(x, v); }
static inline vec v_set(float x) { return _mm512_set1_ps(x); }
static inline vec v_add(vec a, vec b) { return _mm512_add_ps(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
static inline vec v_relu(vec x) { return _mm512_max_ps(x, _mm512_setzero_ps()); }
static inline float fma1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#include "linalg/kernel_body.h"
#else
const decant__kernel *decant__kernel_avx512(void) { return NULL; }
#endif
