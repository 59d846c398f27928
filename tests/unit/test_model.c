#include "blobs.h"
#include "forge.h"

enum { N = 60 };

typedef struct fixture {
    blobs data;
    decant_result *dec, *kmeans;
    char path[SAMPLE_PATH];
} fixture;

static decant_result *fit(const decant_dataset *data, decant_method method) {
    decant_options o = blobs_options(method);
    decant_result *r = NULL;
    assert_ok(decant_options_set(&o, "layers", "4,2"));
    assert_ok(decant_fit(data, &o, NULL, &r));
    return r;
}

static int setup(void **state) {
    fixture *f = malloc(sizeof *f);
    blobs_new(&f->data, N);
    f->dec = fit(f->data.dense, DECANT_METHOD_DEC);
    f->kmeans = fit(f->data.dense, DECANT_METHOD_KMEANS);
    sample_path("model", f->path);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    decant_result_free(f->dec);
    decant_result_free(f->kmeans);
    blobs_free(&f->data);
    remove(f->path);
    free(f);
    return 0;
}

/* A loaded model predicts for the training rows what the fit found, to the byte. */
static void check_roundtrip(fixture *f, const decant_result *r) {
    decant_model *model = NULL;
    int32_t labels[N];
    float confidence[N], z[N * 2];
    size_t size, again;
    assert_ok(decant_model_save(r->model, f->path));
    assert_ok(decant_model_load(f->path, &model));
    for (int threads = 0; threads <= 4; threads += 2) {
        assert_ok(decant_model_predict(model, f->data.dense, threads, NULL, labels, confidence));
        assert_memory_equal(labels, r->labels, sizeof labels);
        assert_memory_equal(confidence, r->confidence, sizeof confidence);
    }
    assert_ok(decant_model_predict(model, f->data.dense, 1, NULL, labels, NULL));
    assert_memory_equal(labels, r->labels, sizeof labels);
    if (r->embedding != NULL) {
        assert_ok(decant_model_embed(model, f->data.dense, 1, NULL, z));
        assert_memory_equal(z, r->embedding, sizeof z);
    } else {
        assert_fails(decant_model_embed(model, f->data.dense, 1, NULL, z), DECANT_EINVAL,
                     "no feature space");
    }
    char *before = sample_read(f->path, &size), *after = model_bytes(model, &again);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    assert_int_equal(decant_model_clusters(model), BLOBS_K);
    assert_int_equal(decant_model_columns(model), BLOBS_D);
    assert_int_equal(decant_model_latent(model), r->latent);
    decant_options saved, loaded;
    decant_options_init(&saved, sizeof saved);
    decant_options_init(&loaded, sizeof loaded);
    assert_ok(decant_model_options(r->model, &saved));
    assert_ok(decant_model_options(model, &loaded));
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char was[256], is[256];
        if (info->machine) continue;
        assert_ok(decant_options_get(&saved, info->name, was, sizeof was));
        assert_ok(decant_options_get(&loaded, info->name, is, sizeof is));
        assert_string_equal(was, is);
    }
    decant_model_free(model);
}

static void test_save_load_roundtrip(void **state) {
    fixture *f = *state;
    check_roundtrip(f, f->dec);
    check_roundtrip(f, f->kmeans);
}

/* In memory it is the file, and read back it is the same model. */
static void test_to_bytes_and_from_bytes(void **state) {
    fixture *f = *state;
    const decant_model *models[2] = {f->dec->model, f->kmeans->model};
    for (size_t m = 0; m < 2; m++) {
        void *bytes = NULL;
        size_t count, size;
        decant_model *back = NULL;
        assert_ok(decant_model_save(models[m], f->path));
        assert_ok(decant_model_to_bytes(models[m], &bytes, &count));
        char *file = sample_read(f->path, &size);
        assert_int_equal(count, size);
        assert_memory_equal(bytes, file, size);
        assert_ok(decant_model_from_bytes(bytes, count, &back));
        char *again = model_bytes(back, &size);
        assert_int_equal(count, size);
        assert_memory_equal(bytes, again, size);
        free(file);
        free(again);
        decant_model_free(back);
        back = NULL;
        assert_fails(decant_model_from_bytes(bytes, count - 1, &back), DECANT_EFORMAT, "memory");
        assert_fails(decant_model_from_bytes(NULL, 3, &back), DECANT_EINVAL, "bytes");
        assert_fails(decant_model_to_bytes(NULL, &bytes, &count), DECANT_EINVAL, "model");
        assert_null(back);
        decant_bytes_free(bytes);
    }
}

static void check_damaged(fixture *f, const char *bytes, size_t size, size_t place) {
    decant_model *model = NULL;
    sample_write(f->path, bytes, size);
    decant_status status = decant_model_load(f->path, &model);
    if (status != DECANT_EFORMAT) fail_msg("byte %zu of %zu: status %d", place, size, (int)status);
    assert_null(model);
}

