/* For each cluster the rows that are most typical of it (nearest to its centroid in the feature
 * space), the most doubtful ones (lowest confidence), and for text its stems, by
 *
 *   mean   m_t = the mean weight of stem t in rows of the cluster, rows having length 1
 *   lift   (m_t + s) / (r_t + s), r_t the mean in all other rows, s the mean weight over all stems
 *          and rows, so that a stem that is rare everywhere has no high lift */
#include "run/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "store/model.h"
#include "run/cluster_columns.h"
#include "run/json.h"

enum { ITEMS = 10, STEMS = 10, SHOWN_ITEMS = 3, SHOWN_STEMS = 8, MAX_SUMS = 1 << 24 };

/* The indices with the highest scores, best first; ties in the order of insertion. */
typedef struct top_list {
    size_t count, capacity;
    size_t index[STEMS];
    double score[STEMS];
} top_list;

static void top_list_add(top_list *best, size_t index, double score) {
    size_t at = best->count;
    if (at == best->capacity && score <= best->score[at - 1]) return;
    if (at == best->capacity)
        at--;
    else
        best->count++;
    for (; at > 0 && score > best->score[at - 1]; at--) {
        best->index[at] = best->index[at - 1];
        best->score[at] = best->score[at - 1];
    }
    best->index[at] = index;
    best->score[at] = score;
}

/* ---- items ---- */

/* Minus the squared distance of a row to its (nearest) centroid; without a feature space, its
 * confidence. */
static double nearness(const decant_result *result, size_t row) {
    size_t l = result->latent;
    if (result->embedding == NULL) return (double)result->confidence[row];
    const float *z = result->embedding + row * l;
    double best = -INFINITY;
    for (size_t p = 0; p < result->model->parts; p++) {
        const float *mu = result->model->centroids + p * l;
        double sum = 0;
        if (decant__model_cluster_of(result->model, p) != result->labels[row]) continue;
        for (size_t j = 0; j < l; j++)
            sum -= ((double)z[j] - (double)mu[j]) * ((double)z[j] - (double)mu[j]);
        if (sum > best) best = sum;
    }
    return best;
}

static json_t *item_list(decant__json *json, const decant__record *record, const top_list *best) {
    json_t *list = json_array();
    for (size_t i = 0; i < best->count; i++) {
        size_t row = best->index[i];
        json_t *item = json_object();
        decant__json_put(json, item, "row", decant__json_whole(row));
        decant__json_put(json, item, "id", decant__json_text(decant_dataset_id(record->data, row)));
        decant__json_put(json, item, "confidence",
                         decant__json_real((double)record->result->confidence[row]));
        decant__json_append(json, list, item);
    }
    return list;
}

static decant_status put_items(decant__json *json, const decant__record *record, json_t *clusters) {
    decant_status status = DECANT_OK;
    const decant_result *result = record->result;
    top_list *typical = NULL, *doubtful = NULL;
    size_t *size = NULL;
    NEW_ZEROED(typical, result->k);
    NEW_ZEROED(doubtful, result->k);
    NEW_ZEROED(size, result->k);
    for (size_t c = 0; c < result->k; c++) typical[c].capacity = doubtful[c].capacity = ITEMS;
    for (size_t i = 0; i < result->n; i++) {
        size_t c = (size_t)result->labels[i];
        size[c]++;
        top_list_add(&typical[c], i, nearness(result, i));
        top_list_add(&doubtful[c], i, -(double)result->confidence[i]);
    }
    for (size_t c = 0; c < result->k; c++) {
        json_t *cluster = json_array_get(clusters, c);
        decant__json_put(json, cluster, "size", decant__json_whole(size[c]));
        decant__json_put(json, cluster, "typical", item_list(json, record, &typical[c]));
        decant__json_put(json, cluster, "doubtful", item_list(json, record, &doubtful[c]));
    }
done:
    decant__free(typical);
    decant__free(doubtful);
    decant__free(size);
    return status;
}

/* ---- stems ---- */

typedef struct sums {
    double *all;     /* d: of each stem over all rows */
    double *cluster; /* of each stem over the rows of some clusters, cluster by cluster */
    size_t *rows;    /* in each cluster */
    double typical;  /* s above */
} sums;

/* A sum over rows, each rank (base/comm.h) adding its own to that of the ranks before. */
typedef struct adding {
    const decant__record *record;
    size_t first, count; /* clusters; count = 0: all rows */
    double *out, total;
} adding;

