/* For each column of a table and each cluster the mean, or the share of a value, inside of the
 * cluster and in all other rows. Both come from the encoded rows by the recipe's inverse: the mean
 * of a logarithm becomes a typical value, not the mean. Where missing cells are marked, what they
 * were filled with does not count. Their difference in standard deviations over all rows is what
 * columns are ordered by; the three largest, if they are above a half, make the sentence. */
#include "run/cluster_columns.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"

enum { MAX_SUMS = 1 << 24, SHOWN = 3, MAX_COLUMNS = 200, MAX_VALUES = 8 };

static const double WORTH = 0.5; /* deviations */

typedef struct sums {
    double *sum;           /* k x d */
    double *all, *squares; /* d */
    double *rows;          /* k */
    size_t k, d, n;
} sums;

static void add_value(sums *s, double *own, size_t j, double x) {
    own[j] += x;
    s->all[j] += x;
    s->squares[j] += x * x;
}

typedef struct adding {
    const decant__record *record;
    sums *s;
} adding;

static decant_status add_rows(void *context) {
    decant_status status = DECANT_OK;
    const adding *a = context;
    const decant_dataset *data = a->record->data;
    decant__row_span here = decant__dataset_here(data);
    sums *s = a->s;
    float *buffer = NULL;
    TRY(decant__dataset_buffer(data, data->d, &buffer));
    for (size_t i = 0; i < here.count; i++) {
        size_t c = (size_t)a->record->result->labels[here.first + i];
        double *own = s->sum + c * s->d;
        s->rows[c]++;
        if (data->dense != NULL) {
            const float *x = decant__dataset_row(data, i, buffer);
            for (size_t j = 0; j < s->d; j++) add_value(s, own, j, (double)x[j]);
        } else {
            for (size_t e = data->start[i]; e < data->start[i + 1]; e++)
                add_value(s, own, data->column[e], (double)data->value[e]);
        }
    }
done:
    decant__free(buffer);
    return status;
}

/* One number of the rows: its mean inside and outside of a cluster, and their difference. */
typedef struct contrast {
    double inside, outside, deviations;
} contrast;

static contrast compare(const sums *s, size_t c, size_t j) {
    double in = s->rows[c], n = (double)s->n, mean = s->all[j] / n;
    double variance = s->squares[j] / n - mean * mean, own = s->sum[c * s->d + j];
    contrast found = {own / in, n > in ? (s->all[j] - own) / (n - in) : mean, 0};
    if (variance > 1e-12 * s->squares[j] / n)
        found.deviations = (found.inside - found.outside) / sqrt(variance);
    return found;
}

/* The same for the first number of a column, over the cells that were there. */
static contrast compare_cells(const sums *s, size_t c, const decant__column *column) {
    size_t j = column->first, mark = j + column->width - 1;
    if (!column->indicator) return compare(s, c, j);
    double all = (double)s->n, total = s->all[j], in = s->rows[c], own = s->sum[c * s->d + j];
    double fill = decant__column_fill(column), squares = s->squares[j];
    decant__column_present(column, s->all[mark], &all, &total);
    decant__column_present(column, s->sum[c * s->d + mark], &in, &own);
    squares -= ((double)s->n - all) * fill * fill;
    double mean = total / all, variance = squares / all - mean * mean;
    contrast found = {in > 0 ? own / in : (double)NAN,
                      all > in                    ? (total - own) / (all - in)
                      : s->rows[c] < (double)s->n ? (double)NAN
                                                  : mean,
                      0};
    if (variance > 1e-12 * squares / all)
        found.deviations = (found.inside - found.outside) / sqrt(variance);
    return found;
}

/* Means of filled or unknown cells can be a little beside a share. */
static double as_share(double mean) { return mean < 0 ? 0 : mean > 1 ? 1 : mean; }

/* ---- the best differences of a cluster ---- */

typedef struct remark {
    char text[200];
    double weight;
} remark;

typedef struct remarks {
    remark best[SHOWN];
    size_t count;
} remarks;

static void remember(remarks *all, const char *text, double weight) {
    size_t at = all->count;
    if (!(weight >= WORTH)) return;
    if (at == SHOWN && !(weight > all->best[SHOWN - 1].weight)) return;
    if (at == SHOWN)
        at--;
    else
        all->count++;
    for (; at > 0 && weight > all->best[at - 1].weight; at--) all->best[at] = all->best[at - 1];
    decant__format(all->best[at].text, sizeof all->best[at].text, "%s", text);
    all->best[at].weight = weight;
}

