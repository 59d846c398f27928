#include "linalg/product.h"

#include <cblas.h>

#include "base/team.h"
#include "linalg/kernel.h"

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

_Static_assert(DECANT__PRODUCT_SCRATCH >= DECANT__KERNEL_SCRATCH, "scratch of the kernel");

static decant__grid make_grid(size_t rows, size_t columns, size_t row_step, size_t column_step,
                              float *scratch) {
    decant__grid grid = {.rows = rows,
                         .columns = columns,
                         .row_step = row_step,
                         .column_step = column_step,
                         .scratch = scratch};
    grid.column_tiles = (columns + column_step - 1) / column_step;
    grid.count = grid.column_tiles * ((rows + row_step - 1) / row_step);
    return grid;
}

/* Small tiles stay in the cache for what follows the product, and balance better; OpenBLAS packs
 * too much for them. */
static size_t fine_step(size_t extent) {
    return decant__kernel_usable() ? DECANT__KERNEL_TILE : step_for(extent, TILES);
}

static float *own_scratch(const decant__grid *grid) {
    return grid->scratch + decant__team_member() * DECANT__PRODUCT_SCRATCH;
}

decant__grid decant__grid_cut_rows(size_t rows, size_t columns, float *scratch) {
    return make_grid(rows, columns, fine_step(rows), columns, scratch);
}

decant__grid decant__grid_cut(size_t rows, size_t columns, float *scratch) {
    if (rows >= TILES * BLOCK_ROWS) return make_grid(rows, columns, BLOCK_ROWS, columns, scratch);
    if (columns < WIDE) return make_grid(rows, columns, step_for(rows, TILES), columns, scratch);
    return make_grid(rows, columns, rows, fine_step(columns), scratch);
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
    if (decant__kernel_usable()) {
        decant__kernel_product(tile.rows, tile.columns, inner,
                               (decant__matrix){a + tile.row * inner, inner},
                               (decant__matrix){b + tile.column, grid->columns}, 0,
                               corner(grid, tile, out), grid->columns, own_scratch(grid));
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)tile.rows,
                (blasint)tile.columns, (blasint)inner, 1.0F, a + tile.row * inner, (blasint)inner,
                b + tile.column, (blasint)grid->columns, 0.0F, corner(grid, tile, out),
                (blasint)grid->columns);
}

void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out) {
    if (decant__kernel_usable()) {
        decant__kernel_product(tile.rows, tile.columns, inner,
                               (decant__matrix){a + tile.row * inner, inner},
                               (decant__matrix){b + tile.column * inner, inner}, 1,
                               corner(grid, tile, out), grid->columns, own_scratch(grid));
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)tile.rows, (blasint)tile.columns,
                (blasint)inner, 1.0F, a + tile.row * inner, (blasint)inner, b + tile.column * inner,
                (blasint)inner, 0.0F, corner(grid, tile, out), (blasint)grid->columns);
}

size_t decant__product_pack_size(size_t inner, size_t columns) {
    return inner * ((columns + DECANT__KERNEL_PANEL - 1) / DECANT__KERNEL_PANEL) *
           DECANT__KERNEL_PANEL;
}

const float *decant__product_pack(size_t inner, size_t columns, const float *b, float *packed) {
    if (!decant__kernel_usable()) return b;
    TEAM_FOR (panel, (columns + DECANT__KERNEL_PANEL - 1) / DECANT__KERNEL_PANEL) {
        size_t j = panel * DECANT__KERNEL_PANEL;
        size_t width = columns - j < DECANT__KERNEL_PANEL ? columns - j : DECANT__KERNEL_PANEL;
        decant__kernel_pack(inner, width, (decant__matrix){b + j, columns}, packed + j * inner);
    }
    return packed;
}

void decant__product_tn_apart(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *a, const float *b, float *out, size_t stride) {
    if (decant__kernel_usable()) {
        decant__kernel_transposed_product(tile.rows, tile.columns, inner,
                                          (decant__matrix){a + tile.row, grid->rows},
                                          b + tile.column * inner, out, stride, own_scratch(grid));
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)tile.rows, (blasint)tile.columns,
                (blasint)inner, 1.0F, a + tile.row, (blasint)grid->rows, b + tile.column,
                (blasint)grid->columns, 0.0F, out, (blasint)stride);
}

void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, float *out) {
    decant__product_tn_apart(grid, tile, inner, a, b, corner(grid, tile, out), grid->columns);
}
