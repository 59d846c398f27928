/* Images to rows, a chunk at a time: decoded, resized and turned into features by all threads, each
 * image into its own row. A thread holds one image at a time. Several ranks (base/comm.h) make a
 * part of each chunk and exchange the parts, unless each wants its own rows only. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/input.h"
#include "base/memory.h"
#include "read/raw.h"
#include "read/stl10.h"
#include "features/picture.h"
#include "base/team.h"

enum {
    CHUNK = 256,
    LARGEST_FILE = 1 << 30,
    USUAL_SIDE = 96, /* where sizes differ: STL-10's */
    SMALL_SIDE = 32, /* up to this size pixels are the features, as the paper has it for MNIST */
    SENTENCE = 512
};

/* ---- images ---- */

/* What one thread needs. */
typedef struct thread_scratch {
    uint8_t *bytes; /* of a file */
    size_t capacity, count;
    decant__image image;
    decant__picture_scratch picture;
} thread_scratch;

typedef struct images {
    decant__stl10 *stl; /* one for each item of the listing; NULL: PNG and JPEG files */
    size_t total, next; /* images */
    int threads;
    thread_scratch *scratches;
    decant__picture picture;
    size_t width, height; /* of all images; 0: they differ */
    size_t channels;
    char *problem[CHUNK]; /* why an image of the chunk could not be read */
    decant_status status[CHUNK];
} images;

static void images_close(decant__raw *raw) {
    images *self = raw->work;
    if (self == NULL) return;
    for (int t = 0; self->scratches != NULL && t < self->threads; t++) {
        decant__free(self->scratches[t].bytes);
        decant__image_free(&self->scratches[t].image);
        decant__picture_scratch_free(&self->scratches[t].picture);
    }
    for (size_t i = 0; self->stl != NULL && i < raw->listing.count; i++)
        if (self->stl[i].path != NULL) decant__stl10_close(&self->stl[i]);
    for (size_t i = 0; i < CHUNK; i++) decant__free(self->problem[i]);
    decant__free(self->stl);
    decant__free(self->scratches);
    decant__picture_free(&self->picture);
    decant__free(self);
    raw->work = NULL;
}

/* ---- one image, on one thread ---- */

static decant_status reserve(thread_scratch *at, uint64_t size) {
    if (size > LARGEST_FILE)
        return decant__fail(DECANT_EFORMAT, "is larger than any image that is read");
    if (size + 1 <= at->capacity) return DECANT_OK;
    uint8_t *grown = decant__alloc_array((size_t)size + 1, 1);
    if (grown == NULL) return DECANT_ENOMEM;
    decant__free(at->bytes);
    at->bytes = grown;
    at->capacity = (size_t)size + 1;
    return DECANT_OK;
}

static decant_status read_member(thread_scratch *at, const decant__item *item) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    TRY(reserve(at, item->member->unpacked));
    TRY(decant__item_open(item, NULL, &input));
    TRY(decant__input_read(&input, at->bytes, (size_t)item->member->unpacked + 1, &at->count));
done:
    decant__input_close(&input);
    return status;
}

static decant_status read_file(thread_scratch *at, const decant__item *item) {
    decant_status status = DECANT_OK;
    struct stat info;
    if (item->zip != NULL) return read_member(at, item);
    FILE *file = fopen(item->path, "rb");
    if (file == NULL || fstat(fileno(file), &info) != 0)
        TRY(decant__fail(DECANT_EIO, "cannot be opened: %s", strerror(errno)));
    size_t size = (size_t)info.st_size;
    TRY(reserve(at, size));
    at->count = fread(at->bytes, 1, size, file);
    if (at->count != size) TRY(decant__fail(DECANT_EIO, "cannot be read to its end"));
done:
    if (file != NULL) fclose(file);
    return status;
}

