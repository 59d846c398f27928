#include "table/record.h"

#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* Takes the quotes off a cell, in place; returns where the closing one ends. */
static char *unquote(char *begin, char *end, decant__record_cell *cell) {
    char *out = ++begin, *p = begin;
    cell->text = begin;
    cell->quoted = 1;
    for (; p < end; p++) {
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') break;
            p++;
        }
        *out++ = *p;
    }
    cell->length = (size_t)(out - begin);
    return p < end ? p + 1 : end;
}

static char *find_end(char separator, char *p, char *end) {
    if (separator == DECANT__BLANKS) {
        while (p < end && !is_blank(*p) && *p != '\n') p++;
        return p;
    }
    while (p < end && *p != separator && *p != '\n') p++;
    return p;
}

/* What a text is without blanks around it. */
static void trim(char *begin, char *end, decant__record_cell *cell) {
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && (is_blank(end[-1]) || end[-1] == '\r')) end--;
    cell->text = begin;
    cell->length = (size_t)(end - begin);
}

/* After a cell that ended at p: to the next one, or the end of the record. */
static char *step(char separator, char *p, char *end, char **next_record) {
    if (separator == DECANT__BLANKS)
        while (p < end && (is_blank(*p) || (*p == '\r' && (p + 1 == end || p[1] == '\n')))) p++;
    if (p < end && *p != '\n') return separator == DECANT__BLANKS ? p : p + 1;
    *next_record = p < end ? p + 1 : end;
    return NULL;
}

decant__record_cell decant__record_take(char separator, char **at, char *end, char **next_record) {
    decant__record_cell cell = {0}, rest;
    char *begin = *at;
    if (separator == DECANT__BLANKS)
        while (begin < end && is_blank(*begin)) begin++;
    if (begin < end && *begin == '"') {
        char *closed = unquote(begin, end, &cell), *stop = find_end(separator, closed, end);
        trim(closed, stop, &rest);
        cell.broken = rest.length > 0;
        *at = step(separator, stop, end, next_record);
        return cell;
    }
    char *stop = find_end(separator, begin, end);
    trim(begin, stop, &cell);
    *at = step(separator, stop, end, next_record);
    return cell;
}

const char *decant__record_end(decant__record_scan *scan, const char *p, const char *from,
                               const char *end) {
    for (; p < end; p++) {
        if (scan->at == DECANT__AT_QUOTED) {
            const char *quote = memchr(p, '"', (size_t)(end - p));
            if (quote == NULL) return NULL;
            p = quote;
            scan->at = DECANT__AT_CLOSED;
        } else if (*p == '"' && scan->at != DECANT__AT_PLAIN) {
            scan->at = DECANT__AT_QUOTED;
        } else if (*p == '\n') {
            scan->at = DECANT__AT_BEGIN;
            if (p + 1 >= from) return p + 1;
        } else if (*p == scan->separator || (scan->separator == DECANT__BLANKS && is_blank(*p))) {
            scan->at = DECANT__AT_BEGIN;
        } else {
            scan->at = DECANT__AT_PLAIN;
        }
    }
    return NULL;
}
