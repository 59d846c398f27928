#include "linalg/kernel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decant/report.h"

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

const decant__kernel *decant__kernel_named(const char *name) {
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0) return kernels[i].get();
    return NULL;
}

/* What the environment asks for; NULL: nothing. */
static const char *requested_name(void) {
    const char *name = getenv("DECANT_KERNEL");
    return name != NULL && *name != '\0' ? name : NULL;
}

static const decant__kernel *choose_kernel(void) {
    const char *name = requested_name();
    const decant__kernel *kernel = name != NULL ? decant__kernel_named(name) : NULL;
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

void decant__kernel_use(const decant__kernel *kernel) { atomic_store(&chosen, kernel); }

decant_status decant__kernel_check(void) {
    const char *name = requested_name();
    char known[64] = "";
    size_t length = 0;
    if (name == NULL || decant__kernel_named(name) != NULL) return DECANT_OK;
    for (size_t i = 0; i < KERNELS; i++) {
        if (kernels[i].get() == NULL) continue;
        snprintf(known + length, sizeof known - length, "%s%s", length > 0 ? ", " : "",
                 kernels[i].name);
        length = strlen(known);
    }
    return decant__fail(DECANT_EINVAL,
                        "DECANT_KERNEL is '%.20s', and this processor and build have: %s", name,
                        known);
}

const char *decant_kernel(const char **reason) {
    const decant__kernel *kernel = decant__kernel_in_use();
    const char *name = requested_name();
    if (reason != NULL)
        *reason = name == NULL ? "for the widest vectors of this processor"
                  : decant__kernel_named(name) == kernel
                      ? "named by DECANT_KERNEL"
                      : "as DECANT_KERNEL names none that is here";
    return kernel->name;
}