/* What decodes the bytes of a file. */
static decant_status find_codec(const thread_scratch *at, const decant__codec **codec) {
    const decant__file_format *format =
        decant__format_find("", (const char *)at->bytes, at->count, 0);
    *codec = format->codec;
    if (format->codec != NULL) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "expected a PNG or JPEG image, found %s",
                        at->count == 0                       ? "an empty file"
                        : format->kind == DECANT__KIND_OTHER ? format->info.name
                                                             : "text");
}

/* Where image number i of an STL-10 file is. */
static const decant__stl10 *find_stl(const images *self, size_t *i) {
    const decant__stl10 *file = self->stl;
    while (*i >= file->count) *i -= (file++)->count;
    return file;
}

static decant_status fetch(const decant__raw *raw, const images *self, size_t i,
                           thread_scratch *at) {
    decant_status status = DECANT_OK;
    const decant__codec *codec;
    if (self->stl != NULL) {
        const decant__stl10 *file = find_stl(self, &i);
        return decant__stl10_read(file, i, at->bytes, &at->image);
    }
    TRY(read_file(at, &raw->listing.items[i]));
    TRY(find_codec(at, &codec));
    TRY(codec->decode(at->bytes, at->count, raw->features->channels, &at->image));
done:
    return status;
}

/* ---- a chunk, on all threads ---- */

typedef decant_status (*image_fn)(const decant__raw *raw, images *self, size_t i,
                                  thread_scratch *at, void *out);

/* What is to be done with the images from .. until-1 of the chunk that begins with `first`. */
typedef struct image_loop {
    const decant__raw *raw;
    images *self;
    size_t first, from, until;
    image_fn work;
    void *out; /* an array of items of this size, one for each image */
    size_t size;
    decant_status stopped; /* what the monitor said; of the calling thread */
    atomic_int stop;
} image_loop;

/* The calling thread asks the monitor, between images. */
static void work_on_images(void *context) {
    image_loop *loop = context;
    images *self = loop->self;
    TEAM_FOR_DYNAMIC (step, loop->until - loop->from, 4) {
        size_t i = loop->from + step, member = decant__team_member();
        thread_scratch *at = &self->scratches[member];
        if (member == 0 && loop->stopped == DECANT_OK) {
            loop->stopped = decant__meter_add(loop->raw->meter, 0);
            if (loop->stopped != DECANT_OK) loop->stop = 1;
        }
        if (loop->stop) continue;
        self->status[i] =
            loop->work(loop->raw, self, loop->first + i, at, (char *)loop->out + i * loop->size);
        if (self->status[i] == DECANT_OK) continue;
        self->problem[i] = decant__copy_text(decant_last_error());
        if (self->problem[i] == NULL) self->status[i] = DECANT_ENOMEM;
    }
}

/* A rank tells the others why its images could not be read. */
static decant_status exchange_problems(const decant__raw *raw, images *self, const size_t *begin) {
    const decant__comm *comm = raw->comm;
    for (int r = 0; r < comm->size; r++)
        for (size_t i = begin[r]; i < begin[r + 1]; i++) {
            char sentence[SENTENCE] = "";
            if (self->status[i] == DECANT_OK) continue;
            if (self->problem[i] != NULL) /* of this rank */
                snprintf(sentence, sizeof sentence, "%s", self->problem[i]);
            decant__comm_broadcast(comm, r, sentence, sizeof sentence);
            if (r != comm->rank) self->problem[i] = decant__copy_text(sentence);
        }
    return DECANT_OK;
}

/* What each rank made of a chunk, to all. begin: where the part of each begins. */
static decant_status exchange_parts(const decant__raw *raw, images *self, const size_t *begin,
                                    void *out, size_t size) {
    const decant__comm *comm = raw->comm;
    size_t bytes[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= comm->size; r++) bytes[r] = begin[r] * size;
    decant__comm_gather(comm, out, bytes);
    for (int r = 0; r <= comm->size; r++) bytes[r] = begin[r] * sizeof *self->status;
    decant__comm_gather(comm, self->status, bytes);
    return exchange_problems(raw, self, begin);
}

