#include "data/sequence.h"

#include <string.h>

#include "base/memory.h"
#include "data/folder.h"
#include "data/labels.h"

/* ---- opening: arguments and the list of files ---- */

decant_status decant__read_options_copy(decant_read_options *copy,
                                        const decant_read_options *options) {
    *copy = (decant_read_options){0};
    if (options == NULL) return DECANT_OK;
    size_t size = options->struct_size;
    if (size < sizeof options->struct_size)
        return decant__fail(DECANT_EINVAL, "struct_size of decant_read_options is not set");
    memcpy(copy, options, size < sizeof *copy ? size : sizeof *copy);
    return DECANT_OK;
}

decant_status decant__read_options_check(const char *const *paths, size_t count,
                                         const decant_read_options *options) {
    if (paths == NULL || count == 0)
        return decant__fail(DECANT_EINVAL, "there is no data file to read");
    for (size_t i = 0; i < count; i++)
        if (paths[i] == NULL) return decant__fail(DECANT_EINVAL, "data path %zu is NULL", i + 1);
    if (options->columns > DECANT__MOST_COLUMNS)
        return decant__fail(DECANT_EINVAL, "%zu columns are wanted, but at most %zu are possible",
                            options->columns, DECANT__MOST_COLUMNS);
    if (options->label_paths == NULL) return DECANT_OK;
    if (options->label_path_count != count)
        return decant__fail(DECANT_EINVAL,
                            "expected a label file for each of the %zu data files, found %zu",
                            count, options->label_path_count);
    if (options->label_column != NULL)
        return decant__fail(DECANT_EINVAL, "labels come from files or from a column, not both");
    for (size_t i = 0; i < count; i++)
        if (options->label_paths[i] == NULL)
            return decant__fail(DECANT_EINVAL, "%s: is given NULL for a label file", paths[i]);
    return DECANT_OK;
}

static decant_status add_file(decant__sequence *self, const char *path, const char *labels) {
    decant_status status = DECANT_OK;
    if (!decant__is_folder(path)) {
        decant__file *file = &self->files[self->count++];
        file->data = decant__copy_text(path);
        if (labels != NULL) file->labels = decant__copy_text(labels);
        if (file->data == NULL || (labels != NULL && file->labels == NULL)) status = DECANT_ENOMEM;
        return status;
    }
    char *parts[4];
    if (labels != NULL)
        return decant__fail(DECANT_EINVAL,
                            "%s: is given a label file, but is a folder with labels of its own",
                            path);
    TRY(decant__folder_find(path, parts));
    self->files[self->count++] = (decant__file){.data = parts[0], .labels = parts[1]};
    self->files[self->count++] = (decant__file){.data = parts[2], .labels = parts[3]};
done:
    return status;
}

static decant_status copy_name(char **copy, const char *name) {
    if (name == NULL) return DECANT_OK;
    *copy = decant__copy_text(name);
    return *copy != NULL ? DECANT_OK : DECANT_ENOMEM;
}

decant_status decant__sequence_open(const char *const *paths, size_t path_count,
                                    const decant_read_options *options, decant__sequence **out) {
    decant_status status = DECANT_OK;
    decant__sequence *self = NULL;
    NEW_ZEROED(self, 1);
    NEW_ZEROED(self->files, 2 * path_count); /* a folder is two files */
    for (size_t i = 0; i < path_count; i++)
        TRY(add_file(self, paths[i],
                     options->label_paths != NULL ? options->label_paths[i] : NULL));
    TRY(copy_name(&self->id_column, options->id_column));
    TRY(copy_name(&self->label_column, options->label_column));
    self->columns = options->columns;
    self->base = (decant__index_base){.base = -1, .limit = options->columns};
    *out = self;
    self = NULL;
done:
    decant__sequence_close(self);
    return status;
}

static void close_file(decant__sequence *self) {
    decant__reader_close(self->reader);
    decant__input_close(&self->input);
    decant__free(self->labels);
    self->reader = NULL;
    self->labels = NULL;
    self->label_count = self->rows = 0;
}

void decant__sequence_close(decant__sequence *self) {
    if (self == NULL) return;
    close_file(self);
    for (size_t i = 0; i < self->count; i++) {
        decant__free(self->files[i].data);
        decant__free(self->files[i].labels);
    }
    decant__free(self->files);
    decant__free(self->id_column);
    decant__free(self->label_column);
    decant__free(self->names);
    decant__classes_free(&self->classes);
    decant__classes_free(&self->ignored);
    decant__free(self);
}

/* ---- one file after the other ---- */

decant_status decant__sequence_check_columns(const decant__sequence *self, const char *path,
                                             size_t d) {
    if (self->columns == 0 || self->columns == d) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: expected %zu columns, found %zu", path, self->columns,
                        d);
}

/* Copies the names of columns into one block that begins with the pointers to them. */
static decant_status keep_names(decant__sequence *self) {
    size_t d = self->reader->d, bytes = d * sizeof(char *);
    for (size_t j = 0; j < d; j++) bytes += strlen(self->reader->names[j]) + 1;
    self->names = decant__alloc_array(bytes, 1);
    if (self->names == NULL) return DECANT_ENOMEM;
    char *text = (char *)(self->names + d);
    for (size_t j = 0; j < d; j++) {
        size_t length = strlen(self->reader->names[j]) + 1;
        self->names[j] = memcpy(text, self->reader->names[j], length);
        text += length;
    }
    return DECANT_OK;
}

