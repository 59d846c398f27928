#include "base/unpack.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#ifdef DECANT_ZSTD
#include <zstd.h>
#endif
#ifdef DECANT_LZMA
#include <lzma.h>
#endif
#ifdef DECANT_BZIP2
#include <bzlib.h>
#endif

#include "base/memory.h"

enum {
    GZIP_WINDOW = 15 + 16, /* zlib: the largest window, and a gzip header */
    RAW_WINDOW = -15,      /* the largest window, no header */
    XZ_MEMORY = 1 << 29    /* most that an xz file may ask for; xz -9 needs 65 MiB */
};

struct decant__unpacker {
    decant__packing packing;
    const char *path;
    int running; /* the library's stream is set up */
    z_stream zlib;
#ifdef DECANT_ZSTD
    ZSTD_DStream *zstd;
#endif
#ifdef DECANT_LZMA
    lzma_stream lzma;
    lzma_allocator lzma_memory;
#endif
#ifdef DECANT_BZIP2
    bz_stream bzip2;
#endif
};

static const char *name_of(decant__packing packing) {
    static const char *const names[] = {"plain", "gzip", "zstd", "xz", "bzip2", "zip"};
    return names[packing];
}

/* ---- recognition ---- */

/* Zstd's frames and those that it skips (0x184D2A50 to 5F). */
static int is_zstd(const unsigned char *bytes, size_t count) {
    if (count < 4) return 0;
    if (memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0) return 1;
    return (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
}

/* "BZh" could begin a table: the magic of the first block, or of the end, must follow. */
static int is_bzip2(const unsigned char *bytes, size_t count) {
    if (count < 10 || memcmp(bytes, "BZh", 3) != 0) return 0;
    return memcmp(bytes + 4, "1AY&SY", 6) == 0 || memcmp(bytes + 4, "\x17rE8P\x90", 6) == 0;
}

decant__packing decant__packing_find(const unsigned char *bytes, size_t count) {
    if (count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return DECANT__GZIP;
    if (is_zstd(bytes, count)) return DECANT__ZSTD;
    if (count >= 6 && memcmp(bytes,
                             "\xfd"
                             "7zXZ",
                             6) == 0)
        return DECANT__XZ;
    return is_bzip2(bytes, count) ? DECANT__BZIP2 : DECANT__PLAIN;
}

/* ---- sentences ---- */

static decant_status no_memory(const decant__unpacker *self) {
    return decant__fail(DECANT_ENOMEM, "%s: out of memory while unpacking", self->path);
}

decant_status decant__unpack_damaged(const decant__unpacker *self) {
    return decant__fail(DECANT_EFORMAT, "%s: the %s data is damaged", self->path,
                        name_of(self->packing));
}

decant_status decant__unpack_cut(const decant__unpacker *self) {
    return decant__fail(DECANT_EFORMAT, "%s: the %s data ends early (truncated file?)", self->path,
                        name_of(self->packing));
}

/* ---- gzip and deflate ---- */

static void *take_memory(void *unused, unsigned count, unsigned size) {
    (void)unused;
    return decant__alloc_array(count, size);
}

static void give_memory(void *unused, void *block) {
    (void)unused;
    decant__free(block);
}

static decant_status zlib_begin(decant__unpacker *self) {
    self->zlib = (z_stream){.zalloc = take_memory, .zfree = give_memory};
    int window = self->packing == DECANT__GZIP ? GZIP_WINDOW : RAW_WINDOW;
    return inflateInit2(&self->zlib, window) == Z_OK ? DECANT_OK : no_memory(self);
}

static unsigned at_most(size_t count) { return count < INT_MAX ? (unsigned)count : INT_MAX; }

static decant_status zlib_run(decant__unpacker *self, decant__unpack_flow *flow) {
    unsigned in = at_most(flow->in_count), out = at_most(flow->out_count);
    self->zlib.next_in = (unsigned char *)(uintptr_t)flow->in; /* zlib only reads it */
    self->zlib.avail_in = in;
    self->zlib.next_out = flow->out;
    self->zlib.avail_out = out;
    int code = inflate(&self->zlib, Z_NO_FLUSH);
    flow->in += in - self->zlib.avail_in;
    flow->in_count -= in - self->zlib.avail_in;
    flow->out += out - self->zlib.avail_out;
    flow->out_count -= out - self->zlib.avail_out;
    flow->ended = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return DECANT_OK;
    return code == Z_MEM_ERROR ? no_memory(self) : decant__unpack_damaged(self);
}

/* ---- zstd ---- */

#ifdef DECANT_ZSTD
static decant_status zstd_begin(decant__unpacker *self) {
    if (self->zstd == NULL) self->zstd = ZSTD_createDStream();
    if (self->zstd == NULL || ZSTD_isError(ZSTD_initDStream(self->zstd))) return no_memory(self);
    return DECANT_OK;
}

static decant_status zstd_run(decant__unpacker *self, decant__unpack_flow *flow) {
    ZSTD_inBuffer in = {flow->in, flow->in_count, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_count, 0};
    size_t code = ZSTD_decompressStream(self->zstd, &out, &in);
    if (ZSTD_isError(code)) {
        /* The codes are not in the stable part of the interface; the sentence is. */
        if (strstr(ZSTD_getErrorName(code), "Allocation") != NULL) return no_memory(self);
        return decant__unpack_damaged(self);
    }
    flow->in += in.pos;
    flow->in_count -= in.pos;
    flow->out += out.pos;
    flow->out_count -= out.pos;
    flow->ended = code == 0;
    return DECANT_OK;
}
#endif

/* ---- xz ---- */

#ifdef DECANT_LZMA
static void *take_lzma(void *unused, size_t count, size_t size) {
    (void)unused;
    return decant__alloc_array(count, size);
}

static decant_status lzma_begin(decant__unpacker *self) {
    if (self->running) lzma_end(&self->lzma);
    self->lzma = (lzma_stream)LZMA_STREAM_INIT;
    self->lzma_memory = (lzma_allocator){.alloc = take_lzma, .free = give_memory};
    self->lzma.allocator = &self->lzma_memory;
    return lzma_stream_decoder(&self->lzma, XZ_MEMORY, 0) == LZMA_OK ? DECANT_OK : no_memory(self);
}

static decant_status lzma_run(decant__unpacker *self, decant__unpack_flow *flow) {
    lzma_stream *lzma = &self->lzma;
    lzma->next_in = flow->in;
    lzma->avail_in = flow->in_count;
    lzma->next_out = flow->out;
    lzma->avail_out = flow->out_count;
    lzma_ret code = lzma_code(lzma, LZMA_RUN);
    flow->in = lzma->next_in;
    flow->in_count = lzma->avail_in;
    flow->out = lzma->next_out;
    flow->out_count = lzma->avail_out;
    flow->ended = code == LZMA_STREAM_END;
    if (code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR) return DECANT_OK;
    if (code == LZMA_MEMLIMIT_ERROR)
        return decant__fail(DECANT_EFORMAT,
                            "%s: needs more than %d MiB to be unpacked: unpack it with xz first",
                            self->path, XZ_MEMORY >> 20);
    return code == LZMA_MEM_ERROR ? no_memory(self) : decant__unpack_damaged(self);
}
#endif

/* ---- bzip2 ---- */

#ifdef DECANT_BZIP2
static void *take_bzip2(void *unused, int count, int size) {
    (void)unused;
    return decant__alloc_array((size_t)count, (size_t)size);
}

static decant_status bzip2_begin(decant__unpacker *self) {
    if (self->running) BZ2_bzDecompressEnd(&self->bzip2);
    self->bzip2 = (bz_stream){.bzalloc = take_bzip2, .bzfree = give_memory};
    return BZ2_bzDecompressInit(&self->bzip2, 0, 0) == BZ_OK ? DECANT_OK : no_memory(self);
}

static decant_status bzip2_run(decant__unpacker *self, decant__unpack_flow *flow) {
    unsigned in = at_most(flow->in_count), out = at_most(flow->out_count);
    self->bzip2.next_in = (char *)(uintptr_t)flow->in;
    self->bzip2.avail_in = in;
    self->bzip2.next_out = (char *)flow->out;
    self->bzip2.avail_out = out;
    int code = BZ2_bzDecompress(&self->bzip2);
    flow->in += in - self->bzip2.avail_in;
    flow->in_count -= in - self->bzip2.avail_in;
    flow->out += out - self->bzip2.avail_out;
    flow->out_count -= out - self->bzip2.avail_out;
    flow->ended = code == BZ_STREAM_END;
    if (code == BZ_OK || code == BZ_STREAM_END) return DECANT_OK;
    return code == BZ_MEM_ERROR ? no_memory(self) : decant__unpack_damaged(self);
}
#endif

/* ---- the table ---- */

typedef struct operations {
    decant_status (*begin)(decant__unpacker *self);
    decant_status (*run)(decant__unpacker *self, decant__unpack_flow *flow);
    const char *library;
} operations;

static const operations table[] = {
    [DECANT__GZIP] = {zlib_begin, zlib_run, "zlib"},
    [DECANT__DEFLATE] = {zlib_begin, zlib_run, "zlib"},
#ifdef DECANT_ZSTD
    [DECANT__ZSTD] = {zstd_begin, zstd_run, "libzstd"},
#else
    [DECANT__ZSTD] = {NULL, NULL, "libzstd"},
#endif
#ifdef DECANT_LZMA
    [DECANT__XZ] = {lzma_begin, lzma_run, "liblzma"},
#else
    [DECANT__XZ] = {NULL, NULL, "liblzma"},
#endif
#ifdef DECANT_BZIP2
    [DECANT__BZIP2] = {bzip2_begin, bzip2_run, "libbz2"},
#else
    [DECANT__BZIP2] = {NULL, NULL, "libbz2"},
#endif
};

decant_status decant__unpacker_new(decant__packing packing, const char *path,
                                   decant__unpacker **out) {
    decant_status status = DECANT_OK;
    decant__unpacker *self = NULL;
    if (table[packing].begin == NULL)
        return decant__fail(DECANT_EFORMAT,
                            "%s: is a %s file, but this decant was built without %s: unpack it "
                            "first",
                            path, name_of(packing), table[packing].library);
    NEW_ZEROED(self, 1);
    self->packing = packing;
    self->path = path;
    TRY(table[packing].begin(self));
    self->running = 1;
    *out = self;
    self = NULL;
done:
    decant__unpacker_free(self);
    return status;
}

decant_status decant__unpack(decant__unpacker *self, decant__unpack_flow *flow) {
    return table[self->packing].run(self, flow);
}

decant_status decant__unpacker_restart(decant__unpacker *self) {
    if (self->packing != DECANT__GZIP) return table[self->packing].begin(self);
    inflateReset(&self->zlib);
    return DECANT_OK;
}

decant__packing decant__unpacker_packing(const decant__unpacker *self) { return self->packing; }

void decant__unpacker_free(decant__unpacker *self) {
    if (self == NULL) return;
    if (self->packing == DECANT__GZIP || self->packing == DECANT__DEFLATE) inflateEnd(&self->zlib);
#ifdef DECANT_ZSTD
    ZSTD_freeDStream(self->zstd);
#endif
#ifdef DECANT_LZMA
    if (self->packing == DECANT__XZ) lzma_end(&self->lzma);
#endif
#ifdef DECANT_BZIP2
    if (self->packing == DECANT__BZIP2) BZ2_bzDecompressEnd(&self->bzip2);
#endif
    decant__free(self);
}
