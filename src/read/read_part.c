/* Files of numbers of which each rank reads its own rows: see split.h. */
#include "read/stream.h"

#include "base/memory.h"

static decant_status scan_file(decant__sequence *self, decant__split *split,
                               const decant__comm *comm) {
    decant_status status = DECANT_OK;
    const decant__number_file *file = &self->files[self->current];
    decant__input *input = &self->opened.input;
    if (self->reader == NULL) TRY(decant__sequence_open_file(self));
    TRY(decant__split_new(split, input, decant__input_at(input), 0, self->reader->rules, comm));
    if (split->rows == 0) TRY(decant__check_shape(file->data, 0, 0));
    if (self->labels != NULL && self->label_count != split->rows)
        TRY(decant__labels_mismatch(file->labels, self->label_count, file->data, "", split->rows));
    self->all += split->rows;
    if (self->all > DECANT__MAX_ROWS)
        TRY(decant__fail(DECANT_EFORMAT, "%s: brings the rows to more than the %zu possible",
                         file->data, DECANT__MAX_ROWS));
done:
    return status;
}

decant_status decant__sequence_part(decant__sequence *self, const decant__comm *comm) {
    decant_status status = DECANT_OK;
    decant__split *splits = NULL;
    if (self->reader == NULL) TRY(decant__sequence_open_file(self));
    if (self->reader->rules == NULL) return DECANT_OK;
    NEW_ZEROED(splits, self->count);
    self->splits = splits;
    for (; self->current < self->count; decant__sequence_skip_file(self))
        TRY(scan_file(self, &splits[self->current], comm));
    self->current = 0;
    TRY(decant__own_rows_choose(comm, self->all, &self->own));
done:
    return status;
}

decant_status decant__sequence_enter_part(decant__sequence *self) {
    decant_status status = DECANT_OK;
    const decant__split *split = &self->splits[self->current];
    decant__input *input = &self->opened.input;
    decant__row_place place;
    size_t before = 0, own_end = self->own.first + self->own.count;
    for (size_t i = 0; i < self->current; i++) before += self->splits[i].rows;
    self->rows = self->own.first > before ? self->own.first - before : 0;
    self->end = own_end > before ? own_end - before : 0;
    if (self->end > split->rows) self->end = split->rows;
    if (self->rows >= self->end) {
        self->end = self->rows;
        return DECANT_OK;
    }
    TRY(decant__split_find(split, input, self->rows, &place));
    TRY(decant__input_go(input, place.offset));
    input->line = place.line;
done:
    return status;
}

decant_status decant__sequence_leave_part(decant__sequence *self) {
    decant_status status = DECANT_OK;
    if (self->rows < self->end)
        status = decant__fail(DECANT_EFORMAT, "%s: changed while it was read: %zu rows, then %zu",
                              self->files[self->current].data, self->end, self->rows);
    decant__sequence_skip_file(self);
    return status;
}

void decant__sequence_share_base(decant__sequence *self, const decant__comm *comm) {
    double highest[DECANT__MAX_RANKS] = {0}, zeros = self->base.zero_seen;
    highest[comm->rank] = (double)self->base.highest;
    decant__comm_sum_doubles(comm, highest, (size_t)comm->size);
    decant__comm_sum_doubles(comm, &zeros, 1);
    self->base.zero_seen = zeros > 0;
    for (int r = 0; r < comm->size; r++)
        if (highest[r] > (double)self->base.highest) self->base.highest = (size_t)highest[r];
    if (self->base.where == NULL) self->base.where = self->files[0].data;
}
