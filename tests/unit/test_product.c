#include "sample.h"
#include "wide_kernel.h"

#include "linalg/kernel.h"
#include "linalg/product.h"
#include "linalg/shards.h"
#include "decant/report.h"
#include "base/team.h"

static const size_t extents[] = {1,   2,   3,   15,  16,  17,  64,   127,  128,  129,
                                 200, 255, 256, 257, 500, 784, 1023, 1024, 1025, 2000};
enum { EXTENTS = sizeof extents / sizeof extents[0] };

/* Who works alone has the tiles one after the other. */
static void check_next(const decant__grid *grid, size_t t) {
    decant__tile tile = decant__grid_tile(grid, t), next = {0};
    if (t + 1 < grid->count) next = decant__grid_tile(grid, t + 1);
    assert_int_equal(tile.next_count, grid->by_rows ? next.rows : next.columns);
    if (tile.next_count > 0) assert_int_equal(tile.next, grid->by_rows ? next.row : next.column);
}

static void check_cover(const decant__grid *grid, unsigned char *seen) {
    memset(seen, 0, grid->rows * grid->columns);
    for (size_t t = 0; t < grid->count; t++) {
        decant__tile tile = decant__grid_tile(grid, t);
        assert_true(tile.rows > 0 && tile.columns > 0);
        assert_true(tile.row + tile.rows <= grid->rows);
        assert_true(tile.column + tile.columns <= grid->columns);
        assert_int_equal(tile.column % 8, 0); /* dropout's masks count on it */
        check_next(grid, t);
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
            grid = decant__grid_cut_weights(extents[a], extents[b], NULL);
            check_cover(&grid, seen);
            for (size_t t = 0; t < grid.count; t++)
                assert_true(decant__grid_tile(&grid, t).rows <= DECANT__PRODUCT_TILE);
            if (extents[a] == 17 && extents[b] == 2000) assert_true(grid.count >= 4);
        }
    }
    free(seen);
}

enum { NN, PANELS, NT, TN, FORMS };

/* a and b are stored as the form says; bias and relu are for nn and panels. */
typedef struct operands {
    int form;
    size_t rows, columns, inner;
    const float *a, *b, *bias;
    int relu;
    const decant__sum_tree *tree; /* tn: NULL is a chain */
    const decant__shards *shards; /* of the tree */
    const decant__grid *grid;
    float *packed, *out;
} operands;

/* What linalg/kernel.h promises, element by element: a chain over some steps. */
static float chain_over(const operands *o, size_t i, size_t j, size_t from, size_t to, float sum) {
    for (size_t p = from; p < to; p++) {
        float left = o->form == TN ? o->a[p * o->rows + i] : o->a[i * o->inner + p];
        float right = o->form == NT ? o->b[j * o->inner + p] : o->b[p * o->columns + j];
        sum = fmaf(left, right, sum);
    }
    return sum;
}

/* What linalg/shards.h promises: a binary tree over the shards first .. first+count-1. */
static float tree_over(const operands *o, size_t i, size_t j, size_t first, size_t count) {
    const size_t *begin = o->shards->begin;
    size_t half = count / 2;
    if (count == 1) return chain_over(o, i, j, begin[first], begin[first + 1], 0);
    if (begin[first] == begin[first + half]) return tree_over(o, i, j, first + half, half);
    if (begin[first + half] == begin[first + count]) return tree_over(o, i, j, first, half);
    return tree_over(o, i, j, first, half) + tree_over(o, i, j, first + half, half);
}

static float chain(const operands *o, size_t i, size_t j) {
    if (o->tree != NULL) return tree_over(o, i, j, 0, DECANT__SHARDS);
    float sum = chain_over(o, i, j, 0, o->inner, o->bias != NULL ? o->bias[j] : 0);
    return o->relu && !(sum > 0) ? 0 : sum;
}

static void multiply_tiles(void *context) {
    const operands *o = context;
    if (o->form == TN || o->form == PANELS)
        decant__product_pack(o->inner, o->columns, o->b, o->packed);
    TEAM_FOR_DYNAMIC (t, o->grid->count, 1) {
        decant__tile tile = decant__grid_tile(o->grid, t);
        if (o->form == NN)
            decant__product_nn(o->grid, tile, o->inner, o->a, o->b, o->bias, o->relu, o->out);
        else if (o->form == PANELS)
            decant__product_panels(o->grid, tile, o->inner, o->a, o->packed, o->bias, o->relu,
                                   o->out);
        else if (o->form == NT)
            decant__product_nt(o->grid, tile, o->inner, o->a, o->b, o->out, o->out);
        else
            decant__product_tn(o->grid, tile, o->inner, o->a, o->packed, o->tree, o->out);
    }
}