static size_t clamp(size_t row, size_t first, size_t count) {
    return row < first ? 0 : row > first + count ? count : row - first;
}

/* Does something with the images first .. first+count-1 and keeps what went wrong. out: an array of
 * items of this size, one for each image. Fails only when the monitor asks to stop, or when
 * another rank failed. */
static decant_status for_each(const decant__raw *raw, images *self, size_t first, size_t count,
                              image_fn work, void *out, size_t size) {
    decant_status status = DECANT_OK;
    const decant__comm *comm = raw->comm;
    const decant__own_rows *own = &raw->own;
    size_t begin[DECANT__MAX_RANKS + 1] = {0};
    for (int r = 0; r <= comm->size; r++) begin[r] = count * (size_t)r / (size_t)comm->size;
    image_loop loop = {.raw = raw,
                       .self = self,
                       .first = first,
                       .from = begin[comm->rank],
                       .until = begin[comm->rank + 1],
                       .work = work,
                       .out = out,
                       .size = size};
    if (own->only) {
        loop.from = clamp(own->first, first, count);
        loop.until = clamp(own->first + own->count, first, count);
    }
    for (size_t i = 0; i < count; i++) {
        decant__free(self->problem[i]);
        self->problem[i] = NULL;
        self->status[i] = DECANT_OK;
    }
    decant__team_run(self->threads, work_on_images, &loop);
    status = loop.stopped;
    if (!own->only && comm->size > 1) {
        TRY(decant__comm_agree(comm, status));
        TRY(exchange_parts(raw, self, begin, out, size));
    }
    TRY(status);
    TRY(decant__meter_add(raw->meter, count));
done:
    return status;
}

/* Stores the sentence of a worker as that of this thread, with the file's name. */
static decant_status restore_error(const decant__raw *raw, const images *self, size_t first,
                                   size_t i) {
    decant_status status = self->status[i];
    if (self->problem[i] == NULL) return decant__fail(status, "out of memory for an image");
    if (self->stl != NULL || status == DECANT_ENOMEM)
        return decant__fail(status, "%s", self->problem[i]);
    return decant__fail(status, "%s: %s", raw->listing.items[first + i].path, self->problem[i]);
}

static int can_be_skipped(const decant__raw *raw, decant_status status) {
    return raw->wanted.skip_broken && (status == DECANT_EFORMAT || status == DECANT_EIO);
}

/* ---- before the features are known: sizes and colours ---- */

typedef struct head {
    size_t width, height, channels;
} head;

static decant_status look(const decant__raw *raw, images *self, size_t i, thread_scratch *at,
                          void *out) {
    head *found = out;
    (void)self;
    decant_status status = read_file(at, &raw->listing.items[i]);
    if (status != DECANT_OK) return status;
    const decant__codec *codec;
    status = find_codec(at, &codec);
    if (status != DECANT_OK) return status;
    return codec->size(at->bytes, at->count, &found->width, &found->height, &found->channels);
}

/* All sizes the same? Any colour? */
static decant_status look_at_heads(const decant__raw *raw, images *self) {
    size_t seen = 0;
    for (size_t first = 0; first < self->total; first += CHUNK) {
        head heads[CHUNK];
        size_t count = self->total - first < CHUNK ? self->total - first : CHUNK;
        decant_status status = for_each(raw, self, first, count, look, heads, sizeof *heads);
        if (status != DECANT_OK) return status;
        for (size_t i = 0; i < count; i++) {
            if (self->status[i] != DECANT_OK) {
                if (can_be_skipped(raw, self->status[i])) continue;
                return decant__listing_offer_skipping(&raw->listing,
                                                      restore_error(raw, self, first, i));
            }
            if (seen++ == 0) {
                self->width = heads[i].width;
                self->height = heads[i].height;
            }
            if (heads[i].width != self->width || heads[i].height != self->height)
                self->width = self->height = 0;
            if (heads[i].channels > self->channels) self->channels = heads[i].channels;
        }
    }
    if (seen == 0)
        return decant__fail(DECANT_EFORMAT, "%s: none of the %zu images can be read",
                            raw->listing.items[0].path, self->total);
    return DECANT_OK;
}

