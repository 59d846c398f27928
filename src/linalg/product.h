/* Matrix products, cut into tiles that the members of a team share.
 *
 * What a tile is does not matter to the result: an element is one chain of fused multiply-adds over
 * the inner index, or a tree of such chains (linalg/kernel.h), the same bits for every kernel, cut
 * and number of threads. */
#ifndef DECANT_LINALG_PRODUCT_H
#define DECANT_LINALG_PRODUCT_H

#include "linalg/kernel.h"

/* A product's output, cut into tiles of whole rows or of whole columns. The last ones are small, so
 * that the members of a team that takes them one by one finish at about the same time. */
typedef struct decant__grid {
    size_t rows, columns;
    int by_rows;  /* what is cut: the rows, else the columns */
    size_t step;  /* rows or columns of a tile */
    size_t whole; /* tiles of that size; those after it have DECANT__PRODUCT_SMALL */
    size_t count;
    float *scratch; /* threads x DECANT__PRODUCT_SCRATCH */
} decant__grid;

enum {
    /* Rows or columns of a tile: whole register blocks of every kernel. */
    DECANT__PRODUCT_TILE = 48,
    DECANT__PRODUCT_SMALL = 32,
    /* Columns of a piece of a tile. */
    DECANT__PRODUCT_PIECE = 96,
    /* Floats of scratch that a product needs for each thread of the team: packed rows or columns,
     * and sums that wait in a tree. */
    DECANT__PRODUCT_PACKED = DECANT__PRODUCT_TILE * 528,
    DECANT__PRODUCT_SCRATCH =
        DECANT__PRODUCT_PACKED + DECANT__SHARD_LEVELS * DECANT__PRODUCT_TILE * DECANT__PRODUCT_PIECE
};

typedef struct decant__tile {
    size_t row, rows, column, columns;
    /* The rows or columns that this member of the team probably has next; 0 of them: none. */
    size_t next, next_count;
} decant__tile;

/* For x * w: few rows and many columns are cut by columns, so that the larger factor, w, is packed
 * once; narrow or tall outputs are cut by rows. */
decant__grid decant__grid_cut(size_t rows, size_t columns, float *scratch);

/* Tiles of whole rows only: each is a contiguous piece of the output. Or of whole columns only. */
decant__grid decant__grid_cut_rows(size_t rows, size_t columns, float *scratch);
decant__grid decant__grid_cut_columns(size_t rows, size_t columns, float *scratch);

/* For tn: tiles of whole rows, but where all rows are one tile, of columns. */
decant__grid decant__grid_cut_weights(size_t rows, size_t columns, float *scratch);

decant__tile decant__grid_tile(const decant__grid *grid, size_t index);

/* A matrix, row-major: row i begins at x + i * stride. */
typedef struct decant__matrix {
    const float *x;
    size_t stride;
} decant__matrix;

/* c (m x n, rows `stride` apart) = a b, with a: m x k; b: k x n, or n x k if it is transposed.
 * bias: n numbers that the sums begin with, or NULL. relu: c = max(c, 0). scratch:
 * DECANT__PRODUCT_SCRATCH floats of the calling thread. */
typedef struct decant__product {
    size_t m, n, k;
    decant__matrix a, b;
    int transposed;
    const float *bias;
    int relu;
    float *c;
    size_t stride;
    const float *ahead; /* an array like c that is used next: prefetched; NULL: none */
    int packed;         /* b is what decant__product_pack made of it */
    const float *next;  /* where b of the next product begins, which is prefetched; NULL: unknown */
    size_t next_n;      /* and its n */
} decant__product;

void decant__product_run(const decant__product *product, float *scratch);

/* One tile of out (rows x columns of the grid) = a * b, all row-major:
 *   nn: a is rows x inner,  b is inner x columns; bias and relu as above
 *   panels: the same, with b as decant__product_pack gives it
 *   nt: a is rows x inner,  b is columns x inner; ahead as above
 *   tn: a is inner x rows,  b is inner x columns, as decant__product_pack gives it; the sums are
 *       trees, or chains if tree is NULL */
void decant__product_nn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const float *bias, int relu, float *out);
void decant__product_panels(const decant__grid *grid, decant__tile tile, size_t inner,
                            const float *a, const float *panels, const float *bias, int relu,
                            float *out);
void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const float *ahead, float *out);
void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const decant__sum_tree *tree, float *out);

/* tn piece by piece, for a product that is used up at once: the rows of one tile of the grid, at
 * most DECANT__PRODUCT_TILE, are packed once, and their columns come in pieces. */
void decant__product_tn_begin(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *a);

/* Columns of the tile (a multiple of 16 from its begin) into an array of their own, rows `stride`
 * apart. ahead: up to three arrays, as large as the output, whose elements at the same places will
 * be used next; NULL beyond the last. inner: at most DECANT__PRODUCT_DEEPEST. */
void decant__product_tn_piece(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *b, const decant__sum_tree *tree,
                              const float *const ahead[3], float *out, size_t stride);
enum { DECANT__PRODUCT_DEEPEST = 520 };

/* For a whole team: packs b (inner x columns) for tn or panels, for all tiles. packed:
 * decant__product_pack_size floats. */
void decant__product_pack(size_t inner, size_t columns, const float *b, float *packed);
size_t decant__product_pack_size(size_t inner, size_t columns);

/* The part of `packed` that comes from a tile of b, whose columns begin at a multiple of 16 and end
 * at one or with b; not for a team. */
void decant__product_pack_tile(decant__tile tile, size_t inner, size_t columns, const float *b,
                               float *packed);

#endif
