#include "dec/encode.h"

#include <string.h>

#include "base/memory.h"

enum { BLOCK_ROWS = 1024 };

decant_status decant__encode_some(const decant__net *encoder, const float *params,
                                  const decant__source *source, const uint32_t *index, size_t n,
                                  int threads, float *z) {
    decant_status status = DECANT_OK;
    decant__rows_buffer buffer = {0};
    decant__pass pass = {0};
    size_t last = encoder->depth - 1, width = encoder->layer[last].out;
    size_t capacity = n < BLOCK_ROWS ? n : BLOCK_ROWS;
    TRY(decant__rows_buffer_new(&buffer, source, capacity));
    TRY(decant__pass_new(&pass, encoder, capacity, 0, 0));
#pragma omp parallel num_threads(threads)
    for (size_t first = 0; first < n; first += capacity) {
        size_t count = n - first < capacity ? n - first : capacity;
        decant__rows x = decant__source_fetch(source, index != NULL ? index + first : NULL, first,
                                              count, &buffer);
        decant__net_forward(encoder, params, &x, NULL, &pass);
#pragma omp single
        memcpy(z + first * width, pass.output[last], count * width * sizeof *z);
    }
done:
    decant__pass_free(&pass);
    decant__rows_buffer_free(&buffer);
    return status;
}

decant_status decant__encode(const decant__net *encoder, const float *params,
                             const decant__source *source, int threads, float *z) {
    return decant__encode_some(encoder, params, source, NULL, source->n, threads, z);
}
