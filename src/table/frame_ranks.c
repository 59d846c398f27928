#include "table/frame_ranks.h"

#include "base/memory.h"

static int is_own(const decant__frame *frame, size_t chunk) {
    return chunk >= frame->own_chunk && chunk - frame->own_chunk < frame->own_chunks;
}

decant_status decant__frame_spread(decant__frame *frame, const decant__comm *comm) {
    decant_status status = DECANT_OK;
    double rows[DECANT__MAX_RANKS] = {0}; /* whole numbers */
    size_t own = frame->chunk_count, rank = (size_t)comm->rank, size = (size_t)comm->size;
    decant__chunk *chunks = NULL;
    char *joined = NULL;
    NEW_ZEROED(joined, frame->count);
    NEW_ZEROED(chunks, own + size);
    for (size_t c = 0; c < own + size - 1; c++)
        if (c < rank || c >= rank + own) NEW_ZEROED(chunks[c].column, frame->count);
done:
    status = decant__comm_agree(comm, status);
    if (status != DECANT_OK) {
        for (size_t c = 0; chunks != NULL && c < own + size; c++) decant__free(chunks[c].column);
        decant__free(chunks);
        decant__free(joined);
        return status;
    }
    rows[rank] = (double)frame->rows;
    decant__comm_sum_doubles(comm, rows, size);
    for (size_t c = 0; c < own; c++) chunks[rank + c] = frame->chunks[c];
    frame->rows = 0;
    for (size_t r = 0; r < size; r++) {
        if (r != rank) chunks[r < rank ? r : own + r - 1].rows = (size_t)rows[r];
        frame->rows += (size_t)rows[r];
    }
    decant__free(frame->chunks);
    frame->chunks = chunks;
    frame->chunk_count = own + size - 1;
    frame->chunk_capacity = own + size;
    frame->own_chunk = rank;
    frame->own_chunks = own;
    frame->joined = joined;
    return DECANT_OK;
}

/* ---- one rank's cells of a column ---- */

typedef struct parcel {
    uint64_t form, rows, words, text_bytes;
} parcel;

static size_t item_bytes(uint64_t form) {
    return form == DECANT__CELLS_DOUBLE ? sizeof(double) : sizeof(float);
}

/* The form that all own chunks have room in. */
static parcel describe(const decant__frame *frame, size_t column) {
    const decant__names *words = &frame->words[column];
    parcel p = {DECANT__CELLS_FLOAT, 0, frame->joined[column] ? 0 : words->count,
                frame->joined[column] ? 0 : words->text_length};
    for (size_t c = frame->own_chunk; c < frame->own_chunk + frame->own_chunks; c++) {
        uint64_t form = frame->chunks[c].column[column].form;
        p.form = p.rows == 0 || form == p.form ? form : DECANT__CELLS_DOUBLE;
        p.rows += frame->chunks[c].rows;
    }
    return p;
}

static void put(decant__cells *to, size_t row, double cell) {
    if (to->form == DECANT__CELLS_FLOAT)
        ((float *)to->items)[row] = (float)cell;
    else if (to->form == DECANT__CELLS_DOUBLE)
        ((double *)to->items)[row] = cell;
    else
        ((uint32_t *)to->items)[row] = decant__cell_word(cell);
}

static void pack_own(const decant__frame *frame, size_t column, decant__cells *to) {
    size_t row = 0;
    for (size_t c = frame->own_chunk; c < frame->own_chunk + frame->own_chunks; c++)
        for (size_t i = 0; i < frame->chunks[c].rows; i++)
            put(to, row++, decant__cell_at(&frame->chunks[c].column[column], i));
}

/* From the words of a rank to those of all. */
static void renumber(decant__cells *cells, size_t rows, const uint32_t *number) {
    if (cells->form == DECANT__CELLS_FLOAT || number == NULL) return;
    for (size_t i = 0; i < rows; i++) {
        double cell = decant__cell_at(cells, i);
        uint32_t word = cell != cell ? decant__cell_word(cell) : DECANT__NO_NAME;
        if (word != DECANT__NO_NAME) put(cells, i, decant__word_cell(number[word]));
    }
}

/* What all ranks bring of a column. Items of a rank begin at a multiple of 8 bytes. */
typedef struct delivery {
    parcel parcel[DECANT__MAX_RANKS];
    size_t text_begin[DECANT__MAX_RANKS + 1], begin[DECANT__MAX_RANKS + 1];
    char *text, *items;
} delivery;

