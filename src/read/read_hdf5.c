/* HDF5: one array of numbers, or the matrix of an AnnData file (.h5ad: X, dense or sparse, with
 * the columns of obs as ids and labels, and the names of var as those of the columns). data.h5:PATH
 * names one of several arrays, or another matrix of an AnnData file (layers/counts). */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "read/binary.h"
#include "read/compressed.h"
#include "read/hdf5_file.h"

enum { PIECE = 1 << 20, LONGEST_NAME = 512 }; /* numbers read at a time */

typedef struct hdf5_reader {
    decant__reader reader;
    decant__input *input;
    hid_t file;
    char name[LONGEST_NAME]; /* of the matrix */
    decant__h5_array dense;
    decant__reader *sparse; /* NULL: the matrix is dense */
    decant__h5_column ids, labels;
    char id_name[LONGEST_NAME], label_name[LONGEST_NAME];
    int has_ids, has_labels;
    size_t n, done;
} hdf5_reader;

/* ---- sparse matrices: a group of three arrays ---- */

typedef struct sparse_arrays {
    decant__h5_array indices, data;
    size_t indices_done, data_done;
    char indices_name[LONGEST_NAME + 16], data_name[LONGEST_NAME + 16];
} sparse_arrays;

static decant_status next_indices(void *user, size_t count, uint64_t *index) {
    sparse_arrays *self = user;
    decant_status status =
        decant__h5_read_integers(&self->indices, self->indices_done, count, index);
    self->indices_done += count;
    return status;
}

static decant_status next_values(void *user, size_t count, float *value) {
    sparse_arrays *self = user;
    decant_status status = decant__h5_read_floats(&self->data, self->data_done, count, value);
    self->data_done += count;
    return status;
}

static void close_arrays(void *user) {
    sparse_arrays *self = user;
    decant__h5_array_close(&self->indices);
    decant__h5_array_close(&self->data);
    decant__free(self);
}

static decant_status read_starts(hdf5_reader *self, decant__compressed *matrix) {
    decant_status status = DECANT_OK;
    decant__h5_array array = {.id = -1};
    char name[LONGEST_NAME + 16];
    snprintf(name, sizeof name, "%s/indptr", self->name);
    TRY(decant__h5_array_open(self->file, self->input->path, name, &array));
    if (array.dimensions != 1)
        TRY(decant__h5_fail(self->input->path, name, "expected one dimension"));
    matrix->start_count = (size_t)array.size[0];
    NEW_ARRAY(matrix->start, matrix->start_count);
    TRY(decant__h5_read_integers(&array, 0, matrix->start_count, matrix->start));
done:
    decant__h5_array_close(&array);
    return status;
}

static decant_status open_arrays(hdf5_reader *self, sparse_arrays *arrays) {
    decant_status status = DECANT_OK;
    const char *path = self->input->path;
    snprintf(arrays->indices_name, sizeof arrays->indices_name, "%s/indices", self->name);
    snprintf(arrays->data_name, sizeof arrays->data_name, "%s/data", self->name);
    TRY(decant__h5_array_open(self->file, path, arrays->indices_name, &arrays->indices));
    TRY(decant__h5_array_open(self->file, path, arrays->data_name, &arrays->data));
    if (arrays->indices.dimensions != 1 || arrays->data.dimensions != 1 ||
        arrays->indices.size[0] != arrays->data.size[0])
        TRY(decant__h5_fail(path, self->name, "expected as many indices as values"));
done:
    return status;
}

static decant_status open_sparse(hdf5_reader *self) {
    decant_status status = DECANT_OK;
    decant__compressed matrix = {
        .format = "HDF5 (sparse)", .path = self->input->path, .meter = self->input->meter};
    sparse_arrays *arrays = NULL;
    uint64_t shape[2];
    char word[32] = "";
    if (!decant__h5_attribute(self->file, self->name, "encoding-type", word, sizeof word))
        decant__h5_attribute(self->file, self->name, "h5sparse_format", word, sizeof word);
    matrix.by_columns = strncmp(word, "csc", 3) == 0;
    if ((!matrix.by_columns && strncmp(word, "csr", 3) != 0) ||
        (!decant__h5_shape(self->file, self->name, "shape", shape) &&
         !decant__h5_shape(self->file, self->name, "h5sparse_shape", shape)))
        TRY(decant__h5_fail(self->input->path, self->name,
                            "expected an array, or a csr_matrix or csc_matrix with its shape, "
                            "found another group"));
    matrix.n = shape[0];
    matrix.d = shape[1];
    TRY(read_starts(self, &matrix));
    NEW_ZEROED(arrays, 1);
    arrays->indices.id = arrays->data.id = -1;
    TRY(open_arrays(self, arrays));
    matrix.nonzeros = arrays->data.size[0];
    matrix.source =
        (decant__compressed_source){arrays, next_indices, next_values, NULL, close_arrays};
    arrays = NULL;
    status = decant__compressed_open(&matrix, &self->sparse);
    matrix.start = NULL;
    TRY(status);
    self->n = (size_t)matrix.n;
    self->reader = (decant__reader){.format = "HDF5", .sparse = 1, .d = (size_t)matrix.d};
done:
    decant__free(matrix.start);
    if (arrays != NULL) close_arrays(arrays);
    return status;
}

