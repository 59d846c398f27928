/* Labels with ids, from labels.csv of a run or another CSV file, and two of them joined by id. */
#ifndef DECANT_CLI_ID_LABELS_H
#define DECANT_CLI_ID_LABELS_H

#include "decant/decant.h"

/* Zero-initialise. Sorted by id. */
typedef struct id_label {
    char *id, *label;
} id_label;
typedef struct id_labels {
    const char *path;
    int quiet; /* no message if there are no such columns, or an id comes twice: only a try */
    id_label *row;
    size_t count, capacity;
} id_labels;

/* RUN/labels.csv if the path is a folder with a run in it; else NULL. New memory. */
char *run_labels(const char *path);

/* path: a file, or a run folder. Columns by their names in the header; NULL: "id", and the first of
 * cluster, label and class. 0, or an exit code after an error message; free it either way. */
int id_labels_read(const char *path, const char *id_column, const char *label_column,
                   id_labels *out);
void id_labels_free(id_labels *labels);

/* The rows that are in both and have a label there, as datasets with labels and class names, in the
 * order of their ids. Zero-initialise. */
typedef struct id_join {
    decant_dataset *first, *second;
    float *nothing; /* the numbers of these datasets */
    const char **id;
    size_t count, only_first, only_second, unlabelled;
} id_join;
int id_labels_join(const id_labels *first, const id_labels *second, id_join *join);
void id_join_free(id_join *join);

#endif
