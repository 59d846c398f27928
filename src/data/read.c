/* The public ways to read files: all at once, or block by block. */
#include "base/memory.h"
#include "base/watch.h"
#include "data/labels.h"
#include "data/raw.h"
#include "data/sequence.h"

/* A mapped file only lacks its labels. *out = NULL: the file cannot be mapped. */
static decant_status read_mapped(decant__sequence *sequence, decant_dataset **out) {
    decant_status status = DECANT_OK;
    const decant__file *file = &sequence->files[0];
    decant__block block = {.classes = &sequence->classes};
    decant_dataset *data = NULL;
    if (sequence->count != 1 || sequence->id_column != NULL || sequence->label_column != NULL)
        return DECANT_OK;
    TRY(decant__npy_map(file->data, &data));
    if (data == NULL) goto done;
    TRY(decant__sequence_check_columns(sequence, file->data, data->d));
    if (file->labels != NULL) {
        TRY(decant__labels_read(file->labels, NULL, &sequence->classes, &block.labels,
                                &block.label_count));
        if (block.label_count != data->n)
            TRY(decant__labels_mismatch(file->labels, block.label_count, file->data, "", data->n));
        block.n = data->n;
        TRY(decant__block_give_labels(&block, 1, data));
    }
    *out = data;
    data = NULL;
done:
    decant__block_free(&block);
    decant_dataset_free(data);
    return status;
}

enum { EXTRA_ROWS = 8192 }; /* at a time */

/* One of the two ways from files to blocks. */
struct decant_stream {
    decant__raw *raw;           /* files of anything else, or NULL */
    decant__sequence *sequence; /* files of numbers, or NULL */
    int failed;                 /* what was read half cannot be gone on with */
};

static decant_status open_stream(const char *const *paths, size_t path_count,
                                 const decant_read_options *options, decant_stream *stream) {
    decant_status status = DECANT_OK;
    decant_read_options wanted;
    TRY(decant__read_options_copy(&wanted, options));
    TRY(decant__read_options_check(paths, path_count, &wanted));
    TRY(decant__raw_open(paths, path_count, &wanted, &stream->raw));
    if (stream->raw == NULL)
        TRY(decant__sequence_open(paths, path_count, &wanted, &stream->sequence));
done:
    return status;
}

static decant_status fill_block(decant_stream *stream, size_t max_rows, decant__block *block) {
    return stream->raw != NULL ? decant__raw_next(stream->raw, max_rows, block)
                               : decant__sequence_next(stream->sequence, max_rows, block);
}

static void close_stream(decant_stream *stream) {
    decant__raw_close(stream->raw);
    decant__sequence_close(stream->sequence);
}

/* Further files behind the rows of the block, by the same features. */
static decant_status read_extra(const decant_read_options *options, const decant_stream *main,
                                decant__block *block) {
    decant_status status = DECANT_OK;
    decant_stream stream = {0};
    decant__block more = {0};
    decant_read_options wanted = {.struct_size = sizeof wanted,
                                  .id_column = options->id_column,
                                  .label_column = options->label_column,
                                  .text_column = options->text_column,
                                  .options = options->options,
                                  .skip_broken = options->skip_broken,
                                  .columns = block->d};
    if (main->raw != NULL) wanted.features = main->raw->features;
    TRY(open_stream(options->extra_paths, options->extra_path_count, &wanted, &stream));
    for (;;) {
        TRY(fill_block(&stream, EXTRA_ROWS, &more));
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
    close_stream(&stream);
    return status;
}

decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_stream stream = {0};
    decant__block block = {0};
    decant_dataset *data = NULL;
    double began = decant__seconds();
    decant_read_options wanted;
    TRY(decant__read_options_copy(&wanted, options));
    TRY(open_stream(paths, path_count, options, &stream));
    int extra = wanted.extra_paths != NULL && wanted.extra_path_count > 0;
    if (stream.sequence != NULL && !extra) TRY(read_mapped(stream.sequence, &data));
    if (data == NULL) {
        TRY(fill_block(&stream, SIZE_MAX, &block));
        if (block.n == 0) TRY(decant__check_shape(paths[0], 0, 0));
        if (extra) TRY(read_extra(&wanted, &stream, &block));
        TRY(decant__block_finish(&block, 1, &data));
    }
    if (stream.raw != NULL) TRY(decant__raw_finish(stream.raw, data));
    if (stream.sequence != NULL) {
        data->format = data->mapped != NULL ? "NPY" : stream.sequence->format;
        data->column_names = stream.sequence->names;
        stream.sequence->names = NULL;
    }
    TRY(decant__origin_new(&data->origin, paths, path_count, &wanted));
    data->seconds = decant__seconds() - began;
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    decant__block_free(&block);
    close_stream(&stream);
    return status;
}

decant_status decant_stream_open(const char *const *paths, size_t path_count,
                                 const decant_read_options *options, decant_stream **out) {
    decant_status status = DECANT_OK;
    decant_stream *stream = NULL;
    NEW_ZEROED(stream, 1);
    TRY(open_stream(paths, path_count, options, stream));
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
    if (max_rows == 0)
        return decant__fail(DECANT_EINVAL, "a block of a stream needs at least one row");
    if (stream->failed)
        return decant__fail(DECANT_EINVAL, "the stream cannot go on after it has failed");
    TRY(fill_block(stream, max_rows, &block));
    if (block.n > 0) {
        TRY(decant__block_finish(&block, 0, &data));
        if (stream->raw != NULL) TRY(decant__raw_finish(stream->raw, data));
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
    close_stream(stream);
    decant__free(stream);
}
