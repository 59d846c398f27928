#include "linalg/dense_matrix.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/lapack.h"

decant_status decant__dense_cholesky(double *a, size_t n) {
    blasint order = (blasint)n, info = 0;
    LAPACK_DPOTRF("U", &order, a, &order, &info);
    if (info != 0)
        return decant__fail(DECANT_EDIVERGED,
                            "a %zu x %zu matrix that should be positive definite is not", n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) a[i * n + j] = 0;
    return DECANT_OK;
}

void decant__dense_solve_lower(const double *l, size_t n, double *b, size_t m, int transposed) {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans,
                CblasNonUnit, (blasint)n, (blasint)m, 1.0, l, (blasint)n, b, (blasint)m);
}

void decant__dense_solve(const double *l, size_t n, double *x) {
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (blasint)n, l, (blasint)n, x,
                1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (blasint)n, l, (blasint)n, x,
                1);
}

decant_status decant__dense_invert_lower(double *a, size_t n) {
    blasint order = (blasint)n, info = 0;
    LAPACK_DTRTRI("U", "N", &order, a, &order, &info);
    if (info == 0) return DECANT_OK;
    return decant__fail(DECANT_EDIVERGED, "a %zu x %zu triangle has no inverse", n, n);
}

void decant__dense_gram(const double *a, size_t m, size_t n, double beta, double *c) {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (blasint)n, (blasint)m, 1.0, a, (blasint)n,
                beta, c, (blasint)n);
}

void decant__dense_product(size_t m, size_t n, size_t l, double alpha, decant__dense_view a,
                           decant__dense_view b, double beta, double *c) {
    cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                b.transposed ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n, (blasint)l, alpha,
                a.data, (blasint)a.stride, b.data, (blasint)b.stride, beta, c, (blasint)n);
}

void decant__dense_times_lower_transposed(double *y, size_t m, const double *l, size_t n) {
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (blasint)m,
                (blasint)n, 1.0, l, (blasint)n, y, (blasint)n);
}

/* LAPACK sees a^T = V diag(w) U^T: its "u" is V, and its "vt" is U^T, both column by column. */
decant_status decant__dense_rotation(double *a, size_t n, double *sum) {
    decant_status status = DECANT_OK;
    blasint order = (blasint)n, info = 0, lwork = 8 * order + 64;
    double *s = NULL, *u = NULL, *vt = NULL, *work = NULL;
    NEW_ARRAY(s, n);
    NEW_ARRAY(u, n * n);
    NEW_ARRAY(vt, n * n);
    NEW_ARRAY(work, (size_t)lwork);
    LAPACK_DGESVD("A", "A", &order, &order, a, &order, s, u, &order, vt, &order, work, &lwork,
                  &info);
    if (info != 0)
        TRY(decant__fail(DECANT_EDIVERGED,
                         "the singular values of a %zu x %zu matrix did not converge", n, n));
    *sum = 0;
    for (size_t i = 0; i < n; i++) *sum += s[i];
    /* Row-major, u holds V^T and vt holds U: V U^T = (u)^T (vt)^T. */
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, order, order, order, 1.0, u, order, vt,
                order, 0.0, a, order);
done:
    decant__free(s);
    decant__free(u);
    decant__free(vt);
    decant__free(work);
    return status;
}
