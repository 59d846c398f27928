/* Crafted files with a correct checksum: a checkpoint is refused or resumed, but never causes a
 * read or write outside of memory. Meant for AddressSanitizer. */
#include <xxhash.h>

#include "blobs.h"
#include "base/watch.h"

enum { N = 24 };

typedef struct fixture {
    blobs data;
    char path[SAMPLE_PATH];
    char *bytes; /* a good checkpoint, or model */
    size_t size;
    size_t header; /* bytes before the data */
} fixture;

static decant_options options_of(decant_method method) {
    decant_options o = blobs_options(method);
    assert_ok(decant_options_set(&o, "layers", "3,2"));
    o.finetune_iterations = 6;
    o.greedy_iterations = 3;
    o.restarts = 1;
    o.update_interval = 2;
    o.max_iterations = 6;
    o.neighbours = 3;
    return o;
}

/* Puts the checksum right again. */
static void seal(char *bytes, size_t size) {
    static const char key[] = "\"checksum\":\"";
    char sum[33], *place = NULL;
    for (size_t i = 8; i + sizeof key + 32 < size && place == NULL; i++)
        if (memcmp(bytes + i, key, sizeof key - 1) == 0) place = bytes + i + sizeof key - 1;
    if (place == NULL) return;
    memset(place, '0', 32);
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    snprintf(sum, sizeof sum, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    memcpy(place, sum, 32);
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    blobs_new(&f->data, N);
    sample_path("hostile", f->path);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    blobs_free(&f->data);
    remove(f->path);
    free(f->bytes);
    free(f);
    return 0;
}

static void take_file(fixture *f) {
    free(f->bytes);
    f->bytes = sample_read(f->path, &f->size);
    f->header = 8;
    for (int i = 0; i < 8; i++) f->header += (size_t)(unsigned char)f->bytes[i] << (8 * i);
}

/* What it may become: a fit that goes on, or a sentence. */
static decant_status resume(fixture *f, const decant_options *o, const char *bytes, size_t size) {
    decant_result *r = NULL;
    decant_monitor monitor = {.struct_size = sizeof monitor, .checkpoint = f->path, .resume = 1};
    sample_write(f->path, bytes, size);
    decant_status status = decant_fit(f->data.dense, o, &monitor, &r);
    if (status != DECANT_OK && status != DECANT_EFORMAT && status != DECANT_EINVAL &&
        status != DECANT_EDIVERGED)
        fail_msg("status %d: %s", (int)status, decant_last_error());
    for (size_t i = 0; status == DECANT_OK && i < r->n; i++)
        assert_true(r->labels[i] >= 0 && (size_t)r->labels[i] < r->k);
    decant_result_free(r);
    return status;
}

/* A checkpoint of every call of the callback: all phases, all steps. */
static int stop_at(fixture *f, const decant_options *o, size_t call) {
    decant_result *r = NULL;
    blobs_stopper stopper = {.stop_at = call};
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .progress = blobs_stop,
                              .user = &stopper,
                              .checkpoint = f->path};
    decant_status status = decant_fit(f->data.dense, o, &monitor, &r);
    decant_result_free(r);
    if (status == DECANT_OK) return 0;
    assert_int_equal(status, DECANT_ECANCELLED);
    take_file(f);
    return 1;
}

/* Every byte of the data, set to what an integer or a float does not like. */
static void check_bytes(fixture *f, const decant_options *o) {
    static const unsigned char values[] = {0x00, 0x7f, 0x80, 0xff};
    char *bytes = malloc(f->size);
    size_t refused = 0;
    for (size_t i = 0; i < f->size; i += i < f->header ? 1 : 3 * TRY_EVERY) {
        memcpy(bytes, f->bytes, f->size);
        bytes[i] = (char)values[i % sizeof values];
        seal(bytes, f->size);
        refused += resume(f, o, bytes, f->size) != DECANT_OK;
    }
    assert_true(refused > f->header / 2);
    free(bytes);
}

static void test_resume_every_byte(void **state) {
    fixture *f = *state;
    decant_options dec = options_of(DECANT_METHOD_DEC);
    decant_options spectral = options_of(DECANT_METHOD_AE_SPECTRAL);
    decant_options chosen = options_of(DECANT_METHOD_DEC);
    assert_ok(decant_options_set(&chosen, "k", "2..4"));
    const decant_options *all[] = {&dec, &spectral, &chosen};
    for (size_t m = 0; m < 3; m++) {
        size_t calls = 0;
        while (stop_at(f, all[m], calls + 1)) calls++;
        assert_true(calls > 3);
        assert_true(stop_at(f, all[m], calls)); /* the last phase */
        check_bytes(f, all[m]);
    }
}

