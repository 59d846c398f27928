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

decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_stream stream = {0};
    decant__block block = {0};
    decant_dataset *data = NULL;
    double began = decant__seconds();
    TRY(open_stream(paths, path_count, options, &stream));
    if (stream.sequence != NULL) TRY(read_mapped(stream.sequence, &data));
    if (data == NULL) {
        TRY(fill_block(&stream, SIZE_MAX, &block));
        if (block.n == 0) TRY(decant__check_shape(paths[0], 0, 0));
        TRY(decant__block_finish(&block, 1, &data));
    }
    if (stream.raw != NULL) TRY(decant__raw_finish(stream.raw, data));
    if (stream.sequence != NULL)
        data->format = data->mapped != NULL ? "NPY" : stream.sequence->format;
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
