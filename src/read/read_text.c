/* Texts one after the other, and texts to rows of tf-idf, in two passes: the first finds the
 * vocabulary, the second makes the rows. Memory is in proportion to the different words and the
 * non-zeros. With the features of a model there is only the second pass. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "table/cell.h"
#include "read/raw.h"
#include "features/tfidf.h"
#include "features/vocabulary.h"

enum { PART = 1 << 16, LONGEST_DOCUMENT = 1 << 30 };

void decant__documents_close_item(decant__documents *self) {
    decant__reader_close(self->reader);
    decant__input_close(&self->input);
    self->reader = NULL;
}

/* A single file stays open to be read again. */
static int is_single(const decant__documents *self) {
    return self->listing->count == 1 && self->kind != DECANT__KIND_FILES;
}

decant_status decant__documents_rewind(decant__documents *self) {
    decant_status status = DECANT_OK;
    decant__reader_close(self->reader);
    self->reader = NULL;
    if (is_single(self) && self->input.path != NULL)
        status = decant__input_rewind(&self->input);
    else
        decant__documents_close_item(self);
    self->item = self->ordinal = self->left_out = self->unlisted = 0;
    self->bounded = 0;
    if (self->ahead != NULL) self->ahead[0] = '\0';
    return status;
}

void decant__documents_close(decant__documents *self) {
    decant__documents_close_item(self);
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
    TRY(decant__item_open(current(self), self->meter, &self->input));
    for (;;) {
        TRY(decant__input_peek(&self->input, PART, &bytes, &count));
        if (count == 0) break;
        TRY(decant__documents_append(self, length, bytes, count));
        decant__input_skip(&self->input, count);
    }
done:
    decant__documents_close_item(self);
    return status;
}

