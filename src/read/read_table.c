/* Tables in files. Without a recipe all of a table is read into a frame, the recipe is found on it,
 * and rows are made of its chunks, which are freed as they become rows. With the recipe of a model
 * a table is read batch by batch, and memory does not grow with its rows. Where rows are spread
 * over ranks, each reads its own: the files are scanned for where rows begin (split.h), and the
 * recipe is found column by column (frame_ranks.h). */
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/text.h"
#include "table/frame_ranks.h"
#include "read/labels.h"
#include "read/raw.h"
#include "read/read_frame.h"
#include "read/utf16.h"
#include "table/table_rows.h"

enum { TRIMS = 128 }; /* of memory, while the cells of a table become rows */

/* What all ranks know about a file. */
typedef struct table_part {
    decant__split split;
    size_t first; /* its first row, of those of all files */
    decant__dialect dialect;
} table_part;

typedef struct table_files {
    decant__frame frame;
    decant__row_maker maker;
    decant__input input;
    const decant__file_format *format; /* of the input */
    decant__frame_reader *reader;
    decant__wishes wishes;
    size_t item;       /* of the listing, being read */
    size_t *from;      /* for each column of the frame, the file's */
    int streaming;     /* by the recipe of a model */
    size_t chunk, row; /* the next that become a row */
    size_t rows;       /* made so far */
    int threads;
    int decimal_comma; /* of the first file */
    table_part *parts; /* of each file; NULL: all rows are read */
    size_t end;        /* chunk behind those that become rows */
} table_files;

static void close_file(table_files *self) {
    decant__frame_reader_close(self->reader);
    decant__input_close(&self->input);
    self->reader = NULL;
}

static void tables_close(decant__raw *raw) {
    table_files *self = raw->work;
    if (self == NULL) return;
    close_file(self);
    decant__row_maker_free(&self->maker);
    decant__frame_free(&self->frame);
    for (size_t i = 0; self->parts != NULL && i < raw->listing.count; i++)
        decant__split_free(&self->parts[i].split);
    decant__free(self->parts);
    decant__free(self->wishes.column);
    decant__free(self->from);
    decant__free(self);
    raw->work = NULL;
}

/* ---- opening a file ---- */

/* Names that only a header would have. */
static decant_status list_wanted(const decant__raw *raw, const decant_table *table,
                                 const char ***out, size_t *count) {
    decant_status status = DECANT_OK;
    const decant_read_options *wanted = &raw->wanted;
    const char **list = NULL;
    size_t known = table != NULL && table->header ? table->count : 0;
    NEW_ARRAY(list, known + 3);
    *count = 0;
    list[(*count)++] = wanted->id_column;
    list[(*count)++] = wanted->label_column;
    list[(*count)++] = wanted->text_column;
    for (size_t j = 0; j < known; j++) list[(*count)++] = table->column[j].name;
    *out = list;
done:
    return status;
}

/* "lines 3, 17 and 40", or "lines 3, 17, 40, 41, 58 and more". */
static void note_skipped(decant__raw *raw, const char *path, const decant__frame_oddities *odd,
                         size_t cells) {
    decant__text lines = {0};
    size_t shown = odd->skipped < DECANT__SKIPPED_LINES ? odd->skipped : DECANT__SKIPPED_LINES;
    int all = shown == odd->skipped;
    for (size_t i = 0; i < shown; i++) {
        const char *comma = i + 1 == shown && all ? " and " : ", ";
        decant__text_print(&lines, "%s%zu", i == 0 ? "" : comma, odd->skipped_line[i]);
    }
    decant__notes_add(&raw->notes,
                      "%s: skipped %zu line%s without the %zu cell%s of the others: "
                      "line%s %s%s",
                      path, odd->skipped, decant__plural(odd->skipped), cells,
                      decant__plural(cells), decant__plural(odd->skipped),
                      lines.bytes != NULL ? lines.bytes : "?", all ? "" : " and more");
    raw->notes.skipped += odd->skipped;
    decant__text_free(&lines);
}

