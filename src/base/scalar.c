#include "base/scalar.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned char size;
} types[] = {[DECANT_FLOAT32] = {"float32", 4}, [DECANT_FLOAT64] = {"float64", 8},
             [DECANT_INT32] = {"int32", 4},     [DECANT_INT64] = {"int64", 8},
             [DECANT_BOOL] = {"bool", 1},       [DECANT_INT8] = {"int8", 1},
             [DECANT_UINT8] = {"uint8", 1},     [DECANT_INT16] = {"int16", 2},
             [DECANT_UINT16] = {"uint16", 2},   [DECANT_UINT32] = {"uint32", 4},
             [DECANT_UINT64] = {"uint64", 8},   [DECANT_FLOAT16] = {"float16", 2}};

static int exists(decant_type type) { return (unsigned)type < sizeof types / sizeof *types; }

const char *decant__type_name(decant_type type) {
    return exists(type) ? types[type].name : "another";
}

size_t decant__type_size(decant_type type) { return exists(type) ? types[type].size : 0; }

int decant__type_is_whole(decant_type type) {
    return type != DECANT_FLOAT16 && type != DECANT_FLOAT32 && type != DECANT_FLOAT64;
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

#define LOOP(expression)                                                     \
    do {                                                                     \
        const unsigned char *p = bytes;                                      \
        for (size_t i = 0; i < count; i++, p += step) out[i] = (expression); \
    } while (0)

/* convert_to_<T>(type, big, bytes, step, count, out). It is inlined where it is called with a
 * constant byte order and step, so that each of them has a loop of its own. */
#define DEFINE_CONVERT(T)                                                               \
    static inline __attribute__((always_inline)) void convert_to_##T(                   \
        decant_type type, int big, const unsigned char *restrict bytes, ptrdiff_t step, \
        size_t count, T *restrict out) {                                                \
        switch (type) {                                                                 \
            case DECANT_BOOL:                                                           \
                LOOP(*p != 0 ? (T)1 : (T)0);                                            \
                break;                                                                  \
            case DECANT_UINT8:                                                          \
                LOOP((T)*p);                                                            \
                break;                                                                  \
            case DECANT_INT8:                                                           \
                LOOP((T)(int8_t)*p);                                                    \
                break;                                                                  \
            case DECANT_UINT16:                                                         \
                LOOP((T)load16(p, big));                                                \
                break;                                                                  \
            case DECANT_INT16:                                                          \
                LOOP((T)(int16_t)load16(p, big));                                       \
                break;                                                                  \
            case DECANT_UINT32:                                                         \
                LOOP((T)load32(p, big));                                                \
                break;                                                                  \
            case DECANT_INT32:                                                          \
                LOOP((T)(int32_t)load32(p, big));                                       \
                break;                                                                  \
            case DECANT_UINT64:                                                         \
                LOOP((T)load64(p, big));                                                \
                break;                                                                  \
            case DECANT_INT64:                                                          \
                LOOP((T)(int64_t)load64(p, big));                                       \
                break;                                                                  \
            case DECANT_FLOAT16:                                                        \
                LOOP((T)float_from_half(load16(p, big)));                               \
                break;                                                                  \
            case DECANT_FLOAT32:                                                        \
                LOOP((T)float_from_bits(load32(p, big)));                               \
                break;                                                                  \
            case DECANT_FLOAT64:                                                        \
                LOOP((T)double_from_bits(load64(p, big)));                              \
                break;                                                                  \
        }                                                                               \
    }
DEFINE_CONVERT(float)
DEFINE_CONVERT(double)

/* Numbers one after the other, in the order of nearly all machines: loops of vectors. */
static void convert_packed(const decant__scalars *from, size_t count, float *out) {
    switch (decant__type_size(from->type)) {
        case 1:
            convert_to_float(from->type, 0, from->bytes, 1, count, out);
            break;
        case 2:
            convert_to_float(from->type, 0, from->bytes, 2, count, out);
            break;
        case 4:
            convert_to_float(from->type, 0, from->bytes, 4, count, out);
            break;
        default:
            convert_to_float(from->type, 0, from->bytes, 8, count, out);
    }
}

void decant__scalars_to_floats(const decant__scalars *from, size_t count, float *out) {
    int packed = from->step == (ptrdiff_t)decant__type_size(from->type);
    if (packed && from->type == DECANT_FLOAT32 &&
        (from->big_endian != 0) == decant__host_is_big_endian())
        memcpy(out, from->bytes, count * sizeof *out);
    else if (from->big_endian)
        convert_to_float(from->type, 1, from->bytes, from->step, count, out);
    else if (packed)
        convert_packed(from, count, out);
    else
        convert_to_float(from->type, 0, from->bytes, from->step, count, out);
}

void decant__scalars_to_doubles(const decant__scalars *from, size_t count, double *out) {
    convert_to_double(from->type, from->big_endian, from->bytes, from->step, count, out);
}

int decant__scalars_to_integers(const decant__scalars *from, size_t count, uint64_t *out) {
    size_t size = decant__type_size(from->type);
    int is_signed = from->type == DECANT_INT8 || from->type == DECANT_INT16 ||
                    from->type == DECANT_INT32 || from->type == DECANT_INT64;
    const unsigned char *p = from->bytes;
    if (!decant__type_is_whole(from->type) || from->type == DECANT_BOOL) return 0;
    for (size_t i = 0; i < count; i++, p += from->step) {
        out[i] = size == 1   ? p[0]
                 : size == 2 ? load16(p, from->big_endian)
                 : size == 4 ? load32(p, from->big_endian)
                             : load64(p, from->big_endian);
        if (is_signed && (out[i] >> (8 * size - 1)) != 0) return 0;
    }
    return 1;
}
