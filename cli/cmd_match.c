/* decant match: a run with the numbers and names of an earlier one.
 *
 * Pairs of clusters are found by the rows that they share (Hungarian): rows of the same id; or, if
 * both runs have the same rows without ids, of the same place; else the rows of the run, which the
 * earlier model assigns. A cluster gets the number of its pair. If the run has fewer clusters than
 * that number, or the cluster shares no row with an earlier one, it gets one that is free. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "cmd.h"
#include "data_args.h"
#include "id_labels.h"
#include "regroup.h"
#include "decant/model.h"

typedef struct matching {
    const cli_arguments *given;
    const char *run, *old;
    decant_model *model, *earlier;
    size_t k, before;    /* clusters of the run, of the earlier one */
    int32_t *now, *then; /* n: the clusters of the rows that both know */
    size_t n;
    size_t *counts;     /* k x before */
    int32_t *pair, *to; /* k: the earlier cluster or -1; the new number */
    int by_id;
} matching;

/* ---- the rows ---- */

/* Ids that are the numbers of the rows: there were none. */
static int are_row_numbers(const id_labels *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        char *end;
        const char *id = labels->row[i].id;
        unsigned long long number = strtoull(id, &end, 10);
        if (end == id || *end != '\0' || number >= labels->count) return 0;
    }
    return 1;
}

static int has_same_rows(const char *run, const char *old) {
    json_t *root[2] = {NULL, NULL};
    const char *const folder[2] = {run, old};
    for (int i = 0; i < 2; i++) {
        char *path = join_path(folder[i], "manifest.json");
        if (path != NULL) root[i] = json_load_file(path, 0, NULL);
        free(path);
    }
    const char *a = json_string_value(json_object_get(root[0], "data_digest"));
    const char *b = json_string_value(json_object_get(root[1], "data_digest"));
    int same = a != NULL && b != NULL && strcmp(a, b) == 0;
    json_decref(root[0]);
    json_decref(root[1]);
    return same;
}

static int32_t cluster_of(const decant_dataset *labels, size_t row) {
    const char *name =
        decant_dataset_class_name(labels, (size_t)decant_dataset_labels(labels)[row]);
    return name != NULL ? (int32_t)strtol(name, NULL, 10) : -1;
}

static int allocate_rows(matching *m, size_t n) {
    m->n = n;
    m->now = malloc((n + 1) * sizeof *m->now);
    m->then = malloc((n + 1) * sizeof *m->then);
    return m->now != NULL && m->then != NULL ? 0 : complain_memory();
}

static int rows_by_id(matching *m, const id_labels *now, const id_labels *then) {
    id_join join = {0};
    int code = id_labels_join(now, then, &join);
    if (code == 0) code = allocate_rows(m, join.count);
    for (size_t i = 0; code == 0 && i < m->n; i++) {
        m->now[i] = cluster_of(join.first, i);
        m->then[i] = cluster_of(join.second, i);
    }
    id_join_free(&join);
    return code;
}

/* The earlier model assigns the rows of the run. */
static int rows_by_model(matching *m) {
    decant_dataset *data = NULL, *labels = NULL;
    if ((decant_model_features(m->model) == NULL) != (decant_model_features(m->earlier) == NULL)) {
        complain("%s and %s are of different kinds of data and have no ids in common", m->run,
                 m->old);
        return EXIT_FAILED;
    }
    char *path = join_path(m->run, "labels.csv");
    int code = path != NULL ? 0 : EXIT_FAILED;
    if (code == 0 && decant_labels_read(path, "cluster", NULL, &labels) != DECANT_OK)
        code = complain_status(DECANT_EFORMAT);
    if (code == 0) code = read_run_data(m->given, m->run, m->earlier, &data);
    if (code == 0 && decant_dataset_rows(data) != decant_dataset_rows(labels)) {
        complain("%s: its data has %zu rows now, the run %zu", m->run, decant_dataset_rows(data),
                 decant_dataset_rows(labels));
        code = EXIT_FAILED;
    }
    if (code == 0) code = allocate_rows(m, decant_dataset_rows(data));
    for (size_t i = 0; code == 0 && i < m->n; i++) m->now[i] = cluster_of(labels, i);
    if (code == 0) {
        decant_status status = decant_model_predict(m->earlier, data, 0, NULL, m->then, NULL);
        if (status != DECANT_OK) code = complain_status(status);
    }
    decant_dataset_free(data);
    decant_dataset_free(labels);
    free(path);
    return code;
}

static int find_rows(matching *m) {
    id_labels now = {0}, then = {0};
    int code = id_labels_read(m->run, NULL, NULL, &now);
    if (code == 0) code = id_labels_read(m->old, NULL, NULL, &then);
    if (code == 0) {
        int numbers = are_row_numbers(&now), other = are_row_numbers(&then);
        m->by_id = numbers && other ? has_same_rows(m->run, m->old) : !numbers && !other;
        code = m->by_id ? rows_by_id(m, &now, &then) : rows_by_model(m);
    }
    id_labels_free(&now);
    id_labels_free(&then);
    return code;
}

