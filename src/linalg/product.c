#include "linalg/product.h"

#include <cblas.h>

enum {
    TILES = 4,       /* enough for four cores; more of them cost packing */
    KERNEL = 16,     /* tile edges on multiples of the kernel's width */
    WIDE = 128,      /* narrower outputs are cut by rows */
    BLOCK_ROWS = 256 /* tall outputs: rows of one tile */
};

static size_t step_for(size_t extent, size_t tiles) {
    size_t step = (extent + tiles - 1) / tiles;
    return (step + KERNEL - 1) / KERNEL * KERNEL;
}

static decant__grid make_grid(size_t rows, size_t columns, size_t row_step, size_t column_step) {
    decant__grid grid = {rows, columns, row_step, column_step, 0, 0};
    grid.column_tiles = (columns + column_step - 1) / column_step;
    grid.count = grid.column_tiles * ((rows + row_step - 1) / row_step);
    return grid;
}

decant__grid decant__grid_cut_rows(size_t rows, size_t columns) {
    return make_grid(rows, columns, step_for(rows, TILES), columns);
}

decant__grid decant__grid_cut(size_t rows, size_t columns) {
    if (rows >= TILES * BLOCK_ROWS) return make_grid(rows, columns, BLOCK_ROWS, columns);
    if (columns < WIDE) return decant__grid_cut_rows(rows, columns);
    return make_grid(rows, columns, rows, step_for(columns, TILES));
}

decant__tile decant__grid_tile(const decant__grid *grid, size_t index) {
    decant__tile tile;
    tile.row = index / grid->column_tiles * grid->row_step;
    tile.column = index % grid->column_tiles * grid->column_step;
    tile.rows = grid->rows - tile.row < grid->row_step ? grid->rows - tile.row : grid->row_step;
    tile.columns = grid->columns - tile.column < grid->column_step ? grid->columns - tile.column
                                                                   : grid->column_step;
    return tile;
}

static float *corner(const decant__grid *grid, decant__tile tile, float *out) {
    return out + tile.row * grid->columns + tile.column;
}

void decant__product_nn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)tile.rows,
                (blasint)tile.columns, (blasint)inner, 1.0F, a + tile.row * inner, (blasint)inner,
                b + tile.column, (blasint)grid->columns, 0.0F, corner(grid, tile, out),
                (blasint)grid->columns);
}

void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)tile.rows, (blasint)tile.columns,
                (blasint)inner, 1.0F, a + tile.row * inner, (blasint)inner, b + tile.column * inner,
                (blasint)inner, 0.0F, corner(grid, tile, out), (blasint)grid->columns);
}

void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out) {
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)tile.rows, (blasint)tile.columns,
                (blasint)inner, 1.0F, a + tile.row, (blasint)grid->rows, b + tile.column,
                (blasint)grid->columns, 0.0F, corner(grid, tile, out), (blasint)grid->columns);
}
