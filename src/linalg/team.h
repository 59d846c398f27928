/* Threads. One OpenMP team, opened by whoever owns a loop:
 *
 *     int threads = decant__team_size(options->threads);
 *     int saved = decant__team_enter();
 *     #pragma omp parallel num_threads(threads)
 *     { ... functions marked "for a whole team" ... }
 *     decant__team_leave(saved);
 *
 * Functions marked "for a whole team" hold orphaned `omp for` loops over fixed pieces of work:
 * called by every thread of a team they share it, called outside a team they do it alone, and the
 * result is the same bytes. Between enter and leave BLAS calls are single-threaded: the pieces are
 * ours. */
#ifndef DECANT_LINALG_TEAM_H
#define DECANT_LINALG_TEAM_H

/* Threads to use: the wish, or all cores if it is 0. */
int decant__team_size(int wish);

/* Makes BLAS single-threaded on this thread and gives back what leave needs to undo it. */
int decant__team_enter(void);
void decant__team_leave(int saved);

/* Which OpenBLAS is at work, and for which kind of core: another one may round differently. */
const char *decant__team_blas(void);
const char *decant__team_blas_core(void);

#endif
