/* Mixtures of numbers and categories, and when k-means is preferred to them. */
#include "sample.h"

#include <math.h>

#include "cluster/mixture_choice.h"
#include "dec/few_rows.h"

enum { ROWS = 300, COLUMNS = 6 };

/* Two long groups side by side, that also differ in the shares of three values (columns 3 to 5);
 * column 2 is a yes or no that says nothing. */
static float *groups_new(int32_t *truth) {
    float *x = sample_new(11, 1, (size_t)ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS; i++) {
        float *row = x + i * COLUMNS;
        size_t c = i % 2, value = i % 10 < 7 ? c : 2;
        truth[i] = (int32_t)c;
        row[1] = 0.9F * row[0] + 0.25F * row[1] + (c ? 0.5F : -0.5F);
        row[2] = row[2] > 0;
        for (size_t j = 3; j < COLUMNS; j++) row[j] = j - 3 == value;
    }
    return x;
}

static const size_t group[COLUMNS] = {0, 1, 2, 3, 3, 3};

static double accuracy(const int32_t *labels, const int32_t *truth) {
    decant_scores scores;
    assert_ok(decant_score(labels, truth, ROWS, &scores));
    return scores.acc;
}

static void test_new_tells_kinds_apart(void **state) {
    (void)state;
    int32_t truth[ROWS];
    float *x = groups_new(truth);
    decant__mixed m;
    for (size_t i = 0; i < ROWS; i++) { /* lumpy, and constant */
        x[i * COLUMNS + 1] = i % 3 ? x[i * COLUMNS + 1] : 0;
        x[i * COLUMNS] = 4;
    }
    assert_ok(decant__mixed_new(&m, x, ROWS, COLUMNS, group));
    assert_int_equal(m.smooth, 0);
    assert_int_equal(m.lumpy, 1);
    assert_int_equal(m.classes, 2);
    assert_int_equal(m.first[1], 2);
    assert_int_equal(m.first[2], 5);
    assert_near(m.share[2] + m.share[3] + m.share[4], 1, 1e-12);
    assert_near(m.share[4], 0.3, 1e-12); /* in the order in which they come */
    for (size_t i = 0; i < ROWS; i++) assert_float_equal(m.y[i], x[i * COLUMNS + 1], 0);
    decant__mixed_free(&m);
    free(x);
}

/* From labels of which a quarter is wrong. Only even rows are fitted, all are assigned. */
static void test_fit_uses_numbers_and_categories(void **state) {
    (void)state;
    int32_t truth[ROWS], labels[ROWS];
    float *x = groups_new(truth);
    unsigned char used[ROWS];
    decant__mixed m;
    double bic, alone;
    assert_ok(decant__mixed_new(&m, x, ROWS, COLUMNS, group));
    for (size_t i = 0; i < ROWS; i++) {
        used[i] = i / 2 % 2 == 0;
        labels[i] = !used[i] ? 9999 : i % 8 < 2 ? 1 - truth[i] : truth[i];
    }
    const decant__mixed_request wanted = {.rows = &m, .k = 2, .shape = {1, 1}, .used = used};
    assert_ok(decant__mixed_fit(&wanted, labels, &bic));
    print_message("ACC %.3f, BIC %.1f\n", accuracy(labels, truth), bic);
    assert_true(accuracy(labels, truth) > 0.98);
    /* What the other rows are like does not matter. */
    for (size_t i = 0; i < ROWS; i++) {
        if (!used[i]) m.x[i * m.smooth] = 50;
        labels[i] = !used[i] ? 9999 : i % 8 < 2 ? 1 - truth[i] : truth[i];
    }
    assert_ok(decant__mixed_fit(&wanted, labels, &alone));
    assert_near(alone, bic, 1e-9);
    /* The same without the categories is worse. */
    decant__mixed_free(&m);
    assert_ok(decant__mixed_new(&m, x, ROWS, COLUMNS, group));
    m.classes = 0;
    m.first[0] = 0;
    for (size_t i = 0; i < ROWS; i++) labels[i] = i % 8 < 2 ? 1 - truth[i] : truth[i];
    assert_ok(decant__mixed_fit(&wanted, labels, &alone));
    assert_true(accuracy(labels, truth) < 0.98);
    decant__mixed_free(&m);
    free(x);
}

