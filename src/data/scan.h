/* One pass over all values of a dataset: are they finite, the digest, and what scaling needs. */
#ifndef DECANT_DATA_SCAN_H
#define DECANT_DATA_SCAN_H

#include "base/watch.h"
#include "data/dataset.h"

/* The first of count floats that is not finite; count: all are. */
size_t decant__first_not_finite(const float *x, size_t count);

/* What to find besides values that are not finite. */
enum { DECANT__SCAN_COLUMNS = 1, DECANT__SCAN_DIGEST = 2 };

/* Zero-initialise. A zero that CSR leaves out counts like any other. */
typedef struct decant__summary {
    double squares;   /* sum of x^2 over all values */
    size_t zeros;     /* dense: values that are 0 */
    double *sum;      /* d: of each column. With DECANT__SCAN_COLUMNS, as are the next three */
    float *min, *max; /* d */
    size_t *entries;  /* d; CSR: values that are there */
    uint64_t digest[2];
} decant__summary;

/* EINVAL with a sentence that names the row and column of the first value that is not finite; EIO
 * where the rows are in a file and cannot be read. The same bytes for any number of threads. watch
 * may be NULL. */
decant_status decant__scan(const decant_dataset *data, unsigned what, int threads,
                           const decant__watch *watch, decant__summary *summary);
void decant__summary_free(decant__summary *summary);

/* A second pass, after one with DECANT__SCAN_COLUMNS: of each column the sum of the squared
 * differences to its mean. Done with one pass, it would lose digits where the mean is large. */
decant_status decant__scan_squares(const decant_dataset *data, const decant__summary *summary,
                                   int threads, const decant__watch *watch, double *square);

#endif
