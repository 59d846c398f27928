#include "data/documents.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { PART = 1 << 16, LONGEST_DOCUMENT = 1 << 30 };

static void close_file(decant__documents *self) {
    decant__reader_close(self->reader);
    decant__input_close(&self->input);
    self->reader = NULL;
}

void decant__documents_rewind(decant__documents *self) {
    close_file(self);
    self->item = self->ordinal = self->left_out = self->unlisted = 0;
    if (self->ahead != NULL) self->ahead[0] = '\0';
}

void decant__documents_close(decant__documents *self) {
    close_file(self);
    decant__free(self->text);
    decant__free(self->ahead);
    *self = (decant__documents){0};
}

decant_status decant__documents_broken(decant__documents *self, decant_status status) {
    self->ordinal++;
    if (!self->skip || (status != DECANT_EFORMAT && status != DECANT_EIO)) return status;
    if (self->notes != NULL) {
        self->notes->skipped++;
        decant__notes_add(self->notes, "skipped: %s", decant_last_error());
    }
    return DECANT_OK;
}

decant_status decant__documents_append(decant__documents *self, size_t *used, const char *text,
                                       size_t length) {
    if (*used + length > LONGEST_DOCUMENT)
        return decant__fail(DECANT_EFORMAT, "%s: has a document longer than 1 GiB",
                            self->input.path);
    if (*used + length + 1 > self->capacity) {
        size_t capacity = 2 * (*used + length + 1);
        char *grown = decant__realloc_array(self->text, capacity, 1);
        if (grown == NULL) return DECANT_ENOMEM;
        self->text = grown;
        self->capacity = capacity;
    }
    memcpy(self->text + *used, text, length);
    *used += length;
    return DECANT_OK;
}

static const decant__item *current(const decant__documents *self) {
    return &self->listing->items[self->item];
}

/* The first folder that a file is in, as its label. */
static void label_by_folder(const decant__documents *self, decant__document *document) {
    size_t length = decant__item_folder(current(self));
    if (!self->folder_labels) return;
    document->label = length > 0 ? decant__item_name(current(self)) : "";
    document->label_length = length;
}

/* ---- a file is a document ---- */

static decant_status read_whole(decant__documents *self, size_t *length) {
    decant_status status = DECANT_OK;
    const char *bytes;
    size_t count;
    *length = 0;
    TRY(decant__input_open(&self->input, current(self)->path));
    for (;;) {
        TRY(decant__input_peek(&self->input, PART, &bytes, &count));
        if (count == 0) break;
        TRY(decant__documents_append(self, length, bytes, count));
        decant__input_skip(&self->input, count);
    }
done:
    close_file(self);
    return status;
}

static decant_status next_file(decant__documents *self, decant__document *document, int *more) {
    for (; self->item < self->listing->count; self->item++) {
        size_t length;
        decant_status status = read_whole(self, &length);
        if (status == DECANT_OK) {
            const char *name = decant__item_name(current(self));
            *document = (decant__document){.text = length > 0 ? self->text : "",
                                           .length = length,
                                           .id = name,
                                           .id_length = strlen(name),
                                           .path = current(self)->path};
            label_by_folder(self, document);
            self->item++;
            self->ordinal++;
            *more = 1;
            return DECANT_OK;
        }
        status = decant__documents_broken(self, status);
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

/* ---- a line is a document ---- */

static decant_status next_line(decant__documents *self, decant__document *document, int *more) {
    char *line;
    size_t length;
    decant_status status = decant__input_read_line(&self->input, &line, &length);
    if (status != DECANT_OK || line == NULL) return status;
    *document = (decant__document){
        .text = line, .length = length, .path = self->input.path, .line = self->input.line};
    if (self->listing->count > 1) { /* of one file, the number of the row says as much */
        snprintf(self->id, sizeof self->id, "%zu:%zu", self->item + 1, self->input.line);
        document->id = self->id;
        document->id_length = strlen(self->id);
    }
    self->ordinal++;
    *more = 1;
    return DECANT_OK;
}

/* ---- a cell is a document ---- */

static decant_status next_cell(decant__documents *self, decant__document *document, int *more) {
    decant__csv_document cell;
    if (self->reader == NULL) {
        decant_status status = decant__csv_open(&self->input, self->columns, &self->reader);
        if (status != DECANT_OK) return status;
    }
    decant_status status = decant__csv_next_document(self->reader, &cell, more);
    if (status != DECANT_OK || !*more) return status;
    *document = (decant__document){.text = cell.text,
                                   .length = cell.text_length,
                                   .id = cell.id,
                                   .id_length = cell.id_length,
                                   .label = cell.label,
                                   .label_length = cell.label_length,
                                   .path = self->input.path,
                                   .line = cell.line};
    self->ordinal++;
    return DECANT_OK;
}

decant_status decant__documents_next(decant__documents *self, decant__document *document,
                                     int *more) {
    decant_status status = DECANT_OK;
    *more = 0;
    if (self->kind == DECANT__DOCUMENTS_FILES) return next_file(self, document, more);
    while (!*more && self->item < self->listing->count) {
        if (self->input.path == NULL) TRY(decant__input_open(&self->input, current(self)->path));
        if (self->kind == DECANT__DOCUMENTS_LINES)
            TRY(next_line(self, document, more));
        else if (self->kind == DECANT__DOCUMENTS_COLUMN)
            TRY(next_cell(self, document, more));
        else
            TRY(decant__tokens_next(self, document, more));
        if (*more) break;
        close_file(self);
        self->item++;
    }
done:
    return status;
}
