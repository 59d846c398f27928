/* OpenBLAS: which one is at work, and what must be so before it is called. */
#ifndef DECANT_LINALG_BLAS_H
#define DECANT_LINALG_BLAS_H

#include "base/status.h"

/* Its build, and for which kind of core: another one may round differently. */
const char *decant__blas_config(void);
const char *decant__blas_core(void);

/* To be called before work that `threads` threads do: DECANT_ENOMEM if there is no address space
 * for OpenBLAS's buffers, for which it would wait for ever. */
decant_status decant__blas_begin(int threads);

#endif
