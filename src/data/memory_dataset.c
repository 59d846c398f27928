/* Datasets made of arrays that a program has, and what it knows of their rows and columns. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/scalar.h"
#include "data/block.h"
#include "data/dataset.h"

enum { MAX_CLASS_NUMBERS = 1 << 20 }; /* numbered classes that are given a name each */

static decant_status check_dimensions(size_t n, size_t d) {
    if (n == 0 || d == 0)
        return decant__fail(DECANT_EINVAL, "a dataset needs rows and columns, not %zu x %zu", n, d);
    if (n > DECANT__MAX_ROWS || d > DECANT__MAX_COLUMNS)
        return decant__fail(DECANT_EINVAL,
                            "a dataset of %zu x %zu is too large (at most %zu x %zu)", n, d,
                            DECANT__MAX_ROWS, DECANT__MAX_COLUMNS);
    return DECANT_OK;
}

/* ---- dense ---- */

static size_t magnitude(ptrdiff_t step) { return step < 0 ? 0 - (size_t)step : (size_t)step; }

static decant_status check_array(const decant_array *array, size_t number, size_t n) {
    if (array->x == NULL || array->columns == 0)
        return decant__fail(DECANT_EINVAL, "array %zu has no columns", number);
    if (decant__type_size(array->type) == 0)
        return decant__fail(DECANT_EINVAL, "array %zu: its type is none of decant_type", number);
    if (magnitude(array->row_step) > PTRDIFF_MAX / 2 / n ||
        magnitude(array->column_step) > PTRDIFF_MAX / 2 / array->columns)
        return decant__fail(DECANT_EINVAL,
                            "array %zu: steps of %td and %td bytes are too large for %zu x %zu",
                            number, array->row_step, array->column_step, n, array->columns);
    return DECANT_OK;
}

/* Are these rows what algorithms work on: floats without gaps? */
static int is_plain(const decant_array *array) {
    return array->type == DECANT_FLOAT32 && !array->swapped &&
           (uintptr_t)array->x % sizeof(float) == 0 && array->column_step == sizeof(float) &&
           array->row_step == (ptrdiff_t)(array->columns * sizeof(float));
}

