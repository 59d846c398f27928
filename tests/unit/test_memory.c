#include "check.h"

#include "base/memory.h"

static void test_alloc_is_aligned(void **state) {
    (void)state;
    for (size_t count = 0; count < 300; count += 37) {
        float *block = decant__alloc_array(count, sizeof *block);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        decant__free(block);
    }
}

static void test_alloc_overflow_fails(void **state) {
    (void)state;
    assert_null(decant__alloc_array(SIZE_MAX / 2, 4));
    assert_non_null(strstr(decant_last_error(), "out of memory"));
    assert_null(decant__realloc_array(NULL, SIZE_MAX / 2, 4));
}

static void test_realloc_keeps_contents(void **state) {
    (void)state;
    int *block = decant__alloc_array(4, sizeof *block);
    for (int i = 0; i < 4; i++) block[i] = i;
    block = decant__realloc_array(block, 1000, sizeof *block);
    for (int i = 0; i < 4; i++) assert_int_equal(block[i], i);
    decant__free(block);
}

/* Blocks that grow one after the other cannot all grow in place: some of them move. */
static void test_realloc_is_aligned(void **state) {
    (void)state;
    enum { BLOCKS = 8, BYTES = 3000000 };
    unsigned char *block[BLOCKS] = {NULL};
    for (size_t bytes = 1; bytes < BYTES; bytes += bytes / 2 + 7)
        for (size_t b = 0; b < BLOCKS; b++) {
            block[b] = decant__realloc_array(block[b], bytes, 1);
            assert_non_null(block[b]);
            assert_int_equal((uintptr_t)block[b] % 64, 0);
            if (bytes == 1) block[b][0] = (unsigned char)(b + 1);
            assert_int_equal(block[b][0], b + 1);
            block[b][bytes - 1] = block[b][0];
        }
    for (size_t b = 0; b < BLOCKS; b++) {
        block[b] = decant__realloc_array(block[b], 2, 1);
        assert_int_equal((uintptr_t)block[b] % 64, 0);
        assert_int_equal(block[b][0], b + 1);
        decant__free(block[b]);
    }
}

static void test_realloc_failure_keeps_the_old_block(void **state) {
    (void)state;
    int *block = decant__alloc_array(1, sizeof *block);
    *block = 7;
    decant__alloc_fail_at(1);
    assert_null(decant__realloc_array(block, 1024, sizeof *block));
    decant__alloc_fail_at(0);
    assert_int_equal(*block, 7);
    decant__free(block);
}

static void test_fail_at_fails_just_that_one(void **state) {
    (void)state;
    decant__alloc_fail_at(2);
    void *first = decant__alloc_array(1, 1), *second = decant__alloc_array(1, 1);
    void *third = decant__alloc_array(1, 1);
    assert_int_equal(decant__alloc_fail_at(0), 3);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    decant__free(first);
    decant__free(third);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_is_aligned),
        cmocka_unit_test(test_alloc_overflow_fails),
        cmocka_unit_test(test_realloc_keeps_contents),
        cmocka_unit_test(test_realloc_is_aligned),
        cmocka_unit_test(test_realloc_failure_keeps_the_old_block),
        cmocka_unit_test(test_fail_at_fails_just_that_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