static const char *const kernels[] = {"plain", "wide", "neon", "avx2", "avx512"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* NULL: not on this processor. */
static const decant__kernel *kernel_at(size_t m) {
    return strcmp(kernels[m], "wide") == 0 ? wide_kernel() : decant__kernel_named(kernels[m]);
}

static void check_bits(const operands *o, const float *expected, const char *kernel) {
    for (size_t i = 0; i < o->rows * o->columns; i++)
        if (memcmp(&expected[i], &o->out[i], sizeof *expected) != 0)
            fail_msg("%s, form %d, %zu x %zu x %zu: (%zu, %zu) is %.9g, not %.9g", kernel, o->form,
                     o->rows, o->columns, o->inner, i / o->columns, i % o->columns,
                     (double)o->out[i], (double)expected[i]);
}

static void check_product(operands o) {
    float *a = sample_new(1, 1, o.rows * o.inner), *b = sample_new(2, 1, o.inner * o.columns);
    float *bias = sample_new(7, 1, o.columns), *expected = sample_new(8, 1, o.rows * o.columns);
    float *scratch = sample_new(6, 1, 4 * DECANT__PRODUCT_SCRATCH);
    decant__grid grids[2] = {decant__grid_cut(o.rows, o.columns, scratch),
                             decant__grid_cut_rows(o.rows, o.columns, scratch)};
    o.a = a;
    o.b = b;
    o.packed = sample_new(5, 1, decant__product_pack_size(o.inner, o.columns));
    o.out = sample_new(3, 1, o.rows * o.columns);
    o.bias = o.relu ? bias : NULL;
    for (size_t i = 0; i < o.rows; i++)
        for (size_t j = 0; j < o.columns; j++) expected[i * o.columns + j] = chain(&o, i, j);
    for (size_t m = 0; m < KERNELS; m++) {
        if (kernel_at(m) == NULL) continue;
        decant__kernel_use(kernel_at(m));
        for (int g = 0; g < 2; g++) {
            o.grid = &grids[g];
            decant__team_run(g == 0 ? 1 : 4, multiply_tiles, &o);
            check_bits(&o, expected, kernels[m]);
        }
    }
    decant__kernel_use(NULL);
    free(scratch);
    free(a);
    free(b);
    free(bias);
    free(expected);
    free(o.packed);
    free(o.out);
}

static void test_product_is_a_chain_for_every_kernel(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1},     {1, 7, 3},      {5, 1, 9},    {17, 33, 20},
                                       {64, 130, 31}, {3, 300, 11},   {47, 95, 70}, {130, 129, 600},
                                       {1030, 17, 5}, {20, 60, 1100}, {13, 48, 515}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int form = 0; form < FORMS; form++)
            for (int relu = 0; relu <= (form <= PANELS); relu++)
                check_product((operands){.form = form,
                                         .rows = shapes[s][0],
                                         .columns = shapes[s][1],
                                         .inner = shapes[s][2],
                                         .relu = relu});
}

/* Sums over the rows of a minibatch, with shards that are empty or unequal, and more rows than are
 * packed at a time. */
static void test_product_is_a_tree_over_shards(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{5, 33, 1},    {17, 33, 20},    {47, 95, 256},
                                       {97, 130, 70}, {13, 210, 1100}, {50, 10, 505}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        size_t inner = shapes[s][2];
        for (int cut = 0; cut < 3; cut++) {
            decant__shards shards = decant__shards_even(inner);
            for (size_t b = 1; cut == 1 && b < DECANT__SHARDS; b++)
                shards.begin[b] = shards.begin[b & ~(size_t)1];
            for (size_t b = 1; cut == 2 && b < DECANT__SHARDS; b++)
                shards.begin[b] = inner * b * b / (DECANT__SHARDS * DECANT__SHARDS);
            decant__sum_tree tree = decant__shards_tree(&shards);
            check_product((operands){.form = TN,
                                     .rows = shapes[s][0],
                                     .columns = shapes[s][1],
                                     .inner = inner,
                                     .tree = &tree,
                                     .shards = &shards});
        }
    }
}

