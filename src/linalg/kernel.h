/* The inner loops of all products, once for each kind of vector unit.
 *
 * Every element of a product is one chain of fused multiply-adds over the inner index, in order:
 *
 *     s = init;  for p = 0, 1, ..., k-1:  s = fma(a_ip, b_pj, s)
 *
 * Vectors only decide how many elements are made side by side, and a chain that is interrupted goes
 * on from the float that was stored. So the bits depend on the operands alone: not on the kernel,
 * the tile, the cuts of the inner index or the number of threads. A sparse row and the same row
 * with its zeros give the same bits, too.
 *
 * The kernel is chosen when it is first needed: the widest vectors that the processor has, or what
 * DECANT_KERNEL in the environment names (avx512, avx2, neon, plain). */
#ifndef DECANT_LINALG_KERNEL_H
#define DECANT_LINALG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Columns of a packed panel of b: inner x 16, row-major, missing columns filled up with 0. */
#define DECANT__PANEL 16

/* Rows of a packed panel of a, at most; inner x rows, row-major. */
#define DECANT__MAX_BLOCK_ROWS 8

/* A sum that is a binary tree of chains (linalg/shards.h): run r is a chain from 0 over the steps
 * end[r-1] .. end[r]-1 of the inner index, at least one; after it, merges[r] times, the last two
 * sums that are not merged yet are added. */
enum { DECANT__SHARD_LEVELS = 4, DECANT__SHARDS = 1 << DECANT__SHARD_LEVELS };
typedef struct decant__sum_tree {
    size_t runs; /* 0: the sum is 0 */
    size_t end[DECANT__SHARDS];
    unsigned char merges[DECANT__SHARDS];
} decant__sum_tree;

/* A part of a matrix: rows of at least one float. */
typedef struct decant__strip {
    const float *x;
    size_t rows, length, stride;
    int write; /* it will be written, too: no other core keeps it */
} decant__strip;

enum { DECANT__STRIPS = 3 };

/* A product c = init + a b of one tile. */
typedef struct decant__tile_product {
    size_t m, n, k;
    /* a: m x k. In place: element (i, p) is a[i * a_stride + p]. Packed: panels of kernel->rows
     * rows, each a_stride floats after the one before. */
    const float *a;
    size_t a_stride;
    int a_packed;
    /* b: panels, each panel_stride floats after the one before. */
    const float *b;
    size_t panel_stride;
    /* What the chains begin with: init[i * init_stride + j]; NULL: 0. It may be c itself. */
    const float *init;
    size_t init_stride;
    float *c;
    size_t c_stride;
    int relu;                     /* store max(s, 0) */
    const decant__sum_tree *tree; /* for a packed a and no init, at least one run; NULL: a chain */
    /* What will be needed after this tile: fetched into the cache on the way. No rows: nothing. */
    decant__strip soon[DECANT__STRIPS];
} decant__tile_product;

typedef struct decant__kernel {
    const char *name;
    size_t rows; /* of a packed panel of a */

    void (*product)(const decant__tile_product *t);

    /* y[j] = fma(value[e], w[index[e] * stride + j], y[j]) for e = 0 .. count-1 in order, j < n. */
    void (*add_rows)(size_t n, size_t count, const float *value, const uint32_t *index,
                     const float *w, size_t stride, float *y);

    /* y[j] = the sum over e of value[e] * w[row[e] * stride + j] by the tree, j < n. value NULL:
     * all are 1; row NULL: row[e] is e. */
    void (*sum_rows)(size_t n, const decant__sum_tree *tree, const float *value,
                     const uint32_t *row, const float *w, size_t stride, float *y);

    /* Panel of at most 16 columns of b, given by rows or (transposed) by columns; k x 16. */
    void (*pack)(size_t k, size_t n, const float *b, size_t stride, int transposed, float *panel);

    /* Panels of a's rows, given by columns: element (p, i) is a[p * stride + i]. out: one panel of
     * k x rows for each `rows` of m; it must have room for 16 floats more. */
    void (*pack_rows)(size_t m, size_t k, const float *a, size_t stride, float *out);
} decant__kernel;

/* The kernel in use. */
const decant__kernel *decant__kernel_in_use(void);

/* By name; NULL: not known, not in this build, or not for this processor. */
const decant__kernel *decant__kernel_named(const char *name);

/* DECANT_EINVAL: DECANT_KERNEL names a kernel that this processor or build has not. */
decant_status decant__kernel_check(void);

/* Tests: use this one from now on; NULL: choose again. Not while products are computed. */
void decant__kernel_use(const decant__kernel *kernel);

/* One for each file kernel_*.c; NULL where the build has no such vectors. */
const decant__kernel *decant__kernel_avx512(void);
const decant__kernel *decant__kernel_avx2(void);
const decant__kernel *decant__kernel_neon(void);
const decant__kernel *decant__kernel_plain(void);

#endif
