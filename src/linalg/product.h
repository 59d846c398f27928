/* Matrix products, cut into fixed tiles.
 *
 * A tile is one call of our own kernel (linalg/kernel.h) or, on cores that it is not made for, one
 * single-threaded sgemm call. The cuts depend on the shape only, never on the number of threads, so
 * the result is the same bytes however many threads share the tiles. */
#ifndef DECANT_LINALG_PRODUCT_H
#define DECANT_LINALG_PRODUCT_H

#include <stddef.h>

/* A product's output, cut into tiles of whole rows or of whole columns. */
typedef struct decant__grid {
    size_t rows, columns;
    size_t row_step, column_step;
    size_t column_tiles, count;
    float *scratch; /* threads x DECANT__PRODUCT_SCRATCH */
} decant__grid;

/* Floats of scratch that a product needs for each thread of the team. */
enum { DECANT__PRODUCT_SCRATCH = 48 * 512 };

typedef struct decant__tile {
    size_t row, rows, column, columns;
} decant__tile;

/* For x * w: few rows and many columns are cut by columns, so that the larger factor, w, is packed
 * once; narrow or tall outputs are cut by rows. */
decant__grid decant__grid_cut(size_t rows, size_t columns, float *scratch);

/* Tiles of whole rows only: each is a contiguous piece of the output. */
decant__grid decant__grid_cut_rows(size_t rows, size_t columns, float *scratch);

decant__tile decant__grid_tile(const decant__grid *grid, size_t index);

/* One tile of out (rows x columns of the grid) = a * b, all row-major:
 *   nn: a is rows x inner,  b is inner x columns
 *   nt: a is rows x inner,  b is columns x inner
 *   tn: a is inner x rows,  b is inner x columns, as decant__product_pack gives it */
void decant__product_nn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);
void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);
void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);

/* tn into an array of the tile's own, rows `stride` apart. */
void decant__product_tn_apart(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *a, const float *b, float *out, size_t stride);

/* For a whole team: b (inner x columns) in the form that tn takes, for all tiles; it may be b
 * itself. packed: decant__product_pack_size floats. */
const float *decant__product_pack(size_t inner, size_t columns, const float *b, float *packed);
size_t decant__product_pack_size(size_t inner, size_t columns);

#endif
