/* A program that calls setlocale first, as GUI programs do: files and options are the same as
 * without. */
#include <pthread.h>
#include <unistd.h>

#include "base/number.h"
#include "blobs.h"
#include "files.h"
#include "decant/report.h"
#include "locale_of_test.h"

static void test_number_print_and_read(void **state) {
    (void)state;
    char text[32];
    double value;
    enter_test_locale();
    decant__number_print(0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
    decant__number_print(-2.5e-7, text, sizeof text);
    assert_string_equal(text, "-2.5e-07");
    decant__format(text, sizeof text, "%a %.3f", 0.75, 1.5);
    assert_string_equal(text, "0x1.8p-1 1.500");
    assert_true(decant__number_read("0x1.8p-1", &value) && value == 0.75);
    assert_true(decant__number_read("1.5", &value) && value == 1.5);
    assert_false(decant__number_read("1,5", &value));
    assert_false(decant__number_read("", &value));
    snprintf(text, sizeof text, "%.1f", 0.5); /* the program's own locale is as it was */
    assert_string_equal(text, "0,5");
    leave_test_locale();
}

static void test_options(void **state) {
    (void)state;
    decant_options plain, options;
    char text[64];
    decant_options_init(&plain, sizeof plain);
    enter_test_locale();
    decant_options_init(&options, sizeof options);
    assert_memory_equal(&options, &plain, sizeof plain);
    assert_true(options.dropout == 0.2 && options.tol == 0.001);
    assert_ok(decant_options_set(&options, "gamma", "0.25"));
    assert_ok(decant_options_get(&options, "gamma", text, sizeof text));
    assert_string_equal(text, "0.25");
    assert_fails(decant_options_set(&options, "gamma", "0,25"), DECANT_EINVAL, "0 to 1000");
    assert_fails(decant_options_set(&options, "dropout", "2"), DECANT_EINVAL, "0 to 0.95");
    leave_test_locale();
}

static decant_status keep_figure(const char *name, const char *svg, void *user) {
    char path[64];
    snprintf(path, sizeof path, "%s-%s.svg", (const char *)user, name);
    write_text(path, svg);
    return DECANT_OK;
}

/* A run folder with everything in it, in the locale that is set. */
static void fit_and_report(const char *folder, char *prefix) {
    blobs b;
    decant_result *result = NULL;
    decant_report_options how;
    const decant_options options = blobs_options(DECANT_METHOD_DEC);
    blobs_new(&b, 90);
    assert_ok(decant_dataset_set_labels(b.dense, b.classes));
    assert_ok(decant_run_fit(folder, b.dense, &options, NULL, NULL, &result));
    decant_report_options_init(&how, sizeof how);
    how.figure = keep_figure;
    how.user = prefix;
    assert_ok(decant_report_write(folder, b.dense, &how, NULL));
    char *text = NULL;
    assert_ok(decant_describe(folder, NULL, 0, NULL, &text));
    assert_non_null(strstr(text, "ACC"));
    decant_text_free(text);
    decant_result_free(result);
    blobs_free(&b);
}

static void assert_same_file(const char *one, const char *other, const char *name) {
    char path[300];
    size_t size, again;
    snprintf(path, sizeof path, "%s%s", one, name);
    char *expected = sample_read(path, &size);
    snprintf(path, sizeof path, "%s%s", other, name);
    char *found = sample_read(path, &again);
    print_message("%s\n", name);
    assert_int_equal(size, again);
    assert_memory_equal(expected, found, size);
    free(expected);
    free(found);
}

static size_t count_of(const char *text, char c) {
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == c;
    return count;
}

/* Its seconds differ, so the shape is compared: five commas and no blank number in each line. */
static void check_history(const char *folder) {
    char path[300];
    size_t size;
    snprintf(path, sizeof path, "%s/history.csv", folder);
    char *text = sample_read(path, &size), *rest = text, *line;
    size_t lines = 0;
    while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
        assert_int_equal(count_of(line, ','), 5);
        lines++;
    }
    assert_true(lines > 3);
    free(text);
}

static void test_run_folder_and_report(void **state) {
    (void)state;
    char plain[256], german[256], plain_figures[300], german_figures[300];
    char prefixes[2][8] = {"plain", "german"};
    snprintf(plain, sizeof plain, "%s", in_folder("plain"));
    snprintf(german, sizeof german, "%s", in_folder("german"));
    snprintf(plain_figures, sizeof plain_figures, "%s-", plain);
    snprintf(german_figures, sizeof german_figures, "%s-", german);
    fit_and_report(plain, prefixes[0]);
    enter_test_locale();
    fit_and_report(german, prefixes[1]);
    leave_test_locale();
    static const char *const files[] = {"/labels.csv", "/model.safetensors", "/embedding.npy",
                                        "/clusters.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_same_file(plain, german, files[i]);
    static const char *const figures[] = {"map-clusters.svg", "forming.svg", "gradient.svg"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_same_file(plain_figures, german_figures, figures[i]);
    check_history(plain);
    check_history(german);
}

/* ---- two threads, one of them in another locale ---- */

static void *print_in_german(void *user) {
    locale_t german = newlocale(LC_ALL_MASK, user, (locale_t)0), before = uselocale(german);
    int right = 1;
    for (int i = 0; i < 2000; i++) {
        char ours[32], theirs[32];
        decant__number_print(0.5 + i, ours, sizeof ours);
        snprintf(theirs, sizeof theirs, "%.1f", 0.5 + i);
        right &= strchr(ours, '.') != NULL && strchr(theirs, ',') != NULL;
    }
    uselocale(before);
    freelocale(german);
    return right ? user : NULL;
}

static void test_two_threads(void **state) {
    (void)state;
    pthread_t thread;
    void *right = NULL;
    assert_int_equal(
        pthread_create(&thread, NULL, print_in_german, (void *)(uintptr_t)test_locale()), 0);
    for (int i = 0; i < 2000; i++) {
        char text[32];
        decant__format(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0.5");
        snprintf(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0.5");
    }
    pthread_join(thread, &right);
    assert_non_null(right);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_print_and_read),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_run_folder_and_report),
        cmocka_unit_test(test_two_threads),
    };
    return run_with_folder(tests);
}
