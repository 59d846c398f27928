/* Texts to rows of tf-idf, in two passes: the first finds the vocabulary, the second makes the
 * rows. Memory is in proportion to the different words and the non-zeros. With the features of a
 * model there is only the second pass. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/raw.h"
#include "features/tfidf.h"
#include "features/vocabulary.h"

typedef struct texts {
    decant__documents documents;
    decant__reader_options columns;
    decant__topics topics;
    decant__tfidf tfidf;
    size_t empty;          /* rows without a known stem */
    char first_empty[128]; /* where the first of them is */
} texts;

static void texts_close(decant__raw *raw) {
    texts *self = raw->work;
    if (self == NULL) return;
    decant__documents_close(&self->documents);
    decant__topics_free(&self->topics);
    decant__tfidf_free(&self->tfidf);
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
    return decant__documents_broken(&self->documents, status);
}

/* ---- the first pass ---- */

static decant_status find_vocabulary(texts *self, decant__vocabulary *vocabulary) {
    decant_status status = DECANT_OK;
    decant__document document;
    for (;;) {
        int more;
        TRY(decant__documents_next(&self->documents, &document, &more));
        if (!more) break;
        status = decant__vocabulary_add(vocabulary, document.text, document.length);
        if (status != DECANT_OK) TRY(bad_text(self, &document, status));
    }
    decant__documents_rewind(&self->documents);
done:
    return status;
}

static void describe(decant_features *features, decant__documents_kind kind) {
    static const char *const names[] = {
        [DECANT__DOCUMENTS_FILES] = "a folder of texts",
        [DECANT__DOCUMENTS_LINES] = "text, one document a line",
        [DECANT__DOCUMENTS_COLUMN] = "text, a column of a CSV file",
        [DECANT__DOCUMENTS_TOKENS] = "LYRL2004 token files",
    };
    int stemmed = strcmp(features->language, "none") != 0;
    snprintf(features->about, sizeof features->about, "%s, as tf-idf of %zu %s%s", names[kind],
             features->d, stemmed ? features->language : "words as they are",
             stemmed ? " stems" : "");
}

static decant_status find_features(decant__raw *raw, texts *self) {
    decant_status status = DECANT_OK;
    decant__vocabulary vocabulary = {0};
    const decant_options *options = &raw->options;
    int tokens = self->documents.kind == DECANT__DOCUMENTS_TOKENS;
    NEW_ZEROED(raw->owned, 1);
    raw->owned->kind = DECANT_FEATURES_TFIDF;
    raw->owned->stop_words = options->stop_words;
    memcpy(raw->owned->language, tokens ? "none" : options->language,
           tokens ? sizeof "none" : sizeof options->language);
    TRY(decant__vocabulary_new(&vocabulary, raw->owned->language, options->stop_words));
    status = find_vocabulary(self, &vocabulary);
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

static decant_status add_row(decant__raw *raw, texts *self, const decant__document *document,
                             decant__block *block) {
    decant_status status = DECANT_OK;
    const decant__tfidf *row = &self->tfidf;
    for (size_t e = 0; e < row->nonzeros; e++)
        TRY(decant__block_add_entry(block, row->column[e], row->value[e]));
    TRY(decant__block_end_row(block));
    if (document->id != NULL) TRY(decant__block_add_id(block, document->id, document->id_length));
    TRY(decant__raw_add_label(raw, block, self->documents.ordinal - 1, document->label,
                              document->label_length));
    if (row->nonzeros == 0 && self->empty++ == 0)
        place(document, self->first_empty, sizeof self->first_empty);
done:
    return status;
}

/* At the end of the texts: what is worth knowing about them as a whole. */
static void take_stock(decant__raw *raw, texts *self) {
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

static void note_empty(decant__raw *raw, texts *self) {
    if (self->empty > 0)
        decant__notes_add(&raw->notes,
                          "%zu documents have no known stem, so their rows are 0 (the first: %s)",
                          self->empty, self->first_empty);
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
        int more;
        TRY(decant__documents_next(&self->documents, &document, &more));
        if (!more) break;
        status = decant__tfidf_row(&self->tfidf, document.text, document.length);
        if (status != DECANT_OK) {
            TRY(bad_text(self, &document, status));
            continue;
        }
        TRY(add_row(raw, self, &document, block));
    }
    note_empty(raw, self);
    if (block->n < max_rows) {
        take_stock(raw, self);
        if (raw->labels != NULL && raw->label_count != self->documents.ordinal)
            TRY(decant__fail(DECANT_EFORMAT, "there are %zu labels, but %zu documents",
                             raw->label_count, self->documents.ordinal));
        raw->next = texts_end;
    }
done:
    return status;
}

/* ---- for people ---- */

/* The beginning of a text, not cut within a character. */
static char *excerpt(const decant__document *document, size_t most) {
    size_t length = document->length < most ? document->length : most;
    while (length > 0 && length < document->length &&
           ((unsigned char)document->text[length] & 0xC0) == 0x80)
        length--;
    char *text = decant__alloc_array(length + 1, 1);
    if (text == NULL) return NULL;
    memcpy(text, document->text, length);
    text[length] = '\0';
    return text;
}

decant_status decant__texts_show(decant__raw *raw, const uint32_t *row, size_t count, size_t most,
                                 char **text) {
    decant_status status = DECANT_OK;
    texts *self = raw->work;
    decant__document document;
    size_t at = 0, shown = 0;
    while (shown < count) {
        int more;
        TRY(decant__documents_next(&self->documents, &document, &more));
        if (!more) break;
        if (self->documents.skip && /* what was skipped is no row */
            decant__tfidf_row(&self->tfidf, document.text, document.length) != DECANT_OK)
            continue;
        if (row[shown] != at++) continue;
        text[shown] = excerpt(&document, most);
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
        if (raw->listing.items[i].kind == DECANT__ITEM_TOPICS) path = raw->listing.items[i].path;
    if (path == NULL) return DECANT_OK;
    TRY(decant__topics_read(&self->topics, path));
    self->documents.topics = &self->topics;
done:
    return status;
}

decant_status decant__texts_open(decant__raw *raw, decant__documents_kind kind) {
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
                                          .skip = raw->wanted.skip_broken,
                                          .folder_labels = raw->wanted.folder_labels};
    if (kind == DECANT__DOCUMENTS_TOKENS) {
        TRY(find_topics(raw, self));
        decant__listing_keep(&raw->listing, DECANT__ITEM_TOKENS);
    } else if (kind == DECANT__DOCUMENTS_FILES) {
        decant__listing_keep(&raw->listing, DECANT__ITEM_TEXT);
    }
    if (raw->features == NULL) TRY(find_features(raw, self));
    if (raw->features->idf == NULL)
        TRY(decant__fail(DECANT_EINVAL, "%s: is text, but the model was fitted on images",
                         raw->listing.items[0].path));
    TRY(decant__tfidf_new(&self->tfidf, raw->features));
    self->documents.notes = &raw->notes;
done:
    return status;
}
