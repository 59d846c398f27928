#include "data/narrow.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { GONE = -1 };

typedef struct popular {
    size_t rows, column;
} popular;

static int more_rows_first(const void *a, const void *b) {
    const popular *left = a, *right = b;
    if (left->rows != right->rows) return left->rows < right->rows ? 1 : -1;
    return left->column < right->column ? -1 : 1;
}

/* number[c]: the column that c becomes, or GONE. */
static decant_status choose(const decant_dataset *data, size_t most, int64_t *number) {
    decant_status status = DECANT_OK;
    popular *counts = NULL;
    int64_t next = 0;
    NEW_ARRAY(counts, data->d);
    for (size_t c = 0; c < data->d; c++) counts[c] = (popular){0, c};
    for (size_t i = 0; i < data->start[data->n]; i++) counts[data->column[i]].rows++;
    qsort(counts, data->d, sizeof *counts, more_rows_first);
    for (size_t c = 0; c < data->d; c++) number[counts[c].column] = c < most ? 0 : GONE;
    for (size_t c = 0; c < data->d; c++)
        if (number[c] != GONE) number[c] = next++;
done:
    decant__free(counts);
    return status;
}

static void to_length_1(float *value, size_t count) {
    double square = 0;
    for (size_t i = 0; i < count; i++) square += (double)value[i] * (double)value[i];
    if (!(square > 0)) return;
    for (size_t i = 0; i < count; i++) value[i] = (float)((double)value[i] / sqrt(square));
}

decant_status decant__dataset_narrow(decant_dataset *data, size_t most) {
    decant_status status = DECANT_OK;
    size_t *start = data->owned[0], kept = 0, from = 0;
    uint32_t *column = data->owned[1];
    float *value = data->owned[2];
    int64_t *number = NULL;
    if (data->d <= most) return DECANT_OK;
    if (data->start == NULL || start != data->start || column != data->column ||
        value != data->value || data->extra > 0)
        return decant__fail(DECANT_EINVAL, "only sparse rows from a file have columns to cut");
    NEW_ARRAY(number, data->d);
    TRY(choose(data, most, number));
    for (size_t row = 0; row < data->n; row++) {
        size_t first = kept, end = start[row + 1];
        for (; from < end; from++) {
            if (number[column[from]] == GONE) continue;
            column[kept] = (uint32_t)number[column[from]];
            value[kept++] = value[from];
        }
        to_length_1(value + first, kept - first);
        start[row + 1] = kept;
    }
    data->d = most;
done:
    decant__free(number);
    return status;
}