/* Some rows of a minibatch give what all of them give with zeros between, for every kernel. */
static void test_sum_rows_like_the_product(void **state) {
    (void)state;
    enum { ROWS = 90, COLUMNS = 203 };
    float *w = sample_new(2, 1, (size_t)ROWS * COLUMNS), *all = sample_new(1, 0, ROWS);
    float value[ROWS], y[COLUMNS];
    uint32_t row[ROWS];
    decant__shards shards = decant__shards_even(ROWS);
    operands o = {.form = TN, .rows = 1, .columns = COLUMNS, .inner = ROWS, .a = all, .b = w};
    o.shards = &shards;
    for (uint32_t step = 1; step < 40; step += 3) {
        size_t count = 0;
        memset(all, 0, ROWS * sizeof *all);
        for (uint32_t i = step / 2; i < ROWS; i += step) {
            row[count] = i;
            value[count++] = all[i] = (float)i / 7 - 5;
        }
        decant__sum_tree some = decant__shards_tree_of(&shards, row, count);
        decant__sum_tree tree = decant__shards_tree(&shards);
        o.tree = &tree;
        for (size_t m = 0; m < KERNELS; m++) {
            if (kernel_at(m) == NULL) continue;
            kernel_at(m)->sum_rows(COLUMNS, &some, value, row, w, COLUMNS, y);
            for (size_t j = 0; j < COLUMNS; j++) assert_true(y[j] == chain(&o, 0, j));
        }
    }
    decant__sum_tree none = decant__shards_tree_of(&shards, row, 0);
    decant__kernel_in_use()->sum_rows(COLUMNS, &none, value, row, w, COLUMNS, y);
    for (size_t j = 0; j < COLUMNS; j++) assert_true(y[j] == 0);
    free(w);
    free(all);
}

/* Columns in pieces, as the optimiser takes them. */
static void test_product_in_pieces(void **state) {
    (void)state;
    enum { ROWS = 200, COLUMNS = 130, INNER = 33, WIDTH = 48 };
    float *a = sample_new(1, 1, INNER * ROWS), *b = sample_new(2, 1, INNER * COLUMNS);
    float *packed = sample_new(5, 1, decant__product_pack_size(INNER, COLUMNS));
    float *scratch = sample_new(6, 1, DECANT__PRODUCT_SCRATCH), piece[DECANT__PRODUCT_TILE * WIDTH];
    float *next = sample_new(8, 1, ROWS * COLUMNS);
    const float *ahead[3] = {next, NULL, NULL};
    operands o = {.form = TN, .rows = ROWS, .columns = COLUMNS, .inner = INNER, .a = a, .b = b};
    decant__grid grid = decant__grid_cut_rows(ROWS, COLUMNS, scratch);
    decant__product_pack(INNER, COLUMNS, b, packed);
    for (size_t t = 0; t < grid.count; t++) {
        decant__tile tile = decant__grid_tile(&grid, t);
        decant__product_tn_begin(&grid, tile, INNER, a);
        for (tile.column = 0; tile.column < COLUMNS; tile.column += WIDTH) {
            tile.columns = COLUMNS - tile.column < WIDTH ? COLUMNS - tile.column : WIDTH;
            decant__product_tn_piece(&grid, tile, INNER, packed, NULL, ahead, piece, WIDTH);
            for (size_t i = 0; i < tile.rows; i++)
                for (size_t j = 0; j < tile.columns; j++)
                    assert_true(piece[i * WIDTH + j] == chain(&o, tile.row + i, tile.column + j));
        }
    }
    free(a);
    free(b);
    free(packed);
    free(scratch);
    free(next);
}

static void check_pack_by_tiles(decant__grid grid, const float *b) {
    size_t size = decant__product_pack_size(grid.rows, grid.columns);
    float *whole = sample_new(5, 1, size), *tiles = sample_new(6, 1, size);
    decant__product_pack(grid.rows, grid.columns, b, whole);
    for (size_t t = grid.count; t-- > 0;)
        decant__product_pack_tile(decant__grid_tile(&grid, t), grid.rows, grid.columns, b, tiles);
    assert_memory_equal(whole, tiles, size * sizeof *whole);
    free(whole);
    free(tiles);
}

static void test_pack_by_tiles(void **state) {
    (void)state;
    float *b = sample_new(2, 1, (size_t)200 * 200);
    for (size_t columns = 10; columns <= 200; columns += 95) {
        check_pack_by_tiles(decant__grid_cut(200, columns, NULL), b);
        check_pack_by_tiles(decant__grid_cut_rows(77, columns, NULL), b);
        check_pack_by_tiles(decant__grid_cut_columns(77, columns, NULL), b);
    }
    free(b);
}