static decant_status wrap_arrays(const decant_array *arrays, size_t count, size_t n, size_t d,
                                 decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    decant_array *parts = NULL;
    NEW_ZEROED(data, 1);
    data->n = n;
    data->d = d;
    if (count == 1 && is_plain(arrays)) {
        data->dense = arrays->x;
    } else {
        NEW_ARRAY(parts, count);
        memcpy(parts, arrays, count * sizeof *parts);
        data->owned[0] = parts;
        data->layout = (decant__layout){.part = parts, .parts = count};
        data->dense = (const float *)parts; /* not NULL: the rows are dense. It is never read */
    }
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

decant_status decant_dataset_from_arrays(const decant_array *arrays, size_t count, size_t n,
                                         decant_dataset **out) {
    decant_status status = DECANT_OK;
    size_t d = 0;
    if (arrays == NULL || count == 0 || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_arrays needs arrays and an output");
    TRY(check_dimensions(n, count));
    for (size_t i = 0; i < count; i++) {
        TRY(check_array(&arrays[i], i + 1, n));
        d = arrays[i].columns < SIZE_MAX - d ? d + arrays[i].columns : SIZE_MAX;
    }
    TRY(check_dimensions(n, d));
    TRY(wrap_arrays(arrays, count, n, d, out));
done:
    return status;
}

decant_status decant_dataset_from_dense(const void *x, decant_type type, size_t n, size_t d,
                                        size_t stride, decant_dataset **out) {
    size_t size = decant__type_size(type);
    decant_status status = DECANT_OK;
    if (x == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL,
                            "decant_dataset_from_dense needs an array and an output");
    TRY(check_dimensions(n, d));
    if (stride != 0 && stride < d)
        return decant__fail(DECANT_EINVAL, "a row of %zu columns does not fit in a stride of %zu",
                            d, stride);
    if (stride > SIZE_MAX / sizeof(double) / 4 / n)
        return decant__fail(DECANT_EINVAL, "a stride of %zu is too large for %zu rows", stride, n);
    const decant_array array = {.x = x,
                                .type = type,
                                .columns = d,
                                .row_step = (ptrdiff_t)((stride != 0 ? stride : d) * size),
                                .column_step = (ptrdiff_t)size};
    TRY(decant_dataset_from_arrays(&array, 1, n, out));
done:
    return status;
}

/* ---- CSR ---- */

static int64_t index_at(const void *indices, decant_type type, size_t i) {
    return type == DECANT_INT32 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
}

static decant_status check_type(const char *form, const char *what, decant_type type) {
    if (type == DECANT_INT32 || type == DECANT_INT64) return DECANT_OK;
    return decant__fail(DECANT_EINVAL, "%s: %s: expected the type int32 or int64, found %s", form,
                        what, decant__type_name(type));
}

/* What its parts are called in messages: a CSC matrix is checked as the CSR one of its transpose.
 */
typedef struct words {
    const char *form, *row, *column;
} words;

/* All of the starts first: the entries are found by them. */
static decant_status check_starts(const decant_csr *csr, words w) {
    int64_t before = index_at(csr->start, csr->start_type, 0);
    if (before != 0)
        return decant__fail(DECANT_EINVAL, "%s: start[0] is %lld, expected 0", w.form,
                            (long long)before);
    for (size_t i = 1; i <= csr->rows; i++) {
        int64_t here = index_at(csr->start, csr->start_type, i);
        if (here < before)
            return decant__fail(DECANT_EINVAL, "%s: %s %zu ends before it begins", w.form, w.row,
                                i);
        if ((uint64_t)here > csr->nonzeros)
            return decant__fail(DECANT_EINVAL, "%s: %s %zu ends at %lld, but there are %zu values",
                                w.form, w.row, i, (long long)here, csr->nonzeros);
        before = here;
    }
    if ((uint64_t)before != csr->nonzeros)
        return decant__fail(DECANT_EINVAL, "%s: the last %s ends at %lld, but there are %zu values",
                            w.form, w.row, (long long)before, csr->nonzeros);
    return DECANT_OK;
}

static decant_status check_columns(const decant_csr *csr, words w) {
    size_t e = 0;
    for (size_t i = 0; i < csr->rows; i++) {
        size_t end = (size_t)index_at(csr->start, csr->start_type, i + 1);
        int64_t before = -1;
        for (; e < end; e++) {
            int64_t column = index_at(csr->column, csr->column_type, e);
            if (column < 0 || (uint64_t)column >= csr->columns)
                return decant__fail(DECANT_EINVAL, "%s: %s %zu has %s %lld, but there are %zu",
                                    w.form, w.row, i + 1, w.column, (long long)column,
                                    csr->columns);
            if (column <= before)
                return decant__fail(DECANT_EINVAL,
                                    "%s: the %ss of %s %zu are not in ascending order", w.form,
                                    w.column, w.row, i + 1);
            before = column;
        }
    }
    return DECANT_OK;
}

static decant_status check_csr(const decant_csr *csr, words w) {
    decant_status status = DECANT_OK;
    if (csr->start == NULL || (csr->nonzeros > 0 && (csr->column == NULL || csr->value == NULL)))
        return decant__fail(DECANT_EINVAL, "%s: %zu values, but an array of them is NULL", w.form,
                            csr->nonzeros);
    TRY(check_type(w.form, "start", csr->start_type));
    TRY(check_type(w.form, "column", csr->column_type));
    if (decant__type_size(csr->value_type) == 0)
        TRY(decant__fail(DECANT_EINVAL, "%s: the type of value is none of decant_type", w.form));
    TRY(check_dimensions(csr->rows, csr->columns));
    TRY(check_starts(csr, w));
    TRY(check_columns(csr, w));
done:
    return status;
}

_Static_assert(sizeof(size_t) == sizeof(int64_t), "int64 starts are used as they are");

static decant__scalars values_of(const decant_csr *csr) {
    return (decant__scalars){csr->value, (ptrdiff_t)decant__type_size(csr->value_type),
                             csr->value_type, decant__host_is_big_endian()};
}

/* Arrays of other types than ours become copies, which belong to the dataset. */
static decant_status convert_csr(decant_dataset *data, const decant_csr *csr) {
    decant_status status = DECANT_OK;
    size_t *start = NULL;
    uint32_t *column = NULL;
    float *value = NULL;
    if (csr->start_type == DECANT_INT32) {
        NEW_ARRAY(start, csr->rows + 1);
        data->owned[0] = start;
        for (size_t i = 0; i <= csr->rows; i++)
            start[i] = (size_t)index_at(csr->start, csr->start_type, i);
    }
    if (csr->column_type == DECANT_INT64) {
        NEW_ARRAY(column, csr->nonzeros);
        data->owned[1] = column;
        for (size_t e = 0; e < csr->nonzeros; e++)
            column[e] = (uint32_t)index_at(csr->column, csr->column_type, e);
    }
    if (csr->value_type != DECANT_FLOAT32) {
        const decant__scalars from = values_of(csr);
        NEW_ARRAY(value, csr->nonzeros);
        data->owned[2] = value;
        decant__scalars_to_floats(&from, csr->nonzeros, value);
    }
    data->start = start != NULL ? start : csr->start;
    data->column = column != NULL ? column : csr->column;
    data->value = value != NULL ? value : csr->value;
done:
    return status;
}

/* The arrays have been checked; `fill` gives the dataset its own, or borrows them. */
static decant_status make_sparse(const decant_csr *arrays,
                                 decant_status (*fill)(decant_dataset *, const decant_csr *),
                                 decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    NEW_ZEROED(data, 1);
    data->n = arrays->rows;
    data->d = arrays->columns;
    TRY(fill(data, arrays));
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

decant_status decant_dataset_from_csr(const decant_csr *csr, decant_dataset **out) {
    decant_status status = DECANT_OK;
    if (csr == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_csr needs arrays and an output");
    TRY(check_csr(csr, (words){"CSR", "row", "column"}));
    TRY(make_sparse(csr, convert_csr, out));
done:
    return status;
}

/* ---- CSC ---- */

/* A counting sort: values of a column go behind those of earlier columns of their rows. */
static decant_status transpose(decant_dataset *data, const decant_csr *csc) {
    decant_status status = DECANT_OK;
    size_t *start = NULL;
    uint32_t *column = NULL;
    float *value = NULL;
    NEW_ZEROED(start, csc->rows + 2);
    data->owned[0] = start;
    NEW_ARRAY(column, csc->nonzeros);
    data->owned[1] = column;
    NEW_ARRAY(value, csc->nonzeros);
    data->owned[2] = value;
    /* start[i + 2]: how many row i has; then start[i + 1]: where its next value goes. */
    for (size_t e = 0; e < csc->nonzeros; e++)
        start[(size_t)index_at(csc->column, csc->column_type, e) + 2]++;
    for (size_t i = 2; i <= csc->rows; i++) start[i] += start[i - 1];
    decant__scalars from = values_of(csc);
    for (size_t j = 0, e = 0; j < csc->columns; j++) {
        size_t end = (size_t)index_at(csc->start, csc->start_type, j + 1);
        for (; e < end; e++, from.bytes += from.step) {
            size_t to = start[(size_t)index_at(csc->column, csc->column_type, e) + 1]++;
            column[to] = (uint32_t)j;
            decant__scalars_to_floats(&from, 1, &value[to]);
        }
    }
    data->start = start;
    data->column = column;
    data->value = value;
done:
    return status;
}

decant_status decant_dataset_from_csc(const decant_csr *csc, decant_dataset **out) {
    decant_status status = DECANT_OK;
    if (csc == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_csc needs arrays and an output");
    decant_csr turned = *csc;
    turned.rows = csc->columns;
    turned.columns = csc->rows;
    TRY(check_csr(&turned, (words){"CSC", "column", "row"}));
    TRY(make_sparse(csc, transpose, out));
done:
    return status;
}

/* ---- names ---- */

/* "0", "1", ... in one allocation with the pointers to them. */
static char **number_names(size_t count) {
    enum { WIDTH = 8 };
    char **names = decant__alloc_array(count, sizeof *names + WIDTH);
    if (names == NULL) return NULL;
    char *text = (char *)(names + count);
    for (size_t i = 0; i < count; i++) {
        names[i] = text + i * WIDTH;
        snprintf(names[i], WIDTH, "%u", (unsigned)i & (MAX_CLASS_NUMBERS - 1));
    }
    return names;
}

/* Copies of the strings, in one allocation with the pointers to them. */
static decant_status copy_names(const char *what, const char *const *names, size_t count,
                                char ***out) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (names[i] == NULL)
            return decant__fail(DECANT_EINVAL, "%s %zu is NULL: use \"\" where there is none", what,
                                i + 1);
        length += strlen(names[i]) + 1;
    }
    char **copy = decant__alloc_array(count * sizeof *copy + length, 1);
    if (copy == NULL) return DECANT_ENOMEM;
    char *text = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]) + 1;
        copy[i] = memcpy(text, names[i], size);
        text += size;
    }
    *out = copy;
    return DECANT_OK;
}

