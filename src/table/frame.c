#include "table/frame.h"

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "table/cell.h"

decant_status decant__frame_new(decant__frame *frame, size_t count, const char *const *names) {
    decant_status status = DECANT_OK;
    *frame = (decant__frame){.count = count};
    NEW_ZEROED(frame->words, count);
    if (names != NULL) TRY(decant__names_join(names, count, &frame->names));
done:
    if (status != DECANT_OK) decant__frame_free(frame);
    return status;
}

void decant__chunk_free(decant__chunk *chunk, size_t count) {
    for (size_t j = 0; chunk->column != NULL && j < count; j++)
        decant__free(chunk->column[j].items);
    decant__free(chunk->column);
    chunk->column = NULL;
}

void decant__frame_free(decant__frame *frame) {
    for (size_t c = 0; c < frame->chunk_count; c++)
        decant__chunk_free(&frame->chunks[c], frame->count);
    for (size_t j = 0; frame->words != NULL && j < frame->count; j++)
        decant__names_free(&frame->words[j]);
    decant__free(frame->chunks);
    decant__free(frame->words);
    decant__free(frame->names);
    decant__free(frame->joined);
    *frame = (decant__frame){0};
}

/* ---- chunks ---- */

/* A number that a float would not keep: a whole one beyond its digits, or beyond its range. */
static int is_wide(double x) { return (fabs(x) > 0x1p24 && x == floor(x)) || fabs(x) > 3.4e38; }

/* The smallest form for these cells. */
static decant__cell_form form_of(const double *cells, size_t rows) {
    size_t words = 0, numbers = 0;
    int wide = 0;
    for (size_t i = 0; i < rows; i++) {
        double x = cells[i];
        if (x != x) {
            words += decant__cell_word(x) != DECANT__NO_NAME;
            continue;
        }
        numbers++;
        wide |= is_wide(x);
    }
    if (numbers == 0 && words > 0) return DECANT__CELLS_WORD;
    return words > 0 || wide ? DECANT__CELLS_DOUBLE : DECANT__CELLS_FLOAT;
}

static decant_status pack(const double *cells, size_t rows, const uint32_t *number,
                          decant__cells *out) {
    decant_status status = DECANT_OK;
    out->form = form_of(cells, rows);
    size_t size = out->form == DECANT__CELLS_DOUBLE ? sizeof(double) : sizeof(float);
    out->items = decant__alloc_array(rows, size);
    if (out->items == NULL) TRY(DECANT_ENOMEM);
    for (size_t i = 0; i < rows; i++) {
        uint32_t word = cells[i] != cells[i] ? decant__cell_word(cells[i]) : DECANT__NO_NAME;
        if (word != DECANT__NO_NAME && number != NULL) word = number[word];
        if (out->form == DECANT__CELLS_WORD)
            ((uint32_t *)out->items)[i] = word;
        else if (out->form == DECANT__CELLS_FLOAT)
            ((float *)out->items)[i] = (float)cells[i];
        else
            ((double *)out->items)[i] = word != DECANT__NO_NAME ? decant__word_cell(word)
                                        : is_wide(cells[i])     ? cells[i]
                                                                : (double)(float)cells[i];
    }
done:
    return status;
}

decant_status decant__words_join(decant__names *all, const decant__names *some, uint32_t **out) {
    decant_status status = DECANT_OK;
    uint32_t *number = NULL;
    *out = NULL;
    if (some == NULL || some->count == 0) return DECANT_OK;
    NEW_ARRAY(number, some->count);
    for (size_t w = 0; w < some->count; w++) {
        const char *text = decant__names_at(some, w);
        size_t end = w + 1 < some->count ? some->start[w + 1] : some->text_length;
        TRY(decant__names_add(all, text, end - some->start[w] - 1, &number[w]));
    }
    *out = number;
    number = NULL;
done:
    decant__free(number);
    return status;
}

