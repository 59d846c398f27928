/* The start is compared with clusters of the data itself. */
#include "sample.h"

#include <math.h>

#include "blobs.h"
#include "dec/landmarks.h"
#include "store/state.h"

enum { ROWS = 400, WIDTH = 20 };

/* One group of 340 rows, three of 20, with links between them. */
static decant_dataset *unequal_new(float *x, int32_t *truth) {
    decant_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        truth[i] = (int32_t)(i < 60 ? 1 + i / 20 : 0);
        if (truth[i] > 0) x[i * WIDTH + (size_t)truth[i]] += 5;
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, WIDTH, 0, &data));
    return data;
}

static decant_options short_options(void) {
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.k = 4;
    assert_ok(decant_options_set(&o, "layers", "64,64,256,10"));
    o.pretrain_rate = 0.003;
    o.finetune_iterations = 300;
    o.update_interval = 8;
    o.scaling = DECANT_SCALING_NONE;
    return o;
}

static double fit_accuracy(const decant_dataset *data, const decant_options *o,
                           const int32_t *truth, decant_result **r) {
    decant_scores scores;
    assert_ok(decant_fit(data, o, NULL, r));
    assert_ok(decant_score((*r)->labels, truth, ROWS, &scores));
    return scores.acc;
}

static void check_unequal(size_t iterations) {
    int32_t truth[ROWS];
    float *x = sample_new(3, 0.9, (size_t)ROWS * WIDTH);
    decant_dataset *data = unequal_new(x, truth);
    decant_result *r = NULL;
    decant_options o = short_options();
    o.max_iterations = iterations;
    double acc = fit_accuracy(data, &o, truth, &r);
    print_message("ACC %.4f\n", acc);
    assert_true(acc > 0.9);
    assert_int_equal(r->start, DECANT_START_DATA_GROUPS);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

static void test_groups_of_unequal_size(void **state) {
    (void)state;
    check_unequal(120);
}

/* Half of the rows are judged; the others follow by their principal components. Refinement would
 * mend what is wrong there. */
static void test_groups_of_landmarks(void **state) {
    (void)state;
    decant__landmarks_set(ROWS - 1, ROWS / 2);
    check_unequal(0);
    decant__landmarks_set(0, 0);
}

/* Three long thin groups side by side: k-means cuts across them. */
static decant_dataset *long_new(float *x, int32_t *truth, int rounded) {
    decant_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        float *row = x + i * WIDTH;
        truth[i] = (int32_t)(i % 3);
        row[0] = 3 * row[0] + 2 * (float)truth[i];
        row[1] = row[0] - 6 * (float)truth[i] + row[1];
        if (rounded) row[2] = row[2] > 0 ? 1 : 0;
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, 3, WIDTH, &data));
    return data;
}

static decant_options table_options(void) {
    decant_options o = short_options();
    assert_ok(decant_options_set(&o, "layers", "64,64,256,10"));
    o.k = 3;
    o.scaling = DECANT_SCALING_STANDARD;
    o.update_interval = 70;
    o.max_iterations = 1050;
    return o;
}

static void test_long_groups_are_a_mixture(void **state) {
    (void)state;
    for (int rounded = 0; rounded < 2; rounded++) {
        int32_t truth[ROWS];
        float *x = sample_new(4, 1, (size_t)ROWS * WIDTH);
        decant_dataset *data = long_new(x, truth, rounded);
        decant_result *r = NULL;
        decant_options o = table_options();
        double acc = fit_accuracy(data, &o, truth, &r);
        print_message("start %d, ACC %.4f\n", (int)r->start, acc);
        /* Also where a column has only two values. */
        assert_int_equal(r->start, DECANT_START_DATA_MIXTURE);
        assert_true(acc > 0.95);
        decant_result_free(r);
        decant_dataset_free(data);
        free(x);
    }
}

/* Many rows, but fewer columns than features: there is nothing to learn, and the mixture is the
 * start. */
