#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "decant/report.h"
#include "run/class_match.h"
#include "sample.h"

enum { ROWS = 24, COLUMNS = 2 };

typedef struct fixture {
    char scratch[64], folder[80], path[160];
    float x[ROWS * COLUMNS];
    int32_t classes[ROWS];
    decant_dataset *data;
    decant_options options;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    snprintf(f->scratch, sizeof f->scratch, "/tmp/decant-test-XXXXXX");
    if (f == NULL || mkdtemp(f->scratch) == NULL) return -1;
    snprintf(f->folder, sizeof f->folder, "%s/run", f->scratch);
    for (int i = 0; i < ROWS; i++) {
        f->classes[i] = i % 2;
        f->x[2 * i] = (float)(i % 2 * 10 + i % 3);
        f->x[2 * i + 1] = (float)(i % 2 * 10 + i % 5);
    }
    decant_options_init(&f->options, sizeof f->options);
    f->options.k = 2;
    f->options.method = DECANT_METHOD_KMEANS;
    f->options.threads = 1;
    *state = f;
    return decant_dataset_from_dense(f->x, DECANT_FLOAT32, ROWS, COLUMNS, 0, &f->data) !=
               DECANT_OK ||
           decant_dataset_set_labels(f->data, f->classes) != DECANT_OK;
}

static int teardown(void **state) {
    fixture *f = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", f->scratch);
    decant_dataset_free(f->data);
    int failed = system(command);
    free(f);
    return failed;
}

static int holds(fixture *f, const char *name) {
    struct stat about;
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    return stat(f->path, &about) == 0;
}

static decant_status run(fixture *f, const decant_monitor *monitor) {
    decant_result *result = NULL;
    decant_status status =
        decant_run_fit(f->folder, f->data, &f->options, monitor, "test", &result);
    if (status != DECANT_OK) assert_null(result);
    decant_result_free(result);
    return status;
}

static void test_run_fit_writes_everything(void **state) {
    fixture *f = *state;
    assert_ok(run(f, NULL));
    assert_true(holds(f, "labels.csv") && holds(f, "history.csv") && holds(f, "manifest.json") &&
                holds(f, "model.safetensors"));
    assert_false(holds(f, "embedding.npy") || holds(f, "checkpoint.safetensors"));
}

/* With as many clusters as classes they are matched; else a cluster has its most frequent class. */
static void test_class_match(void **state) {
    (void)state;
    static const int32_t clusters[9] = {0, 0, 0, 0, 1, 1, 1, 2, 2};
    static const int32_t labels[9] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
    size_t counts[6];
    int32_t match[3];
    assert_ok(decant__class_match(clusters, labels, 9, 3, 2, counts, match));
    assert_int_equal(match[0], 0);
    assert_int_equal(match[1], 0);
    assert_int_equal(match[2], 0);
    assert_int_equal(counts[1], 1);
    assert_ok(decant__class_match(clusters, labels, 7, 2, 2, counts, match));
    assert_int_equal(match[0], 0);
    assert_int_equal(match[1], 1); /* though two of its three rows are of class 0 */
    assert_ok(decant__class_match(clusters, labels, 7, 3, 2, counts, match));
    assert_int_equal(match[2], -1); /* empty */
}

