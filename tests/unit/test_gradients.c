/* Images as histograms of gradients: the numbers beside plain loops, which rows are images, and
 * fits of them. */
#include "drawings.h"

#include "data/scale.h"
#include "features/gradients.h"
#include "sample.h"

enum { NUMBERS = DECANT__GRADIENT_NUMBERS, CELLS = 7, BINS = 9 };

static float *random_image(size_t count, uint32_t seed) {
    float *x = calloc(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)(drawings_random(&seed) % 256);
    return x;
}

static double pixel_at(const decant__gradients *g, const float *x, long row, long column) {
    long h = (long)g->height, w = (long)g->width;
    row = row < 0 ? 0 : row >= h ? h - 1 : row;
    column = column < 0 ? 0 : column >= w ? w - 1 : column;
    return (double)x[row * w + column] * (double)g->unit;
}

/* How much of pixel i of a side belongs to a cell: a hat of two cells' width around its center. */
static double share_of(size_t i, size_t side, int cell) {
    double at = ((double)i + 0.5) * CELLS / (double)side - 0.5 - cell;
    return fabs(at) < 1 ? 1 - fabs(at) : 0;
}

/* Each number by itself, from its definition, in double. */
static void plain_loops(const decant__gradients *g, const float *x, double *out) {
    const double pi = 3.14159265358979323846, limit = cos(pi / 9);
    double energy[CELLS * CELLS] = {0};
    double area = (double)(g->width * g->height) / (CELLS * CELLS);
    for (int cell = 0; cell < CELLS * CELLS; cell++)
        for (int b = 0; b < BINS; b++) {
            double sum = 0;
            for (size_t i = 0; i < g->width * g->height; i++) {
                long row = (long)(i / g->width), column = (long)(i % g->width);
                double dx = pixel_at(g, x, row, column + 1) - pixel_at(g, x, row, column - 1);
                double dy = pixel_at(g, x, row + 1, column) - pixel_at(g, x, row - 1, column);
                double along = fabs(dx * cos(b * pi / BINS) + dy * sin(b * pi / BINS));
                double over = along - limit * sqrt(dx * dx + dy * dy);
                sum += (over > 0 ? over / (1 - limit) : 0) *
                       share_of((size_t)row, g->height, cell / CELLS) *
                       share_of((size_t)column, g->width, cell % CELLS);
            }
            out[cell * BINS + b] = sum * 16 / area;
            energy[cell] += out[cell * BINS + b] * out[cell * BINS + b];
        }
    for (int cell = 0; cell < CELLS * CELLS; cell++) {
        double around = 0;
        for (int other = 0; other < CELLS * CELLS; other++)
            if (abs(cell / CELLS - other / CELLS) <= 1 && abs(cell % CELLS - other % CELLS) <= 1)
                around += energy[other];
        for (int b = 0; b < BINS; b++)
            out[cell * BINS + b] = fmin(out[cell * BINS + b] / sqrt(around * 4 / 9 + 0.01), 0.5);
    }
}

static void test_make_as_plain_loops(void **state) {
    (void)state;
    const size_t sides[][2] = {{28, 28}, {16, 12}, {12, 17}, {40, 31}, {128, 128}};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        decant__gradients g = {sides[s][0], sides[s][1], 1.0f / 255};
        float *x = random_image(g.width * g.height, (uint32_t)s + 5), out[NUMBERS];
        double expected[NUMBERS];
        decant__gradients_make(&g, x, out);
        plain_loops(&g, x, expected);
        for (int j = 0; j < NUMBERS; j++) assert_true(fabs((double)out[j] - expected[j]) < 1e-4);
        free(x);
    }
}

/* The shares of the cells, for all sides; inside they are 1 together. */
static void test_shares_as_defined(void **state) {
    (void)state;
    float share[DECANT__MAX_SIDE * CELLS];
    for (size_t side = DECANT__MIN_SIDE; side <= DECANT__MAX_SIDE; side++) {
        decant__gradients_shares(side, share);
        for (size_t i = 0; i < side; i++)
            for (int cell = 0; cell < CELLS; cell++)
                assert_near(share[i * CELLS + (size_t)cell], share_of(i, side, cell), 1e-5);
    }
}

/* A plain image has no edges; brightness does not count, contrast hardly. */
static void test_make_ignores_brightness(void **state) {
    (void)state;
    decant__gradients g = {28, 28, 1.0f / 255};
    float *x = random_image(784, 3), *y = calloc(784, sizeof *y), first[NUMBERS], second[NUMBERS];
    decant__gradients_make(&g, y, first);
    for (int j = 0; j < NUMBERS; j++) assert_true(first[j] == 0);
    for (int i = 0; i < 784; i++) y[i] = 0.5f * x[i] + 100;
    decant__gradients_make(&g, x, first);
    decant__gradients_make(&g, y, second);
    for (int j = 0; j < NUMBERS; j++) {
        assert_true(first[j] >= 0 && first[j] <= 0.5f);
        assert_true(fabsf(first[j] - second[j]) < 0.02f);
    }
    free(x);
    free(y);
}

static void check_recognised(const float *x, size_t n, size_t d, size_t width) {
    decant__gradients found;
    assert_ok(decant__gradients_recognise(x, n, d, 0, &found));
    assert_int_equal(found.width, width);
    if (width > 0) assert_int_equal(found.height, d / width);
    if (width > 0) assert_true(decant__gradients_valid(&found));
}

