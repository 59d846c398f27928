/* A part of the documents: which one a rank begins with when several count words together, and how
 * to get there. */
#include <string.h>

#include "base/memory.h"
#include "read/documents.h"

/* ---- places ---- */

decant__document_place decant__documents_place(const decant__documents *self) {
    decant__document_place place = {.item = self->item};
    if (self->kind == DECANT__KIND_FILES || self->input.path == NULL) return place;
    place.at = (decant__row_place){decant__input_at(&self->input), self->input.line};
    if (self->ahead != NULL && self->ahead[0] != '\0') place.at = self->ahead_at;
    return place;
}

decant_status decant__documents_go(decant__documents *self, const decant__document_place *place) {
    decant_status status = DECANT_OK;
    if (self->item != place->item || self->kind == DECANT__KIND_FILES)
        decant__documents_close_item(self);
    self->item = place->item;
    if (self->ahead != NULL) self->ahead[0] = '\0';
    if (self->kind == DECANT__KIND_FILES || self->item >= self->listing->count) return DECANT_OK;
    if (place->at.offset == 0) { /* as it is opened: a byte order mark is not in the way */
        decant__documents_close_item(self);
        return DECANT_OK;
    }
    TRY(decant__documents_open_item(self));
    if (self->kind == DECANT__KIND_COLUMN) {
        TRY(decant__csv_go(self->reader, &place->at));
    } else {
        TRY(decant__input_go(&self->input, place->at.offset));
        self->input.line = place->at.line;
    }
    if (self->kind == DECANT__KIND_TOKENS) TRY(decant__tokens_go(self));
done:
    return status;
}

/* ---- the part of a rank ---- */

static decant_status scan_item(decant__documents *self, decant__split *split,
                               const decant__comm *comm) {
    decant_status status = DECANT_OK;
    decant__row_rules rules = {.empty = 1}; /* lines */
    decant__row_place first = {0};
    TRY(decant__documents_open_item(self));
    if (self->reader != NULL) rules = decant__csv_rows(self->reader, &first);
    TRY(decant__split_new(split, &self->input, first.offset, first.line, &rules, comm));
done:
    return status;
}

/* Line or row number `row` of all files. */
static decant_status locate(decant__documents *self, const decant__split *splits, size_t row,
                            decant__document_place *place) {
    decant_status status = DECANT_OK;
    *place = (decant__document_place){0};
    while (place->item < self->listing->count && row >= splits[place->item].rows)
        row -= splits[place->item++].rows;
    if (row == 0 || place->item == self->listing->count) return DECANT_OK;
    if (self->item != place->item) decant__documents_close_item(self);
    self->item = place->item;
    TRY(decant__documents_open_item(self));
    TRY(decant__split_find(&splits[place->item], &self->input, row, &place->at));
done:
    return status;
}

decant_status decant__documents_share(decant__documents *self, const decant__comm *comm) {
    decant_status status = DECANT_OK;
    size_t count = self->listing->count, total = 0, size = (size_t)comm->size;
    size_t rank = (size_t)comm->rank;
    decant__split *splits = NULL;
    decant__document_place from;
    self->bounded = 1;
    if (self->kind == DECANT__KIND_FILES) {
        self->item = count * rank / size;
        self->until = (decant__document_place){.item = count * (rank + 1) / size};
        return DECANT_OK;
    }
    NEW_ZEROED(splits, count);
    for (self->item = 0; self->item < count; self->item++) {
        TRY(scan_item(self, &splits[self->item], comm));
        total += splits[self->item].rows;
        if (count > 1) decant__documents_close_item(self);
    }
    self->item = 0;
    TRY(locate(self, splits, total * rank / size, &from));
    TRY(locate(self, splits, total * (rank + 1) / size, &self->until));
    TRY(decant__documents_go(self, &from));
done:
    for (size_t i = 0; splits != NULL && i < count; i++) decant__split_free(&splits[i]);
    decant__free(splits);
    return status;
}

/* ---- marks ---- */

void decant__documents_mark(const decant__documents *self, size_t rows,
                            decant__document_marks *marks) {
    marks->end = (decant__document_mark){decant__documents_place(self), rows, self->ordinal,
                                         self->left_out, self->unlisted};
    if (marks->stride == 0) marks->stride = 1;
    if (rows != marks->count * marks->stride) return;
    if (marks->count == DECANT__DOCUMENT_MARKS) { /* every second one is enough */
        for (size_t i = 0; i < DECANT__DOCUMENT_MARKS / 2; i++) marks->mark[i] = marks->mark[2 * i];
        marks->count = DECANT__DOCUMENT_MARKS / 2;
        marks->stride *= 2;
    }
    marks->mark[marks->count++] = marks->end;
}

static void move(decant__document_mark *mark, const decant__document_mark *by) {
    mark->rows += by->rows;
    mark->ordinal += by->ordinal;
    mark->left_out += by->left_out;
    mark->unlisted += by->unlisted;
}

void decant__documents_join(const decant__comm *comm, const decant__document_marks *own,
                            decant__document_marks *all) {
    size_t begin[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= comm->size; r++) begin[r] = (size_t)r * sizeof *all;
    all[comm->rank] = *own;
    decant__comm_gather(comm, all, begin);
    for (int r = 1; r < comm->size; r++) {
        for (size_t i = 0; i < all[r].count; i++) move(&all[r].mark[i], &all[r - 1].end);
        move(&all[r].end, &all[r - 1].end);
    }
}

decant_status decant__documents_seek(decant__documents *self, const decant__document_marks *all,
                                     int ranks, size_t row, size_t *rows) {
    const decant__document_mark *best = &all[0].mark[0];
    for (int r = 0; r < ranks; r++)
        for (size_t i = 0; i < all[r].count; i++)
            if (all[r].mark[i].rows <= row) best = &all[r].mark[i];
    self->bounded = 0;
    self->ordinal = best->ordinal;
    *rows = best->rows;
    return decant__documents_go(self, &best->place);
}