static void test_load_detects_every_flipped_byte(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = model_bytes(f->dec->model, &size);
    for (size_t i = 0; i < size; i++) {
        int bit = 1 << (i * 7 % 8);
        bytes[i] = (char)(bytes[i] ^ bit);
        check_damaged(f, bytes, size, i);
        bytes[i] = (char)(bytes[i] ^ bit);
    }
    free(bytes);
}

static void test_load_detects_every_truncation(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = model_bytes(f->dec->model, &size);
    for (size_t length = 0; length < size; length++) check_damaged(f, bytes, length, length);
    free(bytes);
}

/* Numbers that no model has, under a checksum that is right. */
static void test_load_refuses_forged_metadata(void **state) {
    fixture *f = *state;
    static const char *const forged[][2] = {{"\"columns\":\"12\"", "\"columns\":\"00\""},
                                            {"\"columns\":\"12\"", "\"columns\":\"13\""},
                                            {"\"columns\":\"12\"", "\"columns\":\"-1\""},
                                            {"\"depth\":\"2\"", "\"depth\":\"3\""},
                                            {"\"depth\":\"2\"", "\"depth\":\"x\""},
                                            {"\"option.k\":\"3\"", "\"option.k\":\"4\""},
                                            {"\"option.k\":\"3\"", "\"option.k\":\"1\""},
                                            {"\"data_digest\"", "\"data_digist\""},
                                            {"4,2\"", "4,3\""}};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        decant_model *model = NULL;
        assert_ok(decant_model_save(f->dec->model, f->path));
        forge(f->path, forged[i][0], forged[i][1]);
        assert_int_equal(decant_model_load(f->path, &model), DECANT_EFORMAT);
        assert_null(model);
    }
}

/* A checkpoint is refused as a model. */
static int stop(const decant_progress *progress, void *user) {
    (void)progress;
    (void)user;
    return 1;
}

static void test_load_checkpoint_is_no_model(void **state) {
    fixture *f = *state;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    decant_model *model = NULL;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = stop, .checkpoint = f->path};
    assert_int_equal(decant_fit(f->data.dense, &o, &monitor, &r), DECANT_ECANCELLED);
    assert_fails(decant_model_load(f->path, &model), DECANT_EFORMAT,
                 "expected a decant-model, found a decant-checkpoint");
    assert_fails(decant_model_load("/no/such/model", &model), DECANT_EIO, "/no/such/model");
    assert_null(model);
}

static void test_predict_refuses_bad_rows(void **state) {
    fixture *f = *state;
    int32_t labels[N];
    float z[N * 2], kept = f->data.x[5];
    decant_dataset *narrow = NULL;
    assert_ok(decant_dataset_from_dense(f->data.x, DECANT_FLOAT32, N, BLOBS_D - 1, 0, &narrow));
    assert_fails(decant_model_predict(f->dec->model, narrow, 1, NULL, labels, NULL), DECANT_EINVAL,
                 "fitted on 12 columns, these rows have 11");
    assert_fails(decant_model_embed(f->dec->model, narrow, 1, NULL, z), DECANT_EINVAL,
                 "12 columns");
    decant_dataset_free(narrow);
    f->data.x[5] = NAN;
    assert_int_equal(decant_model_predict(f->dec->model, f->data.dense, 1, NULL, labels, NULL),
                     DECANT_EINVAL);
    f->data.x[5] = kept;
    assert_fails(decant_model_predict(f->dec->model, f->data.dense, -1, NULL, labels, NULL),
                 DECANT_EINVAL, "threads");
}

/* Dense and CSR rows, whole and in blocks: the same clusters. */
static void test_predict_sparse_and_in_blocks(void **state) {
    fixture *f = *state;
    const decant_result *results[2] = {f->dec, f->kmeans};
    for (size_t r = 0; r < 2; r++) {
        int32_t labels[N];
        float confidence[N];
        assert_ok(
            decant_model_predict(results[r]->model, f->data.sparse, 2, NULL, labels, confidence));
        assert_memory_equal(labels, results[r]->labels, sizeof labels);
        assert_near(largest_difference(confidence, results[r]->confidence, N), 0, 1e-4);
        for (size_t first = 0; first < N; first += 7) {
            decant_dataset *block = NULL;
            size_t count = N - first < 7 ? N - first : 7;
            assert_ok(decant_dataset_from_dense(f->data.x + first * BLOBS_D, DECANT_FLOAT32, count,
                                                BLOBS_D, 0, &block));
            assert_ok(decant_model_predict(results[r]->model, block, 2, NULL, labels, confidence));
            assert_memory_equal(labels, results[r]->labels + first, count * sizeof *labels);
            assert_near(largest_difference(confidence, results[r]->confidence + first, count), 0,
                        1e-4);
            decant_dataset_free(block);
        }
    }
}

