#include "linalg/kernel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Widest first. plain is always there. */
static const struct {
    const char *name;
    const decant__kernel *(*get)(void);
} kernels[] = {{"avx512", decant__kernel_avx512},
               {"avx2", decant__kernel_avx2},
               {"neon", decant__kernel_neon},
               {"plain", decant__kernel_plain}};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Two threads that choose at once choose the same. */
static _Atomic(const decant__kernel *) chosen;
static atomic_int by_name;

const decant__kernel *decant__kernel_named(const char *name) {
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0) return kernels[i].get();
    return NULL;
}

static const decant__kernel *choose_kernel(void) {
    const char *name = getenv("DECANT_KERNEL");
    const decant__kernel *kernel = name != NULL ? decant__kernel_named(name) : NULL;
    atomic_store(&by_name, kernel != NULL);
    for (size_t i = 0; i < KERNELS && kernel == NULL; i++) kernel = kernels[i].get();
    return kernel;
}

const decant__kernel *decant__kernel_in_use(void) {
    const decant__kernel *kernel = atomic_load_explicit(&chosen, memory_order_acquire);
    if (kernel != NULL) return kernel;
    kernel = choose_kernel();
    atomic_store_explicit(&chosen, kernel, memory_order_release);
    return kernel;
}

const char *decant__kernel_reason(void) {
    decant__kernel_in_use();
    return atomic_load(&by_name) ? "named by DECANT_KERNEL"
                                 : "the widest vectors of this processor that decant knows";
}

void decant__kernel_use(const decant__kernel *kernel) { atomic_store(&chosen, kernel); }
