#include "read/read_own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/memory.h"
#include "read/stream.h"
#include "linalg/shards.h"

enum { SOME_ROWS = 16384 }; /* at a time */

/* Of a file, so many blocks are compared; what lies between could only differ on purpose. */
enum { SAMPLES = 64, SAMPLE_BYTES = 4096 };

/* Rows are made by each rank for itself; where some may be skipped, all have to be made. */
static void only_rows(decant__raw *raw, size_t first, size_t count) {
    if (!raw->wanted.skip_broken) raw->own = (decant__own_rows){1, first, count};
}

/* How many rows a stream still has. Files that say it are not read. */
static decant_status count_rows(decant_stream *stream, size_t *rows) {
    decant_status status = DECANT_OK;
    decant__sequence *numbers = &stream->numbers;
    decant__block some = {0};
    *rows = 0;
    if (stream->raw != NULL) only_rows(stream->raw, 0, 0);
    while (stream->raw == NULL && numbers->current < numbers->count) {
        TRY(decant__sequence_open_file(numbers));
        if (numbers->reader->rows == SIZE_MAX) break; /* nor do those after it */
        *rows += numbers->reader->rows;
        decant__sequence_skip_file(numbers);
    }
    for (;;) {
        if (stream->raw == NULL && numbers->current >= numbers->count) break;
        TRY(decant__stream_fill(stream, SOME_ROWS, &some));
        if (some.n == 0) break;
        *rows += some.n;
        decant__block_free(&some);
    }
done:
    decant__block_free(&some);
    return status;
}

/* The rows of this rank, and of all rows the labels and ids. */
typedef struct harvest {
    size_t first, rows; /* of this rank */
    size_t all;         /* read so far */
    decant__block own, tags;
    decant__classes classes; /* of all ranks, where each has read its own rows only */
} harvest;

static decant_status keep_tags(harvest *h, const decant__block *some) {
    decant_status status = DECANT_OK;
    const char *id = some->id_text;
    h->tags.classes = some->classes;
    for (size_t i = 0; i < some->label_count; i++)
        TRY(decant__block_add_label_number(&h->tags, some->labels[i]));
    for (size_t i = 0; i < some->id_count; i++, id += strlen(id) + 1)
        TRY(decant__block_add_id(&h->tags, id, strlen(id)));
done:
    return status;
}

static decant_status keep_rows(harvest *h, const decant__block *some) {
    size_t end = h->first + h->rows, until = h->all + some->n;
    size_t from = h->all > h->first ? h->all : h->first;
    if (until > end) until = end;
    h->own.sparse = some->sparse;
    h->own.d = some->d;
    if (from >= until) return DECANT_OK;
    return decant__block_add_rows(&h->own, some, from - h->all, until - from);
}

/* To the end of the stream. */
static decant_status keep_all(decant_stream *stream, harvest *h) {
    decant_status status = DECANT_OK;
    decant__block some = {0};
    for (;;) {
        TRY(decant__stream_fill(stream, SOME_ROWS, &some));
        if (some.n == 0) break;
        TRY(keep_tags(h, &some));
        TRY(keep_rows(h, &some));
        h->all += some.n;
        decant__block_free(&some);
    }
done:
    decant__block_free(&some);
    return status;
}

static decant_status read_rows(decant_stream *stream, harvest *h) {
    decant_status status = DECANT_OK;
    TRY(keep_all(stream, h));
    h->tags.n = h->all;
    if (stream->raw == NULL) TRY(decant__sequence_decide_base(&stream->numbers, &h->own));
done:
    return status;
}