static void note(decant__raw *raw, const char *path, decant__frame_oddities odd,
                 const decant__dialect *dialect) {
    if (dialect->title_lines > 0)
        decant__notes_add(&raw->notes, "%s: what is above line %zu is not of the table", path,
                          dialect->skip_lines + 1);
    if (odd.utf16) decant__notes_add(&raw->notes, "%s: was read as UTF-16", path);
    if (odd.recoded > 0)
        decant__notes_add(&raw->notes, "%s: is not UTF-8; %zu cell%s read as Windows-1252", path,
                          odd.recoded, odd.recoded == 1 ? " was" : "s were");
    if (odd.blank_lines > 0)
        decant__notes_add(&raw->notes, "%s: %zu empty line%s between rows %s skipped", path,
                          odd.blank_lines, decant__plural(odd.blank_lines),
                          odd.blank_lines == 1 ? "was" : "were");
    if (odd.skipped > 0) note_skipped(raw, path, &odd, dialect->cells);
    if (dialect->decimal_comma)
        decant__notes_add(&raw->notes, "%s: the comma was taken for the decimal mark", path);
}

static void note_oddities(decant__raw *raw, const table_files *self) {
    note(raw, self->input.path, decant__frame_reader_oddities(self->reader),
         decant__frame_reader_dialect(self->reader));
}

static decant_status open_file(decant__raw *raw, table_files *self, const decant_table *table) {
    decant_status status = DECANT_OK;
    const char **wanted = NULL;
    size_t count;
    TRY(list_wanted(raw, table, &wanted, &count));
    if (self->input.path == NULL) {
        TRY(decant__input_open(&self->input, raw->listing.items[self->item].path, raw->meter));
        TRY(decant__format_detect(&self->input, 0, &self->format));
    }
    TRY(decant__frame_reader_open(&self->input, self->threads, wanted, count, &self->reader));
    if (raw->wanted.skip_broken) decant__frame_reader_skip_broken(self->reader);
    raw->format = self->format->kind == DECANT__KIND_TABLE ? self->format->info.name : "CSV";
done:
    decant__free(wanted);
    return status;
}

/* ---- the first pass: a frame of all files ---- */

static decant_status set_modes(table_files *self) {
    decant_status status = DECANT_OK;
    size_t count = decant__frame_reader_dialect(self->reader)->cells;
    decant__cell_mode *mode;
    NEW_ZEROED(mode, count);
    for (size_t j = 0; j < self->frame.count; j++) {
        const decant__wish *wish = &self->wishes.column[j];
        size_t at = self->from != NULL ? self->from[j] : j;
        if (at == SIZE_MAX) continue;
        if (wish->type == DECANT_COLUMN_CATEGORY) mode[at] = DECANT__READ_WORDS;
        if (wish->type == DECANT_COLUMN_TEXT || j == self->wishes.id || j == self->wishes.label)
            mode[at] = DECANT__READ_TEXT;
        if (wish->drop) mode[at] = DECANT__READ_NONE;
    }
    decant__frame_reader_modes(self->reader, mode);
    decant__free(mode);
done:
    return status;
}

/* Later files have the columns of the first, in any order if they have names. */
static decant_status match_first(const decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    const char *const *names = decant__frame_reader_names(self->reader);
    size_t count = decant__frame_reader_dialect(self->reader)->cells;
    const char *path = self->input.path, *first = raw->listing.items[0].path;
    if (count != self->frame.count)
        return decant__fail(DECANT_EFORMAT, "%s: has %zu columns, but %s has %zu", path, count,
                            first, self->frame.count);
    if (self->from == NULL) NEW_ARRAY(self->from, count);
    for (size_t j = 0; j < count; j++) {
        self->from[j] = j;
        if (names == NULL || self->frame.names == NULL) continue;
        size_t i = 0;
        while (i < count && strcmp(names[i], self->frame.names[j]) != 0) i++;
        if (i == count)
            TRY(decant__fail(DECANT_EFORMAT, "%s: has no column %s, which %s has", path,
                             decant__quote(self->frame.names[j], strlen(self->frame.names[j])).text,
                             first));
        self->from[j] = i;
    }
done:
    return status;
}