/* A number as people read it: whole if it is large, else three digits. */
static void print_value(double value, const char *unit, char *text, size_t size) {
    double magnitude = fabs(value);
    int digits = magnitude >= 100 || magnitude == 0 ? 0 : magnitude >= 10 ? 1 : 2;
    int before = decant__unit_leads(unit);
    const char *gap = unit[0] != '\0' && !before ? " " : "";
    if (magnitude >= 1e9 || (magnitude < 0.01 && magnitude > 0))
        decant__format(text, size, "%s%.3g%s%s", before ? unit : "", value, gap,
                       before ? "" : unit);
    else
        decant__format(text, size, "%s%.*f%s%s", before ? unit : "", digits, value, gap,
                       before ? "" : unit);
}

static void cut_name(const char *name, char text[64]) {
    size_t length = strlen(name) < 60 ? strlen(name) : 60;
    while (length > 0 && decant__utf8_prefix(name, length) != length) length--;
    memcpy(text, name, length);
    text[length] = '\0';
}

/* ---- columns ---- */

static json_t *begin_column(decant__json *json, const decant__column *column) {
    json_t *item = json_object();
    decant__json_put(json, item, "column", decant__json_text(column->name));
    decant__json_put(json, item, "type", json_string(decant__type_word(column->type)));
    return item;
}

/* The share of a value: a mean that is moved and scaled. */
static void say_share(remarks *said, const char *name, const char *value, double inside,
                      double outside, double deviations) {
    char text[200], cut[64], level[64];
    cut_name(name, cut);
    cut_name(value, level);
    decant__format(text, sizeof text, "%.0f %% %s%s%s (vs %.0f %%)", 100 * inside, cut,
                   level[0] != '\0' ? " " : "", level, 100 * outside);
    remember(said, text, deviations);
}

/* Cells that are missing more often than elsewhere may be all that a cluster has in common. */
static void put_missing(decant__json *json, json_t *item, const sums *s, size_t c,
                        const decant__column *column, remarks *said) {
    if (!column->indicator) return;
    contrast found = compare(s, c, column->first + column->width - 1);
    double inside = as_share(found.inside + column->missing);
    double outside = as_share(found.outside + column->missing);
    decant__json_put(json, item, "missing", decant__json_real(inside));
    decant__json_put(json, item, "missing_others", decant__json_real(outside));
    decant__json_put(json, item, "missing_difference", decant__json_real(found.deviations));
    say_share(said, column->name, "missing", inside, outside, found.deviations);
}

static json_t *value_json(const decant__column *column, double value) {
    char date[40];
    if (column->type != DECANT_COLUMN_DATE || isnan(value)) return decant__json_real(value);
    decant__column_date(column, value, date, sizeof date);
    return json_string(date);
}

static json_t *put_number(decant__json *json, const sums *s, size_t c, const decant__column *column,
                          remarks *said) {
    json_t *item = begin_column(json, column);
    contrast found = compare_cells(s, c, column);
    double inside = decant__column_show(column, found.inside);
    double outside = decant__column_show(column, found.outside);
    char text[200], name[64], in[48], out[48];
    int date = column->type == DECANT_COLUMN_DATE, more = found.deviations > 0;
    if (column->unit[0] != '\0')
        decant__json_put(json, item, "unit", decant__json_text(column->unit));
    decant__json_put(json, item, "mean", value_json(column, inside));
    decant__json_put(json, item, "others", value_json(column, outside));
    decant__json_put(json, item, "difference", decant__json_real(found.deviations));
    put_missing(json, item, s, c, column, said);
    cut_name(column->name, name);
    if (date) {
        decant__column_date(column, inside, in, sizeof in);
        decant__column_date(column, outside, out, sizeof out);
    } else {
        print_value(inside, column->unit, in, sizeof in);
        print_value(outside, column->unit, out, sizeof out);
    }
    decant__format(text, sizeof text, "%s %s (%s vs %s)",
                   date   ? more ? "later" : "earlier"
                   : more ? "higher"
                          : "lower",
                   name, in, out);
    remember(said, text, fabs(found.deviations));
    return item;
}

static json_t *put_yes_no(decant__json *json, const sums *s, size_t c, const decant__column *column,
                          remarks *said) {
    json_t *item = begin_column(json, column);
    contrast found = compare_cells(s, c, column);
    double inside = as_share(found.inside / column->scale + column->center);
    double outside = as_share(found.outside / column->scale + column->center);
    decant__json_put(json, item, "share", decant__json_real(inside));
    decant__json_put(json, item, "others", decant__json_real(outside));
    decant__json_put(json, item, "difference", decant__json_real(found.deviations));
    put_missing(json, item, s, c, column, said);
    say_share(said, column->name, "yes", inside, outside, fabs(found.deviations));
    return item;
}