static decant_status next_file(decant__documents *self, decant__document *document, int *more) {
    size_t end = self->bounded ? self->until.item : self->listing->count;
    for (; self->item < end; self->item++) {
        size_t length = 0;
        decant_status status = self->unread ? DECANT_OK : read_whole(self, &length);
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
        if (status != DECANT_OK) return decant__listing_offer_skipping(self->listing, status);
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

static decant_status offer_skipping(decant_status status) {
    char why[1024];
    decant__format(why, sizeof why, "%s", decant_last_error());
    return decant__fail(status, "%s; --on-error skip leaves such lines out", why);
}

static decant_status next_cell(decant__documents *self, decant__document *document, int *more) {
    decant__csv_document cell;
    decant_status status;
    for (;;) {
        status = decant__csv_next_document(self->reader, &cell, more);
        if (status == DECANT_OK || !*more) break;
        /* a record that is there, but broken, may be left out */
        *more = 0;
        status = decant__documents_broken(self, status);
        if (status == DECANT_EFORMAT) return offer_skipping(status);
        if (status != DECANT_OK) return status;
    }
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

/* Records of tokens are compared when their beginning was found. */
static int is_over(const decant__documents *self) {
    if (!self->bounded || self->item < self->until.item) return 0;
    if (self->item > self->until.item || self->until.at.offset == 0) return 1;
    return self->kind != DECANT__KIND_TOKENS && self->input.path != NULL &&
           decant__input_at(&self->input) >= self->until.at.offset;
}

decant_status decant__documents_next(decant__documents *self, decant__document *document,
                                     int *more) {
    decant_status status = DECANT_OK;
    *more = 0;
    if (self->kind == DECANT__KIND_FILES) return next_file(self, document, more);
    while (!*more && self->item < self->listing->count && !is_over(self)) {
        TRY(decant__documents_open_item(self));
        if (self->kind == DECANT__KIND_LINES)
            TRY(next_line(self, document, more));
        else if (self->kind == DECANT__KIND_COLUMN)
            TRY(next_cell(self, document, more));
        else
            TRY(decant__tokens_next(self, document, more));
        if (*more) break;
        if (!is_single(self)) decant__documents_close_item(self);
        self->item++;
    }
done:
    return status;
}

/* ==== rows ==== */

typedef struct texts {
    decant__documents documents;
    decant__reader_options columns;
    decant__topics topics;
    decant__tfidf tfidf;
    size_t given;          /* rows so far */
    size_t empty;          /* rows without a known stem */
    char first_empty[128]; /* where the first of them is */
    char *recoded;         /* a document that was Windows-1252 */
    size_t recodings;
    char first_recoded[128];
    decant__document_marks *marks; /* of each rank, where they share the first pass; else NULL */
} texts;

static void texts_close(decant__raw *raw) {
    texts *self = raw->work;
    if (self == NULL) return;
    decant__documents_close(&self->documents);
    decant__topics_free(&self->topics);
    decant__tfidf_free(&self->tfidf);
    decant__free(self->recoded);
    decant__free(self->marks);
    decant__free(self);
    raw->work = NULL;
}

static void place(const decant__document *document, char *text, size_t size) {
    if (document->line > 0)
        snprintf(text, size, "%s: line %zu", document->path, document->line);
    else
        snprintf(text, size, "%s", document->path);
}

/* A document that is not UTF-8. */
static decant_status bad_text(texts *self, const decant__document *document, decant_status status) {
    char where[512];
    place(document, where, sizeof where);
    if (status == DECANT_EFORMAT) status = decant__fail_in(status, where);
    self->documents.ordinal--; /* it was counted when it was found */
    status = decant__documents_broken(&self->documents, status);
    return document->line > 0 ? status
                              : decant__listing_offer_skipping(self->documents.listing, status);
}

/* The next document; one that is Windows-1252 becomes UTF-8. */
static decant_status next_document(texts *self, decant__document *document, int *more) {
    decant_status status = decant__documents_next(&self->documents, document, more);
    if (status != DECANT_OK || !*more || self->documents.unread) return status;
    size_t length = document->length;
    if (decant__utf8_prefix(document->text, length) == length ||
        !decant__cell_is_windows(document->text, length))
        return DECANT_OK;
    char *recoded = decant__realloc_array(self->recoded, 3 * length, 1);
    if (recoded == NULL) return DECANT_ENOMEM;
    self->recoded = recoded;
    document->length = decant__cell_recode(document->text, length, recoded);
    document->text = recoded;
    if (self->recodings++ == 0) place(document, self->first_recoded, sizeof self->first_recoded);
    return DECANT_OK;
}

/* ---- the first pass ---- */

static decant_status count_words(texts *self, decant__vocabulary *vocabulary,
                                 decant__document_marks *marks) {
    decant_status status = DECANT_OK;
    decant__document document;
    for (;;) {
        int more;
        decant__documents_mark(&self->documents, vocabulary->n, marks);
        TRY(next_document(self, &document, &more));
        if (!more) break;
        status = decant__vocabulary_add(vocabulary, document.text, document.length);
        if (status != DECANT_OK) TRY(bad_text(self, &document, status));
    }
    decant__documents_mark(&self->documents, vocabulary->n, marks); /* some may be left out */
done:
    return status;
}

/* Ranks that all make rows of the same documents count the words of a part each. */
static decant_status find_vocabulary(const decant__raw *raw, texts *self,
                                     decant__vocabulary *vocabulary) {
    decant_status status = DECANT_OK;
    const decant__comm *comm = raw->comm;
    int together = comm->size > 1 && !raw->wanted.skip_broken;
    decant__document_marks own = {0};
    if (together) NEW_ZEROED(self->marks, (size_t)comm->size);
    if (together) TRY(decant__documents_share(&self->documents, comm));
    status = count_words(self, vocabulary, &own);
    if (together) {
        TRY(decant__comm_agree(comm, status));
        decant__documents_join(comm, &own, self->marks);
        TRY(decant__vocabulary_merge(vocabulary, comm));
    }
    TRY(status);
    TRY(decant__documents_rewind(&self->documents));
    self->recodings = 0; /* they are counted again with the rows */
done:
    return status;
}

/* Begins with the rows of this rank, and ends with them. */
static decant_status go_to_own(decant__raw *raw, texts *self) {
    decant_status status = DECANT_OK;
    raw->rows = self->marks[raw->comm->size - 1].end.rows;
    TRY(decant__own_rows_choose(raw->comm, raw->rows, &raw->own));
    TRY(decant__documents_seek(&self->documents, self->marks, raw->comm->size, raw->own.first,
                               &self->given));
    raw->parted = 1;
done:
    return status;
}

static void describe(decant_features *features, decant__kind kind) {
    int stemmed = strcmp(features->language, "none") != 0;
    snprintf(features->about, sizeof features->about, "%s, as tf-idf of %zu %s%s",
             decant__kind_name(kind), features->d,
             stemmed ? features->language : "words as they are", stemmed ? " stems" : "");
}

/* A column by its number has no name that a later file could have in another place. */
static void keep_column(const char *name, char *to, size_t size) {
    if (name == NULL || strlen(name) >= size || strspn(name, "0123456789") == strlen(name)) return;
    if (decant__utf8_prefix(name, strlen(name)) == strlen(name)) memcpy(to, name, strlen(name) + 1);
}

static decant_status find_features(decant__raw *raw, texts *self) {
    decant_status status = DECANT_OK;
    decant__vocabulary vocabulary = {0};
    const decant_options *options = &raw->options;
    int tokens = self->documents.kind == DECANT__KIND_TOKENS;
    NEW_ZEROED(raw->owned, 1);
    raw->owned->kind = DECANT_FEATURES_TFIDF;
    keep_column(raw->wanted.text_column, raw->owned->column, sizeof raw->owned->column);
    keep_column(raw->wanted.id_column, raw->owned->id_column, sizeof raw->owned->id_column);
    raw->owned->stop_words = options->stop_words;
    memcpy(raw->owned->language, tokens ? "none" : options->language,
           tokens ? sizeof "none" : sizeof options->language);
    TRY(decant__vocabulary_new(&vocabulary, raw->owned->language, options->stop_words));
    status = find_vocabulary(raw, self, &vocabulary);
    if (status == DECANT_OK)
        status = decant__vocabulary_choose(&vocabulary, options->vocabulary, options->vocabulary_by,
                                           raw->owned);
    TRY(status);
    describe(raw->owned, self->documents.kind);
    raw->features = raw->owned;
done:
    decant__vocabulary_free(&vocabulary);
    return status;
}

/* ---- the second pass ---- */

/* Another rank makes this row. */
static int is_foreign(const decant__raw *raw, size_t row) {
    return raw->own.only && (row < raw->own.first || row - raw->own.first >= raw->own.count);
}

static decant_status add_row(decant__raw *raw, texts *self, const decant__document *document,
                             int foreign, decant__block *block) {
    decant_status status = DECANT_OK;
    const decant__tfidf *row = &self->tfidf;
    for (size_t e = 0; !foreign && e < row->nonzeros; e++)
        TRY(decant__block_add_entry(block, row->column[e], row->value[e]));
    TRY(decant__block_end_row(block));
    if (document->id != NULL) TRY(decant__block_add_id(block, document->id, document->id_length));
    TRY(decant__raw_add_label(raw, block, self->documents.ordinal - 1, document->label,
                              document->label_length));
    if (!foreign && row->nonzeros == 0 && self->empty++ == 0)
        place(document, self->first_empty, sizeof self->first_empty);
done:
    return status;
}

/* After the last document: notes about those that were left out. */
static void note_left_out(decant__raw *raw, texts *self) {
    const decant__documents *documents = &self->documents;
    size_t met = documents->ordinal - documents->unlisted, listed = self->topics.listed;
    if (documents->left_out > 0)
        decant__notes_add(&raw->notes, "%zu documents without exactly one root topic were left out",
                          documents->left_out);
    if (documents->unlisted > 0)
        decant__notes_add(&raw->notes, "%zu documents without topics were left out",
                          documents->unlisted);
    if (documents->topics != NULL && listed > met)
        decant__notes_add(&raw->notes, "%zu documents that have topics were not found",
                          listed - met);
}

/* As if this rank had read all documents. */
static void take_end(texts *self, int ranks) {
    const decant__document_mark *end = &self->marks[ranks - 1].end;
    self->documents.ordinal = end->ordinal;
    self->documents.left_out = end->left_out;
    self->documents.unlisted = end->unlisted;
}

/* count: of each rank; becomes that of all, and place that of the first who has one. */
static void count_place(const decant__comm *comm, size_t *count, char *place, size_t size) {
    double counts[DECANT__MAX_RANKS] = {0};
    counts[comm->rank] = (double)*count;
    decant__comm_sum_doubles(comm, counts, (size_t)comm->size);
    *count = 0;
    for (int r = 0; r < comm->size; r++) {
        if (*count == 0 && counts[r] > 0) decant__comm_broadcast(comm, r, place, size);
        *count += (size_t)counts[r];
    }
}

/* Each rank has made its own rows: what is noted about them is what all have found. */
static decant_status count_together(decant__raw *raw, texts *self) {
    decant_status status = decant__comm_agree(raw->comm, DECANT_OK);
    if (status != DECANT_OK) return status;
    count_place(raw->comm, &self->empty, self->first_empty, sizeof self->first_empty);
    count_place(raw->comm, &self->recodings, self->first_recoded, sizeof self->first_recoded);
    return DECANT_OK;
}

static void note_empty(decant__raw *raw, texts *self) {
    if (self->recodings > 0)
        decant__notes_add(
            &raw->notes, "%zu document%s not UTF-8 and read as Windows-1252 (the first: %s)",
            self->recodings, self->recodings == 1 ? " is" : "s are", self->first_recoded);
    self->recodings = 0;
    if (self->empty > 0)
        decant__notes_add(&raw->notes, "%zu document%s no known stem, so %s 0 (the first: %s)",
                          self->empty, self->empty == 1 ? " has" : "s have",
                          self->empty == 1 ? "its row is" : "their rows are", self->first_empty);
    self->empty = 0;
}

/* After the last row. */
static decant_status texts_end(decant__raw *raw, size_t max_rows, decant__block *block) {
    (void)raw, (void)max_rows, (void)block;
    return DECANT_OK;
}

static decant_status texts_next(decant__raw *raw, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    texts *self = raw->work;
    decant__document document;
    block->sparse = 1;
    while (block->n < max_rows) {
        int more, foreign = is_foreign(raw, self->given);
        if (foreign && raw->parted && self->given > raw->own.first) break; /* the last one */
        self->documents.unread = foreign;
        TRY(next_document(self, &document, &more));
        if (!more) break;
        if (foreign && raw->parted) { /* between the mark and the first one */
            self->given++;
            continue;
        }
        status =
            foreign ? DECANT_OK : decant__tfidf_row(&self->tfidf, document.text, document.length);
        if (status != DECANT_OK) {
            TRY(bad_text(self, &document, status));
            continue;
        }
        TRY(add_row(raw, self, &document, foreign, block));
        self->given++;
    }
    if (raw->own.only && block->n < max_rows) TRY(count_together(raw, self));
    if (!raw->own.only || block->n < max_rows) note_empty(raw, self);
    if (block->n < max_rows) {
        if (raw->parted) take_end(self, raw->comm->size);
        note_left_out(raw, self);
        if (raw->labels != NULL && raw->label_count != self->documents.ordinal)
            TRY(decant__fail(DECANT_EFORMAT, "there are %zu labels, but %zu documents",
                             raw->label_count, self->documents.ordinal));
        raw->next = texts_end;
    }
done:
    return status;
}

/* ---- for reports ---- */

/* The beginning of a text, not cut within a character. */
static char *excerpt(const decant__document *document, size_t max) {
    size_t length = document->length < max ? document->length : max;
    while (length > 0 && length < document->length &&
           ((unsigned char)document->text[length] & 0xC0) == 0x80)
        length--;
    char *text = decant__alloc_array(length + 1, 1);
    if (text == NULL) return NULL;
    memcpy(text, document->text, length);
    text[length] = '\0';
    return text;
}

decant_status decant__texts_show(decant__raw *raw, const uint32_t *row, size_t count, size_t max,
                                 char **text) {
    decant_status status = DECANT_OK;
    texts *self = raw->work;
    decant__document document;
    size_t at = 0, shown = 0;
    while (shown < count) {
        int more;
        TRY(next_document(self, &document, &more));
        if (!more) break;
        if (self->documents.skip && /* what was skipped is no row */
            decant__tfidf_row(&self->tfidf, document.text, document.length) != DECANT_OK)
            continue;
        if (row[shown] != at++) continue;
        text[shown] = excerpt(&document, max);
        if (text[shown++] == NULL) TRY(DECANT_ENOMEM);
    }
done:
    return status;
}

/* ---- opening ---- */

static decant_status find_topics(const decant__raw *raw, texts *self) {
    decant_status status = DECANT_OK;
    const char *path = raw->wanted.topics;
    for (size_t i = 0; path == NULL && i < raw->listing.count; i++)
        if (raw->listing.items[i].kind == DECANT__KIND_TOPICS) path = raw->listing.items[i].path;
    if (path == NULL) return DECANT_OK;
    TRY(decant__topics_read(&self->topics, path, raw->meter));
    self->documents.topics = &self->topics;
done:
    return status;
}

/* A vocabulary needs two passes; what comes from a pipe is kept for the second. */
static decant_status keep_pipe(const decant__raw *raw, texts *self) {
    decant_status status = DECANT_OK;
    decant__input *input = &self->documents.input;
    if (self->documents.kind == DECANT__KIND_COLUMN && input->path == NULL &&
        raw->listing.count == 1)
        TRY(decant__input_open(input, raw->listing.items[0].path, raw->meter));
    if (input->path != NULL && !input->regular) TRY(decant__input_spool(input));
done:
    return status;
}

decant_status decant__texts_open(decant__raw *raw, decant__kind kind, decant__input *first) {
    decant_status status = DECANT_OK;
    texts *self;
    NEW_ZEROED(self, 1);
    raw->work = self;
    raw->next = texts_next;
    raw->close = texts_close;
    self->columns = (decant__reader_options){.id_column = raw->wanted.id_column,
                                             .label_column = raw->wanted.label_column,
                                             .text_column = raw->wanted.text_column};
    self->documents = (decant__documents){.kind = kind,
                                          .listing = &raw->listing,
                                          .columns = &self->columns,
                                          .meter = raw->meter,
                                          .skip = raw->wanted.skip_broken,
                                          .folder_labels = raw->wanted.folder_labels};
    self->documents.input = *first;
    *first = (decant__input){0};
    if (raw->features == NULL) TRY(keep_pipe(raw, self));
    if (kind == DECANT__KIND_TOKENS) {
        TRY(find_topics(raw, self));
        decant__listing_keep(&raw->listing, DECANT__KIND_TOKENS);
    } else if (kind == DECANT__KIND_FILES) {
        decant__listing_keep(&raw->listing, DECANT__KIND_FILES);
    }
    if (raw->meter != NULL)
        raw->meter->total += raw->listing.bytes * (raw->features == NULL ? 2 : 1);
    if (raw->features == NULL) TRY(find_features(raw, self));
    if (raw->features->idf == NULL)
        TRY(decant__fail(DECANT_EINVAL, "%s: is text, but the model was fitted on images",
                         raw->listing.items[0].path));
    TRY(decant__tfidf_new(&self->tfidf, raw->features));
    self->documents.notes = &raw->notes;
    if (raw->spread && self->marks != NULL) TRY(go_to_own(raw, self));
done:
    return status;
}
