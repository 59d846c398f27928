/* b is packed into panels that the kernel reads from end to end; a is read where it lies if its
 * rows run along the inner index, and packed too if they run across. */
#include "linalg/product.h"

#include <string.h>

#include "base/team.h"
#include "linalg/kernel.h"

enum {
    TILES = 4,        /* enough for four cores; more of them cost packing */
    WIDE = 128,       /* narrower outputs are cut by rows */
    BLOCK_ROWS = 256, /* tall outputs: rows of one tile */
    TILE = DECANT__PRODUCT_TILE,
    /* Steps of the inner index for which a tile of b is packed: it fits the second-level cache. */
    DEPTH = DECANT__PRODUCT_PACKED / TILE
};

/* pack_rows writes up to 16 floats too many. */
_Static_assert((DECANT__PRODUCT_DEEPEST * TILE) + 16 <= DECANT__PRODUCT_PACKED, "packed rows");

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static size_t step_for(size_t extent, size_t tiles) {
    size_t step = (extent + tiles - 1) / tiles;
    return (step + DECANT__PANEL - 1) / DECANT__PANEL * DECANT__PANEL;
}

/* All tiles of one size, the last perhaps smaller. */
static decant__grid cut_evenly(size_t rows, size_t columns, int by_rows, size_t step,
                               float *scratch) {
    size_t extent = by_rows ? rows : columns, count = (extent + step - 1) / step;
    return (decant__grid){.rows = rows,
                          .columns = columns,
                          .by_rows = by_rows,
                          .step = step,
                          .whole = count,
                          .count = count,
                          .scratch = scratch};
}

/* Tiles of the kernel's own size; what would be the last two or three are cut smaller. */
static decant__grid cut_finely(size_t rows, size_t columns, int by_rows, float *scratch) {
    decant__grid grid = cut_evenly(rows, columns, by_rows, TILE, scratch);
    size_t extent = by_rows ? rows : columns, whole = extent / TILE;
    grid.whole = whole > 2 ? whole - 2 : 0;
    size_t rest = extent - grid.whole * TILE;
    grid.count = grid.whole + (rest + DECANT__PRODUCT_SMALL - 1) / DECANT__PRODUCT_SMALL;
    return grid;
}

static float *own_scratch(const decant__grid *grid) {
    return grid->scratch + decant__team_member() * DECANT__PRODUCT_SCRATCH;
}

decant__grid decant__grid_cut_rows(size_t rows, size_t columns, float *scratch) {
    return cut_finely(rows, columns, 1, scratch);
}

decant__grid decant__grid_cut_columns(size_t rows, size_t columns, float *scratch) {
    return cut_finely(rows, columns, 0, scratch);
}

decant__grid decant__grid_cut_weights(size_t rows, size_t columns, float *scratch) {
    if (rows <= TILE && columns > rows)
        return cut_evenly(rows, columns, 0, step_for(columns, 2 * TILES), scratch);
    return decant__grid_cut_rows(rows, columns, scratch);
}

decant__grid decant__grid_cut(size_t rows, size_t columns, float *scratch) {
    if (rows >= TILES * BLOCK_ROWS) return cut_evenly(rows, columns, 1, BLOCK_ROWS, scratch);
    if (columns < WIDE) return cut_evenly(rows, columns, 1, step_for(rows, TILES), scratch);
    return cut_finely(rows, columns, 0, scratch);
}

/* Where the large tile that is taken as number `index` lies: those that members have at the same
 * time are far apart. Neighbours have lines in common, at the end of each row of one, and two cores
 * that write them in step would take them from each other all the time. */
static size_t spread(size_t index, size_t whole) {
    size_t members = decant__team_members(), part = index % members;
    return part * (whole / members) + min(part, whole % members) + index / members;
}

/* The rows or columns of a tile; 0 of them: there is no such tile. */
static size_t grid_range(const decant__grid *grid, size_t index, size_t *begin) {
    if (index < grid->whole) index = spread(index, grid->whole);
    size_t extent = grid->by_rows ? grid->rows : grid->columns;
    size_t small = index < grid->whole ? 0 : index - grid->whole;
    size_t count = index < grid->whole ? grid->step : DECANT__PRODUCT_SMALL;
    *begin = min((index - small) * grid->step + small * DECANT__PRODUCT_SMALL, extent);
    return min(count, extent - *begin);
}