/* The rows of each of the clusters first .. first+count-1. */
static decant_status add_rows(void *context) {
    const adding *a = context;
    const decant_dataset *data = a->record->data;
    decant__row_span here = decant__dataset_here(data);
    double unit = 1 / sqrt((double)data->d);
    for (size_t i = 0; i < here.count; i++) {
        size_t c = (size_t)a->record->result->labels[here.first + i];
        if (c < a->first || c >= a->first + a->count) continue;
        double *sum = a->out + (c - a->first) * data->d;
        for (size_t e = data->start[i]; e < data->start[i + 1]; e++)
            sum[data->column[e]] += unit * (double)data->value[e];
    }
    return DECANT_OK;
}

static decant_status add_all(void *context) {
    adding *a = context;
    const decant_dataset *data = a->record->data;
    double unit = 1 / sqrt((double)data->d);
    for (size_t e = 0; e < data->start[decant__dataset_here(data).count]; e++) {
        a->out[data->column[e]] += unit * (double)data->value[e];
        a->total += unit * (double)data->value[e];
    }
    return DECANT_OK;
}

static decant_status sum_clusters(const decant__record *record, size_t first, size_t count,
                                  double *out) {
    size_t bytes = count * record->data->d * sizeof *out;
    adding a = {record, first, count, out, 0};
    const decant__relay relay = {.work = add_rows, .context = &a, .piece = {{out, bytes}}};
    memset(out, 0, bytes);
    return decant__comm_relay(decant__dataset_comm(record->data), &relay);
}

static decant_status sum_all(const decant__record *record, sums *s) {
    const decant_dataset *data = record->data;
    adding a = {.record = record, .out = s->all};
    const decant__relay relay = {
        .work = add_all,
        .context = &a,
        .piece = {{s->all, data->d * sizeof *s->all}, {&a.total, sizeof a.total}}};
    decant_status status = decant__comm_relay(decant__dataset_comm(data), &relay);
    for (size_t i = 0; i < data->n; i++) s->rows[record->result->labels[i]]++;
    s->typical = a.total / (double)data->n / (double)data->d;
    return status;
}

static json_t *stem_list(decant__json *json, const decant_features *features, const top_list *best,
                         const char *key) {
    json_t *list = json_array();
    for (size_t i = 0; i < best->count; i++) {
        json_t *item = json_object();
        decant__json_put(json, item, "stem",
                         decant__json_text(decant_features_stem(features, best->index[i])));
        decant__json_put(json, item, "word",
                         decant__json_text(decant_features_word(features, best->index[i])));
        decant__json_put(json, item, key, decant__json_real(best->score[i]));
        decant__json_append(json, list, item);
    }
    return list;
}

static void put_cluster_stems(decant__json *json, const decant__record *record, const sums *s,
                              size_t c, const double *sum, json_t *cluster) {
    const decant_dataset *data = record->data;
    top_list mean = {.capacity = STEMS}, lift = {.capacity = STEMS};
    double inside = (double)s->rows[c], outside = (double)(data->n - s->rows[c]);
    for (size_t j = 0; j < data->d && inside > 0; j++) {
        double m = sum[j] / inside, r = outside > 0 ? (s->all[j] - sum[j]) / outside : 0;
        if (sum[j] <= 0) continue;
        top_list_add(&mean, j, m);
        top_list_add(&lift, j, (m + s->typical) / (fmax(r, 0) + s->typical));
    }
    decant__json_put(json, cluster, "stems", stem_list(json, data->features, &mean, "mean"));
    decant__json_put(json, cluster, "stems_by_lift",
                     stem_list(json, data->features, &lift, "lift"));
}

static decant_status put_stems(decant__json *json, const decant__record *record, json_t *clusters) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = record->data;
    size_t k = record->result->k;
    sums s = {0};
    if (data->features == NULL || data->features->idf == NULL) return DECANT_OK;
    size_t at_once = data->d < MAX_SUMS ? MAX_SUMS / data->d : 1;
    if (at_once > k) at_once = k;
    NEW_ZEROED(s.all, data->d);
    NEW_ZEROED(s.rows, k);
    NEW_ARRAY(s.cluster, at_once * data->d);
    TRY(sum_all(record, &s));
    for (size_t first = 0; first < k; first += at_once) {
        size_t count = k - first < at_once ? k - first : at_once;
        TRY(sum_clusters(record, first, count, s.cluster));
        for (size_t c = 0; c < count; c++)
            put_cluster_stems(json, record, &s, first + c, s.cluster + c * data->d,
                              json_array_get(clusters, first + c));
    }
done:
    decant__free(s.all);
    decant__free(s.rows);
    decant__free(s.cluster);
    return status;
}