/* More rows than a block of the encoder holds: the same as of each part alone. */
static void test_predict_many_rows(void **state) {
    fixture *f = *state;
    enum { MANY = 2500, PART = 500 };
    blobs many;
    blobs_new(&many, MANY);
    int32_t *labels = malloc(MANY * sizeof *labels), part[PART];
    const decant_model *models[2] = {f->dec->model, f->kmeans->model};
    for (size_t m = 0; m < 2; m++) {
        assert_ok(decant_model_predict(models[m], many.dense, 2, NULL, labels, NULL));
        if (m == 1) assert_true(same_partition(labels, many.classes, MANY));
        for (size_t first = 0; first < MANY; first += PART) {
            decant_dataset *block = NULL;
            assert_ok(decant_dataset_from_dense(many.x + first * BLOBS_D, DECANT_FLOAT32, PART,
                                                BLOBS_D, 0, &block));
            assert_ok(decant_model_predict(models[m], block, 1, NULL, part, NULL));
            assert_memory_equal(part, labels + first, sizeof part);
            decant_dataset_free(block);
        }
        int32_t *sparse = malloc(MANY * sizeof *sparse);
        assert_ok(decant_model_predict(models[m], many.sparse, 2, NULL, sparse, NULL));
        assert_memory_equal(sparse, labels, MANY * sizeof *labels);
        free(sparse);
    }
    free(labels);
    blobs_free(&many);
}

/* Soft assignments: each row sums to 1, its largest is the confidence and the label; more rows than
 * a block, for methods with centroids and with a rule. */
static void test_assign_agrees_with_predict(void **state) {
    (void)state;
    enum { MANY = 2500 };
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM, DECANT_METHOD_SEC,
                                            DECANT_METHOD_AE_GMM};
    blobs few, many;
    int32_t *labels = malloc(MANY * sizeof *labels);
    float *confidence = malloc(MANY * sizeof *confidence), *q = malloc(MANY * BLOBS_K * sizeof *q);
    blobs_new(&few, N);
    blobs_new(&many, MANY);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_result *r = fit(few.dense, methods[m]);
        assert_ok(decant_model_predict(r->model, many.dense, 2, NULL, labels, confidence));
        assert_ok(decant_model_assign(r->model, many.dense, 2, NULL, q));
        for (size_t i = 0; i < MANY; i++) {
            const float *row = q + i * BLOBS_K;
            float sum = 0;
            for (size_t c = 0; c < BLOBS_K; c++) {
                sum += row[c];
                assert_true(row[c] >= 0 && row[c] <= confidence[i]);
            }
            assert_near(sum, 1, 1e-5);
            assert_true(row[labels[i]] == confidence[i]);
        }
        decant_result_free(r);
    }
    decant_result *r = fit(few.dense, DECANT_METHOD_SPECTRAL);
    assert_fails(decant_model_assign(r->model, few.dense, 1, NULL, q), DECANT_EINVAL, "spectral");
    assert_fails(decant_model_assign(r->model, few.dense, 1, NULL, NULL), DECANT_EINVAL, "q");
    decant_result_free(r);
    blobs_free(&few);
    blobs_free(&many);
    free(labels);
    free(confidence);
    free(q);
}

/* One cluster holds all rows, for certain. */
static void test_one_cluster(void **state) {
    fixture *f = *state;
    static const decant_method methods[] = {DECANT_METHOD_DEC,      DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM,      DECANT_METHOD_SEC,
                                            DECANT_METHOD_SPECTRAL, DECANT_METHOD_LDMGI};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_options o = blobs_options(methods[m]);
        decant_result *r = NULL;
        o.k = 1;
        assert_ok(decant_fit(f->data.dense, &o, NULL, &r));
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(r->labels[i], 0);
            assert_near((double)r->confidence[i], 1, 1e-6);
        }
        decant_result_free(r);
    }
}

