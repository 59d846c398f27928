/* NPY, numpy's format: a magic, a version, a Python dictionary as text and then the numbers
 * (https://numpy.org/neps/nep-0001-npy-format.html). */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "read/binary.h"

enum { MAX_DIMENSIONS = 32, MAX_HEADER = 1 << 20, DESCR = 16 };

typedef struct npy_header {
    char descr[DESCR];
    int fortran;
    size_t dimensions;
    uint64_t shape[MAX_DIMENSIONS];
    unsigned found; /* bits: descr, fortran_order, shape */
} npy_header;

/* ---- the dictionary ---- */

static char *skip_space(char *p) {
    while (*p == ' ' || *p == '\n' || *p == '\t') p++;
    return p;
}

/* A quoted string; NULL: there is none, or it is too long. */
static char *parse_string(char *p, char out[DESCR]) {
    char quote = *p;
    if (quote != '\'' && quote != '"') return NULL;
    char *end = strchr(p + 1, quote);
    if (end == NULL || end - p - 1 >= DESCR) return NULL;
    size_t length = (size_t)(end - p - 1);
    memcpy(out, p + 1, length);
    out[length] = '\0';
    return end + 1;
}

static char *parse_flag(char *p, int *flag) {
    *flag = strncmp(p, "True", 4) == 0;
    if (*flag) return p + 4;
    return strncmp(p, "False", 5) == 0 ? p + 5 : NULL;
}

/* A tuple of whole numbers, which Python 2 wrote with a final L. */
static char *parse_tuple(char *p, npy_header *header) {
    if (*p != '(') return NULL;
    p = skip_space(p + 1);
    while (*p >= '0' && *p <= '9') {
        uint64_t size = 0;
        for (; *p >= '0' && *p <= '9'; p++)
            size = size > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10 : size * 10 + (uint64_t)(*p - '0');
        if (header->dimensions == MAX_DIMENSIONS) return NULL;
        header->shape[header->dimensions++] = size;
        if (*p == 'L') p++;
        p = skip_space(p);
        if (*p == ',') p = skip_space(p + 1);
    }
    return *p == ')' ? p + 1 : NULL;
}

/* One key and its value; NULL where it is not what it should be. */
static char *parse_pair(char *p, npy_header *header) {
    char key[DESCR];
    p = parse_string(p, key);
    if (p == NULL) return NULL;
    p = skip_space(p);
    if (*p++ != ':') return NULL;
    p = skip_space(p);
    if (strcmp(key, "descr") == 0) {
        header->found |= 1;
        return parse_string(p, header->descr);
    }
    if (strcmp(key, "fortran_order") == 0) {
        header->found |= 2;
        return parse_flag(p, &header->fortran);
    }
    if (strcmp(key, "shape") != 0) return NULL;
    header->found |= 4;
    header->dimensions = 0;
    return parse_tuple(p, header);
}

static decant_status parse_dictionary(const char *path, char *text, npy_header *header) {
    char *p = skip_space(text);
    if (*p == '{') {
        p = skip_space(p + 1);
        while (p != NULL && *p != '}') {
            p = parse_pair(p, header);
            if (p != NULL) p = skip_space(p);
            if (p != NULL && *p == ',') p = skip_space(p + 1);
        }
        if (p != NULL && header->found == 7) return DECANT_OK;
    }
    return decant__fail(DECANT_EFORMAT,
                        "%s: expected descr, fortran_order and shape of one plain array in the NPY "
                        "header, found %s",
                        path, decant__quote(text, strlen(text)).text);
}

/* ---- the header ---- */

static decant_status read_exactly(decant__input *input, void *bytes, size_t count) {
    size_t got;
    decant_status status = decant__input_read(input, bytes, count, &got);
    if (status == DECANT_OK && got < count)
        status =
            decant__fail(DECANT_EFORMAT, "%s: the file ends inside the NPY header", input->path);
    return status;
}

