/* k-means takes clusters as balls of one size. A mixture can have long ones and ones of different
 * sizes, if there are rows enough to tell: four shapes are tried, each with at most one number of
 * its covariances for four rows. */
#include "cluster/mixture_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double MAX_COMMON = 0.25; /* share of the rows with the same value in a column */
static const double ROWS_A_NUMBER = 4;
static const double TOLD = 0.99;    /* share of the rows whose cluster follows from a column */
static const double MIN_SIZE = 0.2; /* of the mean size of a cluster */

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* How often the commonest of n sorted values occurs. */
static size_t longest_run(const float *sorted, size_t n) {
    size_t longest = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && sorted[end] == sorted[begin]; end++) continue;
        if (end - begin > longest) longest = end - begin;
    }
    return longest;
}

decant_status decant__is_continuous(const decant__source *x, int *yes) {
    decant_status status = DECANT_OK;
    double *row = NULL;
    float *columns = NULL;
    size_t n = x->n, d = x->d;
    *yes = 0;
    if (d > DECANT__MIXTURE_COLUMNS) return DECANT_OK;
    NEW_ARRAY(row, d);
    NEW_ARRAY(columns, n * d);
    for (size_t i = 0; i < n; i++) {
        decant__source_row(x, i, row);
        for (size_t j = 0; j < d; j++) columns[j * n + i] = (float)row[j];
    }
    *yes = 1;
    for (size_t j = 0; j < d && *yes; j++) {
        float *column = columns + j * n;
        qsort(column, n, sizeof *column, by_value);
        size_t common = longest_run(column, n);
        /* A constant column tells nothing, and does no harm. */
        if (common < n && (double)common > MAX_COMMON * (double)n) *yes = 0;
    }
done:
    decant__free(row);
    decant__free(columns);
    return status;
}

void decant__standardise(float *x, size_t n, size_t d) {
    for (size_t j = 0; j < d; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; i++) mean += (double)x[i * d + j] / (double)n;
        for (size_t i = 0; i < n; i++) {
            double t = (double)x[i * d + j] - mean;
            square += t * t / (double)n;
        }
        double factor = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < n; i++)
            x[i * d + j] = (float)(((double)x[i * d + j] - mean) * factor);
    }
}

/* A component of a few rows is a cover for outliers, not a cluster. */
static decant_status all_large(const int32_t *labels, size_t n, size_t k, int *yes) {
    decant_status status = DECANT_OK;
    size_t *count = NULL;
    NEW_ZEROED(count, k);
    for (size_t i = 0; i < n; i++) count[labels[i]]++;
    *yes = 1;
    for (size_t c = 0; c < k; c++)
        if (count[c] < 2 || (double)count[c] < MIN_SIZE * (double)n / (double)k) *yes = 0;
done:
    decant__free(count);
    return status;
}

/* Does the value of one column tell the cluster? Such clusters are that column over again. */
static decant_status repeat_column(const decant__mixed *rows, const int32_t *labels, size_t k,
                                   int *yes) {
    decant_status status = DECANT_OK;
    size_t *count = NULL;
    *yes = 0;
    NEW_ARRAY(count, (rows->first[rows->classes] + 1) * k);
    for (size_t a = 0; a < rows->classes && !*yes; a++) {
        size_t values = rows->first[a + 1] - rows->first[a], told = 0;
        memset(count, 0, values * k * sizeof *count);
        for (size_t i = 0; i < rows->n; i++)
            count[rows->code[i * rows->classes + a] * k + (size_t)labels[i]]++;
        for (size_t v = 0; v < values; v++) {
            size_t most = 0;
            for (size_t c = 0; c < k; c++)
                if (count[v * k + c] > most) most = count[v * k + c];
            told += most;
        }
        *yes = (double)told >= TOLD * (double)rows->n;
    }
done:
    decant__free(count);
    return status;
}

decant_status decant__mixture_choose(const decant__mixed *rows, size_t k,
                                     const decant__watch *watch, int32_t *labels,
                                     decant__mixture_found *best) {
    decant_status status = DECANT_OK;
    size_t n = rows->n;
    double bic;
    int32_t *trial = NULL, *chosen = NULL;
    int usable, repeats;
    best->bic = (double)INFINITY;
    NEW_ARRAY(trial, n);
    NEW_ARRAY(chosen, n);
    for (int s = 0; s < 4; s++) {
        const decant__mixed_shape shape = {.full = s / 2, .tied = s % 2};
        if (ROWS_A_NUMBER * decant__mixed_numbers(rows, k, shape) > (double)n) continue;
        memcpy(trial, labels, n * sizeof *labels);
        const decant__mixed_request wanted = {.rows = rows, .k = k, .shape = shape, .watch = watch};
        TRY(decant__mixed_fit(&wanted, trial, &bic));
        TRY(all_large(trial, n, k, &usable));
        TRY(repeat_column(rows, trial, k, &repeats));
        if (!usable || repeats || bic >= best->bic) continue;
        *best = (decant__mixture_found){bic, shape};
        memcpy(chosen, trial, n * sizeof *labels);
    }
    if (best->bic < (double)INFINITY) memcpy(labels, chosen, n * sizeof *labels);
done:
    decant__free(trial);
    decant__free(chosen);
    return status;
}
