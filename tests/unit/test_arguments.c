/* NULL and invalid arguments for every public function: an error status and a sentence, or no
 * effect, but never a crash. New functions of the header must be added here:
 * test_arguments_of_every_function counts them. */
#include <stdlib.h>

#include "blobs.h"
#include "decant/file.h"
#include "decant/report.h"
#include "files.h"

typedef struct fixture {
    blobs b;
    decant_options options;
    decant_result *result;
    decant_dataset *labels; /* no columns */
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (make_folder(state) != 0) return -1;
    *state = f;
    blobs_new(&f->b, 60);
    f->options = blobs_options(DECANT_METHOD_KMEANS);
    assert_ok(decant_fit(f->b.dense, &f->options, NULL, &f->result));
    assert_ok(
        decant_labels_read(write_text("labels.csv", "label\n1\n2\n1\n"), NULL, NULL, &f->labels));
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    decant_result_free(f->result);
    decant_dataset_free(f->labels);
    blobs_free(&f->b);
    free(f);
    return remove_folder(state);
}

#define NULL_REFUSED(call) assert_fails(call, DECANT_EINVAL, "NULL")
#define REFUSED(call, sentence) assert_fails(call, DECANT_EINVAL, sentence)

static void test_reading(void **state) {
    fixture *f = *state;
    decant_dataset *data = NULL;
    decant_stream *stream = NULL;
    const char *none[] = {NULL};
    const float x[] = {1, 2};
    const int32_t labels[60] = {0};
    float row[BLOBS_D];
    REFUSED(decant_dataset_read(NULL, 1, NULL, NULL, &data), "no data file");
    REFUSED(decant_dataset_read(none, 1, NULL, NULL, &data), "NULL");
    REFUSED(decant_dataset_read(none, 1, NULL, NULL, NULL), "output");
    REFUSED(decant_stream_open(NULL, 1, NULL, NULL, &stream), "no data file");
    REFUSED(decant_stream_open(none, 1, NULL, NULL, &stream), "NULL");
    REFUSED(decant_stream_open(none, 1, NULL, NULL, NULL), "output");
    REFUSED(decant_stream_next(NULL, 1, &data), "needs a stream");
    decant_stream_close(NULL);
    REFUSED(decant_labels_read(NULL, NULL, NULL, &data), "needs a path");
    REFUSED(decant_labels_read("x", NULL, NULL, NULL), "output");
    REFUSED(decant_dataset_from_dense(NULL, DECANT_FLOAT32, 1, 1, 0, &data), "array");
    REFUSED(decant_dataset_from_dense(x, DECANT_FLOAT32, 1, 2, 0, NULL), "output");
    REFUSED(decant_dataset_from_csr(NULL, &data), "arrays");
    REFUSED(decant_dataset_from_csr(NULL, NULL), "output");
    REFUSED(decant_dataset_from_csc(NULL, &data), "arrays");
    REFUSED(decant_dataset_from_arrays(NULL, 1, 1, &data), "arrays");
    REFUSED(decant_dataset_set_labels(NULL, labels), "needs a dataset");
    REFUSED(decant_dataset_set_labels(f->b.dense, NULL), "labels");
    REFUSED(decant_dataset_set_class_names(NULL, none, 1), "needs a dataset");
    REFUSED(decant_dataset_set_class_names(f->b.dense, NULL, 1), "names");
    REFUSED(decant_dataset_set_ids(NULL, none), "needs a dataset");
    REFUSED(decant_dataset_set_column_names(NULL, none), "needs a dataset");
    NULL_REFUSED(decant_dataset_row(NULL, 0, row));
    NULL_REFUSED(decant_dataset_row(f->b.dense, 0, NULL));
    REFUSED(decant_dataset_row(f->b.dense, 60, row), "row 60");
    REFUSED(decant_dataset_row(f->labels, 0, row), "labels only");
    assert_null(data);
    assert_null(stream);
}

