#include "report/exhibit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "read/raw.h"

enum { EACH = 10, MAX_ON_CARDS = 4000, EXCERPT = 320, CAPTION_COLUMNS = 4 };

/* ---- which rows ---- */

static void mark_list(const json_t *list, size_t each, size_t n, uint8_t *marked) {
    for (size_t i = 0; i < each && i < json_array_size(list); i++) {
        json_int_t row = json_integer_value(json_object_get(json_array_get(list, i), "row"));
        if (row >= 0 && (size_t)row < n) marked[row] |= DECANT__ON_CARD;
    }
}

static decant_status mark_rows(decant__exhibit *x, const decant__study *study, uint8_t *marked) {
    decant_status status = DECANT_OK;
    const json_t *clusters = json_object_get(study->clusters, "clusters"), *cluster;
    size_t c, used = 0;
    x->each = MAX_ON_CARDS / 2 / study->k < EACH ? MAX_ON_CARDS / 2 / study->k : EACH;
    json_array_foreach(clusters, c, cluster) {
        mark_list(json_object_get(cluster, "typical"), x->each, study->n, marked);
        mark_list(json_object_get(cluster, "doubtful"), x->each, study->n, marked);
    }
    for (size_t i = 0; i < study->count; i++) marked[study->row[i]] |= DECANT__ON_MAP;
    for (size_t i = 0; i < study->n; i++) x->count += marked[i] != 0;
    NEW_ARRAY(x->row, x->count);
    for (size_t i = 0; i < study->n; i++)
        if (marked[i]) x->row[used++] = (uint32_t)i;
done:
    return status;
}

