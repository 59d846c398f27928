#include "linalg/symmetric.h"

#include "base/memory.h"

/* LAPACK, as OpenBLAS exports it. Column-major: for a symmetric matrix that is the same, and the
 * eigenvectors, columns to LAPACK, are rows to us. */
extern void dsyev_(const char *job, const char *triangle, const int *n, double *a,
                   const int *stride, double *values, double *work, const int *room, int *info);

decant_status decant__symmetric_eigen(double *a, size_t n, double *values) {
    decant_status status = DECANT_OK;
    double *work = NULL;
    int order = (int)n, room = 34 * order + 64, info = 0;
    NEW_ARRAY(work, (size_t)room);
    dsyev_("V", "U", &order, a, &order, values, work, &room, &info);
    if (info != 0)
        status = decant__fail(DECANT_EDIVERGED,
                              "the eigenvalues of a %zu x %zu matrix did not converge", n, n);
done:
    decant__free(work);
    return status;
}
