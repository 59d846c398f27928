#include "check.h"

#include "base/memory.h"
#include "data/dataset.h"

static const float dense[] = {1, 0, 2, 0, 0, 3};
static const size_t start[] = {0, 2, 3};
static const uint32_t column[] = {0, 2, 2};
static const float value[] = {1, 2, 3};

static void test_dataset_from_dense(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    assert_ok(decant_dataset_from_dense(dense, DECANT_FLOAT32, 2, 3, 0, &data));
    assert_int_equal(decant_dataset_rows(data), 2);
    assert_int_equal(decant_dataset_columns(data), 3);
    assert_int_equal(decant_dataset_nonzeros(data), 6);
    assert_false(decant_dataset_is_sparse(data));
    assert_ptr_equal(data->dense, dense);
    assert_null(decant_dataset_labels(data));
    assert_null(decant_dataset_class_name(data, 0));
    assert_null(decant_dataset_id(data, 0));
    decant_dataset_free(data);
    decant_dataset_free(NULL);
}

static void test_dataset_from_csr(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    assert_ok(csr_dataset(start, column, value, 2, 3, &data));
    assert_true(decant_dataset_is_sparse(data));
    assert_int_equal(decant_dataset_nonzeros(data), 3);
    decant_dataset_free(data);
}

static void test_dataset_refuses(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const size_t offset[] = {1, 2, 3}, backwards[] = {0, 2, 1};
    const uint32_t beyond[] = {0, 3, 2}, unsorted[] = {2, 0, 2}, twice[] = {1, 1, 2};
    assert_fails(decant_dataset_from_dense(NULL, DECANT_FLOAT32, 2, 3, 0, &data), DECANT_EINVAL,
                 "needs an array");
    assert_fails(decant_dataset_from_dense(dense, DECANT_FLOAT32, 0, 3, 0, &data), DECANT_EINVAL,
                 "not 0 x 3");
    assert_fails(decant_dataset_from_dense(dense, DECANT_FLOAT32, 2, 0, 0, &data), DECANT_EINVAL,
                 "not 2 x 0");
    assert_fails(decant_dataset_from_dense(dense, DECANT_FLOAT32, (size_t)1 << 33, 1, 0, &data),
                 DECANT_EINVAL, "large");
    assert_fails(csr_dataset(offset, column, value, 2, 3, &data), DECANT_EINVAL, "start");
    assert_fails(csr_dataset(backwards, column, value, 2, 3, &data), DECANT_EINVAL,
                 "row 1 ends at 2, but there are 1 values");
    assert_fails(csr_dataset(start, beyond, value, 2, 3, &data), DECANT_EINVAL,
                 "row 1 has column 3, but there are 3");
    assert_fails(csr_dataset(start, unsorted, value, 2, 3, &data), DECANT_EINVAL,
                 "row 1 are not in ascending order");
    assert_fails(csr_dataset(start, twice, value, 2, 3, &data), DECANT_EINVAL, "ascending");
    assert_null(data);
}

static void test_dataset_set_labels(void **state) {
    (void)state;
    decant_dataset *data;
    const int32_t labels[] = {12, 0}, negative[] = {0, -1};
    assert_ok(decant_dataset_from_dense(dense, DECANT_FLOAT32, 2, 3, 0, &data));
    assert_ok(decant_dataset_set_labels(data, labels));
    assert_fails(decant_dataset_set_labels(data, negative), DECANT_EINVAL, "label of row 2");
    for (size_t n = 1; n <= 2; n++) {
        decant__alloc_fail_at(n);
        assert_int_equal(decant_dataset_set_labels(data, labels), DECANT_ENOMEM);
        decant__alloc_fail_at(0);
    }
    assert_int_equal(decant_dataset_labels(data)[0], 12); /* still the first ones */
    assert_int_equal(decant_dataset_class_count(data), 13);
    assert_string_equal(decant_dataset_class_name(data, 12), "12");
    assert_ok(decant_dataset_set_labels(data, labels));
    decant_dataset_free(data);
}

static void test_dataset_check_finite(void **state) {
    (void)state;
    float x[6] = {0}, v[] = {1, 2, HUGE_VALF};
    decant_dataset *data;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 2, 3, 0, &data));
    assert_ok(decant__dataset_check_finite(data));
    x[4] = NAN;
    assert_fails(decant__dataset_check_finite(data), DECANT_EINVAL, "row 2, column 2");
    decant_dataset_free(data);
    assert_ok(csr_dataset(start, column, v, 2, 3, &data));
    assert_fails(decant__dataset_check_finite(data), DECANT_EINVAL, "row 2, column 3");
    v[2] = 1;
    v[1] = -HUGE_VALF;
    assert_fails(decant__dataset_check_finite(data), DECANT_EINVAL, "row 1, column 3");
    decant_dataset_free(data);
}

/* A digest depends on the values, the shape and the kind, and on nothing else. */
static void test_dataset_digest(void **state) {
    (void)state;
    float changed[6];
    decant_dataset *data[5];
    uint64_t digest[5][2], again[2];
    const int32_t labels[] = {1, 0};
    memcpy(changed, dense, sizeof changed);
    changed[5] = 4;
    assert_ok(decant_dataset_from_dense(dense, DECANT_FLOAT32, 2, 3, 0, &data[0]));
    assert_ok(decant_dataset_from_dense(dense, DECANT_FLOAT32, 3, 2, 0, &data[1]));
    assert_ok(decant_dataset_from_dense(changed, DECANT_FLOAT32, 2, 3, 0, &data[2]));
    assert_ok(csr_dataset(start, column, value, 2, 3, &data[3]));
    assert_ok(csr_dataset(start, column, value, 2, 4, &data[4]));
    for (size_t i = 0; i < 5; i++) decant__dataset_digest(data[i], digest[i]);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++) assert_memory_not_equal(digest[i], digest[j], 16);
    assert_ok(decant_dataset_set_labels(data[0], labels));
    decant__dataset_digest(data[0], again);
    assert_memory_equal(digest[0], again, 16);
    for (size_t i = 0; i < 5; i++) decant_dataset_free(data[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset_from_dense),   cmocka_unit_test(test_dataset_from_csr),
        cmocka_unit_test(test_dataset_refuses),      cmocka_unit_test(test_dataset_set_labels),
        cmocka_unit_test(test_dataset_check_finite), cmocka_unit_test(test_dataset_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
