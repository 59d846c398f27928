/* OpenBLAS maps buffers while the program is loaded. If a limit on address space (ulimit -v) is too
 * low for them, it loops for ever, before main. So this is checked before the libraries are
 * initialised. */
#if defined(__linux__) && defined(__GNUC__) && !defined(DECANT_SANITIZED)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    THREAD_MEGABYTES = 128 + 8 + 1, /* of one OpenBLAS thread: a buffer, a stack, and their pages */
    MAX_THREADS = 64,
    REST_MEGABYTES = 16 /* for everything else before main */
};

/* As OpenBLAS counts its threads. */
static long count_threads(char **environment) {
    static const char *const names[] = {
        "OPENBLAS_NUM_THREADS=", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="};
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 2; i >= 0; i--)
        for (char **entry = environment; *entry != NULL; entry++) {
            size_t length = strlen(names[i]);
            if (strncmp(*entry, names[i], length) != 0) continue;
            long requested = strtol(*entry + length, NULL, 10);
            if (requested > 0 && requested < threads) threads = requested;
        }
    return threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
}

static void check_address_space(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    char sentence[256];
    long megabytes = REST_MEGABYTES + (count_threads(environment) - 1) * THREAD_MEGABYTES;
    size_t bytes = (size_t)megabytes << 20;
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe != MAP_FAILED) {
        munmap(probe, bytes);
        return;
    }
    int length = snprintf(sentence, sizeof sentence,
                          "decant: the limit on address space (ulimit -v) is too low: OpenBLAS "
                          "needs %ld MB more to start; raise it, or try OPENBLAS_NUM_THREADS=1\n",
                          megabytes);
    if (write(STDERR_FILENO, sentence, (size_t)length) < 0) _exit(1);
    _exit(1);
}

/* Called before the libraries' own constructors. */
__attribute__((section(".preinit_array"),
               used)) static void (*const before)(int, char **, char **) = check_address_space;
#endif