/* One component: BIC is known in closed form. */
static void test_bic_of_one_component(void **state) {
    (void)state;
    int32_t truth[ROWS], labels[ROWS] = {0};
    float *x = groups_new(truth);
    decant__mixed m;
    double bic, likelihood = 0, square = 0, mean = 0, ones = 0;
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = x[i * COLUMNS];
        x[2 * i + 1] = i % 3 == 0;
        mean += (double)x[2 * i] / ROWS;
    }
    for (size_t i = 0; i < ROWS; i++) {
        square += pow((double)x[2 * i] - mean, 2) / ROWS;
        ones += (double)x[2 * i + 1] / ROWS;
    }
    square += 0.01;
    for (size_t i = 0; i < ROWS; i++)
        likelihood += log(x[2 * i + 1] > 0 ? ones : 1 - ones) - 0.5 * log(2 * 3.141592653589793) -
                      0.5 * log(square) - pow((double)x[2 * i] - mean, 2) / (2 * square);
    assert_ok(decant__mixed_new(&m, x, ROWS, 2, NULL));
    const decant__mixed_request wanted = {.rows = &m, .k = 1};
    assert_ok(decant__mixed_fit(&wanted, labels, &bic));
    assert_near(bic, -2 * likelihood + 3 * log(ROWS), 1e-6);
    decant__mixed_free(&m);
    free(x);
}

/* Clusters that are the values of one column are not taken, whatever their BIC. */
static void test_choose_refuses_a_column_over_again(void **state) {
    (void)state;
    float *x = sample_new(12, 1, (size_t)ROWS * 2);
    int32_t labels[ROWS];
    decant__mixed m;
    decant__mixture_found best;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = (int32_t)(i % 2);
        x[2 * i] += labels[i] ? 8 : 0;
        x[2 * i + 1] = (float)labels[i];
    }
    assert_ok(decant__mixed_new(&m, x, ROWS, 2, NULL));
    assert_ok(decant__mixture_choose(&m, 2, NULL, labels, &best));
    assert_true(best.bic > 1e300);
    assert_int_equal(labels[1], 1);
    m.classes = 0;
    assert_ok(decant__mixture_choose(&m, 2, NULL, labels, &best));
    assert_true(best.bic < 1e300);
    decant__mixed_free(&m);
    free(x);
}

static int prefers_mixture(const float *x, size_t d, const int32_t *start, int32_t *labels) {
    decant_options o;
    double lead;
    decant_options_init(&o, sizeof o);
    o.k = 2;
    const decant__few_rows few = {
        .row = x, .x = x, .n = ROWS, .d = d, .width = d, .options = &o, .threads = 1};
    assert_ok(decant__few_rows_mixture(&few, &start, 1, labels, &lead));
    return lead > -(double)INFINITY;
}

/* k-means cuts a long cloud always at the same place; where the components of a mixture are, is
 * chance. */
static void test_mixture_only_where_it_is_stable(void **state) {
    (void)state;
    int32_t truth[ROWS], labels[ROWS];
    float *x = groups_new(truth);
    assert_true(prefers_mixture(x, COLUMNS, truth, labels));
    assert_true(accuracy(labels, truth) > 0.98);
    free(x);
    x = sample_new(13, 1, (size_t)ROWS * 3);
    for (size_t i = 0; i < ROWS; i++) x[3 * i] *= 2;
    assert_false(prefers_mixture(x, 3, truth, labels));
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_tells_kinds_apart),
        cmocka_unit_test(test_fit_uses_numbers_and_categories),
        cmocka_unit_test(test_bic_of_one_component),
        cmocka_unit_test(test_choose_refuses_a_column_over_again),
        cmocka_unit_test(test_mixture_only_where_it_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