/* Sparse files must even have the same format: svmlight rows are shifted together at the end. */
static decant_status check_same(decant__sequence *self, const char *path) {
    const decant__reader *reader = self->reader;
    decant_status status = DECANT_OK;
    if (reader->d != 0) status = decant__sequence_check_columns(self, path, reader->d);
    if (status != DECANT_OK) return status;
    if (self->format == NULL) {
        self->format = reader->format;
        self->sparse = reader->sparse;
        self->d = reader->d;
        self->indexed = reader->sparse && reader->d == 0;
        return reader->names != NULL ? keep_names(self) : DECANT_OK;
    }
    if (reader->sparse != self->sparse || (reader->sparse && reader->format != self->format))
        return decant__fail(DECANT_EFORMAT, "%s: is %s (%s), but %s is %s (%s)", path,
                            reader->format, reader->sparse ? "sparse" : "dense",
                            self->files[0].data, self->format, self->sparse ? "sparse" : "dense");
    if (reader->d != 0 && reader->d != self->d)
        return decant__fail(DECANT_EFORMAT, "%s: has %zu columns, but %s has %zu", path, reader->d,
                            self->files[0].data, self->d);
    return DECANT_OK;
}

static decant_status open_file(decant__sequence *self) {
    decant_status status = DECANT_OK;
    const decant__file *file = &self->files[self->current];
    decant__reader_options options = {
        .id_column = self->id_column, .label_column = self->label_column, .base = &self->base};
    self->base.file = file->data;
    TRY(decant__input_open(&self->input, file->data));
    TRY(decant__reader_open(&self->input, &options, &self->reader));
    TRY(check_same(self, file->data));
    if (file->labels == NULL) goto done;
    TRY(decant__labels_read(file->labels, NULL, &self->classes, &self->labels, &self->label_count));
    if (self->reader->rows != SIZE_MAX && self->reader->rows != self->label_count)
        TRY(decant__labels_mismatch(file->labels, self->label_count, file->data, "",
                                    self->reader->rows));
done:
    if (status != DECANT_OK) close_file(self);
    return status;
}

static decant_status end_file(decant__sequence *self) {
    const decant__file *file = &self->files[self->current];
    decant_status status = DECANT_OK;
    if (self->rows == 0) status = decant__check_shape(file->data, 0, 0);
    if (status == DECANT_OK && self->labels != NULL && self->label_count != self->rows)
        status =
            decant__labels_mismatch(file->labels, self->label_count, file->data, "", self->rows);
    close_file(self);
    self->current++;
    return status;
}

/* The labels of the rows that were just read: from the label file, or they are there already. */
static decant_status label_rows(decant__sequence *self, size_t labels_before, size_t rows,
                                int whole, decant__block *block) {
    decant_status status = DECANT_OK;
    const decant__file *file = &self->files[self->current];
    if (self->labels != NULL) {
        block->label_count = labels_before;
        if (self->rows + rows > self->label_count)
            TRY(decant__labels_mismatch(file->labels, self->label_count, file->data,
                                        whole ? "" : "at least ", self->rows + rows));
        for (size_t i = 0; i < rows; i++)
            TRY(decant__block_add_label_number(block, self->labels[self->rows + i]));
    }
    int labelled = block->label_count > labels_before;
    if (self->current > 0 && labelled != self->labelled)
        TRY(decant__fail(DECANT_EFORMAT, "%s: has %s, but the files before it have %s", file->data,
                         labelled ? "labels" : "no labels", labelled ? "none" : "labels"));
    self->labelled = labelled;
done:
    return status;
}

static decant_status read_rows(decant__sequence *self, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    size_t before = block->n, labels_before = block->label_count;
    block->sparse = self->sparse;
    block->d = self->d;
    block->classes = self->labels != NULL ? &self->ignored : &self->classes;
    status = self->reader->next(self->reader, max_rows - before, block);
    block->classes = &self->classes;
    TRY(status);
    size_t rows = block->n - before;
    if (rows == 0) TRY(end_file(self));
    if (rows > 0) {
        TRY(label_rows(self, labels_before, rows, block->n < max_rows, block));
        self->rows += rows;
    }
done:
    return status;
}

/* svmlight: decides where indices begin, and from then on how many features there are. */
static decant_status settle_base(decant__sequence *self, decant__block *block) {
    decant__index_base *base = &self->base;
    if (!self->indexed) return DECANT_OK;
    if (base->base < 0) base->base = base->zero_seen ? 0 : 1;
    size_t found = base->highest + 1 - (size_t)base->base;
    if (base->limit > 0 && found > base->limit)
        return decant__fail(DECANT_EFORMAT,
                            "%s: line %zu: expected indices up to %zu (a 0 occurs), found %zu",
                            base->where, base->line, base->limit - 1, base->highest);
    base->limit = block->d = base->limit > 0 ? base->limit : found;
    if (base->base == 1)
        for (size_t i = 0; i < block->nonzeros; i++) block->column[i]--;
    return decant__check_shape(self->files[0].data, 1, block->d);
}

decant_status decant__sequence_next(decant__sequence *self, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    size_t most = max_rows < DECANT__MOST_ROWS ? max_rows : DECANT__MOST_ROWS;
    while (block->n < most && self->current < self->count) {
        if (self->reader == NULL) TRY(open_file(self));
        TRY(read_rows(self, most, block));
    }
    if (max_rows > most && self->current < self->count)
        TRY(decant__fail(DECANT_EFORMAT, "%s: brings the rows to more than the %zu possible",
                         self->files[self->current].data, DECANT__MOST_ROWS));
    if (block->n > 0) TRY(settle_base(self, block));
done:
    return status;
}
