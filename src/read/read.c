/* Files to rows: all at once (decant_dataset_read) or block by block (decant_stream).
 *
 * A stream reads files of numbers one after the other as if they were one, through the reader of
 * each one's format, or raw files (images, text) through raw.h. A file of numbers is opened once:
 * the input that its format was recognised in is the one that is read, or kept open for its rows.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "read/stream.h"

enum {
    EXTRA_ROWS = 8192, /* at a time */
    COLUMN_BYTES = 32  /* what a column costs at least: its sums, shift and scale */
};

/* ---- options ---- */

void decant_read_options_init(decant_read_options *options, size_t struct_size) {
    const decant_read_options plain = {.struct_size = sizeof plain};
    decant__struct_init(options, struct_size, &plain, sizeof plain);
}

decant_status decant__read_options_copy(decant_read_options *copy,
                                        const decant_read_options *options) {
    *copy = (decant_read_options){.struct_size = sizeof *copy};
    return decant__struct_read(copy, sizeof *copy, options, "decant_read_options");
}

/* Do paths, label files and columns go together? */
static decant_status check_options(const char *const *paths, size_t count,
                                   const decant_read_options *options) {
    if (paths == NULL || count == 0)
        return decant__fail(DECANT_EINVAL, "there is no data file to read");
    for (size_t i = 0; i < count; i++)
        if (paths[i] == NULL) return decant__fail(DECANT_EINVAL, "data path %zu is NULL", i + 1);
    if (options->columns > DECANT__MAX_COLUMNS)
        return decant__fail(DECANT_EINVAL, "%zu columns are wanted, but at most %zu are possible",
                            options->columns, DECANT__MAX_COLUMNS);
    if (options->column_names != NULL && options->columns == 0)
        return decant__fail(DECANT_EINVAL, "names of columns are given without their number");
    if ((unsigned)options->index_base > DECANT_INDEX_FROM_1)
        return decant__fail(DECANT_EINVAL, "there is no index base number %d",
                            (int)options->index_base);
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

/* ---- the list of files ---- */

static decant_status add_file(decant__sequence *self, const char *path, const char *labels) {
    decant_status status = DECANT_OK;
    if (!decant__is_folder(path)) {
        decant__number_file *file = &self->files[self->count++];
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
    self->files[self->count++] = (decant__number_file){.data = parts[0], .labels = parts[1]};
    self->files[self->count++] = (decant__number_file){.data = parts[2], .labels = parts[3]};
done:
    return status;
}

/* For the progress only: 0 where it is not known. */
static uint64_t file_size(const char *path) {
    struct stat info;
    if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    return (uint64_t)info.st_size;
}

static decant_status copy_name(char **copy, const char *name) {
    if (name == NULL) return DECANT_OK;
    *copy = decant__copy_text(name);
    return *copy != NULL ? DECANT_OK : DECANT_ENOMEM;
}

/* first: the first file, if it is one and no folder; it is taken over. */
static decant_status open_sequence(decant__sequence *self, const char *const *paths,
                                   size_t path_count, const decant_read_options *options,
                                   decant__opened *first, decant__meter *meter) {
    decant_status status = DECANT_OK;
    decant_options defaults;
    self->opened = *first;
    *first = (decant__opened){0};
    NEW_ZEROED(self->files, 2 * path_count); /* a folder is two files */
    for (size_t i = 0; i < path_count; i++)
        TRY(add_file(self, paths[i],
                     options->label_paths != NULL ? options->label_paths[i] : NULL));
    TRY(copy_name(&self->id_column, options->id_column));
    TRY(copy_name(&self->label_column, options->label_column));
    if (options->column_names != NULL)
        TRY(decant__names_join(options->column_names, options->columns, &self->wanted_names));
    decant_options_init(&defaults, sizeof defaults);
    TRY(decant__struct_read(&defaults, sizeof defaults, options->options, "decant_options"));
    self->columns = options->columns;
    self->memory = defaults.memory;
    self->max_columns = defaults.memory / COLUMN_BYTES;
    if (self->max_columns > DECANT__MAX_COLUMNS) self->max_columns = DECANT__MAX_COLUMNS;
    self->meter = meter;
    for (size_t i = 0; i < self->count; i++)
        meter->total += file_size(self->files[i].data) + file_size(self->files[i].labels);
    self->base = (decant__index_base){.base = (int)options->index_base - 1,
                                      .limit = options->columns,
                                      .max_columns = self->max_columns};
done:
    return status;
}

static void close_file(decant__sequence *self) {
    decant__reader_close(self->reader);
    decant__input_close(&self->opened.input);
    decant__free(self->labels);
    self->opened = (decant__opened){0};
    self->reader = NULL;
    self->labels = NULL;
    self->label_count = self->rows = 0;
}

static void close_sequence(decant__sequence *self) {
    close_file(self);
    for (size_t i = 0; self->splits != NULL && i < self->count; i++)
        decant__split_free(&self->splits[i]);
    decant__free(self->splits);
    for (size_t i = 0; i < self->count; i++) {
        decant__free(self->files[i].data);
        decant__free(self->files[i].labels);
    }
    decant__free(self->files);
    decant__free(self->id_column);
    decant__free(self->label_column);
    decant__free(self->wanted_names);
    decant__free(self->names);
    decant__names_free(&self->classes);
    decant__names_free(&self->ignored);
}

/* ---- what files must have in common ---- */

/* Names in the header of a file beside those of a model, or of the first file. */
static decant_status check_names(const decant__reader *reader, const char *path,
                                 char *const *expected, const char *whose) {
    for (size_t j = 0; expected != NULL && reader->names != NULL && j < reader->d; j++) {
        const char *found = reader->names[j], *wanted = expected[j];
        if (strcmp(found, wanted) == 0) continue;
        return decant__fail(DECANT_EFORMAT,
                            "%s: column %zu is %s, but in %s it is %s: the same columns in the "
                            "same order are needed",
                            path, j + 1, decant__quote(found, strlen(found)).text, whose,
                            decant__quote(wanted, strlen(wanted)).text);
    }
    return DECANT_OK;
}

static decant_status check_columns(const decant__sequence *self, const char *path) {
    const decant__reader *reader = self->reader;
    if (reader->d == 0) return DECANT_OK; /* not known yet */
    if (self->columns != 0 && self->columns != reader->d)
        return decant__fail(DECANT_EFORMAT, "%s: expected %zu columns, found %zu", path,
                            self->columns, reader->d);
    if (self->columns == 0 && reader->d > self->max_columns)
        return decant__too_many_columns(path, 0, reader->d, self->max_columns);
    return check_names(reader, path, self->wanted_names, "the model");
}

/* Sparse files must even have the same format: svmlight rows are shifted together at the end. */
static decant_status check_same(decant__sequence *self, const char *path) {
    const decant__reader *reader = self->reader;
    decant_status status = check_columns(self, path);
    if (status != DECANT_OK) return status;
    if (self->format == NULL) {
        self->format = reader->format;
        self->sparse = reader->sparse;
        self->d = reader->d;
        self->indexed = reader->sparse && reader->d == 0;
        return reader->names != NULL
                   ? decant__names_join((const char *const *)reader->names, reader->d, &self->names)
                   : DECANT_OK;
    }
    if (reader->sparse != self->sparse || (reader->sparse && reader->format != self->format))
        return decant__fail(DECANT_EFORMAT, "%s: is %s (%s), but %s is %s (%s)", path,
                            reader->format, reader->sparse ? "sparse" : "dense",
                            self->files[0].data, self->format, self->sparse ? "sparse" : "dense");
    if (reader->d != 0 && reader->d != self->d)
        return decant__fail(DECANT_EFORMAT, "%s: has %zu columns, but %s has %zu", path, reader->d,
                            self->files[0].data, self->d);
    return check_names(reader, path, self->names, self->files[0].data);
}

/* ---- one file after the other ---- */

static decant_status open_reader(decant__sequence *self, const char *path) {
    decant_status status = DECANT_OK;
    decant__opened *opened = &self->opened;
    decant__reader_options options = {
        .id_column = self->id_column, .label_column = self->label_column, .base = &self->base};
    self->base.file = path;
    if (opened->input.path == NULL) {
        TRY(decant__input_open(&opened->input, path, self->meter));
        TRY(decant__format_detect(&opened->input, 0, &opened->format));
        if (opened->format->open == NULL && opened->format->kind != DECANT__KIND_OTHER)
            TRY(decant__fail(DECANT_EFORMAT, "%s: is %s, but %s is %s", path,
                             decant__kind_name(opened->format->kind), self->files[0].data,
                             decant__kind_name(DECANT__KIND_NUMBERS)));
    }
    TRY(decant__format_open(opened->format, &opened->input, &options, &self->reader));
    TRY(check_same(self, path));
done:
    return status;
}

decant_status decant__sequence_open_file(decant__sequence *self) {
    decant_status status = DECANT_OK;
    const decant__number_file *file = &self->files[self->current];
    TRY(open_reader(self, file->data));
    if (file->labels == NULL) goto done;
    TRY(decant__labels_read(file->labels, NULL, self->meter, &self->classes, &self->labels,
                            &self->label_count));
    if (self->reader->rows != SIZE_MAX && self->reader->rows != self->label_count)
        TRY(decant__labels_mismatch(file->labels, self->label_count, file->data, "",
                                    self->reader->rows));
done:
    if (status != DECANT_OK) close_file(self);
    return status;
}

void decant__sequence_skip_file(decant__sequence *self) {
    close_file(self);
    self->current++;
}

static decant_status end_file(decant__sequence *self) {
    const decant__number_file *file = &self->files[self->current];
    decant_status status = DECANT_OK;
    if (self->rows == 0) status = decant__check_shape(file->data, 0, 0);
    if (status == DECANT_OK && self->labels != NULL && self->label_count != self->rows)
        status =
            decant__labels_mismatch(file->labels, self->label_count, file->data, "", self->rows);
    decant__sequence_skip_file(self);
    return status;
}

/* The labels of the rows that were just read: from the label file, or they are there already. */
static decant_status label_rows(decant__sequence *self, size_t labels_before, size_t rows,
                                int whole, decant__block *block) {
    decant_status status = DECANT_OK;
    const decant__number_file *file = &self->files[self->current];
    if (self->labels != NULL) {
        block->label_count = labels_before;
        if (self->rows + rows > self->label_count)
            TRY(decant__labels_mismatch(file->labels, self->label_count, file->data,
                                        whole ? "" : "at least ", self->rows + rows));
        for (size_t i = 0; i < rows; i++)
            TRY(decant__block_add_label_number(block, self->labels[self->rows + i]));
    }
    int labelled = block->label_count > labels_before;
    if (self->current > 0 && self->splits == NULL && labelled != self->labelled)
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
    size_t max = max_rows - before;
    if (self->splits != NULL && max > self->end - self->rows) max = self->end - self->rows;
    if (max > 0) status = self->reader->next(self->reader, max, block);
    block->classes = &self->classes;
    TRY(status);
    size_t rows = block->n - before;
    if (rows == 0 && self->splits != NULL) return decant__sequence_leave_part(self);
    if (rows == 0) TRY(end_file(self));
    if (rows > 0) {
        TRY(label_rows(self, labels_before, rows, block->n < max_rows, block));
        self->rows += rows;
    }
done:
    return status;
}

/* svmlight: decides where indices begin, and from then on how many features there are. */
decant_status decant__sequence_decide_base(decant__sequence *self, decant__block *block) {
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

/* Fills an empty block with the next at most max_rows rows of all files; none: the end. */
static decant_status next_rows(decant__sequence *self, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    size_t max = max_rows < DECANT__MAX_ROWS ? max_rows : DECANT__MAX_ROWS;
    while (block->n < max && self->current < self->count) {
        if (self->reader == NULL) {
            TRY(decant__sequence_open_file(self));
            if (self->splits != NULL) TRY(decant__sequence_enter_part(self));
        }
        TRY(read_rows(self, max, block));
    }
    if (max_rows > max && self->current < self->count)
        TRY(decant__fail(DECANT_EFORMAT, "%s: brings the rows to more than the %zu possible",
                         self->files[self->current].data, DECANT__MAX_ROWS));
    if (block->n > 0 && !self->deferred) TRY(decant__sequence_decide_base(self, block));
done:
    return status;
}

/* Beyond half of the memory; and where several ranks were started, in any case. */
decant_status decant__sequence_leave(decant__sequence *self, decant_dataset **out) {
    decant_status status = DECANT_OK;
    size_t memory = decant__comm_launched() > 1 ? 0 : self->memory / 2;
    decant__block block = {.classes = &self->classes};
    decant_dataset *data = NULL;
    if (self->count != 1) return DECANT_OK;
    TRY(decant__sequence_open_file(self));
    if (self->reader->leave != NULL) TRY(self->reader->leave(self->reader, memory, &data));
    if (data != NULL && self->labels != NULL) {
        block.n = block.label_count = data->n;
        block.labels = self->labels;
        status = decant__block_give_labels(&block, 1, data);
        block.labels = NULL;
        TRY(status);
    }
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

/* ---- streams ---- */

decant_status decant__stream_open(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, const decant_monitor *monitor,
                                  decant_stream *stream) {
    decant_status status = DECANT_OK;
    decant__opened first = {0};
    TRY(decant__meter_start(&stream->meter, monitor));
    TRY(check_options(paths, path_count, options));
    const decant__origin_paths origin = {paths, path_count, stream->comm, stream->spread};
    TRY(decant__raw_open(&origin, options, &stream->meter, &first, &stream->raw));
    if (stream->raw == NULL)
        TRY(open_sequence(&stream->numbers, paths, path_count, options, &first, &stream->meter));
done:
    decant__input_close(&first.input);
    return status;
}

decant_status decant__stream_fill(decant_stream *stream, size_t max_rows, decant__block *block) {
    return stream->raw != NULL ? decant__raw_next(stream->raw, max_rows, block)
                               : next_rows(&stream->numbers, max_rows, block);
}

void decant__stream_close(decant_stream *stream) {
    decant__raw_close(stream->raw);
    close_sequence(&stream->numbers);
}

/* What the rows of a block were made by. */
static decant_status finish_block(decant_stream *stream, decant_dataset *data) {
    data->format = stream->numbers.format; /* raw files have one of their own */
    data->index_base =
        stream->numbers.indexed ? (decant_index_base)(stream->numbers.base.base + 1) : 0;
    return stream->raw != NULL ? decant__raw_finish(stream->raw, data) : DECANT_OK;
}

decant_status decant_stream_open(const char *const *paths, size_t path_count,
                                 const decant_read_options *options, const decant_monitor *monitor,
                                 decant_stream **out) {
    decant_status status = DECANT_OK;
    decant_stream *stream = NULL;
    decant_read_options wanted;
    if (out == NULL) return decant__fail(DECANT_EINVAL, "decant_stream_open needs an output");
    TRY(decant__read_options_copy(&wanted, options));
    NEW_ZEROED(stream, 1);
    stream->comm = decant__comm_world();
    TRY(decant__stream_open(paths, path_count, &wanted, monitor, stream));
    *out = stream;
    stream = NULL;
done:
    decant_stream_close(stream);
    return status;
}

decant_status decant_stream_next(decant_stream *stream, size_t max_rows, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant__block block = {0};
    decant_dataset *data = NULL;
    if (stream == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_stream_next needs a stream and an output");
    if (max_rows == 0)
        return decant__fail(DECANT_EINVAL, "a block of a stream needs at least one row");
    if (stream->failed)
        return decant__fail(DECANT_EINVAL, "the stream cannot go on after it has failed");
    TRY(decant__stream_fill(stream, max_rows, &block));
    TRY(decant__meter_report(&stream->meter));
    if (block.n > 0) {
        TRY(decant__block_finish(&block, 0, &data));
        TRY(finish_block(stream, data));
    }
    *out = data;
    data = NULL;
done:
    if (status != DECANT_OK) stream->failed = 1;
    decant_dataset_free(data);
    decant__block_free(&block);
    return status;
}

void decant_stream_close(decant_stream *stream) {
    if (stream == NULL) return;
    decant__stream_close(stream);
    decant__free(stream);
}

/* ---- all at once ---- */

/* Further files behind the rows of the block, by the same features. */
static decant_status read_extra(const decant_read_options *options, const decant_stream *main,
                                decant__block *block) {
    decant_status status = DECANT_OK;
    decant_stream stream = {0};
    decant__block more = {0};
    decant_read_options wanted = {
        .struct_size = sizeof wanted,
        .id_column = options->id_column,
        .label_column = options->label_column,
        .text_column = options->text_column,
        .options = options->options,
        .skip_broken = options->skip_broken,
        .columns = block->d,
        .column_names = (const char *const *)main->numbers.names,
        .index_base = (decant_index_base)(main->numbers.indexed ? main->numbers.base.base + 1 : 0)};
    if (main->raw != NULL) wanted.features = main->raw->features;
    if (main->raw != NULL) wanted.table = main->raw->table;
    TRY(decant__stream_open(options->extra_paths, options->extra_path_count, &wanted,
                            &main->meter.monitor, &stream));
    for (;;) {
        TRY(decant__stream_fill(&stream, EXTRA_ROWS, &more));
        if (more.n == 0) break;
        if (more.sparse != block->sparse)
            TRY(decant__fail(DECANT_EFORMAT, "%s: is %s, but the rows to cluster are %s",
                             options->extra_paths[0], more.sparse ? "sparse" : "dense",
                             block->sparse ? "sparse" : "dense"));
        TRY(decant__block_add_extra(block, &more));
        decant__block_free(&more);
    }
done:
    decant__block_free(&more);
    decant__stream_close(&stream);
    return status;
}

decant_status decant__stream_finish(decant_stream *stream, const char *const *paths,
                                    size_t path_count, const decant_read_options *options,
                                    double began, decant_dataset *data) {
    decant_status status = DECANT_OK;
    TRY(finish_block(stream, data));
    if (stream->raw == NULL) data->column_names = stream->numbers.names;
    if (stream->raw == NULL) stream->numbers.names = NULL;
    TRY(decant__origin_new(&data->origin, paths, path_count, options));
    TRY(decant__meter_report(&stream->meter));
    data->seconds = decant__seconds() - began;
done:
    return status;
}

decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, const decant_monitor *monitor,
                                  decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_stream stream = {0};
    decant__block block = {0};
    decant_dataset *data = NULL;
    double began = decant__seconds();
    decant_read_options wanted;
    if (out == NULL) return decant__fail(DECANT_EINVAL, "decant_dataset_read needs an output");
    TRY(decant__read_options_copy(&wanted, options));
    TRY(decant__stream_open(paths, path_count, &wanted, monitor, &stream));
    int extra = wanted.extra_paths != NULL && wanted.extra_path_count > 0;
    if (stream.raw == NULL && !extra) TRY(decant__sequence_leave(&stream.numbers, &data));
    if (data == NULL) {
        TRY(decant__stream_fill(&stream, SIZE_MAX, &block));
        if (block.n == 0) TRY(decant__check_shape(paths[0], 0, 0));
        if (extra) TRY(read_extra(&wanted, &stream, &block));
        TRY(decant__block_finish(&block, 1, &data));
    }
    TRY(decant__stream_finish(&stream, paths, path_count, &wanted, began, data));
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    decant__block_free(&block);
    decant__stream_close(&stream);
    return status;
}
