/* Datasets made of arrays that a program has, and what it knows of their rows and columns. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
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

static decant_status check_type(const char *what, decant_type type, decant_type narrow,
                                decant_type wide) {
    static const char *const names[] = {"float32", "float64", "int32", "int64"};
    if (type == narrow || type == wide) return DECANT_OK;
    return decant__fail(DECANT_EINVAL, "%s: expected the type %s or %s, found %s", what,
                        names[narrow], names[wide],
                        (unsigned)type < sizeof names / sizeof *names ? names[type] : "another");
}

/* ---- dense ---- */

decant_status decant_dataset_from_dense(const void *x, decant_type type, size_t n, size_t d,
                                        size_t stride, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    if (x == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL,
                            "decant_dataset_from_dense needs an array and an output");
    TRY(check_type("dense rows", type, DECANT_FLOAT32, DECANT_FLOAT64));
    TRY(check_dimensions(n, d));
    if (stride != 0 && stride < d)
        return decant__fail(DECANT_EINVAL, "a row of %zu columns does not fit in a stride of %zu",
                            d, stride);
    if (stride > SIZE_MAX / sizeof(double) / n)
        return decant__fail(DECANT_EINVAL, "a stride of %zu is too large for %zu rows", stride, n);
    NEW_ZEROED(data, 1);
    data->n = n;
    data->d = d;
    data->dense = x;
    if (type == DECANT_FLOAT64 || (stride != 0 && stride != d))
        data->layout =
            (decant__layout){.stride = stride != 0 ? stride : d, .wide = type == DECANT_FLOAT64};
    *out = data;
done:
    return status;
}

/* ---- CSR ---- */

static int64_t index_at(const void *indices, decant_type type, size_t i) {
    return type == DECANT_INT32 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
}

/* All of the starts first: the entries are found by them. */
static decant_status check_starts(const decant_csr *csr) {
    int64_t before = index_at(csr->start, csr->start_type, 0);
    if (before != 0)
        return decant__fail(DECANT_EINVAL, "CSR: start[0] is %lld, expected 0", (long long)before);
    for (size_t i = 1; i <= csr->rows; i++) {
        int64_t here = index_at(csr->start, csr->start_type, i);
        if (here < before)
            return decant__fail(DECANT_EINVAL, "CSR: row %zu ends before it begins", i);
        if ((uint64_t)here > csr->nonzeros)
            return decant__fail(DECANT_EINVAL,
                                "CSR: row %zu ends at %lld, but there are %zu values", i,
                                (long long)here, csr->nonzeros);
        before = here;
    }
    if ((uint64_t)before != csr->nonzeros)
        return decant__fail(DECANT_EINVAL,
                            "CSR: the last row ends at %lld, but there are %zu values",
                            (long long)before, csr->nonzeros);
    return DECANT_OK;
}

static decant_status check_columns(const decant_csr *csr) {
    size_t e = 0;
    for (size_t i = 0; i < csr->rows; i++) {
        size_t end = (size_t)index_at(csr->start, csr->start_type, i + 1);
        int64_t before = -1;
        for (; e < end; e++) {
            int64_t column = index_at(csr->column, csr->column_type, e);
            if (column < 0 || (uint64_t)column >= csr->columns)
                return decant__fail(DECANT_EINVAL,
                                    "CSR: row %zu has column %lld, but there are %zu", i + 1,
                                    (long long)column, csr->columns);
            if (column <= before)
                return decant__fail(
                    DECANT_EINVAL, "CSR: the columns of row %zu are not in ascending order", i + 1);
            before = column;
        }
    }
    return DECANT_OK;
}

static decant_status check_csr(const decant_csr *csr) {
    decant_status status = DECANT_OK;
    if (csr == NULL || csr->start == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_csr needs arrays and an output");
    if (csr->nonzeros > 0 && (csr->column == NULL || csr->value == NULL))
        return decant__fail(DECANT_EINVAL, "CSR: %zu values, but an array of them is NULL",
                            csr->nonzeros);
    TRY(check_type("CSR: start", csr->start_type, DECANT_INT32, DECANT_INT64));
    TRY(check_type("CSR: column", csr->column_type, DECANT_INT32, DECANT_INT64));
    TRY(check_type("CSR: value", csr->value_type, DECANT_FLOAT32, DECANT_FLOAT64));
    TRY(check_dimensions(csr->rows, csr->columns));
    TRY(check_starts(csr));
    TRY(check_columns(csr));
done:
    return status;
}

_Static_assert(sizeof(size_t) == sizeof(int64_t), "int64 starts are used as they are");

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
    if (csr->value_type == DECANT_FLOAT64) {
        NEW_ARRAY(value, csr->nonzeros);
        data->owned[2] = value;
        for (size_t e = 0; e < csr->nonzeros; e++)
            value[e] = (float)((const double *)csr->value)[e];
    }
    data->start = start != NULL ? start : csr->start;
    data->column = column != NULL ? column : csr->column;
    data->value = value != NULL ? value : csr->value;
done:
    return status;
}

decant_status decant_dataset_from_csr(const decant_csr *csr, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    if (out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_csr needs arrays and an output");
    TRY(check_csr(csr));
    NEW_ZEROED(data, 1);
    data->n = csr->rows;
    data->d = csr->columns;
    TRY(convert_csr(data, csr));
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
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
