#include "read/binary.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- numbers ---- */

decant__scalars decant__binary_scalars(const decant__binary *layout, const unsigned char *bytes) {
    return (decant__scalars){bytes, (ptrdiff_t)decant__type_size(layout->kind), layout->kind,
                             layout->big_endian};
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
    size_t size = decant__type_size(layout->kind);
    uint64_t there = input->max_bytes > layout->header ? input->max_bytes - layout->header : 0;
    if (there / size >= (uint64_t)layout->n * layout->d) return DECANT_OK;
    return too_short(input, layout, input->exact ? "" : "at most ", there / size);
}

static decant_status check_values(const decant__input *input, const decant__binary *layout,
                                  const float *x, size_t count, size_t first) {
    if (decant__type_is_whole(layout->kind)) return DECANT_OK;
    size_t bad = decant__first_not_finite(x, count);
    if (bad == count) return DECANT_OK;
    size_t at = first + bad;
    size_t row = layout->by_columns ? at % layout->n : at / layout->d;
    size_t column = layout->by_columns ? at / layout->n : at % layout->d;
    return decant__fail(DECANT_EFORMAT,
                        "%s: row %zu, column %zu: expected a finite float32 number, found %s",
                        input->path, row + 1, column + 1,
                        isnan(x[bad]) ? "nan; pandas.DataFrame(array).to_csv(FILE, index=False) "
                                        "writes a table, which may have missing cells"
                                      : "inf");
}

decant_status decant__binary_read(decant__input *input, const decant__binary *layout, size_t first,
                                  size_t count, decant__block *block) {
    decant_status status = DECANT_OK;
    unsigned char *bytes = NULL;
    size_t size = decant__type_size(layout->kind);
    NEW_ARRAY(bytes, PIECE * size);
    TRY(decant__block_reserve(block, block->n * block->d + count, input->exact));
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE, got;
        float *place;
        TRY(decant__block_extend(block, done, piece, &place));
        TRY(decant__input_read(input, bytes, piece * size, &got));
        if (got < piece * size) TRY(too_short(input, layout, "", first + done + got / size));
        const decant__scalars from = decant__binary_scalars(layout, bytes);
        decant__scalars_to_floats(&from, piece, place);
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
