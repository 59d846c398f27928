#include "sample.h"

#include "base/team.h"
#include "base/memory.h"
#include "linalg/csr.h"

enum { N = 40, COUNT = 700, WIDTH = 3 };

static void fill(decant__entries *entries) {
    decant__random random = decant__random_start(3, DECANT__RANDOM_TEST, 0);
    assert_ok(decant__entries_new(entries, COUNT));
    for (size_t e = 0; e < COUNT; e++) {
        entries->row[e] = (uint32_t)decant__random_below(&random, N);
        entries->column[e] = (uint32_t)decant__random_below(&random, N / 2) * 2;
        entries->value[e] = decant__random_normal(&random);
    }
}

/* What the matrix should be. */
static void fill_dense(const decant__entries *entries, decant__duplicates twice, double *dense) {
    memset(dense, 0, N * N * sizeof *dense);
    for (size_t e = 0; e < COUNT; e++) {
        double *place = dense + entries->row[e] * N + entries->column[e];
        if (*place == 0 || twice == DECANT__DUPLICATES_SUM) *place += entries->value[e];
    }
}

typedef struct csr_product {
    const decant__csr *csr;
    const double *x;
    size_t width;
    double *y;
} csr_product;

static void multiply(void *context) {
    const csr_product *p = context;
    decant__csr_multiply(p->csr, p->x, p->width, p->y);
}

static void check(decant__duplicates twice) {
    decant__entries entries;
    decant__csr csr;
    double dense[N * N], x[N * WIDTH], y[N * WIDTH], bound = 0, trace = 0;
    fill(&entries);
    fill_dense(&entries, twice, dense);
    assert_ok(decant__csr_new(&csr, N, &entries, twice, NULL));
    for (size_t i = 0; i < N; i++)
        for (size_t e = csr.start[i]; e < csr.start[i + 1]; e++) {
            assert_true(e == csr.start[i] || csr.column[e] > csr.column[e - 1]);
            assert_near(csr.value[e], dense[i * N + csr.column[e]], 1e-14);
        }
    for (size_t width = 1; width <= WIDTH; width++) {
        for (size_t i = 0; i < N * width; i++) x[i] = sin((double)i);
        csr_product product = {&csr, x, width, y};
        decant__team_run(2, multiply, &product);
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < width; c++) {
                double sum = 0;
                for (size_t j = 0; j < N; j++) sum += dense[i * N + j] * x[j * width + c];
                assert_near(y[i * width + c], sum, 1e-12);
            }
    }
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        trace += dense[i * N + i];
        for (size_t j = 0; j < N; j++) sum += fabs(dense[i * N + j]);
        bound = fmax(bound, sum);
    }
    assert_near(decant__csr_bound(&csr), bound, 1e-12);
    assert_near(decant__csr_trace(&csr), trace, 1e-12);
    decant__csr_free(&csr);
    decant__entries_free(&entries);
}

static void test_new_adds(void **state) {
    (void)state;
    check(DECANT__DUPLICATES_SUM);
}

static void test_new_drops(void **state) {
    (void)state;
    check(DECANT__DUPLICATES_DROP);
}

/* 0-2-4, 1-3, 5 alone; a link of weight 0 is none. */
static void test_parts(void **state) {
    (void)state;
    static const uint32_t links[][2] = {{0, 2}, {2, 4}, {1, 3}, {5, 5}, {5, 0}};
    static const uint32_t expected[] = {0, 1, 0, 1, 0, 2};
    decant__entries entries;
    decant__csr csr;
    uint32_t part[6], stack[6];
    assert_ok(decant__entries_new(&entries, 10));
    for (size_t e = 0; e < 10; e++) {
        entries.row[e] = links[e / 2][e % 2];
        entries.column[e] = links[e / 2][1 - e % 2];
        entries.value[e] = e < 8;
    }
    assert_ok(decant__csr_new(&csr, 6, &entries, DECANT__DUPLICATES_SUM, NULL));
    assert_int_equal(decant__csr_parts(&csr, part, stack), 3);
    assert_memory_equal(part, expected, sizeof expected);
    decant__csr_free(&csr);
    decant__entries_free(&entries);
}

static void test_new_without_memory(void **state) {
    (void)state;
    decant__entries entries;
    decant__csr csr;
    fill(&entries);
    for (size_t fail = 1; fail <= 5; fail++) {
        decant__alloc_fail_at(fail);
        assert_int_equal(decant__csr_new(&csr, N, &entries, DECANT__DUPLICATES_SUM, NULL),
                         DECANT_ENOMEM);
    }
    decant__alloc_fail_at(0);
    decant__entries_free(&entries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_adds),
        cmocka_unit_test(test_new_drops),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_new_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