/* fmaf where one more rounding, or a carry, would give another float. */
static void test_plain_rounds_once(void **state) {
    (void)state;
    const decant__kernel *plain = decant__kernel_plain();
    uint64_t bits = 1;
    for (int i = 0; i < 2000000; i++) {
        float x[3];
        for (int l = 0; l < 3; l++) {
            bits = bits * 6364136223846793005U + 1442695040888963407U;
            uint32_t word = (uint32_t)(bits >> 32);
            /* Exponents near each other, so that sums cancel and round in every way; or any. */
            if (i % 2 == 0) word = (word & 0x807fffffU) | ((120U + (word >> 23) % 16U) << 23);
            memcpy(&x[l], &word, sizeof word);
        }
        uint32_t zero = 0;
        float sum = x[2], expected = fmaf(x[0], x[1], x[2]);
        plain->add_rows(1, 1, &x[0], &zero, &x[1], 1, &sum);
        if (isnan(expected) ? !isnan(sum) : memcmp(&sum, &expected, sizeof sum) != 0)
            fail_msg("fma(%a, %a, %a) is %a, not %a", (double)x[0], (double)x[1], (double)x[2],
                     (double)sum, (double)expected);
    }
}

/* A sparse row gives the bits of the same row with its zeros. */
static void test_sparse_row_like_dense(void **state) {
    (void)state;
    enum { D = 300, OUT = 133 };
    float *w = sample_new(1, 1, D * OUT), *x = calloc(D, sizeof *x), value[D];
    float *scratch = sample_new(6, 1, DECANT__PRODUCT_SCRATCH), sparse[OUT], dense[OUT];
    uint32_t index[D];
    size_t count = 0;
    for (size_t j = 3; j < D; j += 7) {
        x[j] = value[count] = w[j] - 0.3F;
        index[count++] = (uint32_t)j;
    }
    for (size_t m = 0; m < KERNELS; m++) {
        const decant__kernel *kernel = kernel_at(m);
        if (kernel == NULL) continue;
        decant__kernel_use(kernel);
        decant__product product = {.m = 1,
                                   .n = OUT,
                                   .k = D,
                                   .a = {x, D},
                                   .b = {w, OUT},
                                   .bias = w,
                                   .c = dense,
                                   .stride = OUT};
        decant__product_run(&product, scratch);
        memcpy(sparse, w, sizeof sparse);
        kernel->add_rows(OUT, count, value, index, w, OUT, sparse);
        assert_memory_equal(sparse, dense, sizeof dense);
    }
    decant__kernel_use(NULL);
    free(w);
    free(x);
    free(scratch);
}

/* Nothing of what was there before may leak into the output, not even NaN. */
static void test_product_overwrites(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, out[4] = {NAN, NAN, NAN, NAN};
    float *scratch = sample_new(6, 1, DECANT__PRODUCT_SCRATCH);
    decant__product product = {
        .m = 2, .n = 2, .k = 2, .a = {a, 2}, .b = {b, 2}, .c = out, .stride = 2};
    decant__product_run(&product, scratch);
    free(scratch);
    assert_true(largest_difference(a, out, 4) == 0);
}

static void test_kernel_by_name(void **state) {
    (void)state;
    assert_non_null(decant__kernel_named("plain"));
    assert_null(decant__kernel_named("sse"));
    setenv("DECANT_KERNEL", "plain", 1);
    decant__kernel_use(NULL);
    assert_string_equal(decant__kernel_in_use()->name, "plain");
    const char *reason = NULL;
    assert_string_equal(decant_kernel(&reason), "plain");
    assert_string_equal(reason, "named by DECANT_KERNEL");
    assert_int_equal(decant__kernel_check(), DECANT_OK);
    setenv("DECANT_KERNEL", "sse", 1);
    assert_int_equal(decant__kernel_check(), DECANT_EINVAL);
    assert_non_null(strstr(decant_last_error(), "plain"));
    unsetenv("DECANT_KERNEL");
    assert_int_equal(decant__kernel_check(), DECANT_OK);
    decant__kernel_use(NULL);
    assert_non_null(decant__kernel_in_use());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_tiles_cover_once),
        cmocka_unit_test(test_product_is_a_chain_for_every_kernel),
        cmocka_unit_test(test_product_is_a_tree_over_shards),
        cmocka_unit_test(test_sum_rows_like_the_product),
        cmocka_unit_test(test_product_in_pieces),
        cmocka_unit_test(test_pack_by_tiles),
        cmocka_unit_test(test_plain_rounds_once),
        cmocka_unit_test(test_sparse_row_like_dense),
        cmocka_unit_test(test_kernel_by_name),
        cmocka_unit_test(test_product_overwrites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
