#include <stdlib.h>

#include "check.h"
#include "base/memory.h"
#include "features/exif.h"
#include "features/image.h"

enum { WIDTH = 32, HEIGHT = 16, SEGMENT = 36 };

/* An APP1 segment with one directory entry, in either byte order. */
static void make_segment(uint8_t segment[SEGMENT], int orientation, int big) {
    static const uint8_t head[] = {0xFF, 0xE1, 0, SEGMENT - 2, 'E', 'x', 'i', 'f', 0, 0};
    static const uint8_t large[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1};
    static const uint8_t small[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0};
    memset(segment, 0, SEGMENT);
    memcpy(segment, head, sizeof head);
    memcpy(segment + sizeof head, big ? large : small, sizeof large);
    segment[sizeof head + sizeof large + (big ? 1 : 0)] = (uint8_t)orientation;
}

/* Its corners are light (top left), dark, middle and lighter, clockwise. */
static const uint8_t corners[4] = {250, 10, 90, 170};

/* A grey JPEG with such a segment, in new memory. */
static uint8_t *make_jpeg(int orientation, int big, size_t *size) {
    decant__image image = {0};
    uint8_t *plain, segment[SEGMENT];
    assert_ok(decant__image_allocate(&image, WIDTH, HEIGHT, 1));
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            image.pixels[y * WIDTH + x] =
                corners[y < HEIGHT / 2 ? x >= WIDTH / 2 : 2 + (x < WIDTH / 2)];
    assert_ok(decant__jpeg_encode(&image, &plain, size));
    uint8_t *file = malloc(*size + SEGMENT);
    make_segment(segment, orientation, big);
    memcpy(file, plain, 2);
    memcpy(file + 2, segment, SEGMENT);
    memcpy(file + 2 + SEGMENT, plain + 2, *size - 2);
    *size += SEGMENT;
    decant__free(plain);
    decant__image_free(&image);
    return file;
}

/* Which corner of the stored picture is at the top left, top right, bottom right and bottom left of
 * the upright one: the table of the EXIF standard. */
static const int upright[9][4] = {{0},          {0, 1, 2, 3}, {1, 0, 3, 2},
                                  {2, 3, 0, 1}, {3, 2, 1, 0}, {0, 3, 2, 1},
                                  {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 2, 3, 0}};

static void test_orientations(void **state) {
    (void)state;
    for (int o = 1; o <= 8; o++) {
        decant__image image = {0};
        size_t size, width, height, channels;
        uint8_t *file = make_jpeg(o, o % 2, &size);
        assert_int_equal(decant__exif_orientation(file, size), o);
        assert_ok(decant__jpeg_size(file, size, &width, &height, &channels));
        assert_int_equal(width, o < 5 ? WIDTH : HEIGHT);
        assert_int_equal(height, o < 5 ? HEIGHT : WIDTH);
        assert_ok(decant__jpeg_decode(file, size, 1, &image));
        assert_true(image.width == width && image.height == height);
        const uint8_t *p = image.pixels;
        const uint8_t found[] = {p[0], p[width - 1], p[height * width - 1],
                                 p[(height - 1) * width]};
        for (int c = 0; c < 4; c++) assert_near(found[c], corners[upright[o][c]], 12);
        decant__image_free(&image);
        free(file);
    }
}

/* Cut anywhere, or with any byte changed, it is upright or turned, and no byte outside is read (the
 * sanitizers look). */
static void test_damage(void **state) {
    (void)state;
    size_t size;
    uint8_t *file = make_jpeg(6, 1, &size);
    for (size_t cut = 0; cut < 2 + SEGMENT; cut++) {
        uint8_t *part = malloc(cut + 1);
        memcpy(part, file, cut);
        assert_int_equal(decant__exif_orientation(part, cut), 1);
        free(part);
    }
    for (size_t at = 0; at < 2 + SEGMENT; at++)
        for (int value = 0; value < 256; value++) {
            uint8_t *copy = malloc(2 + SEGMENT + 2);
            memcpy(copy, file, 2 + SEGMENT + 2);
            copy[at] = (uint8_t)value;
            int found = decant__exif_orientation(copy, 2 + SEGMENT + 2);
            assert_true(found >= 1 && found <= 8);
            free(copy);
        }
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
