#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    FIRST_CAPACITY = 1 << 18,
    LONGEST_LINE = 1 << 30, /* a file with a longer line is not text */
    LARGEST_READ = 1 << 20, /* max bytes between two updates of the meter */
    PACKED = 1 << 17,       /* buffer of compressed bytes */
    GZIP_RATIO = 1040,      /* above the max compression ratio of deflate, 1032 */
    WAIT_MILLISECONDS = 100 /* for a pipe: time between two updates of the meter */
};

/* The state of reading a compressed file, which can have several members. */
typedef struct decant__packed {
    decant__unpacker *unpacker;
    const unsigned char *next; /* compressed bytes that were read but not yet used */
    size_t count;
    int inside; /* inside of a member: the file must not end here */
    unsigned char bytes[PACKED];
} decant__packed;

/* A part of a file. */
typedef struct decant__part {
    decant__byte_range range;
    uint64_t taken; /* bytes of the file so far */
    uint64_t given; /* unpacked bytes so far */
    uint32_t crc;   /* of these */
} decant__part;

typedef struct decant__translation {
    const decant__translator *translator;
    void *state;
    decant__input from;
    decant__text piece;
    size_t used; /* bytes of the piece */
} decant__translation;

/* ---- bytes as the file has them ---- */

/* A pipe may be silent for a long time: updates the meter while waiting, so that reading can be
 * cancelled. */
