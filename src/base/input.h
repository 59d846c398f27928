/* Bytes of a file, plain or gzipped, through one buffer: peek, read, or line by line.
 *
 * Every error message names the file. The checksum of a gzip file is checked at its end, so a
 * reader must read until decant__input_peek returns no bytes. */
#ifndef DECANT_BASE_INPUT_H
#define DECANT_BASE_INPUT_H

#include "base/watch.h"

/* Max bytes of a peek. */
#define DECANT__INPUT_PEEK 65536

typedef struct decant__input {
    char *path;     /* NULL: not open */
    int descriptor; /* also used to map the file, so that it is opened once */
    int regular;    /* a file on disk, not a pipe */
    decant__meter *meter;
    struct decant__gzip *gzip; /* decompressor; NULL: the file is not compressed */
    char *buffer;
    size_t capacity, begin, end; /* buffer[begin..end) is read but not yet taken */
    int ended;                   /* the file has no more bytes than those in the buffer */
    int exact;                   /* max_bytes is the size: a regular file that is not compressed */
    uint64_t max_bytes;          /* max decompressed size of the file; UINT64_MAX: unknown */
    size_t line;                 /* number of the line that was read last, from 1 */
    int unfinished;              /* that line had no newline: end of the file, or truncated */
} decant__input;

/* meter counts the bytes that are read and can cancel; borrowed until close, may be NULL. */
decant_status decant__input_open(decant__input *input, const char *path, decant__meter *meter);

/* Shows the next want bytes (at most DECANT__INPUT_PEEK), fewer only where the file ends. They
 * stay where they are and are valid until the next call. */
decant_status decant__input_peek(decant__input *input, size_t want, const char **bytes,
                                 size_t *count);

/* Takes bytes that were peeked at. */
void decant__input_skip(decant__input *input, size_t count);

/* Takes the next count bytes; *got is less only where the file ends. */
decant_status decant__input_read(decant__input *input, void *bytes, size_t count, size_t *got);

/* Takes the next line, without its end (LF or CRLF) and with a final 0. The caller may modify it;
 * it is valid until the next call. *line = NULL at the end of the file. */
decant_status decant__input_read_line(decant__input *input, char **line, size_t *length);

/* Back to the first byte; EIO for a pipe. */
decant_status decant__input_rewind(decant__input *input);

/* Does nothing on a zeroed input. */
void decant__input_close(decant__input *input);

#endif