/* Opens a file for the frame, which the first one makes. */
static decant_status open_for_frame(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    TRY(open_file(raw, self, NULL));
    const char *const *names = decant__frame_reader_names(self->reader);
    if (self->frame.words == NULL) {
        self->decimal_comma = decant__frame_reader_dialect(self->reader)->decimal_comma;
        size_t count = decant__frame_reader_dialect(self->reader)->cells;
        TRY(decant__frame_new(&self->frame, count, names));
        TRY(decant__wishes_find(&raw->wanted, names, count, self->input.path, &self->wishes));
    } else {
        TRY(match_first(raw, self));
    }
    TRY(set_modes(self));
done:
    return status;
}

static decant_status read_frame(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    TRY(open_for_frame(raw, self));
    size_t before = self->frame.rows;
    for (int more = 1; more;)
        TRY(decant__frame_reader_next(self->reader, &self->frame, self->from, &more));
    if (self->frame.rows == before) TRY(decant__check_shape(self->input.path, 0, 0));
    note_oddities(raw, self);
    self->item++;
done:
    if (status == DECANT_OK) close_file(self);
    return status;
}

/* ---- the same, of the rows of this rank ---- */

static decant_status scan_file(decant__raw *raw, table_files *self, table_part *part) {
    decant_status status = DECANT_OK;
    TRY(open_for_frame(raw, self));
    if (decant__frame_reader_oddities(self->reader).utf16)
        TRY(decant__fail(DECANT_EINVAL,
                         "%s: is UTF-16 and the first file is not: several processes read them "
                         "together only if all are UTF-8",
                         self->input.path));
    decant__frame_rows rows = decant__frame_reader_rows(self->reader);
    part->dialect = *decant__frame_reader_dialect(self->reader);
    TRY(decant__split_new(&part->split, &self->input, rows.first.offset, rows.first.line,
                          &rows.rules, raw->comm));
    if (part->split.rows == 0) TRY(decant__check_shape(self->input.path, 0, 0));
    part->first = raw->rows;
    raw->rows += part->split.rows;
    if (raw->rows > DECANT__MAX_ROWS)
        TRY(decant__fail(DECANT_EFORMAT, "%s: brings the rows to more than the %zu possible",
                         self->input.path, DECANT__MAX_ROWS));
done:
    close_file(self);
    return status;
}

/* Reads what is this rank's of a file. */
static decant_status read_part(decant__raw *raw, table_files *self, const table_part *part,
                               decant__frame_oddities *odd) {
    decant_status status = DECANT_OK;
    decant__row_place from, until;
    size_t end = part->first + part->split.rows, own_end = raw->own.first + raw->own.count;
    size_t first = raw->own.first > part->first ? raw->own.first : part->first;
    size_t last = own_end < end ? own_end : end, before = self->frame.rows;
    if (first >= last) return DECANT_OK;
    TRY(open_for_frame(raw, self));
    TRY(decant__split_find(&part->split, &self->input, first - part->first, &from));
    TRY(decant__split_find(&part->split, &self->input, last - part->first, &until));
    TRY(decant__frame_reader_range(self->reader, &from, &until));
    for (int more = 1; more;)
        TRY(decant__frame_reader_next(self->reader, &self->frame, self->from, &more));
    if (self->frame.rows - before != last - first)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: line %zu: expected %zu rows from here on, found %zu; was it changed "
                         "while it was read?",
                         self->input.path, from.line + 1, last - first, self->frame.rows - before));
    *odd = decant__frame_reader_oddities(self->reader);
done:
    close_file(self);
    return status;
}

/* What was odd for all ranks: empty lines behind the rows of one count if more rows follow. */
static void note_together(decant__raw *raw, const char *path, const table_part *part,
                          const decant__frame_oddities *own, size_t rows) {
    enum { BLANK, TRAILING, RECODED, ROWS, COUNTS };
    const decant__comm *comm = raw->comm;
    double counts[DECANT__MAX_RANKS][COUNTS] = {{0}};
    decant__frame_oddities odd = {0};
    size_t after = 0;
    counts[comm->rank][BLANK] = (double)own->blank_lines;
    counts[comm->rank][TRAILING] = (double)own->trailing;
    counts[comm->rank][RECODED] = (double)own->recoded;
    counts[comm->rank][ROWS] = (double)rows;
    decant__comm_sum_doubles(comm, &counts[0][0], (size_t)comm->size * COUNTS);
    for (int r = comm->size - 1; r >= 0; r--) {
        odd.blank_lines += (size_t)counts[r][BLANK];
        odd.recoded += (size_t)counts[r][RECODED];
        if (after > 0) odd.blank_lines += (size_t)counts[r][TRAILING];
        after += (size_t)counts[r][ROWS];
    }
    note(raw, path, odd, &part->dialect);
}

