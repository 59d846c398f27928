#include "check.h"

#include "features/image.h"

/* One row of grey pixels, brought to another width; then the same as a column. */
static void check_resize(const uint8_t *in, size_t from, const uint8_t *expected, size_t to) {
    decant__resizer resizer = {0};
    for (int column = 0; column < 2; column++) {
        decant__image image = {0}, out = {0};
        assert_ok(decant__image_allocate(&image, column ? 1 : from, column ? from : 1, 1));
        memcpy(image.pixels, in, from);
        assert_ok(decant__image_resize(&image, column ? 1 : to, column ? to : 1, &resizer, &out));
        assert_int_equal(out.width * out.height, to);
        assert_memory_equal(out.pixels, expected, to);
        decant__image_free(&image);
        decant__image_free(&out);
    }
    decant__resizer_free(&resizer);
}

/* The mean over the area that a pixel covers, rounded to the nearest. */
static void test_resize_shrinks(void **state) {
    (void)state;
    check_resize((const uint8_t[]){10, 20, 30, 50}, 4, (const uint8_t[]){15, 40}, 2);
    check_resize((const uint8_t[]){0, 1}, 2, (const uint8_t[]){1}, 1);
    check_resize((const uint8_t[]){0, 0, 1}, 3, (const uint8_t[]){0}, 1);
    check_resize((const uint8_t[]){255, 255, 255}, 3, (const uint8_t[]){255, 255}, 2);
    check_resize((const uint8_t[]){0, 90, 180}, 3, (const uint8_t[]){30, 150}, 2);
}

/* Between the centres of two pixels, linear; outside of them, the last one. */
static void test_resize_grows(void **state) {
    (void)state;
    check_resize((const uint8_t[]){0, 100}, 2, (const uint8_t[]){0, 25, 75, 100}, 4);
    check_resize((const uint8_t[]){7}, 1, (const uint8_t[]){7, 7, 7}, 3);
    check_resize((const uint8_t[]){9, 8, 7}, 3, (const uint8_t[]){9, 8, 7}, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resize_shrinks),
        cmocka_unit_test(test_resize_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
