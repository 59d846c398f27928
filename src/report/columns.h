/* The columns in which a cluster differs most from the other rows; for rows that are neither
 * pictures nor texts.
 *
 *   z_cj = (m_cj - r_cj) / s_j,   m the mean of column j in cluster c, r that in all other rows,
 *                                 s the standard deviation over all rows */
#ifndef DECANT_REPORT_COLUMNS_H
#define DECANT_REPORT_COLUMNS_H

#include "report/study.h"

enum { DECANT__BEST_COLUMNS = 6 };

typedef struct decant__special {
    size_t column;
    double inside, outside, z;
} decant__special;

typedef struct decant__columns {
    double *mean, *sd;     /* d; NULL: not computed, too many clusters and columns */
    size_t each;           /* at most DECANT__BEST_COLUMNS */
    decant__special *best; /* k x each, by |z| */
} decant__columns;

decant_status decant__columns_find(decant__columns *columns, const decant__study *study);
void decant__columns_free(decant__columns *columns);

#endif
