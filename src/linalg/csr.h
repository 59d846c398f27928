/* A square sparse matrix of doubles, put together from entries in any order. */
#ifndef DECANT_LINALG_CSR_H
#define DECANT_LINALG_CSR_H

#include "base/watch.h"

typedef struct decant__csr {
    size_t n;
    size_t *start; /* n + 1: row i is [start[i], start[i+1]) of column and value */
    uint32_t *column;
    double *value;
} decant__csr;

/* Entries of a matrix, one array each. */
typedef struct decant__entries {
    size_t count;
    uint32_t *row, *column;
    double *value;
} decant__entries;

decant_status decant__entries_new(decant__entries *entries, size_t count);
void decant__entries_free(decant__entries *entries);

/* Entries of the same place are added up, in their order, or all but the first are dropped. */
typedef enum decant__duplicates {
    DECANT__DUPLICATES_SUM,
    DECANT__DUPLICATES_DROP
} decant__duplicates;

/* cancel: NULL if it cannot be cancelled. */
decant_status decant__csr_new(decant__csr *csr, size_t n, const decant__entries *entries,
                              decant__duplicates twice, decant__cancel *cancel);
void decant__csr_free(decant__csr *csr);

/* y = A x for `width` vectors, x and y n x width row-major. For a whole team. */
void decant__csr_multiply(const decant__csr *csr, const double *x, size_t width, double *y);

/* max_i sum_j |a_ij|: no eigenvalue of a symmetric matrix is larger (Gershgorin). */
double decant__csr_bound(const decant__csr *csr);

/* The sum of the diagonal. */
double decant__csr_trace(const decant__csr *csr);

/* The connected parts of the graph whose links are the entries that are not 0. part (n): the number
 * of each row's part, in order of their first rows; returns how many there are. stack: n. */
size_t decant__csr_parts(const decant__csr *csr, uint32_t *part, uint32_t *stack);

#endif