static decant_status grow_chunks(decant__frame *frame) {
    if (frame->chunk_count < frame->chunk_capacity) return DECANT_OK;
    size_t capacity = 2 * frame->chunk_capacity + 16;
    decant__chunk *grown = decant__realloc_array(frame->chunks, capacity, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    frame->chunks = grown;
    frame->chunk_capacity = capacity;
    return DECANT_OK;
}

static decant_status pack_missing(size_t rows, decant__cells *out) {
    decant_status status = DECANT_OK;
    float *items = NULL;
    NEW_ARRAY(items, rows);
    for (size_t i = 0; i < rows; i++) items[i] = (float)NAN;
    *out = (decant__cells){DECANT__CELLS_FLOAT, items};
done:
    return status;
}

static decant_status add_column(decant__frame *frame, const decant__new_rows *more, size_t j,
                                decant__cells *out) {
    decant_status status = DECANT_OK;
    uint32_t *number = NULL;
    size_t from = more->from != NULL ? more->from[j] : j;
    if (from == SIZE_MAX) return pack_missing(more->rows, out);
    TRY(decant__words_join(&frame->words[j], more->words != NULL ? &more->words[from] : NULL,
                           &number));
    TRY(pack(more->cells + from * more->stride, more->rows, number, out));
done:
    decant__free(number);
    return status;
}

decant_status decant__frame_add(decant__frame *frame, const decant__new_rows *more) {
    decant_status status = DECANT_OK;
    decant__chunk chunk = {.rows = more->rows};
    if (more->rows == 0) return DECANT_OK;
    TRY(grow_chunks(frame));
    NEW_ZEROED(chunk.column, frame->count);
    for (size_t j = 0; j < frame->count; j++) TRY(add_column(frame, more, j, &chunk.column[j]));
    frame->chunks[frame->chunk_count++] = chunk;
    frame->rows += more->rows;
    chunk.column = NULL;
done:
    decant__chunk_free(&chunk, frame->count);
    return status;
}

void decant__frame_clear(decant__frame *frame) {
    for (size_t c = 0; c < frame->chunk_count; c++)
        decant__chunk_free(&frame->chunks[c], frame->count);
    for (size_t j = 0; j < frame->count; j++) decant__names_clear(&frame->words[j]);
    frame->chunk_count = frame->rows = 0;
}

/* ---- numbers to words ---- */

static decant_status spell_chunk(decant__names *words, size_t rows, decant__cells *cells) {
    decant_status status = DECANT_OK;
    uint32_t *items = NULL, last = DECANT__NO_NAME;
    double last_number = (double)NAN;
    if (cells->form == DECANT__CELLS_WORD) return DECANT_OK;
    NEW_ARRAY(items, rows);
    for (size_t i = 0; i < rows; i++) {
        double cell = decant__cell_at(cells, i);
        items[i] = cell != cell ? decant__cell_word(cell) : last;
        if (cell != cell || cell == last_number) continue;
        char text[40];
        decant__number_print(cell, text, sizeof text);
        TRY(decant__names_add(words, text, strlen(text), &items[i]));
        last = items[i];
        last_number = cell;
    }
    decant__free(cells->items);
    cells->items = items;
    cells->form = DECANT__CELLS_WORD;
    items = NULL;
done:
    decant__free(items);
    return status;
}

decant_status decant__frame_spell(decant__frame *frame, size_t column) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < frame->chunk_count; c++)
        TRY(spell_chunk(&frame->words[column], frame->chunks[c].rows,
                        &frame->chunks[c].column[column]));
done:
    return status;
}

decant_status decant__column_name_add(decant__names *all, const char *name, size_t length) {
    char base[280], text[320];
    uint32_t number;
    if (length > 255) length = 255;
    if (decant__utf8_prefix(name, length) != length) {
        char wide[3 * 256];
        length = decant__cell_recode(name, length, wide);
        if (length > 255) length = 255;
        while (length > 0 && decant__utf8_prefix(wide, length) != length) length--;
        memcpy(base, wide, length);
    } else {
        memcpy(base, name, length);
    }
    base[length] = '\0';
    if (base[0] == '\0') decant__format(base, sizeof base, "column %zu", all->count + 1);
    decant__format(text, sizeof text, "%s", base);
    for (size_t again = 1; decant__names_find(all, text, strlen(text)) != DECANT__NO_NAME; again++)
        decant__format(text, sizeof text, "%s.%zu", base, again);
    return decant__names_add(all, text, strlen(text), &number);
}
