#include <sys/stat.h>

#include "base/memory.h"
#include "blobs.h"
#include "files.h"
#include "report/base64.h"
#include "report/columns.h"
#include "report/gallery.h"
#include "decant/report.h"

static void test_base64(void **state) {
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state; /* RFC 4648, section 10 */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        decant__text text = {0};
        char *out;
        decant__base64_put(&text, pairs[i][0], strlen(pairs[i][0]));
        assert_ok(decant__text_take(&text, &out));
        assert_string_equal(out, pairs[i][1]);
        decant__free(out);
    }
}

/* Two clusters, one column that tells them apart, one that does not, one that never changes. */
static void test_columns(void **state) {
    const float x[] = {1, 5, 7, 3, 6, 7, 11, 5, 7, 13, 6, 7};
    int32_t cluster[] = {0, 0, 1, 1};
    decant_dataset *data;
    decant__columns columns;
    (void)state;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 4, 3, 0, &data));
    decant__study study = {.n = 4, .k = 2, .cluster = cluster, .data = data};
    assert_ok(decant__columns_find(&columns, &study));
    assert_int_equal(columns.each, 3);
    assert_near(columns.mean[0], 7, 1e-12);
    assert_near(columns.sd[0], sqrt(26), 1e-12);
    assert_true(columns.sd[2] == 0);
    const decant__special *best = columns.best;
    assert_int_equal(best->column, 0);
    assert_near(best->inside, 2, 1e-12);
    assert_near(best->outside, 12, 1e-12);
    assert_near(best->z, -10 / sqrt(26), 1e-12);
    assert_true(columns.best[1].z == 0 && columns.best[2].z == 0);
    assert_near(columns.best[3].z, 10 / sqrt(26), 1e-12);
    decant__columns_free(&columns);
    decant_dataset_free(data);
}

/* Smooth slopes are recognised as pictures, noise is not. */
static void test_gallery_finds_squares(void **state) {
    enum { ROWS = 30, SIDE = 9 };
    static float x[ROWS * SIDE * SIDE], noise[ROWS * SIDE * SIDE];
    uint32_t row[ROWS];
    uint8_t marked[ROWS];
    decant_dataset *data;
    decant__gallery gallery;
    (void)state;
    sample_normal(3, 1, ROWS * SIDE * SIDE, noise);
    for (size_t i = 0; i < ROWS * SIDE * SIDE; i++)
        x[i] = (float)(i % SIDE + i / SIDE % SIDE + i / SIDE / SIDE % 3);
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i, marked[i] = DECANT__ON_MAP;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, SIDE * SIDE, 0, &data));
    decant__study study = {.n = ROWS, .data = data};
    assert_ok(decant__gallery_make(&gallery, &study, row, ROWS, marked, 0, 0));
    assert_int_equal(gallery.count, ROWS);
    assert_true(gallery.width == SIDE && gallery.height == SIDE && gallery.channels == 1);
    const uint8_t *tile = decant__gallery_tile(&gallery, 0);
    assert_int_equal(tile[0], 0);
    assert_near(tile[SIDE * SIDE - 1], 255 * 16 / 18.0, 1);
    decant__gallery_free(&gallery);
    assert_ok(decant__gallery_make(&gallery, &study, row, ROWS, marked, 27, 3));
    assert_int_equal(gallery.width, 27);
    decant__gallery_free(&gallery);
    assert_ok(decant__gallery_make(&gallery, &study, row, ROWS, marked, 9, 3));
    assert_int_equal(gallery.channels, 3);
    decant__gallery_free(&gallery);
    assert_fails(decant__gallery_make(&gallery, &study, row, ROWS, marked, 10, 8), DECANT_EINVAL,
                 "cannot be pictures of 10x8");
    decant_dataset_free(data);
    assert_ok(decant_dataset_from_dense(noise, DECANT_FLOAT32, ROWS, SIDE * SIDE, 0, &data));
    study.data = data;
    assert_ok(decant__gallery_make(&gallery, &study, row, ROWS, marked, 0, 0));
    assert_int_equal(gallery.count, 0);
    decant_dataset_free(data);
}

static void fit(const char *folder, const blobs *b, decant_method method) {
    decant_result *result;
    decant_options options = blobs_options(method);
    decant_monitor monitor = {.struct_size = sizeof monitor, .overwrite = 1};
    assert_ok(decant_run_fit(folder, b->dense, &options, &monitor, "</script><b>", &result));
    decant_result_free(result);
}

static char *report_of(const char *folder) {
    char path[300];
    size_t size;
    snprintf(path, sizeof path, "%s/report.html", folder);
    return sample_read(path, &size);
}

static decant_status count_figure(const char *name, const char *svg, void *user) {
    (void)name;
    assert_true(strncmp(svg, "<svg", 4) == 0);
    ++*(int *)user;
    return DECANT_OK;
}