/* A fit in memory becomes the folder that decant_run_fit would have written. */
static void test_run_write_is_run_fit(void **state) {
    fixture *f = *state;
    static const char *const files[] = {"labels.csv", "model.safetensors", "clusters.json"};
    char *expected[3];
    size_t sizes[3], size;
    decant_result *result = NULL;
    assert_ok(run(f, NULL));
    for (size_t i = 0; i < 3; i++) {
        assert_true(holds(f, files[i]));
        expected[i] = sample_read(f->path, &sizes[i]);
    }
    assert_ok(decant_fit(f->data, &f->options, NULL, &result));
    assert_fails(decant_run_write(f->folder, f->data, &f->options, result, NULL), DECANT_EINVAL,
                 "holds a finished run");
    snprintf(f->folder, sizeof f->folder, "%s/written", f->scratch);
    assert_ok(decant_run_write(f->folder, f->data, &f->options, result, NULL));
    for (size_t i = 0; i < 3; i++) {
        assert_true(holds(f, files[i]));
        char *found = sample_read(f->path, &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(found, expected[i], size);
        free(found);
        free(expected[i]);
    }
    assert_true(holds(f, "manifest.json"));
    assert_false(holds(f, "command.json"));
    decant_model_free(decant_result_take_model(result));
    assert_fails(decant_run_write(f->scratch, f->data, &f->options, result, NULL), DECANT_EINVAL,
                 "with its model");
    decant_result_free(result);
}

static void test_run_fit_refuses_a_finished_run(void **state) {
    fixture *f = *state;
    decant_monitor resume = {.struct_size = sizeof resume, .resume = 1},
                   overwrite = {.struct_size = sizeof overwrite, .overwrite = 1};
    assert_ok(run(f, NULL));
    assert_fails(run(f, NULL), DECANT_EINVAL, "holds a finished run");
    assert_fails(run(f, &resume), DECANT_EINVAL, "nothing to resume");
    f->options.k = 3;
    assert_ok(run(f, &overwrite));
}

static void test_run_fit_refuses_to_replace_files(void **state) {
    fixture *f = *state;
    mkdir(f->folder, 0777);
    holds(f, "labels.csv");
    fclose(fopen(f->path, "w"));
    assert_fails(run(f, NULL), DECANT_EINVAL, "labels.csv");
    holds(f, "checkpoint.safetensors");
    fclose(fopen(f->path, "w"));
    assert_fails(run(f, NULL), DECANT_EINVAL, "unfinished");
}

static void test_run_fit_leaves_no_folder_behind(void **state) {
    fixture *f = *state;
    f->options.k = ROWS + 1;
    assert_int_equal(run(f, NULL), DECANT_EINVAL);
    assert_int_not_equal(access(f->folder, F_OK), 0);
}

static int cancel(const decant_progress *progress, void *user) {
    (void)progress;
    (void)user;
    return 1;
}

/* A run that is being replaced does not look finished, even if its successor stops at once. */
static void test_run_fit_overwritten_run_is_gone(void **state) {
    fixture *f = *state;
    decant_monitor overwrite = {
        .struct_size = sizeof overwrite, .overwrite = 1, .progress = cancel};
    assert_ok(run(f, NULL));
    assert_true(holds(f, "manifest.json") && holds(f, "labels.csv"));
    assert_int_equal(run(f, &overwrite), DECANT_ECANCELLED);
    assert_false(holds(f, "manifest.json") || holds(f, "labels.csv"));
}

/* Whichever allocation fails: a status, nothing leaked (under ASan), and no finished run. */
static void test_run_fit_out_of_memory(void **state) {
    fixture *f = *state;
    decant_monitor overwrite = {.struct_size = sizeof overwrite, .overwrite = 1};
    decant__alloc_fail_at(0);
    assert_ok(run(f, NULL));
    size_t all = decant__alloc_fail_at(0);
    for (size_t n = 1; n <= all; n++) {
        decant__alloc_fail_at(n);
        decant_status status = run(f, &overwrite);
        decant__alloc_fail_at(0);
        assert_int_equal(status, DECANT_ENOMEM);
        assert_true(decant_last_error()[0] != '\0');
    }
    assert_ok(run(f, &overwrite));
}

static void test_describe_kinds(void **state) {
    fixture *f = *state;
    char *text;
    assert_ok(run(f, NULL));
    assert_ok(decant_describe(f->folder, NULL, 0, NULL, &text));
    assert_non_null(strstr(text, "24 rows of 2 numbers, 2 clusters"));
    assert_non_null(strstr(text, "1.0000   1.0000"));
    decant_text_free(text);
    assert_ok(decant_describe(f->folder, NULL, 1, NULL, &text));
    assert_non_null(strstr(text, "\"command\": \"test\""));
    decant_text_free(text);
    holds(f, "model.safetensors");
    assert_ok(decant_describe(f->path, NULL, 0, NULL, &text));
    assert_non_null(strstr(text, "method kmeans"));
    decant_text_free(text);
    holds(f, "nothing");
    assert_fails(decant_describe(f->path, NULL, 0, NULL, &text), DECANT_EIO, "nothing");
}

/* A file of that name that is no manifest, or one of something else. */
static void test_describe_refuses_other_manifests(void **state) {
    fixture *f = *state;
    static const char *const others[] = {"{\"kind\": \"decant sweep\"}", "{}", "[]",
                                         "{\"kind\": 7}", "text"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char *text = NULL;
        mkdir(f->folder, 0777);
        holds(f, "manifest.json");
        sample_write(f->path, others[i], strlen(others[i]));
        assert_fails(decant_describe(f->folder, NULL, 0, NULL, &text), DECANT_EFORMAT,
                     "manifest.json");
        assert_null(text);
    }
}

/* Whoever writes a run has it alone: a second fit, and a report. */
static void test_run_is_locked(void **state) {
    fixture *f = *state;
    decant_monitor overwrite = {.struct_size = sizeof overwrite, .overwrite = 1};
    assert_ok(run(f, NULL));
    int folder = open(f->folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    assert_fails(run(f, &overwrite), DECANT_EIO, "another process is writing this run");
    assert_fails(decant_report_write(f->folder, f->data, NULL, NULL), DECANT_EIO,
                 "another process is writing this run");
    assert_false(holds(f, "report.html"));
    close(folder);
    assert_ok(decant_report_write(f->folder, f->data, NULL, NULL));
    assert_true(holds(f, "report.html"));
}

/* A manifest alone is not a finished run. */
static void test_describe_refuses_half_a_run(void **state) {
    fixture *f = *state;
    char *text;
    assert_ok(run(f, NULL));
    assert_true(holds(f, "model.safetensors"));
    assert_int_equal(remove(f->path), 0);
    assert_fails(decant_describe(f->folder, NULL, 0, NULL, &text), DECANT_EFORMAT,
                 "no model.safetensors");
    assert_true(holds(f, "manifest.json"));
    FILE *file = fopen(f->path, "w");
    fputs("{\n\"kind\": ", file);
    fclose(file);
    assert_fails(decant_describe(f->path, NULL, 0, NULL, &text), DECANT_EFORMAT,
                 "line 2: is not valid JSON");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(test_run_fit_writes_everything),
        CASE(test_class_match),
        CASE(test_run_write_is_run_fit),
        CASE(test_run_fit_refuses_a_finished_run),
        CASE(test_run_fit_refuses_to_replace_files),
        CASE(test_run_fit_leaves_no_folder_behind),
        CASE(test_run_fit_overwritten_run_is_gone),
        CASE(test_run_fit_out_of_memory),
        CASE(test_describe_kinds),
        CASE(test_describe_refuses_other_manifests),
        CASE(test_run_is_locked),
        CASE(test_describe_refuses_half_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
