#include "sample.h"

#include "base/team.h"

enum { N = 37, D = 11 };

static const uint32_t picks[] = {5, 0, 36, 5, 17, 2};
enum { PICKS = sizeof picks / sizeof picks[0] };

static float expected_value(const float *x, const decant__source *source, size_t row, size_t j) {
    float value = x[row * D + j];
    return source->scale == NULL ? value : (value - source->shift[j]) * source->scale[j];
}

typedef struct fetching {
    const decant__source *source;
    const uint32_t *index;
    size_t first, count;
    decant__rows_buffer buffer;
    decant__rows rows;
} fetching;

static void fetch(void *context) {
    fetching *f = context;
    decant__rows mine = decant__source_fetch(f->source, f->index, f->first, f->count, &f->buffer);
    TEAM_SINGLE f->rows = mine;
}

/* Fetches by index and by range, alone and in a team, and compares with the matrix. */
static void check_fetch(const float *x, const decant__source *source, const uint32_t *index,
                        size_t first, size_t count, int threads) {
    fetching f = {.source = source, .index = index, .first = first, .count = count};
    assert_ok(decant__rows_buffer_new(&f.buffer, source, count));
    decant__team_run(threads, fetch, &f);
    decant__rows rows = f.rows;
    assert_int_equal(rows.n, count);
    assert_int_equal(rows.d, D);
    for (size_t i = 0; i < count; i++) {
        size_t row = index != NULL ? index[i] : first + i;
        if (source->rows != NULL) row = source->rows[row];
        float dense[D] = {0};
        if (rows.dense != NULL)
            memcpy(dense, rows.dense + i * D, sizeof dense);
        else
            for (size_t e = rows.begin[i]; e < rows.end[i]; e++)
                dense[rows.column[e]] = rows.value[e];
        for (size_t j = 0; j < D; j++) assert_true(dense[j] == expected_value(x, source, row, j));
    }
    decant__rows_buffer_free(&f.buffer);
}

static void check_whole(const float *x, const decant__source *source) {
    for (int threads = 1; threads <= 4; threads *= 2) {
        check_fetch(x, source, picks, 0, PICKS, threads);
        check_fetch(x, source, NULL, 0, N, threads);
        check_fetch(x, source, NULL, 9, 13, threads);
        check_fetch(x, source, NULL, N - 1, 1, threads);
    }
}

/* And some of its rows, in another order. */
static void check_source(const float *x, const decant__source *source) {
    uint32_t order[N];
    double row[D];
    decant__source chosen = *source;
    check_whole(x, source);
    for (uint32_t i = 0; i < N; i++) order[i] = (7 * i + 3) % N;
    chosen.rows = order;
    check_whole(x, &chosen);
    decant__source_row(&chosen, 4, row);
    for (size_t j = 0; j < D; j++)
        assert_true(row[j] == (double)expected_value(x, source, order[4], j));
}

static void test_fetch_dense(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D);
    decant__source source = decant__source_dense(x, N, D);
    check_source(x, &source);
    free(x);
}

/* A range of unscaled dense rows is the matrix itself, not a copy. */
static void test_fetch_dense_range_is_a_view(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D);
    decant__source source = decant__source_dense(x, N, D);
    decant__rows_buffer buffer;
    assert_ok(decant__rows_buffer_new(&buffer, &source, N));
    assert_ptr_equal(decant__source_fetch(&source, NULL, 3, 5, &buffer).dense, x + 3 * D);
    decant__rows_buffer_free(&buffer);
    free(x);
}

static void test_fetch_scaled(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D), shift[D], scale[D];
    sample_normal(2, 1, D, shift);
    sample_normal(3, 2, D, scale);
    decant__source source = {.n = N, .d = D, .dense = x, .shift = shift, .scale = scale};
    check_source(x, &source);
    free(x);
}

static void test_fetch_csr(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D);
    sample_thin(2, 0.3, (size_t)N * D, x);
    memset(x + 5 * D, 0, D * sizeof *x); /* a row without anything */
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source source = sample_csr_source(&csr);
    check_source(x, &source);
    sample_csr_free(&csr);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fetch_dense),
        cmocka_unit_test(test_fetch_dense_range_is_a_view),
        cmocka_unit_test(test_fetch_scaled),
        cmocka_unit_test(test_fetch_csr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#include "base/team.h"
