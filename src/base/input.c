#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    FIRST_CAPACITY = 1 << 18,
    LONGEST_LINE = 1 << 30, /* a text line longer than this is a binary file in disguise */
    LARGEST_READ = 1 << 30, /* gzread counts in int */
    GZIP_RATIO = 1040       /* deflate packs at most 1032 bytes into one */
};

/* The most bytes that the file can turn out to hold. */
static void set_most_bytes(decant__input *input, const struct stat *info) {
    input->most_bytes = UINT64_MAX;
    if (!S_ISREG(info->st_mode)) return;
    input->exact = gzdirect(input->file);
    uint64_t size = (uint64_t)info->st_size;
    if (input->exact)
        input->most_bytes = size;
    else if (size < UINT64_MAX / GZIP_RATIO)
        input->most_bytes = size * GZIP_RATIO;
}

decant_status decant__input_open(decant__input *input, const char *path) {
    decant_status status = DECANT_OK;
    int descriptor = -1;
    struct stat info;
    *input = (decant__input){0};
    input->capacity = FIRST_CAPACITY;
    NEW_ARRAY(input->buffer, input->capacity);
    input->path = decant__copy_text(path);
    if (input->path == NULL) TRY(DECANT_ENOMEM);
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    if (S_ISDIR(info.st_mode))
        TRY(decant__fail(DECANT_EIO, "%s: is a folder where a file was expected", path));
    input->file = gzdopen(descriptor, "rb");
    if (input->file == NULL)
        TRY(decant__fail(DECANT_ENOMEM, "%s: out of memory while opening", path));
    descriptor = -1; /* belongs to the gzFile now */
    gzbuffer(input->file, FIRST_CAPACITY);
    set_most_bytes(input, &info);
done:
    if (descriptor >= 0) close(descriptor);
    if (status != DECANT_OK) decant__input_close(input);
    return status;
}

/* Why the last gzread gave less than was asked for; DECANT_OK at a proper end of the file. */
static decant_status read_problem(const decant__input *input) {
    int code = Z_OK;
    const char *text = gzerror(input->file, &code);
    const char *reason = text != NULL ? strstr(text, ": ") : NULL; /* "<fd:3>: reason" */
    switch (code) {
        case Z_OK:
        case Z_STREAM_END:
            return DECANT_OK;
        case Z_ERRNO:
            return decant__fail(DECANT_EIO, "%s: cannot be read: %s", input->path,
                                reason != NULL ? reason + 2 : "unknown error");
        case Z_MEM_ERROR:
            return decant__fail(DECANT_ENOMEM, "%s: out of memory while unpacking", input->path);
        case Z_BUF_ERROR:
            return decant__fail(DECANT_EFORMAT, "%s: the gzip data ends early (truncated file?)",
                                input->path);
        default:
            return decant__fail(DECANT_EFORMAT, "%s: the gzip data is damaged", input->path);
    }
}

/* Reads straight from the file; *got < count only at its end. */
static decant_status read_file(decant__input *input, char *bytes, size_t count, size_t *got) {
    *got = 0;
    while (*got < count && !input->ended) {
        size_t part = count - *got < LARGEST_READ ? count - *got : LARGEST_READ;
        int received = gzread(input->file, bytes + *got, (unsigned)part);
        if (received < 0 || (size_t)received < part) {
            decant_status status = read_problem(input);
            if (status != DECANT_OK) return status;
            input->ended = 1;
        }
        if (received > 0) *got += (size_t)received;
    }
    return DECANT_OK;
}

/* Gets more bytes into the buffer, which keeps one byte free for the 0 after a last line. */
static decant_status fill(decant__input *input) {
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
        decant_status status = fill(input);
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
        decant_status status = fill(input);
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

void decant__input_close(decant__input *input) {
    if (input->file != NULL) gzclose(input->file);
    decant__free(input->path);
    decant__free(input->buffer);
    *input = (decant__input){0};
}