size_t decant__exhibit_find(const decant__exhibit *exhibit, size_t row) {
    size_t low = 0, high = exhibit->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (exhibit->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- texts ---- */

static void name_column(const decant_dataset *data, size_t j, decant__text *text) {
    const char *name = decant_dataset_column_name(data, j);
    if (name != NULL && *name != '\0')
        decant__text_print(text, "%s", name);
    else
        decant__text_print(text, "column %zu", j + 1);
}

/* An income is 11624 and not 1.162e+04. */
static int is_plain(double value) { return fabs(value) >= 1e3 && fabs(value) < 1e9; }

/* Parts of a date and marks of missing cells stand for no cell of their own. */
static int is_cell(const decant__column *column, size_t j) {
    if (column->type == DECANT_COLUMN_CATEGORY) return j - column->first < column->levels.count;
    return j == column->first;
}

/* A number of an encoded table as its cell: "age 61", "city Lyon", "joined 2026-02-13". */
static void print_cell(const decant__column *column, size_t j, double x, decant__text *text) {
    char date[32];
    double value = decant__column_show(column, x);
    int leads = decant__unit_leads(column->unit);
    size_t level = j - column->first;
    if (column->type == DECANT_COLUMN_CATEGORY) {
        decant__text_print(text, x > 0 ? "%s %s" : "%s not %s", column->name,
                           decant__names_at(&column->levels, level));
    } else if (column->type == DECANT_COLUMN_YES_NO) {
        decant__text_print(text, "%s %s", column->name, x > 0 ? "yes" : "no");
    } else if (column->type == DECANT_COLUMN_DATE) {
        decant__column_date(column, value, date, sizeof date);
        decant__text_print(text, "%s %s", column->name, date);
    } else {
        decant__text_print(text, is_plain(value) ? "%s %s%.0f%s%s" : "%s %s%.4g%s%s", column->name,
                           leads ? column->unit : "", value,
                           column->unit[0] != '\0' && !leads ? " " : "", leads ? "" : column->unit);
    }
}

static void print_value(const decant_dataset *data, size_t j, double x, decant__text *text) {
    const decant__column *column = decant__columns_source(data, j);
    if (column != NULL) {
        print_cell(column, j, x, text);
        return;
    }
    name_column(data, j, text);
    decant__text_print(text, is_plain(x) ? " %.0f" : " %.4g", x);
}

/* How much number j tells of a row: its distance from the mean, in standard deviations, times the
 * share of the column's deviation that lies between the clusters. Else a rare category, far from
 * the mean of its 0s and 1s, would come first in each row. */
static double score_value(const decant__columns *columns, size_t j, double x) {
    double sd = columns->sd[j];
    return sd > 0 ? fabs(x - columns->mean[j]) / sd * sqrt(columns->between[j]) : 0;
}

/* Is the cell of a dense row missing? */
static int is_missing(const decant__column *column, size_t j, const float *dense) {
    size_t mark = dense != NULL ? decant__columns_mark(column, j) : SIZE_MAX;
    return mark != SIZE_MAX && dense[mark] > 0;
}

/* "city not Nice" says nothing beside "city Lyon", which another number of the column has. */
static int is_implied(const decant__column *column, size_t j, const float *dense) {
    if (column->type != DECANT_COLUMN_CATEGORY || dense == NULL || dense[j] > 0) return 0;
    for (size_t level = 0; level < column->levels.count; level++)
        if (dense[column->first + level] > 0) return 1;
    return 0;
}

/* The columns that tell most of a row; of a sparse row, among its non-zeros. */
static char *describe_row(const decant__study *study, const decant__columns *columns, size_t row) {
    const decant_dataset *data = study->data;
    const float *dense = data->dense != NULL ? decant__dataset_row(data, row, study->buffer) : NULL;
    decant__text text = {0};
    double best[CAPTION_COLUMNS] = {0}, shown[CAPTION_COLUMNS] = {0};
    size_t which[CAPTION_COLUMNS] = {0}, used = 0;
    size_t begin = dense != NULL ? 0 : data->start[row];
    size_t end = dense != NULL ? data->d : data->start[row + 1];
    for (size_t e = begin; e < end; e++) {
        size_t j = dense != NULL ? e : data->column[e];
        const decant__column *column = decant__columns_source(data, j);
        if (column != NULL &&
            (!is_cell(column, j) || is_missing(column, j, dense) || is_implied(column, j, dense)))
            continue;
        double x = (double)(dense != NULL ? dense[j] : data->value[e]);
        double score = score_value(columns, j, x);
        size_t at = used < CAPTION_COLUMNS ? used++ : CAPTION_COLUMNS;
        for (; at > 0 && score > best[at - 1]; at--)
            if (at < CAPTION_COLUMNS) {
                best[at] = best[at - 1];
                which[at] = which[at - 1];
                shown[at] = shown[at - 1];
            }
        if (at == CAPTION_COLUMNS) continue;
        best[at] = score;
        which[at] = j;
        shown[at] = x;
    }
    for (size_t i = 0; i < used; i++) {
        if (i > 0) decant__text_print(&text, " \xC2\xB7 ");
        print_value(data, which[i], shown[i], &text);
    }
    char *out = NULL;
    return decant__text_take(&text, &out) == DECANT_OK ? out : NULL;
}

static decant_status describe_rows(decant__exhibit *x, const decant__study *study) {
    decant_status status = DECANT_OK;
    TRY(decant__columns_find(&x->columns, study));
    if (x->columns.mean == NULL) return DECANT_OK;
    NEW_ZEROED(x->text, x->count);
    for (size_t i = 0; i < x->count; i++) {
        x->text[i] = describe_row(study, &x->columns, x->row[i]);
        if (x->text[i] == NULL) TRY(DECANT_ENOMEM);
    }
done:
    return status;
}

/* If a file is damaged or missing, the report is made without texts. */
static decant_status read_texts(decant__exhibit *x, const decant__study *study) {
    decant_status status = DECANT_OK;
    if (!decant__origin_exists(&study->data->origin)) return DECANT_OK;
    NEW_ZEROED(x->text, x->count);
    status = decant__items_texts(study->data, x->row, x->count, EXCERPT, x->text);
    if (status != DECANT_ENOMEM) status = DECANT_OK;
done:
    return status;
}

static decant_status find_texts(decant__exhibit *x, const decant__study *study) {
    const decant_dataset *data = study->data;
    if (data->features != NULL)
        return data->features->idf != NULL ? read_texts(x, study) : DECANT_OK;
    return x->gallery.count == 0 ? describe_rows(x, study) : DECANT_OK;
}

/* ---- public functions ---- */

decant_status decant__exhibit_make(decant__exhibit *exhibit, const decant__study *study,
                                   size_t width, size_t height) {
    decant_status status = DECANT_OK;
    uint8_t *marked = NULL;
    *exhibit = (decant__exhibit){0};
    NEW_ZEROED(marked, study->n);
    TRY(mark_rows(exhibit, study, marked));
    if (study->data == NULL) goto done;
    TRY(decant__gallery_make(&exhibit->gallery, study, exhibit->row, exhibit->count, marked, width,
                             height));
    TRY(find_texts(exhibit, study));
done:
    decant__free(marked);
    if (status != DECANT_OK) decant__exhibit_free(exhibit);
    return status;
}

void decant__exhibit_free(decant__exhibit *exhibit) {
    for (size_t i = 0; exhibit->text != NULL && i < exhibit->count; i++)
        decant__free(exhibit->text[i]);
    decant__free(exhibit->text);
    decant__free(exhibit->row);
    decant__gallery_free(&exhibit->gallery);
    decant__columns_free(&exhibit->columns);
    *exhibit = (decant__exhibit){0};
}
