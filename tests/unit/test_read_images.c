/* Reading images: folders of PNG and JPEG, STL-10's files, and broken files. */
#include "files.h"

#include <sys/stat.h>

#include <jpeglib.h>
#include <png.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "features/image.h"

enum { SIDE = 96, PLANE = SIDE * SIDE, STL_BYTES = 3 * PLANE };

/* A pixel of picture n. */
static uint8_t value(size_t n, size_t y, size_t x, size_t c) {
    return (uint8_t)(n * 40 + y * 3 + x * (c + 1));
}

static void paint(uint8_t *pixels, size_t n, size_t width, size_t height, size_t channels) {
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < channels; c++)
                pixels[(y * width + x) * channels + c] = value(n, y, x, c);
}

static const char *write_png(const char *name, size_t n, size_t width, size_t height, int colour) {
    static uint8_t pixels[128 * 128 * 3];
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    paint(pixels, n, width, height, colour ? 3 : 1);
    assert_true(png_image_write_to_file(&png, in_folder(name), 0, pixels, 0, NULL));
    return in_folder(name);
}

static const char *write_jpeg(const char *name, size_t n, size_t width, size_t height) {
    static uint8_t pixels[128 * 128 * 3];
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(in_folder(name), "wb");
    paint(pixels, n, width, height, 3);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)width;
    jpeg.image_height = (JDIMENSION)height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = pixels + jpeg.next_scanline * width * 3;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    fclose(file);
    return in_folder(name);
}

/* The first bytes of a file as another file. */
static void cut_file(const char *name, const char *to, double share) {
    static unsigned char bytes[1 << 18];
    size_t count = read_bytes(in_folder(name), bytes, sizeof bytes);
    write_bytes(to, bytes, (size_t)((double)count * share));
}

static decant_status read_with(const char *path, const char *features, const char *resize,
                               decant_read_options wanted, decant_dataset **data) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    assert_ok(decant_options_set(&options, "features", features));
    assert_ok(decant_options_set(&options, "resize", resize));
    options.threads = 3;
    wanted.struct_size = sizeof wanted;
    wanted.options = &options;
    *data = NULL;
    return decant_dataset_read(&path, 1, &wanted, NULL, data);
}

static void assert_note(const decant_dataset *data, const char *text) {
    for (size_t i = 0; decant_dataset_note(data, i) != NULL; i++)
        if (strstr(decant_dataset_note(data, i), text) != NULL) return;
    print_error("no note says: %s\n", text);
    fail();
}

static const char *make_folder_of_images(const char *name) {
    static char path[128];
    char inside[128];
    snprintf(path, sizeof path, "%s", in_folder(name));
    mkdir(path, 0700);
    for (size_t f = 0; f < 2; f++) {
        snprintf(inside, sizeof inside, "%s/kind%zu", name, f);
        mkdir(in_folder(inside), 0700);
        snprintf(inside, sizeof inside, "%s/kind%zu/a.png", name, f);
        write_png(inside, 2 * f, 40, 32, 1);
        snprintf(inside, sizeof inside, "%s/kind%zu/b.jpg", name, f);
        write_jpeg(inside, 2 * f + 1, 40, 32);
    }
    return path;
}

static void test_read_pixels(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = make_folder_of_images("pixels");
    assert_ok(read_with(path, "pixels", "auto", (decant_read_options){.folder_labels = 1}, &data));
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 40 * 32 * 3);
    assert_string_equal(decant_dataset_id(data, 0), "kind0/a.png");
    assert_string_equal(decant_dataset_id(data, 3), "kind1/b.jpg");
    assert_int_equal(data->labels[1], 0);
    assert_int_equal(data->labels[2], 1);
    assert_string_equal(decant_dataset_class_name(data, 1), "kind1");
    for (size_t i = 0; i < data->d; i++) { /* PNG exactly, JPEG nearly but where values wrap */
        size_t y = i / 120, x = i / 3 % 40, c = i % 3;
        assert_true(data->dense[i] == (float)value(0, y, x, c));
        assert_true(data->dense[2 * data->d + i] == (float)value(2, y, x, c));
    }
    assert_non_null(strstr(decant_dataset_format(data), "colour images of 40x32, as pixels"));
    decant_dataset_free(data);
}

