#include "report/columns.h"

#include <math.h>

#include "base/memory.h"

enum { MAX_SUMS = 1 << 24 };

/* Sums of each column over the rows of each cluster, and of squares over all rows. */
static void sum_columns(const decant__study *study, double *sum, double *squares, double *rows) {
    const decant_dataset *data = study->data;
    size_t d = data->d;
    for (size_t i = 0; i < data->n; i++) {
        double *own = sum + (size_t)study->cluster[i] * d;
        rows[study->cluster[i]]++;
        if (data->dense != NULL) {
            const float *x = decant__dataset_row(data, i, study->buffer);
            for (size_t j = 0; j < d; j++) {
                own[j] += (double)x[j];
                squares[j] += (double)x[j] * (double)x[j];
            }
            continue;
        }
        for (size_t e = data->start[i]; e < data->start[i + 1]; e++) {
            double x = (double)data->value[e];
            own[data->column[e]] += x;
            squares[data->column[e]] += x * x;
        }
    }
}

/* Inserts a column into the cluster's list, which is sorted by |z|. */
static void insert_column(decant__columns *columns, size_t c, decant__special found) {
    decant__special *best = columns->best + c * columns->each;
    size_t at = columns->each;
    if (!(fabs(found.z) > fabs(best[at - 1].z))) return;
    for (at--; at > 0 && fabs(found.z) > fabs(best[at - 1].z); at--) best[at] = best[at - 1];
    best[at] = found;
}

static void compare_means(decant__columns *columns, const decant__study *study, const double *sum,
                          const double *rows) {
    size_t d = study->data->d;
    double n = (double)study->n;
    for (size_t c = 0; c < study->k; c++)
        for (size_t j = 0; j < d && rows[c] > 0 && rows[c] < n && columns->sd[j] > 0; j++) {
            double inside = sum[c * d + j] / rows[c];
            double outside = (n * columns->mean[j] - sum[c * d + j]) / (n - rows[c]);
            insert_column(
                columns, c,
                (decant__special){j, inside, outside, (inside - outside) / columns->sd[j]});
        }
}

/* ---- distributions ---- */

const decant__column *decant__columns_source(const decant_dataset *data, size_t j) {
    const decant_table *table = data->table;
    for (size_t c = 0; table != NULL && !table->plain && c < table->count; c++) {
        const decant__column *column = &table->column[c];
        if (column->width > 0 && j >= column->first && j < column->first + column->width)
            return column;
    }
    return NULL;
}

size_t decant__columns_mark(const decant__column *source, size_t j) {
    int marked = source != NULL && source->indicator && j == source->first;
    return marked ? source->first + source->width - 1 : SIZE_MAX;
}

/* Does a number of a row stand for a number or date of the file? */
static int is_measure(const decant_dataset *data, const decant__column *source, size_t j) {
    if (source == NULL) return data->table == NULL || data->table->plain;
    return j == source->first &&
           (source->type == DECANT_COLUMN_NUMBER || source->type == DECANT_COLUMN_DATE);
}

static double value_of(const decant__spread *spread, double x) {
    return spread->source != NULL ? decant__column_decode(spread->source, x) : x;
}

/* Inserts a column into the list, which is sorted by its share. */
static void insert_spread(decant__columns *columns, decant__spread found) {
    size_t at = columns->spread_count;
    if (at < DECANT__SPREAD_COLUMNS)
        columns->spread_count++;
    else if (!(found.share > columns->spread[--at].share))
        return;
    for (; at > 0 && found.share > columns->spread[at - 1].share; at--)
        columns->spread[at] = columns->spread[at - 1];
    columns->spread[at] = found;
}

/* Sums of all numbers over the rows of each cluster. */
typedef struct tallies {
    const decant__columns *columns;
    const double *sum, *rows; /* k x d, k */
    size_t k, d, n;
} tallies;

/* The sum of a number over the cells of a cluster that are there. */
typedef struct tally {
    double rows, sum;
} tally;

static tally tally_of(const tallies *all, const decant__column *source, size_t j, size_t c) {
    size_t mark = decant__columns_mark(source, j);
    tally found = {all->rows[c], all->sum[c * all->d + j]};
    if (mark != SIZE_MAX)
        decant__column_present(source, all->sum[c * all->d + mark], &found.rows, &found.sum);
    return found;
}

/* Sets mean and sd of number j over the cells that are there; returns eta. */
static double find_between(const tallies *all, const decant__column *source, size_t j, double *mean,
                           double *sd) {
    double between = 0, n = (double)all->n, filled = all->columns->sd[j], m = all->columns->mean[j];
    tally whole = {0};
    for (size_t c = 0; c < all->k; c++) {
        tally own = tally_of(all, source, j, c);
        whole.rows += own.rows;
        whole.sum += own.sum;
    }
    double fill = whole.rows < n ? decant__column_fill(source) : 0;
    double squares = n * (filled * filled + m * m) - (n - whole.rows) * fill * fill;
    *mean = whole.sum / whole.rows;
    double variance = squares / whole.rows - *mean * *mean;
    *sd = filled > 0 && variance > 0 ? sqrt(variance) : 0;
    for (size_t c = 0; c<all->k && * sd> 0; c++) {
        tally own = tally_of(all, source, j, c);
        double gap = own.rows > 0 ? own.sum / own.rows - *mean : 0;
        between += own.rows * gap * gap;
    }
    return *sd > 0 ? between / (whole.rows * variance) : 0;
}

