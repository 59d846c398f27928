#include "base/memory.h"
#include "check.h"
#include "store/trace.h"
#include "files.h"
#include "store/trace_file.h"

enum { N = 40, K = 3, WIDTH = 2 };

/* Offers an update; its features are all the step's number. */
static void update(decant__trace *trace, uint64_t step) {
    int32_t labels[N];
    float centroids[K * WIDTH];
    for (int i = 0; i < N; i++) labels[i] = (int32_t)((step + (uint64_t)i) % K);
    for (int i = 0; i < K * WIDTH; i++) centroids[i] = (float)step;
    float *z = decant__trace_next(trace, step, labels, centroids);
    if (z == NULL) return;
    for (size_t i = 0; i < trace->kept.rows * WIDTH; i++) z[i] = (float)step;
}

static void assert_frames(const decant__trace *trace, const double *steps, size_t count) {
    const decant_trace *kept = &trace->kept;
    assert_int_equal(trace->frames, count);
    for (size_t f = 0; f < count; f++) {
        assert_true(kept->step[f] == steps[f]);
        for (size_t i = 0; i < kept->rows; i++) {
            assert_true(kept->z[(f * kept->rows + i) * WIDTH] == (float)steps[f]);
            assert_int_equal(kept->labels[f * kept->rows + i],
                             ((uint32_t)steps[f] + kept->row[i]) % K);
        }
        assert_true(kept->centroids[f * K * WIDTH] == (float)steps[f]);
    }
}

static void test_trace_thins_out(void **state) {
    decant__trace trace;
    (void)state;
    assert_ok(decant__trace_new(&trace, N, K, WIDTH, 1));
    assert_int_equal(trace.kept.rows, N);
    for (uint64_t step = 0; step < 12; step++) update(&trace, step);
    const double all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    assert_frames(&trace, all, 12);
    for (uint64_t step = 12; step < 50; step++) update(&trace, step);
    const double thinned[] = {0, 8, 16, 24, 32, 40, 48};
    assert_frames(&trace, thinned, 7);
    decant__trace_free(&trace);
}

static void test_trace_goes_back(void **state) {
    decant__trace trace;
    (void)state;
    assert_ok(decant__trace_new(&trace, N, K, WIDTH, 1));
    for (uint64_t step = 0; step < 6; step++) update(&trace, 10 * step);
    update(&trace, 20); /* rolled back to step 20 */
    const double again[] = {0, 10, 20};
    assert_frames(&trace, again, 3);
    decant__trace_free(&trace);
}

static void test_trace_chooses_rows(void **state) {
    uint32_t first[7], second[7], other[7];
    size_t seen[20] = {0};
    (void)state;
    decant__choose_rows(20, 7, 5, first);
    decant__choose_rows(20, 7, 5, second);
    decant__choose_rows(20, 7, 6, other);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        decant__choose_rows(20, 7, seed, first);
        for (int i = 0; i < 7; i++) {
            assert_true(first[i] < 20 && (i == 0 || first[i] > first[i - 1]));
            seen[first[i]]++;
        }
    }
    for (int i = 0; i < 20; i++) assert_true(seen[i] > 600 && seen[i] < 800); /* 700 each */
}

static void test_trace_is_bounded(void **state) {
    decant__trace trace;
    (void)state;
    assert_ok(decant__trace_new(&trace, 1000000, 2, 10, 1));
    assert_int_equal(trace.kept.rows, DECANT__TRACE_ROWS);
    decant__trace_free(&trace);
    assert_ok(decant__trace_new(&trace, 1000000, 2, 100000, 1));
    assert_int_equal(trace.kept.rows, 5);
    decant__trace_free(&trace);
    assert_ok(decant__trace_new(&trace, 1000000, 2, 0, 1)); /* no refinement */
    assert_null(decant__trace_next(&trace, 0, NULL, NULL));
    decant__trace_free(&trace);
}

static void test_trace_file(void **state) {
    decant__trace trace;
    decant_trace read;
    (void)state;
    assert_ok(decant__trace_new(&trace, N, K, WIDTH, 1));
    for (uint64_t step = 0; step < 5; step++) update(&trace, step);
    decant_result result = {.trace = trace.kept};
    result.trace.frames = (size_t)trace.frames;
    const char *path = in_folder("trace.safetensors");
    assert_ok(decant__trace_write(path, &result.trace));
    assert_ok(decant__trace_read(path, N, K, WIDTH, &read));
    assert_int_equal(read.frames, 5);
    assert_memory_equal(read.z, trace.kept.z, 5 * N * WIDTH * sizeof(float));
    assert_memory_equal(read.labels, trace.kept.labels, 5 * N * sizeof(int32_t));
    assert_memory_equal(read.centroids, trace.kept.centroids, 5 * K * WIDTH * sizeof(float));
    decant__trace_release(&read);
    assert_fails(decant__trace_read(path, N - 1, K, WIDTH, &read), DECANT_EFORMAT, "rows");
    assert_fails(decant__trace_read(path, N, K - 1, WIDTH, &read), DECANT_EFORMAT, "centroids");
    assert_fails(decant__trace_read(path, N, K, WIDTH + 1, &read), DECANT_EFORMAT, "z");
    assert_ok(decant__trace_read(in_folder("none"), N, K, WIDTH, &read));
    assert_int_equal(read.rows, 0);
    decant__trace_free(&trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_thins_out),    cmocka_unit_test(test_trace_goes_back),
        cmocka_unit_test(test_trace_chooses_rows), cmocka_unit_test(test_trace_is_bounded),
        cmocka_unit_test(test_trace_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
