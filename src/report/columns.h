/* The columns in which a cluster differs most from the other rows; for rows that are neither
 * pictures nor texts.
 *
 *   z_cj = (m_cj - r_cj) / s_j,   m the mean of column j in cluster c, r that in all other rows,
 *                                 s the standard deviation over all rows */
#ifndef DECANT_REPORT_COLUMNS_H
#define DECANT_REPORT_COLUMNS_H

#include "run/study.h"

enum { DECANT__BEST_COLUMNS = 6 };

typedef struct decant__special {
    size_t column;
    double inside, outside, z;
} decant__special;

/* How the values of a column are distributed in each cluster: the columns in which the clusters
 * differ most, by the share of the variance that lies between them,
 *
 *   eta_j = sum_c n_c (m_cj - m_j)^2 / (n s_j^2) */
enum { DECANT__SPREAD_COLUMNS = 12, DECANT__SPREAD_BINS = 24 };

typedef struct decant__spread {
    size_t column;
    double share;     /* eta */
    double low, high; /* of the bins, in the units of the file; beyond: first and last bin */
    const decant__column *source; /* of an encoded table; NULL: none */
} decant__spread; /* what missing cells were filled with does not count, where they are marked */

typedef struct decant__columns {
    double *mean, *sd;     /* d; NULL: not computed, too many clusters and columns */
    double *between;       /* d: eta of every number of a row; 1 each if there is one cluster */
    size_t each;           /* at most DECANT__BEST_COLUMNS */
    decant__special *best; /* k x each, by |z| */
    decant__spread spread[DECANT__SPREAD_COLUMNS];
    size_t spread_count; /* dense rows only */
    uint32_t *counts;    /* spread_count x k x DECANT__SPREAD_BINS */
    double *means;       /* spread_count x k, in the units of the file; NaN: no rows */
} decant__columns;

/* The column of an encoded table that number j of a row belongs to; NULL: rows are numbers as they
 * were read, or a text's. */
const decant__column *decant__columns_source(const decant_dataset *data, size_t j);

/* The number of a row that marks missing cells of the column whose first number is j; SIZE_MAX:
 * there is none. It is above 0 where the cell is missing. */
size_t decant__columns_mark(const decant__column *source, size_t j);

decant_status decant__columns_find(decant__columns *columns, const decant__study *study);
void decant__columns_free(decant__columns *columns);

#endif
