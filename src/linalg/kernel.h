/* Products of one tile on cores with AVX2 and FMA but without AVX-512, where this is faster than
 * OpenBLAS: a tile is written once, without a pass that clears it first, and only the right factor
 * is copied (packed), so that small tiles cost no more than large ones. On one core of a Zen 3, for
 * the products of the autoencoder 784-500-500-2000-10, batch 256: 54 ms in tiles of 96 columns
 * against 59 ms in OpenBLAS calls for tiles of a quarter, 55 ms in calls for whole matrices. */
#ifndef DECANT_LINALG_KERNEL_H
#define DECANT_LINALG_KERNEL_H

#include <stddef.h>

/* Rows or columns of a tile that the kernel works on at a time: whole blocks of 6 x 16 both ways.
 */
#define DECANT__KERNEL_TILE 48

/* Columns of a packed panel. */
#define DECANT__KERNEL_PANEL 16

/* Floats that a product packs its factor into. */
#define DECANT__KERNEL_SCRATCH (DECANT__KERNEL_TILE * 512)

/* Whether these are for this machine. */
int decant__kernel_usable(void);

/* A matrix, row-major: row i begins at x + i * stride. */
typedef struct decant__matrix {
    const float *x;
    size_t stride;
} decant__matrix;

/* c (m x n, rows `stride` apart) = a b, with a: m x k; b: k x n, or n x k if it is transposed.
 * scratch: DECANT__KERNEL_SCRATCH, of the calling thread. */
void decant__kernel_product(size_t m, size_t n, size_t k, decant__matrix a, decant__matrix b,
                            int transposed, float *c, size_t stride, float *scratch);

/* Packs at most 16 columns of b (k x n) into a panel, k x 16. */
void decant__kernel_pack(size_t k, size_t n, decant__matrix b, float *panel);

/* c (m x n, rows `stride` apart) = a^T b, with a: k x m; b: k x n in packed panels. */
void decant__kernel_transposed_product(size_t m, size_t n, size_t k, decant__matrix a,
                                       const float *panels, float *c, size_t stride,
                                       float *scratch);

#endif
