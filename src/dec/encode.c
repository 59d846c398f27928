#include "dec/encode.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "linalg/product.h"

/* A block and its outputs fit the second-level cache, and each member of the team takes its own
 * blocks through all layers: nobody waits for others between layers. */
enum { BLOCK_ROWS = 128, MIN_SLICE = 8 * BLOCK_ROWS, MAX_SLICE = 512 * BLOCK_ROWS };

/* Max time between two polls, so that a caller can cancel within half a second. */
static const double SLICE_SECONDS = 0.1;

/* One for each member. */
typedef struct lane {
    const struct encoding *encoding;
    size_t first; /* row of its block */
    decant__rows_buffer buffer;
    decant__pass pass;
} lane;

typedef struct encoding {
    const decant__net *encoder;
    const float *params;
    const decant__source *source;
    float *panels[DECANT__NET_MAX]; /* weights, packed once; NULL: those of sparse rows */
    size_t begin, end;              /* rows of this slice */
    lane *lane;
    float *z;
} encoding;

static void encode_block(void *context) {
    lane *own = context;
    const encoding *e = own->encoding;
    size_t last = e->encoder->depth - 1, width = e->encoder->layer[last].out;
    size_t count = e->end - own->first < BLOCK_ROWS ? e->end - own->first : BLOCK_ROWS;
    decant__rows x = decant__source_fetch(e->source, NULL, own->first, count, &own->buffer);
    decant__net_forward(e->encoder, e->params, &x, NULL, &own->pass);
    memcpy(e->z + own->first * width, own->pass.output[last], count * width * sizeof *e->z);
}

static void encode_slice(void *context) {
    encoding *e = context;
    lane *own = &e->lane[decant__team_member()];
    TEAM_FOR_DYNAMIC (block, (e->end - e->begin + BLOCK_ROWS - 1) / BLOCK_ROWS, 1) {
        own->first = e->begin + block * BLOCK_ROWS;
        decant__team_run(1, encode_block, own);
    }
}

static void pack_weights(void *context) {
    encoding *e = context;
    for (size_t l = 0; l < e->encoder->depth; l++)
        if (e->panels[l] != NULL) decant__net_pack(e->encoder, l, e->params, e->panels[l]);
}

static decant_status encoding_open(encoding *e, int threads) {
    decant_status status = DECANT_OK;
    size_t rows = e->source->n < BLOCK_ROWS ? e->source->n : BLOCK_ROWS;
    for (size_t l = e->source->dense != NULL ? 0 : 1; l < e->encoder->depth; l++) {
        const decant__layer *layer = &e->encoder->layer[l];
        NEW_ARRAY(e->panels[l], decant__product_pack_size(layer->in, layer->out));
    }
    NEW_ZEROED(e->lane, (size_t)threads);
    for (size_t t = 0; t < (size_t)threads; t++) {
        lane *own = &e->lane[t];
        own->encoding = e;
        TRY(decant__rows_buffer_new(&own->buffer, e->source, rows));
        TRY(decant__pass_new(&own->pass, e->encoder, rows, 0, 0, 1));
        memcpy(own->pass.panels, e->panels, sizeof own->pass.panels);
    }
    decant__team_run(threads, pack_weights, e);
done:
    return status;
}

static void encoding_close(encoding *e, int threads) {
    for (size_t t = 0; e->lane != NULL && t < (size_t)threads; t++) {
        decant__pass_free(&e->lane[t].pass);
        decant__rows_buffer_free(&e->lane[t].buffer);
    }
    decant__free(e->lane);
    for (size_t l = 0; l < DECANT__NET_MAX; l++) decant__free(e->panels[l]);
}

decant_status decant__encode(const decant__net *encoder, const float *params,
                             const decant__source *source, int threads, const decant__watch *watch,
                             float *z) {
    decant_status status = DECANT_OK;
    size_t n = source->n, size = watch != NULL ? MIN_SLICE : n;
    encoding e = {.encoder = encoder, .params = params, .source = source, .z = z};
    TRY(encoding_open(&e, threads));
    for (; e.begin < n; e.begin = e.end) {
        double began = decant__seconds();
        if (e.begin > 0) TRY(decant__watch_poll(watch));
        e.end = n - e.begin < size ? n : e.begin + size;
        decant__team_run(threads, encode_slice, &e);
        if (size < MAX_SLICE && decant__seconds() - began < SLICE_SECONDS) size *= 2;
    }
done:
    encoding_close(&e, threads);
    return status;
}
