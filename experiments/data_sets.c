#include "experiments/data_sets.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "experiments/select_columns.h"

#define FRUITS "Fruits-360's ten classes, unpacked: a folder of JPEG files for each class"

static const decant__data_set sets[DECANT__DATA_SETS] = {
    [DECANT__DATA_MNIST] = {.key = "mnist",
                            .name = "MNIST",
                            .path = "mnist",
                            .need = "MNIST's four IDX files, gzipped or not "
                                    "(train-images-idx3-ubyte, ...)",
                            .n = 70000,
                            .d = 784,
                            .k = 10,
                            .largest = 0.11},
    [DECANT__DATA_STL] = {.key = "stl",
                          .name = "STL-HOG",
                          .path = "stl10",
                          .need = "STL-10's binary files (train_X.bin, train_y.bin, test_X.bin, "
                                  "test_y.bin and, for the autoencoder, unlabeled_X.bin)",
                          .n = 13000,
                          .d = 1428,
                          .k = 10,
                          .largest = 0.10,
                          .settings = "features=hog+colormap"},
    [DECANT__DATA_REUTERS_10K] = {.key = "reuters10k",
                                  .name = "REUTERS-10k-like",
                                  .path = "reuters/reuters10k_like.svm.gz",
                                  .need = "10 000 documents of RCV1-v2 with one root, tf-idf of "
                                          "2000 stems, as svmlight",
                                  .n = 10000,
                                  .d = 2000,
                                  .k = 4,
                                  .largest = 0.43},
    [DECANT__DATA_REUTERS] = {.key = "reuters",
                              .name = "REUTERS",
                              .path = "reuters/lyrl2004",
                              .need = "LYRL2004's token files (lyrl2004_tokens_*.dat) and "
                                      "rcv1-v2.topics.qrels",
                              .n = 685071,
                              .d = 2000,
                              .k = 4,
                              .largest = 0.43},
    [DECANT__DATA_FASHION] = {.key = "fashion",
                              .name = "Fashion-MNIST",
                              .path = "fashion-mnist",
                              .need = "Fashion-MNIST's four IDX files (Debian: "
                                      "dataset-fashion-mnist)",
                              .n = 70000,
                              .d = 784,
                              .k = 10,
                              .largest = 0.10},
    [DECANT__DATA_RCV1] = {.key = "rcv1",
                           .name = "RCV1, one root, 2000 stems",
                           .path = "reuters/rcv1_singleroot_4class.svm.gz",
                           .need = "documents of RCV1-v2 with one root, tf-idf of all stems, as "
                                   "svmlight",
                           .n = 23428,
                           .d = 2000,
                           .k = 4,
                           .largest = 0.41,
                           .max_columns = 2000},
    [DECANT__DATA_FRUITS] = {.key = "fruits",
                             .name = "Fruits-360, HOG and colour map",
                             .path = "images/Training",
                             .need = FRUITS,
                             .n = 5603,
                             .d = 1701,
                             .k = 10,
                             .largest = 0.13,
                             .settings = "features=hog+colormap",
                             .folder_labels = 1},
    [DECANT__DATA_FRUITS_PIXELS] = {.key = "fruits-pixels",
                                    .name = "Fruits-360, pixels, 32 x 32",
                                    .path = "images/Training",
                                    .need = FRUITS,
                                    .n = 5603,
                                    .d = 3072,
                                    .k = 10,
                                    .largest = 0.13,
                                    .settings = "features=pixels resize=32x32",
                                    .folder_labels = 1},
};

decant_status decant__settings_apply(decant_options *options, const char *settings) {
    char name[64], value[64];
    int used = 0;
    for (const char *at = settings; at != NULL && *at != '\0'; at += used) {
        if (sscanf(at, " %63[^= ]=%63[^ ]%n", name, value, &used) != 2) break;
        decant_status status = decant_options_set(options, name, value);
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

const decant__data_set *decant__data_set_at(decant__data_set_id id) { return &sets[id]; }

char *decant__data_set_find(decant__data_set_id id, const char *folder) {
    char *path = NULL;
    if (decant__path_join(folder, sets[id].path, &path) != DECANT_OK) return NULL;
    if (access(path, R_OK) != 0) {
        decant__free(path);
        path = NULL;
    }
    return path;
}

/* Rows for pretraining only: STL-10 has images without a class. */
static decant_status find_extra(decant__data_set_id id, const char *path, char **out) {
    if (id != DECANT__DATA_STL) return DECANT_OK;
    decant_status status = decant__path_join(path, "unlabeled_X.bin", out);
    if (status == DECANT_OK && access(*out, R_OK) != 0) {
        decant__free(*out);
        *out = NULL;
    }
    return status;
}

decant_status decant__data_set_read(decant__data_set_id id, const char *folder,
                                    decant_dataset **out) {
    decant_status status = DECANT_OK;
    const decant__data_set *set = &sets[id];
    decant_options options;
    decant_read_options reading = {
        .struct_size = sizeof reading, .options = &options, .folder_labels = set->folder_labels};
    char *path = NULL, *extra = NULL;
    decant_options_init(&options, sizeof options);
    TRY(decant__settings_apply(&options, set->settings));
    TRY(decant__path_join(folder, set->path, &path));
    TRY(find_extra(id, path, &extra));
    reading.extra_paths = (const char *const *)&extra;
    reading.extra_path_count = extra != NULL;
    TRY(decant_dataset_read((const char *const *)&path, 1, &reading, NULL, out));
    if (set->max_columns > 0) status = decant__dataset_keep_columns(*out, set->max_columns);
    if (status != DECANT_OK) {
        decant_dataset_free(*out);
        *out = NULL;
    }
done:
    decant__free(path);
    decant__free(extra);
    return status;
}

decant_status decant__data_set_imbalance(const decant_dataset *data, double r, uint64_t seed,
                                         float **rows, decant_dataset **out) {
    decant_status status = DECANT_OK;
    size_t n = decant_dataset_rows(data), d = decant_dataset_columns(data), kept = 0;
    const float *x = decant_dataset_dense(data);
    const int32_t *labels = decant_dataset_labels(data);
    double last = (double)decant_dataset_class_count(data) - 1;
    decant__random random = decant__random_start(seed, DECANT__RANDOM_SAMPLE, 0);
    decant_dataset *made = NULL;
    float *chosen = NULL;
    int32_t *classes = NULL;
    if (x == NULL || labels == NULL || last < 1)
        return decant__fail(DECANT_EINVAL, "an imbalanced sample needs dense rows with classes");
    NEW_ARRAY(chosen, n * d);
    NEW_ARRAY(classes, n);
    for (size_t i = 0; i < n; i++) {
        double keep = r + (1 - r) * (double)labels[i] / last;
        if (decant__random_uniform(&random) >= keep) continue;
        memcpy(chosen + kept * d, x + i * d, d * sizeof *chosen);
        classes[kept++] = labels[i];
    }
    TRY(decant_dataset_from_dense(chosen, DECANT_FLOAT32, kept, d, 0, &made));
    TRY(decant_dataset_set_labels(made, classes));
    *rows = chosen;
    *out = made;
    chosen = NULL;
    made = NULL;
done:
    decant_dataset_free(made);
    decant__free(chosen);
    decant__free(classes);
    return status;
}