static decant_status delivery_new(delivery *d, const decant__frame *frame, size_t column,
                                  const decant__comm *comm) {
    decant_status status = DECANT_OK;
    size_t begin[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= comm->size; r++) begin[r] = (size_t)r * sizeof *d->parcel;
    d->parcel[comm->rank] = describe(frame, column);
    decant__comm_gather(comm, d->parcel, begin);
    for (int r = 0; r < comm->size; r++) {
        const parcel *p = &d->parcel[r];
        size_t bytes = ((size_t)p->rows * item_bytes(p->form) + 7) / 8 * 8;
        d->text_begin[r + 1] = d->text_begin[r] + (size_t)p->text_bytes;
        d->begin[r + 1] = d->begin[r] + bytes;
    }
    NEW_ARRAY(d->text, d->text_begin[comm->size] + 1);
    NEW_ZEROED(d->items, d->begin[comm->size] + 1);
done:
    return status;
}

static void deliver(delivery *d, const decant__frame *frame, size_t column,
                    const decant__comm *comm) {
    const parcel *own = &d->parcel[comm->rank];
    decant__cells cells = {(decant__cell_form)own->form, d->items + d->begin[comm->rank]};
    pack_own(frame, column, &cells);
    if (own->text_bytes > 0)
        memcpy(d->text + d->text_begin[comm->rank], frame->words[column].text,
               (size_t)own->text_bytes);
    decant__comm_gather(comm, d->text, d->text_begin);
    decant__comm_gather(comm, d->items, d->begin);
}

static decant_status join_text(decant__names *all, const char *text, size_t count,
                               uint32_t *number) {
    decant_status status = DECANT_OK;
    for (size_t w = 0; w < count; w++, text += strlen(text) + 1)
        TRY(decant__names_add(all, text, strlen(text), &number[w]));
done:
    return status;
}

/* The cells of rank r into the frame; words are added to those of the ranks before. */
static decant_status unpack(const delivery *d, int r, const decant__comm *comm, size_t column,
                            decant__frame *frame, decant__names *all) {
    decant_status status = DECANT_OK;
    const parcel *p = &d->parcel[r];
    size_t rows = (size_t)p->rows, bytes = rows * item_bytes(p->form);
    size_t chunk = (size_t)(r < comm->rank ? r : r - 1) + (r > comm->rank ? frame->own_chunks : 0);
    decant__cells cells = {.form = (decant__cell_form)p->form};
    uint32_t *number = NULL;
    if (p->words > 0) {
        NEW_ARRAY(number, (size_t)p->words);
        TRY(join_text(all, d->text + d->text_begin[r], (size_t)p->words, number));
    }
    if (r != comm->rank) {
        cells.items = decant__alloc_array(bytes + 1, 1);
        if (cells.items == NULL) TRY(DECANT_ENOMEM);
        memcpy(cells.items, d->items + d->begin[r], bytes);
        renumber(&cells, rows, number);
        frame->chunks[chunk].column[column] = cells;
        goto done;
    }
    for (size_t c = frame->own_chunk; c < frame->own_chunk + frame->own_chunks; c++)
        renumber(&frame->chunks[c].column[column], frame->chunks[c].rows, number);
done:
    decant__free(number);
    return status;
}

decant_status decant__frame_lend(decant__frame *frame, size_t column, const decant__comm *comm) {
    decant_status status = DECANT_OK;
    decant__names all = {0};
    delivery d = {0};
    TRY(decant__comm_agree(comm, DECANT_OK));
    status = delivery_new(&d, frame, column, comm);
    TRY(decant__comm_agree(comm, status));
    deliver(&d, frame, column, comm);
    for (int r = 0; r < comm->size; r++) TRY(unpack(&d, r, comm, column, frame, &all));
    if (!frame->joined[column]) {
        decant__names_free(&frame->words[column]);
        frame->words[column] = all;
        all = (decant__names){0};
        frame->joined[column] = 1;
    }
done:
    decant__names_free(&all);
    decant__free(d.text);
    decant__free(d.items);
    return status;
}

void decant__frame_return(decant__frame *frame, size_t column) {
    for (size_t c = 0; c < frame->chunk_count; c++) {
        if (is_own(frame, c) || frame->chunks[c].column == NULL) continue;
        decant__free(frame->chunks[c].column[column].items);
        frame->chunks[c].column[column].items = NULL;
    }
}