/* Members take tiles in turns. */
decant__tile decant__grid_tile(const decant__grid *grid, size_t index) {
    size_t begin, next, count = grid_range(grid, index, &begin);
    size_t next_count = grid_range(grid, index + decant__team_members(), &next);
    if (grid->by_rows) return (decant__tile){begin, count, 0, grid->columns, next, next_count};
    return (decant__tile){0, grid->rows, begin, count, next, next_count};
}

/* Steps p .. p+depth-1 of columns first .. first+width-1 of b, as panels. */
static void pack_tile(const decant__product *t, size_t p, size_t depth, size_t first, size_t width,
                      float *panels) {
    const decant__kernel *kernel = decant__kernel_in_use();
    for (size_t j = 0; j < width; j += DECANT__PANEL) {
        size_t at = first + j;
        const float *b =
            t->transposed ? t->b.x + at * t->b.stride + p : t->b.x + p * t->b.stride + at;
        kernel->pack(depth, min(width - j, DECANT__PANEL), b, t->b.stride, t->transposed,
                     panels + j * depth);
    }
}

/* The steps of b that come after p .. p+depth-1 of the tile at `first`. */
static decant__strip strip_after(const decant__product *t, size_t p, size_t depth, size_t first) {
    size_t stride = t->b.stride, width = min(t->n - first, TILE), from = p + depth;
    const float *b = t->b.x;
    if (from == t->k) {
        from = 0;
        first += width;
        width = min(t->n - first, TILE);
        if (first == t->n) {
            b = t->next;
            first = 0;
            width = min(t->next_n, TILE);
        }
    }
    if (b == NULL || t->k == 0) return (decant__strip){0};
    size_t steps = min(t->k - from, DEPTH);
    if (t->packed)
        return (decant__strip){b + first * t->k + from * DECANT__PANEL,
                               (width + DECANT__PANEL - 1) / DECANT__PANEL, steps * DECANT__PANEL,
                               t->k * DECANT__PANEL, 0};
    if (t->transposed) return (decant__strip){b + first * stride + from, width, steps, stride, 0};
    return (decant__strip){b + from * stride + first, steps, width, stride, 0};
}

void decant__product_run(const decant__product *t, float *scratch) {
    const decant__kernel *kernel = decant__kernel_in_use();
    for (size_t first = 0; first < t->n; first += TILE) {
        size_t width = min(t->n - first, TILE), p = 0;
        do {
            size_t depth = min(t->k - p, DEPTH);
            decant__tile_product tile = {.m = t->m,
                                         .n = width,
                                         .k = depth,
                                         .a = t->a.x + p,
                                         .a_stride = t->a.stride,
                                         .b = scratch,
                                         .panel_stride = depth * DECANT__PANEL,
                                         .c = t->c + first,
                                         .c_stride = t->stride,
                                         .relu = t->relu && p + depth == t->k,
                                         .soon = {strip_after(t, p, depth, first)}};
            if (p > 0) {
                tile.init = tile.c;
                tile.init_stride = t->stride;
            } else if (t->bias != NULL) {
                tile.init = t->bias + first;
            }
            if (t->ahead != NULL && p + depth == t->k)
                tile.soon[1] = (decant__strip){t->ahead + first, t->m, width, t->stride, 0};
            if (t->packed) {
                tile.b = t->b.x + first * t->k + p * DECANT__PANEL;
                tile.panel_stride = t->k * DECANT__PANEL;
            } else {
                pack_tile(t, p, depth, first, width, scratch);
            }
            kernel->product(&tile);
            p += depth;
        } while (p < t->k);
    }
}

static float *corner(const decant__grid *grid, decant__tile tile, float *out) {
    return out + tile.row * grid->columns + tile.column;
}

