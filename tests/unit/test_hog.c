/* HOG and colour map against numpy (gen_hog.py), and what must hold for any picture. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "features/colormap.h"
#include "features/picture.h"
#include "hog_reference.h"

/* The same picture as in gen_hog.py. */
static decant__image make_image(size_t width, size_t height, size_t channels) {
    decant__image image = {0};
    uint32_t seed = (uint32_t)(width * 1000 + height);
    assert_ok(decant__image_allocate(&image, width, height, channels));
    for (size_t i = 0; i < width * height * channels; i++) {
        seed = (seed * 1103515245u + 12345u) & 0x7fffffffu;
        image.pixels[i] = (uint8_t)(seed >> 16);
    }
    return image;
}

static float *hog_of(const decant__image *image, int is_signed, size_t *count) {
    decant__hog hog;
    assert_ok(decant__hog_new(&hog, is_signed, image->width, image->height));
    *count = decant__hog_columns(&hog);
    float *out = calloc(*count, sizeof *out);
    double *scratch = calloc(decant__hog_scratch_size(&hog), sizeof *scratch);
    decant__hog_compute(&hog, image, scratch, out);
    free(scratch);
    decant__hog_free(&hog);
    return out;
}

static void check_hog(size_t width, size_t height, size_t channels, int is_signed,
                      const float *expected, size_t expected_count) {
    decant__image image = make_image(width, height, channels);
    size_t count;
    float *out = hog_of(&image, is_signed, &count);
    assert_int_equal(count, expected_count);
    assert_true(largest_difference(out, expected, count) < 1e-5);
    free(out);
    decant__image_free(&image);
}

static void test_hog_as_numpy(void **state) {
    (void)state;
    check_hog(24, 24, 3, 0, hog_24x24x3, sizeof hog_24x24x3 / sizeof(float));
    check_hog(40, 33, 3, 0, hog_40x33x3, sizeof hog_40x33x3 / sizeof(float));
    check_hog(44, 20, 1, 0, hog_44x20x1, sizeof hog_44x20x1 / sizeof(float));
    check_hog(40, 33, 3, 1, hog31_40x33x3, sizeof hog31_40x33x3 / sizeof(float));
}

/* A picture of one colour has no gradients; all numbers are within their bounds. */
static void test_hog_bounds(void **state) {
    (void)state;
    size_t count;
    decant__image image = make_image(96, 96, 3);
    float *out = hog_of(&image, 0, &count);
    assert_int_equal(count, 1300);
    for (size_t i = 0; i < count; i++) {
        assert_true(out[i] >= 0);
        assert_true(out[i] <= (i % 13 < 9 ? 0.4f : 0.4243f));
    }
    free(out);
    memset(image.pixels, 77, 96 * 96 * 3);
    out = hog_of(&image, 1, &count);
    assert_int_equal(count, 3100);
    for (size_t i = 0; i < count; i++) assert_true(out[i] == 0);
    free(out);
    decant__image_free(&image);
}

static void test_hog_too_small(void **state) {
    (void)state;
    decant__hog hog;
    assert_fails(decant__hog_new(&hog, 0, 19, 40), DECANT_EINVAL, "19 x 40 pixels are too small");
    assert_fails(decant__hog_new(&hog, 0, 40, 1), DECANT_EINVAL, "needs 20 x 20");
}

static void test_colormap_as_numpy(void **state) {
    (void)state;
    float out[DECANT__COLORMAP_COLUMNS];
    decant__image image = make_image(96, 96, 3);
    decant__colormap_compute(&image, out);
    assert_memory_equal(out, colormap_96x96x3, sizeof out);
    decant__image_free(&image);
    image = make_image(16, 32, 1);
    decant__colormap_compute(&image, out);
    assert_memory_equal(out, colormap_16x32x1, sizeof out);
    for (size_t i = 0; i < DECANT__COLORMAP_COLUMNS; i++) assert_true(out[i] == 128); /* grey */
    decant__image_free(&image);
    image = make_image(3, 5, 3); /* smaller than the map */
    decant__colormap_compute(&image, out);
    decant__image_free(&image);
}

