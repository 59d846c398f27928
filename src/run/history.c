#include "run/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/number.h"

static void put_number(decant__writer *writer, double value) {
    if (isnan(value))
        decant__writer_put(writer, ",", 1);
    else
        decant__writer_print(writer, ",%.9g", value);
}

decant_status decant__history_write(const char *path, const decant__record *record) {
    const decant_result *result = record->result;
    decant__writer writer;
    decant_status status = decant__writer_open(&writer, path);
    if (status != DECANT_OK) return status;
    decant__writer_print(&writer, "phase,step,seconds,loss,changed,smallest\n");
    for (size_t i = 0; i < result->history_count; i++) {
        const decant_history_row *row = &result->history[i];
        decant__writer_print(&writer, "%s,%zu,%.3f", row->phase, row->step, row->seconds);
        put_number(&writer, row->loss);
        put_number(&writer, row->changed);
        put_number(&writer, isnan(row->changed) ? row->changed : (double)row->smallest);
        decant__writer_put(&writer, "\n", 1);
    }
    return decant__writer_commit(&writer);
}

/* The number in a cell, NaN if it is empty; moves *at to the next cell. */
static double next_number(const char **at) {
    double value;
    if (decant__number_parse(*at, *at + strlen(*at), &value) == NULL) value = NAN;
    *at += strcspn(*at, ",");
    if (**at == ',') (*at)++;
    return value;
}

static int parse_history_row(const char *line, decant_history_row *row) {
    size_t length = strcspn(line, ",");
    if (length == 0 || length >= sizeof row->phase || line[length] == '\0') return 0;
    memcpy(row->phase, line, length);
    row->phase[length] = '\0';
    const char *at = line + length + 1;
    double step = next_number(&at);
    if (!(step >= 0 && step < 1e15)) return 0;
    row->step = (size_t)step;
    row->seconds = next_number(&at);
    row->loss = next_number(&at);
    row->changed = next_number(&at);
    double smallest = next_number(&at);
    row->smallest = smallest >= 0 && smallest < 1e15 ? (size_t)smallest : 0;
    return 1;
}

decant_status decant__history_read(const char *path, decant_history_row **rows, size_t *count) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    decant_history_row *read = NULL;
    size_t used = 0, capacity = 0, length;
    char *line;
    TRY(decant__input_open(&input, path, NULL));
    TRY(decant__input_read_line(&input, &line, &length)); /* the header */
    while (line != NULL) {
        TRY(decant__input_read_line(&input, &line, &length));
        if (line == NULL) break;
        if (used == capacity) {
            capacity = 2 * capacity + 64;
            decant_history_row *grown = decant__realloc_array(read, capacity, sizeof *grown);
            if (grown == NULL) TRY(DECANT_ENOMEM);
            read = grown;
        }
        if (!parse_history_row(line, &read[used++]))
            TRY(decant__fail(DECANT_EFORMAT, "%s: line %zu: is not a row of history", path,
                             input.line));
    }
    *rows = read;
    *count = used;
    read = NULL;
done:
    decant__free(read);
    decant__input_close(&input);
    return status;
}
