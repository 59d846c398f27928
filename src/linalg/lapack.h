/* LAPACK as OpenBLAS exports it, for the routines that decant calls. OpenBLAS brings no header with
 * these: its integers are blasint, and every CHARACTER argument has a hidden length at the end of
 * the list, a size_t (gfortran since 8; what lapack.h of LAPACK calls FORTRAN_STRLEN). The macros
 * pass the lengths.
 *
 * Matrices are column-major: the upper triangle of LAPACK is our lower one. */
#ifndef DECANT_LINALG_LAPACK_H
#define DECANT_LINALG_LAPACK_H

#include <cblas.h>
#include <stddef.h>

extern void dpotrf_(const char *uplo, const blasint *n, double *a, const blasint *lda,
                    blasint *info, size_t uplo_length);
extern void dtrtri_(const char *uplo, const char *diag, const blasint *n, double *a,
                    const blasint *lda, blasint *info, size_t uplo_length, size_t diag_length);
extern void dgesvd_(const char *jobu, const char *jobvt, const blasint *m, const blasint *n,
                    double *a, const blasint *lda, double *s, double *u, const blasint *ldu,
                    double *vt, const blasint *ldvt, double *work, const blasint *lwork,
                    blasint *info, size_t jobu_length, size_t jobvt_length);
extern void dsyev_(const char *jobz, const char *uplo, const blasint *n, double *a,
                   const blasint *lda, double *w, double *work, const blasint *lwork, blasint *info,
                   size_t jobz_length, size_t uplo_length);

#define LAPACK_DPOTRF(...) dpotrf_(__VA_ARGS__, 1)
#define LAPACK_DTRTRI(...) dtrtri_(__VA_ARGS__, 1, 1)
#define LAPACK_DGESVD(...) dgesvd_(__VA_ARGS__, 1, 1)
#define LAPACK_DSYEV(...) dsyev_(__VA_ARGS__, 1, 1)

#endif