static void test_report_write(void **state) {
    blobs b;
    int figures = 0;
    decant_report_options options;
    (void)state;
    blobs_new(&b, 90);
    assert_ok(decant_dataset_set_labels(b.dense, b.classes));
    const char *folder = in_folder("run");
    fit(folder, &b, DECANT_METHOD_DEC);
    decant_report_options_init(&options, sizeof options);
    options.threads = 1;
    options.figure = count_figure;
    options.user = &figures;
    assert_ok(decant_report_write(folder, b.dense, &options, NULL));
    assert_int_equal(figures, 7);
    char *first = report_of(folder);
    assert_null(strstr(first, "</script><b>"));
    assert_non_null(strstr(first, "\\u003c/script\\u003e\\u003cb\\u003e"));
    options.threads = 3;
    options.figure = NULL;
    assert_ok(decant_report_write(folder, b.dense, &options, NULL));
    char *second = report_of(folder);
    assert_string_equal(first, second); /* for any number of threads */
    free(first);
    free(second);
    /* The rows were never in a file, so without them there is less to show. */
    assert_ok(decant_report_write(folder, NULL, NULL, NULL));
    char *without = report_of(folder);
    assert_non_null(strstr(without, "no longer exist"));
    free(without);
    options.struct_size = 1;
    assert_fails(decant_report_write(folder, b.dense, &options, NULL), DECANT_EINVAL, "init");
    assert_fails(decant_report_write(in_folder("none"), b.dense, NULL, NULL), DECANT_EIO, "none");
    blobs_free(&b);
}

static int stop(const decant_progress *progress, void *user) {
    assert_string_equal(progress->phase, "report");
    (void)user;
    return 1;
}

static void test_report_can_be_stopped(void **state) {
    blobs b;
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = stop};
    struct stat about;
    (void)state;
    blobs_new(&b, 90);
    fit(in_folder("run"), &b, DECANT_METHOD_KMEANS);
    assert_int_equal(decant_report_write(in_folder("run"), b.dense, NULL, &monitor),
                     DECANT_ECANCELLED);
    assert_int_not_equal(stat(in_folder("run/report.html"), &about), 0);
    blobs_free(&b);
}

static void test_report_out_of_memory(void **state) {
    blobs b;
    decant_status status = DECANT_ENOMEM;
    (void)state;
    blobs_new(&b, 60);
    fit(in_folder("run"), &b, DECANT_METHOD_DEC);
    for (size_t n = 1, step = 1; status != DECANT_OK; n += step++) { /* some of the many places */
        decant__alloc_fail_at(n);
        status = decant_report_write(in_folder("run"), b.dense, NULL, NULL);
        size_t made = decant__alloc_fail_at(0);
        assert_int_equal(status, made < n ? DECANT_OK : DECANT_ENOMEM);
    }
    blobs_free(&b);
}

/* A person or a program may have changed clusters.json: what is no text among its stems is left
 * out, and the page still draws. */
static void test_report_with_strange_stems(void **state) {
    blobs b;
    (void)state;
    blobs_new(&b, 90);
    fit(in_folder("run"), &b, DECANT_METHOD_KMEANS);
    write_text("run/clusters.json",
               "{\"clusters\": [{\"stems_by_lift\": [{\"stem\": {\"a\": 1}}, {\"stem\": \"good\"}, "
               "{\"stem\": 7}, 3, {}]}, {\"stems_by_lift\": {}}, 5]}");
    assert_ok(decant_report_write(in_folder("run"), b.dense, NULL, NULL));
    char *page = report_of(in_folder("run"));
    assert_non_null(strstr(page, "\"stems\":[\"good\"]"));
    free(page);
    blobs_free(&b);
}

/* Two groups of ten, method kmeans, all else as by default. */
static void test_report_words_and_settings(void **state) {
    (void)state;
    float x[20][2];
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_options options;
    for (int i = 0; i < 20; i++) {
        x[i][0] = (float)(i % 2 * 100 + i);
        x[i][1] = (float)(i % 7);
    }
    decant_options_init(&options, sizeof options);
    assert_ok(decant_options_set(&options, "method", "sec")); /* has defaults of its own */
    options.k = 2;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 20, 2, 0, &data));
    assert_ok(decant_run_fit(in_folder("equal"), data, &options, NULL, NULL, &result));
    decant_result_free(result);
    assert_ok(decant_report_write(in_folder("equal"), data, NULL, NULL));
    char *page = report_of(in_folder("equal"));
    assert_non_null(strstr(page, "20 rows fall into 2 clusters of 10 rows each"));
    assert_non_null(strstr(page, "\"k\",\"2\",null,"));
    assert_non_null(strstr(page, "\"scaling\",\"auto\",\"auto\","));
    assert_non_null(strstr(page, "\"neighbours\",\"5\",\"5\","));
    assert_non_null(strstr(page, "\"method\",\"sec\",\"dec\","));
    free(page);
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_gallery_finds_squares),
        cmocka_unit_test(test_report_write),
        cmocka_unit_test(test_report_with_strange_stems),
        cmocka_unit_test(test_report_words_and_settings),
        cmocka_unit_test(test_report_can_be_stopped),
        cmocka_unit_test(test_report_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
