#include "data/dataset.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/block.h"
#include "data/scan.h"

size_t decant_dataset_rows(const decant_dataset *data) { return data != NULL ? data->n : 0; }
size_t decant_dataset_columns(const decant_dataset *data) { return data != NULL ? data->d : 0; }

int decant_dataset_is_sparse(const decant_dataset *data) {
    return data != NULL && data->dense == NULL;
}

const float *decant_dataset_dense(const decant_dataset *data) {
    return data != NULL && decant__layout_is_plain(data->layout) ? data->dense : NULL;
}

decant_status decant_dataset_row(const decant_dataset *data, size_t row, float *x) {
    REQUIRE(data);
    REQUIRE(x);
    decant_status status = decant__dataset_check_matrix(data);
    if (status != DECANT_OK) return status;
    if (row >= data->n)
        return decant__fail(DECANT_EINVAL, "row %zu: the dataset has %zu, counted from 0", row,
                            data->n);
    if (data->dense != NULL) {
        const float *found = decant__dataset_row(data, row, x);
        if (found != x) memcpy(x, found, data->d * sizeof *x);
        return decant__row_file_check(data->file);
    }
    memset(x, 0, data->d * sizeof *x);
    for (size_t e = data->start[row]; e < data->start[row + 1]; e++)
        x[data->column[e]] = data->value[e];
    return DECANT_OK;
}

void decant_dataset_csr(const decant_dataset *data, const size_t **start, const uint32_t **column,
                        const float **value) {
    if (start != NULL) *start = data != NULL ? data->start : NULL;
    if (column != NULL) *column = data != NULL ? data->column : NULL;
    if (value != NULL) *value = data != NULL ? data->value : NULL;
}

size_t decant_dataset_nonzeros(const decant_dataset *data) {
    if (data == NULL) return 0;
    if (data->start != NULL) return data->start[data->n];
    return data->n * data->d; /* 0 where there are only labels */
}

const char *decant_dataset_format(const decant_dataset *data) {
    if (data != NULL && data->features != NULL) return data->features->about;
    return data != NULL && data->format != NULL ? data->format : "";
}

const int32_t *decant_dataset_labels(const decant_dataset *data) {
    return data != NULL ? data->labels : NULL;
}

size_t decant_dataset_class_count(const decant_dataset *data) {
    return data != NULL ? data->class_count : 0;
}

const char *decant_dataset_class_name(const decant_dataset *data, size_t c) {
    return data != NULL && data->class_names != NULL && c < data->class_count ? data->class_names[c]
                                                                              : NULL;
}

const char *decant_dataset_column_name(const decant_dataset *data, size_t column) {
    if (data == NULL || column >= data->d) return NULL;
    if (data->column_names != NULL) return data->column_names[column];
    return data->features != NULL ? decant_features_stem(data->features, column) : NULL;
}

const char *decant_dataset_id(const decant_dataset *data, size_t row) {
    return data != NULL && data->ids != NULL && row < data->n ? data->ids[row] : NULL;
}

const decant_features *decant_dataset_features(const decant_dataset *data) {
    return data != NULL ? data->features : NULL;
}

const decant_table *decant_dataset_table(const decant_dataset *data) {
    return data != NULL ? data->table : NULL;
}

size_t decant_dataset_skipped(const decant_dataset *data) {
    return data != NULL ? data->notes.skipped : 0;
}

const char *decant_dataset_note(const decant_dataset *data, size_t index) {
    return data != NULL && index < data->notes.count ? data->notes.sentence[index] : NULL;
}

size_t decant_dataset_extra(const decant_dataset *data) { return data != NULL ? data->extra : 0; }

double decant_dataset_seconds(const decant_dataset *data) {
    return data != NULL ? data->seconds : 0;
}

void decant_dataset_free(decant_dataset *data) {
    if (data == NULL) return;
    for (size_t i = 0; i < sizeof data->owned / sizeof *data->owned; i++)
        decant__free(data->owned[i]);
    decant__row_file_free(data->file);
    decant__free(data->labels);
    decant__free(data->class_names);
    decant__free(data->ids);
    decant__free(data->column_names);
    decant__origin_free(&data->origin);
    decant__features_free(data->features);
    decant__table_free(data->table);
    decant__notes_free(&data->notes);
    decant__free(data);
}

decant_status decant__dataset_check_matrix(const decant_dataset *data) {
    if (data->n > 0 && data->d > 0 && (data->dense != NULL || data->start != NULL))
        return DECANT_OK;
    return decant__fail(DECANT_EINVAL, "the dataset has labels only, and no rows of numbers");
}

const decant__comm *decant__dataset_comm(const decant_dataset *data) {
    return data->share.comm != NULL ? data->share.comm : decant__comm_alone();
}

size_t decant__dataset_all(const decant_dataset *data) {
    return data->share.comm != NULL ? data->share.all : data->n;
}

decant__row_span decant__dataset_here(const decant_dataset *data) {
    if (data->share.comm == NULL) return (decant__row_span){0, data->n};
    return (decant__row_span){data->share.first, data->share.rows};
}