/* Scans all files, then reads the rows of this rank. */
static decant_status read_own(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(self->parts, raw->listing.count);
    raw->rows = 0;
    for (self->item = 0; self->item < raw->listing.count; self->item++)
        TRY(scan_file(raw, self, &self->parts[self->item]));
    TRY(decant__own_rows_choose(raw->comm, raw->rows, &raw->own));
    for (self->item = 0; self->item < raw->listing.count; self->item++) {
        decant__frame_oddities odd = {0};
        const table_part *part = &self->parts[self->item];
        size_t before = self->frame.rows;
        status = read_part(raw, self, part, &odd);
        TRY(decant__comm_agree(raw->comm, status));
        note_together(raw, raw->listing.items[self->item].path, part, &odd,
                      self->frame.rows - before);
    }
    TRY(decant__frame_spread(&self->frame, raw->comm));
    raw->parted = 1;
    self->rows = raw->own.first;
    self->chunk = self->frame.own_chunk;
done:
    return status;
}

/* ---- the recipe ---- */

/* The words of columns that become no numbers, ids or classes, and what only reading needs of the
 * others. */
static void forget_words(const decant_table *table, decant__frame *frame) {
    for (size_t j = 0; j < frame->count; j++) {
        int named = j == table->id_column || j == table->label_column || j == table->text_column;
        if (table->column[j].width > 0 || named)
            decant__names_seal(&frame->words[j]);
        else
            decant__names_free(&frame->words[j]);
    }
}

static decant_status find_recipe(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    const decant__typing typing = {.wishes = &self->wishes,
                                   .options = &raw->options,
                                   .decimal_comma = self->decimal_comma,
                                   .threads = self->threads,
                                   .where = raw->listing.items[0].path,
                                   .notes = &raw->notes,
                                   .comm = raw->parted ? raw->comm : NULL};
    TRY(decant__table_find(&self->frame, &typing, &raw->owned_table));
    TRY(decant__table_find_text(&self->frame, &typing, raw->owned_table));
    raw->table = raw->owned_table;
    TRY(decant__row_maker_new(&self->maker, raw->table, &self->frame));
    self->maker.id_at = raw->table->id_column;
    self->maker.label_at = raw->table->label_column;
    TRY(decant__row_maker_learn(&self->maker));
    self->maker.notes = &raw->notes;
    forget_words(raw->table, &self->frame);
    self->end =
        raw->parted ? self->frame.own_chunk + self->frame.own_chunks : self->frame.chunk_count;
done:
    return status;
}

/* A model that has no recipe: numbers, by the names in its file or by their places. */
static decant_status make_plain(decant__raw *raw) {
    decant_status status = DECANT_OK;
    const decant_read_options *wanted = &raw->wanted;
    decant_table *table = NULL;
    TRY(decant__table_new(wanted->columns, &table));
    table->plain = 1;
    table->header = wanted->column_names != NULL;
    for (size_t j = 0; j < table->count; j++) {
        table->column[j].name = decant__copy_text(table->header ? wanted->column_names[j] : "");
        if (table->column[j].name == NULL) TRY(DECANT_ENOMEM);
    }
    decant__table_arrange(table);
    raw->table = raw->owned_table = table;
    table = NULL;
done:
    decant__table_free(table);
    return status;
}

/* ---- by the recipe of a model ---- */

/* The columns of ids and labels: those that the user names, else those of the model. The frame has
 * them behind the table's columns. */