/* k-means: the means of the clusters in the data's units, for every scaling. */
static void test_centroids_are_in_units_of_the_data(void **state) {
    fixture *f = *state;
    static const char *const scalings[] = {"paper", "none", "standard", "minmax"};
    for (size_t s = 0; s < sizeof scalings / sizeof *scalings; s++) {
        decant_options o = blobs_options(DECANT_METHOD_KMEANS);
        decant_result *r = NULL;
        float centroids[BLOBS_K * BLOBS_D];
        double mean[BLOBS_K * BLOBS_D] = {0}, count[BLOBS_K] = {0};
        assert_ok(decant_options_set(&o, "scaling", scalings[s]));
        assert_ok(decant_fit(f->data.dense, &o, NULL, &r));
        assert_ok(decant_model_centroids(r->model, centroids));
        for (size_t i = 0; i < N; i++) {
            count[r->labels[i]]++;
            for (size_t j = 0; j < BLOBS_D; j++)
                mean[(size_t)r->labels[i] * BLOBS_D + j] += (double)f->data.x[i * BLOBS_D + j];
        }
        for (size_t i = 0; i < BLOBS_K * BLOBS_D; i++)
            assert_near((double)centroids[i], mean[i] / count[i / BLOBS_D], 1e-4);
        decant_result_free(r);
    }
    float features[BLOBS_K * 2];
    assert_ok(decant_model_centroids(f->dec->model, features));
    assert_true(all_finite(features, BLOBS_K * 2));
    assert_fails(decant_model_centroids(f->dec->model, NULL), DECANT_EINVAL, "centroids");
}

static void test_load_and_predict_allocation_failures(void **state) {
    fixture *f = *state;
    int32_t labels[N];
    assert_ok(decant_model_save(f->dec->model, f->path));
    for (size_t n = 1;; n++) {
        decant_model *model = NULL;
        decant__alloc_fail_at(n);
        decant_status status = decant_model_load(f->path, &model);
        decant_status said = DECANT_OK;
        if (status == DECANT_OK)
            said = decant_model_predict(model, f->data.sparse, 1, NULL, labels, NULL);
        size_t made = decant__alloc_fail_at(0);
        decant_model_free(model);
        assert_int_equal(status != DECANT_OK ? status : said, made < n ? DECANT_OK : DECANT_ENOMEM);
        if (made < n) break;
    }
}

static void test_take_model_outlives_the_result(void **state) {
    fixture *f = *state;
    const decant_options o = blobs_options(DECANT_METHOD_KMEANS);
    decant_result *r = NULL;
    int32_t expected[N], labels[N];
    assert_ok(decant_fit(f->data.dense, &o, NULL, &r));
    memcpy(expected, r->labels, sizeof expected);
    decant_model *model = decant_result_take_model(r);
    assert_non_null(model);
    assert_null(r->model);
    assert_null(decant_result_take_model(r));
    assert_null(decant_result_take_model(NULL));
    decant_result_free(r);
    assert_ok(decant_model_predict(model, f->data.dense, 1, NULL, labels, NULL));
    assert_memory_equal(labels, expected, sizeof labels);
    decant_model_free(model);
}

/* More rows than one slice; stopped at the callback's first, second, ... word. */
static void test_predict_can_be_cancelled(void **state) {
    fixture *f = *state;
    enum { MANY = 5000 };
    blobs many;
    int32_t *labels = malloc(MANY * sizeof *labels);
    float *z = malloc(MANY * 2 * sizeof *z);
    blobs_new(&many, MANY);
    blobs_stopper s = {0};
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = blobs_stop, .user = &s};
    assert_ok(decant_model_predict(f->dec->model, many.dense, 1, &monitor, labels, NULL));
    assert_true(s.calls > 2); /* how many depends on the time that slices take */
    for (size_t at = 1; at <= 2; at++) {
        s = (blobs_stopper){.stop_at = at};
        assert_fails(decant_model_predict(f->dec->model, many.dense, 1, &monitor, labels, NULL),
                     DECANT_ECANCELLED, "stopped during predict");
        s = (blobs_stopper){.stop_at = 1};
        assert_fails(decant_model_embed(f->dec->model, many.sparse, 2, &monitor, z),
                     DECANT_ECANCELLED, "stopped during embed");
    }
    monitor.struct_size = 0;
    assert_fails(decant_model_predict(f->dec->model, many.dense, 1, &monitor, labels, NULL),
                 DECANT_EINVAL, "decant_monitor_init");
    blobs_free(&many);
    free(labels);
    free(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_load_roundtrip),
        cmocka_unit_test(test_to_bytes_and_from_bytes),
        cmocka_unit_test(test_load_detects_every_flipped_byte),
        cmocka_unit_test(test_load_detects_every_truncation),
        cmocka_unit_test(test_load_refuses_forged_metadata),
        cmocka_unit_test(test_load_checkpoint_is_no_model),
        cmocka_unit_test(test_predict_refuses_bad_rows),
        cmocka_unit_test(test_predict_sparse_and_in_blocks),
        cmocka_unit_test(test_predict_many_rows),
        cmocka_unit_test(test_predict_can_be_cancelled),
        cmocka_unit_test(test_assign_agrees_with_predict),
        cmocka_unit_test(test_centroids_are_in_units_of_the_data),
        cmocka_unit_test(test_one_cluster),
        cmocka_unit_test(test_take_model_outlives_the_result),
        cmocka_unit_test(test_load_and_predict_allocation_failures),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