/* ---- the numbers ---- */

static int is_taken(const matching *m, int32_t number) {
    for (size_t c = 0; c < m->k; c++)
        if (m->to[c] == number) return 1;
    return 0;
}

/* A free number: for a cluster that is new, rather one that the earlier run did not have. */
static int32_t free_number(const matching *m, int fresh) {
    for (size_t c = fresh ? m->before : 0; c < m->k; c++)
        if (!is_taken(m, (int32_t)c)) return (int32_t)c;
    int32_t number = 0;
    while (is_taken(m, number)) number++;
    return number;
}

static int find_pairs(matching *m) {
    m->counts = malloc(m->k * m->before * sizeof *m->counts);
    m->pair = malloc(m->k * sizeof *m->pair);
    m->to = malloc(m->k * sizeof *m->to);
    if (m->counts == NULL || m->pair == NULL || m->to == NULL) return complain_memory();
    decant_status status =
        decant_confusion(m->now, m->then, m->n, m->k, m->before, m->counts, m->pair);
    if (status != DECANT_OK) return complain_status(status);
    for (size_t c = 0; c < m->k; c++) {
        m->to[c] = -1;
        if (m->pair[c] >= 0 && m->counts[c * m->before + (size_t)m->pair[c]] == 0) m->pair[c] = -1;
    }
    for (size_t c = 0; c < m->k; c++)
        if (m->pair[c] >= 0 && (size_t)m->pair[c] < m->k) m->to[c] = m->pair[c];
    for (size_t c = 0; c < m->k; c++)
        if (m->to[c] < 0) m->to[c] = free_number(m, m->pair[c] < 0);
    return 0;
}

static int is_earlier_name(const matching *m, const char *name) {
    for (size_t c = 0; c < m->before; c++) {
        const char *earlier = decant_model_cluster_name(m->earlier, c);
        if (earlier != NULL && strcmp(earlier, name) == 0) return 1;
    }
    return 0;
}

/* Those of the earlier clusters. A cluster without one keeps its own, but not one that another
 * cluster had earlier. */
static int take_names(matching *m) {
    for (size_t c = 0; c < m->k; c++) {
        size_t number = (size_t)m->to[c];
        const char *own = decant_model_cluster_name(m->model, number);
        const char *name =
            m->pair[c] >= 0 ? decant_model_cluster_name(m->earlier, (size_t)m->pair[c]) : NULL;
        if (name == NULL && own != NULL && is_earlier_name(m, own)) name = "";
        if (name == NULL) continue;
        decant_status status = decant_model_set_cluster_name(m->model, number, name);
        if (status != DECANT_OK) return complain_status(status);
    }
    return 0;
}

static void print_pairs(const matching *m, const char *folder) {
    printf("matched by %s: %zu rows\n", m->by_id ? "the same rows" : "the earlier model", m->n);
    for (size_t c = 0; c < m->k; c++)
        if (m->pair[c] >= 0 && m->pair[c] != m->to[c])
            printf("cluster %d is what was %d: the run has only %zu clusters\n", (int)m->to[c],
                   (int)m->pair[c], m->k);
        else if (m->pair[c] < 0)
            printf("cluster %d is new\n", (int)m->to[c]);
    printf("run folder: %s\n", folder);
}

static int match(matching *m) {
    char *folder = NULL;
    int code = find_rows(m);
    m->k = decant_model_clusters(m->model);
    m->before = decant_model_clusters(m->earlier);
    if (code == 0) code = find_pairs(m);
    if (code == 0 && decant_model_regroup(m->model, m->to, m->k) != DECANT_OK)
        code = complain_status(DECANT_EINVAL);
    if (code == 0) code = take_names(m);
    if (code == 0) code = write_regrouped(m->given, m->run, m->model, m->to, &folder);
    if (code == 0) print_pairs(m, folder);
    if (code == 0) code = print_changes(m->old, folder, m->by_id);
    free(folder);
    return code;
}

int cmd_match(const cli_arguments *given) {
    matching m = {.given = given, .run = given->inputs[0], .old = given->inputs[1]};
    int code = check_finished(m.run);
    if (code == 0) code = check_finished(m.old);
    if (code == 0) code = load_model(m.run, &m.model);
    if (code == 0) code = load_model(m.old, &m.earlier);
    if (code == 0) code = match(&m);
    free(m.now);
    free(m.then);
    free(m.counts);
    free(m.pair);
    free(m.to);
    decant_model_free(m.model);
    decant_model_free(m.earlier);
    return code;
}