static void describe(decant_features *features, const images *self) {
    char kind[32];
    decant_options options = {.struct_size = sizeof options, .features = features->kind};
    decant_options_get(&options, "features", kind, sizeof kind);
    snprintf(
        features->about, sizeof features->about, "%s%simages %s %zux%zu, as %s",
        self->stl != NULL ? "STL-10's " : "", features->channels == 3 ? "colour " : "grey ",
        self->width == features->width && self->height == features->height ? "of" : "resized to",
        features->width, features->height, kind);
}

static decant_status find_features(decant__raw *raw, images *self) {
    decant_status status = DECANT_OK;
    const decant_options *options = &raw->options;
    decant_features *features;
    NEW_ZEROED(raw->owned, 1);
    features = raw->owned;
    if (self->stl != NULL) {
        self->width = self->height = DECANT__STL10_SIDE;
        self->channels = 3;
    } else {
        TRY(look_at_heads(raw, self));
    }
    features->width = options->resize_width > 0 ? options->resize_width
                      : self->width > 0         ? self->width
                                                : USUAL_SIDE;
    features->height = options->resize_height > 0 ? options->resize_height
                       : self->height > 0         ? self->height
                                                  : USUAL_SIDE;
    features->channels = self->channels;
    features->kind = options->features;
    int small = features->width <= SMALL_SIDE && features->height <= SMALL_SIDE;
    if (features->kind == DECANT_FEATURES_AUTO)
        features->kind = small                     ? DECANT_FEATURES_PIXELS
                         : features->channels == 3 ? DECANT_FEATURES_HOG_COLORMAP
                                                   : DECANT_FEATURES_HOG;
    if (features->kind == DECANT_FEATURES_TFIDF)
        TRY(decant__fail(DECANT_EINVAL, "%s: is an image, and tfidf is for text",
                         raw->listing.items[0].path));
    TRY(decant__picture_new(&self->picture, features));
    describe(features, self);
    raw->features = features;
done:
    return status;
}

/* ---- rows ---- */

static decant_status make_row(const decant__raw *raw, images *self, size_t i, thread_scratch *at,
                              void *out) {
    decant_status status = fetch(raw, self, i, at);
    if (status != DECANT_OK) return status;
    return decant__picture_row(&self->picture, &at->image, &at->picture, out);
}

static decant_status name_row(const decant__raw *raw, const images *self, size_t i,
                              decant__block *block) {
    decant_status status = DECANT_OK;
    char text[64];
    if (self->stl != NULL) {
        size_t index = i;
        const decant__stl10 *file = find_stl(self, &index);
        const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
        int length = snprintf(text, sizeof text, "%.40s:%zu", name, index);
        TRY(decant__block_add_id(block, text, (size_t)length));
        length = file->labels != NULL ? snprintf(text, sizeof text, "%u", file->labels[index]) : 0;
        return decant__raw_add_label(raw, block, i, length > 0 ? text : NULL, (size_t)length);
    }
    const decant__item *item = &raw->listing.items[i];
    const char *name = decant__item_name(item);
    TRY(decant__block_add_id(block, name, strlen(name)));
    TRY(decant__raw_add_label(raw, block, i, raw->wanted.folder_labels ? name : NULL,
                              decant__item_folder(item)));
done:
    return status;
}

