#include "linalg/csr.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"

enum { ASK_EVERY = 4096 }; /* entries, or rows, between two questions whether to cancel */

decant_status decant__entries_new(decant__entries *entries, size_t count) {
    decant_status status = DECANT_OK;
    *entries = (decant__entries){.count = count};
    NEW_ARRAY(entries->row, count);
    NEW_ARRAY(entries->column, count);
    NEW_ARRAY(entries->value, count);
done:
    if (status != DECANT_OK) decant__entries_free(entries);
    return status;
}

void decant__entries_free(decant__entries *entries) {
    decant__free(entries->row);
    decant__free(entries->column);
    decant__free(entries->value);
    *entries = (decant__entries){0};
}

/* Stable counting sort of entry numbers: order[...] by key[entry]. start: n + 1. from: the order so
 * far; NULL: as they are. */
static decant_status sort_by(const uint32_t *key, size_t n, size_t count, const size_t *from,
                             decant__cancel *cancel, size_t *start, size_t *order) {
    memset(start, 0, (n + 1) * sizeof *start);
    for (size_t e = 0; e < count; e++) start[key[e] + 1]++;
    for (size_t i = 0; i < n; i++) start[i + 1] += start[i];
    for (size_t e = 0; e < count; e++) {
        if (e % ASK_EVERY == 0 && decant__cancel_asked(cancel)) return cancel->status;
        size_t entry = from != NULL ? from[e] : e;
        order[start[key[entry]]++] = entry;
    }
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
    return DECANT_OK;
}

/* Rows have their columns in order now; writes each column once. */
static decant_status merge(decant__csr *csr, const decant__entries *entries, const size_t *order,
                           decant__duplicates twice, decant__cancel *cancel) {
    size_t to = 0, from = 0;
    for (size_t i = 0; i < csr->n; i++) {
        if (i % ASK_EVERY == 0 && decant__cancel_asked(cancel)) return cancel->status;
        size_t end = csr->start[i + 1], first = to;
        csr->start[i] = to;
        for (; from < end; from++) {
            size_t entry = order[from];
            if (to > first && csr->column[to - 1] == entries->column[entry]) {
                if (twice == DECANT__DUPLICATES_SUM) csr->value[to - 1] += entries->value[entry];
                continue;
            }
            csr->column[to] = entries->column[entry];
            csr->value[to++] = entries->value[entry];
        }
    }
    csr->start[csr->n] = to;
    return DECANT_OK;
}

decant_status decant__csr_new(decant__csr *csr, size_t n, const decant__entries *entries,
                              decant__duplicates twice, decant__cancel *cancel) {
    decant_status status = DECANT_OK;
    size_t *by_column = NULL, *by_row = NULL;
    *csr = (decant__csr){.n = n};
    NEW_ARRAY(csr->start, n + 1);
    NEW_ARRAY(by_column, entries->count);
    NEW_ARRAY(by_row, entries->count);
    TRY(sort_by(entries->column, n, entries->count, NULL, cancel, csr->start, by_column));
    TRY(sort_by(entries->row, n, entries->count, by_column, cancel, csr->start, by_row));
    decant__free(by_column);
    by_column = NULL;
    NEW_ARRAY(csr->column, entries->count);
    NEW_ARRAY(csr->value, entries->count);
    TRY(merge(csr, entries, by_row, twice, cancel));
done:
    decant__free(by_column);
    decant__free(by_row);
    if (status != DECANT_OK) decant__csr_free(csr);
    return status;
}

void decant__csr_free(decant__csr *csr) {
    decant__free(csr->start);
    decant__free(csr->column);
    decant__free(csr->value);
    *csr = (decant__csr){0};
}

static void multiply_one(const decant__csr *csr, const double *restrict x, double *restrict y) {
    TEAM_FOR (i, csr->n) {
        double sum = 0;
        for (size_t e = csr->start[i]; e < csr->start[i + 1]; e++)
            sum += csr->value[e] * x[csr->column[e]];
        y[i] = sum;
    }
}

DECANT_CLONES
static void multiply_row(const decant__csr *csr, size_t i, const double *restrict x, size_t width,
                         double *restrict y) {
    for (size_t c = 0; c < width; c++) y[c] = 0;
    for (size_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
        const double *restrict row = x + (size_t)csr->column[e] * width;
        for (size_t c = 0; c < width; c++) y[c] += csr->value[e] * row[c];
    }
}

void decant__csr_multiply(const decant__csr *csr, const double *x, size_t width, double *y) {
    if (width == 1) {
        multiply_one(csr, x, y);
        return;
    }
    TEAM_FOR (i, csr->n) multiply_row(csr, i, x, width, y + i * width);
}

double decant__csr_bound(const decant__csr *csr) {
    double largest = 0;
    for (size_t i = 0; i < csr->n; i++) {
        double sum = 0;
        for (size_t e = csr->start[i]; e < csr->start[i + 1]; e++) sum += fabs(csr->value[e]);
        largest = fmax(largest, sum);
    }
    return largest;
}

double decant__csr_trace(const decant__csr *csr) {
    double sum = 0;
    for (size_t i = 0; i < csr->n; i++)
        for (size_t e = csr->start[i]; e < csr->start[i + 1]; e++)
            if (csr->column[e] == i) sum += csr->value[e];
    return sum;
}

size_t decant__csr_parts(const decant__csr *csr, uint32_t *part, uint32_t *stack) {
    size_t parts = 0;
    for (size_t i = 0; i < csr->n; i++) part[i] = UINT32_MAX;
    for (size_t i = 0; i < csr->n; i++) {
        if (part[i] != UINT32_MAX) continue;
        size_t top = 0;
        stack[top++] = (uint32_t)i;
        part[i] = (uint32_t)parts;
        while (top > 0) {
            size_t at = stack[--top];
            for (size_t e = csr->start[at]; e < csr->start[at + 1]; e++) {
                uint32_t next = csr->column[e];
                if (part[next] != UINT32_MAX || csr->value[e] == 0) continue;
                part[next] = (uint32_t)parts;
                stack[top++] = next;
            }
        }
        parts++;
    }
    return parts;
}