static void test_getters(void **state) {
    (void)state;
    const size_t *start;
    const uint32_t *column;
    const float *value;
    assert_int_equal(decant_dataset_rows(NULL), 0);
    assert_int_equal(decant_dataset_columns(NULL), 0);
    assert_int_equal(decant_dataset_is_sparse(NULL), 0);
    assert_int_equal(decant_dataset_nonzeros(NULL), 0);
    assert_null(decant_dataset_dense(NULL));
    decant_dataset_csr(NULL, &start, &column, &value);
    assert_true(start == NULL && column == NULL && value == NULL);
    decant_dataset_csr(NULL, NULL, NULL, NULL);
    assert_string_equal(decant_dataset_format(NULL), "");
    assert_null(decant_dataset_labels(NULL));
    assert_int_equal(decant_dataset_class_count(NULL), 0);
    assert_null(decant_dataset_class_name(NULL, 0));
    assert_null(decant_dataset_id(NULL, 0));
    assert_null(decant_dataset_column_name(NULL, 0));
    assert_int_equal(decant_dataset_extra(NULL), 0);
    assert_null(decant_dataset_features(NULL));
    assert_int_equal(decant_dataset_skipped(NULL), 0);
    assert_null(decant_dataset_note(NULL, 0));
    assert_true(decant_dataset_seconds(NULL) == 0);
    decant_dataset_free(NULL);
    assert_null(decant_features_stem(NULL, 0));
    assert_null(decant_features_word(NULL, 0));
    assert_true(decant_features_idf(NULL, 0) == 0);
    assert_int_equal(decant_features_columns(NULL), 0);
    assert_int_equal(decant_model_clusters(NULL), 0);
    assert_int_equal(decant_model_columns(NULL), 0);
    assert_int_equal(decant_model_latent(NULL), 0);
    assert_int_equal(decant_model_has_network(NULL), 0);
    assert_null(decant_model_features(NULL));
    assert_null(decant_option_at(decant_option_count()));
    assert_null(decant_option_in_preset(decant_option_count(), DECANT_PRESET_PAPER));
    assert_null(decant_preset_name((decant_preset)99));
    assert_null(decant_format_at(decant_format_count()));
    assert_null(decant_result_take_model(NULL));
    assert_non_null(decant_version());
    assert_non_null(decant_last_error());
    decant_result_free(NULL);
    decant_selection_free(NULL);
    decant_model_free(NULL);
    decant_text_free(NULL);
}

static void test_options(void **state) {
    fixture *f = *state;
    char text[16];
    decant_options_init(NULL, sizeof(decant_options));
    decant_monitor_init(NULL, sizeof(decant_monitor));
    decant_read_options_init(NULL, sizeof(decant_read_options));
    decant_map_options_init(NULL, sizeof(decant_map_options));
    decant_report_options_init(NULL, sizeof(decant_report_options));
    NULL_REFUSED(decant_options_set(NULL, "k", "2"));
    NULL_REFUSED(decant_options_set(&f->options, NULL, "2"));
    NULL_REFUSED(decant_options_set(&f->options, "k", NULL));
    NULL_REFUSED(decant_options_get(NULL, "k", text, sizeof text));
    NULL_REFUSED(decant_options_get(&f->options, NULL, text, sizeof text));
    REFUSED(decant_options_get(&f->options, "k", NULL, 5), "empty");
    NULL_REFUSED(decant_model_options(NULL, &f->options));
    NULL_REFUSED(decant_model_options(f->result->model, NULL));
    REFUSED(decant_model_reading(NULL, NULL), "needs a model");
}

static void test_fit(void **state) {
    fixture *f = *state;
    decant_result *result = NULL;
    decant_selection *selection = NULL;
    decant_options range = f->options;
    range.k_max = 4;
    range.method = DECANT_METHOD_DEC;
    NULL_REFUSED(decant_fit(NULL, &f->options, NULL, &result));
    NULL_REFUSED(decant_fit(f->b.dense, NULL, NULL, &result));
    NULL_REFUSED(decant_fit(f->b.dense, &f->options, NULL, NULL));
    REFUSED(decant_fit(f->labels, &f->options, NULL, &result), "labels only");
    NULL_REFUSED(decant_select_k(NULL, &range, NULL, &selection));
    NULL_REFUSED(decant_select_k(f->b.dense, NULL, NULL, &selection));
    NULL_REFUSED(decant_select_k(f->b.dense, &range, NULL, NULL));
    REFUSED(decant_select_k(f->labels, &range, NULL, &selection), "labels only");
    NULL_REFUSED(decant_run_fit(NULL, f->b.dense, &f->options, NULL, NULL, &result));
    NULL_REFUSED(decant_run_fit("x", NULL, &f->options, NULL, NULL, &result));
    NULL_REFUSED(decant_run_fit("x", f->b.dense, NULL, NULL, NULL, &result));
    NULL_REFUSED(decant_run_fit("x", f->b.dense, &f->options, NULL, NULL, NULL));
    NULL_REFUSED(decant_run_write(NULL, f->b.dense, &f->options, f->result, NULL));
    NULL_REFUSED(decant_run_write("x", NULL, &f->options, f->result, NULL));
    NULL_REFUSED(decant_run_write("x", f->b.dense, NULL, f->result, NULL));
    NULL_REFUSED(decant_run_write("x", f->b.dense, &f->options, NULL, NULL));
    const int32_t to[] = {0, 0, 0};
    decant_dataset *rows = NULL;
    NULL_REFUSED(decant_run_read_data(NULL, NULL, NULL, &rows));
    NULL_REFUSED(decant_run_read_data("x", NULL, NULL, NULL));
    NULL_REFUSED(decant_run_regroup(NULL, "x", NULL, f->result->model, to, NULL));
    NULL_REFUSED(decant_run_regroup("x", NULL, NULL, f->result->model, to, NULL));
    NULL_REFUSED(decant_run_regroup("x", "y", NULL, NULL, to, NULL));
    NULL_REFUSED(decant_run_regroup("x", "y", NULL, f->result->model, NULL, NULL));
    NULL_REFUSED(decant_model_regroup(NULL, to, 1));
    NULL_REFUSED(decant_model_regroup(f->result->model, NULL, 1));
    assert_null(result);
    assert_null(selection);
}