static decant_status take_row(decant__raw *raw, images *self, size_t first, size_t i,
                              const float *row, decant__block *block) {
    decant_status status = DECANT_OK;
    if (self->status[i] != DECANT_OK) {
        status = restore_error(raw, self, first, i);
        if (!can_be_skipped(raw, status))
            return decant__listing_offer_skipping(&raw->listing, status);
        raw->notes.skipped++;
        decant__notes_add(&raw->notes, "skipped: %s", decant_last_error());
        return DECANT_OK;
    }
    float *place = block->dense + block->n * block->d;
    if (place != row) memmove(place, row, block->d * sizeof *row);
    TRY(name_row(raw, self, first + i, block));
    block->n++;
done:
    return status;
}

static decant_status images_next(decant__raw *raw, size_t max_rows, decant__block *block) {
    decant_status status = DECANT_OK;
    images *self = raw->work;
    size_t left = self->total - self->next, max = left < max_rows ? left : max_rows;
    TRY(decant__block_reserve(block, max * block->d, 1));
    while (self->next < self->total && block->n < max_rows) {
        size_t count = self->total - self->next, first = self->next;
        float *rows;
        if (count > CHUNK) count = CHUNK;
        if (count > max_rows - block->n) count = max_rows - block->n;
        TRY(decant__block_extend(block, 0, count * block->d, &rows));
        TRY(for_each(raw, self, first, count, make_row, rows, block->d * sizeof *rows));
        for (size_t i = 0; i < count; i++)
            TRY(take_row(raw, self, first, i, rows + i * block->d, block));
        self->next += count;
    }
    if (self->next == self->total && raw->labels != NULL && raw->label_count != self->total)
        TRY(decant__fail(DECANT_EFORMAT, "there are %zu labels, but %zu images", raw->label_count,
                         self->total));
done:
    return status;
}

/* ---- for reports ---- */

/* Which image each wanted row is: broken ones were skipped, so ids tell. */
static void find_images(const decant__raw *raw, const images *self, char *const *ids,
                        const uint32_t *row, size_t count, size_t *image) {
    size_t at = 0, shown = 0;
    for (size_t i = 0; i < self->total && shown < count; i++) {
        if (self->stl == NULL && ids != NULL &&
            strcmp(ids[at], decant__item_name(&raw->listing.items[i])) != 0)
            continue;
        if (row[shown] == at) image[shown++] = i;
        at++;
    }
    for (; shown < count; shown++) image[shown] = SIZE_MAX; /* files are gone */
}

typedef struct image_tiles {
    const decant__raw *raw;
    const images *self;
    const size_t *image; /* count: its number; SIZE_MAX: none */
    size_t count, width, height;
    uint8_t *tile;
} image_tiles;

static void show_images(void *context) {
    const image_tiles *t = context;
    size_t size = t->width * t->height * t->raw->features->channels;
    TEAM_FOR_DYNAMIC (i, t->count, 4) {
        thread_scratch *at = &t->self->scratches[decant__team_member()];
        decant__picture_scratch *picture = &at->picture;
        if (t->image[i] == SIZE_MAX || fetch(t->raw, t->self, t->image[i], at) != DECANT_OK)
            continue;
        if (decant__image_resize(&at->image, t->width, t->height, &picture->resizer,
                                 &picture->resized) == DECANT_OK)
            memcpy(t->tile + i * size, picture->resized.pixels, size);
    }
}

decant_status decant__images_show(decant__raw *raw, char *const *ids, const uint32_t *row,
                                  size_t count, size_t width, size_t height, uint8_t *tile) {
    decant_status status = DECANT_OK;
    images *self = raw->work;
    size_t size = width * height * raw->features->channels, *image = NULL;
    NEW_ARRAY(image, count);
    find_images(raw, self, ids, row, count, image);
    memset(tile, 0, count * size);
    image_tiles tiles = {raw, self, image, count, width, height, tile};
    decant__team_run(self->threads, show_images, &tiles);
done:
    decant__free(image);
    return status;
}

/* ---- opening ---- */

