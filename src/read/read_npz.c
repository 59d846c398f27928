/* NPZ, numpy's archives: a zip file whose members are NPY files. numpy.savez writes named arrays,
 * one of which is read (data.npz:NAME says which); scipy.sparse.save_npz the arrays of one matrix.
 */
#include <string.h>

#include "base/memory.h"
#include "base/zip.h"
#include "base/text.h"
#include "read/binary.h"
#include "read/compressed.h"

enum { PIECE = 1 << 12, FORMAT_BYTES = 512 };

/* ---- arrays of a sparse matrix ---- */

typedef struct array {
    decant__input input;
    decant__binary layout;
} array;

typedef struct sparse_arrays {
    decant__zip *zip;
    array indices, data;
} sparse_arrays;

static decant_status open_array(const decant__zip *zip, const char *name, decant__meter *meter,
                                array *out) {
    decant_status status = DECANT_OK;
    size_t dimensions;
    const decant__zip_member *member = decant__zip_find(zip, name, ".npy");
    if (member == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: is a sparse matrix without the array %s",
                            zip->path, name);
    TRY(decant__zip_input(zip, member, meter, &out->input));
    TRY(decant__npy_layout(&out->input, &out->layout, &dimensions));
    TRY(decant__binary_check(&out->input, &out->layout));
    if (dimensions != 1)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected one dimension, found %zu", out->input.path,
                         dimensions));
done:
    return status;
}

/* The next `count` (at most PIECE) numbers as bytes. */
static decant_status read_bytes(array *self, size_t count, unsigned char *bytes) {
    size_t size = count * decant__type_size(self->layout.kind), got;
    decant_status status = decant__input_read(&self->input, bytes, size, &got);
    if (status == DECANT_OK && got < size)
        status = decant__fail(DECANT_EFORMAT, "%s: ends after fewer numbers than its header says",
                              self->input.path);
    return status;
}

static decant_status read_integers(array *self, size_t count, uint64_t *out) {
    unsigned char bytes[8 * PIECE];
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        decant_status status = read_bytes(self, piece, bytes);
        if (status != DECANT_OK) return status;
        const decant__scalars from = decant__binary_scalars(&self->layout, bytes);
        if (!decant__scalars_to_integers(&from, piece, out + done))
            return decant__fail(DECANT_EFORMAT, "%s: expected whole numbers from 0 on",
                                self->input.path);
        done += piece;
    }
    return DECANT_OK;
}

static decant_status next_indices(void *user, size_t count, uint64_t *index) {
    return read_integers(&((sparse_arrays *)user)->indices, count, index);
}

static decant_status next_values(void *user, size_t count, float *value) {
    array *data = &((sparse_arrays *)user)->data;
    unsigned char bytes[8 * PIECE];
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        decant_status status = read_bytes(data, piece, bytes);
        if (status != DECANT_OK) return status;
        const decant__scalars from = decant__binary_scalars(&data->layout, bytes);
        decant__scalars_to_floats(&from, piece, value + done);
        done += piece;
    }
    return DECANT_OK;
}

static decant_status end_arrays(void *user) {
    sparse_arrays *arrays = user;
    decant_status status = decant__binary_end(&arrays->indices.input, &arrays->indices.layout);
    return status == DECANT_OK ? decant__binary_end(&arrays->data.input, &arrays->data.layout)
                               : status;
}

static void close_arrays(void *user) {
    sparse_arrays *arrays = user;
    decant__input_close(&arrays->indices.input);
    decant__input_close(&arrays->data.input);
    decant__zip_close(arrays->zip);
    decant__free(arrays);
}

/* An array that is read whole: memory follows the file, not its header. */
static decant_status read_whole(const decant__zip *zip, const char *name, decant__meter *meter,
                                uint64_t **out, size_t *count) {
    decant_status status = DECANT_OK;
    array self = {0};
    uint64_t *numbers = NULL;
    size_t done = 0, room = 0;
    TRY(open_array(zip, name, meter, &self));
    while (done < self.layout.n) {
        size_t piece = self.layout.n - done < PIECE ? self.layout.n - done : PIECE;
        if (done + piece > room) {
            room = 2 * (done + piece) < self.layout.n ? 2 * (done + piece) : self.layout.n;
            uint64_t *grown = decant__realloc_array(numbers, room, sizeof *grown);
            if (grown == NULL) TRY(DECANT_ENOMEM);
            numbers = grown;
        }
        TRY(read_integers(&self, piece, numbers + done));
        done += piece;
    }
    TRY(decant__binary_end(&self.input, &self.layout));
    *out = numbers;
    *count = done;
    numbers = NULL;
done:
    decant__free(numbers);
    decant__input_close(&self.input);
    return status;
}

/* The word in format.npy: bytes or UCS-4 after a header that ends with a line end. */
static decant_status read_format(const decant__zip *zip, char word[8]) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    char bytes[FORMAT_BYTES];
    size_t got, length = 0;
    TRY(decant__zip_input(zip, decant__zip_find(zip, "format", ".npy"), NULL, &input));
    TRY(decant__input_read(&input, bytes, sizeof bytes, &got));
    size_t at = got;
    while (at > 0 && bytes[at - 1] != '\n') at--;
    for (; at < got && length < 7; at++)
        if (bytes[at] >= 'a' && bytes[at] <= 'z') word[length++] = bytes[at];
    word[length] = '\0';
done:
    decant__input_close(&input);
    return status;
}