static void test_models(void **state) {
    fixture *f = *state;
    decant_model *model = NULL;
    int32_t labels[60];
    float z[60 * 2];
    NULL_REFUSED(decant_model_save(NULL, "x"));
    NULL_REFUSED(decant_model_save(f->result->model, NULL));
    NULL_REFUSED(decant_model_load(NULL, &model));
    NULL_REFUSED(decant_model_load("x", NULL));
    void *bytes = NULL;
    size_t count = 0;
    NULL_REFUSED(decant_model_to_bytes(NULL, &bytes, &count));
    NULL_REFUSED(decant_model_to_bytes(f->result->model, NULL, &count));
    NULL_REFUSED(decant_model_to_bytes(f->result->model, &bytes, NULL));
    NULL_REFUSED(decant_model_from_bytes(NULL, 3, &model));
    NULL_REFUSED(decant_model_from_bytes("x", 1, NULL));
    assert_int_equal(decant_model_from_bytes("x", 1, &model), DECANT_EFORMAT);
    decant_bytes_free(NULL);
    NULL_REFUSED(decant_model_to_onnx(NULL, &bytes, &count));
    NULL_REFUSED(decant_model_to_onnx(f->result->model, NULL, &count));
    NULL_REFUSED(decant_model_to_onnx(f->result->model, &bytes, NULL));
    NULL_REFUSED(decant_model_centroids(NULL, z));
    NULL_REFUSED(decant_model_centroids(f->result->model, NULL));
    NULL_REFUSED(decant_model_assign(NULL, f->b.dense, 1, NULL, z));
    NULL_REFUSED(decant_model_assign(f->result->model, NULL, 1, NULL, z));
    NULL_REFUSED(decant_model_assign(f->result->model, f->b.dense, 1, NULL, NULL));
    decant_rows_wanted wanted;
    decant_rows_wanted_init(NULL, sizeof wanted);
    decant_rows_wanted_init(&wanted, sizeof wanted);
    NULL_REFUSED(decant_model_apply(NULL, f->b.dense, 1, NULL, &wanted));
    NULL_REFUSED(decant_model_apply(f->result->model, NULL, 1, NULL, &wanted));
    NULL_REFUSED(decant_model_apply(f->result->model, f->b.dense, 1, NULL, NULL));
    wanted.struct_size = 1;
    REFUSED(decant_model_apply(f->result->model, f->b.dense, 1, NULL, &wanted), "struct_size");
    NULL_REFUSED(decant_model_set_cluster_name(NULL, 0, "x"));
    assert_int_equal(decant_model_has_novelty(NULL), 0);
    assert_null(decant_model_cluster_name(NULL, 0));
    NULL_REFUSED(decant_model_predict(NULL, f->b.dense, 1, NULL, labels, NULL));
    NULL_REFUSED(decant_model_predict(f->result->model, NULL, 1, NULL, labels, NULL));
    NULL_REFUSED(decant_model_predict(f->result->model, f->b.dense, 1, NULL, NULL, NULL));
    REFUSED(decant_model_predict(f->result->model, f->b.dense, -3, NULL, labels, NULL), "is -3");
    REFUSED(decant_model_predict(f->result->model, f->labels, 1, NULL, labels, NULL),
            "labels only");
    NULL_REFUSED(decant_model_embed(NULL, f->b.dense, 1, NULL, z));
    NULL_REFUSED(decant_model_embed(f->result->model, NULL, 1, NULL, z));
    NULL_REFUSED(decant_model_embed(f->result->model, f->b.dense, 1, NULL, NULL));
    assert_null(model);
}

