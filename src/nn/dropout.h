/* Dropout (Srivastava et al. 2014), inverted: what stays is divided by 1 - rate.
 *
 * Whether an element stays is a function of (seed, step, layer, row, column), so the backward pass
 * asks again instead of storing a mask. */
#ifndef DECANT_NN_DROPOUT_H
#define DECANT_NN_DROPOUT_H

#include "nn/net.h"

/* Multiplies a piece of one row, columns [column, column + count), by its mask. `column` is a
 * multiple of 8. layer tells the masks of one step apart. */
void decant__dropout_apply(const decant__dropout *dropout, size_t layer, size_t row, size_t column,
                           size_t count, float *values);

/* For a whole team: copies rows with dropout applied, as the corrupted input of a denoising
 * autoencoder. Dense rows go to `dense`; of CSR rows, only the non-zeros are copied. */
typedef struct decant__corrupted {
    float *dense;
    size_t *begin, *end;
    uint32_t *column;
    float *value;
} decant__corrupted;

decant_status decant__corrupted_new(decant__corrupted *buffer, const decant__source *source,
                                    size_t capacity);
void decant__corrupted_free(decant__corrupted *buffer);
decant__rows decant__corrupt(const decant__rows *x, const decant__dropout *dropout,
                             decant__corrupted *buffer);

#endif
