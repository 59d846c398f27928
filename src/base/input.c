#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
    GZIP_WINDOW = 15 + 16,  /* zlib: the largest window, and a gzip header */
    GZIP_RATIO = 1040,      /* above the max compression ratio of deflate, 1032 */
    WAIT_MILLISECONDS = 100 /* for a pipe: time between two updates of the meter */
};

/* The state of reading a gzip file, which can have several members. */
typedef struct decant__gzip {
    z_stream stream;
    int inside; /* inside of a member: the file must not end here */
    unsigned char packed[PACKED];
} decant__gzip;

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
    do {
        if (!input->regular) TRY(wait_for_bytes(input));
        received = read(input->descriptor, bytes, count);
        TRY(decant__meter_add(input->meter, received > 0 ? (uint64_t)received : 0));
    } while (received < 0 && errno == EINTR);
    if (received < 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be read: %s", input->path, strerror(errno)));
    *got = (size_t)received;
done:
    return status;
}

/* ---- decompression ---- */

static void *gzip_alloc(void *unused, unsigned count, unsigned size) {
    (void)unused;
    return decant__alloc_array(count, size);
}

static void gzip_free(void *unused, void *block) {
    (void)unused;
    decant__free(block);
}

static int is_gzip(const unsigned char *bytes, size_t count) {
    return count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static void free_gzip(decant__input *input) {
    if (input->gzip != NULL) inflateEnd(&input->gzip->stream);
    decant__free(input->gzip);
    input->gzip = NULL;
}

/* The bytes in the buffer are gzip data: moves them to a new decompressor. */
static decant_status start_gzip(decant__input *input) {
    decant_status status = DECANT_OK;
    decant__gzip *gzip = NULL;
    size_t count = input->end;
    NEW_ZEROED(gzip, 1);
    gzip->stream.zalloc = gzip_alloc;
    gzip->stream.zfree = gzip_free;
    if (inflateInit2(&gzip->stream, GZIP_WINDOW) != Z_OK)
        TRY(decant__fail(DECANT_ENOMEM, "%s: out of memory while unpacking", input->path));
    memcpy(gzip->packed, input->buffer, count);
    gzip->stream.next_in = gzip->packed;
    gzip->stream.avail_in = (unsigned)count;
    gzip->inside = 1;
    input->end = 0;
    input->gzip = gzip;
    gzip = NULL;
done:
    decant__free(gzip);
    return status;
}

/* Reads more compressed bytes behind the unused ones, which move to the front. *more = 0: end of
 * the file. */
static decant_status refill_packed(const decant__input *input, int *more) {
    decant__gzip *gzip = input->gzip;
    size_t left = gzip->stream.avail_in, got;
    memmove(gzip->packed, gzip->stream.next_in, left);
    gzip->stream.next_in = gzip->packed;
    decant_status status = read_some(input, gzip->packed + left, PACKED - left, &got);
    if (status != DECANT_OK) return status;
    gzip->stream.avail_in += (unsigned)got;
    *more = got > 0;
    return DECANT_OK;
}

/* After a member: another one may follow. Anything else is ignored as padding. */
static decant_status next_member(const decant__input *input, int *found) {
    decant_status status = DECANT_OK;
    decant__gzip *gzip = input->gzip;
    for (int more = 1; gzip->stream.avail_in < 2 && more;) TRY(refill_packed(input, &more));
    *found = is_gzip(gzip->stream.next_in, gzip->stream.avail_in);
    if (*found) inflateReset(&gzip->stream);
    gzip->inside = *found;
done:
    return status;
}

static decant_status gzip_problem(const decant__input *input, int code) {
    if (code == Z_MEM_ERROR)
        return decant__fail(DECANT_ENOMEM, "%s: out of memory while unpacking", input->path);
    return decant__fail(DECANT_EFORMAT, "%s: the gzip data is damaged", input->path);
}

/* Decompresses at most count bytes; *got = 0 at the end. */
static decant_status unpack_some(decant__input *input, void *bytes, size_t count, size_t *got) {
    decant_status status = DECANT_OK;
    decant__gzip *gzip = input->gzip;
    if (count > LARGEST_READ) count = LARGEST_READ;
    gzip->stream.next_out = bytes;
    gzip->stream.avail_out = (unsigned)count;
    while (gzip->inside && gzip->stream.avail_out == count) {
        int more = 1;
        if (gzip->stream.avail_in == 0) TRY(refill_packed(input, &more));
        if (!more)
            TRY(decant__fail(DECANT_EFORMAT, "%s: the gzip data ends early (truncated file?)",
                             input->path));
        int code = inflate(&gzip->stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            TRY(next_member(input, &more));
        else if (code != Z_OK)
            TRY(gzip_problem(input, code));
    }
    *got = count - gzip->stream.avail_out;
done:
    return status;
}

/* ---- opening ---- */

/* The max number of (decompressed) bytes of the file. */
static void set_max_bytes(decant__input *input, const struct stat *info) {
    input->max_bytes = UINT64_MAX;
    if (!input->regular) return;
    uint64_t size = (uint64_t)info->st_size;
    input->exact = input->gzip == NULL;
    if (input->exact)
        input->max_bytes = size;
    else if (size < UINT64_MAX / GZIP_RATIO)
        input->max_bytes = size * GZIP_RATIO;
}

/* Recognises gzip by the first two bytes. */
static decant_status look_for_gzip(decant__input *input) {
    decant_status status = DECANT_OK;
    while (input->end < 2 && !input->ended) {
        size_t got;
        TRY(read_some(input, input->buffer + input->end, PACKED - input->end, &got));
        input->end += got;
        input->ended = got == 0;
    }
    if (!is_gzip((const unsigned char *)input->buffer, input->end)) goto done;
    input->ended = 0;
    TRY(start_gzip(input));
done:
    return status;
}

decant_status decant__input_open(decant__input *input, const char *path, decant__meter *meter) {
    decant_status status = DECANT_OK;
    struct stat info;
    *input = (decant__input){.descriptor = -1, .meter = meter, .capacity = FIRST_CAPACITY};
    input->path = decant__copy_text(path);
    if (input->path == NULL) TRY(DECANT_ENOMEM);
    NEW_ARRAY(input->buffer, input->capacity);
    input->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (input->descriptor < 0 || fstat(input->descriptor, &info) != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    if (S_ISDIR(info.st_mode))
        TRY(decant__fail(DECANT_EIO, "%s: is a folder where a file was expected", path));
    input->regular = S_ISREG(info.st_mode);
    TRY(look_for_gzip(input));
    set_max_bytes(input, &info);
done:
    if (status != DECANT_OK) decant__input_close(input);
    return status;
}

/* ---- reading ---- */

/* Reads past the buffer; *got < count only at the end of the file. */
static decant_status read_file(decant__input *input, char *bytes, size_t count, size_t *got) {
    for (*got = 0; *got < count && !input->ended;) {
        size_t more;
        decant_status status = input->gzip != NULL
                                   ? unpack_some(input, bytes + *got, count - *got, &more)
                                   : read_some(input, bytes + *got, count - *got, &more);
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
    if (status == DECANT_OK) *got = first + rest;
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

decant_status decant__input_rewind(decant__input *input) {
    if (!input->regular)
        return decant__fail(DECANT_EIO,
                            "%s: is a pipe, but has to be read twice: save it to a file first",
                            input->path);
    if (lseek(input->descriptor, 0, SEEK_SET) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be read again: %s", input->path,
                            strerror(errno));
    input->begin = input->end = input->line = 0;
    input->ended = input->unfinished = 0;
    free_gzip(input);
    return look_for_gzip(input);
}

void decant__input_close(decant__input *input) {
    if (input->path == NULL) return;
    if (input->descriptor >= 0) close(input->descriptor);
    free_gzip(input);
    decant__free(input->path);
    decant__free(input->buffer);
    *input = (decant__input){0};
}