static void test_read_sizes_that_differ(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = make_folder_of_images("sizes");
    write_png("sizes/kind0/c.png", 5, 50, 60, 0);
    assert_ok(read_with(path, "auto", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->n, 5);
    assert_int_equal(data->d, 1428);
    assert_string_equal(decant_dataset_format(data),
                        "colour images resized to 96x96, as hog+colormap");
    decant_dataset_free(data);
    assert_ok(read_with(path, "hog31", "24x32", (decant_read_options){0}, &data));
    assert_int_equal(data->d, 1 * 2 * 31);
    decant_dataset_free(data);
    assert_fails(read_with(path, "hog", "10x10", (decant_read_options){0}, &data), DECANT_EINVAL,
                 "too small for hog");
    assert_fails(read_with(path, "tfidf", "auto", (decant_read_options){0}, &data), DECANT_EINVAL,
                 "tfidf is for text");
}

static void test_read_auto_kinds(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = write_png("small.png", 0, 28, 28, 0);
    assert_ok(read_with(path, "auto", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->d, 784); /* pixels */
    decant_dataset_free(data);
    path = write_png("grey.png", 0, 40, 40, 0);
    assert_ok(read_with(path, "auto", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->d, 3 * 3 * 13); /* hog */
    assert_string_equal(decant_dataset_format(data), "grey images of 40x40, as hog");
    decant_dataset_free(data);
    assert_ok(read_with(path, "colormap", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->d, 128);
    decant_dataset_free(data);
}

/* The same rows for any number of threads, at once and in blocks, and by a recipe. */
static void test_stream_same_rows(void **state) {
    (void)state;
    decant_dataset *data, *block;
    decant_stream *stream;
    const char *path = make_folder_of_images("stream");
    assert_ok(read_with(path, "hog+colormap", "48x40", (decant_read_options){0}, &data));
    for (int threads = 1; threads <= 8; threads *= 2) {
        decant_options options;
        decant_options_init(&options, sizeof options);
        options.threads = threads;
        decant_read_options wanted = {.struct_size = sizeof wanted,
                                      .options = &options,
                                      .features = data->features,
                                      .columns = data->d};
        assert_ok(decant_stream_open(&path, 1, &wanted, NULL, &stream));
        for (size_t i = 0; i < data->n; i += 3) {
            assert_ok(decant_stream_next(stream, 3, &block));
            assert_memory_equal(block->dense, data->dense + i * data->d,
                                block->n * data->d * sizeof(float));
            decant_dataset_free(block);
        }
        assert_ok(decant_stream_next(stream, 3, &block));
        assert_null(block);
        decant_stream_close(stream);
    }
    decant_dataset_free(data);
}

/* ---- STL-10 ---- */

/* Bytes in exactly its layout: n * 27648 + plane * 9216 + column * 96 + row. */
static void write_stl(const char *name, size_t first, size_t count) {
    uint8_t *bytes = calloc(count, STL_BYTES);
    for (size_t n = 0; n < count; n++)
        for (size_t c = 0; c < 3; c++)
            for (size_t x = 0; x < SIDE; x++)
                for (size_t y = 0; y < SIDE; y++)
                    bytes[n * STL_BYTES + c * PLANE + x * SIDE + y] = value(first + n, y, x, c);
    write_bytes(name, bytes, count * STL_BYTES);
    free(bytes);
}

static void test_read_stl10(void **state) {
    (void)state;
    decant_dataset *data;
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("stl10"));
    mkdir(path, 0700);
    write_stl("stl10/train_X.bin", 0, 3);
    write_stl("stl10/test_X.bin", 3, 2);
    write_stl("stl10/unlabeled_X.bin", 5, 2);
    write_bytes("stl10/train_y.bin", "\x01\x0a\x02", 3);
    write_bytes("stl10/test_y.bin", "\x0a\x01", 2);
    assert_ok(read_with(path, "pixels", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->n, 5); /* train, then test */
    assert_int_equal(data->d, SIDE * SIDE * 3);
    for (size_t n = 0; n < 5; n++)
        for (size_t y = 0; y < SIDE; y++)
            for (size_t x = 0; x < SIDE; x++)
                for (size_t c = 0; c < 3; c++)
                    assert_true(data->dense[n * data->d + (y * SIDE + x) * 3 + c] ==
                                (float)value(n, y, x, c));
    static const char *const names[] = {"0", "9", "1", "9", "0"};
    for (size_t n = 0; n < 5; n++)
        assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[n]), names[n]);
    assert_string_equal(decant_dataset_id(data, 3), "test_X.bin:0");
    decant_dataset_free(data);

    assert_ok(read_with(path, "auto", "auto", (decant_read_options){0}, &data));
    assert_int_equal(data->d, 1428);
    decant_dataset_free(data);
    assert_ok(read_with(in_folder("stl10/unlabeled_X.bin"), "hog", "auto", (decant_read_options){0},
                        &data));
    assert_int_equal(data->n, 2);
    assert_null(data->labels);
    decant_dataset_free(data);

    write_bytes("stl10/test_y.bin", "\x0a", 1);
    assert_fails(read_with(path, "auto", "auto", (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "test_y.bin: expected 2 labels, found 1");
    write_bytes("stl10/test_y.bin", "\x0a\x0b", 2);
    assert_fails(read_with(path, "auto", "auto", (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "label 2: expected 1 to 10, found 11");
    write_bytes("stl10/test_X.bin", "abc", 3);
    assert_fails(read_with(path, "auto", "auto", (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "27648 bytes each, found 3 bytes");
}

/* ---- broken files ---- */

/* Each alone stops the reading with a sentence that names it; skipped, the others stay. */
static void test_read_broken(void **state) {
    (void)state;
    decant_dataset *data;
    char name[64], folder[128];
    snprintf(folder, sizeof folder, "%s", make_folder_of_images("broken"));
    static const struct {
        const char *name, *from, *text;
        double share;
    } cases[] = {
        {"cut.jpg", "broken/kind0/b.jpg", "cut.jpg: is a damaged JPEG: it ends before", 0.9},
        {"head.jpg", "broken/kind0/b.jpg", "head.jpg: is a damaged JPEG", 0.01},
        {"cut.png", "broken/kind0/a.png", "cut.png: is a damaged PNG", 0.6},
        {"head.png", "broken/kind0/a.png", "head.png: is a damaged PNG", 0.1},
        {"empty.png", "broken/kind0/a.png",
         "empty.png: expected a PNG or JPEG image, found an "
         "empty",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(name, sizeof name, "broken/%s", cases[i].name);
        cut_file(cases[i].from, name, cases[i].share);
        assert_fails(read_with(folder, "hog", "auto", (decant_read_options){0}, &data),
                     DECANT_EFORMAT, cases[i].text);
        assert_ok(read_with(folder, "hog", "auto", (decant_read_options){.skip_broken = 1}, &data));
        assert_int_equal(data->n, 4);
        assert_int_equal(decant_dataset_skipped(data), 1);
        assert_note(data, cases[i].text);
        decant_dataset_free(data);
        remove(in_folder(name));
    }
    char link[300];
    snprintf(link, sizeof link, "%s/broken/nowhere.png", test_folder);
    assert_int_equal(symlink("absent", link), 0);
    assert_fails(read_with(folder, "hog", "auto", (decant_read_options){0}, &data), DECANT_EIO,
                 "nowhere.png: cannot be opened: No such file");
    assert_ok(read_with(folder, "hog", "auto", (decant_read_options){.skip_broken = 1}, &data));
    assert_int_equal(data->n, 4);
    assert_int_equal(decant_dataset_skipped(data), 1);
    assert_note(data, "nowhere.png: cannot be opened");
    decant_dataset_free(data);
    remove(link);
    write_text("broken/words.jpg", "these are words");
    write_text("broken/readme", "these are words, and no picture");
    assert_fails(read_with(folder, "hog", "auto", (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "words.jpg: expected a PNG or JPEG image, found text");
    assert_ok(read_with(folder, "hog", "auto", (decant_read_options){.skip_broken = 1}, &data));
    assert_note(data, "1 files that are no PNG or JPEG were left out");
    decant_dataset_free(data);
}

/* A head that claims 100 000 x 100 000 pixels, with a proper checksum, and nothing behind it. */
static void test_read_bomb(void **state) {
    (void)state;
    decant_dataset *data;
    unsigned char bytes[64] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\x86\xa0\0\x01\x86\xa0\x08\x02";
    uLong sum = crc32(0, bytes + 12, 17);
    for (int i = 0; i < 4; i++) bytes[29 + i] = (unsigned char)(sum >> (24 - 8 * i));
    memcpy(bytes + 33, "\0\0\0\0IDAT\x35\xaf\x06\x1e", 12);
    const char *path = write_bytes("bomb.png", bytes, 45);
    assert_fails(read_with(path, "hog", "96x96", (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "bomb.png: claims to be an image of 100000 x 100000 pixels");
}

static void test_read_other_model(void **state) {
    (void)state;
    decant_dataset *images, *texts, *data = NULL;
    const char *path = write_png("one.png", 0, 40, 40, 1);
    const char *prose = write_text("prose", "these are words of one document\n");
    assert_ok(read_with(path, "hog", "auto", (decant_read_options){0}, &images));
    assert_ok(read_with(prose, "auto", "auto", (decant_read_options){0}, &texts));
    decant_read_options wanted = {.struct_size = sizeof wanted, .features = images->features};
    assert_fails(decant_dataset_read(&prose, 1, &wanted, NULL, &data), DECANT_EINVAL,
                 "is text, but the model was fitted on images");
    wanted.features = texts->features;
    assert_fails(decant_dataset_read(&path, 1, &wanted, NULL, &data), DECANT_EINVAL,
                 "is an image, but the model was fitted on text");
    decant_dataset_free(images);
    decant_dataset_free(texts);
}

static void test_read_without_memory(void **state) {
    (void)state;
    char folder[128];
    snprintf(folder, sizeof folder, "%s", make_folder_of_images("memory"));
    for (size_t n = 1;; n++) {
        decant_dataset *data = NULL;
        decant_options options;
        const char *path = folder;
        decant_options_init(&options, sizeof options);
        options.threads = 1; /* allocations are counted in order */
        options.resize_width = options.resize_height = 24;
        decant_read_options wanted = {.struct_size = sizeof wanted, .options = &options};
        decant__alloc_fail_at(n);
        decant_status status = decant_dataset_read(&path, 1, &wanted, NULL, &data);
        size_t made = decant__alloc_fail_at(0);
        decant_dataset_free(data);
        assert_int_equal(status, made < n ? DECANT_OK : DECANT_ENOMEM);
        if (made < n) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_pixels),         cmocka_unit_test(test_read_sizes_that_differ),
        cmocka_unit_test(test_read_auto_kinds),     cmocka_unit_test(test_stream_same_rows),
        cmocka_unit_test(test_read_stl10),          cmocka_unit_test(test_read_broken),
        cmocka_unit_test(test_read_bomb),           cmocka_unit_test(test_read_other_model),
        cmocka_unit_test(test_read_without_memory),
    };
    return run_with_folder(tests);
}
