/* For tests that read files: a temporary folder, and files written into it. */
#ifndef DECANT_TESTS_FILES_H
#define DECANT_TESTS_FILES_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"

static char test_folder[] = "/tmp/decant-test-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(test_folder) == NULL;
}

static void remove_folder_at(const char *path) {
    char name[512];
    DIR *folder = opendir(path);
    struct dirent *item;
    while (folder != NULL && (item = readdir(folder)) != NULL) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        snprintf(name, sizeof name, "%s/%s", path, item->d_name);
        if (remove(name) != 0) remove_folder_at(name);
    }
    if (folder != NULL) closedir(folder);
    rmdir(path);
}

static int remove_folder(void **state) {
    (void)state;
    remove_folder_at(test_folder);
    return 0;
}

/* The path of a file in the folder; good for eight calls. */
static inline const char *in_folder(const char *name) {
    static char paths[8][256];
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

static inline const char *write_bytes(const char *name, const void *bytes, size_t count) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
    return path;
}

static inline const char *write_text(const char *name, const char *text) {
    return write_bytes(name, text, strlen(text));
}

static inline const char *write_gzip(const char *name, const void *bytes, size_t count) {
    const char *path = in_folder(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)count), count);
    gzclose(file);
    return path;
}

static inline size_t read_bytes(const char *path, unsigned char *bytes, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    return count;
}

/* Reads one file, as the library does it by default. */
static inline decant_status read_one(const char *path, decant_dataset **data) {
    return decant_dataset_read(&path, 1, NULL, NULL, data);
}

/* One file whose reading must fail with this sentence. */
#define assert_refused(path, text)                                    \
    do {                                                              \
        decant_dataset *none_ = NULL;                                 \
        assert_fails(read_one((path), &none_), DECANT_EFORMAT, text); \
        assert_null(none_);                                           \
    } while (0)

#define run_with_folder(tests) cmocka_run_group_tests(tests, make_folder, remove_folder)

#endif
