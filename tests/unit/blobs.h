/* Data with known clusters, dense and CSR, and options with which a fit of it takes milliseconds.
 */
#ifndef DECANT_TESTS_BLOBS_H
#define DECANT_TESTS_BLOBS_H

#include "base/memory.h"
#include "sample.h"

enum { BLOBS_K = 3, BLOBS_D = 12 };

typedef struct blobs {
    size_t n;
    float *x;
    int32_t *classes;
    sample_csr csr;
    decant_dataset *dense, *sparse;
} blobs;

/* Class c has about 2 in its own four columns and 0 in the others. */
static inline void blobs_new(blobs *b, size_t n) {
    *b = (blobs){.n = n};
    b->x = sample_new(77, 0.3, n * BLOBS_D);
    b->classes = malloc(n * sizeof *b->classes);
    for (size_t i = 0; i < n; i++) {
        size_t c = (i * i + i / 7) % BLOBS_K;
        b->classes[i] = (int32_t)c;
        for (size_t j = 0; j < BLOBS_D; j++)
            b->x[i * BLOBS_D + j] = j / 4 == c ? 2 + b->x[i * BLOBS_D + j] : 0;
    }
    b->csr = sample_csr_of(b->x, n, BLOBS_D);
    assert_ok(decant_dataset_from_dense(b->x, DECANT_FLOAT32, n, BLOBS_D, 0, &b->dense));
    assert_ok(csr_dataset(b->csr.start, b->csr.column, b->csr.value, n, BLOBS_D, &b->sparse));
}

static inline void blobs_free(blobs *b) {
    decant_dataset_free(b->dense);
    decant_dataset_free(b->sparse);
    sample_csr_free(&b->csr);
    free(b->x);
    free(b->classes);
}

static inline decant_options blobs_options(decant_method method) {
    decant_options o;
    decant_options_init(&o, sizeof o);
    o.k = BLOBS_K;
    o.method = method;
    assert_ok(decant_options_set(&o, "layers", "16,8,2"));
    o.batch = 32;
    o.finetune_iterations = 150;
    o.pretrain_rate = 0.01;
    o.restarts = 4;
    o.update_interval = 10;
    o.max_iterations = 40;
    o.threads = 1;
    return o;
}

/* Are the two the same partition of the rows? */
static inline int same_partition(const int32_t *a, const int32_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j])) return 0;
    return 1;
}

static inline int all_finite(const float *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* A model's file as bytes, freed by the caller. */
static inline char *model_bytes(const decant_model *model, size_t *size) {
    char path[SAMPLE_PATH];
    sample_path("model_bytes", path);
    assert_ok(decant_model_save(model, path));
    char *bytes = sample_read(path, size);
    remove(path);
    return bytes;
}

/* Same labels, features, history and model, to the byte. Clocks are left out. */
static inline void assert_same_result(const decant_result *a, const decant_result *b) {
    size_t size_a, size_b;
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->labels, b->labels, a->n * sizeof *a->labels);
    assert_memory_equal(a->confidence, b->confidence, a->n * sizeof *a->confidence);
    if (a->embedding != NULL)
        assert_memory_equal(a->embedding, b->embedding, a->n * a->latent * sizeof *a->embedding);
    if (a->initial_labels != NULL)
        assert_memory_equal(a->initial_labels, b->initial_labels, a->n * sizeof *a->labels);
    char *bytes_a = model_bytes(a->model, &size_a), *bytes_b = model_bytes(b->model, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
    assert_int_equal(a->history_count, b->history_count);
    for (size_t i = 0; i < a->history_count; i++) {
        assert_string_equal(a->history[i].phase, b->history[i].phase);
        assert_int_equal(a->history[i].step, b->history[i].step);
        assert_int_equal(a->history[i].smallest, b->history[i].smallest);
        assert_memory_equal(&a->history[i].loss, &b->history[i].loss, sizeof a->history[i].loss);
    }
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->converged, b->converged);
    assert_memory_equal(&a->loss, &b->loss, sizeof a->loss);
}

/* A progress callback that counts, and stops the work at one of its calls (0: never). */
typedef struct blobs_stopper {
    size_t calls, stop_at;
} blobs_stopper;

static inline int blobs_stop(const decant_progress *progress, void *user) {
    blobs_stopper *s = user;
    (void)progress;
    return ++s->calls == s->stop_at;
}

#endif
