/* The public ways to read files: all at once, or block by block. */
#include "base/memory.h"
#include "data/labels.h"
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

decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant__sequence *sequence = NULL;
    decant__block block = {0};
    decant_dataset *data = NULL;
    TRY(decant__sequence_open(paths, path_count, options, &sequence));
    TRY(read_mapped(sequence, &data));
    if (data == NULL) {
        TRY(decant__sequence_next(sequence, SIZE_MAX, &block));
        TRY(decant__block_finish(&block, 1, &data));
    }
    data->format = data->mapped != NULL ? "NPY" : sequence->format;
    *out = data;
done:
    decant__block_free(&block);
    decant__sequence_close(sequence);
    return status;
}

struct decant_stream {
    decant__sequence *sequence;
    int failed; /* what was read half cannot be gone on with */
};

decant_status decant_stream_open(const char *const *paths, size_t path_count,
                                 const decant_read_options *options, decant_stream **out) {
    decant_status status = DECANT_OK;
    decant_stream *stream = NULL;
    NEW_ZEROED(stream, 1);
    TRY(decant__sequence_open(paths, path_count, options, &stream->sequence));
    *out = stream;
    stream = NULL;
done:
    decant_stream_close(stream);
    return status;
}

decant_status decant_stream_next(decant_stream *stream, size_t max_rows, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant__block block = {0};
    if (max_rows == 0)
        return decant__fail(DECANT_EINVAL, "a block of a stream needs at least one row");
    if (stream->failed)
        return decant__fail(DECANT_EINVAL, "the stream cannot go on after it has failed");
    TRY(decant__sequence_next(stream->sequence, max_rows, &block));
    if (block.n == 0)
        *out = NULL;
    else
        TRY(decant__block_finish(&block, 0, out));
done:
    if (status != DECANT_OK) stream->failed = 1;
    decant__block_free(&block);
    return status;
}

void decant_stream_close(decant_stream *stream) {
    if (stream == NULL) return;
    decant__sequence_close(stream->sequence);
    decant__free(stream);
}
