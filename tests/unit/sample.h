/* Random arrays, small sparse matrices and scratch files for unit tests. */
#ifndef DECANT_TESTS_SAMPLE_H
#define DECANT_TESTS_SAMPLE_H

#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "check.h"
#include "linalg/source.h"

/* Of thousands of tries of one kind: all, or some where sanitizers make each take ten times as
 * long. */
#ifdef DECANT_SANITIZED
enum { TRY_EVERY = 7 };
#else
enum { TRY_EVERY = 1 };
#endif

static inline void sample_normal(uint64_t seed, double deviation, size_t count, float *out) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_TEST, 0);
    for (size_t i = 0; i < count; i++) out[i] = (float)(deviation * decant__random_normal(&random));
}

/* A new array of normal numbers; the caller frees it. */
static inline float *sample_new(uint64_t seed, double deviation, size_t count) {
    float *out = malloc((count + 1) * sizeof *out);
    assert_non_null(out);
    sample_normal(seed, deviation, count, out);
    return out;
}

/* Sets all but a share of the values to 0. */
static inline void sample_thin(uint64_t seed, double share, size_t count, float *x) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_TEST, 1);
    for (size_t i = 0; i < count; i++)
        if (decant__random_uniform(&random) >= share) x[i] = 0;
}

/* A dense matrix's non-zeros. */
typedef struct sample_csr {
    size_t n, d;
    size_t *start;
    uint32_t *column;
    float *value;
} sample_csr;

static inline sample_csr sample_csr_of(const float *x, size_t n, size_t d) {
    sample_csr csr = {n, d, malloc((n + 1) * sizeof(size_t)), malloc(n * d * sizeof(uint32_t) + 1),
                      malloc(n * d * sizeof(float) + 1)};
    size_t at = 0;
    csr.start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++) {
            if (x[i * d + j] == 0) continue;
            csr.column[at] = (uint32_t)j;
            csr.value[at++] = x[i * d + j];
        }
        csr.start[i + 1] = at;
    }
    return csr;
}

static inline void sample_csr_free(sample_csr *csr) {
    free(csr->start);
    free(csr->column);
    free(csr->value);
}

static inline decant__source sample_csr_source(const sample_csr *csr) {
    return (decant__source){
        .n = csr->n, .d = csr->d, .start = csr->start, .column = csr->column, .value = csr->value};
}

/* The whole of a matrix as one block. */
static inline decant__rows sample_rows(const float *x, size_t n, size_t d) {
    return (decant__rows){.n = n, .d = d, .dense = x};
}

static inline decant__rows sample_csr_rows(const sample_csr *csr) {
    return (decant__rows){.n = csr->n,
                          .d = csr->d,
                          .begin = csr->start,
                          .end = csr->start + 1,
                          .column = csr->column,
                          .value = csr->value};
}

enum { SAMPLE_PATH = 256 };

/* A path for a scratch file of this process; in memory if possible, as checkpoints are synced. */
static inline void sample_path(const char *name, char path[SAMPLE_PATH]) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL) folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, SAMPLE_PATH, "%.150s/decant_test_%ld_%.60s", folder, (long)getpid(), name);
}

/* A file's bytes and a final 0, freed by the caller. */
static inline char *sample_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* Removed first: overwriting makes some file systems wait for the disk. */
static inline void sample_write(const char *path, const char *bytes, size_t size) {
    remove(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