/* b is given by the caller. */
static decant__product product_of(const decant__grid *grid, decant__tile tile, size_t inner,
                                  const float *a, float *out) {
    return (decant__product){.m = tile.rows,
                             .n = tile.columns,
                             .k = inner,
                             .a = {a + tile.row * inner, inner},
                             .c = corner(grid, tile, out),
                             .stride = grid->columns};
}

static void set_next(decant__product *product, const float *b, size_t n) {
    if (n == 0) return;
    product->next = b;
    product->next_n = n;
}

void decant__product_nn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const float *bias, int relu, float *out) {
    decant__product product = product_of(grid, tile, inner, a, out);
    product.b = (decant__matrix){b + tile.column, grid->columns};
    if (!grid->by_rows) set_next(&product, b + tile.next, tile.next_count);
    product.bias = bias != NULL ? bias + tile.column : NULL;
    product.relu = relu;
    decant__product_run(&product, own_scratch(grid));
}

void decant__product_panels(const decant__grid *grid, decant__tile tile, size_t inner,
                            const float *a, const float *panels, const float *bias, int relu,
                            float *out) {
    decant__product product = product_of(grid, tile, inner, a, out);
    product.b = (decant__matrix){panels + tile.column * inner, 0};
    product.packed = 1;
    if (!grid->by_rows) set_next(&product, panels + tile.next * inner, tile.next_count);
    product.bias = bias != NULL ? bias + tile.column : NULL;
    product.relu = relu;
    decant__product_run(&product, own_scratch(grid));
}

void decant__product_nt(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const float *ahead, float *out) {
    decant__product product = product_of(grid, tile, inner, a, out);
    product.b = (decant__matrix){b + tile.column * inner, inner};
    if (!grid->by_rows) set_next(&product, b + tile.next * inner, tile.next_count);
    product.transposed = 1;
    if (ahead != NULL) product.ahead = ahead + (product.c - out);
    decant__product_run(&product, own_scratch(grid));
}

size_t decant__product_pack_size(size_t inner, size_t columns) {
    return inner * ((columns + DECANT__PANEL - 1) / DECANT__PANEL) * DECANT__PANEL;
}

void decant__product_pack(size_t inner, size_t columns, const float *b, float *packed) {
    const decant__kernel *kernel = decant__kernel_in_use();
    TEAM_FOR (panel, (columns + DECANT__PANEL - 1) / DECANT__PANEL) {
        size_t j = panel * DECANT__PANEL;
        kernel->pack(inner, min(columns - j, DECANT__PANEL), b + j, columns, 0, packed + j * inner);
    }
}

void decant__product_pack_tile(decant__tile tile, size_t inner, size_t columns, const float *b,
                               float *packed) {
    const decant__kernel *kernel = decant__kernel_in_use();
    for (size_t j = tile.column, end = j + tile.columns; j < end; j += DECANT__PANEL)
        kernel->pack(tile.rows, min(end - j, DECANT__PANEL), b + tile.row * columns + j, columns, 0,
                     packed + j * inner + tile.row * DECANT__PANEL);
}

void decant__product_tn_begin(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *a) {
    decant__kernel_in_use()->pack_rows(tile.rows, inner, a + tile.row, grid->rows,
                                       own_scratch(grid));
}

void decant__product_tn_piece(const decant__grid *grid, decant__tile tile, size_t inner,
                              const float *b, const decant__sum_tree *tree,
                              const float *const ahead[3], float *out, size_t stride) {
    const decant__kernel *kernel = decant__kernel_in_use();
    decant__tile_product piece = {.m = tile.rows,
                                  .n = tile.columns,
                                  .k = inner,
                                  .a = own_scratch(grid),
                                  .a_stride = inner * kernel->rows,
                                  .a_packed = 1,
                                  .b = b + tile.column * inner,
                                  .panel_stride = inner * DECANT__PANEL,
                                  .c = out,
                                  .c_stride = stride,
                                  .tree = tree};
    for (int x = 0; x < DECANT__STRIPS && ahead[x] != NULL; x++)
        piece.soon[x] = (decant__strip){ahead[x] + tile.row * grid->columns + tile.column,
                                        tile.rows, tile.columns, grid->columns, 1};
    kernel->product(&piece);
}

