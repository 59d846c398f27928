#include "dec/encode.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { BLOCK_ROWS = 1024, MAX_SLICE = 64 * BLOCK_ROWS };

/* Max time between two polls, so that a caller can cancel within half a second. */
static const double SLICE_SECONDS = 0.1;

typedef struct encoding {
    const decant__net *encoder;
    const float *params;
    const decant__source *source;
    size_t begin, end; /* rows of this slice */
    size_t capacity;   /* rows of a block */
    decant__rows_buffer buffer;
    decant__pass pass;
    float *z;
} encoding;

static void encode_blocks(void *context) {
    encoding *e = context;
    size_t last = e->encoder->depth - 1, width = e->encoder->layer[last].out;
    for (size_t first = e->begin; first < e->end; first += e->capacity) {
        size_t count = e->end - first < e->capacity ? e->end - first : e->capacity;
        decant__rows x = decant__source_fetch(e->source, NULL, first, count, &e->buffer);
        decant__net_forward(e->encoder, e->params, &x, NULL, &e->pass);
        const float *z = e->pass.output[last];
        TEAM_SINGLE memcpy(e->z + first * width, z, count * width * sizeof *z);
    }
}

decant_status decant__encode(const decant__net *encoder, const float *params,
                             const decant__source *source, int threads, const decant__watch *watch,
                             float *z) {
    decant_status status = DECANT_OK;
    size_t n = source->n;
    size_t size = watch != NULL ? BLOCK_ROWS : n;
    encoding e = {.encoder = encoder,
                  .params = params,
                  .source = source,
                  .capacity = n < BLOCK_ROWS ? n : BLOCK_ROWS,
                  .z = z};
    TRY(decant__rows_buffer_new(&e.buffer, source, e.capacity));
    TRY(decant__pass_new(&e.pass, encoder, e.capacity, 0, 0, threads));
    for (; e.begin < n; e.begin = e.end) {
        double began = decant__seconds();
        if (e.begin > 0) TRY(decant__watch_poll(watch));
        e.end = n - e.begin < size ? n : e.begin + size;
        decant__team_run(threads, encode_blocks, &e);
        if (size < MAX_SLICE && decant__seconds() - began < SLICE_SECONDS) size *= 2;
    }
done:
    decant__pass_free(&e.pass);
    decant__rows_buffer_free(&e.buffer);
    return status;
}
