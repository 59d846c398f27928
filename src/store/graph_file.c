#include "store/graph_file.h"

#include <string.h>

#include <xxhash.h>

#include "base/memory.h"
#include "store/settings.h"

static const char FORMAT[] = "decant-graph", FORMAT_VERSION[] = "1";

static void mix_digest(uint64_t digest[2], const void *bytes, size_t count) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, count, digest[0] ^ (digest[1] * 31));
    digest[0] = hash.high64;
    digest[1] = hash.low64;
}

void decant__graph_digest(const decant__source *points, const uint64_t data_digest[2],
                          uint64_t digest[2]) {
    const size_t shape[2] = {points->n, points->d};
    digest[0] = data_digest[0];
    digest[1] = data_digest[1];
    mix_digest(digest, shape, sizeof shape);
    if (points->dense == NULL) {
        mix_digest(digest, points->value, points->start[points->n] * sizeof *points->value);
    } else if (points->scale != NULL) {
        mix_digest(digest, points->shift, points->d * sizeof *points->shift);
        mix_digest(digest, points->scale, points->d * sizeof *points->scale);
    } else {
        mix_digest(digest, points->dense, points->n * points->d * sizeof *points->dense);
    }
}

static void put_graph_metadata(decant__metadata *metadata, const decant__graph *graph,
                               const uint64_t digest[2], double recall) {
    decant__tensors_begin(metadata, FORMAT, FORMAT_VERSION);
    decant__metadata_put(metadata, "decant_version", decant_version());
    decant__settings_put_count(metadata, "rows", graph->n);
    decant__settings_put_count(metadata, "neighbours", graph->count);
    decant__settings_put_digest(metadata, digest);
    decant__settings_put_real(metadata, "recall", recall);
}

decant_status decant__graph_save(const decant__graph *graph, const char *path,
                                 const uint64_t digest[2], double recall) {
    decant_status status = DECANT_OK;
    size_t links = graph->n * graph->count;
    decant__metadata metadata = {0};
    int32_t *start = NULL;
    if (links > INT32_MAX)
        TRY(decant__fail(DECANT_EINVAL, "%s: %zu edges are too many for a graph file", path,
                         links));
    NEW_ARRAY(start, graph->n + 1);
    for (size_t i = 0; i <= graph->n; i++) start[i] = (int32_t)(i * graph->count);
    const decant__tensor tensors[] = {{"start", DECANT__I32, graph->n + 1, 0, start},
                                      {"column", DECANT__I32, links, 0, graph->index},
                                      {"value", DECANT__F32, links, 0, graph->weight}};
    put_graph_metadata(&metadata, graph, digest, recall);
    TRY(decant__tensors_write(path, &metadata, tensors, sizeof tensors / sizeof tensors[0]));
done:
    decant__metadata_free(&metadata);
    decant__free(start);
    return status;
}

static decant_status check_graph_owner(const decant__tensor_file *file, const decant__graph *graph,
                                       const uint64_t digest[2], uint64_t *count) {
    decant_status status = DECANT_OK;
    uint64_t rows;
    int same;
    TRY(decant__settings_match_digest(file, digest, &same));
    TRY(decant__settings_get_count(file, "rows", &rows));
    TRY(decant__settings_get_count(file, "neighbours", count));
    if (rows != graph->n || !same)
        return decant__fail(
            DECANT_EINVAL, "%s: is the graph of other rows or of another scaling; use another file",
            file->path);
    /* Limits the memory for the edges by the size of the file. */
    size_t possible = file->size / (sizeof(uint32_t) + sizeof(float)) / graph->n;
    if (*count < graph->count || *count > possible || *count > INT32_MAX / (graph->n + 1))
        return decant__fail(DECANT_EINVAL,
                            "%s: has %llu neighbours for each row, but %zu are needed", file->path,
                            (unsigned long long)*count, graph->count);
done:
    return status;
}

/* Are these n rows of `count` edges to other rows, nearest first? */
static int is_graph(const int32_t *start, const uint32_t *column, const float *value, size_t n,
                    size_t count) {
    for (size_t i = 0; i < n; i++) {
        if (start[i] != (int32_t)(i * count)) return 0;
        for (size_t e = i * count; e < (i + 1) * count; e++)
            if (column[e] >= n || column[e] == i || !(value[e] >= 0) ||
                (e > i * count && value[e] < value[e - 1]))
                return 0;
    }
    return start[n] == (int32_t)(n * count);
}

decant_status decant__graph_load(decant__graph *graph, const char *path, const uint64_t digest[2],
                                 double *recall) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    uint64_t stored = 0;
    double known;
    int32_t *start = NULL;
    uint32_t *column = NULL;
    float *value = NULL;
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(check_graph_owner(&file, graph, digest, &stored));
    TRY(decant__settings_get_real(&file, "recall", &known));
    if (!(known >= 0 && known <= 1))
        TRY(decant__fail(DECANT_EFORMAT, "%s: its recall is %g, expected 0 to 1", path, known));
    size_t n = graph->n, count = (size_t)stored, wanted = graph->count;
    NEW_ARRAY(start, n + 1);
    NEW_ARRAY(column, n * count);
    NEW_ARRAY(value, n * count);
    const decant__tensor tensors[] = {{"start", DECANT__I32, n + 1, 0, start},
                                      {"column", DECANT__I32, n * count, 0, column},
                                      {"value", DECANT__F32, n * count, 0, value}};
    for (size_t t = 0; t < 3; t++) TRY(decant__tensors_get(&file, &tensors[t]));
    if (!is_graph(start, column, value, n, count))
        TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: its edges are not valid", path));
    for (size_t i = 0; i < n; i++) {
        memcpy(graph->index + i * wanted, column + i * count, wanted * sizeof *column);
        memcpy(graph->weight + i * wanted, value + i * count, wanted * sizeof *value);
    }
    *recall = known;
done:
    decant__tensors_close(&file);
    decant__free(start);
    decant__free(column);
    decant__free(value);
    return status;
}