static decant_status read_header(decant__input *input, npy_header *header, size_t *bytes) {
    decant_status status = DECANT_OK;
    char *text = NULL;
    unsigned char start[8], size[4] = {0};
    *header = (npy_header){0};
    TRY(read_exactly(input, start, 8));
    if (start[6] < 1 || start[6] > 3)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected NPY version 1, 2 or 3, found %d",
                         input->path, start[6]));
    size_t size_bytes = start[6] == 1 ? 2 : 4;
    TRY(read_exactly(input, size, size_bytes));
    size_t length =
        (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    if (length > MAX_HEADER)
        TRY(decant__fail(DECANT_EFORMAT, "%s: the NPY header has %zu bytes, at most %d are read",
                         input->path, length, MAX_HEADER));
    NEW_ARRAY(text, length + 1);
    TRY(read_exactly(input, text, length));
    text[length] = '\0';
    TRY(parse_dictionary(input->path, text, header));
    *bytes = 8 + size_bytes + length;
done:
    decant__free(text);
    return status;
}

static int kind_of(const char *descr, decant__binary *layout) {
    static const struct {
        char name[3];
        decant_type kind;
    } kinds[] = {{"b1", DECANT_BOOL},    {"u1", DECANT_UINT8},   {"i1", DECANT_INT8},
                 {"u2", DECANT_UINT16},  {"i2", DECANT_INT16},   {"u4", DECANT_UINT32},
                 {"i4", DECANT_INT32},   {"u8", DECANT_UINT64},  {"i8", DECANT_INT64},
                 {"f2", DECANT_FLOAT16}, {"f4", DECANT_FLOAT32}, {"f8", DECANT_FLOAT64}};
    if (descr[0] == '\0' || strchr("<>|=", descr[0]) == NULL) return 0;
    layout->big_endian = descr[0] == '>' || (descr[0] == '=' && decant__host_is_big_endian());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(descr + 1, kinds[i].name) != 0) continue;
        layout->kind = kinds[i].kind;
        return descr[0] != '|' || decant__type_size(layout->kind) == 1;
    }
    return 0;
}

/* Header to layout: the first dimension counts rows, all the others together columns. */
static decant_status read_layout(decant__input *input, npy_header *header, decant__binary *layout) {
    *layout = (decant__binary){.format = "NPY", .d = 1};
    decant_status status = read_header(input, header, &layout->header);
    if (status != DECANT_OK) return status;
    if (!kind_of(header->descr, layout))
        return decant__fail(DECANT_EFORMAT,
                            "%s: expected an NPY type of whole, real or boolean numbers, found %s; "
                            "pandas.DataFrame(array).to_csv(FILE, index=False) writes a table, "
                            "which may have words",
                            input->path, decant__quote(header->descr, strlen(header->descr)).text);
    if (header->dimensions == 0)
        return decant__fail(DECANT_EFORMAT,
                            "%s: expected an array with rows, found a single number", input->path);
    uint64_t d = 1;
    for (size_t i = 1; i < header->dimensions; i++) {
        uint64_t size = header->shape[i];
        d = size > 0 && d > UINT64_MAX / size ? UINT64_MAX : d * size;
    }
    layout->by_columns = header->fortran && header->dimensions > 1;
    layout->n = (size_t)header->shape[0];
    layout->d = (size_t)d;
    return decant__check_shape(input->path, header->shape[0], d);
}

decant_status decant__npy_layout(decant__input *input, decant__binary *layout, size_t *dimensions) {
    npy_header header;
    decant_status status = read_layout(input, &header, layout);
    if (status == DECANT_OK && dimensions != NULL) *dimensions = header.dimensions;
    return status;
}

/* ---- Fortran order: read whole, then handed out row by row ---- */

typedef struct fortran_reader {
    decant__reader reader;
    decant__input *input;
    decant__binary layout;
    npy_header header;
    decant__block columns; /* all numbers, in the order of the file */
    size_t *place;         /* where a column of the file belongs in C order */
    size_t done;
} fortran_reader;