static decant_status wait_for_bytes(const decant__input *input) {
    struct pollfd wait = {.fd = input->descriptor, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, WAIT_MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) break; /* read returns the error */
        decant_status status = decant__meter_add(input->meter, 0);
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

/* Reads 1 to count bytes; *got = 0 at the end of the file. */
static decant_status read_some(const decant__input *input, void *bytes, size_t count, size_t *got) {
    decant_status status = DECANT_OK;
    ssize_t received;
    if (count > LARGEST_READ) count = LARGEST_READ;
    if (input->part != NULL && count > input->part->range.size - input->part->taken)
        count = (size_t)(input->part->range.size - input->part->taken);
    do {
        if (!input->regular) TRY(wait_for_bytes(input));
        received = input->part == NULL
                       ? read(input->descriptor, bytes, count)
                       : pread(input->descriptor, bytes, count,
                               (off_t)(input->part->range.offset + input->part->taken));
        TRY(decant__meter_add(input->meter, received > 0 ? (uint64_t)received : 0));
    } while (received < 0 && errno == EINTR);
    if (received < 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be read: %s", input->path, strerror(errno)));
    *got = (size_t)received;
    if (input->part != NULL) input->part->taken += *got;
done:
    return status;
}

/* ---- decompression ---- */

static void free_packed(decant__input *input) {
    if (input->packed != NULL) decant__unpacker_free(input->packed->unpacker);
    decant__free(input->packed);
    input->packed = NULL;
}

/* The bytes in the buffer are compressed data: moves them to a new decompressor. */
static decant_status start_unpacking(decant__input *input, decant__packing packing) {
    decant_status status = DECANT_OK;
    decant__packed *packed = NULL;
    NEW_ZEROED(packed, 1);
    TRY(decant__unpacker_new(packing, input->path, &packed->unpacker));
    memcpy(packed->bytes, input->buffer, input->end);
    packed->next = packed->bytes;
    packed->count = input->end;
    packed->inside = 1;
    input->end = 0;
    input->packed = packed;
    packed = NULL;
done:
    decant__free(packed);
    return status;
}

/* Reads more compressed bytes behind the unused ones, which move to the front. *more = 0: end of
 * the file. */
static decant_status refill_packed(const decant__input *input, int *more) {
    decant__packed *packed = input->packed;
    size_t got;
    memmove(packed->bytes, packed->next, packed->count);
    packed->next = packed->bytes;
    decant_status status =
        read_some(input, packed->bytes + packed->count, PACKED - packed->count, &got);
    if (status != DECANT_OK) return status;
    packed->count += got;
    *more = got > 0;
    return DECANT_OK;
}

/* After a member: another one may follow. Anything else is ignored as padding. */
static decant_status next_member(const decant__input *input) {
    decant_status status = DECANT_OK;
    decant__packed *packed = input->packed;
    packed->inside = 0;
    if (input->part != NULL) goto done;
    for (int more = 1; packed->count < DECANT__PACKING_LOOK && more;)
        TRY(refill_packed(input, &more));
    if (decant__packing_find(packed->next, packed->count) !=
        decant__unpacker_packing(packed->unpacker))
        goto done;
    TRY(decant__unpacker_restart(packed->unpacker));
    packed->inside = 1;
done:
    return status;
}

/* Decompresses at most count bytes; *got = 0 at the end. */
static decant_status unpack_some(decant__input *input, void *bytes, size_t count, size_t *got) {
    decant_status status = DECANT_OK;
    decant__packed *packed = input->packed;
    if (count > LARGEST_READ) count = LARGEST_READ;
    decant__unpack_flow flow = {.out = bytes, .out_count = count};
    while (packed->inside && flow.out_count == count) {
        int more = 1;
        flow.in = packed->next;
        flow.in_count = packed->count;
        flow.ended = 0;
        TRY(decant__unpack(packed->unpacker, &flow));
        int stuck = flow.in_count == packed->count && flow.out_count == count && !flow.ended;
        packed->next = flow.in;
        packed->count = flow.in_count;
        if (flow.ended)
            TRY(next_member(input));
        else if (stuck)
            TRY(refill_packed(input, &more));
        if (!more) TRY(decant__unpack_cut(packed->unpacker));
    }
    *got = count - flow.out_count;
done:
    return status;
}

/* ---- parts of a file ---- */

/* Counts the bytes of a part and compares what it said about itself at its end. */
static decant_status check_part(const decant__input *input, const char *bytes, size_t count) {
    decant__part *part = input->part;
    part->crc = (uint32_t)crc32(part->crc, (const unsigned char *)bytes, (unsigned)count);
    part->given += count;
    if (part->given > part->range.unpacked || (count == 0 && part->given < part->range.unpacked))
        return decant__fail(DECANT_EFORMAT, "%s: expected %llu bytes, found %s", input->path,
                            (unsigned long long)part->range.unpacked,
                            count == 0 ? "fewer" : "more");
    if (count == 0 && part->crc != part->range.crc)
        return decant__fail(DECANT_EFORMAT, "%s: the zip data is damaged (wrong checksum)",
                            input->path);
    return DECANT_OK;
}

uint64_t decant__input_origin(const decant__input *input) {
    return input->part != NULL ? input->part->range.offset : 0;
}

/* ---- translation ---- */

static decant_status translate_some(decant__input *input, char *bytes, size_t count, size_t *got) {
    decant__translation *self = input->translation;
    if (self->used == self->piece.length) {
        self->used = self->piece.length = 0;
        decant_status status = self->translator->next(self->state, &self->from, &self->piece);
        if (status != DECANT_OK) return status;
        if (self->piece.failed) return DECANT_ENOMEM;
    }
    size_t left = self->piece.length - self->used;
    *got = left < count ? left : count;
    if (*got > 0) memcpy(bytes, self->piece.bytes + self->used, *got);
    self->used += *got;
    return DECANT_OK;
}

static void free_translation(decant__input *input) {
    decant__translation *self = input->translation;
    if (self == NULL) return;
    self->translator->free(self->state);
    decant__input_close(&self->from);
    decant__text_free(&self->piece);
    decant__free(self);
    input->translation = NULL;
}

/* What an input starts with, when it gives what a translator makes. */
static void start_translated(decant__input *input) {
    input->begin = input->end = 0;
    input->before = 0;
    input->ended = input->unfinished = 0;
    input->line = input->translation->translator->heading ? SIZE_MAX : 0;
}

decant_status decant__input_translate(decant__input *input, const decant__translator *translator,
                                      void *state) {
    decant_status status = DECANT_OK;
    decant__translation *self = NULL;
    decant__input outer = {.descriptor = -1,
                           .regular = input->regular,
                           .meter = input->meter,
                           .capacity = FIRST_CAPACITY,
                           .max_bytes = UINT64_MAX};
    NEW_ZEROED(self, 1);
    outer.path = decant__copy_text(input->path);
    if (outer.path == NULL) TRY(DECANT_ENOMEM);
    NEW_ARRAY(outer.buffer, outer.capacity);
    *self = (decant__translation){.translator = translator, .state = state, .from = *input};
    outer.translation = self;
    if (input->member != NULL) outer.member = outer.path + (input->member - input->path);
    start_translated(&outer);
    *input = outer;
    return DECANT_OK;
done:
    translator->free(state);
    decant__free(self);
    decant__free(outer.path);
    return status;
}

/* ---- opening ---- */

/* The max number of (decompressed) bytes of the file. */
static void set_max_bytes(decant__input *input, const struct stat *info) {
    input->max_bytes = UINT64_MAX;
    if (!input->regular) return;
    uint64_t size = (uint64_t)info->st_size;
    input->exact = input->packed == NULL;
    if (input->exact)
        input->max_bytes = size;
    else if (decant__unpacker_packing(input->packed->unpacker) == DECANT__GZIP &&
             size < UINT64_MAX / GZIP_RATIO)
        input->max_bytes = size * GZIP_RATIO; /* the others have no ratio worth naming */
}

/* Recognises compressed data by its first bytes. */
static decant_status look_for_packing(decant__input *input) {
    decant_status status = DECANT_OK;
    while (input->end < DECANT__PACKING_LOOK && !input->ended) {
        size_t got;
        TRY(read_some(input, input->buffer + input->end, PACKED - input->end, &got));
        input->end += got;
        input->ended = got == 0;
    }
    decant__packing packing =
        decant__packing_find((const unsigned char *)input->buffer, input->end);
    if (packing == DECANT__PLAIN) goto done;
    input->ended = 0;
    TRY(start_unpacking(input, packing));
done:
    return status;
}

const char *decant__path_member(const char *path) {
    struct stat info;
    char file[PATH_MAX];
    const char *colon = strchr(path, ':');
    if (colon == NULL || stat(path, &info) == 0) return NULL;
    for (; colon != NULL; colon = strchr(colon + 1, ':')) {
        size_t length = (size_t)(colon - path);
        if (length >= sizeof file) return NULL;
        memcpy(file, path, length);
        file[length] = '\0';
        if (stat(file, &info) == 0 && !S_ISDIR(info.st_mode)) return colon + 1;
    }
    return NULL;
}

static int open_file(const char *path, const char *member) {
    char file[PATH_MAX];
    if (member == NULL) return open(path, O_RDONLY | O_CLOEXEC);
    size_t length = (size_t)(member - path) - 1; /* decant__path_member: it fits */
    memcpy(file, path, length);
    file[length] = '\0';
    return open(file, O_RDONLY | O_CLOEXEC);
}

decant_status decant__input_open(decant__input *input, const char *path, decant__meter *meter) {
    decant_status status = DECANT_OK;
    struct stat info;
    const char *member = decant__path_member(path);
    *input = (decant__input){.descriptor = -1, .meter = meter, .capacity = FIRST_CAPACITY};
    input->path = decant__copy_text(path);
    if (input->path == NULL) TRY(DECANT_ENOMEM);
    NEW_ARRAY(input->buffer, input->capacity);
    if (member != NULL) input->member = input->path + (member - path);
    input->descriptor = open_file(path, member);
    if (input->descriptor < 0 || fstat(input->descriptor, &info) != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    if (S_ISDIR(info.st_mode))
        TRY(decant__fail(DECANT_EIO, "%s: is a folder where a file was expected", path));
    input->regular = S_ISREG(info.st_mode);
    TRY(look_for_packing(input));
    set_max_bytes(input, &info);
done:
    if (status != DECANT_OK) decant__input_close(input);
    return status;
}

decant_status decant__input_open_range(decant__input *input, const char *path, int descriptor,
                                       const decant__byte_range *range, decant__meter *meter) {
    decant_status status = DECANT_OK;
    *input = (decant__input){.descriptor = -1, .meter = meter, .capacity = FIRST_CAPACITY};
    input->path = decant__copy_text(path);
    if (input->path == NULL) TRY(DECANT_ENOMEM);
    NEW_ARRAY(input->buffer, input->capacity);
    NEW_ZEROED(input->part, 1);
    input->part->range = *range;
    input->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (input->descriptor < 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    input->regular = 1;
    input->exact = range->packing == DECANT__PLAIN;
    input->max_bytes = range->unpacked;
    if (range->packing != DECANT__PLAIN) TRY(start_unpacking(input, range->packing));
done:
    if (status != DECANT_OK) decant__input_close(input);
    return status;
}

/* ---- reading ---- */

static decant_status fetch_some(decant__input *input, char *bytes, size_t count, size_t *got) {
    if (input->translation != NULL) return translate_some(input, bytes, count, got);
    return input->packed != NULL ? unpack_some(input, bytes, count, got)
                                 : read_some(input, bytes, count, got);
}

/* Reads past the buffer; *got < count only at the end of the file. */
static decant_status read_file(decant__input *input, char *bytes, size_t count, size_t *got) {
    for (*got = 0; *got < count && !input->ended;) {
        size_t more;
        decant_status status = fetch_some(input, bytes + *got, count - *got, &more);
        if (status == DECANT_OK && input->part != NULL)
            status = check_part(input, bytes + *got, more);
        if (status != DECANT_OK) return status;
        input->ended = more == 0;
        *got += more;
    }
    return DECANT_OK;
}

/* Reads more bytes into the buffer, which keeps one byte free for the 0 after the last line. */
static decant_status fill_buffer(decant__input *input) {
    if (input->begin > 0) {
        memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->before += input->begin;
        input->begin = 0;
    }
    if (input->end + 1 >= input->capacity) {
        if (input->capacity >= LONGEST_LINE)
            return decant__fail(DECANT_EFORMAT, "%s: line %zu is longer than 1 GiB", input->path,
                                input->line + 1);
        char *grown = decant__realloc_array(input->buffer, input->capacity * 2, 1);
        if (grown == NULL) return DECANT_ENOMEM;
        input->buffer = grown;
        input->capacity *= 2;
    }
    size_t got;
    decant_status status =
        read_file(input, input->buffer + input->end, input->capacity - 1 - input->end, &got);
    if (status == DECANT_OK) input->end += got;
    return status;
}

decant_status decant__input_peek(decant__input *input, size_t want, const char **bytes,
                                 size_t *count) {
    while (input->end - input->begin < want && !input->ended) {
        decant_status status = fill_buffer(input);
        if (status != DECANT_OK) return status;
    }
    size_t there = input->end - input->begin;
    *bytes = input->buffer + input->begin;
    *count = there < want ? there : want;
    return DECANT_OK;
}

void decant__input_skip(decant__input *input, size_t count) { input->begin += count; }

decant_status decant__input_read(decant__input *input, void *bytes, size_t count, size_t *got) {
    size_t there = input->end - input->begin;
    size_t first = there < count ? there : count, rest;
    memcpy(bytes, input->buffer + input->begin, first);
    input->begin += first;
    decant_status status = read_file(input, (char *)bytes + first, count - first, &rest);
    if (status != DECANT_OK) return status;
    input->before += rest;
    *got = first + rest;
    return status;
}

decant_status decant__input_read_line(decant__input *input, char **line, size_t *length) {
    size_t searched = 0, taken;
    for (;;) {
        const char *from = input->buffer + input->begin + searched;
        const char *newline = memchr(from, '\n', input->end - input->begin - searched);
        searched = input->end - input->begin;
        if (newline != NULL) {
            *length = (size_t)(newline - (input->buffer + input->begin));
            taken = *length + 1;
            break;
        }
        if (input->ended) {
            *length = taken = searched;
            break;
        }
        decant_status status = fill_buffer(input);
        if (status != DECANT_OK) return status;
    }
    *line = taken > 0 ? input->buffer + input->begin : NULL;
    if (*line == NULL) return DECANT_OK;
    input->begin += taken;
    input->line++;
    input->unfinished = taken == *length;
    if (*length > 0 && (*line)[*length - 1] == '\r') --*length;
    (*line)[*length] = '\0';
    return DECANT_OK;
}

/* Once more from the first byte of the part. */
static decant_status rewind_part(decant__input *input) {
    decant__byte_range range = input->part->range;
    *input->part = (decant__part){.range = range};
    return range.packing == DECANT__PLAIN ? DECANT_OK : start_unpacking(input, range.packing);
}

decant_status decant__input_rewind(decant__input *input) {
    if (input->translation != NULL) {
        input->translation->translator->restart(input->translation->state);
        input->translation->used = input->translation->piece.length = 0;
        start_translated(input);
        return decant__input_rewind(&input->translation->from);
    }
    if (!input->regular)
        return decant__fail(DECANT_EIO,
                            "%s: is a pipe, but has to be read twice: save it to a file first",
                            input->path);
    if (input->part == NULL && lseek(input->descriptor, 0, SEEK_SET) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be read again: %s", input->path,
                            strerror(errno));
    input->begin = input->end = input->line = 0;
    input->before = 0;
    input->ended = input->unfinished = 0;
    free_packed(input);
    return input->part != NULL ? rewind_part(input) : look_for_packing(input);
}

uint64_t decant__input_at(const decant__input *input) { return input->before + input->begin; }

decant_status decant__input_go(decant__input *input, uint64_t offset) {
    decant_status status = DECANT_OK;
    if (input->exact && input->part == NULL) { /* also regular */
        if (lseek(input->descriptor, (off_t)offset, SEEK_SET) < 0)
            TRY(decant__fail(DECANT_EIO, "%s: cannot be read again: %s", input->path,
                             strerror(errno)));
        input->begin = input->end = input->line = 0;
        input->before = offset;
        input->ended = input->unfinished = 0;
        return DECANT_OK;
    }
    TRY(decant__input_rewind(input));
    while (offset > 0) {
        const char *bytes;
        size_t count;
        TRY(decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count));
        if (count == 0)
            TRY(decant__fail(DECANT_EFORMAT, "%s: changed while it was read", input->path));
        if (count > offset) count = (size_t)offset;
        decant__input_skip(input, count);
        offset -= count;
    }
done:
    return status;
}

/* ---- a file for what is none ---- */

static decant_status open_temporary(const char *path, char *name, size_t size, int *descriptor) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    int length = snprintf(name, size, "%s/decant-XXXXXX", folder);
    errno = ENAMETOOLONG;
    *descriptor = length > 0 && (size_t)length < size ? mkstemp(name) : -1;
    if (*descriptor >= 0) return DECANT_OK;
    name[0] = '\0';
    return decant__fail(DECANT_EIO,
                        "%s: needs a temporary file, but none can be made in %s (TMPDIR): %s", path,
                        folder, strerror(errno));
}

static decant_status write_all(const char *path, int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return decant__fail(DECANT_EIO, "%s: its temporary file cannot be written: %s", path,
                                strerror(errno));
        bytes += written;
        count -= (size_t)written;
    }
    return DECANT_OK;
}

decant_status decant__input_spool(decant__input *input) {
    char name[PATH_MAX];
    decant_status status = decant__input_spool_named(input, name, sizeof name);
    if (status == DECANT_OK && name[0] != '\0') unlink(name);
    return status;
}

decant_status decant__input_spool_named(decant__input *input, char *name, size_t name_size) {
    decant_status status = DECANT_OK;
    int descriptor = -1;
    uint64_t size = 0;
    name[0] = '\0';
    if (input->regular && input->exact && input->part == NULL) return DECANT_OK;
    TRY(open_temporary(input->path, name, name_size, &descriptor));
    for (;;) {
        const char *bytes;
        size_t count;
        TRY(decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count));
        if (count == 0) break;
        TRY(write_all(input->path, descriptor, bytes, count));
        decant__input_skip(input, count);
        size += count;
    }
    free_packed(input);
    free_translation(input);
    decant__free(input->part);
    input->part = NULL;
    if (input->descriptor >= 0) close(input->descriptor);
    input->descriptor = descriptor;
    descriptor = -1;
    input->regular = input->exact = 1;
    input->max_bytes = size;
    TRY(decant__input_rewind(input));
done:
    if (descriptor >= 0) close(descriptor);
    if (status != DECANT_OK && name[0] != '\0') unlink(name);
    return status;
}

void decant__input_close(decant__input *input) {
    if (input->path == NULL) return;
    if (input->descriptor >= 0) close(input->descriptor);
    free_packed(input);
    free_translation(input);
    decant__free(input->part);
    decant__free(input->path);
    decant__free(input->buffer);
    *input = (decant__input){0};
}