/* Train before test, as in the paper; unlabelled images only if their file is named. */
static void arrange_stl(decant__listing *listing) {
    size_t kept = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = kept; i < listing->count; i++) {
            const decant__item item = listing->items[i];
            const char *name = decant__item_name(&item);
            if (pass == 0 ? strcmp(name, "train_X.bin") != 0 : 0) continue;
            memmove(listing->items + kept + 1, listing->items + kept,
                    (i - kept) * sizeof *listing->items);
            listing->items[kept++] = item;
        }
    for (size_t i = 0; i < listing->count; i++) {
        decant__item *item = &listing->items[i];
        if (item->name == 0 || strcmp(decant__item_name(item), "unlabeled_X.bin") != 0) continue;
        if (listing->count > 1) item->kind = DECANT__KIND_OTHER;
    }
    decant__listing_keep(listing, DECANT__KIND_STL10);
}

static decant_status open_stl(decant__raw *raw, images *self) {
    decant_status status = DECANT_OK;
    size_t labelled = 0;
    arrange_stl(&raw->listing);
    NEW_ZEROED(self->stl, raw->listing.count);
    for (size_t i = 0; i < raw->listing.count; i++) {
        TRY(decant__stl10_open(&self->stl[i], raw->listing.items[i].path));
        self->total += self->stl[i].count;
        labelled += self->stl[i].labels != NULL;
    }
    for (size_t i = 0; labelled < raw->listing.count && i < raw->listing.count; i++) {
        decant__free(self->stl[i].labels);
        self->stl[i].labels = NULL;
    }
done:
    return status;
}

static decant_status allocate_scratches(decant__raw *raw, images *self) {
    decant_status status = DECANT_OK;
    self->threads = decant__team_size(raw->options.threads);
    NEW_ZEROED(self->scratches, (size_t)self->threads);
    for (int t = 0; self->stl != NULL && t < self->threads; t++)
        NEW_ARRAY(self->scratches[t].bytes, DECANT__STL10_BYTES);
done:
    return status;
}

/* Ranks that see other files would wait for parts of other sizes. */
static decant_status compare_lists(const decant__raw *raw, const images *self) {
    uint64_t hash = self->total;
    for (size_t i = 0; i < raw->listing.count; i++) {
        const char *name = decant__item_name(&raw->listing.items[i]);
        hash = XXH64(name, strlen(name), hash);
    }
    return decant__comm_same(raw->comm, &hash, sizeof hash, "the list of images");
}

decant_status decant__images_open(decant__raw *raw, int is_stl10) {
    decant_status status = DECANT_OK;
    images *self;
    NEW_ZEROED(self, 1);
    raw->work = self;
    if (raw->meter != NULL) raw->meter->done = 0; /* from here on images count, not bytes */
    raw->next = images_next;
    raw->close = images_close;
    if (is_stl10) {
        TRY(open_stl(raw, self));
    } else {
        size_t others = raw->listing.count - raw->listing.kinds[DECANT__KIND_IMAGES];
        decant__listing_keep(&raw->listing, DECANT__KIND_IMAGES);
        self->total = raw->listing.count;
        if (others > 0)
            decant__notes_add(&raw->notes, "%zu files that are no PNG or JPEG were left out",
                              others);
    }
    if (!raw->wanted.skip_broken) raw->rows = self->total;
    TRY(compare_lists(raw, self));
    TRY(allocate_scratches(raw, self));
    if (raw->meter != NULL)
        raw->meter->total += self->total * (raw->features == NULL && !is_stl10 ? 2 : 1);
    if (raw->features == NULL)
        TRY(find_features(raw, self));
    else if (raw->features->idf != NULL)
        TRY(decant__fail(DECANT_EINVAL, "%s: is an image, but the model was fitted on text",
                         raw->listing.items[0].path));
    else {
        TRY(decant__features_copy(raw->features, &raw->owned));
        TRY(decant__picture_new(&self->picture, raw->owned));
        raw->features = raw->owned;
    }
    for (int t = 0; t < self->threads; t++)
        TRY(decant__picture_scratch_new(&self->picture, &self->scratches[t].picture));
done:
    return status;
}
