/* What a column's numbers are like, and so how they are scaled.
 *
 *   quantiles  of at most 65536 cells, evenly spaced
 *   log        where no value is below 0 and the upper tail is long: q95 - q50 > 4 (q50 - q5),
 *              q95 > 4 q50 and max > 20 knee; the knee is the median, or where that is 0 the mean
 *   cut        at 10 robust deviations (q84 - q16) / 2 from the median, if that is not 0
 *   center, scale   mean and 1 / deviation, after both
 *   half       of that scale where two cells are equal with a probability of 1/4 or more: few
 *              values, or mostly one, have gaps between them like categories, and then weigh like
 *              one */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "table/cell.h"
#include "table/column_types.h"

enum { SAMPLE = 1 << 16 };

static const double FREQUENT = 0.05; /* missing cells that are marked */
static const double ROBUST = 10, WIDE = 20;
static const double MANY_EQUAL = 0.25;

typedef struct cursor {
    const decant__frame *frame;
    size_t column, chunk, row;
} cursor;

static int next_cell(cursor *c, double *cell) {
    const decant__frame *frame = c->frame;
    while (c->chunk < frame->chunk_count && c->row == frame->chunks[c->chunk].rows) {
        c->chunk++;
        c->row = 0;
    }
    if (c->chunk == frame->chunk_count) return 0;
    *cell = decant__cell_at(&frame->chunks[c->chunk].column[c->column], c->row++);
    return 1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct measured {
    size_t present, sample;
    double *sorted; /* sample */
    double min, max, mean;
    int whole_days, varied_months, varied_weekdays, varied_hours;
} measured;

static double quantile(const measured *m, double share) {
    double place = share * (double)(m->sample - 1);
    size_t low = (size_t)place, high = low + 1 < m->sample ? low + 1 : low;
    double part = place - (double)low;
    return m->sorted[low] * (1 - part) + m->sorted[high] * part;
}

/* Counts what is there, then takes evenly spaced ones. */
static decant_status look(const decant__frame *frame, size_t index, const double *meaning,
                          const decant__column *column, measured *m) {
    decant_status status = DECANT_OK;
    double cell, sum = 0;
    *m = (measured){.min = HUGE_VAL, .max = -HUGE_VAL};
    for (cursor c = {frame, index, 0, 0}; next_cell(&c, &cell);) {
        double x = decant__column_meaning(column, meaning, cell);
        if (isnan(x)) continue;
        m->present++;
        sum += x;
        if (x < m->min) m->min = x;
        if (x > m->max) m->max = x;
    }
    if (m->present == 0) return DECANT_OK;
    m->mean = sum / (double)m->present;
    size_t stride = (m->present + SAMPLE - 1) / SAMPLE, at = 0;
    NEW_ARRAY(m->sorted, m->present / stride + 1);
    for (cursor c = {frame, index, 0, 0}; next_cell(&c, &cell);) {
        double x = decant__column_meaning(column, meaning, cell);
        if (isnan(x)) continue;
        if (at++ % stride == 0) m->sorted[m->sample++] = x;
    }
    qsort(m->sorted, m->sample, sizeof *m->sorted, by_size);
done:
    return status;
}

static void tame(const measured *m, decant__column *column) {
    double low = quantile(m, 0.05), middle = quantile(m, 0.5), high = quantile(m, 0.95);
    double knee = middle > 0 ? middle : m->mean;
    int tail = m->min >= 0 && high - middle > 4 * (middle - low) && high > 4 * middle &&
               m->max > WIDE * knee;
    if (tail) {
        column->knee = knee;
        return; /* a logarithm needs no cut */
    }
    double spread = (quantile(m, 0.84) - quantile(m, 0.16)) / 2;
    double below = middle - ROBUST * spread, above = middle + ROBUST * spread;
    if (!(spread > 0) || (m->min >= below && m->max <= above)) return;
    column->low = m->min < below ? below : -HUGE_VAL;
    column->high = m->max > above ? above : HUGE_VAL;
}

/* The probability that two cells are equal: the sum of the squared shares of all values. */
static double share_equal(const measured *m) {
    double sum = 0;
    for (size_t i = 0, end; i < m->sample; i = end) {
        for (end = i + 1; end < m->sample && m->sorted[end] == m->sorted[i];) end++;
        double share = (double)(end - i) / (double)m->sample;
        sum += share * share;
    }
    return sum;
}

static double tamed(const decant__column *column, double x) {
    if (x < column->low) x = column->low;
    if (x > column->high) x = column->high;
    return column->knee > 0 ? decant__log(1 + x / column->knee) : x;
}

static void standardise(const decant__frame *frame, size_t index, const double *meaning,
                        size_t present, decant__column *column) {
    double cell, sum = 0, squares = 0;
    for (cursor c = {frame, index, 0, 0}; next_cell(&c, &cell);) {
        double x = decant__column_meaning(column, meaning, cell);
        if (!isnan(x)) sum += tamed(column, x);
    }
    double mean = sum / (double)present;
    for (cursor c = {frame, index, 0, 0}; next_cell(&c, &cell);) {
        double x = decant__column_meaning(column, meaning, cell);
        if (isnan(x)) continue;
        double difference = tamed(column, x) - mean;
        squares += difference * difference;
    }
    double deviation = sqrt(squares / (double)present);
    column->center = mean;
    column->scale = deviation > 0 ? 1 / deviation : 1;
}

/* Parts that repeat say something only if they vary while the others come again: months after two
 * years, days of the week after two weeks, times of the day after two days. Dates that are all on
 * one day of the month stand for months: their days of the week are an accident. */
static void find_parts(const measured *m, decant__column *column) {
    double span = m->max - m->min;
    size_t timed = 0, other_months = 0, other_weekdays = 0, other_days = 0;
    for (size_t i = 0; i < m->sample; i++) {
        double day = floor(m->sorted[i]), first = floor(m->sorted[0]);
        timed += m->sorted[i] != day;
        other_weekdays += fmod(day - first, 7) != 0;
        other_days += decant__day_of_month(day) != decant__day_of_month(first);
        double year = fmod(day - first, 365.2425);
        other_months += year > 31 && year < 334;
    }
    if (m->min >= 0 && m->max <= 1) { /* times alone, up to 24:00 */
        column->parts = DECANT__PART_HOUR;
        return;
    }
    if (span >= 730 && other_months > m->sample / 4) column->parts |= DECANT__PART_MONTH;
    if (span >= 14 && other_weekdays > m->sample / 4 && other_days > 0 && span < 3660)
        column->parts |= DECANT__PART_WEEKDAY;
    if (span >= 2 && timed > m->sample / 2) column->parts |= DECANT__PART_HOUR;
}

decant_status decant__column_measure(const decant__frame *frame, size_t index,
                                     const double *meaning, decant__column *column) {
    decant_status status = DECANT_OK;
    measured m = {0};
    TRY(look(frame, index, meaning, column, &m));
    column->missing = 1 - (double)m.present / (double)frame->rows;
    if (m.present == frame->rows) column->missing = 0;
    if (m.present == 0) goto done;
    column->min = m.min;
    column->max = m.max;
    if (column->type == DECANT_COLUMN_YES_NO) {
        column->center = m.mean;
        column->scale = sqrt(2.0) * DECANT__CATEGORY_SCALE;
    } else {
        column->fill = quantile(&m, 0.5);
        if (column->type == DECANT_COLUMN_DATE)
            find_parts(&m, column);
        else
            tame(&m, column);
        standardise(frame, index, meaning, m.present, column);
        column->few = share_equal(&m) >= MANY_EQUAL;
        if (column->few) column->scale *= DECANT__CATEGORY_SCALE;
    }
    column->indicator = column->missing >= FREQUENT && column->missing < 1;
done:
    decant__free(m.sorted);
    return status;
}
