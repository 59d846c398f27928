#include "data/scalar.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

size_t decant__scalar_size(decant__scalar kind) {
    static const unsigned char size[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return size[kind];
}

int decant__host_is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static uint16_t load16(const unsigned char *p, int big) {
    return (uint16_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static uint32_t load32(const unsigned char *p, int big) {
    uint32_t a = load16(p, big), b = load16(p + 2, big);
    return big ? a << 16 | b : b << 16 | a;
}

static uint64_t load64(const unsigned char *p, int big) {
    uint64_t a = load32(p, big), b = load32(p + 4, big);
    return big ? a << 32 | b : b << 32 | a;
}

static float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static float float_from_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact in float */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 0x1F) return float_from_bits(sign | 0x7F800000u | fraction << 13);
    return float_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

#define CONVERT(width, expression)                      \
    do {                                                \
        for (size_t i = 0; i < count; i++) {            \
            const unsigned char *p = bytes + (width)*i; \
            out[i] = (expression);                      \
        }                                               \
    } while (0)

static void convert(decant__scalar kind, int big, const unsigned char *restrict bytes, size_t count,
                    float *restrict out) {
    switch (kind) {
        case DECANT__BOOL:
            CONVERT(1, *p != 0 ? 1.0f : 0.0f);
            break;
        case DECANT__U8:
            CONVERT(1, (float)*p);
            break;
        case DECANT__I8:
            CONVERT(1, (float)(int8_t)*p);
            break;
        case DECANT__U16:
            CONVERT(2, (float)load16(p, big));
            break;
        case DECANT__I16:
            CONVERT(2, (float)(int16_t)load16(p, big));
            break;
        case DECANT__U32:
            CONVERT(4, (float)load32(p, big));
            break;
        case DECANT__I32:
            CONVERT(4, (float)(int32_t)load32(p, big));
            break;
        case DECANT__U64:
            CONVERT(8, (float)load64(p, big));
            break;
        case DECANT__I64:
            CONVERT(8, (float)(int64_t)load64(p, big));
            break;
        case DECANT__F16:
            CONVERT(2, float_from_half(load16(p, big)));
            break;
        case DECANT__F32:
            CONVERT(4, float_from_bits(load32(p, big)));
            break;
        case DECANT__F64:
            CONVERT(8, (float)double_from_bits(load64(p, big)));
            break;
    }
}

void decant__scalar_convert(decant__scalar kind, int big_endian, const unsigned char *bytes,
                            size_t count, float *out) {
    /* Two calls, so that the compiler makes a loop for each byte order. */
    if (big_endian)
        convert(kind, 1, bytes, count, out);
    else
        convert(kind, 0, bytes, count, out);
}

static int not_finite(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7F800000u) == 0x7F800000u;
}

size_t decant__first_not_finite(const float *x, size_t count) {
    enum { PIECE = 4096 };
    for (size_t begin = 0; begin < count; begin += PIECE) {
        size_t end = count - begin < PIECE ? count : begin + PIECE;
        int bad = 0; /* no early way out: this loop is vectorised */
        for (size_t i = begin; i < end; i++) bad |= not_finite(x[i]);
        if (!bad) continue;
        for (size_t i = begin; i < end; i++)
            if (not_finite(x[i])) return i;
    }
    return count;
}