/* With two dimensions a column stays where it is; with more, the indices of the trailing
 * dimensions run the other way round. */
static void find_places(const npy_header *header, size_t d, size_t *place) {
    for (size_t j = 0; j < d; j++) {
        size_t rest = j, c_stride = d, at = 0;
        for (size_t i = 1; i < header->dimensions; i++) {
            size_t size = (size_t)header->shape[i];
            c_stride /= size;
            at += rest % size * c_stride;
            rest /= size;
        }
        place[j] = at;
    }
}

static decant_status read_columns(fortran_reader *self) {
    decant_status status = DECANT_OK;
    const decant__binary *layout = &self->layout;
    TRY(decant__binary_read(self->input, layout, 0, layout->n * layout->d, &self->columns));
    TRY(decant__binary_end(self->input, layout));
    NEW_ARRAY(self->place, layout->d);
    find_places(&self->header, layout->d, self->place);
done:
    return status;
}

static decant_status fortran_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    fortran_reader *self = (fortran_reader *)reader;
    decant_status status = DECANT_OK;
    size_t n = self->layout.n, d = self->layout.d, rows = n - self->done;
    float *place;
    if (rows > max_rows) rows = max_rows;
    if (rows == 0) return DECANT_OK;
    if (self->place == NULL) TRY(read_columns(self));
    TRY(decant__block_extend(block, 0, rows * d, &place));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < d; j++)
            place[i * d + self->place[j]] = self->columns.dense[j * n + self->done + i];
    block->n += rows;
    self->done += rows;
done:
    return status;
}

static void fortran_close(decant__reader *reader) {
    fortran_reader *self = (fortran_reader *)reader;
    decant__block_free(&self->columns);
    decant__free(self->place);
    decant__free(self);
}

static decant_status fortran_open(decant__input *input, const npy_header *header,
                                  const decant__binary *layout, decant__reader **out) {
    decant_status status = DECANT_OK;
    fortran_reader *self = NULL;
    TRY(decant__binary_check(input, layout));
    NEW_ZEROED(self, 1);
    self->reader = (decant__reader){.format = layout->format,
                                    .d = layout->d,
                                    .rows = layout->n,
                                    .next = fortran_next,
                                    .close = fortran_close};
    self->input = input;
    self->layout = *layout;
    self->header = *header;
    *out = &self->reader;
done:
    return status;
}

/* ---- C order: read by blocks, or left in the file ---- */

/* Whether the bytes of the file, from the header on, are the dataset. */
static int is_plain(const decant__input *input, const decant__binary *layout) {
    uint64_t row = layout->d * sizeof(float);
    return input->exact && layout->kind == DECANT_FLOAT32 && !layout->by_columns &&
           layout->big_endian == decant__host_is_big_endian() &&
           input->max_bytes > layout->header && (input->max_bytes - layout->header) % row == 0 &&
           (input->max_bytes - layout->header) / row == layout->n;
}

/* The reader has taken the header; the rest stays where it is. */
static decant_status npy_leave(decant__reader *reader, size_t memory, decant_dataset **out) {
    const decant__input *input;
    const decant__binary *layout = decant__binary_of(reader, &input);
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    *out = NULL;
    if (!is_plain(input, layout) || layout->n * layout->d * sizeof(float) <= memory)
        return DECANT_OK;
    NEW_ZEROED(data, 1);
    TRY(decant__row_file_new(input->descriptor, decant__input_origin(input) + layout->header,
                             input->path, &data->file));
    data->n = layout->n;
    data->d = layout->d;
    data->dense = &data->file->nothing;
    data->layout = (decant__layout){.file = data->file};
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

decant_status decant__npy_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out) {
    npy_header header;
    decant__binary layout;
    (void)options;
    decant_status status = read_layout(input, &header, &layout);
    if (status != DECANT_OK) return status;
    if (layout.by_columns) return fortran_open(input, &header, &layout, out);
    status = decant__binary_open(input, &layout, out);
    if (status == DECANT_OK) (*out)->leave = npy_leave;
    return status;
}
