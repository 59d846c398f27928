#include "report/columns.h"

#include <math.h>

#include "base/memory.h"

enum { MAX_SUMS = 1 << 24 };

/* Sums of each column over the rows of each cluster, and of squares over all rows. */
static void sum_columns(const decant__study *study, double *sum, double *squares, double *rows) {
    const decant_dataset *data = study->data;
    size_t d = data->d;
    for (size_t i = 0; i < data->n; i++) {
        double *own = sum + (size_t)study->cluster[i] * d;
        rows[study->cluster[i]]++;
        if (data->dense != NULL) {
            const float *x = decant__dataset_row(data, i, study->buffer);
            for (size_t j = 0; j < d; j++) {
                own[j] += (double)x[j];
                squares[j] += (double)x[j] * (double)x[j];
            }
            continue;
        }
        for (size_t e = data->start[i]; e < data->start[i + 1]; e++) {
            double x = (double)data->value[e];
            own[data->column[e]] += x;
            squares[data->column[e]] += x * x;
        }
    }
}

/* Inserts a column into the cluster's list, which is sorted by |z|. */
static void insert_column(decant__columns *columns, size_t c, decant__special found) {
    decant__special *best = columns->best + c * columns->each;
    size_t at = columns->each;
    if (!(fabs(found.z) > fabs(best[at - 1].z))) return;
    for (at--; at > 0 && fabs(found.z) > fabs(best[at - 1].z); at--) best[at] = best[at - 1];
    best[at] = found;
}

static void compare_means(decant__columns *columns, const decant__study *study, const double *sum,
                          const double *rows) {
    size_t d = study->data->d;
    double n = (double)study->n;
    for (size_t c = 0; c < study->k; c++)
        for (size_t j = 0; j < d && rows[c] > 0 && rows[c] < n && columns->sd[j] > 0; j++) {
            double inside = sum[c * d + j] / rows[c];
            double outside = (n * columns->mean[j] - sum[c * d + j]) / (n - rows[c]);
            insert_column(
                columns, c,
                (decant__special){j, inside, outside, (inside - outside) / columns->sd[j]});
        }
}

decant_status decant__columns_find(decant__columns *columns, const decant__study *study) {
    decant_status status = DECANT_OK;
    size_t d = study->data->d, k = study->k;
    double *sum = NULL, *squares = NULL, *rows = NULL;
    *columns = (decant__columns){0};
    if (d > MAX_SUMS / k) return DECANT_OK;
    columns->each = d < DECANT__BEST_COLUMNS ? d : DECANT__BEST_COLUMNS;
    NEW_ZEROED(sum, k * d);
    NEW_ZEROED(squares, d);
    NEW_ZEROED(rows, k);
    NEW_ZEROED(columns->mean, d);
    NEW_ZEROED(columns->sd, d);
    NEW_ZEROED(columns->best, k * columns->each);
    sum_columns(study, sum, squares, rows);
    for (size_t j = 0; j < d; j++) {
        for (size_t c = 0; c < k; c++) columns->mean[j] += sum[c * d + j];
        columns->mean[j] /= (double)study->n;
        double variance = squares[j] / (double)study->n - columns->mean[j] * columns->mean[j];
        /* The variance of a constant column is not 0 but a rounding error. */
        if (variance > 1e-12 * squares[j] / (double)study->n) columns->sd[j] = sqrt(variance);
    }
    compare_means(columns, study, sum, rows);
done:
    decant__free(sum);
    decant__free(squares);
    decant__free(rows);
    if (status != DECANT_OK) decant__columns_free(columns);
    return status;
}

void decant__columns_free(decant__columns *columns) {
    decant__free(columns->mean);
    decant__free(columns->sd);
    decant__free(columns->best);
    *columns = (decant__columns){0};
}