/* A chain over the steps from .. to-1 of a tile of at most TILE rows. */
static void chain_tn(const decant__grid *grid, decant__tile tile, size_t inner, size_t from,
                     size_t to, const float *a, const float *b, float *out, size_t stride) {
    const decant__kernel *kernel = decant__kernel_in_use();
    float *packed = own_scratch(grid);
    for (size_t p = from, depth; p < to || p == from; p += depth) {
        depth = min(to - p, DECANT__PRODUCT_DEEPEST);
        decant__tile_product piece = {.m = tile.rows,
                                      .n = tile.columns,
                                      .k = depth,
                                      .a = packed,
                                      .a_stride = depth * kernel->rows,
                                      .a_packed = 1,
                                      .b = b + tile.column * inner + p * DECANT__PANEL,
                                      .panel_stride = inner * DECANT__PANEL,
                                      .c = out,
                                      .c_stride = stride};
        if (p > from) {
            piece.init = piece.c;
            piece.init_stride = piece.c_stride;
        }
        kernel->pack_rows(tile.rows, depth, a + p * grid->rows + tile.row, grid->rows, packed);
        kernel->product(&piece);
        if (depth == 0) break;
    }
}

static void add_piece(decant__tile tile, const float *left, float *right, size_t stride) {
    for (size_t i = 0; i < tile.rows; i++)
        for (size_t j = 0; j < tile.columns; j++)
            right[i * stride + j] = left[i * DECANT__PRODUCT_PIECE + j] + right[i * stride + j];
}

static void keep_piece(decant__tile tile, const float *sum, size_t stride, float *left) {
    for (size_t i = 0; i < tile.rows; i++)
        memcpy(left + i * DECANT__PRODUCT_PIECE, sum + i * stride, tile.columns * sizeof *left);
}

/* A tree over more steps than are packed at a time, for a piece of a tile. */
static void deep_tree(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                      const float *b, const decant__sum_tree *tree, float *out) {
    enum { SIZE = TILE * DECANT__PRODUCT_PIECE };
    float *left = own_scratch(grid) + DECANT__PRODUCT_PACKED;
    size_t depth = 0, from = 0;
    for (size_t r = 0; r < tree->runs; r++) {
        chain_tn(grid, tile, inner, from, tree->end[r], a, b, out, grid->columns);
        from = tree->end[r];
        for (int m = 0; m < tree->merges[r]; m++)
            add_piece(tile, left + --depth * SIZE, out, grid->columns);
        if (r + 1 < tree->runs) keep_piece(tile, out, grid->columns, left + depth++ * SIZE);
    }
}

static void product_tn_rows(const decant__grid *grid, decant__tile tile, size_t inner,
                            const float *a, const float *b, const decant__sum_tree *tree,
                            float *out) {
    static const float *const none[3];
    size_t end = tile.column + tile.columns, width = DECANT__PRODUCT_PIECE;
    if (tree == NULL) {
        chain_tn(grid, tile, inner, 0, inner, a, b, corner(grid, tile, out), grid->columns);
    } else if (inner <= DECANT__PRODUCT_DEEPEST) {
        decant__product_tn_begin(grid, tile, inner, a);
        decant__product_tn_piece(grid, tile, inner, b, tree, none, corner(grid, tile, out),
                                 grid->columns);
    } else {
        for (; tile.column < end; tile.column += width) {
            tile.columns = min(end - tile.column, width);
            deep_tree(grid, tile, inner, a, b, tree, corner(grid, tile, out));
        }
    }
}

void decant__product_tn(const decant__grid *grid, decant__tile tile, size_t inner, const float *a,
                        const float *b, const decant__sum_tree *tree, float *out) {
    size_t end = tile.row + tile.rows;
    for (; tile.row < end; tile.row += TILE) {
        tile.rows = min(end - tile.row, TILE);
        product_tn_rows(grid, tile, inner, a, b, tree, out);
    }
}