static void test_scores(void **state) {
    (void)state;
    decant_scores scores;
    const int32_t labels[] = {0, 1};
    size_t counts[4];
    NULL_REFUSED(decant_score(NULL, labels, 2, &scores));
    NULL_REFUSED(decant_score(labels, NULL, 2, &scores));
    NULL_REFUSED(decant_score(labels, labels, 2, NULL));
    NULL_REFUSED(decant_confusion(NULL, labels, 2, 2, 2, counts, NULL));
    NULL_REFUSED(decant_confusion(labels, NULL, 2, 2, 2, counts, NULL));
    NULL_REFUSED(decant_confusion(labels, labels, 2, 2, 2, NULL, NULL));
}

static void test_files(void **state) {
    (void)state;
    decant_file *file = NULL;
    const float x[] = {1};
    NULL_REFUSED(decant_file_open("x", NULL));
    decant_file_put(NULL, "x", 1);
    decant_file_print(NULL, "%d", 1);
    decant_file_put_csv(NULL, "x");
    decant_file_npy_header(NULL, 1, 1);
    assert_true(decant_file_failed(NULL));
    assert_false(decant_file_in_place(NULL));
    assert_ok(decant_file_commit(NULL));
    decant_file_discard(NULL);
    REFUSED(decant_npy_write(NULL, x, 1, 1), "path");
    REFUSED(decant_npy_write("x", NULL, 1, 1), "array");
    assert_null(file);
}

static void test_reports(void **state) {
    fixture *f = *state;
    decant_selection selection = {.struct_size = sizeof selection};
    decant_map_options how;
    float map[2 * 60] = {0};
    char *text = NULL;
    decant_map_options_init(&how, sizeof how);
    NULL_REFUSED(decant_describe(NULL, NULL, 0, NULL, &text));
    NULL_REFUSED(decant_describe("x", NULL, 0, NULL, NULL));
    NULL_REFUSED(decant_map_rows(NULL, NULL, NULL, map, NULL));
    NULL_REFUSED(decant_map_rows(f->b.dense, NULL, NULL, NULL, NULL));
    REFUSED(decant_map_rows(f->labels, NULL, NULL, map, NULL), "labels only");
    how.perplexity = (double)NAN;
    REFUSED(decant_map_rows(f->b.dense, &how, NULL, map, NULL), "between 2 and 1000");
    NULL_REFUSED(decant_map_svg(NULL, map, &text));
    NULL_REFUSED(decant_map_svg(f->b.dense, NULL, &text));
    NULL_REFUSED(decant_map_svg(f->b.dense, map, NULL));
    NULL_REFUSED(decant_selection_svg(NULL, f->b.dense, &text));
    NULL_REFUSED(decant_selection_svg(&selection, f->b.dense, NULL));
    REFUSED(decant_selection_svg(&selection, f->b.dense, &text), "but the dataset has 60");
    NULL_REFUSED(decant_report_write(NULL, f->b.dense, NULL, NULL));
    assert_null(text);
    assert_non_null(decant_kernel(NULL));
}

/* Names that are declared in the headers and do not occur in this file. */
static void test_arguments_of_every_function(void **state) {
    (void)state;
    static const char *const headers[] = {"decant.h", "arrays.h", "report.h",
                                          "file.h",   "model.h",  "run.h"};
    size_t size, missing = 0, seen = 0;
    char *here = sample_read(DECANT_TEST_DATA "/../unit/test_arguments.c", &size);
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char path[512], name[64];
        snprintf(path, sizeof path, "%s/../../include/decant/%s", DECANT_TEST_DATA, headers[h]);
        char *text = sample_read(path, &size), *at = text;
        while ((at = strstr(at, "DECANT_API ")) != NULL) {
            char *end = strchr(at, '('), *begin = end;
            while (begin > at && (begin[-1] == '_' || (begin[-1] >= 'a' && begin[-1] <= 'z')))
                begin--;
            snprintf(name, sizeof name, "%.*s(", (int)(end - begin), begin);
            if (strstr(here, name) == NULL) {
                print_error("%s is not called with nonsense\n", name);
                missing++;
            }
            seen++;
            at = end;
        }
        free(text);
    }
    free(here);
    assert_true(seen > 60);
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_getters),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_arguments_of_every_function),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