static decant_status finish(harvest *h, const decant__comm *comm, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    TRY(decant__block_finish(&h->own, 1, &data));
    data->n = h->all;
    data->share = (decant__share){comm, h->first, h->rows, h->all};
    TRY(decant__block_give_ids(&h->tags, data));
    TRY(decant__block_give_labels(&h->tags, 1, data));
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

decant_status decant__own_rows_choose(const decant__comm *comm, size_t n, decant__own_rows *own) {
    decant__parts parts = decant__shards_parts(comm->rank, comm->size);
    size_t first = decant__shards_part(n, parts.first);
    *own = (decant__own_rows){1, first, decant__shards_part(n, parts.first + parts.count) - first};
    if (n < DECANT__SHARDS)
        return decant__fail(DECANT_EINVAL,
                            "%zu rows are too few for several processes: expected %d or more", n,
                            DECANT__SHARDS);
    return DECANT_OK;
}

/* ---- blocks that have the rows of this rank only ---- */

static const decant__own_rows *find_part(const decant_stream *stream, size_t *all) {
    if (stream->raw != NULL) {
        *all = stream->raw->rows;
        return stream->raw->parted ? &stream->raw->own : NULL;
    }
    *all = stream->numbers.all;
    return stream->numbers.splits != NULL ? &stream->numbers.own : NULL;
}

/* The bytes of each rank, one after the other, to all; `used` becomes the length of all. */
static decant_status gather_text(const decant__comm *comm, char **text, size_t *used) {
    decant_status status = DECANT_OK;
    double bytes[DECANT__MAX_RANKS] = {0}; /* whole numbers */
    size_t begin[DECANT__MAX_RANKS + 1] = {0};
    char *all = NULL;
    bytes[comm->rank] = (double)*used;
    decant__comm_sum_doubles(comm, bytes, (size_t)comm->size);
    for (int r = 0; r < comm->size; r++) begin[r + 1] = begin[r] + (size_t)bytes[r];
    NEW_ARRAY(all, begin[comm->size] + 1);
    if (*used > 0) memcpy(all + begin[comm->rank], *text, *used);
done:
    status = decant__comm_agree(comm, status);
    if (status != DECANT_OK) {
        decant__free(all);
        return status;
    }
    decant__comm_gather(comm, all, begin);
    decant__free(*text);
    *text = all;
    *used = begin[comm->size];
    return DECANT_OK;
}

/* The classes of all ranks, in the order in which one process would have met them, and the labels
 * of all rows by them. */
static decant_status gather_labels(const decant__comm *comm, harvest *h) {
    decant_status status = DECANT_OK;
    const decant__classes *own = h->tags.classes;
    size_t bytes = own->text_length, begin[DECANT__MAX_RANKS + 1], at;
    char *text = NULL;
    int32_t *labels = NULL;
    uint32_t number;
    NEW_ARRAY(text, bytes + 1);
    if (bytes > 0) memcpy(text, own->text, bytes);
    TRY(gather_text(comm, &text, &bytes));
    for (at = 0; at < bytes; at += strlen(text + at) + 1)
        TRY(decant__names_add(&h->classes, text + at, strlen(text + at), &number));
    NEW_ARRAY(labels, h->all);
    for (size_t i = 0; i < h->rows; i++) {
        const char *name = decant__names_at(own, (size_t)h->tags.labels[i]);
        labels[h->first + i] = (int32_t)decant__names_find(&h->classes, name, strlen(name));
    }
done:
    status = decant__comm_agree(comm, status);
    decant__free(text);
    if (status != DECANT_OK) {
        decant__free(labels);
        return status;
    }
    for (int r = 0; r <= comm->size; r++)
        begin[r] = decant__shards_part(h->all, DECANT__SHARDS * (size_t)r / (size_t)comm->size) *
                   sizeof *labels;
    decant__comm_gather(comm, labels, begin);
    decant__free(h->tags.labels);
    h->tags.labels = labels;
    h->tags.label_count = h->tags.label_capacity = h->all;
    h->tags.classes = &h->classes;
    return DECANT_OK;
}

static decant_status gather_tags(const decant__comm *comm, harvest *h) {
    decant_status status = DECANT_OK;
    double tags[2] = {(double)h->tags.id_count, (double)h->tags.label_count};
    TRY(decant__comm_agree(comm, DECANT_OK));
    decant__comm_sum_doubles(comm, tags, 2);
    if (tags[0] > 0) {
        TRY(gather_text(comm, &h->tags.id_text, &h->tags.id_length));
        h->tags.id_capacity = h->tags.id_length;
        h->tags.id_count = h->all;
    }
    if (tags[1] > 0) TRY(gather_labels(comm, h));
    h->tags.n = h->all;
done:
    return status;
}

static decant_status read_part(decant_stream *stream, const decant__own_rows *own, size_t all,
                               harvest *h) {
    decant_status status = DECANT_OK;
    *h = (harvest){.first = own->first, .rows = own->count, .all = own->first};
    TRY(keep_all(stream, h));
    if (h->all != own->first + own->count)
        TRY(decant__fail(DECANT_EIO, "the data changed while it was read: %zu rows, then %zu",
                         own->count, h->all - own->first));
    h->all = all;
    TRY(gather_tags(stream->comm, h));
    if (stream->raw == NULL) {
        decant__sequence_share_base(&stream->numbers, stream->comm);
        TRY(decant__sequence_decide_base(&stream->numbers, &h->own));
    }
done:
    return status;
}

/* ---- blocks of all rows ---- */

static decant_status check_inputs(const char *const *paths, size_t path_count,
                                  const decant_read_options *options) {
    if (options->extra_paths != NULL && options->extra_path_count > 0)
        return decant__fail(DECANT_EINVAL,
                            "rows for pretraining only cannot be spread over several processes");
    for (size_t i = 0; i < path_count; i++) {
        struct stat about;
        if (stat(paths[i], &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
            return decant__fail(DECANT_EINVAL,
                                "%s: several processes cannot all read standard input or a pipe: "
                                "name a file",
                                paths[i]);
    }
    return DECANT_OK;
}

/* The size of a file and a sample of its bytes: a copy on a disk that is not shared may be older.
 * Files that cannot be read are left to the readers, which say why. */
static uint64_t hash_file(const char *path, uint64_t before) {
    char bytes[SAMPLE_BYTES];
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t hash = before;
    if (file < 0) return hash;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        uint64_t size = (uint64_t)about.st_size;
        uint64_t last = size > SAMPLE_BYTES ? size - SAMPLE_BYTES : 0;
        hash = XXH64(&size, sizeof size, hash);
        for (uint64_t s = 0; s < SAMPLES; s++) {
            ssize_t got = pread(file, bytes, sizeof bytes, (off_t)(last / (SAMPLES - 1) * s));
            if (got > 0) hash = XXH64(bytes, (size_t)got, hash);
        }
    }
    close(file);
    return hash;
}

static decant_status compare_files(const decant__comm *comm, const char *const *paths,
                                   size_t path_count, const decant_read_options *options) {
    uint64_t hash = 0;
    struct stat about;
    for (size_t i = 0; i < path_count; i++) {
        if (stat(paths[i], &about) != 0 && decant__path_member(paths[i]) == NULL)
            return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", paths[i], strerror(errno));
        hash = hash_file(paths[i], hash);
    }
    for (size_t i = 0; options->label_paths != NULL && i < options->label_path_count; i++)
        if (options->label_paths[i] != NULL) hash = hash_file(options->label_paths[i], hash);
    return decant__comm_same(comm, &hash, sizeof hash, "the data");
}

static decant_status read_twice(const char *const *paths, size_t path_count,
                                const decant_read_options *options, const decant_monitor *monitor,
                                decant_stream *stream, harvest *h) {
    decant_status status = DECANT_OK;
    decant_stream again = {.comm = stream->comm};
    decant__own_rows own;
    size_t n;
    if (stream->raw != NULL && stream->raw->rows != SIZE_MAX) {
        n = stream->raw->rows;
    } else {
        TRY(decant__stream_open(paths, path_count, options, monitor, &again));
        again.numbers.deferred = 1;
        TRY(count_rows(&again, &n));
    }
    TRY(decant__own_rows_choose(stream->comm, n, &own));
    h->first = own.first;
    h->rows = own.count;
    if (stream->raw != NULL) only_rows(stream->raw, h->first, h->rows);
    TRY(read_rows(stream, h));
    if (h->all != n)
        TRY(decant__fail(DECANT_EIO, "%s: changed while it was read: %zu rows, then %zu", paths[0],
                         n, h->all));
done:
    decant__stream_close(&again);
    return status;
}

decant_status decant__dataset_read_own(const char *const *paths, size_t path_count,
                                       const decant_read_options *options,
                                       const decant_monitor *monitor, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_stream stream = {.comm = decant__comm_world(), .spread = 1};
    decant_dataset *data = NULL;
    harvest h = {0};
    size_t all;
    double began = decant__seconds();
    decant_read_options wanted;
    TRY(decant__read_options_copy(&wanted, options));
    TRY(check_inputs(paths, path_count, &wanted));
    TRY(compare_files(stream.comm, paths, path_count, &wanted));
    TRY(decant__stream_open(paths, path_count, &wanted, monitor, &stream));
    stream.numbers.deferred = 1;
    if (stream.raw == NULL) TRY(decant__sequence_leave(&stream.numbers, &data));
    if (stream.raw == NULL && data == NULL)
        TRY(decant__sequence_part(&stream.numbers, stream.comm));
    const decant__own_rows *own = find_part(&stream, &all);
    if (data == NULL) {
        TRY(own != NULL ? read_part(&stream, own, all, &h)
                        : read_twice(paths, path_count, &wanted, monitor, &stream, &h));
        TRY(finish(&h, stream.comm, &data));
    }
    TRY(decant__stream_finish(&stream, paths, path_count, &wanted, began, data));
done:
    status = decant__comm_agree(decant__comm_world(), status);
    if (status == DECANT_OK) {
        const size_t shape[] = {data->n, data->d};
        status = decant__comm_same(decant__comm_world(), shape, sizeof shape, "the data");
    }
    if (status == DECANT_OK) {
        *out = data;
        data = NULL;
    }
    decant_dataset_free(data);
    decant__block_free(&h.own);
    decant__block_free(&h.tags);
    decant__names_free(&h.classes);
    decant__stream_close(&stream);
    return status;
}