static void test_recognise_finds_the_width(void **state) {
    (void)state;
    const size_t sides[][2] = {{28, 28}, {16, 24}, {24, 16}, {20, 14}};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        size_t w = sides[s][0], h = sides[s][1];
        float *x = drawings_new(300, w, h);
        check_recognised(x, 300, w * h, w);
        check_recognised(x, 63, w * h, 0); /* too few to tell */
        free(x);
    }
}

/* Independent numbers; series whose neighbours are alike, but which have no second side; columns
 * that are all alike; and rows of which each has a near copy. */
static void test_recognise_leaves_others(void **state) {
    (void)state;
    enum { N = 200, D = 784 };
    float *x = random_image((size_t)N * D, 9);
    uint32_t seed = 2;
    decant__gradients found;
    check_recognised(x, N, D, 0);
    for (size_t i = 0; i < N; i++) {
        double at = 0;
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = (float)(at += (double)(drawings_random(&seed) % 100) - 49.5);
    }
    check_recognised(x, N, D, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = (float)(10 * (i % 17)) + (float)(drawings_random(&seed) % 20);
    check_recognised(x, N, D, 0);
    free(x);
    x = drawings_new(N, 28, 28);
    for (size_t i = 1; i < N; i += 2)
        for (size_t j = 0; j < D; j++) x[i * D + j] = x[(i - 1) * D + j] + (float)(j % 2);
    check_recognised(x, N, D, 0);
    assert_ok(decant__gradients_recognise(x, N, D, 1, &found));
    assert_int_equal(found.width, 28);
    free(x);
}

/* Rows of a source that are made when they are fetched: in any order, of a slice, and in double. */
static void test_source_makes_rows(void **state) {
    (void)state;
    enum { N = 6, D = 192 };
    float *x = drawings_new(N, 16, 12), expected[N][NUMBERS];
    double row[NUMBERS];
    decant__gradients g = {16, 12, 1.0f / 200};
    decant__source source = decant__source_dense(x, N, NUMBERS), slice;
    source.map = (decant__row_map){decant__gradients_make, &g, D};
    decant__rows_buffer buffer;
    const uint32_t order[] = {4, 0, 5};
    for (int i = 0; i < N; i++) decant__gradients_make(&g, x + i * D, expected[i]);
    assert_ok(decant__rows_buffer_new(&buffer, &source, N));
    decant__rows rows = decant__source_fetch(&source, order, 0, 3, &buffer);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(rows.dense + i * NUMBERS, expected[order[i]], sizeof expected[0]);
    slice = decant__source_slice(&source, 2, 3);
    rows = decant__source_fetch(&slice, NULL, 1, 2, &buffer);
    assert_memory_equal(rows.dense, expected[3], 2 * sizeof expected[0]);
    decant__source_row(&slice, 0, row);
    for (int j = 0; j < NUMBERS; j++) assert_true(row[j] == (double)expected[2][j]);
    decant__rows_buffer_free(&buffer);
    free(x);
}

/* Drawings are compared by their gradients; the model keeps how, also as bytes, and says so. */
static void test_fit_of_images(void **state) {
    (void)state;
    enum { N = 240, D = 256 };
    float *x = drawings_new(N, 16, 16);
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_model *model = NULL;
    int32_t labels[N];
    void *bytes = NULL;
    size_t count;
    decant_options o = drawings_options();
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &result));
    assert_int_equal(result->scaling, DECANT_SCALING_GRADIENTS);
    assert_int_equal(result->d, D);
    assert_int_equal(decant_model_columns(result->model), D);
    assert_ok(decant_model_to_bytes(result->model, &bytes, &count));
    assert_ok(decant_model_from_bytes(bytes, count, &model));
    assert_ok(decant_model_predict(model, data, 1, NULL, labels, NULL));
    assert_memory_equal(labels, result->labels, sizeof labels);
    decant_bytes_free(bytes);
    decant_model_free(model);
    decant_result_free(result);
    result = NULL;
    o.scaling = DECANT_SCALING_PAPER;
    assert_ok(decant_fit(data, &o, NULL, &result));
    assert_int_equal(result->scaling, DECANT_SCALING_PAPER);
    decant_result_free(result);
    decant_dataset_free(data);
    free(x);
}

/* Asked for where there are no images, or no network. */
static void test_fit_refuses(void **state) {
    (void)state;
    enum { N = 100, D = 144 };
    float *x = random_image((size_t)N * D, 4);
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_options o = drawings_options();
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    o.scaling = DECANT_SCALING_GRADIENTS;
    assert_fails(decant_fit(data, &o, NULL, &result), DECANT_EINVAL, "these rows are none");
    o.method = DECANT_METHOD_KMEANS;
    assert_fails(decant_fit(data, &o, NULL, &result), DECANT_EINVAL, "with a network");
    decant_dataset_free(data);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make_as_plain_loops),
        cmocka_unit_test(test_shares_as_defined),
        cmocka_unit_test(test_make_ignores_brightness),
        cmocka_unit_test(test_recognise_finds_the_width),
        cmocka_unit_test(test_recognise_leaves_others),
        cmocka_unit_test(test_source_makes_rows),
        cmocka_unit_test(test_fit_of_images),
        cmocka_unit_test(test_fit_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