static decant_status find_roles(const decant__raw *raw, table_files *self) {
    const decant_table *table = raw->table;
    decant_read_options roles = {.id_column = raw->wanted.id_column,
                                 .label_column = raw->wanted.label_column};
    const char *const *names = decant__frame_reader_names(self->reader);
    size_t count = decant__frame_reader_dialect(self->reader)->cells;
    decant__wishes found = {0};
    decant_status status = decant__wishes_find(&roles, names, count, self->input.path, &found);
    decant__free(found.column);
    if (status != DECANT_OK) return status;
    size_t kept_id = table->id_column, kept_label = table->label_column;
    if (roles.id_column == NULL && kept_id != SIZE_MAX) found.id = self->from[kept_id];
    if (roles.label_column == NULL && kept_label != SIZE_MAX) found.label = self->from[kept_label];
    self->from[table->count] = found.id;
    self->from[table->count + 1] = found.label;
    self->maker.id_at = found.id != SIZE_MAX ? table->count : SIZE_MAX;
    self->maker.label_at = found.label != SIZE_MAX ? table->count + 1 : SIZE_MAX;
    return DECANT_OK;
}

static decant_status set_known_modes(const decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    const decant_table *table = raw->table;
    size_t count = decant__frame_reader_dialect(self->reader)->cells;
    decant__cell_mode *mode;
    NEW_ARRAY(mode, count);
    for (size_t i = 0; i < count; i++) mode[i] = DECANT__READ_NONE;
    for (size_t j = 0; j < table->count; j++) {
        if (self->from[j] == SIZE_MAX) continue;
        if (table->column[j].width > 0)
            mode[self->from[j]] = table->column[j].type == DECANT_COLUMN_CATEGORY
                                      ? DECANT__READ_WORDS
                                      : DECANT__READ_CELLS;
        if (j == table->text_column) mode[self->from[j]] = DECANT__READ_TEXT;
    }
    for (size_t j = table->count; j < table->count + 2; j++)
        if (self->from[j] != SIZE_MAX && mode[self->from[j]] == DECANT__READ_NONE)
            mode[self->from[j]] = DECANT__READ_TEXT;
    decant__frame_reader_modes(self->reader, mode);
    decant__free(mode);
done:
    return status;
}

static decant_status open_known(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    const decant_table *table = raw->table;
    TRY(open_file(raw, self, table));
    if (self->from == NULL) NEW_ARRAY(self->from, table->count + 2);
    TRY(decant__table_match(table, decant__frame_reader_names(self->reader),
                            decant__frame_reader_dialect(self->reader)->cells, self->input.path,
                            &raw->notes, self->from));
    TRY(find_roles(raw, self));
    TRY(set_known_modes(raw, self));
done:
    return status;
}

/* The next batch into an empty frame; *more = 0 after the last file. */
static decant_status next_batch(decant__raw *raw, table_files *self, int *more) {
    decant_status status = DECANT_OK;
    *more = 0;
    decant__frame_clear(&self->frame);
    self->chunk = self->row = 0;
    while (!*more && self->item < raw->listing.count) {
        if (self->reader == NULL) TRY(open_known(raw, self));
        TRY(decant__frame_reader_next(self->reader, &self->frame, self->from, more));
        if (*more) continue;
        note_oddities(raw, self);
        close_file(self);
        self->item++;
    }
    if (*more) TRY(decant__row_maker_learn(&self->maker));
done:
    return status;
}

/* ---- rows ---- */

static decant_status mismatch(const decant__raw *raw, const char *about, size_t rows) {
    return decant__labels_mismatch(raw->label_path, raw->label_count, raw->listing.items[0].path,
                                   about, rows);
}

static decant_status add_labels(const decant__raw *raw, const table_files *self, size_t count,
                                decant__block *block) {
    decant_status status = DECANT_OK;
    if (raw->labels != NULL && self->rows + count > raw->label_count)
        return mismatch(raw, "at least ", self->rows + count);
    for (size_t i = 0; i < count && raw->labels != NULL; i++)
        TRY(decant__raw_add_label(raw, block, self->rows + i, NULL, 0));
done:
    return status;
}

static decant_status tables_end(decant__raw *raw, size_t max_rows, decant__block *block) {
    (void)raw, (void)max_rows, (void)block;
    return DECANT_OK;
}

