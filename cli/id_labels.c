#include "id_labels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data_args.h"
#include "message.h"
#include "records.h"

/* ---- Reading ---- */

typedef struct wanted {
    size_t id, label; /* numbers of the columns */
} wanted;

static int is_label_name(const char *cell, const char *name) {
    static const char *const usual[] = {"cluster", "label", "class"};
    if (name != NULL) return strcmp(cell, name) == 0;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(cell, usual[i]) == 0) return 1;
    return 0;
}

static int find_columns(cli_records *records, const char *id_column, const char *label_column,
                        int quiet, wanted *columns) {
    *columns = (wanted){SIZE_MAX, SIZE_MAX};
    int found = records_next(records);
    char *at = records->text;
    for (size_t i = 0; found == 1 && at != NULL; i++) {
        const char *cell = record_cell(&at, records->delimiter);
        if (columns->id == SIZE_MAX && strcmp(cell, id_column != NULL ? id_column : "id") == 0)
            columns->id = i;
        else if (columns->label == SIZE_MAX && is_label_name(cell, label_column))
            columns->label = i;
    }
    if (columns->id != SIZE_MAX && columns->label != SIZE_MAX) return 0;
    if (!quiet)
        complain("%s: expected a header with the columns '%s' and '%s'", records->path,
                 id_column != NULL ? id_column : "id",
                 label_column != NULL ? label_column : "cluster");
    return EXIT_FAILED;
}

static int add_row(id_labels *labels, const char *id, const char *label) {
    if (labels->count == labels->capacity) {
        size_t capacity = 2 * labels->capacity + 256;
        id_label *grown = realloc(labels->row, capacity * sizeof *grown);
        if (grown == NULL) return complain_memory();
        labels->row = grown;
        labels->capacity = capacity;
    }
    id_label *row = &labels->row[labels->count];
    *row = (id_label){strdup(id), strdup(label)};
    labels->count++;
    return row->id != NULL && row->label != NULL ? 0 : complain_memory();
}

static int read_rows(cli_records *records, const wanted *columns, id_labels *out) {
    int found, code = 0;
    while (code == 0 && (found = records_next(records)) == 1) {
        const char *id = NULL, *label = NULL;
        char *at = records->text;
        for (size_t i = 0; at != NULL; i++) {
            const char *cell = record_cell(&at, records->delimiter);
            if (i == columns->id) id = cell;
            if (i == columns->label) label = cell;
        }
        if (id == NULL || label == NULL) {
            if (!out->quiet) complain("%s: a line has too few cells", records->path);
            return EXIT_FAILED;
        }
        code = add_row(out, id, label);
    }
    return code != 0 ? code : found == 0 ? 0 : EXIT_FAILED;
}

static int by_id(const void *a, const void *b) {
    return strcmp(((const id_label *)a)->id, ((const id_label *)b)->id);
}

static int check_doubles(const id_labels *labels) {
    for (size_t i = 1; i < labels->count; i++) {
        if (strcmp(labels->row[i - 1].id, labels->row[i].id) != 0) continue;
        if (!labels->quiet)
            complain("%s: the id '%s' occurs more than once, so rows cannot be joined by it",
                     labels->path, labels->row[i].id);
        return EXIT_FAILED;
    }
    return 0;
}

char *run_labels(const char *path) {
    struct stat about;
    char *inside =
        stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? join_path(path, "labels.csv") : NULL;
    if (inside == NULL || stat(inside, &about) == 0) return inside;
    free(inside);
    return NULL;
}

int id_labels_read(const char *path, const char *id_column, const char *label_column,
                   id_labels *out) {
    cli_records records = {0};
    wanted columns;
    char *inside = run_labels(path);
    out->path = path;
    int code = records_open(&records, inside != NULL ? inside : path);
    records.plain = inside != NULL;
    if (code == 0) code = find_columns(&records, id_column, label_column, out->quiet, &columns);
    if (code == 0) code = read_rows(&records, &columns, out);
    records_close(&records);
    free(inside);
    if (code == 0 && out->count > 0) qsort(out->row, out->count, sizeof *out->row, by_id);
    return code == 0 ? check_doubles(out) : code;
}

