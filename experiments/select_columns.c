#include "experiments/select_columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { DROPPED = -1 };

typedef struct column_count {
    size_t rows, column;
} column_count;

static int more_rows_first(const void *a, const void *b) {
    const column_count *left = a, *right = b;
    if (left->rows != right->rows) return left->rows < right->rows ? 1 : -1;
    return left->column < right->column ? -1 : 1;
}

/* number[c]: the column that c becomes, or DROPPED. */
static decant_status choose_columns(const decant_dataset *data, size_t max, int64_t *number) {
    decant_status status = DECANT_OK;
    column_count *counts = NULL;
    int64_t next = 0;
    NEW_ARRAY(counts, data->d);
    for (size_t c = 0; c < data->d; c++) counts[c] = (column_count){0, c};
    for (size_t i = 0; i < data->start[data->n]; i++) counts[data->column[i]].rows++;
    qsort(counts, data->d, sizeof *counts, more_rows_first);
    for (size_t c = 0; c < data->d; c++) number[counts[c].column] = c < max ? 0 : DROPPED;
    for (size_t c = 0; c < data->d; c++)
        if (number[c] != DROPPED) number[c] = next++;
done:
    decant__free(counts);
    return status;
}

static void normalise_row(float *value, size_t count) {
    double square = 0;
    for (size_t i = 0; i < count; i++) square += (double)value[i] * (double)value[i];
    if (!(square > 0)) return;
    for (size_t i = 0; i < count; i++) value[i] = (float)((double)value[i] / sqrt(square));
}

decant_status decant__dataset_keep_columns(decant_dataset *data, size_t max) {
    decant_status status = DECANT_OK;
    size_t *start = data->owned[0], kept = 0, from = 0;
    uint32_t *column = data->owned[1];
    float *value = data->owned[2];
    int64_t *number = NULL;
    if (data->d <= max) return DECANT_OK;
    if (data->start == NULL || start != data->start || column != data->column ||
        value != data->value || data->extra > 0)
        return decant__fail(
            DECANT_EINVAL,
            "columns can only be dropped from sparse rows that were read from a file");
    NEW_ARRAY(number, data->d);
    TRY(choose_columns(data, max, number));
    for (size_t row = 0; row < data->n; row++) {
        size_t first = kept, end = start[row + 1];
        for (; from < end; from++) {
            if (number[column[from]] == DROPPED) continue;
            column[kept] = (uint32_t)number[column[from]];
            value[kept++] = value[from];
        }
        normalise_row(value + first, kept - first);
        start[row + 1] = kept;
    }
    data->d = max;
done:
    decant__free(number);
    return status;
}