/* ---- dense matrices ---- */

static decant_status open_dense(hdf5_reader *self) {
    decant_status status = DECANT_OK;
    TRY(decant__h5_array_open(self->file, self->input->path, self->name, &self->dense));
    if (self->dense.dimensions == 0)
        TRY(decant__h5_fail(self->input->path, self->name,
                            "expected an array with rows, found a single number"));
    TRY(decant__check_shape(self->input->path, self->dense.size[0], self->dense.d));
    self->n = (size_t)self->dense.size[0];
    self->reader = (decant__reader){.format = "HDF5", .d = (size_t)self->dense.d};
done:
    return status;
}

static decant_status next_dense(hdf5_reader *self, size_t rows, decant__block *block) {
    size_t d = self->reader.d, most = PIECE / d > 0 ? PIECE / d : 1;
    for (size_t end = self->done + rows, at = self->done; at < end;) {
        size_t count = end - at < most ? end - at : most;
        float *place;
        decant_status status = decant__block_extend(block, 0, count * d, &place);
        if (status == DECANT_OK) status = decant__h5_read_floats(&self->dense, at, count, place);
        if (status == DECANT_OK) status = decant__meter_add(self->input->meter, 0);
        if (status != DECANT_OK) return status;
        size_t bad = decant__first_not_finite(place, count * d);
        if (bad < count * d)
            return decant__fail(DECANT_EFORMAT,
                                "%s: row %zu, column %zu: expected a finite float32 number",
                                self->input->path, at + bad / d + 1, bad % d + 1);
        block->n += count;
        at += count;
    }
    return DECANT_OK;
}

/* ---- ids and labels ---- */

static decant_status add_texts(hdf5_reader *self, size_t rows, decant__block *block) {
    decant_status status = DECANT_OK;
    char **cells = NULL;
    if (self->has_ids) {
        TRY(decant__h5_column_read(&self->ids, self->done, rows, &cells));
        for (size_t i = 0; i < rows; i++)
            TRY(decant__block_add_id(block, cells[i], strlen(cells[i])));
        decant__free(cells);
        cells = NULL;
    }
    if (self->has_labels) {
        TRY(decant__h5_column_read(&self->labels, self->done, rows, &cells));
        for (size_t i = 0; i < rows; i++)
            TRY(decant__block_add_label(block, cells[i], strlen(cells[i])));
    }
done:
    decant__free(cells);
    return status;
}

static decant_status open_column(hdf5_reader *self, decant__h5_column *column, const char *name) {
    decant_status status = decant__h5_column_open(self->file, self->input->path, name, column);
    if (status != DECANT_OK) return status;
    if (column->array.size[0] == self->n) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: %s has %llu values, but %s has %zu rows",
                        self->input->path, name, (unsigned long long)column->array.size[0],
                        self->name, self->n);
}

/* A column of obs by its name. */
static decant_status find_column(hdf5_reader *self, const char *wanted, char name[LONGEST_NAME]) {
    if (!decant__h5_is_group(self->file, "obs"))
        return decant__fail(DECANT_EFORMAT,
                            "%s: has no column %s: columns of HDF5 files are those of obs in an "
                            "AnnData file",
                            self->input->path, decant__quote(wanted, strlen(wanted)).text);
    int length = snprintf(name, LONGEST_NAME, "obs/%s", wanted);
    if (length < LONGEST_NAME && wanted[0] != '\0' && decant__h5_has(self->file, name))
        return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: has no column %s in obs", self->input->path,
                        decant__quote(wanted, strlen(wanted)).text);
}

/* The column that is the index of obs or var; 0: there is none. */
static int find_index(const hdf5_reader *self, const char *table, char name[LONGEST_NAME]) {
    char column[256];
    if (!decant__h5_is_group(self->file, table)) return 0;
    if (!decant__h5_attribute(self->file, table, "_index", column, sizeof column))
        snprintf(column, sizeof column, "_index");
    snprintf(name, LONGEST_NAME, "%s/%s", table, column);
    return decant__h5_has(self->file, name);
}

