/* Bytes of a file, plain or compressed, through one buffer: peek, read, or line by line.
 *
 * The bytes come from a file, a pipe, a part of a file (the member of a zip archive), or from a
 * translator that turns another input into text. Every error message names the file. Checksums of
 * compressed data are checked at its end, so a reader must read until decant__input_peek returns no
 * bytes. */
#ifndef DECANT_BASE_INPUT_H
#define DECANT_BASE_INPUT_H

#include "base/text.h"
#include "base/unpack.h"
#include "base/watch.h"

/* Max bytes of a peek. */
#define DECANT__INPUT_PEEK 65536

typedef struct decant__input {
    char *path;         /* NULL: not open */
    const char *member; /* in path: "x" of data.npz:x; NULL: a file is named as it is */
    int descriptor;     /* also used to map the file, so that it is opened once */
    int regular;        /* a file on disk, not a pipe */
    decant__meter *meter;
    struct decant__part *part;               /* of the file; NULL: all of it */
    struct decant__packed *packed;           /* decompressor; NULL: the file is not compressed */
    struct decant__translation *translation; /* where the bytes come from; NULL: from the file */
    char *buffer;
    size_t capacity, begin, end; /* buffer[begin..end) is read but not yet taken */
    uint64_t before;             /* bytes before those of the buffer */
    int ended;                   /* the file has no more bytes than those in the buffer */
    int exact;                   /* max_bytes is the size: a regular file that is not compressed */
    uint64_t max_bytes;          /* max decompressed size of the file; UINT64_MAX: unknown */
    size_t line;                 /* number of the line that was read last, from 1 */
    int unfinished;              /* that line had no newline: end of the file, or truncated */
} decant__input;

/* meter counts the bytes that are read and can cancel; borrowed until close, may be NULL. path may
 * be FILE:MEMBER: see decant__path_member. */
decant_status decant__input_open(decant__input *input, const char *path, decant__meter *meter);

/* Where the member's name begins in "data.npz:x": after the first colon behind the name of a file
 * that exists, where there is no file of the whole name. NULL: it is only a path. */
const char *decant__path_member(const char *path);

/* A part of an open file, which is borrowed and must stay open: `size` bytes from `offset` on,
 * compressed or not, that unpack to `unpacked` bytes with this CRC-32. */
typedef struct decant__byte_range {
    uint64_t offset, size, unpacked;
    uint32_t crc;
    decant__packing packing;
} decant__byte_range;
decant_status decant__input_open_range(decant__input *input, const char *path, int descriptor,
                                       const decant__byte_range *range, decant__meter *meter);

/* Where the bytes of an uncompressed file or part begin in the file. */
uint64_t decant__input_origin(const decant__input *input);

/* Makes sure that the bytes are a file that can be read at any place: what comes from a pipe, or is
 * compressed, is copied to a temporary file without a name. Nothing may have been taken yet. */
decant_status decant__input_spool(decant__input *input);

/* The same for libraries that want a name: where a temporary file was needed, its name is still
 * there for the caller to unlink; else it is "". */
decant_status decant__input_spool_named(decant__input *input, char *name, size_t size);

/* Text that is made of another input, piece by piece. */
typedef struct decant__translator {
    /* Appends the next piece to the text; appends nothing at the end. */
    decant_status (*next)(void *state, decant__input *from, decant__text *text);
    void (*restart)(void *state);
    void (*free)(void *state);
    int heading; /* the first line is one that the file has not, and gets the number 0 */
} decant__translator;

/* From now on the input gives what the translator makes of its bytes. The state is taken over, also
 * on failure. */
decant_status decant__input_translate(decant__input *input, const decant__translator *translator,
                                      void *state);

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

/* The number of the next byte, from 0. */
uint64_t decant__input_at(const decant__input *input);

/* The next byte is number `offset`, from 0, of those that the input gives. What is compressed or
 * translated is read up to there. EFORMAT if there are fewer. The number of the line is lost. */
decant_status decant__input_go(decant__input *input, uint64_t offset);

/* Does nothing on a zeroed input. */
void decant__input_close(decant__input *input);

#endif