static void test_few_columns_are_a_mixture(void **state) {
    (void)state;
    enum { MANY = 1500 };
    int32_t truth[MANY];
    float *x = sample_new(4, 1, (size_t)MANY * 3);
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_options o = table_options();
    decant_scores scores;
    for (size_t i = 0; i < MANY; i++) {
        float *row = x + i * 3;
        truth[i] = (int32_t)(i % 3);
        row[0] = 3 * row[0] + 2 * (float)truth[i];
        row[1] = row[0] - 6 * (float)truth[i] + row[1];
    }
    o.finetune_iterations = 30;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, 3, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_ok(decant_score(r->labels, truth, MANY, &scores));
    print_message("start %d, ACC %.4f\n", (int)r->start, scores.acc);
    assert_int_equal(r->start, DECANT_START_DATA_MIXTURE);
    assert_true(scores.acc > 0.95);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* Two moons: no centroid tells them apart, and a target that follows the features cuts them. */
static void test_moons_are_groups(void **state) {
    (void)state;
    int32_t truth[ROWS];
    float *x = sample_new(6, 0.05, (size_t)ROWS * WIDTH);
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_options o = table_options();
    o.k = 2;
    for (size_t i = 0; i < ROWS; i++) {
        double angle = 3.14159265358979 * (double)i / ROWS;
        truth[i] = (int32_t)(i % 2);
        x[i * WIDTH] += (float)(truth[i] ? 1 - cos(angle) : cos(angle));
        x[i * WIDTH + 1] += (float)(truth[i] ? 0.5 - sin(angle) : sin(angle));
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, 2, WIDTH, &data));
    double acc = fit_accuracy(data, &o, truth, &r);
    print_message("ACC %.4f\n", acc);
    assert_int_equal(r->start, DECANT_START_DATA_SEPARATE);
    assert_true(acc > 0.99);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* One piece without clusters: graphs cut the features and the data in different places, and what
 * they find is not taken. The network learns what k-means finds, and does not move away from it. */
static void test_one_piece_is_for_kmeans(void **state) {
    (void)state;
    enum { MANY = 1200, COLUMNS = 12 };
    float *x = sample_new(7, 1, (size_t)MANY * COLUMNS);
    decant_dataset *data = NULL;
    decant_result *r = NULL, *plain = NULL;
    decant_scores scores;
    decant_options o = short_options();
    o.finetune_iterations = 30;
    o.max_iterations = 400;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, COLUMNS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_int_equal(r->start, DECANT_START_DATA_KMEANS);
    o.method = DECANT_METHOD_KMEANS;
    o.restarts *= 25; /* as many as the start of so few numbers has */
    assert_ok(decant_fit(data, &o, NULL, &plain));
    assert_ok(decant_score(r->labels, plain->labels, MANY, &scores));
    print_message("ACC beside k-means %.4f\n", scores.acc);
    assert_true(scores.acc > 0.95);
    decant_result_free(plain);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* A square full of points: any cut into two halves leaves nearly all links whole, and is no reason
 * to take them for groups. */
static void test_a_full_square_has_no_groups(void **state) {
    (void)state;
    enum { MANY = 5000 };
    float *x = malloc(sizeof *x * MANY * 2);
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_options o = short_options();
    o.k = 2;
    o.finetune_iterations = 10;
    o.max_iterations = 0;
    uint32_t random = 1;
    for (size_t e = 0; e < MANY * 2; e++) {
        random = random * 1664525 + 1013904223;
        x[e] = (float)(random >> 8);
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, 2, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    print_message("start %d\n", (int)r->start);
    assert_int_not_equal(r->start, DECANT_START_DATA_SEPARATE);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* Digits of seven segments, each of which is wrong now and then: the mixture cuts some of the few
 * patterns that there are, and is a little less stable than k-means. */
static void test_mixture_that_falls_apart(void **state) {
    (void)state;
    enum { MANY = 500, SEGMENTS = 7 };
    static const unsigned char lit[10] = {119, 36, 93, 109, 46, 107, 123, 37, 127, 111};
    float *x = malloc(sizeof *x * MANY * SEGMENTS);
    int32_t truth[MANY];
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_options o = short_options();
    decant_scores scores;
    o.k = 10;
    o.finetune_iterations = 10;
    uint32_t random = 2;
    for (size_t e = 0; e < MANY * SEGMENTS; e++) {
        random = random * 1664525 + 1013904223;
        truth[e / SEGMENTS] = (int32_t)(e / SEGMENTS % 10);
        int on = lit[e / SEGMENTS % 10] >> (e % SEGMENTS) & 1;
        x[e] = (float)((random >> 8) % 10 == 0 ? !on : on);
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, SEGMENTS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_ok(decant_score(r->labels, truth, MANY, &scores));
    print_message("start %d, ACC %.4f\n", (int)r->start, scores.acc);
    assert_int_equal(r->start, DECANT_START_DATA_KMEANS);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* Three classes of 25 topics each; every row has a part of a second topic, of any class. The graph
 * has many more than three communities, and k-means finds the classes. */
static void check_topics(size_t iterations, int start, double least) {
    enum { MANY = 1500, TOPICS = 75, COLUMNS = 20 };
    int32_t truth[MANY];
    float *x = sample_new(8, 0.3, (size_t)MANY * COLUMNS);
    float *topic = sample_new(9, 1, (size_t)TOPICS * COLUMNS);
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_scores scores;
    decant_options o = short_options();
    o.k = 3;
    o.networks = 1;
    o.finetune_iterations = iterations;
    for (size_t t = 0; t < TOPICS; t++) topic[t * COLUMNS + t % 3] += 3;
    for (size_t i = 0; i < MANY; i++) {
        const float *first = topic + i % TOPICS * COLUMNS;
        const float *second = topic + (i * 7 + i / TOPICS) % TOPICS * COLUMNS;
        float part = 0.45F * (float)(i % 11) / 10;
        truth[i] = (int32_t)(i % TOPICS % 3);
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] += (1 - part) * first[j] + part * second[j];
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, COLUMNS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_ok(decant_score(r->labels, truth, MANY, &scores));
    print_message("start %d, ACC %.4f\n", (int)r->start, scores.acc);
    assert_int_equal(r->start, start);
    assert_true(scores.acc > least);
    decant_result_free(r);
    decant_dataset_free(data);
    free(topic);
    free(x);
}

static void test_many_topics_are_for_both_spaces(void **state) {
    (void)state;
    check_topics(300, DECANT_START_JOINT_KMEANS, 0.85);
}

/* Features of a few iterations suit the graph of the data less than what k-means finds there. */
static void test_features_below_kmeans_are_no_start(void **state) {
    (void)state;
    check_topics(57, DECANT_START_DATA_KMEANS, 0.85);
}

/* Three classes that overlap, and one row in four is one of 25 copies of another: smoothing
 * draws the classes together and leaves the copies where they are, so that k-means on what is
 * smoothed finds the copies. On the graph such clusters are next to nothing. */
static void test_copies_are_no_clusters(void **state) {
    (void)state;
    enum { MANY = 1600, COLUMNS = 90, COPIES = 25 };
    int32_t truth[MANY];
    float *x = sample_new(8, 1, (size_t)MANY * COLUMNS);
    float *more = sample_new(9, 0.1, (size_t)MANY * COLUMNS);
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    decant_scores scores;
    decant_options o = short_options();
    o.k = 3;
    o.networks = 1;
    o.diffuse_iterations = 0;
    for (size_t i = 0; i < MANY; i++) {
        truth[i] = (int32_t)(i % 3);
        for (size_t j = 0; j < 12; j++) x[i * COLUMNS + 12 * (i % 3) + j] += 1.0F;
    }
    for (size_t i = 0; i < MANY / 4; i++) {
        size_t from = MANY - 1 - i / COPIES;
        truth[i] = truth[from];
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = x[from * COLUMNS + j] + more[i * COLUMNS + j];
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, MANY, COLUMNS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_ok(decant_score(r->labels, truth, MANY, &scores));
    print_message("start %d, ACC %.4f\n", (int)r->start, scores.acc);
    assert_int_equal(r->start, DECANT_START_FEATURES_KMEANS);
    assert_true(scores.acc > 0.9);
    decant_result_free(r);
    decant_dataset_free(data);
    free(more);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_of_unequal_size),
        cmocka_unit_test(test_groups_of_landmarks),
        cmocka_unit_test(test_long_groups_are_a_mixture),
        cmocka_unit_test(test_few_columns_are_a_mixture),
        cmocka_unit_test(test_moons_are_groups),
        cmocka_unit_test(test_one_piece_is_for_kmeans),
        cmocka_unit_test(test_a_full_square_has_no_groups),
        cmocka_unit_test(test_mixture_that_falls_apart),
        cmocka_unit_test(test_many_topics_are_for_both_spaces),
        cmocka_unit_test(test_features_below_kmeans_are_no_start),
        cmocka_unit_test(test_copies_are_no_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
