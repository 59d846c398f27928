#include "reproduce/sets.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

static const decant__set sets[DECANT__SETS] = {
    [DECANT__SET_MNIST] = {"mnist", "MNIST", "mnist",
                           "MNIST's four IDX files, gzipped or not (train-images-idx3-ubyte, ...)",
                           70000, 784, 10, 0.11},
    [DECANT__SET_STL] = {"stl", "STL-HOG", "stl10",
                         "STL-10's binary files (train_X.bin, train_y.bin, test_X.bin, test_y.bin "
                         "and, for the autoencoder, unlabeled_X.bin)",
                         13000, 1428, 10, 0.10},
    [DECANT__SET_REUTERS_10K] = {"reuters10k", "REUTERS-10k-like", "reuters/reuters10k_like.svm.gz",
                                 "10 000 documents of RCV1-v2 with one root, tf-idf of 2000 stems, "
                                 "as svmlight",
                                 10000, 2000, 4, 0.43},
    [DECANT__SET_REUTERS] = {"reuters", "REUTERS", "reuters/lyrl2004",
                             "LYRL2004's token files (lyrl2004_tokens_*.dat) and "
                             "rcv1-v2.topics.qrels",
                             685071, 2000, 4, 0.43},
    [DECANT__SET_FASHION] = {"fashion", "Fashion-MNIST", "fashion-mnist",
                             "Fashion-MNIST's four IDX files (Debian: dataset-fashion-mnist)",
                             70000, 784, 10, 0.10},
};

const decant__set *decant__set_at(decant__set_id id) { return &sets[id]; }

char *decant__set_find(decant__set_id id, const char *folder) {
    char *path = NULL;
    if (decant__path_join(folder, sets[id].path, &path) != DECANT_OK) return NULL;
    if (access(path, R_OK) != 0) {
        decant__free(path);
        path = NULL;
    }
    return path;
}

decant_status decant__set_read(decant__set_id id, const char *folder, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_options options;
    decant_read_options reading = {.struct_size = sizeof reading, .options = &options};
    char *path = NULL, *extra = NULL;
    decant_options_init(&options);
    TRY(decant__path_join(folder, sets[id].path, &path));
    if (id == DECANT__SET_STL) {
        options.features = DECANT_FEATURES_HOG_COLORMAP;
        TRY(decant__path_join(path, "unlabeled_X.bin", &extra));
        reading.extra_paths = (const char *const *)&extra;
        reading.extra_path_count = access(extra, R_OK) == 0;
    }
    TRY(decant_dataset_read((const char *const *)&path, 1, &reading, out));
done:
    decant__free(path);
    decant__free(extra);
    return status;
}

decant_status decant__set_thin(const decant_dataset *data, double r, uint64_t seed, float **rows,
                               decant_dataset **out) {
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
    TRY(decant_dataset_from_dense(chosen, kept, d, &made));
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
