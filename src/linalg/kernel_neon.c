/* NEON on 64-bit ARM: 6 x 16 sums in 24 of 32 registers. */
#include "linalg/kernel.h"

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>

#define LANES 4
#define BLOCK_ROWS 6
#define BLOCK_PANELS 1
#define KERNEL_NAME "neon"
#define KERNEL_GET decant__kernel_neon
#define KERNEL_USABLE 1

typedef float32x4_t vec;

static inline vec v_load(const float *x) { return vld1q_f32(x); }
static inline void v_store(float *x, vec v) { vst1q_f32(x, v); }
static inline vec v_set(float x) { return vdupq_n_f32(x); }
static inline vec v_add(vec a, vec b) { return vaddq_f32(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }
/* As maxps does: 0 where x is not a number. */
static inline vec v_relu(vec x) {
    return vbslq_f32(vcgtq_f32(x, vdupq_n_f32(0)), x, vdupq_n_f32(0));
}
static inline float fma1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#include "linalg/kernel_body.h"
#else
const decant__kernel *decant__kernel_neon(void) { return NULL; }
#endif
