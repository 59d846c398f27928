#include "linalg/team.h"

#include <cblas.h>
#include <omp.h>

int decant__team_size(int wish) { return wish > 0 ? wish : omp_get_num_procs(); }

/* OpenBLAS's OpenMP build asks omp_get_max_threads() of the calling thread; inside a team of two or
 * more it is single-threaded anyway, but a team of one does not count as a team. */
int decant__team_enter(void) {
    int saved = omp_get_max_threads();
    omp_set_num_threads(1);
    return saved;
}

void decant__team_leave(int saved) { omp_set_num_threads(saved); }

const char *decant__team_blas(void) { return openblas_get_config(); }
const char *decant__team_blas_core(void) { return openblas_get_corename(); }