static decant_status replace_names(char ***target, const char *what, const char *const *names,
                                   size_t count) {
    char **copy = NULL;
    if (names != NULL) {
        decant_status status = copy_names(what, names, count, &copy);
        if (status != DECANT_OK) return status;
    }
    decant__free(*target);
    *target = copy;
    return DECANT_OK;
}

decant_status decant_dataset_set_labels(decant_dataset *data, const int32_t *labels) {
    decant_status status = DECANT_OK;
    int32_t *copy = NULL;
    char **names = NULL;
    size_t count = 0;
    if (data == NULL || labels == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_set_labels needs a dataset and labels");
    for (size_t i = 0; i < data->n; i++) {
        if (labels[i] < 0 || labels[i] >= MAX_CLASS_NUMBERS)
            return decant__fail(DECANT_EINVAL,
                                "label of row %zu: expected a class number from 0 to %d, found %d",
                                i + 1, MAX_CLASS_NUMBERS - 1, (int)labels[i]);
        if ((size_t)labels[i] >= count) count = (size_t)labels[i] + 1;
    }
    NEW_ARRAY(copy, data->n);
    memcpy(copy, labels, data->n * sizeof *copy);
    names = number_names(count);
    if (names == NULL) TRY(DECANT_ENOMEM);
    decant__free(data->labels);
    decant__free(data->class_names);
    data->labels = copy;
    data->class_names = names;
    data->class_count = count;
    copy = NULL;
done:
    decant__free(copy);
    return status;
}

decant_status decant_dataset_set_class_names(decant_dataset *data, const char *const *names,
                                             size_t count) {
    if (data == NULL || names == NULL)
        return decant__fail(DECANT_EINVAL,
                            "decant_dataset_set_class_names needs a dataset and names");
    if (data->labels == NULL)
        return decant__fail(DECANT_EINVAL, "the dataset has no labels to name: set them first");
    if (count < data->class_count)
        return decant__fail(DECANT_EINVAL, "expected names for %zu classes, found %zu",
                            data->class_count, count);
    decant_status status = replace_names(&data->class_names, "class name", names, count);
    if (status == DECANT_OK) data->class_count = count;
    return status;
}

decant_status decant_dataset_set_ids(decant_dataset *data, const char *const *ids) {
    if (data == NULL) return decant__fail(DECANT_EINVAL, "decant_dataset_set_ids needs a dataset");
    return replace_names(&data->ids, "id", ids, data->n);
}

decant_status decant_dataset_set_column_names(decant_dataset *data, const char *const *names) {
    if (data == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_set_column_names needs a dataset");
    return replace_names(&data->column_names, "column name", names, data->d);
}