/* Every number of the metadata and of the arrays, set to what a cast does not like; at each stop.
 */
static void check_numbers(fixture *f, const decant_options *o) {
    static const char *const values[] = {"-1", "99999999999999999999", "nan", "1e151", "inf", "4"};
    for (char *at = f->bytes + 8; at < f->bytes + f->header; at++) {
        if (memcmp(at, "\":\"", 3) != 0 || memcmp(at - 8, "checksum", 8) == 0) continue;
        char *value = at + 3;
        size_t old = strcspn(value, "\"");
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            size_t length = strlen(values[v]);
            /* Blanks after the header keep its length and the places of the data. */
            char *bytes = malloc(f->size + length);
            size_t before = (size_t)(value - f->bytes), rest = f->header - before - old;
            memcpy(bytes, f->bytes, before);
            memcpy(bytes + before, values[v], length);
            memcpy(bytes + before + length, value + old, rest);
            size_t header = before + length + rest;
            memcpy(bytes + header, f->bytes + f->header, f->size - f->header);
            for (int i = 0; i < 8; i++) bytes[i] = (char)((header - 8) >> (8 * i));
            seal(bytes, header + f->size - f->header);
            resume(f, o, bytes, header + f->size - f->header);
            free(bytes);
        }
    }
}

static void test_resume_every_number(void **state) {
    fixture *f = *state;
    decant_options o = options_of(DECANT_METHOD_DEC);
    for (size_t call = 1; stop_at(f, &o, call); call += 3) check_numbers(f, &o);
}

static void test_model_every_byte(void **state) {
    fixture *f = *state;
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_GMM, DECANT_METHOD_SEC,
                                            DECANT_METHOD_KMEANS};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_options o = options_of(methods[m]);
        decant_result *r = NULL;
        assert_ok(decant_fit(f->data.dense, &o, NULL, &r));
        assert_ok(decant_model_save(r->model, f->path));
        decant_result_free(r);
        take_file(f);
        char *bytes = malloc(f->size);
        for (size_t i = 0; i < f->size; i++) {
            decant_model *model = NULL;
            int32_t labels[N];
            memcpy(bytes, f->bytes, f->size);
            bytes[i] = (char)(i % 3 == 0 ? 0xff : i % 3 == 1 ? 0x7f : bytes[i] ^ 1);
            seal(bytes, f->size);
            decant_status status = decant_model_from_bytes(bytes, f->size, &model);
            if (status == DECANT_OK) {
                decant_status said =
                    decant_model_predict(model, f->data.dense, 1, NULL, labels, NULL);
                for (size_t r2 = 0; said == DECANT_OK && r2 < N; r2++)
                    assert_true(labels[r2] >= 0 &&
                                (size_t)labels[r2] < decant_model_clusters(model));
            } else if (status != DECANT_EFORMAT && status != DECANT_EINVAL) {
                fail_msg("byte %zu: status %d: %s", i, (int)status, decant_last_error());
            }
            decant_model_free(model);
        }
        free(bytes);
    }
}

/* More neighbours than the file has room for are refused before memory is allocated for them. */
static void test_graph_of_too_many_neighbours(void **state) {
    fixture *f = *state;
    decant_options o = options_of(DECANT_METHOD_SPECTRAL);
    decant_monitor monitor = {.struct_size = sizeof monitor, .graph = f->path};
    decant_result *r = NULL;
    remove(f->path);
    assert_ok(decant_fit(f->data.dense, &o, &monitor, &r));
    decant_result_free(r);
    r = NULL;
    take_file(f);
    char *place = strstr(f->bytes + 8, "\"neighbours\":\"");
    assert_non_null(place);
    place[strlen("\"neighbours\":\"")] = '9'; /* 3 becomes 9, 20 becomes 90 */
    seal(f->bytes, f->size);
    sample_write(f->path, f->bytes, f->size);
    assert_fails(decant_fit(f->data.dense, &o, &monitor, &r), DECANT_EINVAL,
                 "neighbours for each row");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_resume_every_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_every_number, setup, teardown),
        cmocka_unit_test_setup_teardown(test_model_every_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_graph_of_too_many_neighbours, setup, teardown),
    };
    decant__cancel_every(HUGE_VAL); /* calls of the callback are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
