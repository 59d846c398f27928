/* Matrix products, cut into fixed tiles.
 *
 * A tile is one single-threaded sgemm call. The cuts depend on the shape only, never on the number
 * of threads, so the result is the same bytes however many threads share the tiles. Measured on the
 * autoencoder 784-500-500-2000-10 and back, batch 256, 2 cores: 31 ms in 4 tiles a product against
 * 31 to 40 ms for plain calls with OpenBLAS's own threads. */
#ifndef DECANT_LINALG_PRODUCT_H
#define DECANT_LINALG_PRODUCT_H

#include <stddef.h>

/* A product's output, cut into tiles of whole rows or of whole columns. */
typedef struct decant__grid {
    size_t rows, columns;
    size_t row_step, column_step;
    size_t column_tiles, count;
} decant__grid;

typedef struct decant__tile {
    size_t row, rows, column, columns;
} decant__tile;

/* For x * w: few rows and many columns are cut by columns, so that the larger factor, w, is packed
 * once; narrow or tall outputs are cut by rows. */
decant__grid decant__grid_cut(size_t rows, size_t columns);

/* Tiles of whole rows only: each is a contiguous piece of the output. */
decant__grid decant__grid_cut_rows(size_t rows, size_t columns);

decant__tile decant__grid_tile(const decant__grid *grid, size_t index);

/* One tile of out (rows x columns of the grid) = a * b, all row-major:
 *   nn: a is rows x inner,  b is inner x columns
 *   nt: a is rows x inner,  b is columns x inner
 *   tn: a is inner x rows,  b is inner x columns */
void decant__product_nn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);
void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);
void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out);

#endif