/* The bins are within three standard deviations: one wild value must not empty all others. */
static void choose_spreads(decant__columns *columns, const decant__study *study,
                           const tallies *all) {
    for (size_t j = 0; j < all->d; j++) {
        double mean, sd;
        const decant__column *source = decant__columns_source(study->data, j);
        columns->between[j] = find_between(all, source, j, &mean, &sd);
        if (!is_measure(study->data, source, j) || !(sd > 0)) continue;
        decant__spread found = {j, columns->between[j], 0, 0, source};
        found.low = value_of(&found, mean - 3 * sd);
        found.high = value_of(&found, mean + 3 * sd);
        insert_spread(columns, found);
    }
}

/* Bins begin and end where there are values. */
static void find_limits(decant__columns *columns, const decant__study *study) {
    double low[DECANT__SPREAD_COLUMNS] = {0}, high[DECANT__SPREAD_COLUMNS] = {0};
    for (size_t i = 0; i < study->data->n; i++) {
        const float *x = decant__dataset_row(study->data, i, study->buffer);
        for (size_t s = 0; s < columns->spread_count; s++) {
            double value = value_of(&columns->spread[s], (double)x[columns->spread[s].column]);
            if (i == 0 || value < low[s]) low[s] = value;
            if (i == 0 || value > high[s]) high[s] = value;
        }
    }
    for (size_t s = 0; s < columns->spread_count; s++) {
        decant__spread *spread = &columns->spread[s];
        if (low[s] > spread->low) spread->low = low[s];
        if (high[s] < spread->high) spread->high = high[s];
    }
}

static void count_values(decant__columns *columns, const decant__study *study) {
    for (size_t i = 0; i < study->data->n; i++) {
        const float *x = decant__dataset_row(study->data, i, study->buffer);
        for (size_t s = 0; s < columns->spread_count; s++) {
            const decant__spread *spread = &columns->spread[s];
            size_t mark = decant__columns_mark(spread->source, spread->column);
            if (mark != SIZE_MAX && x[mark] > 0) continue;
            double value = value_of(spread, (double)x[spread->column]);
            double at = (value - spread->low) / (spread->high - spread->low);
            double bin = floor(at * DECANT__SPREAD_BINS);
            size_t b = !(bin > 0)                        ? 0
                       : bin < DECANT__SPREAD_BINS - 1.0 ? (size_t)bin
                                                         : DECANT__SPREAD_BINS - 1;
            size_t row = s * study->k + (size_t)study->cluster[i];
            columns->counts[row * DECANT__SPREAD_BINS + b]++;
        }
    }
}

/* The same means as those on the cards: of encoded values, decoded. */
static void find_means(decant__columns *columns, const tallies *all) {
    for (size_t s = 0; s < columns->spread_count; s++)
        for (size_t c = 0; c < all->k; c++) {
            const decant__spread *spread = &columns->spread[s];
            tally own = tally_of(all, spread->source, spread->column, c);
            columns->means[s * all->k + c] =
                own.rows > 0 ? value_of(spread, own.sum / own.rows) : (double)NAN;
        }
}

static decant_status find_spreads(decant__columns *columns, const decant__study *study,
                                  const tallies *all) {
    decant_status status = DECANT_OK;
    choose_spreads(columns, study, all);
    if (study->data->dense == NULL) columns->spread_count = 0;
    if (columns->spread_count == 0) return DECANT_OK;
    find_limits(columns, study);
    NEW_ZEROED(columns->counts, columns->spread_count * study->k * DECANT__SPREAD_BINS);
    NEW_ZEROED(columns->means, columns->spread_count * study->k);
    count_values(columns, study);
    find_means(columns, all);
done:
    return status;
}

decant_status decant__columns_find(decant__columns *columns, const decant__study *study) {
    decant_status status = DECANT_OK;
    size_t d = study->data->d, k = study->k;
    double *sum = NULL, *squares = NULL, *rows = NULL;
    *columns = (decant__columns){0};
    if (d > MAX_SUMS / k) return DECANT_OK;
    columns->each = d < DECANT__BEST_COLUMNS ? d : DECANT__BEST_COLUMNS;
    NEW_ZEROED(sum, k * d);
    NEW_ZEROED(squares, d);
    NEW_ZEROED(rows, k);
    NEW_ZEROED(columns->mean, d);
    NEW_ZEROED(columns->sd, d);
    NEW_ZEROED(columns->between, d);
    NEW_ZEROED(columns->best, k * columns->each);
    sum_columns(study, sum, squares, rows);
    for (size_t j = 0; j < d; j++) {
        for (size_t c = 0; c < k; c++) columns->mean[j] += sum[c * d + j];
        columns->mean[j] /= (double)study->n;
        double variance = squares[j] / (double)study->n - columns->mean[j] * columns->mean[j];
        /* The variance of a constant column is not 0 but a rounding error. */
        if (variance > 1e-12 * squares[j] / (double)study->n) columns->sd[j] = sqrt(variance);
    }
    compare_means(columns, study, sum, rows);
    const tallies all = {columns, sum, rows, k, d, study->n};
    TRY(find_spreads(columns, study, &all));
    for (size_t j = 0; j < d && k == 1; j++) columns->between[j] = 1;
done:
    decant__free(sum);
    decant__free(squares);
    decant__free(rows);
    if (status != DECANT_OK) decant__columns_free(columns);
    return status;
}

void decant__columns_free(decant__columns *columns) {
    decant__free(columns->mean);
    decant__free(columns->sd);
    decant__free(columns->between);
    decant__free(columns->best);
    decant__free(columns->counts);
    decant__free(columns->means);
    *columns = (decant__columns){0};
}
