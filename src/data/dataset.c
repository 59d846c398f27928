#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define XXH_STATIC_LINKING_ONLY /* a state on the stack, which cannot fail to be had */
#include <xxhash.h>

#include "base/memory.h"
#include "data/block.h"
#include "data/scalar.h"

enum { MOST_CLASS_NUMBERS = 1 << 20 }; /* numbered classes that are given a name each */

static decant_status check_dimensions(size_t n, size_t d) {
    if (n == 0 || d == 0)
        return decant__fail(DECANT_EINVAL, "a dataset needs rows and columns, not %zu x %zu", n, d);
    if (n > DECANT__MOST_ROWS || d > DECANT__MOST_COLUMNS)
        return decant__fail(DECANT_EINVAL,
                            "a dataset of %zu x %zu is too large (at most %zu x %zu)", n, d,
                            DECANT__MOST_ROWS, DECANT__MOST_COLUMNS);
    return DECANT_OK;
}

decant_status decant_dataset_from_dense(const float *x, size_t n, size_t d, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    if (x == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL,
                            "decant_dataset_from_dense needs an array and an output");
    TRY(check_dimensions(n, d));
    NEW_ZEROED(data, 1);
    data->n = n;
    data->d = d;
    data->dense = x;
    *out = data;
done:
    return status;
}

/* Code further on indexes with these without looking. */
static decant_status check_csr(const size_t *start, const uint32_t *column, size_t n, size_t d) {
    if (start[0] != 0)
        return decant__fail(DECANT_EINVAL, "CSR: start[0] is %zu, expected 0", start[0]);
    for (size_t i = 0; i < n; i++) {
        if (start[i + 1] < start[i])
            return decant__fail(DECANT_EINVAL, "CSR: row %zu ends before it begins", i + 1);
        for (size_t e = start[i]; e < start[i + 1]; e++) {
            if (column[e] >= d)
                return decant__fail(DECANT_EINVAL, "CSR: row %zu has column %u, but there are %zu",
                                    i + 1, column[e], d);
            if (e > start[i] && column[e] <= column[e - 1])
                return decant__fail(
                    DECANT_EINVAL, "CSR: the columns of row %zu are not in ascending order", i + 1);
        }
    }
    return DECANT_OK;
}

