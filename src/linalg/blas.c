#include "linalg/blas.h"

#include <cblas.h>
#include <stdatomic.h>
#include <sys/mman.h>

const char *decant__blas_config(void) { return openblas_get_config(); }
const char *decant__blas_core(void) { return openblas_get_corename(); }

/* Products are cut into pieces for our own threads (base/team.h): each call is for one thread. */
#if defined(__GNUC__)
__attribute__((constructor)) static void use_one_thread(void) { openblas_set_num_threads(1); }
#endif

/* What OpenBLAS maps for each thread that calls it at the same time, and keeps. */
enum { BUFFER_BYTES = 128 << 20 };

/* Not in its headers, but exported by all its builds. */
#if defined(__GNUC__)
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));
#endif

/* Takes `count` buffers at once, so that there are as many. */
static void make_buffers(int count) {
#if defined(__GNUC__)
    if (count == 0 || blas_memory_alloc == NULL || blas_memory_free == NULL) return;
    void *buffer = blas_memory_alloc(0);
    make_buffers(count - 1);
    blas_memory_free(buffer);
#else
    (void)count;
#endif
}

decant_status decant__blas_begin(int threads) {
    static atomic_int made;
    enum { MAX_BUFFERS = 64 }; /* more are not kept by all builds */
    int count = threads < MAX_BUFFERS ? threads : MAX_BUFFERS;
    if (count <= atomic_load(&made)) return DECANT_OK;
    size_t bytes = (size_t)count * BUFFER_BYTES;
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED)
        return decant__fail(DECANT_ENOMEM,
                            "OpenBLAS needs %zu MB of address space for %d threads, and the limit "
                            "on it (ulimit -v) leaves less: raise the limit or use fewer threads",
                            bytes >> 20, count);
    munmap(probe, bytes);
    make_buffers(count);
    atomic_store(&made, count);
    return DECANT_OK;
}