static json_t *put_category(decant__json *json, const sums *s, size_t c,
                            const decant__column *column, remarks *said) {
    json_t *item = begin_column(json, column), *values = json_array();
    int two = column->levels.count == 2;
    size_t best = SIZE_MAX;
    contrast strongest = {0};
    for (size_t l = 0; l < column->levels.count; l++) {
        contrast found = compare(s, c, column->first + (two ? 0 : l));
        double scale = (two ? sqrt(2.0) : 1) * column->scale, share = column->share[two ? 1 : l];
        found.inside = as_share(found.inside / scale + share);
        found.outside = as_share(found.outside / scale + share);
        if (two && l == 0)
            found = (contrast){1 - found.inside, 1 - found.outside, -found.deviations};
        if (best == SIZE_MAX || found.deviations > strongest.deviations) {
            best = l;
            strongest = found;
        }
        if (l >= MAX_VALUES && l < column->known) continue;
        json_t *value = json_object();
        decant__json_put(json, value, "value",
                         decant__json_text(decant__names_at(&column->levels, l)));
        decant__json_put(json, value, "share", decant__json_real(found.inside));
        decant__json_put(json, value, "others", decant__json_real(found.outside));
        decant__json_put(json, value, "difference", decant__json_real(found.deviations));
        decant__json_append(json, values, value);
    }
    decant__json_put(json, item, "values", values);
    if (best != SIZE_MAX)
        say_share(said, column->name, decant__names_at(&column->levels, best), strongest.inside,
                  strongest.outside, strongest.deviations);
    return item;
}

static void put_cluster(decant__json *json, const decant_table *table, const sums *s, size_t c,
                        json_t *cluster) {
    json_t *list = json_array();
    remarks said = {.count = 0};
    decant__text sentence = {0};
    size_t shown = 0;
    for (size_t j = 0; j < table->count && s->rows[c] > 0; j++) {
        const decant__column *column = &table->column[j];
        if (column->width == 0 || shown++ >= MAX_COLUMNS) continue;
        json_t *item =
            column->type == DECANT_COLUMN_CATEGORY ? put_category(json, s, c, column, &said)
            : column->type == DECANT_COLUMN_YES_NO ? put_yes_no(json, s, c, column, &said)
                                                   : put_number(json, s, c, column, &said);
        decant__json_append(json, list, item);
    }
    for (size_t i = 0; i < said.count; i++)
        decant__text_print(&sentence, "%s%s", i > 0 ? ", " : "", said.best[i].text);
    if (said.count == 0)
        decant__text_print(&sentence,
                           s->rows[c] > 0 ? "much like the other rows in every column" : "no rows");
    decant__json_put(json, cluster, "columns", list);
    decant__json_put(json, cluster, "sentence",
                     sentence.failed ? NULL : decant__json_text(sentence.bytes));
    decant__text_free(&sentence);
}

decant_status decant__cluster_columns_put(decant__json *json, const decant__record *record,
                                          json_t *clusters) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = record->data;
    sums s = {.k = record->result->k, .d = data->d, .n = data->n};
    if (data->table == NULL || !(data->table->header || !data->table->plain)) return DECANT_OK;
    if (s.d > MAX_SUMS / s.k) return DECANT_OK;
    NEW_ZEROED(s.sum, s.k * s.d);
    NEW_ZEROED(s.all, s.d);
    NEW_ZEROED(s.squares, s.d);
    NEW_ZEROED(s.rows, s.k);
    adding a = {record, &s};
    const decant__relay relay = {.work = add_rows,
                                 .context = &a,
                                 .piece = {{s.sum, s.k * s.d * sizeof *s.sum},
                                           {s.all, s.d * sizeof *s.all},
                                           {s.squares, s.d * sizeof *s.squares},
                                           {s.rows, s.k * sizeof *s.rows}}};
    TRY(decant__comm_relay(decant__dataset_comm(data), &relay));
    for (size_t c = 0; c < s.k; c++)
        put_cluster(json, data->table, &s, c, json_array_get(clusters, c));
done:
    decant__free(s.sum);
    decant__free(s.all);
    decant__free(s.squares);
    decant__free(s.rows);
    return status;
}