decant_status decant_dataset_from_csr(const size_t *start, const uint32_t *column,
                                      const float *value, size_t n, size_t d,
                                      decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    if (start == NULL || column == NULL || value == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_from_csr needs arrays and an output");
    TRY(check_dimensions(n, d));
    TRY(check_csr(start, column, n, d));
    NEW_ZEROED(data, 1);
    data->n = n;
    data->d = d;
    data->start = start;
    data->column = column;
    data->value = value;
    *out = data;
done:
    return status;
}

/* "0", "1", ... in one allocation with the pointers to them. */
static char **number_names(size_t count) {
    enum { WIDTH = 8 };
    char **names = decant__alloc_array(count, sizeof *names + WIDTH);
    if (names == NULL) return NULL;
    char *text = (char *)(names + count);
    for (size_t i = 0; i < count; i++) {
        names[i] = text + i * WIDTH;
        snprintf(names[i], WIDTH, "%u", (unsigned)i & (MOST_CLASS_NUMBERS - 1));
    }
    return names;
}

decant_status decant_dataset_set_labels(decant_dataset *data, const int32_t *labels) {
    decant_status status = DECANT_OK;
    int32_t *copy = NULL;
    char **names = NULL;
    size_t count = 0;
    if (data == NULL || labels == NULL)
        return decant__fail(DECANT_EINVAL, "decant_dataset_set_labels needs a dataset and labels");
    for (size_t i = 0; i < data->n; i++) {
        if (labels[i] < 0 || labels[i] >= MOST_CLASS_NUMBERS)
            return decant__fail(DECANT_EINVAL,
                                "label of row %zu: expected a class number from 0 to %d, found %d",
                                i + 1, MOST_CLASS_NUMBERS - 1, (int)labels[i]);
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

size_t decant_dataset_rows(const decant_dataset *data) { return data->n; }
size_t decant_dataset_columns(const decant_dataset *data) { return data->d; }
int decant_dataset_is_sparse(const decant_dataset *data) { return data->dense == NULL; }

const float *decant_dataset_dense(const decant_dataset *data) { return data->dense; }

void decant_dataset_csr(const decant_dataset *data, const size_t **start, const uint32_t **column,
                        const float **value) {
    *start = data->start;
    *column = data->column;
    *value = data->value;
}

size_t decant_dataset_nonzeros(const decant_dataset *data) {
    if (data->start != NULL) return data->start[data->n];
    return data->n * data->d; /* 0 where there are only labels */
}

const char *decant_dataset_format(const decant_dataset *data) {
    if (data->features != NULL) return data->features->about;
    return data->format != NULL ? data->format : "";
}

const int32_t *decant_dataset_labels(const decant_dataset *data) { return data->labels; }
size_t decant_dataset_class_count(const decant_dataset *data) { return data->class_count; }

const char *decant_dataset_class_name(const decant_dataset *data, size_t c) {
    return data->class_names != NULL && c < data->class_count ? data->class_names[c] : NULL;
}

const char *decant_dataset_column_name(const decant_dataset *data, size_t column) {
    if (column >= data->d) return NULL;
    if (data->column_names != NULL) return data->column_names[column];
    return data->features != NULL ? decant_features_stem(data->features, column) : NULL;
}

const char *decant_dataset_id(const decant_dataset *data, size_t row) {
    return data->ids != NULL && row < data->n ? data->ids[row] : NULL;
}

const decant_features *decant_dataset_features(const decant_dataset *data) {
    return data->features;
}

size_t decant_dataset_skipped(const decant_dataset *data) { return data->notes.skipped; }

const char *decant_dataset_note(const decant_dataset *data, size_t index) {
    return index < data->notes.count ? data->notes.sentence[index] : NULL;
}

size_t decant_dataset_extra(const decant_dataset *data) { return data->extra; }
double decant_dataset_seconds(const decant_dataset *data) { return data->seconds; }

void decant_dataset_free(decant_dataset *data) {
    if (data == NULL) return;
    for (size_t i = 0; i < sizeof data->owned / sizeof *data->owned; i++)
        decant__free(data->owned[i]);
    if (data->mapped != NULL) munmap(data->mapped, data->mapped_bytes);
    decant__free(data->labels);
    decant__free(data->class_names);
    decant__free(data->ids);
    decant__free(data->column_names);
    decant__origin_free(&data->origin);
    decant__features_free(data->features);
    decant__notes_free(&data->notes);
    decant__free(data);
}

/* The row that an entry of a CSR matrix is in. */
static size_t row_of_entry(const decant_dataset *data, size_t entry) {
    size_t low = 0, high = data->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (data->start[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t decant__dataset_window(const decant_dataset *data, size_t at) {
    size_t count = decant_dataset_nonzeros(data);
    if (data->mapped == NULL) return count - at;
    size_t window = DECANT__RESIDENT_WINDOW / sizeof(float);
    if (at >= window)
        decant__resident_release(data->dense + (at - window), DECANT__RESIDENT_WINDOW);
    return count - at < window ? count - at : window;
}

decant_status decant__dataset_check_finite(const decant_dataset *data) {
    const float *values = data->dense != NULL ? data->dense : data->value;
    size_t count = decant_dataset_nonzeros(data), bad = 0;
    while (bad < count) {
        size_t window = decant__dataset_window(data, bad);
        size_t here = decant__first_not_finite(values + bad, window);
        bad += here;
        if (here < window) break;
    }
    if (bad == count) return DECANT_OK;
    size_t row = data->dense != NULL ? bad / data->d : row_of_entry(data, bad);
    size_t column = data->dense != NULL ? bad % data->d : data->column[bad];
    return decant__fail(DECANT_EINVAL,
                        "row %zu, column %zu: expected a finite float32 number, found %s", row + 1,
                        column + 1, isnan(values[bad]) ? "nan" : "inf");
}

static XXH128_hash_t hash_values(const decant_dataset *data, const float *values, size_t count) {
    XXH3_state_t state;
    size_t window;
    XXH3_128bits_reset(&state);
    for (size_t at = 0; at < count; at += window) {
        window = data->mapped != NULL ? decant__dataset_window(data, at) : count - at;
        XXH3_128bits_update(&state, values + at, window * sizeof *values);
    }
    return XXH3_128bits_digest(&state);
}

/* A hash of hashes. */
void decant__dataset_digest(const decant_dataset *data, uint64_t digest[2]) {
    int sparse = data->dense == NULL;
    size_t rows = data->n + data->extra, count = sparse ? data->start[rows] : rows * data->d;
    const float *values = sparse ? data->value : data->dense;
    XXH128_hash_t value = hash_values(data, values, count), start = {0}, column = {0};
    if (sparse) {
        start = XXH3_128bits(data->start, (rows + 1) * sizeof *data->start);
        column = XXH3_128bits(data->column, count * sizeof *data->column);
    }
    const uint64_t all[] = {data->n,      data->d,     (uint64_t)sparse, value.high64, value.low64,
                            start.high64, start.low64, column.high64,    column.low64};
    XXH128_hash_t hash = XXH3_128bits_withSeed(all, sizeof all, data->extra);
    digest[0] = hash.high64;
    digest[1] = hash.low64;
}
