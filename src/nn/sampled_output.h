/* The last layer of an autoencoder of wide sparse rows, and its loss, at a cost that follows the
 * non-zeros and not the width.
 *
 * The loss of row i over all d columns is, with y = h W + b,
 *
 *   E_i = sum_{j: x_ij != 0} (y_ij - x_ij)^2  +  sum_{j: x_ij = 0} y_ij^2
 *
 * The first sum is taken in full. The second is estimated from m columns that all rows of the
 * minibatch share: the f columns with the most non-zeros in the data (the head), where outputs are
 * large, and m - f of the other d - f, drawn anew for every minibatch without replacement:
 *
 *   E^_i = sum_{j: x_ij != 0} (y_ij - x_ij)^2  +  sum_{j in head: x_ij = 0} y_ij^2
 *                                + (d - f) / (m - f) sum_{j drawn: x_ij = 0} y_ij^2
 *
 * Each column outside the head is drawn with probability (m - f) / (d - f), whatever the row, so
 * the mean of E^_i over the draws is E_i, and that of its gradient is the gradient of E_i. With
 * m = d it is E_i. A draw is a function of seed and step alone.
 *
 * W is stored by output column (out x in): the weights of a column lie together. Only columns that
 * were drawn or occur in the minibatch have a gradient, and only they take a step: docs/method.md,
 * section 7. */
#ifndef DECANT_NN_SAMPLED_OUTPUT_H
#define DECANT_NN_SAMPLED_OUTPUT_H

#include "nn/block_columns.h"
#include "nn/layer.h"
#include "nn/net.h"

/* Room for the loss of one block of rows. */
typedef struct decant__sampled {
    size_t d, in;
    size_t head, size;         /* f and m */
    decant__column_set sample; /* the head, then what was drawn */
    uint32_t *others;          /* d - f: the columns outside the head */
    float *weights, *bias;     /* of the sample: m x in, m; weights then holds their gradient */
    float *y, *delta;          /* of the sample: n x m outputs and dL/dy */
    /* the non-zeros outside the sample: by row, with dL/dy, and the same by column */
    size_t *begin, *end;
    uint32_t *entry_column;
    float *entry_delta;
    decant__block_columns by_column;
} decant__sampled;

/* For blocks of `capacity` rows with at most `nonzeros`. Without a head. */
decant_status decant__sampled_new(decant__sampled **sampled, const decant__layer *layer,
                                  size_t capacity, size_t nonzeros);
void decant__sampled_free(decant__sampled *sampled);

/* Takes half of the sample as the head: the columns with the most non-zeros in a CSR source. */
decant_status decant__sampled_choose_head(decant__sampled *sampled, const decant__source *source);

/* Draws the columns of a step; alone, not for a team. */
void decant__sampled_draw(decant__sampled *sampled, uint64_t seed, uint64_t step);

/* For a whole team: E^_i into row_loss, and scale/2 dE^/dy. h: n x in. scratch: the pass's. */
void decant__sampled_loss(const decant__layer *layer, const float *params, const decant__rows *x,
                          const float *h, float scale, decant__pass *pass, double *row_loss);

/* For a whole team: as decant__dense_backward, after decant__sampled_loss. step->dy is not used. */
void decant__sampled_backward(const decant__backward *step, decant__pass *pass);

#endif