/* The names of var, if they are as many as the columns. */
static decant_status read_names(hdf5_reader *self) {
    decant__h5_column column;
    char name[LONGEST_NAME];
    if (!find_index(self, "var", name)) return DECANT_OK;
    decant_status status = decant__h5_column_open(self->file, self->input->path, name, &column);
    if (status != DECANT_OK) return status;
    if (column.array.size[0] == self->reader.d)
        status = decant__h5_column_read(&column, 0, self->reader.d, &self->reader.names);
    decant__h5_column_close(&column);
    return status;
}

static decant_status open_columns(hdf5_reader *self, const decant__reader_options *options) {
    decant_status status = DECANT_OK;
    if (options->labels_only) goto done;
    if (options->id_column != NULL) {
        TRY(find_column(self, options->id_column, self->id_name));
        self->has_ids = 1;
    } else {
        self->has_ids = find_index(self, "obs", self->id_name);
    }
    if (self->has_ids) TRY(open_column(self, &self->ids, self->id_name));
    if (options->label_column != NULL) {
        TRY(find_column(self, options->label_column, self->label_name));
        TRY(open_column(self, &self->labels, self->label_name));
        self->has_labels = 1;
    }
    TRY(read_names(self));
done:
    return status;
}

/* ---- which matrix ---- */

static decant_status choose(hdf5_reader *self) {
    decant__h5_list list;
    decant_status status = DECANT_OK;
    decant__text names = {0};
    const char *path = self->input->path, *wanted = self->input->member;
    int length = 0;
    if (wanted != NULL)
        length = snprintf(self->name, LONGEST_NAME, "%s", wanted);
    else if (decant__h5_has(self->file, "X") && decant__h5_has(self->file, "obs"))
        length = snprintf(self->name, LONGEST_NAME, "X");
    if (length >= LONGEST_NAME || (length > 0 && !decant__h5_has(self->file, self->name)))
        return decant__h5_fail(path, decant__quote(self->name, strlen(self->name)).text,
                               "there is no such dataset in the file");
    if (length > 0) return DECANT_OK;
    decant__h5_list_arrays(self->file, &list);
    if (list.count == 1) {
        snprintf(self->name, LONGEST_NAME, "%s", list.name[0]);
    } else {
        for (size_t i = 0; i < list.count && i < 8; i++)
            decant__text_print(&names, "%s%s", i > 0 ? ", " : "",
                               decant__quote(list.name[i], strlen(list.name[i])).text);
        decant__text_put(&names, "", 1);
        status = names.failed ? DECANT_ENOMEM
                 : list.count == 0
                     ? decant__fail(DECANT_EFORMAT, "%s: has no dataset of numbers", path)
                     : decant__fail(DECANT_EFORMAT,
                                    "%s: holds several datasets (%s%s): name one of them, as in "
                                    "%s:NAME",
                                    path, names.bytes, list.count > 8 ? ", ..." : "", path);
    }
    for (size_t i = 0; i < list.count; i++) decant__free(list.name[i]);
    decant__text_free(&names);
    return status;
}

/* ---- the reader ---- */

static decant_status hdf5_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    hdf5_reader *self = (hdf5_reader *)reader;
    decant_status status = DECANT_OK;
    size_t rows = self->n - self->done < max_rows ? self->n - self->done : max_rows;
    if (rows == 0) return DECANT_OK;
    TRY(self->sparse != NULL ? self->sparse->next(self->sparse, rows, block)
                             : next_dense(self, rows, block));
    TRY(add_texts(self, rows, block));
    self->done += rows;
done:
    return status;
}

static void hdf5_close(decant__reader *reader) {
    hdf5_reader *self = (hdf5_reader *)reader;
    decant__reader_close(self->sparse);
    decant__h5_array_close(&self->dense);
    decant__h5_column_close(&self->ids);
    decant__h5_column_close(&self->labels);
    decant__h5_close(self->file);
    decant__free(self->reader.names);
    decant__free(self);
}

decant_status decant__hdf5_open(decant__input *input, const decant__reader_options *options,
                                decant__reader **out) {
    decant_status status = DECANT_OK;
    hdf5_reader *self = NULL;
    NEW_ZEROED(self, 1);
    self->input = input;
    self->file = self->dense.id = self->ids.array.id = self->labels.array.id = -1;
    TRY(decant__h5_open(input, &self->file));
    TRY(choose(self));
    TRY(decant__h5_is_group(self->file, self->name) ? open_sparse(self) : open_dense(self));
    TRY(open_columns(self, options));
    self->reader.rows = self->n;
    self->reader.next = hdf5_next;
    self->reader.close = hdf5_close;
    *out = &self->reader;
    self = NULL;
done:
    if (self != NULL) hdf5_close(&self->reader);
    return status;
}