static void test_picture_1428(void **state) {
    (void)state;
    decant_features features = {
        .kind = DECANT_FEATURES_HOG_COLORMAP, .width = 96, .height = 96, .channels = 3};
    decant__picture picture;
    decant__picture_scratch room;
    decant__image image = make_image(96, 96, 3);
    float row[1428];
    size_t count;
    assert_ok(decant__picture_new(&picture, &features));
    assert_int_equal(features.d, 1428);
    assert_ok(decant__picture_scratch_new(&picture, &room));
    assert_ok(decant__picture_row(&picture, &image, &room, row));
    float *hog = hog_of(&image, 0, &count);
    for (size_t i = 0; i < 1300; i++) assert_near(row[i], (hog[i] - 0.2f) * 10, 1e-6);
    for (size_t i = 0; i < 128; i++)
        assert_near(row[1300 + i], (colormap_96x96x3[i] - 128) / 10, 1e-6);
    free(hog);
    decant__picture_scratch_free(&room);
    decant__picture_free(&picture);
    decant__image_free(&image);
}

/* ---- resizing ---- */

static decant__image resized(const decant__image *image, size_t width, size_t height) {
    decant__image out = {0};
    decant__resizer resizer = {0};
    assert_ok(decant__image_resize(image, width, height, &resizer, &out));
    decant__resizer_free(&resizer);
    return out;
}

/* By a whole factor, a pixel is the plain mean of those it covers; otherwise the mean of the
 * picture stays. */
static void test_resize_area(void **state) {
    (void)state;
    decant__image image = make_image(60, 36, 3), small = resized(&image, 20, 12);
    for (size_t y = 0; y < 12; y++)
        for (size_t x = 0; x < 20; x++)
            for (size_t c = 0; c < 3; c++) {
                double sum = 0;
                for (size_t i = 0; i < 9; i++)
                    sum += image.pixels[((3 * y + i / 3) * 60 + 3 * x + i % 3) * 3 + c];
                assert_near(small.pixels[(y * 20 + x) * 3 + c], sum / 9, 0.501);
            }
    decant__image_free(&small);
    small = resized(&image, 7, 11);
    double before = 0, after = 0;
    for (size_t i = 0; i < 60 * 36 * 3; i++) before += image.pixels[i];
    for (size_t i = 0; i < 7 * 11 * 3; i++) after += small.pixels[i];
    assert_near(after / (7 * 11 * 3), before / (60 * 36 * 3), 0.3);
    decant__image_free(&small);
    decant__image_free(&image);
}

static void test_resize_grow(void **state) {
    (void)state;
    decant__image image = {0};
    assert_ok(decant__image_allocate(&image, 2, 1, 1));
    image.pixels[0] = 0;
    image.pixels[1] = 200;
    decant__image large = resized(&image, 4, 3);
    static const uint8_t expected[] = {0, 50, 150, 200};
    for (size_t y = 0; y < 3; y++) assert_memory_equal(large.pixels + 4 * y, expected, 4);
    decant__image_free(&large);
    decant__image_free(&image);
    image = make_image(9, 8, 3);
    large = resized(&image, 9, 8); /* the same size is the same picture */
    assert_memory_equal(large.pixels, image.pixels, 9 * 8 * 3);
    decant__image_free(&large);
    decant__image_free(&image);
}

static void test_image_too_large(void **state) {
    (void)state;
    decant__image image = {0};
    assert_fails(decant__image_allocate(&image, 100000, 100000, 3), DECANT_EFORMAT,
                 "claims to be an image of 100000 x 100000 pixels");
    assert_fails(decant__image_allocate(&image, 0, 5, 3), DECANT_EFORMAT, "0 x 5 pixels");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hog_as_numpy),  cmocka_unit_test(test_hog_bounds),
        cmocka_unit_test(test_hog_too_small), cmocka_unit_test(test_colormap_as_numpy),
        cmocka_unit_test(test_picture_1428),  cmocka_unit_test(test_resize_area),
        cmocka_unit_test(test_resize_grow),   cmocka_unit_test(test_image_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