decant_status decant__dataset_buffer(const decant_dataset *data, size_t size, float **buffer) {
    *buffer = NULL;
    if (decant__layout_is_plain(data->layout)) return DECANT_OK;
    *buffer = decant__alloc_array(size, sizeof **buffer);
    return *buffer != NULL ? DECANT_OK : DECANT_ENOMEM;
}

const float *decant__dataset_row(const decant_dataset *data, size_t row, float *buffer) {
    if (decant__layout_is_plain(data->layout)) return data->dense + row * data->d;
    decant__layout_copy(data->dense, data->layout, data->d, row * data->d, data->d, buffer);
    return buffer;
}

decant_status decant__dataset_check_finite(const decant_dataset *data) {
    decant__summary summary = {0};
    return decant__scan(data, 0, 1, NULL, &summary); /* nothing in it to free */
}

decant_status decant__dataset_digest(const decant_dataset *data, uint64_t digest[2]) {
    decant__summary summary = {0};
    decant_status status = decant__scan(data, DECANT__SCAN_DIGEST, 1, NULL, &summary);
    if (status == DECANT_OK) memcpy(digest, summary.digest, sizeof summary.digest);
    return status;
}

/* ---- notes ---- */

enum { SENTENCE = 1024 };

void decant__notes_add(decant__notes *notes, const char *format, ...) {
    char text[SENTENCE];
    va_list arguments;
    if (notes->count == DECANT__MAX_NOTES) return;
    va_start(arguments, format);
    decant__format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = decant__copy_text(text);
    if (copy != NULL) notes->sentence[notes->count++] = copy;
}

void decant__notes_free(decant__notes *notes) {
    for (size_t i = 0; i < notes->count; i++) decant__free(notes->sentence[i]);
    *notes = (decant__notes){0};
}

/* ---- origin ---- */

/* A path that stays valid in another working directory. */
static char *whole_path(const char *path) {
    char whole[PATH_MAX], file[PATH_MAX], joined[2 * PATH_MAX];
    const char *member = decant__path_member(path);
    if (member == NULL) return decant__copy_text(realpath(path, whole) != NULL ? whole : path);
    snprintf(file, sizeof file, "%.*s", (int)(member - path) - 1, path);
    if (realpath(file, whole) == NULL) return decant__copy_text(path);
    snprintf(joined, sizeof joined, "%s:%s", whole, member);
    return decant__copy_text(joined);
}

static decant_status copy_list(decant__path_list *list, const char *const *paths, size_t count) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(list->path, count);
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        list->path[i] = whole_path(paths[i]);
        if (list->path[i] == NULL) return DECANT_ENOMEM;
    }
done:
    return status;
}

static void free_list(decant__path_list *list) {
    for (size_t i = 0; i < list->count; i++) decant__free(list->path[i]);
    decant__free(list->path);
}

static decant_status copy(const char *text, char **out) {
    *out = text != NULL ? decant__copy_text(text) : NULL;
    return text != NULL && *out == NULL ? DECANT_ENOMEM : DECANT_OK;
}

decant_status decant__origin_new(decant__origin *origin, const char *const *paths, size_t count,
                                 const decant_read_options *options) {
    decant_status status = DECANT_OK;
    *origin = (decant__origin){0};
    TRY(copy_list(&origin->data, paths, count));
    if (options == NULL) goto done;
    if (options->label_paths != NULL)
        TRY(copy_list(&origin->labels, options->label_paths, options->label_path_count));
    TRY(copy(options->id_column, &origin->id_column));
    TRY(copy(options->label_column, &origin->label_column));
    TRY(copy(options->text_column, &origin->text_column));
    if (options->topics != NULL) {
        origin->topics = whole_path(options->topics);
        if (origin->topics == NULL) TRY(DECANT_ENOMEM);
    }
    origin->folder_labels = options->folder_labels;
    origin->skip_broken = options->skip_broken;
done:
    if (status != DECANT_OK) decant__origin_free(origin);
    return status;
}

void decant__origin_free(decant__origin *origin) {
    free_list(&origin->data);
    free_list(&origin->labels);
    decant__free(origin->id_column);
    decant__free(origin->label_column);
    decant__free(origin->text_column);
    decant__free(origin->topics);
    *origin = (decant__origin){0};
}

static int all_there(const decant__path_list *list) {
    struct stat about;
    for (size_t i = 0; i < list->count; i++) {
        if (decant__path_member(list->path[i]) != NULL) continue;
        if (stat(list->path[i], &about) != 0 || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
            return 0;
    }
    return 1;
}

int decant__origin_exists(const decant__origin *origin) {
    return origin->data.count > 0 && all_there(&origin->data) && all_there(&origin->labels);
}

decant_read_options decant__origin_options(const decant__origin *origin) {
    return (decant_read_options){
        .struct_size = sizeof(decant_read_options),
        .id_column = origin->id_column,
        .label_column = origin->label_column,
        .label_paths = origin->labels.count > 0 ? (const char *const *)origin->labels.path : NULL,
        .label_path_count = origin->labels.count,
        .text_column = origin->text_column,
        .topics = origin->topics,
        .folder_labels = origin->folder_labels,
        .skip_broken = origin->skip_broken};
}
