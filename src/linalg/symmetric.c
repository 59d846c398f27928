#include "linalg/symmetric.h"

#include "base/memory.h"
#include "linalg/lapack.h"

/* Column-major: for a symmetric matrix that is the same, and the eigenvectors, columns to LAPACK,
 * are rows to us. */
decant_status decant__symmetric_eigen(double *a, size_t n, double *values) {
    decant_status status = DECANT_OK;
    double *work = NULL;
    blasint order = (blasint)n, lwork = 34 * order + 64, info = 0;
    NEW_ARRAY(work, (size_t)lwork);
    LAPACK_DSYEV("V", "U", &order, a, &order, values, work, &lwork, &info);
    if (info != 0)
        status = decant__fail(DECANT_EDIVERGED,
                              "the eigenvalues of a %zu x %zu matrix did not converge", n, n);
done:
    decant__free(work);
    return status;
}
