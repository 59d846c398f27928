#include "sample.h"

#include "embed/fourier.h"

enum { LANES = DECANT__FOURIER_LANES };

/* Against the sum of the definition, in double. */
static void check_size(size_t size) {
    decant__fourier fourier;
    size_t count = size * LANES;
    float *re = sample_new(size, 1, count), *im = sample_new(size + 1000, 1, count);
    float *in_re = malloc(count * sizeof *re), *in_im = malloc(count * sizeof *im);
    float *scratch = malloc(2 * count * sizeof *scratch);
    memcpy(in_re, re, count * sizeof *re);
    memcpy(in_im, im, count * sizeof *im);
    assert_ok(decant__fourier_new(&fourier, size));
    decant__fourier_apply(&fourier, re, im, scratch);
    for (size_t k = 0; k < size; k++)
        for (size_t l = 0; l < LANES; l += 3) {
            double sum_re = 0, sum_im = 0;
            for (size_t j = 0; j < size; j++) {
                double angle = -6.283185307179586 * (double)(j * k % size) / (double)size;
                double a = (double)in_re[j * LANES + l], b = (double)in_im[j * LANES + l];
                sum_re += a * cos(angle) - b * sin(angle);
                sum_im += a * sin(angle) + b * cos(angle);
            }
            assert_near(re[k * LANES + l], sum_re, 1e-5 * sqrt((double)size));
            assert_near(im[k * LANES + l], sum_im, 1e-5 * sqrt((double)size));
        }
    decant__fourier_apply(&fourier, im, re, scratch); /* back: size times what it was */
    for (size_t i = 0; i < count; i++) re[i] /= (float)size, im[i] /= (float)size;
    assert_true(largest_difference(re, in_re, count) < 1e-5);
    assert_true(largest_difference(im, in_im, count) < 1e-5);
    decant__fourier_free(&fourier);
    free(re), free(im), free(in_re), free(in_im), free(scratch);
}

static void test_fourier_apply(void **state) {
    (void)state;
    static const size_t sizes[] = {2, 3, 4, 5, 6, 8, 9, 25, 30, 48, 90, 100, 128, 135};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) check_size(sizes[i]);
}

static void test_fourier_size(void **state) {
    (void)state;
    assert_int_equal(decant__fourier_size(0), 2);
    assert_int_equal(decant__fourier_size(7), 8);
    assert_int_equal(decant__fourier_size(121), 125);
    assert_int_equal(decant__fourier_size(360), 360);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fourier_apply),
        cmocka_unit_test(test_fourier_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