/* ---- the file ---- */

decant_status decant__clusters_make(const decant__record *record, json_t **out) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    json_t *root = json_object(), *clusters = json_array();
    decant__json_put(&json, root, "kind", json_string("decant clusters"));
    decant__json_put(&json, root, "format_version", json_integer(1));
    for (size_t c = 0; c < record->result->k; c++) {
        json_t *cluster = json_object();
        decant__json_put(&json, cluster, "cluster", decant__json_whole(c));
        decant__json_append(&json, clusters, cluster);
    }
    status = json.failed ? DECANT_OK : put_items(&json, record, clusters);
    if (status == DECANT_OK && !json.failed) status = put_stems(&json, record, clusters);
    if (status == DECANT_OK && !json.failed)
        status = decant__cluster_columns_put(&json, record, clusters);
    decant__json_put(&json, root, "clusters", clusters);
    TRY(status);
    TRY(decant__json_done(&json, root));
    *out = root;
    return DECANT_OK;
done:
    json_decref(root);
    return status;
}

decant_status decant__clusters_write(const char *path, const decant__record *record) {
    json_t *made = NULL;
    if (record->clusters != NULL) return decant__json_write(record->clusters, path);
    decant_status status = decant__clusters_make(record, &made);
    if (status == DECANT_OK) status = decant__json_write(made, path);
    json_decref(made);
    return status;
}

/* ---- the readable form ---- */

/* Begins a line of the table; only the first line of a cluster has its number. */
static void begin_line(decant__text *text, size_t c, int *begun) {
    if (*begun)
        decant__text_print(text, "%7s  ", "");
    else
        decant__text_print(text, "%7zu  ", c);
    *begun = 1;
}

static void put_stem_names(const json_t *list, decant__text *text) {
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) {
        const char *word = json_string_value(json_object_get(item, "word"));
        if (word == NULL) word = json_string_value(json_object_get(item, "stem")); /* older */
        if (i < SHOWN_STEMS && word != NULL) decant__text_print(text, i > 0 ? " %s" : "%s", word);
    }
    decant__text_print(text, "\n");
}

static void put_names(const json_t *list, const char *what, decant__text *text) {
    const json_t *item;
    size_t i;
    decant__text_print(text, "%-8s  ", what);
    json_array_foreach(list, i, item) {
        const char *id = json_string_value(json_object_get(item, "id"));
        if (i < SHOWN_ITEMS)
            decant__text_print(text, "%s%s", i > 0 ? ", " : "", id != NULL ? id : "?");
    }
    decant__text_print(text, "\n");
}

/* Has any item a name, or any cluster stems? */
static int worth_showing(const json_t *clusters) {
    const json_t *cluster, *item;
    size_t c, i;
    json_array_foreach(clusters, c, cluster) {
        if (json_array_size(json_object_get(cluster, "stems")) > 0) return 1;
        if (json_is_string(json_object_get(cluster, "sentence"))) return 1;
        json_array_foreach(json_object_get(cluster, "typical"), i,
                           item) if (json_is_string(json_object_get(item, "id"))) return 1;
    }
    return 0;
}

static int has_names(const json_t *list) {
    return json_is_string(json_object_get(json_array_get(list, 0), "id"));
}

decant_status decant__clusters_summary(const char *path, decant__text *text) {
    const json_t *cluster;
    size_t c;
    json_t *root = NULL;
    decant_status status = decant__json_load(path, &root);
    if (status != DECANT_OK) return status;
    const json_t *clusters = json_object_get(root, "clusters");
    if (worth_showing(clusters)) decant__text_print(text, "\ncluster  about\n");
    if (!worth_showing(clusters)) clusters = NULL;
    json_array_foreach(clusters, c, cluster) {
        const json_t *typical = json_object_get(cluster, "typical");
        const json_t *stems = json_object_get(cluster, "stems_by_lift");
        const char *sentence = json_string_value(json_object_get(cluster, "sentence"));
        int begun = 0;
        if (sentence != NULL) {
            begin_line(text, c, &begun);
            decant__text_print(text, "%s\n", sentence);
        }
        if (json_array_size(stems) > 0) {
            begin_line(text, c, &begun);
            put_stem_names(stems, text);
        }
        if (!has_names(typical)) continue;
        begin_line(text, c, &begun);
        put_names(typical, "typical", text);
        begin_line(text, c, &begun);
        put_names(json_object_get(cluster, "doubtful"), "doubtful", text);
    }
    json_decref(root);
    return DECANT_OK;
}