void id_labels_free(id_labels *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->row[i].id);
        free(labels->row[i].label);
    }
    free(labels->row);
    *labels = (id_labels){0};
}

/* ---- Joining ---- */

/* Numbers come before words, and in their order. */
static int by_label(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    char *end_x, *end_y;
    double left = strtod(x, &end_x), right = strtod(y, &end_y);
    int numbers = *end_x == '\0' && *end_y == '\0' && end_x != x && end_y != y;
    if (numbers && left != right) return left < right ? -1 : 1;
    return strcmp(x, y);
}

/* A dataset whose classes are the different labels, in order. */
static int make_dataset(const char **label, size_t n, const float *nothing, decant_dataset **out) {
    const char **names = malloc(n * sizeof *names);
    int32_t *number = malloc(n * sizeof *number);
    size_t count = 0;
    int code = names == NULL || number == NULL ? complain_memory() : 0;
    if (code == 0) {
        memcpy(names, label, n * sizeof *names);
        qsort(names, n, sizeof *names, by_label);
        for (size_t i = 0; i < n; i++)
            if (i == 0 || strcmp(names[count - 1], names[i]) != 0) names[count++] = names[i];
        for (size_t i = 0; i < n; i++) {
            const char **place = bsearch(&label[i], names, count, sizeof *names, by_label);
            number[i] = (int32_t)(place - names);
        }
        decant_status status = decant_dataset_from_dense(nothing, DECANT_FLOAT32, n, 1, 0, out);
        if (status == DECANT_OK) status = decant_dataset_set_labels(*out, number);
        if (status == DECANT_OK) status = decant_dataset_set_class_names(*out, names, count);
        if (status != DECANT_OK) code = complain_status(status);
    }
    free(names);
    free(number);
    return code;
}

int id_labels_join(const id_labels *first, const id_labels *second, id_join *join) {
    size_t most = first->count < second->count ? first->count : second->count;
    const char **left = malloc((most + 1) * sizeof *left);
    const char **right = malloc((most + 1) * sizeof *right);
    join->nothing = calloc(most + 1, sizeof *join->nothing);
    join->id = malloc((most + 1) * sizeof *join->id);
    int code = left == NULL || right == NULL || join->nothing == NULL || join->id == NULL
                   ? complain_memory()
                   : 0;
    for (size_t i = 0, j = 0; code == 0 && (i < first->count || j < second->count);) {
        int order = i == first->count    ? 1
                    : j == second->count ? -1
                                         : strcmp(first->row[i].id, second->row[j].id);
        if (order == 0 && (first->row[i].label[0] == '\0' || second->row[j].label[0] == '\0')) {
            join->unlabelled++; /* no label is not one of its own */
        } else if (order == 0) {
            join->id[join->count] = first->row[i].id;
            left[join->count] = first->row[i].label;
            right[join->count++] = second->row[j].label;
        }
        join->only_first += order < 0;
        join->only_second += order > 0;
        i += order <= 0;
        j += order >= 0;
    }
    if (code == 0 && join->count == 0) {
        complain(join->unlabelled > 0 ? "%s and %s have no row in common that has a label in both"
                                      : "%s and %s have no id in common",
                 first->path, second->path);
        code = EXIT_FAILED;
    }
    if (code == 0) code = make_dataset(left, join->count, join->nothing, &join->first);
    if (code == 0) code = make_dataset(right, join->count, join->nothing, &join->second);
    free(left);
    free(right);
    return code;
}

void id_join_free(id_join *join) {
    decant_dataset_free(join->first);
    decant_dataset_free(join->second);
    free(join->nothing);
    free(join->id);
    *join = (id_join){0};
}
