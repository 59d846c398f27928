#include "sample.h"

#include "nn/block_columns.h"
#include "nn/layer.h"

enum { N = 11, D = 40 };

/* Each non-zero is there once, at its column, and columns without one are not. */
static void check_block(const decant__block_columns *block, const float *x) {
    float seen[N * D] = {0};
    for (size_t c = 0; c < block->set.count; c++) {
        size_t j = block->set.column[c];
        assert_true(block->start[c] < block->start[c + 1]);
        assert_int_equal(decant__column_set_find(&block->set, (uint32_t)j), c);
        for (size_t e = block->start[c]; e < block->start[c + 1]; e++) {
            if (e > block->start[c]) assert_true(block->row[e] > block->row[e - 1]);
            assert_true(seen[block->row[e] * D + j] == 0);
            seen[block->row[e] * D + j] = block->value[e];
        }
    }
    assert_memory_equal(seen, x, sizeof seen);
}

/* Blocks one after the other in the same room: what an earlier one left does not matter. */
static void test_fill_again_and_again(void **state) {
    (void)state;
    decant__block_columns block;
    float x[N * D];
    assert_ok(decant__block_columns_new(&block, D, (size_t)N * D));
    for (uint64_t seed = 1; seed < 40; seed++) {
        sample_normal(seed, 1, (size_t)N * D, x);
        sample_thin(seed + 1, (double)(seed % 5) / 10, (size_t)N * D, x);
        sample_csr csr = sample_csr_of(x, N, D);
        decant__rows rows = sample_csr_rows(&csr);
        decant__block_columns_fill(&block, &rows);
        check_block(&block, x);
        for (size_t j = 0; j < D; j++) {
            int occurs = 0;
            for (size_t i = 0; i < N; i++) occurs |= x[i * D + j] != 0;
            size_t place = decant__column_set_find(&block.set, (uint32_t)j);
            assert_int_equal(place < block.set.count, occurs);
        }
        sample_csr_free(&csr);
    }
    decant__block_columns_free(&block);
}

/* Rows of dW = x^T dy, wider than a piece. */
static void test_step_gives_rows_of_the_product(void **state) {
    (void)state;
    enum { WIDTH = DECANT__PIECE + 7 };
    decant__block_columns block;
    float *x = sample_new(1, 1, (size_t)N * D), *dy = sample_new(2, 1, (size_t)N * WIDTH);
    float *grads = sample_new(3, 0, (size_t)D * WIDTH), *piece = sample_new(4, 1, DECANT__PIECE);
    sample_thin(5, 0.1, (size_t)N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__rows rows = sample_csr_rows(&csr);
    assert_ok(decant__block_columns_new(&block, D, csr.start[N]));
    decant__block_columns_fill(&block, &rows);
    decant__shards shards = decant__shards_even(N);
    decant__row_steps steps = {.width = WIDTH, .grads = grads};
    for (size_t c = 0; c < block.set.count; c++)
        decant__block_columns_step(&block, c, dy, &shards, &steps, piece);
    for (size_t j = 0; j < D; j++) {
        for (size_t w = 0; w < WIDTH; w += w < 50 ? 1 : 97) {
            double sum = 0;
            for (size_t i = 0; i < N; i++) sum += (double)x[i * D + j] * (double)dy[i * WIDTH + w];
            assert_near(grads[j * WIDTH + w], sum, 1e-5);
        }
    }
    decant__block_columns_free(&block);
    sample_csr_free(&csr);
    free(x);
    free(dy);
    free(grads);
    free(piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_again_and_again),
        cmocka_unit_test(test_step_gives_rows_of_the_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
