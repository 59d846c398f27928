/* Decompression: gzip, zstd, xz and bzip2 files, and the deflated members of a zip archive, behind
 * one interface. Libraries other than zlib may be missing from a build; a file that needs one is
 * then refused with a sentence that names it. */
#ifndef DECANT_BASE_UNPACK_H
#define DECANT_BASE_UNPACK_H

#include "base/status.h"

typedef enum decant__packing {
    DECANT__PLAIN,
    DECANT__GZIP,
    DECANT__ZSTD,
    DECANT__XZ,
    DECANT__BZIP2,
    DECANT__DEFLATE /* a zip archive's, without a header */
} decant__packing;

/* Bytes that are enough to recognise one. */
enum { DECANT__PACKING_LOOK = 10 };

/* By the first bytes of a file or member. */
decant__packing decant__packing_find(const unsigned char *bytes, size_t count);

typedef struct decant__unpacker decant__unpacker;

/* path: for messages, borrowed. */
decant_status decant__unpacker_new(decant__packing packing, const char *path,
                                   decant__unpacker **out);
void decant__unpacker_free(decant__unpacker *unpacker);

/* What goes in and what comes out; each call moves the pointers and lowers the counts. */
typedef struct decant__unpack_flow {
    const unsigned char *in;
    size_t in_count;
    unsigned char *out;
    size_t out_count;
    int ended; /* the member ends here */
} decant__unpack_flow;

decant_status decant__unpack(decant__unpacker *unpacker, decant__unpack_flow *flow);

/* Prepares for a further member of the same kind. */
decant_status decant__unpacker_restart(decant__unpacker *unpacker);
decant__packing decant__unpacker_packing(const decant__unpacker *unpacker);

/* "the gzip data is damaged", and the like. */
decant_status decant__unpack_damaged(const decant__unpacker *unpacker);
decant_status decant__unpack_cut(const decant__unpacker *unpacker);

#endif
