#include "sample.h"

#include "linalg/product.h"
#include "base/team.h"

static const size_t extents[] = {1,   2,   3,   15,  16,  17,  64,   127,  128,  129,
                                 200, 255, 256, 257, 500, 784, 1023, 1024, 1025, 2000};
enum { EXTENTS = sizeof extents / sizeof extents[0] };

static void check_cover(const decant__grid *grid, unsigned char *seen) {
    memset(seen, 0, grid->rows * grid->columns);
    for (size_t t = 0; t < grid->count; t++) {
        decant__tile tile = decant__grid_tile(grid, t);
        assert_true(tile.rows > 0 && tile.columns > 0);
        assert_true(tile.row + tile.rows <= grid->rows);
        assert_true(tile.column + tile.columns <= grid->columns);
        assert_int_equal(tile.column % 8, 0); /* dropout's masks count on it */
        for (size_t i = tile.row; i < tile.row + tile.rows; i++)
            for (size_t j = tile.column; j < tile.column + tile.columns; j++)
                seen[i * grid->columns + j]++;
    }
    for (size_t i = 0; i < grid->rows * grid->columns; i++)
        if (seen[i] != 1) fail_msg("%zu x %zu: seen %d", grid->rows, grid->columns, seen[i]);
}

static void test_grid_tiles_cover_once(void **state) {
    (void)state;
    unsigned char *seen = malloc((size_t)2000 * 2000);
    for (size_t a = 0; a < EXTENTS; a++) {
        for (size_t b = 0; b < EXTENTS; b++) {
            if (extents[a] * extents[b] > 600000) continue;
            decant__grid grid = decant__grid_cut(extents[a], extents[b], NULL);
            check_cover(&grid, seen);
            grid = decant__grid_cut_rows(extents[a], extents[b], NULL);
            check_cover(&grid, seen);
            for (size_t t = 0; t < grid.count; t++)
                assert_int_equal(decant__grid_tile(&grid, t).columns, extents[b]);
        }
    }
    free(seen);
}

typedef void (*product)(const decant__grid *, decant__tile, size_t, const float *, const float *,
                        float *);

/* Where element (row, inner) of a and (inner, column) of b are stored. */
typedef struct form {
    product multiply;
    int a_transposed, b_transposed;
} form;

static const form forms[] = {
    {decant__product_nn, 0, 0}, {decant__product_nt, 0, 1}, {decant__product_tn, 1, 0}};

static double naive(const form *f, const float *a, const float *b, size_t rows, size_t columns,
                    size_t inner, size_t i, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < inner; c++) {
        float left = f->a_transposed ? a[c * rows + i] : a[i * inner + c];
        float right = f->b_transposed ? b[j * inner + c] : b[c * columns + j];
        sum += (double)left * (double)right;
    }
    return sum;
}

typedef struct tiled_product {
    const form *f;
    const decant__grid *grid;
    size_t inner;
    const float *a, *b;
    float *packed, *out;
} tiled_product;

static void multiply_tiles(void *context) {
    const tiled_product *p = context;
    const float *right = p->f->a_transposed
                             ? decant__product_pack(p->inner, p->grid->columns, p->b, p->packed)
                             : p->b;
    TEAM_FOR_DYNAMIC (t, p->grid->count, 1)
        p->f->multiply(p->grid, decant__grid_tile(p->grid, t), p->inner, p->a, right, p->out);
}

static void multiply_in_team(const form *f, const decant__grid *grid, size_t inner, const float *a,
                             const float *b, int threads, float *out) {
    float *packed = sample_new(5, 1, decant__product_pack_size(inner, grid->columns));
    tiled_product p = {f, grid, inner, a, b, packed, out};
    decant__team_run(threads, multiply_tiles, &p);
    free(packed);
}

static void check_product(const form *f, size_t rows, size_t columns, size_t inner) {
    float *a = sample_new(1, 1, rows * inner), *b = sample_new(2, 1, inner * columns);
    float *out = sample_new(3, 1, rows * columns), *again = sample_new(4, 1, rows * columns);
    float *scratch = sample_new(6, 1, 4 * DECANT__PRODUCT_SCRATCH);
    decant__grid grids[2] = {decant__grid_cut(rows, columns, scratch),
                             decant__grid_cut_rows(rows, columns, scratch)};
    for (int g = 0; g < 2; g++) {
        multiply_in_team(f, &grids[g], inner, a, b, 1, out);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                assert_near(out[i * columns + j], naive(f, a, b, rows, columns, inner, i, j),
                            2e-6 * (double)inner + 1e-6);
        for (int threads = 2; threads <= 4; threads += 2) {
            multiply_in_team(f, &grids[g], inner, a, b, threads, again);
            assert_memory_equal(out, again, rows * columns * sizeof *out);
        }
    }
    free(scratch);
    free(a);
    free(b);
    free(out);
    free(again);
}

static void test_product_against_naive(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1},      {1, 7, 3},     {5, 1, 9},
                                       {17, 33, 20},   {64, 130, 31}, {3, 300, 11},
                                       {130, 129, 70}, {1030, 17, 5}, {50, 60, 1100}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t f = 0; f < 3; f++)
            check_product(&forms[f], shapes[s][0], shapes[s][1], shapes[s][2]);
}

/* Nothing of what was there before may leak into the output, not even NaN. */
static void test_product_overwrites(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, out[4] = {NAN, NAN, NAN, NAN};
    float *scratch = sample_new(6, 1, DECANT__PRODUCT_SCRATCH);
    decant__grid grid = decant__grid_cut(2, 2, scratch);
    multiply_in_team(&forms[0], &grid, 2, a, b, 1, out);
    free(scratch);
    assert_true(largest_difference(a, out, 4) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_tiles_cover_once),
        cmocka_unit_test(test_product_against_naive),
        cmocka_unit_test(test_product_overwrites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