static decant_status finish(decant__raw *raw, table_files *self) {
    decant_status status = DECANT_OK;
    raw->next = tables_end;
    if (raw->parted) {
        double unlabelled = (double)self->maker.unlabelled;
        TRY(decant__comm_agree(raw->comm, DECANT_OK));
        decant__comm_sum_doubles(raw->comm, &unlabelled, 1);
        self->maker.unlabelled = (size_t)unlabelled;
        self->rows = raw->rows;
    }
    if (self->maker.unlabelled > 0)
        decant__notes_add(&raw->notes, "%zu row%s no class; theirs is called (missing)",
                          self->maker.unlabelled, self->maker.unlabelled == 1 ? " has" : "s have");
    if (raw->labels != NULL && raw->label_count != self->rows) TRY(mismatch(raw, "", self->rows));
    if (!self->streaming) { /* the words of a million ids, before they are copied once more */
        decant__row_maker_free(&self->maker);
        decant__frame_free(&self->frame);
        decant__memory_trim();
    }
done:
    return status;
}

static decant_status tables_next(decant__raw *raw, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    table_files *self = raw->work;
    block->sparse = raw->table->text != NULL;
    size_t rows = raw->parted ? raw->own.count : self->frame.rows;
    if (!self->streaming && !block->sparse && max_rows >= rows)
        TRY(decant__block_reserve(block, rows * raw->table->d, 1));
    while (block->n < max_rows) {
        if (self->chunk == (self->streaming ? self->frame.chunk_count : self->end)) {
            int more = 0;
            if (self->streaming) TRY(next_batch(raw, self, &more));
            if (!more) {
                TRY(finish(raw, self));
                break;
            }
            continue;
        }
        decant__chunk *chunk = &self->frame.chunks[self->chunk];
        size_t count = chunk->rows - self->row;
        if (count > max_rows - block->n) count = max_rows - block->n;
        TRY(decant__row_maker_add(&self->maker, self->chunk, self->row, count, raw->labels == NULL,
                                  block));
        TRY(add_labels(raw, self, count, block));
        self->rows += count;
        self->row += count;
        if (self->row < chunk->rows) continue;
        decant__chunk_free(chunk, self->frame.count);
        self->chunk++;
        self->row = 0;
        /* Rows grow as cells go: without this, the process would hold both until the end. */
        if (!self->streaming && self->chunk % (self->frame.chunk_count / TRIMS + 1) == 0)
            decant__memory_trim();
    }
done:
    return status;
}

/* ---- opening ---- */

/* Its rows cannot be found in its bytes. */
static int is_utf16(table_files *self) {
    const char *bytes;
    size_t count;
    if (self->input.path == NULL ||
        decant__input_peek(&self->input, 2, &bytes, &count) != DECANT_OK)
        return 0;
    return decant__utf16_mark(bytes, count) != DECANT__UTF16_NONE;
}

decant_status decant__tables_open(decant__raw *raw, decant__opened *first) {
    decant_status status = DECANT_OK;
    table_files *self;
    NEW_ZEROED(self, 1);
    raw->work = self;
    raw->next = tables_next;
    raw->close = tables_close;
    self->input = first->input;
    self->format = first->format;
    first->input = (decant__input){0};
    self->threads = decant__team_size(raw->options.threads);
    if (raw->meter != NULL) raw->meter->total += raw->listing.bytes;
    raw->table = raw->wanted.table;
    if (raw->table == NULL && raw->wanted.columns > 0) TRY(make_plain(raw));
    /* a line that may be left out has no place that the ranks could count on */
    int parts = raw->spread && raw->comm->size > 1 && !raw->wanted.skip_broken;
    if (raw->table == NULL && parts && !is_utf16(self)) {
        TRY(read_own(raw, self));
        TRY(find_recipe(raw, self));
    } else if (raw->table == NULL) {
        while (self->item < raw->listing.count) TRY(read_frame(raw, self));
        TRY(find_recipe(raw, self));
    } else {
        self->streaming = 1;
        TRY(decant__frame_new(&self->frame, raw->table->count + 2, NULL));
        TRY(decant__row_maker_new(&self->maker, raw->table, &self->frame));
        self->maker.threads = self->threads;
        self->maker.notes = &raw->notes;
        TRY(open_known(raw, self));
    }
    self->maker.threads = self->threads;
done:
    return status;
}
