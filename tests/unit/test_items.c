/* The images or texts of some rows, read again for the report. */
#include <sys/stat.h>

#include "base/memory.h"
#include "check.h"
#include "read/raw.h"
#include "features/image.h"
#include "files.h"

static decant_dataset *read_path(const char *path, int skip) {
    decant_dataset *data = NULL;
    decant_read_options reading = {.struct_size = sizeof reading, .skip_broken = skip};
    assert_ok(decant_dataset_read(&path, 1, &reading, NULL, &data));
    return data;
}

static void test_items_texts(void **state) {
    const uint32_t row[] = {0, 2};
    char *text[2];
    (void)state;
    decant_dataset *data = read_path(write_text("a.txt",
                                                "one word and another\n"
                                                "a second line of words\n"
                                                "k\xC3\xB6nig and more of them\n"),
                                     0);
    assert_ok(decant__items_texts(data, row, 2, 100, text));
    assert_string_equal(text[0], "one word and another");
    assert_string_equal(text[1], "k\xC3\xB6nig and more of them");
    decant__free(text[0]);
    decant__free(text[1]);
    assert_ok(decant__items_texts(data, row, 2, 2, text)); /* not within a character */
    assert_string_equal(text[0], "on");
    assert_string_equal(text[1], "k");
    decant__free(text[0]);
    decant__free(text[1]);
    decant_dataset_free(data);
}

/* What was skipped is no row. */
static void test_items_texts_skipped(void **state) {
    const uint32_t row[] = {1};
    char *text[1];
    (void)state;
    decant_dataset *data = read_path(write_text("b.txt",
                                                "the first of the lines\n"
                                                "caf\x81 is not in UTF-8 here\n"
                                                "the last of the lines\n"),
                                     1);
    assert_int_equal(data->n, 2);
    assert_ok(decant__items_texts(data, row, 1, 100, text));
    assert_string_equal(text[0], "the last of the lines");
    decant__free(text[0]);
    remove(data->origin.data.path[0]);
    assert_false(decant__origin_exists(&data->origin));
    assert_int_not_equal(decant__items_texts(data, row, 1, 100, text), DECANT_OK);
    decant_dataset_free(data);
}

static void write_picture(const char *name, uint8_t shade, size_t side) {
    decant__image image = {0};
    uint8_t *bytes;
    const char *type;
    size_t size;
    assert_ok(decant__image_allocate(&image, side, side, 1));
    memset(image.pixels, shade, side * side);
    assert_ok(decant__image_encode(&image, &type, &bytes, &size));
    assert_string_equal(type, "image/png");
    write_bytes(name, bytes, size);
    decant__free(bytes);
    decant__image_free(&image);
}

static void test_items_pictures(void **state) {
    const uint32_t row[] = {1, 2};
    uint8_t tile[2 * 4 * 4];
    (void)state;
    mkdir(in_folder("photos"), 0777);
    write_picture("photos/a.png", 10, 40);
    write_bytes("photos/b.png", "\x89PNG broken", 11);
    write_picture("photos/c.png", 100, 40);
    write_picture("photos/d.png", 200, 50);
    decant_dataset *data = read_path(in_folder("photos"), 1);
    assert_int_equal(data->n, 3);
    assert_ok(decant__items_pictures(data, row, 2, 4, 4, tile));
    assert_int_equal(tile[0], 100);
    assert_int_equal(tile[15], 100);
    assert_int_equal(tile[16], 200);
    assert_int_equal(tile[31], 200);
    remove(in_folder("photos/d.png"));
    assert_ok(decant__items_pictures(data, row, 2, 4, 4, tile)); /* what is gone is black */
    assert_int_equal(tile[16], 0);
    decant_dataset_free(data);
}

static void test_image_encode_colour(void **state) {
    decant__image image = {0}, back = {0};
    uint8_t *bytes;
    const char *type;
    size_t size;
    (void)state;
    assert_ok(decant__image_allocate(&image, 32, 16, 3));
    for (size_t i = 0; i < 32 * 16; i++) {
        const uint8_t pixel[] = {200, 100, 30};
        memcpy(image.pixels + 3 * i, pixel, 3);
    }
    assert_ok(decant__image_encode(&image, &type, &bytes, &size));
    assert_string_equal(type, "image/jpeg");
    assert_ok(decant__jpeg_decode(bytes, size, 3, &back));
    assert_true(back.width == 32 && back.height == 16);
    for (size_t i = 0; i < 3 * 32 * 16; i++) assert_near(back.pixels[i], image.pixels[i], 6);
    decant__free(bytes);
    decant__image_free(&image);
    decant__image_free(&back);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_texts),
        cmocka_unit_test(test_items_texts_skipped),
        cmocka_unit_test(test_items_pictures),
        cmocka_unit_test(test_image_encode_colour),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
