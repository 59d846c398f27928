/* AVX2 with FMA: 6 x 16 sums in twelve of sixteen registers. Compiled with those instructions on.
 */
#include "linalg/kernel.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "linalg/transpose_avx2.h"

#define LANES 8
#define BLOCK_ROWS 6
#define BLOCK_PANELS 1
#define KERNEL_NAME "avx2"
#define KERNEL_GET decant__kernel_avx2
#define KERNEL_USABLE (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))

typedef __m256 vec;

static inline vec v_load(const float *x) { return _mm256_loadu_ps(x); }
static inline void v_store(float *x, vec v) { _mm256_storeu_ps(x, v); }
static inline vec v_set(float x) { return _mm256_set1_ps(x); }
static inline vec v_add(vec a, vec b) { return _mm256_add_ps(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
static inline vec v_relu(vec x) { return _mm256_max_ps(x, _mm256_setzero_ps()); }
static inline float fma1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#include "linalg/kernel_body.h"
#else
const decant__kernel *decant__kernel_avx2(void) { return NULL; }
#endif
