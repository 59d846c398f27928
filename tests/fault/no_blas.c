/* Preloaded, ends the program where it calls BLAS, LAPACK or ARPACK: a default fit never does, so
 * that its bytes do not depend on which of them is installed. */
#include <stdio.h>
#include <stdlib.h>

#define REFUSE(name)                                       \
    void name(void);                                       \
    void name(void) {                                      \
        fprintf(stderr, "the program called " #name "\n"); \
        exit(99);                                          \
    }

REFUSE(cblas_sgemm)
REFUSE(cblas_dgemm)
REFUSE(cblas_dsyrk)
REFUSE(cblas_dtrmm)
REFUSE(cblas_dtrsm)
REFUSE(cblas_dtrsv)
REFUSE(dgesvd_)
REFUSE(dpotrf_)
REFUSE(dsyev_)
REFUSE(dtrtri_)
REFUSE(dsaupd_c)
REFUSE(dseupd_c)
