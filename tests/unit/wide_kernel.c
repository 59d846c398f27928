/* The register block of the AVX-512 kernel in plain C: its loops are tested on any processor. */
#include "wide_kernel.h"

#define BLOCK_ROWS 8
#define BLOCK_PANELS 3
#define KERNEL_NAME "wide"
#define KERNEL_GET wide_kernel

#include "linalg/kernel_plain.c"