/* Takes over the zip. */
static decant_status open_sparse(decant__input *input, decant__zip *zip, decant__reader **out) {
    decant_status status = DECANT_OK;
    decant__compressed matrix = {
        .format = "NPZ (sparse)", .path = input->path, .meter = input->meter};
    sparse_arrays *arrays = NULL;
    uint64_t *shape = NULL;
    size_t count;
    char word[8];
    TRY(read_format(zip, word));
    matrix.by_columns = strcmp(word, "csc") == 0;
    if (!matrix.by_columns && strcmp(word, "csr") != 0)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: expected a sparse matrix in the format csr or csc, found %s; "
                         "scipy.sparse.save_npz(FILE, x.tocsr()) writes one",
                         input->path, word));
    TRY(read_whole(zip, "shape", NULL, &shape, &count));
    if (count != 2)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected a matrix with two dimensions, found %zu",
                         input->path, count));
    matrix.n = shape[0];
    matrix.d = shape[1];
    TRY(read_whole(zip, "indptr", input->meter, &matrix.start, &matrix.start_count));
    NEW_ZEROED(arrays, 1);
    TRY(open_array(zip, "indices", input->meter, &arrays->indices));
    TRY(open_array(zip, "data", input->meter, &arrays->data));
    if (arrays->indices.layout.n != arrays->data.layout.n)
        TRY(decant__fail(DECANT_EFORMAT, "%s: has %zu indices, but %zu values", input->path,
                         arrays->indices.layout.n, arrays->data.layout.n));
    matrix.nonzeros = arrays->data.layout.n;
    arrays->zip = zip;
    zip = NULL;
    matrix.source = (decant__compressed_source){.user = arrays,
                                                .indices = next_indices,
                                                .values = next_values,
                                                .end = end_arrays,
                                                .close = close_arrays};
    arrays = NULL;
    status = decant__compressed_open(&matrix, out);
    matrix.start = NULL;
    TRY(status);
done:
    decant__free(shape);
    decant__free(matrix.start);
    if (arrays != NULL) close_arrays(arrays);
    decant__zip_close(zip);
    return status;
}

/* ---- one of several arrays ---- */

/* An NPY reader on an input of its own. */
typedef struct member_reader {
    decant__reader reader;
    decant__input input;
    decant__reader *inner;
} member_reader;

static decant_status member_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    member_reader *self = (member_reader *)reader;
    return self->inner->next(self->inner, max_rows, block);
}

static decant_status member_leave(decant__reader *reader, size_t memory, decant_dataset **out) {
    member_reader *self = (member_reader *)reader;
    *out = NULL;
    return self->inner->leave != NULL ? self->inner->leave(self->inner, memory, out) : DECANT_OK;
}

static void member_close(decant__reader *reader) {
    member_reader *self = (member_reader *)reader;
    decant__reader_close(self->inner);
    decant__input_close(&self->input);
    decant__free(self);
}

static decant_status open_member(const decant__zip *zip, const decant__zip_member *member,
                                 const decant__input *input, const decant__reader_options *options,
                                 decant__reader **out) {
    decant_status status = DECANT_OK;
    member_reader *self = NULL;
    NEW_ZEROED(self, 1);
    TRY(decant__zip_input(zip, member, input->meter, &self->input));
    TRY(decant__npy_open(&self->input, options, &self->inner));
    self->reader = *self->inner;
    self->reader.format = "NPZ";
    self->reader.next = member_next;
    self->reader.leave = member_leave;
    self->reader.close = member_close;
    *out = &self->reader;
    self = NULL;
done:
    if (self != NULL) member_close(&self->reader);
    return status;
}

static int is_array(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* "x, y and 3 more", for a sentence. */
static void list_arrays(const decant__zip *zip, decant__text *text) {
    enum { SHOWN = 8 };
    size_t count = 0;
    for (size_t i = 0; i < zip->count; i++) {
        const char *name = zip->members[i].name;
        if (!is_array(name) || count++ >= SHOWN) continue;
        if (count > 1) decant__text_put(text, ", ", 2);
        decant__text_put(text, name, strlen(name) - 4);
    }
    if (count > SHOWN) decant__text_print(text, " and %zu more", count - SHOWN);
    decant__text_put(text, "", 1);
}

static decant_status choose_array(const decant__zip *zip, const char *wanted,
                                  const decant__zip_member **out) {
    decant__text names = {0};
    size_t arrays = 0;
    *out = wanted != NULL ? decant__zip_find(zip, wanted, ".npy") : NULL;
    if (*out != NULL) return DECANT_OK;
    for (size_t i = 0; i < zip->count; i++) {
        if (!is_array(zip->members[i].name)) continue;
        if (arrays++ == 0) *out = &zip->members[i];
    }
    if (arrays == 1 && wanted == NULL) return DECANT_OK;
    list_arrays(zip, &names);
    decant_status status =
        names.failed ? DECANT_ENOMEM
        : wanted == NULL
            ? decant__fail(DECANT_EFORMAT,
                           "%s: holds %zu arrays (%s): name one of them, as in %s:NAME", zip->path,
                           arrays, names.bytes, zip->path)
            : decant__fail(DECANT_EFORMAT, "%s: holds no array %s, but %s", zip->path,
                           decant__quote(wanted, strlen(wanted)).text, names.bytes);
    decant__text_free(&names);
    return status;
}

decant_status decant__npz_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out) {
    decant_status status = DECANT_OK;
    decant__zip *zip = NULL;
    const decant__zip_member *member;
    TRY(decant__zip_open(input, &zip));
    if (input->member == NULL && decant__zip_find(zip, "format", ".npy") != NULL &&
        decant__zip_find(zip, "shape", ".npy") != NULL) {
        status = open_sparse(input, zip, out);
        zip = NULL;
        TRY(status);
        goto done;
    }
    TRY(choose_array(zip, input->member, &member));
    TRY(open_member(zip, member, input, options, out));
done:
    decant__zip_close(zip);
    return status;
}
