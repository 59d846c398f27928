#include "data/binary.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- numbers ---- */

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

int decant__scalar_to_integers(decant__scalar kind, int big_endian, const unsigned char *bytes,
                               size_t count, uint64_t *out) {
    size_t size = decant__scalar_size(kind);
    int is_signed =
        kind == DECANT__I8 || kind == DECANT__I16 || kind == DECANT__I32 || kind == DECANT__I64;
    if (kind >= DECANT__F16 || kind == DECANT__BOOL) return 0;
    for (size_t i = 0; i < count; i++, bytes += size) {
        out[i] = size == 1   ? bytes[0]
                 : size == 2 ? load16(bytes, big_endian)
                 : size == 4 ? load32(bytes, big_endian)
                             : load64(bytes, big_endian);
        if (is_signed && (out[i] >> (8 * size - 1)) != 0) return 0;
    }
    return 1;
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
        int bad = 0; /* no early exit: this loop is vectorised */
        for (size_t i = begin; i < end; i++) bad |= not_finite(x[i]);
        if (!bad) continue;
        for (size_t i = begin; i < end; i++)
            if (not_finite(x[i])) return i;
    }
    return count;
}

/* ---- a reader of rows ---- */

enum { PIECE = 1 << 15 }; /* numbers converted at a time */

typedef struct binary_reader {
    decant__reader reader;
    decant__input *input;
    decant__binary layout;
    size_t done; /* rows already read */
} binary_reader;

static decant_status too_short(const decant__input *input, const decant__binary *layout,
                               const char *about, uint64_t there) {
    return decant__fail(DECANT_EFORMAT,
                        "%s: the %s header promises %zu x %zu numbers, but the file ends after "
                        "%s%llu of them",
                        input->path, layout->format, layout->n, layout->d, about,
                        (unsigned long long)there);
}

/* A shape that the file is too short for is refused before memory is allocated. */
decant_status decant__binary_check(const decant__input *input, const decant__binary *layout) {
    decant_status status = decant__check_shape(input->path, layout->n, layout->d);
    if (status != DECANT_OK || input->max_bytes == UINT64_MAX) return status;
    size_t size = decant__scalar_size(layout->kind);
    uint64_t there = input->max_bytes > layout->header ? input->max_bytes - layout->header : 0;
    if (there / size >= (uint64_t)layout->n * layout->d) return DECANT_OK;
    return too_short(input, layout, input->exact ? "" : "at most ", there / size);
}

static decant_status check_values(const decant__input *input, const decant__binary *layout,
                                  const float *x, size_t count, size_t first) {
    if (layout->kind < DECANT__F16) return DECANT_OK;
    size_t bad = decant__first_not_finite(x, count);
    if (bad == count) return DECANT_OK;
    size_t at = first + bad;
    size_t row = layout->by_columns ? at % layout->n : at / layout->d;
    size_t column = layout->by_columns ? at / layout->n : at % layout->d;
    return decant__fail(DECANT_EFORMAT,
                        "%s: row %zu, column %zu: expected a finite float32 number, found %s",
                        input->path, row + 1, column + 1, isnan(x[bad]) ? "nan" : "inf");
}

decant_status decant__binary_read(decant__input *input, const decant__binary *layout, size_t first,
                                  size_t count, decant__block *block) {
    decant_status status = DECANT_OK;
    unsigned char *bytes = NULL;
    size_t size = decant__scalar_size(layout->kind);
    NEW_ARRAY(bytes, PIECE * size);
    TRY(decant__block_reserve(block, block->n * block->d + count, input->exact));
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE, got;
        float *place;
        TRY(decant__block_extend(block, done, piece, &place));
        TRY(decant__input_read(input, bytes, piece * size, &got));
        if (got < piece * size) TRY(too_short(input, layout, "", first + done + got / size));
        decant__scalar_convert(layout->kind, layout->big_endian, bytes, piece, place);
        TRY(check_values(input, layout, place, piece, first + done));
        done += piece;
    }
done:
    decant__free(bytes);
    return status;
}

decant_status decant__binary_end(decant__input *input, const decant__binary *layout) {
    const char *bytes;
    size_t count;
    decant_status status = decant__input_peek(input, 1, &bytes, &count);
    if (status == DECANT_OK && count > 0)
        status = decant__fail(DECANT_EFORMAT,
                              "%s: the %s header promises %zu x %zu numbers, but the file goes on "
                              "after them",
                              input->path, layout->format, layout->n, layout->d);
    return status;
}

static decant_status binary_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    binary_reader *self = (binary_reader *)reader;
    const decant__binary *layout = &self->layout;
    size_t rows = layout->n - self->done;
    if (rows == 0) return decant__binary_end(self->input, layout);
    if (rows > max_rows) rows = max_rows;
    decant_status status =
        decant__binary_read(self->input, layout, self->done * layout->d, rows * layout->d, block);
    if (status != DECANT_OK) return status;
    block->n += rows;
    self->done += rows;
    return DECANT_OK;
}

static void binary_close(decant__reader *reader) { decant__free(reader); }

decant_status decant__binary_open(decant__input *input, const decant__binary *layout,
                                  decant__reader **out) {
    decant_status status = DECANT_OK;
    binary_reader *self = NULL;
    TRY(decant__binary_check(input, layout));
    NEW_ZEROED(self, 1);
    self->reader = (decant__reader){.format = layout->format,
                                    .d = layout->d,
                                    .rows = layout->n,
                                    .next = binary_next,
                                    .close = binary_close};
    self->input = input;
    self->layout = *layout;
    *out = &self->reader;
done:
    return status;
}

const decant__binary *decant__binary_of(const decant__reader *reader, const decant__input **input) {
    const binary_reader *self = (const binary_reader *)reader;
    *input = self->input;
    return &self->layout;
}
